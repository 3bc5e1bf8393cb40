/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c - the formats of logs, as tables: what a column is called and what it tells.  A format like these is one
 * more table and one more row of mls_log_formats.
 */
#include "telemetry/telemetry.h"

#define METRIC(id) MLS_TELLS_METRIC + MLS_METRIC_##id, 1
#define COUNTER(id) MLS_TELLS_COUNTER + MLS_COUNTER_##id, 1
#define REASON(id) MLS_TELLS_REASON + MLS_REASON_##id, 1
#define TELLS(id) MLS_TELLS_##id, 1
#define LENGTH(table) (sizeof(table) / sizeof *(table))

/* Both as they are asked for and as they are printed. */
static const mls_log_column nvidia_smi[] = {{"timestamp", TELLS(MOMENT)},
                                            {"index", TELLS(INDEX)},
                                            {"uuid", TELLS(UUID)},
                                            {"gpu_uuid", TELLS(UUID)},
                                            {"pci.bus_id", TELLS(BUS)},
                                            {"gpu_bus_id", TELLS(BUS)},
                                            {"name", TELLS(NAME)},
                                            {"gpu_name", TELLS(NAME)},
                                            {"power.draw", METRIC(POWER_W)},
                                            {"power.draw.average", METRIC(POWER_W)},
                                            {"power.draw.instant", METRIC(POWER_INSTANT_W)},
                                            {"enforced.power.limit", METRIC(POWER_LIMIT_W)},
                                            {"power.limit", METRIC(POWER_LIMIT_W)},
                                            {"utilization.gpu", METRIC(UTILIZATION_GPU_PERCENT)},
                                            {"utilization.memory", METRIC(UTILIZATION_MEMORY_PERCENT)},
                                            {"clocks.current.sm", METRIC(SM_CLOCK_MHZ)},
                                            {"clocks.sm", METRIC(SM_CLOCK_MHZ)},
                                            {"clocks.current.memory", METRIC(MEMORY_CLOCK_MHZ)},
                                            {"clocks.mem", METRIC(MEMORY_CLOCK_MHZ)},
                                            {"temperature.gpu", METRIC(TEMPERATURE_GPU_C)},
                                            {"temperature.memory", METRIC(TEMPERATURE_MEMORY_C)},
                                            {"memory.used", METRIC(MEMORY_USED_MIB)},
                                            {"memory.total", METRIC(MEMORY_TOTAL_MIB)},
                                            {"ecc.errors.corrected.volatile.total", COUNTER(ECC_CORRECTED)},
                                            {"ecc.errors.corrected.aggregate.total", COUNTER(ECC_CORRECTED)},
                                            {"ecc.errors.uncorrected.volatile.total", COUNTER(ECC_UNCORRECTED)},
                                            {"ecc.errors.uncorrected.aggregate.total", COUNTER(ECC_UNCORRECTED)},
                                            {"clocks_event_reasons.active", TELLS(REASONS)},
                                            {"clocks_throttle_reasons.active", TELLS(REASONS)},
#define REASON_COLUMNS(id, name)                                                                                       \
    {"clocks_event_reasons." #name, REASON(id)}, {"clocks_throttle_reasons." #name, REASON(id)},
                                            MLS_REASON_LIST(REASON_COLUMNS)
#undef REASON_COLUMNS
};

static const mls_log_column dmon[] = {
    {"Date", TELLS(DATE)},
    {"Time", TELLS(CLOCK)},
    {"gpu", TELLS(INDEX)},
    {"pwr", METRIC(POWER_W)},
    {"gtemp", METRIC(TEMPERATURE_GPU_C)},
    {"mtemp", METRIC(TEMPERATURE_MEMORY_C)},
    {"sm", METRIC(UTILIZATION_GPU_PERCENT)},
    {"mem", METRIC(UTILIZATION_MEMORY_PERCENT)},
    {"mclk", METRIC(MEMORY_CLOCK_MHZ)},
    {"pclk", METRIC(SM_CLOCK_MHZ)},
    {"fb", METRIC(MEMORY_USED_MIB)},
    {"sbecc", COUNTER(ECC_CORRECTED)},
    {"dbecc", COUNTER(ECC_UNCORRECTED)},
};

static const mls_log_column pmon[] = {{"gpu", TELLS(INDEX)}, {"pid", TELLS(PROCESS)}};

static const mls_log_column dcgm[] = {
    {"Entity", TELLS(ENTITY)},
    {"POWER", METRIC(POWER_W)},
    {"TMPTR", METRIC(TEMPERATURE_GPU_C)},
    {"MMTMP", METRIC(TEMPERATURE_MEMORY_C)},
    {"GPUTL", METRIC(UTILIZATION_GPU_PERCENT)},
    {"MCUTL", METRIC(UTILIZATION_MEMORY_PERCENT)},
    {"SMCLK", METRIC(SM_CLOCK_MHZ)},
    {"MMCLK", METRIC(MEMORY_CLOCK_MHZ)},
    {"FBUSD", METRIC(MEMORY_USED_MIB)},
    {"SMACT", METRIC(SM_ACTIVE)},
    {"SMOCC", METRIC(SM_OCCUPANCY)},
    {"TENSO", METRIC(TENSOR_ACTIVE)},
    {"DRAMA", METRIC(DRAM_ACTIVE)},
    {"GRACT", METRIC(GRAPHICS_ACTIVE)},
    {"TOTEC", MLS_TELLS_COUNTER + MLS_COUNTER_ENERGY_JOULES, 1000}, /* millijoules */
};

/* Its records are read by the reader of logs. */
static const mls_log_column power_log[] = {{"power_reading", METRIC(POWER_W)}};

const mls_log_format mls_log_formats[] = {
    {"pmon", true, '#', "nvidia-smi pmon: it measures processes, not devices", pmon, LENGTH(pmon)},
    {"dmon", true, '#', NULL, dmon, LENGTH(dmon)},
    {"dcgm", true, '#', NULL, dcgm, LENGTH(dcgm)},
    {"nvidia-smi", false, '\0', NULL, nvidia_smi, LENGTH(nvidia_smi)},
    {NULL, false, '\0', NULL, NULL, 0},
};
const mls_log_format mls_power_log_format = {"mlperf", true, ':', NULL, power_log, LENGTH(power_log)};

const char *mls_metric_name(mls_metric metric)
{
    static const char *const names[] = {
#define METRIC_NAME(id, name) #name,
        MLS_METRIC_LIST(METRIC_NAME)};
    return names[metric];
}

const char *mls_reason_name(mls_reason reason)
{
    static const char *const names[] = {
#define REASON_NAME(id, name) #name,
        MLS_REASON_LIST(REASON_NAME)};
    return names[reason];
}

const mls_log_column *mls_log_column_find(const mls_log_format *format, mls_str name)
{
    for (size_t i = 0; i < format->column_count; i++) {
        const char *known = format->columns[i].name;
        if (name.len > 0 && known[0] == name.ptr[0] && mls_str_equal(mls_str_from(known), name)) {
            return &format->columns[i];
        }
    }
    return NULL;
}

static mls_str trimmed(mls_str text)
{
    while (text.len > 0 && mls_is_blank(text.ptr[0])) {
        text = (mls_str){text.ptr + 1, text.len - 1};
    }
    while (text.len > 0 && mls_is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

bool mls_heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell)
{
    if (heading->format->words) {
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
    *cell = trimmed((mls_str){rest->ptr, (size_t)((comma != NULL ? comma : end) - rest->ptr)});
    *rest = comma != NULL ? (mls_str){comma + 1, (size_t)(end - comma - 1)} : (mls_str){NULL, 0};
    return true;
}

/* "power.draw" of "power.draw [W]". */
static mls_str without_unit(mls_str name)
{
    const char *bracket = memchr(name.ptr, '[', name.len);
    return bracket != NULL ? trimmed((mls_str){name.ptr, (size_t)(bracket - name.ptr)}) : name;
}

/* Takes what a column tells, unless one before it tells it better.  In a row the last that tells a thing counts. */
static bool tell_column(mls_log_heading *heading, const mls_log_column *of[], const mls_log_column *column)
{
    if (heading->count == MLS_HEADING_COLUMNS_MAX) {
        return false;
    }
    const size_t at = heading->count++;
    of[at] = column;
    for (size_t i = 0; i < at && column != NULL; i++) {
        column = heading->tells[i] == column->tells && of[i] < column ? NULL : column;
    }
    heading->tells[at] = column != NULL ? column->tells : MLS_TELLS_NOTHING;
    heading->per[at] = column != NULL ? column->per : 1;
    return true;
}

/* A heading says which device or when, and something of it. */
static bool is_heading_of(mls_str line, mls_log_heading *heading, const mls_log_format *format, bool listed)
{
    const mls_log_column *of[MLS_HEADING_COLUMNS_MAX];
    mls_str cell;
    bool place = listed;
    bool measured = false;
    bool date = false;
    bool clock = false;
    *heading = (mls_log_heading){.format = format};
    heading->blanks = !format->words && !listed && memmem(line.ptr, line.len, ", ", 2) != NULL;
    while (mls_heading_cell(heading, &line, &cell)) {
        const mls_log_column *column = mls_log_column_find(format, without_unit(cell));
        if (!tell_column(heading, of, column)) {
            return false;
        }
        const unsigned tells = column != NULL ? column->tells : MLS_TELLS_NOTHING;
        measured |= tells <= MLS_TELLS_PROCESS;
        place |= tells > MLS_TELLS_PROCESS && tells < MLS_TELLS_NAME;
        date |= tells == MLS_TELLS_DATE;
        clock |= tells == MLS_TELLS_CLOCK;
        heading->timed |= tells == MLS_TELLS_MOMENT;
    }
    heading->timed |= date && clock;
    heading->blanks |= listed; /* as nvidia-smi parts its rows */
    return place && measured;
}

bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed)
{
    for (const mls_log_format *format = mls_log_formats; format->source != NULL; format++) {
        const bool marked = format->mark != '\0';
        mls_str names = trimmed(line);
        if (marked && (listed || names.len == 0 || names.ptr[0] != format->mark)) {
            continue;
        }
        names = marked ? (mls_str){names.ptr + 1, names.len - 1} : names;
        if (is_heading_of(names, heading, format, listed)) {
            return true;
        }
    }
    heading->format = NULL;
    return false;
}

bool mls_telemetry_columns_known(const char *columns, mls_str *unknown)
{
    mls_log_heading heading = {.format = mls_log_formats};
    mls_str cell;
    mls_str rest = mls_str_from(columns);
    while (heading.format->words) {
        heading.format++;
    }
    const mls_log_format *format = heading.format;
    *unknown = (mls_str){"", 0};
    while (mls_heading_cell(&heading, &rest, &cell)) {
        if (unknown->len == 0 && mls_log_column_find(format, without_unit(cell)) == NULL) {
            *unknown = cell;
        }
    }
    return mls_heading_read(mls_str_from(columns), &heading, true);
}
