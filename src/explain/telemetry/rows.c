/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - lines as rows: the formats of logs, as one table of the names of columns in each, the cells of a row, and
 * the rows of a device in the order of time.  A format like these is one more column of names, and one more row of
 * mls_log_formats. */

#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/statistics.h"
#include "explain/telemetry/files.h"

const struct mls_log_format mls_log_formats[MLS_LOG_KINDS] = {
    [MLS_LOG_DMON] = {"dmon", '#', false},           [MLS_LOG_DCGM] = {"dcgm", '#', false},
    [MLS_LOG_SMI] = {"nvidia-smi", '\0', false},     [MLS_LOG_AMD] = {"amd-smi", '\0', true},
    [MLS_LOG_AMD_MONITOR] = {"amd-smi", '\0', true}, [MLS_LOG_ROCM] = {"rocm-smi", '\0', true},
    [MLS_LOG_MLPERF] = {"mlperf", ':', false},
};

#define METRIC(id) MLS_QUANTITY_METRIC + MLS_METRIC_##id, 1
#define BYTES(id) MLS_QUANTITY_METRIC + MLS_METRIC_##id, 1 << 20
#define COUNTER(id) MLS_QUANTITY_COUNTER + MLS_COUNTER_##id, 1
#define REASON(id) MLS_QUANTITY_REASON + MLS_REASON_##id, 1
#define QUANTITY(id) MLS_QUANTITY_##id, 1
#define OF(kind, name)                                                                                                 \
    {                                                                                                                  \
        [MLS_LOG_##kind] = (name)                                                                                      \
    }

/* Of one quantity the best name comes first.  dmon, dcgmi dmon; nvidia-smi, both as its columns are asked for and as
 * they are printed; amd-smi metric and monitor, rocm-smi; records of MLPerf. */
/* clang-format off */
static const mls_log_column columns[] = {
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

/* Which place in a row each value has; -1: the format has no such. */
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

/* The row of a column's name; NULL: it is not known. */
static const mls_log_column *column_called(mls_log_kind kind, mls_str name)
{
    for (size_t i = 0; i < COLUMNS && name.len > 0; i++) {
        const char *known = columns[i].names[kind];
        if (known != NULL && *known == *name.ptr && mls_str_equal(mls_str_from(known), name))
            return &columns[i];
    }
    return NULL;
}

static bool is_wrapped(char c)
{
    return mls_is_blank(c) || c == '"';
}

/* A cell that may be a list: commas in quotes or brackets are part of it. */
static bool next_list_cell(mls_str *rest, mls_str *cell)
{
    size_t at = 0;
    int depth = 0;
    bool quoted = false;
    if (rest->ptr == NULL)
        return false;
    for (; at < rest->len && (rest->ptr[at] != ',' || quoted || depth > 0); at++) {
        const char c = rest->ptr[at];
        quoted ^= c == '"';
        depth += (c == '[') - (c == ']');
    }
    *cell = mls_str_trim((mls_str){rest->ptr, at}, is_wrapped);
    *rest = at < rest->len ? (mls_str){rest->ptr + at + 1, rest->len - at - 1} : (mls_str){NULL, 0};
    return true;
}

/* The next cell of a row, trimmed; false at its end. */
static bool heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell)
{
    if (mls_log_formats[heading->kind].lists)
        return next_list_cell(rest, cell);
    if (mls_log_formats[heading->kind].mark != '\0') {
        *cell = mls_str_word(rest);
        return cell->len > 0;
    }
    if (rest->ptr == NULL)
        return false;
    const char *end = rest->ptr + rest->len;
    const char *comma = memchr(rest->ptr, ',', rest->len);
    /* A comma without a blank is one inside of a number. */
    while (comma != NULL && heading->blanks && comma + 1 < end && comma[1] != ' ')
        comma = memchr(comma + 1, ',', (size_t)(end - comma - 1));
    *cell = mls_str_trim((mls_str){rest->ptr, (size_t)((comma != NULL ? comma : end) - rest->ptr)}, mls_is_blank);
    *rest = comma != NULL ? (mls_str){comma + 1, (size_t)(end - comma - 1)} : (mls_str){NULL, 0};
    return true;
}

/* "power.draw" of "power.draw [W]". */
static mls_str without_unit(mls_str name)
{
    const char *bracket = memchr(name.ptr, '[', name.len);
    return bracket != NULL ? mls_str_trim((mls_str){name.ptr, (size_t)(bracket - name.ptr)}, mls_is_blank) : name;
}

/* Whether a column shows that something was measured: words as short as "mem" may be of anything. */
static bool says_measure(const mls_log_heading *heading, const mls_log_column *column, mls_str name)
{
    enum { VAGUE = 4 };
    return column->quantity <= MLS_QUANTITY_PROCESS &&
           (mls_log_formats[heading->kind].mark != '\0' || name.len > VAGUE);
}

/* Of several columns of one metric the best counts, and where that has no value the others; else the last of the best
 * ones. */
static void rank_columns(mls_log_heading *heading, const mls_log_column *const best[MLS_QUANTITY_COUNT])
{
    for (size_t i = 0; i < heading->count; i++) {
        const mls_log_column *column = heading->columns[i];
        const bool worse = column != NULL && column != best[column->quantity];
        heading->second[i] = worse;
        if (worse && column->quantity >= MLS_QUANTITY_COUNTER)
            heading->columns[i] = NULL;
    }
}

/* A heading says which device or when, and something of it, so it has two columns at least. */
static bool is_heading_of(mls_str line, mls_log_heading *heading, bool listed, size_t *known)
{
    const mls_log_column *best[MLS_QUANTITY_COUNT] = {NULL};
    mls_str cell;
    bool place = listed;
    bool measured = false;
    heading->blanks = !listed && mls_str_contains(line, MLS_S(", "));
    while (heading_cell(heading, &line, &cell)) {
        const mls_log_column *column = column_called(heading->kind, without_unit(cell));
        if (heading->count == MLS_HEADING_COLUMNS_MAX)
            return false;
        heading->columns[heading->count++] = column;
        if (column == NULL) {
            heading->unknown = heading->unknown.len > 0 ? heading->unknown : cell;
            continue;
        }
        const mls_log_column **of = &best[column->quantity];
        *of = *of == NULL || column < *of ? column : *of;
        measured |= says_measure(heading, column, cell);
        place |= column->quantity > MLS_QUANTITY_PROCESS && column->quantity < MLS_QUANTITY_NAME;
        ++*known;
    }
    rank_columns(heading, best);
    heading->blanks |= listed; /* as nvidia-smi separates its cells */
    heading->timed =
        best[MLS_QUANTITY_MOMENT] != NULL || (best[MLS_QUANTITY_DATE] != NULL && best[MLS_QUANTITY_CLOCK] != NULL);
    heading->named = best[MLS_QUANTITY_ENTITY] != NULL || best[MLS_QUANTITY_INDEX] != NULL ||
                     best[MLS_QUANTITY_UUID] != NULL || best[MLS_QUANTITY_BUS] != NULL;
    if (best[MLS_QUANTITY_PROCESS] != NULL) {
        heading->skipped = heading->kind == MLS_LOG_DMON ? "nvidia-smi pmon: it measures processes, not devices"
                                                         : "it measures processes, not devices";
    } else if (heading->kind == MLS_LOG_DMON && !heading->timed) {
        heading->skipped = "nvidia-smi dmon without dates: log with nvidia-smi dmon -o DT";
    }
    heading->read = place && measured;
    return heading->read;
}

/* The format that knows most of the columns. */
bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed)
{
    mls_log_heading tried;
    size_t most = 0;
    size_t tries = 0;
    bool found = false;
    for (mls_log_kind kind = 0; kind < MLS_LOG_MLPERF; kind++) {
        const char mark = mls_log_formats[kind].mark;
        const size_t after = mark != '\0';
        const bool may_be = mark == '\0' ? listed || memchr(line.ptr, ',', line.len) != NULL
                                         : !listed && line.len > 0 && line.ptr[0] == mark;
        if (!may_be)
            continue;
        size_t known = 0;
        tried = (mls_log_heading){.kind = kind};
        const bool is = is_heading_of(mls_str_rest(line, after), &tried, listed, &known);
        if (is ? known > most : tries == 0) {
            *heading = tried;
            most = is ? known : most;
            found |= is;
        }
        tries++;
    }
    if (found)
        log_slots(heading->kind, heading->slots);
    return found;
}

const char *mls_log_foreign(mls_str line)
{
    static const struct {
        mls_str sign;
        const char *words;
    } signs[] = {
        {MLS_STR("timestamp;"),
         "columns parted by semicolons, as spreadsheets write them: nvidia-smi parts them by commas"},
        {MLS_STR("DCGM_FI_"), "text of a DCGM exporter, which has no times: log with dcgmi dmon, or nvidia-smi "
                              "--query-gpu=timestamp,index,power.draw --format=csv -l 1"},
        {MLS_STR("\"Name\",\"Calls\",\"TotalDurationNs\""),
         "statistics of rocprof, which are of kernels, not of devices: mlscore profile reads them"},
        {MLS_STR("\"traceEvents\""), "a trace of a profiler: mlscore profile reads it"},
        {MLS_STR("\"schemaVersion\""), "a trace of a profiler: mlscore profile reads it"},
        {MLS_STR("Total Time (ns)"), "a report of nsys stats: mlscore profile reads it"},
        {MLS_STR("\"Kernel Name\""), "a report of ncu: mlscore profile reads it"},
        {MLS_STR("| NVIDIA-SMI "), "a table of nvidia-smi, made for reading: log with --query-gpu=timestamp,index,"
                                   "power.draw --format=csv -l 1"},
        {MLS_STR("NVSMI LOG"), "nvidia-smi -q, made for reading: log with --query-gpu=timestamp,index,power.draw "
                               "--format=csv -l 1"},
        {MLS_STR("ROCm System Management Interface"), "a table of rocm-smi, made for reading: log with --csv"},
        {MLS_STR("GFX_ACTIVITY: "), "amd-smi without --csv: log with amd-smi metric --csv -w 1"},
        {MLS_STR("\"gfx_activity\""), "amd-smi with --json: log with amd-smi metric --csv -w 1"},
    };
    const char *words = NULL;
    for (size_t i = 0; i < sizeof signs / sizeof *signs && words == NULL; i++)
        words = mls_str_contains(line, signs[i].sign) ? signs[i].words : NULL;
    return words;
}

bool mls_telemetry_columns_known(const char *columns_listed, mls_str *unknown)
{
    mls_log_heading heading;
    const bool some = mls_heading_read(mls_str_from(columns_listed), &heading, true);
    *unknown = heading.unknown;
    return some;
}

_Static_assert(sizeof(mls_log_row) <= 64, "a day of eight devices has to fit into memory");

#define MANTISSA_MAX ((uint64_t)INT32_MAX >> MLS_EXPONENT_BITS)

int32_t mls_value_pack(uint64_t digits, int exponent, bool negative)
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

bool mls_text_says_lost(mls_str text)
{
    return mls_str_any(text, "is lost|Unknown Error|fallen off the bus", mls_str_contains);
}

/* A number to its thousandths. */
static int32_t value_of(double value)
{
    const double thousandths = round(value * 1000);
    return fabs(thousandths) < 1e18 ? mls_value_pack((uint64_t)fabs(thousandths), -3, thousandths < 0) : MLS_NO_VALUE;
}

/* Returns the factor from a unit to that of the metrics: W, MHz, MiB, as which MB are taken too. */
static double unit_factor(mls_str unit)
{
    static const struct {
        mls_str unit;
        double factor;
    } units[] = {{MLS_STR("kW"), 1e3},
                 {MLS_STR("mW"), 1e-3},
                 {MLS_STR("GHz"), 1e3},
                 {MLS_STR("kHz"), 1e-3},
                 {MLS_STR("Hz"), 1e-6},
                 {MLS_STR("TiB"), 1 << 20},
                 {MLS_STR("GiB"), 1 << 10},
                 {MLS_STR("GB"), 1 << 10},
                 {MLS_STR("KiB"), 1.0 / (1 << 10)},
                 {MLS_STR("KB"), 1.0 / (1 << 10)},
                 {MLS_STR("B"), 1.0 / (1 << 20)}};
    double factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        factor = mls_str_alike(unit, units[i].unit) && (unit.ptr[0] == 'm') == (units[i].unit.ptr[0] == 'm')
                     ? units[i].factor
                     : factor;
    }
    return factor;
}

int32_t mls_value_read(mls_str cell, bool *lost)
{
    mls_decimal number;
    mls_marks marks = {false, false};
    size_t len = cell.len > 0 && cell.ptr[0] == '-';
    while (len < cell.len &&
           (mls_is_digit(cell.ptr[len]) || cell.ptr[len] == '.' || cell.ptr[len] == ',' || cell.ptr[len] == '\''))
        len++;
    const mls_str text = {cell.ptr, len};
    if (!mls_decimal_parse(text, &number)) {
        if (!mls_decimal_parse_local(text, &marks, &number)) {
            *lost |= mls_text_says_lost(cell);
            return MLS_NO_VALUE;
        }
        /* nvidia-smi groups nothing: a comma is the decimal mark of a locale. */
        mls_decimal_decide(&number, (mls_marks){false, false}, true);
    }
    /* A number is followed by a unit, not by more of a word. */
    const bool unit = len == cell.len || cell.ptr[len] == ' ' || cell.ptr[len] == '%' || cell.len - len <= 3;
    const int32_t value = unit ? mls_value_pack(number.digits, number.exponent, number.negative) : MLS_NO_VALUE;
    const mls_str rest = mls_str_trim(mls_str_rest(cell, len), mls_is_blank);
    /* Nearly all are of the units that are kept, which begin with another letter. */
    if (rest.len == 0 || value == MLS_NO_VALUE || strchr("WM%C", rest.ptr[0]) != NULL)
        return value;
    const double factor = unit_factor(rest);
    return factor == 1 ? value : value_of(mls_value_unpack(value) * factor);
}

void mls_device_init(mls_log_device *device, mls_log_kind kind)
{
    *device = (mls_log_device){.kind = kind, .power_scale = 1, .interval_ms = (double)NAN};
    log_slots(kind, device->slots);
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++)
        device->first[i] = (double)NAN;
}

double mls_device_power(const mls_log_device *device, const mls_log_row *row)
{
    const double power = mls_device_value(device, row, MLS_METRIC_POWER_W);
    return isnan(power) ? mls_device_value(device, row, MLS_METRIC_POWER_INSTANT_W) : power;
}

size_t mls_device_find(const mls_log_device *device, double time_ms, bool after)
{
    size_t low = 0;
    for (size_t high = device->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const double at = device->rows[middle].time_ms;
        if (at < time_ms || (after && at == time_ms))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double mls_device_gap_limit(const mls_log_device *device, const mls_telemetry_options *options)
{
    enum { MIN_MS = 5000, INTERVALS = 5 };
    const double own = INTERVALS * device->interval_ms;
    return !isnan(options->gap_ms) ? options->gap_ms : own > MIN_MS ? own : MIN_MS;
}

static int compare_rows(const void *left, const void *right, void *of)
{
    const mls_log_row *rows = of;
    const size_t a = *(const size_t *)left;
    const size_t b = *(const size_t *)right;
    const int order = mls_compare_doubles(rows[a].time_ms, rows[b].time_ms);
    return order != 0 ? order : mls_compare_sizes(a, b);
}

void mls_rows_arrange(mls_log_row *rows, size_t *order, size_t count)
{
    for (size_t first = 0; first < count; first++) {
        const mls_log_row moved = rows[first];
        size_t to = first;
        for (size_t from = order[to]; from != first && from != to; from = order[to]) {
            rows[to] = rows[from];
            order[to] = to;
            to = from;
        }
        rows[to] = moved;
        order[to] = to;
    }
}

void mls_device_sort(mls_log_device *device)
{
    size_t *order = mls_malloc(device->count * sizeof *order);
    for (size_t i = 0; i < device->count; i++)
        order[i] = i;
    qsort_r(order, device->count, sizeof *order, compare_rows, device->rows);
    mls_rows_arrange(device->rows, order, device->count);
    free(order);
}

void mls_device_finish(mls_log_device *device)
{
    size_t kept = 0;
    if (!device->timed)
        return;
    if (device->disordered)
        mls_device_sort(device);
    double *distances = mls_malloc(device->count * sizeof *distances);
    for (size_t i = 0; i < device->count; i++) {
        const mls_log_row *row = &device->rows[i];
        if (kept > 0 && row->time_ms == device->rows[kept - 1].time_ms) {
            kept--;
            device->replaced += memcmp(row->values, device->rows[kept].values, sizeof row->values) != 0;
        }
        device->rows[kept] = *row;
        if (kept > 0)
            distances[kept - 1] = device->rows[kept].time_ms - device->rows[kept - 1].time_ms;
        kept++;
    }
    device->count = kept;
    mls_sort_doubles(distances, kept - 1);
    device->interval_ms = mls_median(distances, kept - 1);
    device->dense = kept > 1 && distances[mls_rows_within(kept - 1)] < MLS_ROUND_MS;
    free(distances);
}

void mls_row_begin(mls_parsed_row *row, mls_log_kind kind)
{
    const double none = (double)NAN;
    *row = (mls_parsed_row){.kind = kind, .packed.time_ms = none, .date_ms = none, .clock_ms = none};
    for (size_t i = 0; i < MLS_ROW_VALUES; i++)
        row->packed.values[i] = MLS_NO_VALUE;
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++)
        row->counters[i] = none;
}

/* "0x0000000000000004" */
static bool read_bits(mls_str cell, uint32_t *bits)
{
    bool ok = mls_str_starts(cell, MLS_S("0x")) && cell.len > 2 && cell.len <= 18;
    for (size_t i = 2; i < cell.len && ok; i++) {
        const char c = mls_is_digit(cell.ptr[i]) ? cell.ptr[i] : (char)(cell.ptr[i] | 0x20);
        ok = mls_is_digit(c) || (c >= 'a' && c <= 'f');
        *bits = *bits << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return ok;
}

/* A cell that holds bits, or that of one of them: "Active". */
static void take_reasons(mls_parsed_row *row, unsigned quantity, mls_str cell)
{
    const bool active = mls_str_equal(cell, MLS_S("Active"));
    uint32_t bits = 0;
    if (quantity == MLS_QUANTITY_REASONS ? !read_bits(cell, &bits)
                                         : !active && !mls_str_equal(cell, MLS_S("Not Active"))) {
        row->lost |= mls_text_says_lost(cell);
        return;
    }
    bits |= active ? 1U << (quantity - MLS_QUANTITY_REASON) : 0;
    row->reasons |= bits & ((1U << MLS_REASON_COUNT) - 1);
    row->has_reasons = true;
}

static void take_counter(mls_parsed_row *row, const mls_log_column *column, mls_str cell)
{
    double *counter = &row->counters[column->quantity - MLS_QUANTITY_COUNTER];
    const bool counted = mls_number_parse(cell, counter);
    *counter = counted ? *counter / column->per : (double)NAN;
    row->lost |= !counted && mls_text_says_lost(cell);
}

static bool names_something(mls_str cell)
{
    return cell.len > 0 && cell.ptr[0] != '[' && !mls_str_equal(cell, MLS_S("N/A"));
}

/* "GPU 0", or "GPU-I 0" of MIG, which is called so; false: of something else. */
static bool take_entity(mls_parsed_row *row, mls_str cell, mls_str *rest)
{
    const mls_str number = mls_str_word(rest);
    row->entity = cell;
    row->instance = mls_str_starts(cell, MLS_S("GPU-"));
    row->other = !row->instance && !mls_str_equal(cell, MLS_S("GPU"));
    row->names[0] = row->instance ? (mls_str){cell.ptr, (size_t)(number.ptr + number.len - cell.ptr)} : number;
    return !row->other;
}

/* Seconds since 1970, as date +%s and amd-smi write them. */
static bool read_seconds(mls_str cell, mls_parsed_row *row)
{
    double seconds;
    row->zoned = mls_number_parse(cell, &seconds) && seconds > 1e8 && seconds < 1e11;
    row->packed.time_ms = row->zoned ? seconds * 1000 : (double)NAN;
    return row->zoned;
}

/* A cell without a value leaves it to another. */
static void take_metric_cell(mls_parsed_row *row, const mls_log_column *column, bool second, mls_str cell,
                             int32_t *value)
{
    /* rocm-smi has clocks in parentheses. */
    if (cell.len > 2 && cell.ptr[0] == '(' && cell.ptr[cell.len - 1] == ')')
        cell = (mls_str){cell.ptr + 1, cell.len - 2};
    const int32_t read = mls_value_read(cell, &row->lost);
    if (read == MLS_NO_VALUE || (second && *value != MLS_NO_VALUE))
        return;
    *value = column->per > 1 ? value_of(mls_value_unpack(read) / column->per) : read;
}

/* False: a time that is none. */
static bool take_cell(mls_parsed_row *row, const mls_log_heading *heading, const mls_log_column *column, bool second,
                      mls_str cell, mls_str *rest)
{
    const unsigned quantity = column->quantity;
    if (quantity < MLS_QUANTITY_COUNTER) {
        take_metric_cell(row, column, second, cell, &row->packed.values[heading->slots[quantity]]);
        return true;
    }
    switch (quantity) {
    case MLS_QUANTITY_MOMENT:
        return mls_moment_read(cell, &row->packed.time_ms, &row->zoned) || read_seconds(cell, row);
    case MLS_QUANTITY_DATE:
        return mls_date_read(cell, &row->date_ms);
    case MLS_QUANTITY_CLOCK:
        return mls_clock_read(cell, &row->clock_ms) || !heading->timed;
    case MLS_QUANTITY_ENTITY:
        return take_entity(row, cell, rest);
    case MLS_QUANTITY_INDEX:
    case MLS_QUANTITY_UUID:
    case MLS_QUANTITY_BUS:
        if (heading->kind == MLS_LOG_ROCM && mls_str_starts(cell, MLS_S("card")))
            cell = (mls_str){cell.ptr + 4, cell.len - 4};
        row->names[quantity - MLS_QUANTITY_INDEX] = names_something(cell) ? cell : (mls_str){NULL, 0};
        return true;
    case MLS_QUANTITY_NAME:
        row->model = cell;
        return true;
    default:
        break;
    }
    if (quantity < MLS_QUANTITY_REASONS)
        take_counter(row, column, cell);
    else
        take_reasons(row, quantity, cell);
    return true;
}

const char *mls_row_parse(const mls_log_heading *heading, mls_str line, mls_parsed_row *row)
{
    static const char fields[] = "a row with more or fewer fields than its heading";
    static const char time[] = "a row whose time cannot be read";
    mls_str cell;
    size_t column = 0;
    mls_row_begin(row, heading->kind);
    row->unnamed = !heading->named;
    while (heading_cell(heading, &line, &cell)) {
        if (column == heading->count)
            return fields;
        const mls_log_column *known = heading->columns[column];
        const bool second = heading->second[column++];
        if (known != NULL && !take_cell(row, heading, known, second, cell, &line))
            return time;
        row->end = cell;
    }
    if (heading->timed && isnan(row->packed.time_ms))
        row->packed.time_ms = row->date_ms + row->clock_ms;
    return column == heading->count && (!heading->timed || !isnan(row->packed.time_ms)) ? NULL : fields;
}

/* Returns the text behind a cell's digits. */
static mls_str unit_of(mls_str cell)
{
    size_t at = cell.len;
    while (at > 0 && !mls_is_digit(cell.ptr[at - 1]))
        at--;
    return mls_str_rest(cell, at);
}

bool mls_cell_is_cut(mls_str cell, mls_str before)
{
    const mls_str unit = unit_of(cell);
    if (unit.len == cell.len)
        return cell.len == 0 ? before.len > 0 : cell.ptr[0] == '[' && cell.ptr[cell.len - 1] != ']';
    const mls_str known = unit_of(before);
    return mls_str_starts(before, MLS_S("0x")) ? cell.len != before.len
                                               : known.len < before.len && !mls_str_equal(unit, known);
}
