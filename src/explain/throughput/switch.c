/* SPDX-License-Identifier: Apache-2.0 */
/* switch.c - find the step at which the pace of all runs of a group changes for good.
 *
 * A job that trains in FP4 may compute its last steps in more bits.  The step is printed, set by the config, or visible
 * in the pace: one slow segment, in which the job compiles again, and a slower pace behind it, in all runs. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

enum {
    PROFILE_RUNS = 3,   /* runs that have a segment of the profile */
    PROFILE_MIN = 10,   /* segments of a profile */
    PROFILE_MAX = 5000, /* a profile with more is not searched: the time grows with its square */
    PROFILE_SIDE = 3,   /* segments of the profile before and behind a switch */
    BEHIND_MIN = 2      /* segments of a run behind a switch that show its change */
};

/* A switch found in the pace explains all but this share of the deviations, and changes the pace by SWITCH_MIN. */
#define SWITCH_UNEXPLAINED 0.2
#define SWITCH_MIN 0.05
#define SWITCH_LOST_MS 1000
#define CHANGE_SHARE 0.5

/* A segment that several runs have: between the same positions. */
typedef struct shared_segment {
    double pace; /* lower median of the runs; first, for sorting */
    double from, to;
} shared_segment;

static double find_in_pace(const mls_throughput_group *group, mls_arena *scratch);

/* Return the index of the first segment that counts: after the warm-up, and not the first one. */
static size_t first_segment(const mls_throughput *run)
{
    return run->warmup_segments > 0 ? run->warmup_segments : 1;
}

static double end_of(const mls_pace_segment *segment)
{
    return segment->from_samples + segment->delta;
}

/* Return the index of the segment that ends at or contains a position; segment_count if no segment does. */
static size_t segment_at(const mls_throughput *run, double samples)
{
    size_t at = 0;
    while (at < run->segment_count && end_of(&run->segments[at]) < samples)
        at++;
    return at < run->segment_count && run->segments[at].from_samples < samples ? at : run->segment_count;
}

static double median_of(double *values, size_t count)
{
    mls_sort_doubles(values, count);
    return mls_median_lower(values, count);
}

void mls_throughput_find_switch(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    const size_t count = group->group->run_count;
    const mls_group_precision *precision = &group->group->precision;
    mls_pace_switch *found = &group->pace_switch;
    double batch = NAN;
    size_t timed = 0;
    size_t most = 0; /* segments of a run */
    uint32_t printed = 0;
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &group->runs[i];
        if (!mls_throughput_is_timed(run))
            continue;
        if (run->in_epochs || (timed++ > 0 && run->run->global_batch_size != batch))
            return;
        batch = run->run->global_batch_size;
        most = run->segment_count > most ? run->segment_count : most;
        printed = printed == 0 ? run->run->facts.healing : printed;
    }
    if (timed < MLS_TIMED_MIN || !(batch > 0))
        return;
    const bool fp4 = precision->value != NULL && strcmp(precision->value, "fp4") == 0;
    const uint32_t step = fp4 && printed > 0 ? printed : precision->healing;
    found->source = step == 0 ? "pace" : fp4 && printed > 0 ? "printed" : "config";
    found->samples = step > 0 ? (double)step * batch : find_in_pace(group, scratch);
    if (!(found->samples > 0))
        return;

    /* Compare the paces of each run before and behind the segment of the switch. */
    double *values[4];
    for (size_t i = 0; i < 4; i++)
        values[i] = mls_arena_array(scratch, count, sizeof *values[i]);
    mls_weighted *paces = mls_arena_array(scratch, most, sizeof *paces);
    double *behind = mls_arena_array(scratch, count, sizeof *behind);
    for (size_t i = 0; i < count; i++) {
        mls_throughput *run = &group->runs[i];
        const size_t at = segment_at(run, found->samples);
        if (!mls_throughput_is_timed(run) || at == 0 || at + 1 >= run->segment_count)
            continue;
        const mls_pace_segment *segment = &run->segments[at];
        const size_t first = at > first_segment(run) ? first_segment(run) : 0;
        const double before = mls_pace_median(run, first, at, paces);
        behind[i] = mls_pace_median(run, at + 1, run->segment_count, paces);
        run->switch_segment = at + 1;
        run->switch_once_ms = segment->training_ms - before * (found->samples - segment->from_samples) -
                              behind[i] * (end_of(segment) - found->samples);
        values[0][found->runs] = before;
        values[1][found->runs] = behind[i];
        values[2][found->runs] = behind[i] / before;
        values[3][found->runs++] = run->switch_once_ms;
    }
    if (found->runs < MLS_TIMED_MIN) {
        *found = (mls_pace_switch){.samples = 0};
        return;
    }
    found->step = found->samples / batch < 1e9 ? (size_t)(found->samples / batch + 0.5) : 0;
    found->before_ms_per_sample = median_of(values[0], found->runs);
    found->after_ms_per_sample = median_of(values[1], found->runs);
    found->factor = median_of(values[2], found->runs);
    found->once_ms = median_of(values[3], found->runs);
    found->changed = found->factor >= 1 + SWITCH_MIN || found->once_ms >= SWITCH_LOST_MS;
    for (size_t i = 0; i < count && found->changed; i++) {
        mls_throughput *run = &group->runs[i];
        if (run->switch_segment > 0)
            run->slow_phases = mls_pace_list_phases(run, run->switch_segment - 1, run->switch_segment, behind[i], arena,
                                                    &run->slow_phase_count);
    }
}

/* Return the sum of samples * |pace - median| over the items of a profile from `from` to before `to`.  `sorted` is all
 * of it by pace. */
static double deviation(const shared_segment *profile, const mls_placed *sorted, size_t count, size_t from, size_t to,
                        double *median)
{
    double total = 0;
    double weight = 0;
    double sum = 0;
    *median = NAN;
    for (size_t i = from; i < to; i++)
        total += profile[i].to - profile[i].from;
    for (size_t i = 0; i < count && isnan(*median); i++) {
        const shared_segment *item = &profile[sorted[i].place];
        if (sorted[i].place >= from && sorted[i].place < to) {
            weight += item->to - item->from;
            *median = weight >= total / 2 ? item->pace : (double)NAN;
        }
    }
    for (size_t i = from; i < to; i++)
        sum += (profile[i].to - profile[i].from) * fabs(profile[i].pace - *median);
    return sum;
}

/* Compare segments by their positions. */
static int compare_segments(const void *left, const void *right)
{
    const shared_segment *a = left;
    const shared_segment *b = right;
    const int order = mls_compare_doubles(a->from, b->from);
    return order != 0 ? order : mls_compare_doubles(a->to, b->to);
}

/* Find the segments that at least PROFILE_RUNS runs have, with the lower median of their paces. */
static shared_segment *make_profile(const mls_throughput_group *group, mls_arena *scratch, size_t *count)
{
    size_t total = 0;
    size_t kept = 0;
    for (size_t i = 0; i < group->group->run_count; i++)
        total += group->runs[i].segment_count;
    shared_segment *all = mls_arena_array(scratch, total + 1, sizeof *all);
    double *paces = mls_arena_array(scratch, total + 1, sizeof *paces);
    total = 0;
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        for (size_t k = first_segment(run); k < run->segment_count && mls_throughput_is_timed(run); k++) {
            const mls_pace_segment *segment = &run->segments[k];
            all[total++] =
                (shared_segment){segment->training_ms / segment->delta, segment->from_samples, end_of(segment)};
        }
    }
    if (total > 1)
        qsort(all, total, sizeof *all, compare_segments);
    for (size_t i = 0, end; i < total; i = end) {
        size_t runs = 0;
        for (end = i; end < total && compare_segments(&all[i], &all[end]) == 0; end++)
            paces[runs++] = all[end].pace;
        if (runs >= PROFILE_RUNS)
            all[kept++] = (shared_segment){median_of(paces, runs), all[i].from, all[i].to};
    }
    *count = kept;
    return all;
}

/* Return the position of a switch that shows only in the pace of the runs; NAN if none does. */
static double find_in_pace(const mls_throughput_group *group, mls_arena *scratch)
{
    size_t count;
    const shared_segment *profile = make_profile(group, scratch, &count);
    size_t best = 0;
    double least = INFINITY;
    double first = NAN; /* the medians before and behind the best cut */
    double second = NAN;
    double median;
    if (count < PROFILE_MIN || count > PROFILE_MAX)
        return NAN;
    mls_placed *sorted = mls_arena_array(scratch, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (mls_placed){profile[i].pace, i};
    mls_sort_placed(sorted, count, sizeof *sorted);
    const double whole = deviation(profile, sorted, count, 0, count, &median);
    for (size_t cut = PROFILE_SIDE; cut + PROFILE_SIDE < count; cut++) {
        double before;
        double behind;
        const double sum = deviation(profile, sorted, count, 0, cut, &before) +
                           deviation(profile, sorted, count, cut + 1, count, &behind);
        if (sum < least) {
            least = sum;
            best = cut;
            first = before;
            second = behind;
        }
    }
    const shared_segment *at = &profile[best];
    if (!(least <= SWITCH_UNEXPLAINED * whole) || !(second >= first * (1 + SWITCH_MIN)) ||
        !((at->pace - first) * (at->to - at->from) >= SWITCH_LOST_MS))
        return NAN;
    /* Every run must change its pace there. */
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        mls_weighted *paces = mls_arena_array(scratch, run->segment_count + 1, sizeof *paces);
        const size_t begin = first_segment(run);
        size_t before = begin;
        size_t behind = begin;
        while (before < run->segment_count && end_of(&run->segments[before]) <= at->from)
            before++;
        while (behind < run->segment_count && run->segments[behind].from_samples < at->to)
            behind++;
        if (!mls_throughput_is_timed(run) || before == begin || behind + BEHIND_MIN > run->segment_count)
            continue;
        const double own =
            mls_pace_median(run, behind, run->segment_count, paces) / mls_pace_median(run, begin, before, paces);
        if (own - 1 < CHANGE_SHARE * (second / first - 1))
            return NAN;
    }
    return at->to;
}
