/* SPDX-License-Identifier: Apache-2.0 */
/* ncu.c - counters of Nsight Compute: page details, a row for each metric, or page raw, a row for each launch. */
#include <math.h>

#include "explain/profile/reports.h"

/* A metric under its names; of several that were measured the one with the highest rank counts. */
static const struct {
    const char *name;
    mls_ncu_metric metric;
    unsigned char rank;
} metrics[MLS_NCU_NAMES] = {
    {"Compute (SM) Throughput", MLS_NCU_COMPUTE, 2},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_COMPUTE, 1},
    {"Memory Throughput", MLS_NCU_MEMORY, 2},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_MEMORY, 1},
    {"DRAM Throughput", MLS_NCU_DRAM, 3},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_DRAM, 2},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_DRAM, 1},
    {"L1/TEX Cache Throughput", MLS_NCU_CACHE, 1},
    {"L2 Cache Throughput", MLS_NCU_CACHE, 1},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", MLS_NCU_CACHE, 1},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_CACHE, 1},
    {"Achieved Occupancy", MLS_NCU_OCCUPANCY, 2},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", MLS_NCU_OCCUPANCY, 1},
    {"Theoretical Occupancy", MLS_NCU_OCCUPANCY_MOST, 2},
    {"sm__maximum_warps_per_active_cycle_pct", MLS_NCU_OCCUPANCY_MOST, 1},
    {"Waves Per SM", MLS_NCU_WAVES, 2},
    {"launch__waves_per_multiprocessor", MLS_NCU_WAVES, 1},
    {"Duration", MLS_NCU_DURATION, 2},
    {"gpu__time_duration.sum", MLS_NCU_DURATION, 1},
};

/* Beside the metrics: a number that only shows how numbers are written; no number. */
enum { METRIC_OTHER = MLS_NCU_NAMES, METRIC_NONE };

static unsigned char find_metric(mls_str name)
{
    unsigned metric = MLS_NCU_NAMES;
    (void)MLS_NAME_FIND(metrics, MLS_NCU_NAMES, name, &metric);
    return (unsigned char)metric;
}

void mls_ncu_column(mls_reports *r, size_t column, mls_column_role role, mls_str name)
{
    /* Columns of page raw that are no metrics; that of the compute capability has a point in every locale. */
    static const char identity[] = "Process Name|Host Name|Context|Stream|Block Size|Grid Size|Device|CC";
    const bool none = (role >= MLS_ROLE_ID && role < MLS_ROLES) || mls_str_any(name, identity, mls_str_equal);
    r->ncu.metric_of[column] = none ? METRIC_NONE : find_metric(name);
}

void mls_ncu_heading(mls_reports *r)
{
    for (size_t i = 0; i < MLS_NCU_NAMES; i++) {
        r->ncu.factor[i] = metrics[i].metric == MLS_NCU_DURATION ? (double)NAN : 1;
    }
    r->ncu.raw = r->at[MLS_ROLE_METRIC] == MLS_ABSENT;
    r->ncu.units_due = r->ncu.raw;
}

/* The factor from the unit of a metric to milliseconds, or 1 for percent.  NAN: it has no such unit. */
static double factor_of(unsigned char metric, mls_str unit)
{
    static const double milliseconds[] = {1e-6, 1e-3, 1, 1e3};
    const int power = mls_time_power(unit);
    if (metric >= MLS_NCU_NAMES || metrics[metric].metric != MLS_NCU_DURATION) {
        const bool counted = metric < MLS_NCU_NAMES && metrics[metric].metric == MLS_NCU_WAVES;
        return counted || mls_str_equal(unit, MLS_S("%")) ? 1 : (double)NAN;
    }
    return power >= 0 ? milliseconds[power / 3] : (double)NAN;
}

/* The launch of a row; NULL with the reason why there is none. */
static mls_launch *launch_of(mls_reports *r, const char **why)
{
    enum { KEY_MAX = 100 };
    char key[KEY_MAX];
    const mls_str id = mls_report_text(r, r->at[MLS_ROLE_ID]);
    const mls_str process = mls_report_text(r, r->at[MLS_ROLE_PROCESS]);
    const mls_str kernel = mls_report_text(r, r->at[MLS_ROLE_KERNEL]);
    mls_gather *gather = r->gather;
    bool added;
    if (id.len == 0 || id.len + process.len + 1 > KEY_MAX || kernel.len == 0) {
        *why = id.len == 0 ? "it has no ID" : "it has no kernel, or an ID that is none";
        return NULL;
    }
    memcpy(key, id.ptr, id.len);
    key[id.len] = ' ';
    memcpy(key + id.len + 1, process.ptr, process.len);
    *why = mls_reason_memory;
    const mls_map_entry *entry = mls_map_put(&r->ncu.launches, (mls_str){key, id.len + 1 + process.len}, &added);
    if ((added && !MLS_GROW(&gather->launches, items))) {
        return NULL;
    }
    mls_launch *launch = &gather->launches.items[entry - r->ncu.launches.entries];
    if (added) {
        *launch = (mls_launch){0};
        gather->launches.count++;
    }
    *why = added && !mls_gather_name(gather, kernel, &launch->row) ? mls_reason_memory : NULL;
    return *why == NULL ? launch : NULL;
}

/* A number that was measured; it shows how numbers are written even when it is of no metric that is asked for. */
static void take_metric(mls_reports *r, mls_launch *launch, unsigned char metric, double factor, mls_str text)
{
    mls_decimal number;
    if (!mls_decimal_parse_local(text, &r->gather->marks, &number) || metric >= MLS_NCU_NAMES || !isfinite(factor) ||
        number.negative) {
        return;
    }
    const mls_ncu_metric kind = metrics[metric].metric;
    const double value = mls_decimal_double(&number) * factor;
    const bool busier = kind == MLS_NCU_CACHE && number.open == launch->open[kind] && value > launch->value[kind];
    if (launch->rank[kind] < metrics[metric].rank || busier) {
        launch->rank[kind] = metrics[metric].rank;
        launch->value[kind] = value;
        launch->open[kind] = number.open;
    }
}

static void take_details(mls_reports *r, mls_launch *launch)
{
    const unsigned char metric = find_metric(mls_report_text(r, r->at[MLS_ROLE_METRIC]));
    const double factor = factor_of(metric, mls_report_text(r, r->at[MLS_ROLE_UNIT]));
    take_metric(r, launch, metric, factor, mls_report_text(r, r->at[MLS_ROLE_VALUE]));
}

/* Keeps a rule that says how much faster the kernel may be.  False: no memory. */
static bool take_rule(mls_reports *r, const mls_launch *launch)
{
    mls_gather *gather = r->gather;
    mls_tally *rules = &gather->tallies[MLS_TALLY_RULES];
    mls_marks marks = gather->marks;
    mls_decimal number;
    bool full;
    const mls_str name = mls_report_text(r, r->at[MLS_ROLE_RULE]);
    if (name.len == 0 || !mls_decimal_parse_local(mls_report_text(r, r->at[MLS_ROLE_SPEEDUP]), &marks, &number) ||
        number.negative) {
        return true;
    }
    const mls_tally_row *rule = mls_tally_put(rules, name, &full);
    if (rule == NULL || !MLS_GROW(&gather->advice, items)) {
        return rule == NULL && full;
    }
    gather->advice.items[gather->advice.count++] =
        (mls_ncu_advice){.launch = (uint32_t)(launch - gather->launches.items),
                         .rule = (uint32_t)(rule - rules->rows),
                         .open = number.open,
                         .global = mls_str_equal(mls_report_text(r, r->at[MLS_ROLE_SCOPE]), MLS_S("global")),
                         .speedup = mls_decimal_double(&number)};
    return true;
}

static void take_raw(mls_reports *r, mls_launch *launch)
{
    for (size_t i = 0; i < r->count && i < r->columns; i++) {
        const unsigned char metric = r->ncu.metric_of[i];
        if (metric != METRIC_NONE) {
            take_metric(r, launch, metric, metric < MLS_NCU_NAMES ? r->ncu.factor[metric] : 1, mls_report_text(r, i));
        }
    }
}

static void take_units(mls_reports *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const unsigned char metric = r->ncu.metric_of[i];
        if (metric < MLS_NCU_NAMES) {
            r->ncu.factor[metric] = factor_of(metric, mls_report_text(r, i));
        }
    }
}

const char *mls_ncu_row(mls_reports *r)
{
    const char *why;
    const bool units_due = r->ncu.units_due;
    const size_t kernel = r->at[MLS_ROLE_KERNEL];
    const size_t last = r->ncu.raw ? r->columns - 1 : r->at[MLS_ROLE_VALUE];
    r->ncu.units_due = false;
    if (units_due && r->count == r->columns && mls_report_text(r, r->at[MLS_ROLE_ID]).len == 0) {
        take_units(r);
        return NULL;
    }
    if (kernel == MLS_ABSENT || last == MLS_ABSENT) {
        return "the heading names no kernel, or no value";
    }
    if (r->count <= last || r->count <= kernel || r->count > r->columns + 1) {
        return r->count <= r->columns ? "it has fewer fields than the heading" : "it has more fields than the heading";
    }
    mls_launch *launch = launch_of(r, &why);
    if (launch != NULL) {
        (r->ncu.raw ? take_raw : take_details)(r, launch);
        why = r->ncu.raw || take_rule(r, launch) ? why : mls_reason_memory;
    }
    return why;
}
