/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - what bounds a kernel: counters of its launches, and the thresholds of Nsight Compute's own rule. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "explain/profile/gather.h"

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
    if (at_least) {
        return memory >= LATENCY_BELOW && memory - compute >= BALANCED_BELOW ? MLS_BOUND_MEMORY : MLS_BOUND_UNKNOWN;
    }
    return compute < LATENCY_BELOW && memory < LATENCY_BELOW ? MLS_BOUND_LATENCY
           : fabs(compute - memory) < BALANCED_BELOW         ? MLS_BOUND_BALANCED
           : compute > memory                                ? MLS_BOUND_COMPUTE
                                                             : MLS_BOUND_MEMORY;
}

/* Counts a launch among the kernels, timed or not. */
static void count_launch(mls_gather *gather, mls_launch *launch)
{
    for (size_t i = 0; i < MLS_NCU_METRICS; i++) {
        launch->value[i] /= mls_locale_divisor(gather->locale, launch->open[i], i != MLS_NCU_DURATION);
        launch->open[i] = '\0';
    }
    const double duration = launch->value[MLS_NCU_DURATION];
    const bool timed = launch->rank[MLS_NCU_DURATION] > 0 && duration < 9e12;
    const double ns = timed ? floor(duration * 1e6 + 0.5) : (double)NAN;
    mls_sums_add(&gather->tallies[MLS_TALLY_KERNELS].rows[launch->row].in[gather->locale], 1, timed ? ns : 0, ns, ns);
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
    for (size_t i = MLS_ROW_NAME; i < kernels->count; i++) {
        if (sums[i].of[MLS_NCU_COMPUTE].launches > 0) {
            profile->counters[profile->counter_count++] = counter_of(gather, &kernels->rows[i], &sums[i]);
        }
    }
    qsort(profile->counters, profile->counter_count, sizeof *profile->counters, compare_counters);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_map_entry *entry = mls_map_find(&kernels->map, profile->counters[i].name);
        kernels->rows[entry->value.number].counter = &profile->counters[i];
    }
    profile->has_counters = true;
    share_bounds(profile);
}

bool mls_gather_counters(mls_gather *gather)
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
        if (is_measured(launch)) {
            sum_launch(&sums[launch->row], launch);
        }
    }
    list_counters(gather, sums);

    free(sums);
    if (missing > 0) {
        mls_findings_add(&profile->findings, MLS_FINDING_COUNTERS_MISSING, (mls_finding_place){0},
                         "%zu of %zu launches have no throughput of computing or none of memory", missing,
                         gather->launches.count);
    }
    return profile->has_counters;
}
