/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ncu.c - counters of Nsight Compute: page details, a row for each metric, or page raw, a row for each launch.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/reports.h"

/* A metric under its names; of several that were measured the one with the highest rank counts. */
static const struct {
    const char *name;
    mls_counter_metric metric;
    unsigned char rank;
} metrics[] = {
    {"Compute (SM) Throughput", MLS_METRIC_COMPUTE, 2},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", MLS_METRIC_COMPUTE, 1},
    {"Memory Throughput", MLS_METRIC_MEMORY, 2},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", MLS_METRIC_MEMORY, 1},
    {"DRAM Throughput", MLS_METRIC_DRAM, 3},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", MLS_METRIC_DRAM, 2},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", MLS_METRIC_DRAM, 1},
    {"Duration", MLS_METRIC_DURATION, 2},
    {"gpu__time_duration.sum", MLS_METRIC_DURATION, 1},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

typedef enum ncu_column {
    COLUMN_ID,
    COLUMN_PROCESS,
    COLUMN_KERNEL,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMNS
} ncu_column;

static const char *const column_names[COLUMNS] = {"ID",          "Process ID",  "Kernel Name",
                                                  "Metric Name", "Metric Unit", "Metric Value"};

/* Columns of page raw that are no metrics; that of the compute capability has a point in every locale. */
static const char *const identity_names[] = {"Process Name", "Host Name", "Context", "Stream",
                                             "Block Size",   "Grid Size", "Device",  "CC"};

enum { MISSING = MLS_FIELDS_MAX };

struct mls_ncu {
    mls_gather *gather;
    bool any; /* a heading has come */
    bool raw;
    bool units_due; /* the row behind the heading of page raw */
    size_t columns, at[COLUMNS];
    size_t metric_at[METRICS]; /* of page raw */
    double factor[METRICS];    /* of their units; NAN: none that fits */
    bool identity[MLS_FIELDS_MAX];
    mls_map launches; /* of ID and process */
};

mls_ncu *mls_ncu_new(mls_gather *gather)
{
    mls_ncu *ncu = calloc(1, sizeof *ncu);
    if (ncu != NULL) {
        ncu->gather = gather;
        ncu->launches.arena = &gather->arena;
    }
    return ncu;
}

void mls_ncu_free(mls_ncu *ncu)
{
    free(ncu);
}

mls_report_line mls_ncu_line(mls_ncu *ncu, mls_str line)
{
    return mls_str_starts(line, MLS_S("\"ID\","))           ? MLS_LINE_HEADING
           : ncu->any && line.len > 0 && line.ptr[0] == '"' ? MLS_LINE_ROW
                                                            : MLS_LINE_TEXT;
}

static void read_ncu_heading(mls_ncu *ncu, const mls_report_row *row)
{
    ncu->any = true;
    ncu->columns = row->count;
    for (size_t c = 0; c < COLUMNS; c++) {
        ncu->at[c] = MISSING;
    }
    for (size_t m = 0; m < METRICS; m++) {
        ncu->metric_at[m] = MISSING;
        ncu->factor[m] = metrics[m].metric == MLS_METRIC_DURATION ? (double)NAN : 1;
    }
    for (size_t i = 0; i < row->count; i++) {
        const mls_str name = mls_report_text(row, i);
        ncu->identity[i] = false;
        for (size_t c = 0; c < COLUMNS; c++) {
            if (mls_str_equal(name, mls_str_from(column_names[c]))) {
                ncu->at[c] = ncu->at[c] == MISSING ? i : ncu->at[c];
                ncu->identity[i] = true;
            }
        }
        for (size_t k = 0; k < sizeof identity_names / sizeof *identity_names; k++) {
            ncu->identity[i] |= mls_str_equal(name, mls_str_from(identity_names[k]));
        }
        for (size_t m = 0; m < METRICS; m++) {
            ncu->metric_at[m] = mls_str_equal(name, mls_str_from(metrics[m].name)) ? i : ncu->metric_at[m];
        }
    }
    ncu->raw = ncu->at[COLUMN_METRIC] == MISSING;
    ncu->units_due = ncu->raw;
}

/* What a value in this unit is to be multiplied with: to milliseconds, or 1 for percent.  NAN: no such unit. */
static double factor_of(mls_counter_metric metric, mls_str unit)
{
    static const struct {
        const char *words;
        double factor;
    } times[] = {{"ns nsecond", 1e-6}, {"us usecond", 1e-3}, {"ms msecond", 1}, {"s second", 1e3}};
    if (metric != MLS_METRIC_DURATION) {
        return mls_str_equal(unit, MLS_S("%")) ? 1 : (double)NAN;
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (unit.len > 0 && mls_str_among(unit, times[i].words)) {
            return times[i].factor;
        }
    }
    return (double)NAN;
}

/* The text of a column; empty where the heading lacks it, or the row ends before. */
static mls_str column_text(const mls_ncu *ncu, const mls_report_row *row, ncu_column column)
{
    return ncu->at[column] < row->count ? mls_report_text(row, ncu->at[column]) : (mls_str){"", 0};
}

/* The launch of a row; NULL: memory ran out, or (*why) it cannot be told. */
static mls_launch *launch_of(mls_ncu *ncu, const mls_report_row *row, const char **why)
{
    enum { KEY_MAX = 100 };
    char key[KEY_MAX];
    const mls_str id = column_text(ncu, row, COLUMN_ID);
    const mls_str process = column_text(ncu, row, COLUMN_PROCESS);
    const mls_str kernel = column_text(ncu, row, COLUMN_KERNEL);
    mls_gather *gather = ncu->gather;
    bool added;
    if (id.len == 0 || id.len + process.len + 1 > KEY_MAX || kernel.len == 0) {
        *why = id.len == 0 ? "it has no ID" : "it has no kernel, or an ID that is none";
        return NULL;
    }
    memcpy(key, id.ptr, id.len);
    key[id.len] = ' ';
    memcpy(key + id.len + 1, process.ptr, process.len);
    mls_map_entry *entry = mls_map_put(&ncu->launches, (mls_str){key, id.len + 1 + process.len}, &added);
    if (entry == NULL || (added && !MLS_GROW(&gather->launches, items))) {
        return NULL;
    }
    if (added) {
        entry->value.number = gather->launches.count;
        gather->launches.items[gather->launches.count] = (mls_launch){0};
        if (!mls_gather_name(gather, kernel, &gather->launches.items[gather->launches.count].id)) {
            return NULL;
        }
        gather->launches.count++;
    }
    return &gather->launches.items[entry->value.number];
}

/* A number that was measured; `metric` is its row of the table, METRICS: of none that is asked for. */
static void take_metric(mls_ncu *ncu, mls_launch *launch, size_t metric, double factor, mls_str text)
{
    mls_decimal number;
    if (!mls_decimal_parse_local(text, &ncu->gather->marks, &number) || metric == METRICS || !isfinite(factor) ||
        number.negative) {
        return;
    }
    const mls_counter_metric kind = metrics[metric].metric;
    if (launch->rank[kind] < metrics[metric].rank) {
        launch->rank[kind] = metrics[metric].rank;
        launch->value[kind] = mls_decimal_double(&number) * factor;
        launch->open[kind] = number.open;
    }
}

static void take_details(mls_ncu *ncu, const mls_report_row *row, mls_launch *launch)
{
    const mls_str name = column_text(ncu, row, COLUMN_METRIC);
    const mls_str unit = column_text(ncu, row, COLUMN_UNIT);
    size_t metric = 0;
    while (metric < METRICS && !mls_str_equal(name, mls_str_from(metrics[metric].name))) {
        metric++;
    }
    take_metric(ncu, launch, metric, metric < METRICS ? factor_of(metrics[metric].metric, unit) : 1,
                column_text(ncu, row, COLUMN_VALUE));
}

static void take_raw(mls_ncu *ncu, const mls_report_row *row, mls_launch *launch)
{
    for (size_t i = 0; i < row->count; i++) {
        size_t metric = 0;
        while (metric < METRICS && ncu->metric_at[metric] != i) {
            metric++;
        }
        if (!ncu->identity[i]) {
            take_metric(ncu, launch, metric, metric < METRICS ? ncu->factor[metric] : 1, mls_report_text(row, i));
        }
    }
}

static void take_units(mls_ncu *ncu, const mls_report_row *row)
{
    for (size_t m = 0; m < METRICS; m++) {
        if (ncu->metric_at[m] < row->count) {
            ncu->factor[m] = factor_of(metrics[m].metric, mls_report_text(row, ncu->metric_at[m]));
        }
    }
}

mls_status mls_ncu_row(mls_ncu *ncu, const mls_report_row *row, bool heading)
{
    const char *why = NULL;
    if (heading) {
        read_ncu_heading(ncu, row);
        return MLS_OK;
    }
    if (ncu->units_due && row->count == ncu->columns && column_text(ncu, row, COLUMN_ID).len == 0) {
        ncu->units_due = false;
        take_units(ncu, row);
        return MLS_OK;
    }
    ncu->units_due = false;
    const size_t last = ncu->raw ? ncu->columns - 1 : ncu->at[COLUMN_VALUE];
    if (ncu->at[COLUMN_KERNEL] == MISSING || last == MISSING) {
        why = "the heading names no kernel, or no value";
    } else if (row->count <= last || row->count <= ncu->at[COLUMN_KERNEL] || row->count > ncu->columns + 1) {
        why =
            row->count <= ncu->columns ? "it has fewer fields than the heading" : "it has more fields than the heading";
    } else {
        mls_launch *launch = launch_of(ncu, row, &why);
        if (launch == NULL && why == NULL) {
            return MLS_ERROR_MEMORY;
        }
        if (launch != NULL) {
            (ncu->raw ? take_raw : take_details)(ncu, row, launch);
        }
    }
    if (why != NULL) {
        mls_report_damaged(ncu->gather, row->line, why);
    }
    return MLS_OK;
}

bool mls_ncu_finish(mls_ncu *ncu)
{
    ncu->gather->profile->kind = MLS_PROFILE_NCU;
    ncu->gather->profile->complete = true;
    return ncu->any;
}
