/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - read a measurement log line by line into the rows of its devices.
 *
 * The table `columns` lists the names of columns in each format.  To support a similar format, add its names to
 * `columns` and a row to `formats`. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "explain/telemetry/files.h"
#include "json/value.h"

static const struct {
    const char *source;
    char mark;  /* begins headers and rows of units in formats with blanks between cells; '\0': commas separate cells */
    bool lists; /* a cell may be a list in quotes or brackets */
} formats[MLS_LOG_KINDS] = {
    [MLS_LOG_DMON] = {"dmon", '#', false},           [MLS_LOG_DCGM] = {"dcgm", '#', false},
    [MLS_LOG_SMI] = {"nvidia-smi", '\0', false},     [MLS_LOG_AMD] = {"amd-smi", '\0', true},
    [MLS_LOG_AMD_MONITOR] = {"amd-smi", '\0', true}, [MLS_LOG_ROCM] = {"rocm-smi", '\0', true},
    [MLS_LOG_MLPERF] = {"mlperf", ':', false},
};

/* ----------------------------------------------------------------- columns */

typedef struct log_column {
    unsigned char quantity;           /* an mls_quantity */
    int per;                          /* numbers are divided by this */
    const char *names[MLS_LOG_KINDS]; /* name in each format; NULL: the format does not have the column */
} log_column;

#define METRIC(id) MLS_QUANTITY_METRIC + MLS_METRIC_##id, 1
#define BYTES(id) MLS_QUANTITY_METRIC + MLS_METRIC_##id, 1 << 20
#define COUNTER(id) MLS_QUANTITY_COUNTER + MLS_COUNTER_##id, 1
#define REASON(id) MLS_QUANTITY_REASON + MLS_REASON_##id, 1
#define QUANTITY(id) MLS_QUANTITY_##id, 1
#define OF(kind, name)                                                                                                 \
    {                                                                                                                  \
        [MLS_LOG_##kind] = (name)                                                                                      \
    }

/* The names of columns in dmon, dcgmi dmon, nvidia-smi (as queried and as printed), amd-smi metric, amd-smi monitor,
 * rocm-smi and MLPerf records.  If a quantity has several rows, the first one that a log has is preferred. */
/* clang-format off */
static const log_column columns[] = {
    {QUANTITY(MOMENT), {NULL, NULL, "timestamp", "timestamp", "timestamp", "timestamp"}},
    {QUANTITY(DATE), {"Date"}},
    {QUANTITY(CLOCK), {"Time"}},
    {QUANTITY(ENTITY), {NULL, "Entity"}},
    {QUANTITY(INDEX), {"gpu", NULL, "index", "gpu", "gpu", "device"}},
    {QUANTITY(UUID), {NULL, NULL, "uuid", "gpu_uuid", NULL, "Unique ID"}},
    {QUANTITY(UUID), OF(SMI, "gpu_uuid")},
    {QUANTITY(BUS), {NULL, NULL, "pci.bus_id", "gpu_bdf", NULL, "PCI Bus"}},
    {QUANTITY(BUS), OF(SMI, "gpu_bus_id")},
    {QUANTITY(BUS), OF(SMI, "gpu")}, /* scripts have it beside an index of something else */
    {QUANTITY(NAME), {NULL, NULL, "name", "market_name", NULL, "Card Series"}},
    {QUANTITY(NAME), {NULL, NULL, "gpu_name", NULL, NULL, "Card series"}},
    {QUANTITY(PROCESS), {"pid", NULL, NULL, "pid", "pid"}},
    {METRIC(POWER_W), {"pwr", "POWER", "power.draw", "socket_power", "power_usage",
                       "Current Socket Graphics Package Power (W)", "power_reading"}},
    {METRIC(POWER_W), {NULL, NULL, "power.draw.average", "average_socket_power", NULL,
                       "Average Graphics Package Power (W)"}},
    {METRIC(POWER_INSTANT_W), {NULL, NULL, "power.draw.instant", "current_socket_power"}},
    {METRIC(POWER_LIMIT_W), {NULL, NULL, "enforced.power.limit", NULL, NULL, "Max Graphics Package Power (W)"}},
    {METRIC(POWER_LIMIT_W), OF(SMI, "power.limit")},
    {METRIC(UTILIZATION_GPU_PERCENT), {"sm", "GPUTL", "utilization.gpu", "gfx_activity", "gfx", "GPU use (%)"}},
    {METRIC(UTILIZATION_GPU_PERCENT), {NULL, NULL, NULL, "gfx_usage", "gfx_util"}},
    {METRIC(UTILIZATION_MEMORY_PERCENT), {"mem", "MCUTL", "utilization.memory", "umc_activity", "mem",
                                          "GPU Memory Read/Write Activity (%)"}},
    {METRIC(UTILIZATION_MEMORY_PERCENT), {NULL, NULL, NULL, "mem_usage", "mem_util", "GPU memory use (%)"}},
    {METRIC(SM_CLOCK_MHZ), {"pclk", "SMCLK", "clocks.current.sm", "gfx_0_clk", "gfx_clk", "sclk clock speed:"}},
    {METRIC(SM_CLOCK_MHZ), {NULL, NULL, "clocks.sm", "gfx_clk", "gfx_clock"}},
    {METRIC(SM_CLOCK_MHZ), OF(AMD, "gfx_cur_clk")},
    {METRIC(MEMORY_CLOCK_MHZ), {"mclk", "MMCLK", "clocks.current.memory", "mem_0_clk", "mem_clk", "mclk clock speed:"}},
    {METRIC(MEMORY_CLOCK_MHZ), {NULL, NULL, "clocks.mem", "mem_clk", "mem_clock"}},
    {METRIC(MEMORY_CLOCK_MHZ), OF(AMD, "mem_cur_clk")},
    {METRIC(TEMPERATURE_GPU_C), {"gtemp", "TMPTR", "temperature.gpu", "edge", "hotspot_temperature",
                                 "Temperature (Sensor edge) (C)"}},
    {METRIC(TEMPERATURE_GPU_C), {"temp", NULL, NULL, "hotspot", NULL, "Temperature (Sensor junction) (C)"}},
    {METRIC(TEMPERATURE_MEMORY_C), {"mtemp", "MMTMP", "temperature.memory", "mem", "memory_temperature",
                                    "Temperature (Sensor memory) (C)"}},
    {METRIC(MEMORY_USED_MIB), {"fb", "FBUSD", "memory.used", "used_vram", "vram_used"}},
    {METRIC(MEMORY_USED_MIB), OF(AMD, "fb_used")},
    {BYTES(MEMORY_USED_MIB), OF(ROCM, "VRAM Total Used Memory (B)")},
    {METRIC(MEMORY_TOTAL_MIB), {NULL, NULL, "memory.total", "total_vram", "vram_total"}},
    {METRIC(MEMORY_TOTAL_MIB), OF(AMD, "fb_total")},
    {BYTES(MEMORY_TOTAL_MIB), OF(ROCM, "VRAM Total Memory (B)")},
    {METRIC(SM_ACTIVE), OF(DCGM, "SMACT")},
    {METRIC(SM_OCCUPANCY), OF(DCGM, "SMOCC")},
    {METRIC(TENSOR_ACTIVE), OF(DCGM, "TENSO")},
    {METRIC(DRAM_ACTIVE), OF(DCGM, "DRAMA")},
    {METRIC(GRAPHICS_ACTIVE), OF(DCGM, "GRACT")},
    {COUNTER(ECC_CORRECTED), {"sbecc", NULL, "ecc.errors.corrected.volatile.total", "total_correctable_count",
                              "total_correctable_count"}},
    {COUNTER(ECC_CORRECTED), {NULL, NULL, "ecc.errors.corrected.aggregate.total", NULL, "single_bit_ecc"}},
    {COUNTER(ECC_UNCORRECTED), {"dbecc", NULL, "ecc.errors.uncorrected.volatile.total", "total_uncorrectable_count",
                                "total_uncorrectable_count"}},
    {COUNTER(ECC_UNCORRECTED), {NULL, NULL, "ecc.errors.uncorrected.aggregate.total", NULL, "double_bit_ecc"}},
    {MLS_QUANTITY_COUNTER + MLS_COUNTER_ENERGY_JOULES, 1000, OF(DCGM, "TOTEC")}, /* millijoules */
    {COUNTER(ENERGY_JOULES), OF(AMD, "total_energy_consumption")},
    {QUANTITY(REASONS), OF(SMI, "clocks_event_reasons.active")},
    {QUANTITY(REASONS), OF(SMI, "clocks_throttle_reasons.active")},
#define REASON_COLUMN(format, id, name)                                                                                \
    {REASON(id), {NULL, NULL, "clocks_event_reasons." #name}},                                                         \
        {REASON(id), {NULL, NULL, "clocks_throttle_reasons." #name}},
    MLS_REASON_LIST(REASON_COLUMN, )
#undef REASON_COLUMN
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Assign each quantity of a format its position in mls_log_row.values, or -1 if the format does not have the quantity.
 */
static void log_slots(mls_log_kind kind, signed char slots[MLS_QUANTITY_VALUES])
{
    signed char next = 0;
    memset(slots, -1, MLS_QUANTITY_VALUES);
    for (size_t i = 0; i < COLUMNS; i++) {
        const unsigned quantity = columns[i].quantity;
        signed char *slot = &slots[quantity < MLS_QUANTITY_VALUES ? quantity : MLS_QUANTITY_REASONS];
        if (quantity < MLS_QUANTITY_PROCESS && columns[i].names[kind] != NULL && *slot < 0)
            *slot = next++;
    }
}

void mls_device_init(mls_log_device *device, mls_log_kind kind)
{
    *device =
        (mls_log_device){.kind = kind, .source = formats[kind].source, .power_scale = 1, .interval_ms = (double)NAN};
    log_slots(kind, device->slots);
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++)
        device->first[i] = (double)NAN;
}

/* The largest number of columns of a header. */
enum { HEADER_COLUMNS_MAX = 256 };

typedef struct log_header {
    mls_log_kind kind;
    bool read;                                     /* a header was found */
    bool blanks;                                   /* a blank follows every comma between cells */
    bool timed;                                    /* rows have times */
    bool named;                                    /* a column names the device */
    const char *skipped;                           /* why logs with this header are not read; NULL: they are read */
    mls_str unknown;                               /* the first unknown column; empty: all columns are known */
    size_t count, known;                           /* number of columns; number of known columns */
    signed char slots[MLS_QUANTITY_VALUES];        /* position of each quantity in a row; -1: not in this format */
    const log_column *columns[HEADER_COLUMNS_MAX]; /* NULL: the column is unknown, or another column is preferred */
    bool second[HEADER_COLUMNS_MAX]; /* the column is used only in rows in which the preferred column has no value */
} log_header;

static bool is_wrapped(char c)
{
    return mls_is_blank(c) || c == '"';
}

/* Read the next cell without blanks around it.  Return false at the end of the row. */
static bool next_cell(const log_header *header, mls_str *rest, mls_str *cell)
{
    if (formats[header->kind].mark != '\0') {
        *cell = mls_str_word(rest);
        return cell->len > 0;
    }
    if (rest->ptr == NULL)
        return false;
    size_t at = 0;
    if (formats[header->kind].lists) {
        /* A comma in quotes or brackets belongs to the cell. */
        int depth = 0;
        bool quoted = false;
        for (; at < rest->len && (rest->ptr[at] != ',' || quoted || depth > 0); at++) {
            const char c = rest->ptr[at];
            quoted ^= c == '"';
            depth += (c == '[') - (c == ']');
        }
    } else {
        const char *end = rest->ptr + rest->len;
        const char *comma = memchr(rest->ptr, ',', rest->len);
        /* A comma without a blank is part of a number. */
        while (comma != NULL && header->blanks && comma + 1 < end && comma[1] != ' ')
            comma = memchr(comma + 1, ',', (size_t)(end - comma - 1));
        at = (size_t)((comma != NULL ? comma : end) - rest->ptr);
    }
    *cell = mls_str_trim((mls_str){rest->ptr, at}, formats[header->kind].lists ? is_wrapped : mls_is_blank);
    *rest = at < rest->len ? mls_str_rest(*rest, at + 1) : (mls_str){NULL, 0};
    return true;
}

/* Return whether a line is a header of the format header->kind.  A header has at least two columns: one for the device
 * or the time, and one for a measurement. */
static bool is_header_of(mls_str line, log_header *header, bool listed)
{
    enum { VAGUE = 4 };
    const log_column *best[MLS_QUANTITY_COUNT] = {NULL};
    mls_str cell;
    bool place = listed;
    bool measured = false;
    header->blanks = !listed && mls_str_contains(line, MLS_S(", "));
    while (next_cell(header, &line, &cell)) {
        /* Cut off a unit: "power.draw [W]" becomes "power.draw". */
        const char *bracket = memchr(cell.ptr, '[', cell.len);
        const mls_str name =
            bracket != NULL ? mls_str_trim((mls_str){cell.ptr, (size_t)(bracket - cell.ptr)}, mls_is_blank) : cell;
        const log_column *column = NULL;
        for (size_t i = 0; i < COLUMNS && name.len > 0 && column == NULL; i++) {
            const char *known = columns[i].names[header->kind];
            if (known != NULL && *known == *name.ptr && mls_str_equal(mls_str_from(known), name))
                column = &columns[i];
        }
        if (header->count == HEADER_COLUMNS_MAX)
            return false;
        header->columns[header->count++] = column;
        if (column == NULL) {
            header->unknown = header->unknown.len > 0 ? header->unknown : cell;
            continue;
        }
        const log_column **of = &best[column->quantity];
        *of = *of == NULL || column < *of ? column : *of;
        /* A word as short as "mem" does not prove that the table contains measurements. */
        measured |=
            column->quantity <= MLS_QUANTITY_PROCESS && (formats[header->kind].mark != '\0' || cell.len > VAGUE);
        place |= column->quantity > MLS_QUANTITY_PROCESS && column->quantity < MLS_QUANTITY_NAME;
        header->known++;
    }
    /* If a metric has several columns, the other ones are used in rows in which the best one has no value.  For other
     * quantities, only the best column is read. */
    for (size_t i = 0; i < header->count; i++) {
        const log_column *column = header->columns[i];
        header->second[i] = column != NULL && column != best[column->quantity];
        if (header->second[i] && column->quantity >= MLS_QUANTITY_COUNTER)
            header->columns[i] = NULL;
    }
    header->blanks |= listed; /* nvidia-smi writes a blank after each comma */
    header->timed =
        best[MLS_QUANTITY_MOMENT] != NULL || (best[MLS_QUANTITY_DATE] != NULL && best[MLS_QUANTITY_CLOCK] != NULL);
    header->named = best[MLS_QUANTITY_ENTITY] != NULL || best[MLS_QUANTITY_INDEX] != NULL ||
                    best[MLS_QUANTITY_UUID] != NULL || best[MLS_QUANTITY_BUS] != NULL;
    if (best[MLS_QUANTITY_PROCESS] != NULL) {
        header->skipped = header->kind == MLS_LOG_DMON ? "nvidia-smi pmon measures processes, not devices"
                                                       : "it measures processes, not devices";
    } else if (header->kind == MLS_LOG_DMON && !header->timed) {
        header->skipped = "nvidia-smi dmon without dates: log with nvidia-smi dmon -o DT";
    }
    header->read = place && measured;
    return header->read;
}

/* Read a header; if `listed`, the value of --columns.  Choose the format that knows most of the columns.  Return false
 * if no format fits. */
static bool read_header(mls_str line, log_header *header, bool listed)
{
    size_t most = 0;
    bool tried = false;
    bool found = false;
    for (mls_log_kind kind = 0; kind < MLS_LOG_MLPERF; kind++) {
        const char mark = formats[kind].mark;
        if (mark == '\0' ? !listed && memchr(line.ptr, ',', line.len) == NULL
                         : listed || line.len == 0 || line.ptr[0] != mark)
            continue;
        log_header as = {.kind = kind};
        const bool is = is_header_of(mls_str_rest(line, mark != '\0'), &as, listed);
        if (is ? as.known > most : !tried)
            *header = as;
        most = is && as.known > most ? as.known : most;
        found |= is;
        tried = true;
    }
    if (found)
        log_slots(header->kind, header->slots);
    return found;
}

bool mls_telemetry_columns_known(const char *columns_listed, mls_str *unknown)
{
    log_header header;
    const bool some = read_header(mls_str_from(columns_listed), &header, true);
    *unknown = header.unknown;
    return some;
}

/* Unsupported formats: a text that such a file contains, and advice for the user. */
static const struct {
    mls_str sign;
    const char *words;
} foreign_formats[] = {
    {MLS_STR("timestamp;"),
     "columns separated by semicolons: save them separated by commas, as nvidia-smi writes them"},
    {MLS_STR("DCGM_FI_"), "DCGM exporter text has no timestamps: log with dcgmi dmon, or nvidia-smi "
                          "--query-gpu=timestamp,index,power.draw --format=csv -l 1"},
    {MLS_STR("\"Name\",\"Calls\",\"TotalDurationNs\""), "rocprof statistics of kernels: use mlscore profile"},
    {MLS_STR("\"traceEvents\""), "a profiler trace: use mlscore profile"},
    {MLS_STR("\"schemaVersion\""), "a profiler trace: use mlscore profile"},
    {MLS_STR("Total Time (ns)"), "an nsys stats report: use mlscore profile"},
    {MLS_STR("\"Kernel Name\""), "an ncu report: use mlscore profile"},
    {MLS_STR("| NVIDIA-SMI "),
     "nvidia-smi output for people: log with --query-gpu=timestamp,index,power.draw --format=csv -l 1"},
    {MLS_STR("NVSMI LOG"),
     "nvidia-smi -q output for people: log with --query-gpu=timestamp,index,power.draw --format=csv -l 1"},
    {MLS_STR("ROCm System Management Interface"), "rocm-smi output for people: log with --csv"},
    {MLS_STR("GFX_ACTIVITY: "), "amd-smi without --csv: log with amd-smi metric --csv -w 1"},
    {MLS_STR("\"gfx_activity\""), "amd-smi with --json: log with amd-smi metric --csv -w 1"},
};

/* -------------------------------------------------------------------- cells */

_Static_assert(sizeof(mls_log_row) <= 64, "a day of eight devices has to fit into memory");

#define MANTISSA_MAX ((uint64_t)INT32_MAX >> MLS_EXPONENT_BITS)

static int32_t pack_value(uint64_t digits, int exponent, bool negative)
{
    while (digits > MANTISSA_MAX || (exponent < MLS_EXPONENT_MIN && digits > 0)) {
        digits = digits / 10 + (digits % 10 >= 5);
        exponent++;
    }
    while (exponent > MLS_EXPONENT_MAX && digits > 0 && digits <= MANTISSA_MAX / 10) {
        digits *= 10;
        exponent--;
    }
    if (digits == 0 || exponent > MLS_EXPONENT_MAX)
        return digits == 0 ? -MLS_EXPONENT_MIN : MLS_NO_VALUE;
    const int32_t mantissa = negative ? -(int32_t)digits : (int32_t)digits;
    return mantissa * (1 << MLS_EXPONENT_BITS) + (exponent - MLS_EXPONENT_MIN);
}

/* Pack a number, rounded to three decimals. */
static int32_t value_of(double value)
{
    const double thousandths = round(value * 1000);
    return fabs(thousandths) < 1e18 ? pack_value((uint64_t)fabs(thousandths), -3, thousandths < 0) : MLS_NO_VALUE;
}

/* Return whether a cell or a line reports that a device no longer responds. */
static bool reports_lost(mls_str text)
{
    return mls_str_any(text, "is lost|Unknown Error|fallen off the bus", mls_str_contains);
}

int32_t mls_value_read(mls_str cell, bool *lost)
{
    /* Other units, with the factor to the unit of the metric (W, MHz, MiB).  MB is read as MiB. */
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"kW", 1e3},
                 {"mW", 1e-3},
                 {"GHz", 1e3},
                 {"kHz", 1e-3},
                 {"Hz", 1e-6},
                 {"TiB", 1 << 20},
                 {"GiB", 1 << 10},
                 {"GB", 1 << 10},
                 {"KiB", 1.0 / (1 << 10)},
                 {"KB", 1.0 / (1 << 10)},
                 {"B", 1.0 / (1 << 20)}};
    mls_decimal number;
    mls_marks marks = {false, false};
    size_t len = cell.len > 0 && cell.ptr[0] == '-';
    while (len < cell.len &&
           (mls_is_digit(cell.ptr[len]) || cell.ptr[len] == '.' || cell.ptr[len] == ',' || cell.ptr[len] == '\''))
        len++;
    const mls_str text = {cell.ptr, len};
    if (!mls_decimal_parse(text, &number)) {
        if (!mls_decimal_parse_local(text, &marks, &number)) {
            *lost |= reports_lost(cell);
            return MLS_NO_VALUE;
        }
        /* nvidia-smi does not group digits: a comma is the decimal mark of a locale. */
        mls_decimal_decide(&number, (mls_marks){false, false}, true);
    }
    /* A text after the number must be a unit, not the rest of a word. */
    const bool unit = len == cell.len || cell.ptr[len] == ' ' || cell.ptr[len] == '%' || cell.len - len <= 3;
    const int32_t value = unit ? pack_value(number.digits, number.exponent, number.negative) : MLS_NO_VALUE;
    const mls_str rest = mls_str_trim(mls_str_rest(cell, len), mls_is_blank);
    /* A unit that begins with W, M, % or C is the unit of the metric. */
    if (rest.len == 0 || value == MLS_NO_VALUE || strchr("WM%C", rest.ptr[0]) != NULL)
        return value;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (mls_str_alike(rest, mls_str_from(units[i].unit)) && (rest.ptr[0] == 'm') == (units[i].unit[0] == 'm'))
            return value_of(mls_value_unpack(value) * units[i].factor);
    return value;
}

/* A parsed row, and the device that it names.  Texts point into the line. */
typedef struct parsed_row {
    mls_log_kind kind;
    mls_log_row packed; /* the values except counters and reasons */
    double date_ms, clock_ms;
    double counters[MLS_COUNTER_COUNT];
    uint32_t reasons;
    mls_str names[MLS_ROW_NAMES];
    mls_str model;
    mls_str end;    /* last cell of the row */
    mls_str entity; /* kind of the device: "GPU" */
    bool zoned, lost, has_reasons;
    bool other;    /* the row is not for a GPU, but for a part of one, or a link */
    bool instance; /* the row is for a MIG instance, a part of a GPU */
    bool unnamed;  /* no column names the device */
} parsed_row;

static void init_row(parsed_row *row, mls_log_kind kind)
{
    const double none = (double)NAN;
    *row = (parsed_row){.kind = kind, .packed.time_ms = none, .date_ms = none, .clock_ms = none};
    for (size_t i = 0; i < MLS_ROW_VALUES; i++)
        row->packed.values[i] = MLS_NO_VALUE;
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++)
        row->counters[i] = none;
}

/* Return whether a cell contains a text other than "[N/A]" or "N/A". */
static bool is_text(mls_str cell)
{
    return cell.len > 0 && cell.ptr[0] != '[' && !mls_str_equal(cell, MLS_S("N/A"));
}

/* Read a cell of a column.  `second`: use it only if the row does not have the value yet.  *rest is the rest of the
 * line. Return false if the column contains times and the cell is not a time. */
static bool take_cell(parsed_row *row, const log_header *header, const log_column *column, bool second, mls_str cell,
                      mls_str *rest)
{
    const unsigned quantity = column->quantity;
    if (quantity < MLS_QUANTITY_COUNTER) {
        int32_t *value = &row->packed.values[header->slots[quantity]];
        /* rocm-smi puts clocks in parentheses. */
        if (cell.len > 2 && cell.ptr[0] == '(' && cell.ptr[cell.len - 1] == ')')
            cell = (mls_str){cell.ptr + 1, cell.len - 2};
        const int32_t read = mls_value_read(cell, &row->lost);
        if (read != MLS_NO_VALUE && (!second || *value == MLS_NO_VALUE))
            *value = column->per > 1 ? value_of(mls_value_unpack(read) / column->per) : read;
        return true;
    }
    if (quantity < MLS_QUANTITY_REASONS) {
        double number;
        const bool counted = mls_number_parse(cell, &number);
        row->counters[quantity - MLS_QUANTITY_COUNTER] = counted ? number / column->per : (double)NAN;
        row->lost |= !counted && reports_lost(cell);
        return true;
    }
    switch (quantity) {
    case MLS_QUANTITY_MOMENT:
        if (!mls_moment_read(cell, &row->packed.time_ms, &row->zoned)) {
            /* Seconds since 1970, as date +%s and amd-smi write them. */
            double seconds;
            row->zoned = mls_number_parse(cell, &seconds) && seconds > 1e8 && seconds < 1e11;
            row->packed.time_ms = row->zoned ? seconds * 1000 : (double)NAN;
            return row->zoned;
        }
        return true;
    case MLS_QUANTITY_DATE:
        return mls_date_read(cell, &row->date_ms);
    case MLS_QUANTITY_CLOCK:
        return mls_clock_read(cell, &row->clock_ms) || !header->timed;
    case MLS_QUANTITY_ENTITY: {
        /* The name of the device in two words: "GPU 0", or "GPU-I 0" for a MIG instance. */
        const mls_str number = mls_str_word(rest);
        row->entity = cell;
        row->instance = mls_str_starts(cell, MLS_S("GPU-"));
        row->other = !row->instance && !mls_str_equal(cell, MLS_S("GPU"));
        row->names[0] = row->instance ? (mls_str){cell.ptr, (size_t)(number.ptr + number.len - cell.ptr)} : number;
        return !row->other;
    }
    case MLS_QUANTITY_INDEX:
    case MLS_QUANTITY_UUID:
    case MLS_QUANTITY_BUS:
        if (header->kind == MLS_LOG_ROCM && mls_str_starts(cell, MLS_S("card")))
            cell = mls_str_rest(cell, 4);
        row->names[quantity - MLS_QUANTITY_INDEX] = is_text(cell) ? cell : (mls_str){NULL, 0};
        return true;
    case MLS_QUANTITY_NAME:
        row->model = cell;
        return true;
    default:
        break;
    }

    /* The cell contains NVML's bits ("0x0000000000000004"), or "Active" in a column for one bit. */
    uint32_t bits = 0;
    bool ok = mls_str_equal(cell, MLS_S("Active"));
    if (quantity == MLS_QUANTITY_REASONS) {
        ok = mls_str_starts(cell, MLS_S("0x")) && cell.len > 2 && cell.len <= 18;
        for (size_t i = 2; i < cell.len && ok; i++) {
            const char c = mls_is_digit(cell.ptr[i]) ? cell.ptr[i] : (char)(cell.ptr[i] | 0x20);
            ok = mls_is_digit(c) || (c >= 'a' && c <= 'f');
            bits = bits << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
    } else if (ok) {
        bits = 1U << (quantity - MLS_QUANTITY_REASON);
    } else {
        ok = mls_str_equal(cell, MLS_S("Not Active"));
    }
    row->lost |= !ok && reports_lost(cell);
    row->reasons |= ok ? bits & ((1U << MLS_REASON_COUNT) - 1) : 0;
    row->has_reasons |= ok;
    return true;
}

/* Read a line as a row of a table.  Return NULL, or why it cannot be read. */
static const char *parse_row(const log_header *header, mls_str line, parsed_row *row)
{
    static const char fields[] = "a row has more or fewer fields than its header";
    static const char time[] = "the time of a row cannot be read";
    mls_str cell;
    size_t column = 0;
    init_row(row, header->kind);
    row->unnamed = !header->named;
    while (next_cell(header, &line, &cell)) {
        if (column == header->count)
            return fields;
        const log_column *known = header->columns[column];
        const bool second = header->second[column++];
        if (known != NULL && !take_cell(row, header, known, second, cell, &line))
            return time;
        row->end = cell;
    }
    if (header->timed && isnan(row->packed.time_ms))
        row->packed.time_ms = row->date_ms + row->clock_ms;
    return column == header->count && (!header->timed || !isnan(row->packed.time_ms)) ? NULL : fields;
}

/* Return the text after the last digit of a cell. */
static mls_str unit_of(mls_str cell)
{
    size_t at = cell.len;
    while (at > 0 && !mls_is_digit(cell.ptr[at - 1]))
        at--;
    return mls_str_rest(cell, at);
}

/* ----------------------------------------------------------------- devices */

static mls_str keep_text(struct mls_telemetry_file *file, mls_str text)
{
    return is_text(text) ? mls_arena_copy(&file->arena, text) : (mls_str){NULL, 0};
}

/* Return an entry of a map, added if it is new.  Return NULL if it is new and the file has too many devices. */
static mls_map_entry *device_entry(struct mls_telemetry_file *file, mls_map *map, mls_str key)
{
    return file->count == MLS_DEVICES_MAX ? mls_map_find(map, key) : mls_map_put(map, key, NULL);
}

/* Find the device of a row among the devices of this name, which are linked by `alike`.  Add the device if it is new.
 * Return NULL if the file has too many devices. */
static mls_log_device *find_by_name(struct mls_telemetry_file *file, const parsed_row *row)
{
    mls_str name = MLS_S("0");
    for (size_t i = MLS_ROW_NAMES; i-- > 0;)
        name = row->names[i].len > 0 ? row->names[i] : name;
    mls_map_entry *entry = device_entry(file, &file->numbers[row->kind], name);
    if (entry == NULL)
        return NULL;
    for (size_t number = entry->value.number; number > 0; number = file->devices[number - 1].alike) {
        mls_log_device *known = &file->devices[number - 1];
        bool fits = known->unnamed == row->unnamed;
        for (size_t i = MLS_ROW_NAMES; i-- > 1;) /* compare the first identifier that both have, from the last one on */
            if (known->ids[i].len > 0 && row->names[i].len > 0)
                fits = mls_str_equal(known->ids[i], row->names[i]);
        if (fits)
            return known;
    }
    if (file->count == MLS_DEVICES_MAX)
        return NULL;
    MLS_GROW(file, devices);
    mls_log_device *device = &file->devices[file->count++];
    mls_device_init(device, row->kind);
    device->name = entry->key;
    device->unnamed = row->unnamed;
    device->instance = row->instance;
    device->alike = entry->value.number;
    entry->value.number = file->count;
    return device;
}

static bool is_device_of(const mls_log_device *device, const parsed_row *row)
{
    bool same = device != NULL && device->kind == row->kind && device->unnamed == row->unnamed;
    for (size_t i = 0; i < MLS_ROW_NAMES && same; i++)
        same = mls_str_equal(device->ids[i], row->names[i]);
    return same;
}

/* Return the device of a row; NULL if the file has too many devices. */
static mls_log_device *device_of(struct mls_telemetry_file *file, const parsed_row *row)
{
    /* Most logs list their devices in the same order each time, so try the next one first, then the UUID or bus. */
    const size_t turn = file->turn < file->count ? file->turn : 0;
    mls_log_device *device = file->count > 0 ? &file->devices[turn] : NULL;
    if (!is_device_of(device, row)) {
        const mls_str id = row->names[1].len > 0 ? row->names[1] : row->names[2];
        mls_map_entry *entry = id.len > 0 ? device_entry(file, &file->ids[row->kind], id) : NULL;
        if (id.len > 0 && entry == NULL)
            return NULL;
        device = entry != NULL && entry->value.number > 0 ? &file->devices[entry->value.number - 1] : NULL;
        if (!is_device_of(device, row)) {
            device = find_by_name(file, row);
            if (entry != NULL)
                entry->value.number = device != NULL ? (size_t)(device - file->devices) + 1 : 0;
        }
        if (device == NULL)
            return NULL;
        for (size_t i = 0; i < MLS_ROW_NAMES; i++)
            device->ids[i] = device->ids[i].len > 0 ? device->ids[i] : keep_text(file, row->names[i]);
        device->model = device->model.len > 0 ? device->model : keep_text(file, row->model);
    }
    device->models |= row->unnamed && row->model.len > 0 && !mls_str_equal(row->model, device->model);
    file->turn = (size_t)(device - file->devices) + 1;
    return device;
}

/* -------------------------------------------------------------------- rows */

/* Backward steps of the timestamp by fewer milliseconds are ignored, because devices are queried one after the other.
 */
#define STEP_BACK_MS 1000

/* The number of lines at the begin of a file that may precede a header. */
enum { LINES_OF_HEAD = 100 };

typedef struct log_reading {
    struct mls_telemetry_file *file;
    const mls_telemetry_options *options;
    log_header header;
    size_t line, rows;
    size_t stepped_row;  /* number of the last row with an earlier time than the row before; 0: there is none */
    mls_arena scratch;   /* memory for one record */
    double efficiency;   /* efficiency of the power supply in an MLPerf power log; NaN: not logged */
    bool power;          /* the log has power records */
    bool overlong;       /* the first part of a line that is too long has been dropped */
    bool headless;       /* a row of nvidia-smi came before any header */
    const char *foreign; /* advice for a recognized but unsupported format; NULL: no such format was seen */
    bool others;         /* rows that are not for a GPU have been reported */
    bool too_many;       /* rows of too many devices have been reported */
    bool last;           /* the line is the last one and has no newline */
    char cell[24];       /* the last cell of the row before; "": the cell is too long */
} log_reading;

static void note_row(log_reading *reading, mls_finding_code code, const char *message)
{
    mls_findings_add(&reading->file->findings, code,
                     (mls_finding_place){.path = reading->file->source.path, .line = reading->line}, "%s", message);
}

static const char last_cut[] = "the last line is truncated and was skipped";

static void keep_row(log_reading *reading, parsed_row *row)
{
    struct mls_telemetry_file *file = reading->file;
    const mls_finding_place place = {.path = file->source.path, .line = reading->line};
    mls_log_device *device = device_of(file, row);
    if (device == NULL) {
        if (!reading->too_many) {
            mls_findings_add_as(&file->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING, place,
                                "more than %s devices in one file: rows of further devices are skipped",
                                mls_words_count(MLS_DEVICES_MAX).text);
        }
        reading->too_many = true;
        return;
    }
    if (row->lost && !device->lost) {
        char name[80] = "a device";
        if (!row->unnamed)
            (void)snprintf(name, sizeof name, "device %.*s", MLS_CUT(device->name, 60));
        device->lost = true;
        mls_findings_add(&file->findings, MLS_FINDING_DEVICE_LOST, place,
                         "%s stopped responding: the log reports it as lost", name);
    }
    /* Set the time of the row.  Drop the row if it is outside the requested times, except the first row of a device. */
    const mls_telemetry_options *options = reading->options;
    const bool local = !isnan(row->packed.time_ms) && !row->zoned;
    device->local |= local;
    row->packed.time_ms += options->offset_ms;
    row->packed.time_ms -= local ? options->timezone_minutes * MLS_MINUTE_MS : 0;
    if (isnan(row->packed.time_ms) && !isnan(options->start_ms))
        row->packed.time_ms = options->start_ms + (double)device->count * options->interval_ms;
    const double time_ms = row->packed.time_ms;
    if (device->count == 0) {
        device->timed = !isnan(time_ms);
    } else if (device->timed && isnan(time_ms)) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, "a row has no time, but earlier rows have one");
        return;
    } else if (time_ms < options->from_ms || time_ms > options->until_ms) {
        return;
    }
    device->disordered |= device->count > 0 && time_ms < device->last_ms;
    if (device->count > 0 && time_ms < device->last_ms - STEP_BACK_MS) {
        /* If the clock steps back, the next row of each device is earlier than the row before: report this once. */
        if (reading->stepped_row == 0 || reading->rows - reading->stepped_row > file->count)
            note_row(reading, MLS_FINDING_TIME_BACK,
                     "the time steps back: the clock was set, or logs were concatenated");
        reading->stepped_row = reading->rows;
    }
    device->last_ms = time_ms;
    /* Store counters as differences from their first value, so that packing does not lose digits. */
    for (unsigned i = 0; i < MLS_COUNTER_COUNT; i++) {
        const double value = row->counters[i];
        device->first[i] = isnan(device->first[i]) ? value : device->first[i];
        if (isfinite(value))
            row->packed.values[device->slots[MLS_QUANTITY_COUNTER + i]] = value_of(value - device->first[i]);
    }
    if (row->has_reasons) {
        row->packed.values[device->slots[MLS_QUANTITY_REASONS]] = pack_value(row->reasons, 0, false);
        device->has_reasons = true;
    }
    device->has_power = device->has_power || !isnan(mls_device_power(device, &row->packed));
    MLS_GROW(device, rows);
    device->rows[device->count++] = row->packed;
}

static void take_row(log_reading *reading, mls_str line)
{
    struct mls_telemetry_file *file = reading->file;
    parsed_row row;
    const char *why = parse_row(&reading->header, line, &row);
    reading->rows++;
    if (why == NULL) {
        /* In a file without a final newline, the last cell may be truncated.  Compare its unit with the unit in the row
         * before.  If the numbers have no unit, a truncated number cannot be recognized. */
        const mls_str before = mls_str_from(reading->cell);
        const mls_str unit = unit_of(row.end);
        const mls_str known = unit_of(before);
        const size_t len = row.end.len < sizeof reading->cell ? row.end.len : 0;
        const bool truncated = row.end.len == 0          ? before.len > 0
                               : unit.len == row.end.len ? row.end.ptr[0] == '[' && row.end.ptr[row.end.len - 1] != ']'
                               : mls_str_starts(before, MLS_S("0x"))
                                   ? row.end.len != before.len
                                   : known.len < before.len && !mls_str_equal(unit, known);
        why = reading->last && truncated ? last_cut : NULL;
        memcpy(reading->cell, row.end.ptr, len);
        reading->cell[len] = '\0';
    } else if (reading->last) {
        why = last_cut;
    }
    if (why == NULL) {
        keep_row(reading, &row);
    } else if (reports_lost(line)) {
        note_row(reading, MLS_FINDING_DEVICE_LOST, "a device stopped responding: the log reports it as lost");
    } else if (!row.other) {
        note_row(reading, MLS_FINDING_ROW_DAMAGED, why);
    } else if (!reading->others && !mls_str_alike(row.entity, MLS_S("ID"))) {
        reading->others = true;
        note_row(reading, MLS_FINDING_ROW_DAMAGED,
                 "rows that are not about a GPU, but about a switch or a link, are skipped");
    }
    if (why != NULL && !reading->last && !reading->header.named && file->count > 0) {
        /* If rows do not name their device, keep a row without values, so that the next rows are assigned to the right
         * devices. */
        init_row(&row, reading->header.kind);
        row.unnamed = true;
        mls_log_device *device = device_of(file, &row);
        if (device != NULL && device->count > 0) {
            MLS_GROW(device, rows);
            device->rows[device->count++] = row.packed;
        }
    }
}

/* ------------------------------------------------------------------- lines */

/* Return whether a line may be a header: it starts with the mark of a format, or no cell starts with a digit. */
static bool may_be_header(mls_str line)
{
    const char *end = line.ptr + line.len;
    const char *cell = line.ptr;
    if (*cell == '#')
        return true;
    for (; cell != NULL && cell < end; cell = memchr(cell, ',', (size_t)(end - cell))) {
        cell += *cell == ',';
        cell += cell < end && *cell == ' ';
        if (cell < end && mls_is_digit(*cell))
            return false;
    }
    return memchr(line.ptr, ',', line.len) != NULL;
}

static void take_line(log_reading *reading, mls_str line)
{
    const log_header *now = &reading->header;
    const char mark = formats[now->kind].mark;
    log_header header;
    mls_str payload;
    line = mls_str_trim(line, mls_is_blank);
    reading->line++;
    if (line.len == 0)
        return;
    if ((!now->read || line.ptr[0] == ':') && mls_record_find(line, &payload)) {
        /* Read a record of MLPerf's power measurement, and ignore other records. */
        mls_record record;
        size_t where;
        double number;
        mls_decimal decimal;
        mls_arena_reset(&reading->scratch);
        const char *wrong = mls_record_validate(payload, &record, &reading->scratch, &where);
        const bool readable = wrong == NULL && mls_json_number(record.value, &number) && isfinite(number);
        if (wrong != NULL || (record.key_id == MLS_KEY_POWER_READING && !readable)) {
            if (reading->power) {
                wrong = wrong == NULL ? "a power reading is not a number" : reading->last ? last_cut : wrong;
                note_row(reading, MLS_FINDING_ROW_DAMAGED, wrong);
            }
        } else if (record.key_id == MLS_KEY_CONVERSION_EFF) {
            reading->power = true;
            reading->efficiency = readable ? number : (double)NAN;
        } else if (record.key_id == MLS_KEY_POWER_READING) {
            const mls_words words = mls_words_exact(number);
            parsed_row row;
            init_row(&row, MLS_LOG_MLPERF);
            reading->power = true;
            reading->rows++;
            if (mls_decimal_parse(mls_str_from(words.text), &decimal)) {
                row.packed.time_ms = record.time_ms;
                row.zoned = true;
                row.names[0] = MLS_S("node");
                row.packed.values[0] = pack_value(decimal.digits, decimal.exponent, decimal.negative);
                keep_row(reading, &row);
            }
        }
    } else if ((!now->read || may_be_header(line)) && read_header(line, &header, false)) {
        reading->header = header;
        if (reading->file->columns == 0) {
            unsigned char quantities[HEADER_COLUMNS_MAX + 1] = {(unsigned char)header.kind};
            for (size_t i = 0; i < header.count; i++)
                quantities[i + 1] = header.columns[i] != NULL ? header.columns[i]->quantity : MLS_QUANTITY_COUNT;
            reading->file->columns = mls_str_hash((mls_str){(const char *)quantities, header.count + 1}, 0);
        }
    } else if (!now->read) {
        const char *columns_listed = reading->options->columns;
        const char *comma = memchr(line.ptr, ',', line.len);
        parsed_row row;
        reading->headless |= comma != NULL && mls_moment_read((mls_str){line.ptr, (size_t)(comma - line.ptr)},
                                                              &row.packed.time_ms, &row.zoned);
        /* Before the first header, use the columns of the option --columns, if given. */
        reading->header.read = columns_listed != NULL &&
                               read_header(mls_str_from(columns_listed), &reading->header, true) &&
                               parse_row(&reading->header, line, &row) == NULL;
        if (reading->header.read)
            take_row(reading, line);
        for (size_t i = 0; i < sizeof foreign_formats / sizeof *foreign_formats; i++)
            if (!reading->header.read && reading->foreign == NULL && reading->line <= LINES_OF_HEAD &&
                mls_str_contains(line, foreign_formats[i].sign))
                reading->foreign = foreign_formats[i].words;
    } else if (now->skipped == NULL && (mark == '\0' || line.ptr[0] != mark)) {
        take_row(reading, line);
    }
}

/* Report data that the log does not contain, and guesses that were made. */
static void finish_devices(log_reading *reading)
{
    struct mls_telemetry_file *file = reading->file;
    const size_t named = file->count;
    bool untimed = false;
    bool unscaled = false;
    bool mixed = false;
    struct {
        size_t count;
        mls_finding_code code;
        const char *message;
    } notes[] = {
        {0, MLS_FINDING_DEVICE_ORDER,
         "at a time do not name their device: they are assigned to as many devices, in order"},
        {0, MLS_FINDING_SAME_TIME,
         "skipped: the number of rows at their timestamp does not match the number of devices"},
        {0, MLS_FINDING_SAME_TIME,
         "come directly after another row and do not name their device: the number of devices is unclear, so all "
         "rows are treated as one device"},
        {0, MLS_FINDING_SAME_TIME, "skipped: later rows of the same time and device have other values"}};
    for (size_t i = 0; i < file->count; i++)
        if (file->devices[i].kind == MLS_LOG_MLPERF && !isnan(reading->efficiency))
            file->devices[i].power_scale = reading->efficiency;
    mls_devices_arrange(file);
    notes[0].count = file->count > named ? file->count - named + 1 : 0;
    for (size_t i = 0; i < file->count; i++) {
        const mls_log_device *device = &file->devices[i];
        untimed |= !device->timed;
        unscaled |= device->kind == MLS_LOG_MLPERF && isnan(reading->efficiency);
        mixed |= device->mixed;
        notes[1].count += device->stray;
        notes[2].count += device->close;
        notes[3].count += device->replaced;
    }
    reading->line = 0;
    if (unscaled)
        note_row(reading, MLS_FINDING_POWER_LOG, "the power log has no conversion_eff: its readings are not scaled");
    if (untimed) {
        note_row(reading, MLS_FINDING_NO_TIME,
                 "the log has no timestamps: all of it is summed up; use --start and --interval to supply them");
    }
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (notes[i].count > 0) {
            mls_findings_add_as(&file->findings, notes[i].code, i == 0 ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_WARNING,
                                (mls_finding_place){.path = file->source.path}, "%s %s",
                                mls_words_plural(notes[i].count, "row", "rows").text, notes[i].message);
        }
    }
    if (mixed) {
        note_row(reading, MLS_FINDING_SAME_TIME,
                 "several rows of one device come at a time, as if logs of several hosts were merged: they cannot be "
                 "separated and are treated as one device");
    }
}

/* Return whether a log does not contain measurements, or has an unsupported format. */
static bool is_useless(const log_reading *reading)
{
    return reading->header.read ? reading->header.skipped != NULL : !reading->power;
}

void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options)
{
    static const char too_long[] = "a line is longer than 1 MiB";
    log_reading reading = {.file = file, .options = options, .efficiency = (double)NAN};
    mls_window window;
    bool empty = true;
    for (size_t i = 0; i < MLS_LOG_KINDS; i++) {
        file->numbers[i].arena = &file->arena;
        file->ids[i].arena = &file->arena;
    }
    mls_window_init(&window, input);
    do {
        mls_window_fill(&window);
        empty = empty && window.at == window.end;
        for (mls_str line; mls_window_line(&window, 0, &line); window.at += line.len + 1) {
            if (reading.overlong || line.len > MLS_WINDOW_KEPT) {
                reading.line++;
                note_row(&reading, MLS_FINDING_ROW_DAMAGED, too_long);
            } else {
                take_line(&reading, line);
            }
            reading.overlong = false;
        }
        if (window.end - window.at > MLS_WINDOW_KEPT) {
            reading.overlong = true;
            window.at = window.end;
        }
    } while (!input->ended && !is_useless(&reading));

    if (input->trouble.read_errno != 0 || (input->trouble.wrong != NULL && file->count == 0)) {
        file->status = mls_input_status(input, &file->error);
    } else if (input->trouble.wrong != NULL) {
        mls_findings_add_as(&file->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.path = file->source.path, .line = reading.line},
                            "the log could only be read up to here: %s", input->trouble.wrong);
    } else if (reading.overlong) {
        reading.line++;
        note_row(&reading, MLS_FINDING_ROW_DAMAGED, too_long);
    } else if (input->ended && window.at < window.end) {
        /* The last line of a file may lack a newline. */
        reading.last = true;
        take_line(&reading, (mls_str){window.at, (size_t)(window.end - window.at)});
    }
    mls_window_release(&window);
    file->skip = input->unread != NULL                               ? input->unread
                 : reading.header.skipped != NULL                    ? reading.header.skipped
                 : empty                                             ? "empty"
                 : file->count > 0                                   ? NULL
                 : !is_useless(&reading) && file->findings.count > 0 ? "none of its rows can be read"
                 : !is_useless(&reading)                             ? "contains no measurements"
                 : reading.foreign != NULL                           ? reading.foreign
                 : reading.headless ? "has no header: list the queried columns with --columns"
                                    : "not a supported measurement log";
    if (file->status == MLS_OK)
        finish_devices(&reading);
    mls_arena_release(&reading.scratch);
    mls_input_release(input);
}

void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options)
{
    struct stat about;
    const mls_source *source = &file->source;
    mls_input input = {.fd = source->named ? mls_file_open(source->path, true, &file->error)
                                           : mls_file_open_again(source->path, source->root, &file->error),
                       .text = true};
    if (input.fd < 0) {
        file->status = MLS_ERROR_READ;
        return;
    }
    if (fstat(input.fd, &about) == 0) {
        file->volume = (uint64_t)about.st_dev;
        file->inode = (uint64_t)about.st_ino;
    }
    mls_telemetry_input_read(file, &input, options);
    (void)close(input.fd);
}

void mls_telemetry_file_release(struct mls_telemetry_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        if (!file->devices[i].part)
            free(file->devices[i].rows);
    free(file->devices);
    mls_arena_release(&file->arena);
    mls_findings_release(&file->findings);
    file->devices = NULL;
    file->count = 0;
    file->findings = (mls_findings){0};
}
