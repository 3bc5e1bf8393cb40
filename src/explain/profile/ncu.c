/* SPDX-License-Identifier: Apache-2.0 */
/* ncu.c - what bounds each kernel by the counters of Nsight Compute, and what the tool's rules advise. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/gather.h"

/* Thresholds of the rule SpeedOfLight, in percent. */
enum { LATENCY_BELOW = 60, NEAR_PEAK_FROM = 80, BALANCED_BELOW = 10 };

/* Sums of one metric over the launches of one kernel that have it. */
typedef struct metric_sums {
    uint64_t launches, timed;
    double plain, weighted, duration;
} metric_sums;

/* Over the launches that have both throughputs. */
typedef struct kernel_sums {
    metric_sums of[MLS_NCU_DURATION];
} kernel_sums;

const char *const mls_profile_bound_names[MLS_BOUND_COUNT] = {"compute", "memory", "balanced", "latency", "unknown"};

/* Return the mean, weighted by duration if all launches have one; NAN: not measured. */
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
    /* If only a lower bound of the throughput of memory is known, memory may be the bound even if it looks lower. */
    const mls_profile_bound bound =
        at_least
            ? (memory >= LATENCY_BELOW && memory - compute >= BALANCED_BELOW ? MLS_BOUND_MEMORY : MLS_BOUND_UNKNOWN)
        : compute < LATENCY_BELOW && memory < LATENCY_BELOW ? MLS_BOUND_LATENCY
        : fabs(compute - memory) < BALANCED_BELOW           ? MLS_BOUND_BALANCED
        : compute > memory                                  ? MLS_BOUND_COMPUTE
                                                            : MLS_BOUND_MEMORY;
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
        .bound = bound,
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

void mls_gather_counters(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    kernel_sums *sums = mls_calloc(kernels->count, sizeof *sums);
    size_t missing = 0;
    for (size_t i = 0; i < gather->launches.count; i++) {
        const mls_launch *launch = &gather->launches.items[i];
        const bool timed = launch->rank[MLS_NCU_DURATION] > 0;
        const double duration = timed ? launch->value[MLS_NCU_DURATION] : 0;
        const double ns = timed && duration < 9e12 ? floor(duration * 1e6 + 0.5) : (double)NAN;
        mls_sums_add(&kernels->rows[launch->row].sums, 1, isnan(ns) ? 0 : ns, ns, ns);
        if (launch->rank[MLS_NCU_COMPUTE] == 0 ||
            (launch->rank[MLS_NCU_MEMORY] == 0 && launch->rank[MLS_NCU_DRAM] == 0 &&
             launch->rank[MLS_NCU_CACHE] == 0)) {
            missing++;
            continue;
        }
        for (size_t k = 0; k < MLS_NCU_DURATION; k++) {
            metric_sums *of = &sums[launch->row].of[k];
            if (launch->rank[k] > 0) {
                of->launches++;
                of->timed += timed;
                of->plain += launch->value[k];
                of->weighted += launch->value[k] * duration;
                of->duration += duration;
            }
        }
    }

    profile->has_counters = true;
    profile->counters = mls_arena_array(gather->arena, kernels->count, sizeof *profile->counters);
    for (size_t i = MLS_ROW_NAME; i < kernels->count; i++)
        if (sums[i].of[MLS_NCU_COMPUTE].launches > 0)
            profile->counters[profile->counter_count++] = counter_of(gather, &kernels->rows[i], &sums[i]);
    qsort(profile->counters, profile->counter_count, sizeof *profile->counters, compare_counters);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_map_entry *entry = mls_map_find(&kernels->map, profile->counters[i].name);
        kernels->rows[entry->value.number].counter = &profile->counters[i];
    }
    free(sums);

    /* The share of each bound in the time, or in the launches if the duration of the last kernels is unknown. */
    mls_profile_bounded of[MLS_BOUND_COUNT] = {0};
    double total = 0;
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
    if (missing > 0) {
        mls_findings_add(&profile->findings, MLS_FINDING_COUNTERS_MISSING, (mls_finding_place){0},
                         "%zu of %zu launches have no throughput of computing or none of memory", missing,
                         gather->launches.count);
    }
}

/* Return 0 if both are advice of one rule on one kernel. */
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

/* Order advice on whole kernels first: only its gains can be compared. */
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
        const mls_launch *launch = &gather->launches.items[items[i].launch];
        if (i == 0 || compare_rules(&items[i - 1], &items[i]) != 0) {
            const mls_kernel_classes *classes = gather->classes;
            const mls_str rule = gather->tallies[MLS_TALLY_RULES].rows[items[i].rule].name;
            unsigned k;
            const bool known = MLS_NAME_FIND(classes->ncu_rules, classes->ncu_rule_count, rule, &k);
            to = &profile->advice[profile->advice_count++];
            *to = (mls_profile_advice){.name = kernels->rows[items[i].row].name,
                                       .rule = rule,
                                       .words = known ? classes->ncu_rules[k].words : "",
                                       .global = items[i].global};
        }
        double most = items[i].speedup; /* a rule may report several speedups of a launch */
        while (i + 1 < count && compare_advice(&items[i], &items[i + 1]) == 0)
            most = fmax(most, items[++i].speedup);
        const double duration = launch->rank[MLS_NCU_DURATION] > 0 ? launch->value[MLS_NCU_DURATION] : (double)NAN;
        to->launches++;
        to->duration_ms += duration;
        to->gain_ms += duration * most / 100;
        to->speedup_percent += most;
    }
    for (size_t i = 0; i < profile->advice_count; i++) {
        to = &profile->advice[i];
        to->speedup_percent =
            to->duration_ms > 0 ? 100 * to->gain_ms / to->duration_ms : to->speedup_percent / (double)to->launches;
        to->gain_ms = to->global ? mls_number_round(to->gain_ms, 9) : (double)NAN;
    }
    qsort(profile->advice, profile->advice_count, sizeof *profile->advice, compare_gains);
}
