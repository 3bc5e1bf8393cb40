/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - what bounds a kernel: counters of its launches, and the thresholds of Nsight Compute's own rule. */
#include <math.h>
#include <stdlib.h>

#include "profile/gather.h"

/* Of the rule SpeedOfLight, in percent. */
enum { LATENCY_BELOW = 60, NEAR_PEAK_FROM = 80, BALANCED_BELOW = 10 };

/* Sums of the launches of one kernel that have both throughputs. */
typedef struct kernel_sums {
    uint64_t launches, timed, with_dram, dram_timed;
    double duration;
    double plain[MLS_METRIC_COUNT], weighted[MLS_METRIC_COUNT];
    double dram_duration;
} kernel_sums;

static bool is_measured(const mls_launch *launch)
{
    return launch->rank[MLS_METRIC_COMPUTE] > 0 && launch->rank[MLS_METRIC_MEMORY] > 0;
}

static mls_profile_bound bound_of(double compute, double memory)
{
    return compute < LATENCY_BELOW && memory < LATENCY_BELOW ? MLS_BOUND_LATENCY
           : fabs(compute - memory) < BALANCED_BELOW         ? MLS_BOUND_BALANCED
           : compute > memory                                ? MLS_BOUND_COMPUTE
                                                             : MLS_BOUND_MEMORY;
}

const char *mls_profile_bound_name(mls_profile_bound bound)
{
    static const char *const names[] = {"compute", "memory", "balanced", "latency"};
    return names[bound];
}

static void settle_launch(mls_launch *launch, mls_marks marks)
{
    for (size_t i = 0; i < MLS_METRIC_COUNT; i++) {
        launch->value[i] /= mls_marks_decimal(marks, launch->open[i], i != MLS_METRIC_DURATION) ? 1000 : 1;
    }
}

/* Counts a launch among the kernels, timed or not. */
static void count_launch(mls_gather *gather, const mls_launch *launch)
{
    mls_tally_row *row = mls_gather_row(gather, launch->id);
    row->count.sure++;
    if (launch->rank[MLS_METRIC_DURATION] > 0 && launch->value[MLS_METRIC_DURATION] < 9e12) {
        const int64_t ns = (int64_t)(launch->value[MLS_METRIC_DURATION] * 1e6 + 0.5);
        row->total_ns.sure = mls_add_ns(row->total_ns.sure, ns);
        row->least_ns.sure = row->least_ns.sure < 0 || ns < row->least_ns.sure ? ns : row->least_ns.sure;
        row->most_ns.sure = ns > row->most_ns.sure ? ns : row->most_ns.sure;
    }
}

static void sum_launch(kernel_sums *sums, const mls_launch *launch)
{
    const bool timed = launch->rank[MLS_METRIC_DURATION] > 0;
    const double duration = timed ? launch->value[MLS_METRIC_DURATION] : 0;
    const bool dram = launch->rank[MLS_METRIC_DRAM] > 0;
    sums->launches++;
    sums->timed += timed;
    sums->with_dram += dram;
    sums->dram_timed += dram && timed;
    sums->duration += duration;
    sums->dram_duration += dram ? duration : 0;
    for (size_t i = 0; i < MLS_METRIC_DURATION; i++) {
        sums->plain[i] += launch->value[i];
        sums->weighted[i] += launch->value[i] * duration;
    }
}

static mls_profile_counter counter_of(const kernel_sums *sums, mls_str name, const char *class_name)
{
    const bool timed = sums->timed == sums->launches && sums->duration > 0;
    const bool dram_timed = sums->dram_timed == sums->with_dram && sums->dram_duration > 0;
    double mean[MLS_METRIC_DURATION];
    for (size_t i = 0; i < MLS_METRIC_DURATION; i++) {
        const bool weigh = i == MLS_METRIC_DRAM ? dram_timed : timed;
        const double count = (double)(i == MLS_METRIC_DRAM ? sums->with_dram : sums->launches);
        const double duration = i == MLS_METRIC_DRAM ? sums->dram_duration : sums->duration;
        mean[i] = weigh ? sums->weighted[i] / duration : sums->plain[i] / count;
    }
    const double larger = fmax(mean[MLS_METRIC_COMPUTE], mean[MLS_METRIC_MEMORY]);
    return (mls_profile_counter){
        .name = name,
        .class_name = class_name,
        .launches = sums->launches,
        .duration_ms = sums->timed == sums->launches ? sums->duration : (double)NAN,
        .compute_percent = mean[MLS_METRIC_COMPUTE],
        .memory_percent = mean[MLS_METRIC_MEMORY],
        .dram_percent = sums->with_dram > 0 ? mean[MLS_METRIC_DRAM] : (double)NAN,
        .bound = bound_of(mean[MLS_METRIC_COMPUTE], mean[MLS_METRIC_MEMORY]),
        .near_peak = larger >= NEAR_PEAK_FROM,
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

static int compare_counter_names(const void *a, const void *b)
{
    return mls_str_compare((*(const mls_profile_counter *const *)a)->name,
                           (*(const mls_profile_counter *const *)b)->name);
}

const mls_profile_counter *mls_profile_counter_of(const mls_profile *profile, mls_str name)
{
    const mls_profile_counter key = {.name = name};
    const mls_profile_counter *wanted = &key;
    const mls_profile_counter **found = profile->counter_count == 0
                                            ? NULL
                                            : bsearch(&wanted, profile->counters_by_name, profile->counter_count,
                                                      sizeof(const mls_profile_counter *), compare_counter_names);
    return found != NULL ? *found : NULL;
}

/* How much of the time, or of the launches, each bound has. */
static void share_bounds(mls_profile *profile)
{
    double weights[MLS_BOUND_COUNT] = {0};
    double total = 0;
    bool timed = true;
    for (size_t i = 0; i < profile->counter_count; i++) {
        timed = timed && isfinite(profile->counters[i].duration_ms);
    }
    profile->bounds_by_time = timed;
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_profile_counter *counter = &profile->counters[i];
        const double weight = timed ? counter->duration_ms : (double)counter->launches;
        profile->bounds[counter->bound].launches += counter->launches;
        weights[counter->bound] += weight;
        total += weight;
    }
    for (size_t i = 0; i < MLS_BOUND_COUNT; i++) {
        profile->bounds[i].share = total > 0 ? weights[i] / total : (double)NAN;
    }
}

bool mls_gather_counters(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    const size_t names = gather->kernels.count;
    kernel_sums *sums = calloc(names + MLS_CLASSES_MAX, sizeof *sums);
    size_t missing = 0;
    profile->counters = mls_arena_array(&gather->arena, names + 1, sizeof *profile->counters);
    profile->counters_by_name = mls_arena_array(&gather->arena, names + 1, sizeof(const mls_profile_counter *));
    if (sums == NULL || profile->counters == NULL || profile->counters_by_name == NULL) {
        free(sums);
        return false;
    }
    for (size_t i = 0; i < gather->launches.count; i++) {
        mls_launch *launch = &gather->launches.items[i];
        settle_launch(launch, gather->marks);
        count_launch(gather, launch);
        missing += !is_measured(launch);
        if (is_measured(launch) && launch->id < names) {
            sum_launch(&sums[launch->id], launch);
        }
    }
    for (size_t i = 0; i < names; i++) {
        if (sums[i].launches > 0) {
            profile->counters[profile->counter_count++] =
                counter_of(&sums[i], gather->kernels.map.entries[i].key,
                           mls_class_name(gather->classes, gather->kernels.rows[i].class_number));
        }
    }
    free(sums);
    qsort(profile->counters, profile->counter_count, sizeof *profile->counters, compare_counters);
    for (size_t i = 0; i < profile->counter_count; i++) {
        profile->counters_by_name[i] = &profile->counters[i];
    }
    qsort(profile->counters_by_name, profile->counter_count, sizeof(const mls_profile_counter *),
          compare_counter_names);
    profile->has_counters = true;
    share_bounds(profile);
    if (missing > 0) {
        mls_findings_add(&profile->findings, MLS_FINDING_COUNTERS_MISSING, (mls_finding_place){0},
                         "%zu of %zu launches have no throughput of computing or none of memory", missing,
                         gather->launches.count);
    }
    return true;
}
