/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - the progress of a job in the order of time: how far training had come, and how long its steps took.
 *
 * A job may have thousands of runs that failed, each with a time of its own, so nothing is sorted for one of them: they
 * are asked for in the order of their times, and a tree of counts (Fenwick 1994) knows the middle of all intervals that
 * came so far. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "explain/diagnose/job.h"

enum { PROGRESS_MIN = 6 };

static mls_iteration progress_at(const mls_job_steps *steps, size_t place)
{
    return place < steps->count ? steps->iterations[place] : steps->last_time;
}

static double time_of_progress(const void *steps, size_t place)
{
    return progress_at(steps, place).time_ms;
}

/* How long the step took that ends with an iteration; there is one before it. */
static double step_before(const void *of, size_t place)
{
    const mls_job_steps *steps = of;
    return (steps->iterations[place].time_ms - steps->iterations[place - 1].time_ms) / steps->stride;
}

bool mls_steps_make(mls_job_steps *steps, const mls_job_log *job)
{
    const size_t count = job->to->iteration_count;
    *steps = (mls_job_steps){.iterations = job->to->iterations,
                             .count = count,
                             .last_time = job->last_time,
                             .stride = (double)job->time_stride,
                             .times = mls_calloc(count + 1, sizeof *steps->times),
                             .known = mls_calloc(count + 1, sizeof *steps->known),
                             .intervals = mls_calloc(count + 1, sizeof *steps->intervals),
                             .ranks = mls_calloc(count + 1, sizeof *steps->ranks),
                             .tree = mls_calloc(count + 1, sizeof *steps->tree)};
    if (steps->times == NULL || steps->known == NULL || steps->intervals == NULL || steps->ranks == NULL ||
        steps->tree == NULL) {
        return false;
    }
    for (uint32_t i = 0; i <= count; i++) {
        steps->times[i] = i;
        steps->intervals[i] = i + 1;
    }
    const size_t intervals = count > 0 ? count - 1 : 0;
    if (!mls_sort_places(steps->times, count + 1, time_of_progress, steps) ||
        !mls_sort_places(steps->intervals, intervals, step_before, steps)) {
        return false;
    }
    for (uint32_t i = 0; i < intervals; i++) {
        steps->ranks[steps->intervals[i]] = i + 1;
    }
    for (size_t i = 0; i <= count; i++) {
        const uint32_t place = steps->times[i];
        const mls_iteration one = progress_at(steps, place);
        const mls_step_known before = i > 0 ? steps->known[i - 1] : (mls_step_known){place, place};
        steps->known[i] = (mls_step_known){isfinite(one.iteration) ? place : before.iteration,
                                           isfinite(one.samples) ? place : before.samples};
    }
    return true;
}

void mls_steps_release(mls_job_steps *steps)
{
    free(steps->times);
    free(steps->known);
    free(steps->intervals);
    free(steps->ranks);
    free(steps->tree);
}

mls_iteration mls_steps_known(const mls_job_steps *steps, double time_ms)
{
    size_t low = 0;
    size_t high = steps->count + 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (progress_at(steps, steps->times[middle]).time_ms <= time_ms) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return (mls_iteration){NAN, NAN, NAN};
    }
    const mls_step_known known = steps->known[low - 1];
    return (mls_iteration){progress_at(steps, steps->times[low - 1]).time_ms,
                           progress_at(steps, known.iteration).iteration, progress_at(steps, known.samples).samples};
}

/* Counts the interval that ends with an iteration among those that came; or, with -1, no more. */
static void count_interval(mls_job_steps *steps, size_t place, int32_t by)
{
    for (size_t i = steps->ranks[place]; i < steps->count; i += i & -i) {
        steps->tree[i] += by;
    }
}

/* The interval that has `below` shorter ones, or as long, before it. */
static double interval_at(const mls_job_steps *steps, size_t below)
{
    size_t at = 0;
    size_t width = 1;
    while (2 * width < steps->count) {
        width *= 2;
    }
    for (; width > 0; width /= 2) {
        if (at + width < steps->count && (size_t)steps->tree[at + width] <= below) {
            at += width;
            below -= (size_t)steps->tree[at];
        }
    }
    return step_before(steps, steps->intervals[at]);
}

static double median_of(const mls_job_steps *steps, size_t count)
{
    const double middle[] = {interval_at(steps, (count - 1) / 2), interval_at(steps, count / 2)};
    return mls_median(middle, count % 2 == 0 ? 2 : 1);
}

mls_step_lengths mls_steps_until(mls_job_steps *steps, double until_ms)
{
    mls_step_lengths lengths = {NAN, NAN, NAN};
    size_t *last = steps->last;
    for (; steps->taken <= steps->count; steps->taken++) {
        size_t place = steps->times[steps->taken];
        if (!(progress_at(steps, place).time_ms <= until_ms)) {
            break;
        }
        steps->came += place < steps->count;
        if (place == 0 || place == steps->count) {
            continue; /* no interval ends with it */
        }
        steps->interval_count++;
        count_interval(steps, place, 1);
        for (size_t i = 0; i < MLS_LAST_INTERVALS; i++) {
            const size_t other = last[i];
            last[i] = place > other ? place : other;
            place = place > other ? other : place;
        }
    }
    if (isnan(until_ms)) {
        return lengths;
    }
    if (steps->interval_count > MLS_LAST_INTERVALS + PROGRESS_MIN) {
        double values[MLS_LAST_INTERVALS];
        for (size_t i = 0; i < MLS_LAST_INTERVALS; i++) {
            values[i] = step_before(steps, last[i]);
            count_interval(steps, last[i], -1);
        }
        mls_sort_doubles(values, MLS_LAST_INTERVALS);
        lengths.last = mls_median(values, MLS_LAST_INTERVALS);
        lengths.before = median_of(steps, steps->interval_count - MLS_LAST_INTERVALS);
        for (size_t i = 0; i < MLS_LAST_INTERVALS; i++) {
            count_interval(steps, last[i], 1);
        }
    }
    if (steps->came >= PROGRESS_MIN) {
        lengths.median = median_of(steps, steps->interval_count);
    }
    return lengths;
}
