/* SPDX-License-Identifier: Apache-2.0 */
/* ncu.c - counters of Nsight Compute: page details, a row for each metric, or page raw, a row for each launch; what
 * bounds each kernel by them, and what the tool's rules advise. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/gather.h"
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
    for (size_t i = 0; i < MLS_NCU_NAMES; i++)
        r->ncu.factor[i] = metrics[i].metric == MLS_NCU_DURATION ? (double)NAN : 1;
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
    const mls_map_entry *entry = mls_map_put(&r->ncu.launches, (mls_str){key, id.len + 1 + process.len}, &added);
    if (added) {
        MLS_GROW(&gather->launches, items);
        gather->launches.items[gather->launches.count++] = (mls_launch){.row = mls_gather_name(gather, kernel)};
    }
    *why = NULL;
    return &gather->launches.items[entry - r->ncu.launches.entries];
}

/* A number that was measured; it shows how numbers are written even when it is of no metric that is asked for. */
static void take_metric(mls_reports *r, mls_launch *launch, unsigned char metric, double factor, mls_str text)
{
    mls_decimal number;
    if (!mls_decimal_parse_local(text, &r->gather->marks, &number) || metric >= MLS_NCU_NAMES || !isfinite(factor) ||
        number.negative)
        return;
    const mls_ncu_metric kind = metrics[metric].metric;
    const double value =
        mls_decimal_double(&number) * factor / mls_gather_divisor(r->gather, number.open, kind != MLS_NCU_DURATION);
    const bool busier = kind == MLS_NCU_CACHE && value > launch->value[kind];
    if (launch->rank[kind] < metrics[metric].rank || busier) {
        launch->rank[kind] = metrics[metric].rank;
        launch->value[kind] = value;
    }
}

/* Keeps a rule that says how much faster the kernel may be. */
static void take_rule(mls_reports *r, const mls_launch *launch)
{
    mls_gather *gather = r->gather;
    mls_tally *rules = &gather->tallies[MLS_TALLY_RULES];
    mls_marks marks = gather->marks;
    mls_decimal number;
    bool full;
    const mls_str name = mls_report_text(r, r->at[MLS_ROLE_RULE]);
    if (name.len == 0 || !mls_decimal_parse_local(mls_report_text(r, r->at[MLS_ROLE_SPEEDUP]), &marks, &number) ||
        number.negative)
        return;
    const mls_tally_row *rule = mls_tally_put(rules, name, &full);
    if (full)
        return;
    MLS_GROW(&gather->advice, items);
    gather->advice.items[gather->advice.count++] =
        (mls_ncu_advice){.launch = (uint32_t)(launch - gather->launches.items),
                         .rule = (uint32_t)(rule - rules->rows),
                         .global = mls_str_equal(mls_report_text(r, r->at[MLS_ROLE_SCOPE]), MLS_S("global")),
                         .speedup = mls_decimal_double(&number) / mls_gather_divisor(gather, number.open, true)};
}

const char *mls_ncu_row(mls_reports *r)
{
    const char *why;
    const bool units_due = r->ncu.units_due;
    const size_t kernel = r->at[MLS_ROLE_KERNEL];
    const size_t last = r->ncu.raw ? r->columns - 1 : r->at[MLS_ROLE_VALUE];
    r->ncu.units_due = false;
    if (units_due && r->count == r->columns && mls_report_text(r, r->at[MLS_ROLE_ID]).len == 0) {
        for (size_t i = 0; i < r->count; i++) {
            const unsigned char metric = r->ncu.metric_of[i];
            if (metric < MLS_NCU_NAMES)
                r->ncu.factor[metric] = factor_of(metric, mls_report_text(r, i));
        }
        return NULL;
    }
    if (kernel == MLS_ABSENT || last == MLS_ABSENT)
        return "the heading names no kernel, or no value";
    if (r->count <= last || r->count <= kernel || r->count > r->columns + 1)
        return r->count <= r->columns ? "it has fewer fields than the heading" : "it has more fields than the heading";
    mls_launch *launch = launch_of(r, &why);
    if (launch == NULL)
        return why;
    if (!r->ncu.raw) {
        const unsigned char metric = find_metric(mls_report_text(r, r->at[MLS_ROLE_METRIC]));
        const double factor = factor_of(metric, mls_report_text(r, r->at[MLS_ROLE_UNIT]));
        take_metric(r, launch, metric, factor, mls_report_text(r, r->at[MLS_ROLE_VALUE]));
        take_rule(r, launch);
        return NULL;
    }
    for (size_t i = 0; i < r->count && i < r->columns; i++) {
        const unsigned char metric = r->ncu.metric_of[i];
        if (metric != METRIC_NONE)
            take_metric(r, launch, metric, metric < MLS_NCU_NAMES ? r->ncu.factor[metric] : 1, mls_report_text(r, i));
    }
    return NULL;
}

/* Of the rule SpeedOfLight, in percent. */
enum { LATENCY_BELOW = 60, NEAR_PEAK_FROM = 80, BALANCED_BELOW = 10 };

/* A metric of the launches of one kernel that have it. */
typedef struct metric_sums {
    uint64_t launches, timed;
    double plain, weighted, duration;
} metric_sums;

/* Of the launches that have both throughputs. */
typedef struct kernel_sums {
    metric_sums of[MLS_NCU_DURATION];
} kernel_sums;

const char *const mls_profile_bound_names[MLS_BOUND_COUNT] = {"compute", "memory", "balanced", "latency", "unknown"};

static bool is_measured(const mls_launch *launch)
{
    return launch->rank[MLS_NCU_COMPUTE] > 0 &&
           (launch->rank[MLS_NCU_MEMORY] > 0 || launch->rank[MLS_NCU_DRAM] > 0 || launch->rank[MLS_NCU_CACHE] > 0);
}

/* Where the throughput of memory is at least so much, it may be all the same that is more. */
static mls_profile_bound bound_of(double compute, double memory, bool at_least)
{
    if (at_least)
        return memory >= LATENCY_BELOW && memory - compute >= BALANCED_BELOW ? MLS_BOUND_MEMORY : MLS_BOUND_UNKNOWN;
    return compute < LATENCY_BELOW && memory < LATENCY_BELOW ? MLS_BOUND_LATENCY
           : fabs(compute - memory) < BALANCED_BELOW         ? MLS_BOUND_BALANCED
           : compute > memory                                ? MLS_BOUND_COMPUTE
                                                             : MLS_BOUND_MEMORY;
}

/* Counts a launch among the kernels, timed or not. */
static void count_launch(mls_gather *gather, mls_launch *launch)
{
    const double duration = launch->value[MLS_NCU_DURATION];
    const bool timed = launch->rank[MLS_NCU_DURATION] > 0 && duration < 9e12;
    const double ns = timed ? floor(duration * 1e6 + 0.5) : (double)NAN;
    mls_sums_add(&gather->tallies[MLS_TALLY_KERNELS].rows[launch->row].sums, 1, timed ? ns : 0, ns, ns);
}

static void sum_launch(kernel_sums *sums, const mls_launch *launch)
{
    const bool timed = launch->rank[MLS_NCU_DURATION] > 0;
    const double duration = timed ? launch->value[MLS_NCU_DURATION] : 0;
    for (size_t i = 0; i < MLS_NCU_DURATION; i++) {
        if (launch->rank[i] > 0) {
            sums->of[i].launches++;
            sums->of[i].timed += timed;
            sums->of[i].plain += launch->value[i];
            sums->of[i].weighted += launch->value[i] * duration;
            sums->of[i].duration += duration;
        }
    }
}

/* Weighted by duration where all have one; NAN: none was measured. */
static double metric_mean(const metric_sums *sums)
{
    return sums->timed == sums->launches && sums->launches > 1 && sums->duration > 0
               ? sums->weighted / sums->duration
               : sums->plain / (double)sums->launches;
}

static mls_profile_counter counter_of(const mls_gather *gather, const mls_tally_row *row, const kernel_sums *sums)
{
    const metric_sums *both = &sums->of[MLS_NCU_COMPUTE];
    const double compute = metric_mean(both);
    const double whole = metric_mean(&sums->of[MLS_NCU_MEMORY]);
    const bool at_least = sums->of[MLS_NCU_MEMORY].launches < both->launches;
    const double parts = fmax(metric_mean(&sums->of[MLS_NCU_DRAM]), metric_mean(&sums->of[MLS_NCU_CACHE]));
    const double memory = at_least ? fmax(parts, whole) : whole;
    const double waves = metric_mean(&sums->of[MLS_NCU_WAVES]);
    return (mls_profile_counter){
        .name = row->name,
        .class_name = gather->classes->names[row->class_number],
        .launches = both->launches,
        .duration_ms = both->timed == both->launches ? both->duration : (double)NAN,
        .compute_percent = compute,
        .memory_percent = memory,
        .dram_percent = metric_mean(&sums->of[MLS_NCU_DRAM]),
        .memory_at_least = at_least,
        .occupancy_percent = metric_mean(&sums->of[MLS_NCU_OCCUPANCY]),
        .occupancy_most_percent = metric_mean(&sums->of[MLS_NCU_OCCUPANCY_MOST]),
        .waves = waves,
        .tail_share = waves > 0 ? 1 - waves / ceil(waves) : (double)NAN,
        .bound = bound_of(compute, memory, at_least),
        .near_peak = fmax(compute, memory) >= NEAR_PEAK_FROM,
    };
}

static int compare_counters(const void *a, const void *b)
{
    const mls_profile_counter *x = a;
    const mls_profile_counter *y = b;
    const double left = isfinite(x->duration_ms) ? x->duration_ms : -1;
    const double right = isfinite(y->duration_ms) ? y->duration_ms : -1;
    return left != right ? (left < right ? 1 : -1) : mls_str_compare(x->name, y->name);
}

/* How much of the time, or of the launches, each bound has. */
static void share_bounds(mls_profile *profile)
{
    mls_profile_bounded of[MLS_BOUND_COUNT] = {0};
    double total = 0;
    /* Those whose duration is not known come last. */
    profile->bounds_by_time =
        profile->counter_count == 0 || isfinite(profile->counters[profile->counter_count - 1].duration_ms);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_profile_counter *counter = &profile->counters[i];
        const double weight = profile->bounds_by_time ? counter->duration_ms : (double)counter->launches;
        of[counter->bound].launches += counter->launches;
        of[counter->bound].share += weight;
        total += weight;
    }
    for (mls_profile_bound i = 0; i < MLS_BOUND_COUNT; i++) {
        if (of[i].launches > 0) {
            profile->bounds[profile->bound_count++] =
                (mls_profile_bounded){i, of[i].launches, total > 0 ? of[i].share / total : (double)NAN};
        }
    }
}

/* The kernels with counters in their order, and known to their rows. */
static void list_counters(mls_gather *gather, const kernel_sums *sums)
{
    mls_profile *profile = gather->profile;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    for (size_t i = MLS_ROW_NAME; i < kernels->count; i++)
        if (sums[i].of[MLS_NCU_COMPUTE].launches > 0)
            profile->counters[profile->counter_count++] = counter_of(gather, &kernels->rows[i], &sums[i]);
    qsort(profile->counters, profile->counter_count, sizeof *profile->counters, compare_counters);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_map_entry *entry = mls_map_find(&kernels->map, profile->counters[i].name);
        kernels->rows[entry->value.number].counter = &profile->counters[i];
    }
    profile->has_counters = true;
    share_bounds(profile);
}

void mls_gather_counters(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    const size_t rows = gather->tallies[MLS_TALLY_KERNELS].count;
    kernel_sums *sums = mls_calloc(rows, sizeof *sums);
    size_t missing = 0;
    profile->counters = mls_arena_array(gather->arena, rows, sizeof *profile->counters);
    for (size_t i = 0; i < gather->launches.count; i++) {
        mls_launch *launch = &gather->launches.items[i];
        count_launch(gather, launch);
        missing += !is_measured(launch);
        if (is_measured(launch))
            sum_launch(&sums[launch->row], launch);
    }
    list_counters(gather, sums);

    free(sums);
    if (missing > 0) {
        mls_findings_add(&profile->findings, MLS_FINDING_COUNTERS_MISSING, (mls_finding_place){0},
                         "%zu of %zu launches have no throughput of computing or none of memory", missing,
                         gather->launches.count);
    }
}

/* Whether advice is not of one rule for one kernel, and which comes first. */
static int compare_rules(const mls_ncu_advice *x, const mls_ncu_advice *y)
{
    const int64_t order = x->row != y->row     ? (int64_t)x->row - y->row
                          : x->rule != y->rule ? (int64_t)x->rule - y->rule
                                               : (int64_t)x->global - y->global;
    return (order > 0) - (order < 0);
}

static int compare_advice(const void *a, const void *b)
{
    const mls_ncu_advice *x = a;
    const mls_ncu_advice *y = b;
    const int order = compare_rules(x, y);
    return order != 0 ? order : (x->launch > y->launch) - (x->launch < y->launch);
}

/* Advice on the whole kernel comes before advice on a part, as only the former can be compared. */
static int compare_gains(const void *a, const void *b)
{
    const mls_profile_advice *x = a;
    const mls_profile_advice *y = b;
    const double left = x->global && isfinite(x->gain_ms) ? x->gain_ms : -1;
    const double right = y->global && isfinite(y->gain_ms) ? y->gain_ms : -1;
    const double most = y->speedup_percent - x->speedup_percent;
    return x->global != y->global ? (x->global ? -1 : 1)
           : left != right        ? (left < right ? 1 : -1)
           : most != 0            ? (most > 0 ? 1 : -1)
                                  : mls_str_compare(x->name, y->name);
}

static const char *words_of(const mls_kernel_classes *classes, mls_str rule)
{
    unsigned i;
    return MLS_NAME_FIND(classes->ncu_rules, classes->ncu_rule_count, rule, &i) ? classes->ncu_rules[i].words : "";
}

/* Adds the speedup that a rule expects of a launch. */
static void add_launch(mls_profile_advice *to, const mls_launch *launch, double speedup)
{
    const double duration = launch->rank[MLS_NCU_DURATION] > 0 ? launch->value[MLS_NCU_DURATION] : (double)NAN;
    to->launches++;
    to->duration_ms += duration;
    to->gain_ms += duration * speedup / 100;
    to->speedup_percent += speedup;
}

void mls_gather_list_advice(mls_gather *gather)
{
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    mls_profile *profile = gather->profile;
    mls_ncu_advice *items = gather->advice.items;
    const size_t count = gather->advice.count;
    mls_profile_advice *to = mls_arena_array(gather->arena, count + 1, sizeof *to);
    profile->advice = to;
    for (size_t i = 0; i < count; i++)
        items[i].row = gather->launches.items[items[i].launch].row;
    if (count == 0)
        return;
    qsort(items, count, sizeof *items, compare_advice);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_rules(&items[i - 1], &items[i]) != 0) {
            const mls_str rule = gather->tallies[MLS_TALLY_RULES].rows[items[i].rule].name;
            to = &profile->advice[profile->advice_count++];
            *to = (mls_profile_advice){.name = kernels->rows[items[i].row].name,
                                       .rule = rule,
                                       .words = words_of(gather->classes, rule),
                                       .global = items[i].global};
        }
        double most = items[i].speedup; /* a rule may say several things of a launch */
        while (i + 1 < count && compare_advice(&items[i], &items[i + 1]) == 0)
            most = fmax(most, items[++i].speedup);
        add_launch(to, &gather->launches.items[items[i].launch], most);
    }
    for (size_t i = 0; i < profile->advice_count; i++) {
        to = &profile->advice[i];
        to->speedup_percent =
            to->duration_ms > 0 ? 100 * to->gain_ms / to->duration_ms : to->speedup_percent / (double)to->launches;
        to->gain_ms = to->global ? mls_number_round(to->gain_ms, 9) : (double)NAN;
    }
    qsort(profile->advice, profile->advice_count, sizeof *profile->advice, compare_gains);
}
