/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - the formats of logs, as one table of the names of columns in each.  A format like these is one more
 * column of names, and one more row of mls_log_formats. */
#include "explain/telemetry/columns.h"

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

void mls_log_slots(mls_log_kind kind, signed char slots[MLS_QUANTITY_VALUES])
{
    signed char next = 0;
    memset(slots, -1, MLS_QUANTITY_VALUES);
    for (size_t i = 0; i < COLUMNS; i++) {
        const unsigned quantity = columns[i].quantity;
        signed char *slot = &slots[quantity < MLS_QUANTITY_VALUES ? quantity : MLS_QUANTITY_REASONS];
        if (quantity < MLS_QUANTITY_PROCESS && columns[i].names[kind] != NULL && *slot < 0) {
            *slot = next++;
        }
    }
}

/* The row of a column's name; NULL: it is not known. */
static const mls_log_column *column_called(mls_log_kind kind, mls_str name)
{
    for (size_t i = 0; i < COLUMNS && name.len > 0; i++) {
        const char *known = columns[i].names[kind];
        if (known != NULL && *known == *name.ptr && mls_str_equal(mls_str_from(known), name)) {
            return &columns[i];
        }
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
    if (rest->ptr == NULL) {
        return false;
    }
    for (; at < rest->len && (rest->ptr[at] != ',' || quoted || depth > 0); at++) {
        const char c = rest->ptr[at];
        quoted ^= c == '"';
        depth += (c == '[') - (c == ']');
    }
    *cell = mls_str_trim((mls_str){rest->ptr, at}, is_wrapped);
    *rest = at < rest->len ? (mls_str){rest->ptr + at + 1, rest->len - at - 1} : (mls_str){NULL, 0};
    return true;
}

bool mls_heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell)
{
    if (mls_log_formats[heading->kind].lists) {
        return next_list_cell(rest, cell);
    }
    if (mls_log_formats[heading->kind].mark != '\0') {
        *cell = mls_str_word(rest);
        return cell->len > 0;
    }
    if (rest->ptr == NULL) {
        return false;
    }
    const char *end = rest->ptr + rest->len;
    const char *comma = memchr(rest->ptr, ',', rest->len);
    /* A comma without a blank is one inside of a number. */
    while (comma != NULL && heading->blanks && comma + 1 < end && comma[1] != ' ') {
        comma = memchr(comma + 1, ',', (size_t)(end - comma - 1));
    }
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
        if (worse && column->quantity >= MLS_QUANTITY_COUNTER) {
            heading->columns[i] = NULL;
        }
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
    while (mls_heading_cell(heading, &line, &cell)) {
        const mls_log_column *column = column_called(heading->kind, without_unit(cell));
        if (heading->count == MLS_HEADING_COLUMNS_MAX) {
            return false;
        }
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
        if (!may_be) {
            continue;
        }
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
    if (found) {
        mls_log_slots(heading->kind, heading->slots);
    }
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
    for (size_t i = 0; i < sizeof signs / sizeof *signs && words == NULL; i++) {
        words = mls_str_contains(line, signs[i].sign) ? signs[i].words : NULL;
    }
    return words;
}

bool mls_telemetry_columns_known(const char *columns_listed, mls_str *unknown)
{
    mls_log_heading heading;
    const bool some = mls_heading_read(mls_str_from(columns_listed), &heading, true);
    *unknown = heading.unknown;
    return some;
}
