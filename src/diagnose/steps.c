/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - the progress of a job in the order of time: how far training had come, and how long its steps took.
 *
 * A job may have thousands of runs that failed, each with a time of its own, so nothing is sorted for one of them: they
 * are asked for in the order of their times, and a tree of counts (Fenwick 1994) knows the middle of all intervals that
 * came so far. */
#include <math.h>
#include <stdlib.h>

#include "diagnose/job.h"

enum { PROGRESS_MIN = 6 };

bool mls_steps_make(mls_job_steps *steps, const mls_job_log *job)
{
    const mls_iteration *iterations = job->to->iterations;
    const size_t count = job->to->iteration_count;
    *steps = (mls_job_steps){.times = calloc(count + 1, sizeof *steps->times),
                             .intervals = calloc(count + 1, sizeof *steps->intervals),
                             .ranks = calloc(count + 1, sizeof *steps->ranks),
                             .tree = calloc(count + 1, sizeof *steps->tree),
                             .count = count};
    if (steps->times == NULL || steps->intervals == NULL || steps->ranks == NULL || steps->tree == NULL) {
        return false;
    }
    for (size_t i = 0; i <= count; i++) {
        const mls_iteration *one = i < count ? &iterations[i] : &job->last_time;
        steps->times[i] = (mls_step_time){{one->time_ms, i}, one->iteration, one->samples};
        if (i > 0 && i < count) {
            const double interval = (one->time_ms - one[-1].time_ms) / (double)job->time_stride;
            steps->intervals[i - 1] = (mls_placed){interval, i};
        }
    }
    mls_sort_placed(steps->times, count + 1, sizeof *steps->times);
    mls_sort_placed(steps->intervals, count > 0 ? count - 1 : 0, sizeof *steps->intervals);
    for (size_t i = 0; i <= count; i++) {
        mls_step_time *one = &steps->times[i];
        one->iteration = i > 0 && !isfinite(one->iteration) ? one[-1].iteration : one->iteration;
        one->samples = i > 0 && !isfinite(one->samples) ? one[-1].samples : one->samples;
        if (i + 1 < count) {
            steps->ranks[steps->intervals[i].place] = i + 1;
        }
    }
    return true;
}

void mls_steps_release(mls_job_steps *steps)
{
    free(steps->times);
    free(steps->intervals);
    free(steps->ranks);
    free(steps->tree);
}

mls_step_time mls_steps_known(const mls_job_steps *steps, double time_ms)
{
    size_t low = 0;
    size_t high = steps->count + 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (steps->times[middle].at.value <= time_ms) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? steps->times[low - 1] : (mls_step_time){{NAN, 0}, NAN, NAN};
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
    return steps->intervals[at].value;
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
    for (; steps->taken <= steps->count && steps->times[steps->taken].at.value <= until_ms; steps->taken++) {
        size_t place = steps->times[steps->taken].at.place;
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
            values[i] = steps->intervals[steps->ranks[last[i]] - 1].value;
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
