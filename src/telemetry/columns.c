/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - the formats of logs, as one table of the names of columns in each.  A format like these is one more
 * column of names, and one more row of mls_log_formats. */
#include "telemetry/columns.h"

const struct mls_log_format mls_log_formats[MLS_LOG_KINDS] = {
    [MLS_LOG_DMON] = {"dmon", '#'},
    [MLS_LOG_DCGM] = {"dcgm", '#'},
    [MLS_LOG_SMI] = {"nvidia-smi", '\0'},
    [MLS_LOG_MLPERF] = {"mlperf", ':'},
};

#define METRIC(id) MLS_QUANTITY_METRIC + MLS_METRIC_##id, 1
#define COUNTER(id) MLS_QUANTITY_COUNTER + MLS_COUNTER_##id, 1
#define REASON(id) MLS_QUANTITY_REASON + MLS_REASON_##id, 1
#define QUANTITY(id) MLS_QUANTITY_##id, 1

/* Of one quantity the best name comes first.  dmon, dcgmi dmon; nvidia-smi, both as its columns are asked for and as
 * they are printed; records of MLPerf. */
static const mls_log_column columns[] = {
    {QUANTITY(MOMENT), {NULL, NULL, "timestamp"}},
    {QUANTITY(DATE), {"Date"}},
    {QUANTITY(CLOCK), {"Time"}},
    {QUANTITY(ENTITY), {NULL, "Entity"}},
    {QUANTITY(INDEX), {"gpu", NULL, "index"}},
    {QUANTITY(UUID), {NULL, NULL, "uuid"}},
    {QUANTITY(UUID), {NULL, NULL, "gpu_uuid"}},
    {QUANTITY(BUS), {NULL, NULL, "pci.bus_id"}},
    {QUANTITY(BUS), {NULL, NULL, "gpu_bus_id"}},
    {QUANTITY(BUS), {NULL, NULL, "gpu"}}, /* scripts have it beside an index of something else */
    {QUANTITY(NAME), {NULL, NULL, "name"}},
    {QUANTITY(NAME), {NULL, NULL, "gpu_name"}},
    {QUANTITY(PROCESS), {"pid"}},
    {METRIC(POWER_W), {"pwr", "POWER", "power.draw", "power_reading"}},
    {METRIC(POWER_W), {NULL, NULL, "power.draw.average"}},
    {METRIC(POWER_INSTANT_W), {NULL, NULL, "power.draw.instant"}},
    {METRIC(POWER_LIMIT_W), {NULL, NULL, "enforced.power.limit"}},
    {METRIC(POWER_LIMIT_W), {NULL, NULL, "power.limit"}},
    {METRIC(UTILIZATION_GPU_PERCENT), {"sm", "GPUTL", "utilization.gpu"}},
    {METRIC(UTILIZATION_MEMORY_PERCENT), {"mem", "MCUTL", "utilization.memory"}},
    {METRIC(SM_CLOCK_MHZ), {"pclk", "SMCLK", "clocks.current.sm"}},
    {METRIC(SM_CLOCK_MHZ), {NULL, NULL, "clocks.sm"}},
    {METRIC(MEMORY_CLOCK_MHZ), {"mclk", "MMCLK", "clocks.current.memory"}},
    {METRIC(MEMORY_CLOCK_MHZ), {NULL, NULL, "clocks.mem"}},
    {METRIC(TEMPERATURE_GPU_C), {"gtemp", "TMPTR", "temperature.gpu"}},
    {METRIC(TEMPERATURE_GPU_C), {"temp"}}, /* before there were two */
    {METRIC(TEMPERATURE_MEMORY_C), {"mtemp", "MMTMP", "temperature.memory"}},
    {METRIC(MEMORY_USED_MIB), {"fb", "FBUSD", "memory.used"}},
    {METRIC(MEMORY_TOTAL_MIB), {NULL, NULL, "memory.total"}},
    {METRIC(SM_ACTIVE), {NULL, "SMACT"}},
    {METRIC(SM_OCCUPANCY), {NULL, "SMOCC"}},
    {METRIC(TENSOR_ACTIVE), {NULL, "TENSO"}},
    {METRIC(DRAM_ACTIVE), {NULL, "DRAMA"}},
    {METRIC(GRAPHICS_ACTIVE), {NULL, "GRACT"}},
    {COUNTER(ECC_CORRECTED), {"sbecc", NULL, "ecc.errors.corrected.volatile.total"}},
    {COUNTER(ECC_CORRECTED), {NULL, NULL, "ecc.errors.corrected.aggregate.total"}},
    {COUNTER(ECC_UNCORRECTED), {"dbecc", NULL, "ecc.errors.uncorrected.volatile.total"}},
    {COUNTER(ECC_UNCORRECTED), {NULL, NULL, "ecc.errors.uncorrected.aggregate.total"}},
    {MLS_QUANTITY_COUNTER + MLS_COUNTER_ENERGY_JOULES, 1000, {NULL, "TOTEC"}}, /* millijoules */
    {QUANTITY(REASONS), {NULL, NULL, "clocks_event_reasons.active"}},
    {QUANTITY(REASONS), {NULL, NULL, "clocks_throttle_reasons.active"}},
#define REASON_COLUMN(format, id, name)                                                                                \
    {REASON(id), {NULL, NULL, "clocks_event_reasons." #name}},                                                         \
        {REASON(id), {NULL, NULL, "clocks_throttle_reasons." #name}},
    MLS_REASON_LIST(REASON_COLUMN, )
#undef REASON_COLUMN
};
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

bool mls_heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell)
{
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

/* A heading says which device or when, and something of it, so it has two columns at least. */
static bool is_heading_of(mls_str line, mls_log_heading *heading, bool listed)
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
        if (column == NULL) {
            heading->unknown = heading->unknown.len > 0 ? heading->unknown : cell;
        } else if (best[column->quantity] == NULL || column <= best[column->quantity]) {
            best[column->quantity] = column;
            measured |= column->quantity <= MLS_QUANTITY_PROCESS;
            place |= column->quantity > MLS_QUANTITY_PROCESS && column->quantity < MLS_QUANTITY_NAME;
        } else {
            column = NULL; /* of several columns of one name the last counts */
        }
        heading->columns[heading->count++] = column;
    }
    heading->blanks |= listed; /* as nvidia-smi separates its cells */
    heading->timed =
        best[MLS_QUANTITY_MOMENT] != NULL || (best[MLS_QUANTITY_DATE] != NULL && best[MLS_QUANTITY_CLOCK] != NULL);
    heading->named = best[MLS_QUANTITY_ENTITY] != NULL || best[MLS_QUANTITY_INDEX] != NULL ||
                     best[MLS_QUANTITY_UUID] != NULL || best[MLS_QUANTITY_BUS] != NULL;
    heading->processes = best[MLS_QUANTITY_PROCESS] != NULL;
    heading->read = place && measured;
    return heading->read;
}

bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed)
{
    for (mls_log_kind kind = 0; kind < MLS_LOG_MLPERF; kind++) {
        const char mark = mls_log_formats[kind].mark;
        const size_t after = mark != '\0';
        const bool may_be = mark == '\0' ? listed || memchr(line.ptr, ',', line.len) != NULL
                                         : !listed && line.len > 0 && line.ptr[0] == mark;
        if (!may_be) {
            continue;
        }
        *heading = (mls_log_heading){.kind = kind};
        if (is_heading_of((mls_str){line.ptr + after, line.len - after}, heading, listed)) {
            mls_log_slots(kind, heading->slots);
            return true;
        }
    }
    return false;
}

bool mls_telemetry_columns_known(const char *columns_listed, mls_str *unknown)
{
    mls_log_heading heading;
    const bool some = mls_heading_read(mls_str_from(columns_listed), &heading, true);
    *unknown = heading.unknown;
    return some;
}
