/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c - the formats of logs, as one table: what each calls what a column tells.  A format like these is one more
 * column of names, and one more row of mls_log_formats.
 */
#include "telemetry/telemetry.h"

const struct mls_log_format mls_log_formats[MLS_LOG_KINDS] = {
    [MLS_LOG_DMON] = {"dmon", '#'},
    [MLS_LOG_DCGM] = {"dcgm", '#'},
    [MLS_LOG_SMI] = {"nvidia-smi", '\0'},
    [MLS_LOG_MLPERF] = {"mlperf", ':'},
};

#define METRIC(id) MLS_TELLS_METRIC + MLS_METRIC_##id, 1
#define COUNTER(id) MLS_TELLS_COUNTER + MLS_COUNTER_##id, 1
#define REASON(id) MLS_TELLS_REASON + MLS_REASON_##id, 1
#define TELLS(id) MLS_TELLS_##id, 1

/* dmon, dcgmi dmon; nvidia-smi, both as its columns are asked for and as they are printed; records of MLPerf. */
static const mls_log_column columns[] = {
    {TELLS(MOMENT), {NULL, NULL, "timestamp"}},
    {TELLS(DATE), {"Date"}},
    {TELLS(CLOCK), {"Time"}},
    {TELLS(ENTITY), {NULL, "Entity"}},
    {TELLS(INDEX), {"gpu", NULL, "index"}},
    {TELLS(UUID), {NULL, NULL, "uuid gpu_uuid"}},
    {TELLS(BUS), {NULL, NULL, "pci.bus_id gpu_bus_id"}},
    {TELLS(NAME), {NULL, NULL, "name gpu_name"}},
    {TELLS(PROCESS), {"pid"}},
    {METRIC(POWER_W), {"pwr", "POWER", "power.draw power.draw.average", "power_reading"}},
    {METRIC(POWER_INSTANT_W), {NULL, NULL, "power.draw.instant"}},
    {METRIC(POWER_LIMIT_W), {NULL, NULL, "enforced.power.limit power.limit"}},
    {METRIC(UTILIZATION_GPU_PERCENT), {"sm", "GPUTL", "utilization.gpu"}},
    {METRIC(UTILIZATION_MEMORY_PERCENT), {"mem", "MCUTL", "utilization.memory"}},
    {METRIC(SM_CLOCK_MHZ), {"pclk", "SMCLK", "clocks.current.sm clocks.sm"}},
    {METRIC(MEMORY_CLOCK_MHZ), {"mclk", "MMCLK", "clocks.current.memory clocks.mem"}},
    {METRIC(TEMPERATURE_GPU_C), {"gtemp", "TMPTR", "temperature.gpu"}},
    {METRIC(TEMPERATURE_MEMORY_C), {"mtemp", "MMTMP", "temperature.memory"}},
    {METRIC(MEMORY_USED_MIB), {"fb", "FBUSD", "memory.used"}},
    {METRIC(MEMORY_TOTAL_MIB), {NULL, NULL, "memory.total"}},
    {METRIC(SM_ACTIVE), {NULL, "SMACT"}},
    {METRIC(SM_OCCUPANCY), {NULL, "SMOCC"}},
    {METRIC(TENSOR_ACTIVE), {NULL, "TENSO"}},
    {METRIC(DRAM_ACTIVE), {NULL, "DRAMA"}},
    {METRIC(GRAPHICS_ACTIVE), {NULL, "GRACT"}},
    {COUNTER(ECC_CORRECTED),
     {"sbecc", NULL, "ecc.errors.corrected.volatile.total ecc.errors.corrected.aggregate.total"}},
    {COUNTER(ECC_UNCORRECTED),
     {"dbecc", NULL, "ecc.errors.uncorrected.volatile.total ecc.errors.uncorrected.aggregate.total"}},
    {MLS_TELLS_COUNTER + MLS_COUNTER_ENERGY_JOULES, 1000, {NULL, "TOTEC"}}, /* millijoules */
    {TELLS(REASONS), {NULL, NULL, "clocks_event_reasons.active clocks_throttle_reasons.active"}},
#define REASON_COLUMN(format, id, name)                                                                                \
    {REASON(id), {NULL, NULL, "clocks_event_reasons." #name " clocks_throttle_reasons." #name}},
    MLS_REASON_LIST(REASON_COLUMN, )
#undef REASON_COLUMN
};
enum { COLUMNS = sizeof columns / sizeof *columns };

void mls_log_slots(mls_log_kind kind, signed char slots[MLS_TELLS_VALUES])
{
    signed char next = 0;
    memset(slots, -1, MLS_TELLS_VALUES);
    for (size_t i = 0; i < COLUMNS; i++) {
        const unsigned tells = columns[i].tells;
        signed char *slot = &slots[tells < MLS_TELLS_VALUES ? tells : MLS_TELLS_REASONS];
        if (tells < MLS_TELLS_PROCESS && columns[i].names[kind] != NULL && *slot < 0) {
            *slot = next++;
        }
    }
}

/* The row of a column's name, and how many names tell it better; NULL: it tells nothing. */
static const mls_log_column *column_called(mls_log_kind kind, mls_str name, unsigned *better)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        mls_str names = mls_str_from(columns[i].names[kind]);
        *better = 0;
        for (mls_str known; names.ptr != NULL && (known = mls_str_word(&names)).len > 0; ++*better) {
            if (mls_str_equal(known, name)) {
                return &columns[i];
            }
        }
    }
    return NULL;
}

mls_str mls_cell_trim(mls_str cell)
{
    while (cell.len > 0 && mls_is_blank(cell.ptr[0])) {
        cell = (mls_str){cell.ptr + 1, cell.len - 1};
    }
    while (cell.len > 0 && mls_is_blank(cell.ptr[cell.len - 1])) {
        cell.len--;
    }
    return cell;
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
    *cell = mls_cell_trim((mls_str){rest->ptr, (size_t)((comma != NULL ? comma : end) - rest->ptr)});
    *rest = comma != NULL ? (mls_str){comma + 1, (size_t)(end - comma - 1)} : (mls_str){NULL, 0};
    return true;
}

/* "power.draw" of "power.draw [W]". */
static mls_str without_unit(mls_str name)
{
    const char *bracket = memchr(name.ptr, '[', name.len);
    return bracket != NULL ? mls_cell_trim((mls_str){name.ptr, (size_t)(bracket - name.ptr)}) : name;
}

/* A heading says which device or when, and something of it. */
static bool is_heading_of(mls_str line, mls_log_heading *heading, bool listed)
{
    enum { UNTOLD = UINT8_MAX };
    unsigned char told[MLS_TELLS_COUNT]; /* by a column than which so many names tell it better */
    mls_str cell;
    bool place = listed;
    bool measured = false;
    memset(told, UNTOLD, sizeof told);
    heading->blanks = !listed && mls_str_contains(line, MLS_S(", "));
    while (mls_heading_cell(heading, &line, &cell)) {
        unsigned better;
        const mls_log_column *column = column_called(heading->kind, without_unit(cell), &better);
        if (heading->count == MLS_HEADING_COLUMNS_MAX) {
            return false;
        }
        if (column == NULL) {
            heading->unknown = heading->unknown.len > 0 ? heading->unknown : cell;
        } else if (better <= told[column->tells]) {
            told[column->tells] = (unsigned char)better;
            measured |= column->tells <= MLS_TELLS_PROCESS;
            place |= column->tells > MLS_TELLS_PROCESS && column->tells < MLS_TELLS_NAME;
        } else {
            column = NULL; /* in a row the last that tells a thing counts */
        }
        heading->columns[heading->count++] = column;
    }
    heading->blanks |= listed; /* as nvidia-smi parts its rows */
    heading->timed =
        told[MLS_TELLS_MOMENT] != UNTOLD || (told[MLS_TELLS_DATE] != UNTOLD && told[MLS_TELLS_CLOCK] != UNTOLD);
    heading->processes = told[MLS_TELLS_PROCESS] != UNTOLD;
    heading->read = place && measured;
    mls_log_slots(heading->kind, heading->slots);
    return heading->read;
}

bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed)
{
    for (mls_log_kind kind = 0; kind < MLS_LOG_MLPERF; kind++) {
        const char mark = mls_log_formats[kind].mark;
        const size_t behind = mark != '\0';
        *heading = (mls_log_heading){.kind = kind};
        if ((mark == '\0' || (!listed && line.len > 0 && line.ptr[0] == mark)) &&
            is_heading_of((mls_str){line.ptr + behind, line.len - behind}, heading, listed)) {
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
