/* SPDX-License-Identifier: Apache-2.0 */
/*
 * olympic.c - the mean that leaves out the fastest and the slowest runs, and the
 * window of runs that counts when there are too many.
 */
#include "mlscore/olympic.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "score/statistics.h"

/* Of an even number of windows the two middle ones are equally close to the median, but for rounding. */
#define EQUALLY_CLOSE 1e-12

/* A run with its place in the caller's array, so that equal ones keep their order. */
typedef struct ranked_run {
    const mls_olympic_run *run;
    size_t index;
} ranked_run;

/* Memory for one scoring: all runs by start, the valid ones of a window by time, their minutes, the windows' scores. */
typedef struct olympic_scratch {
    ranked_run *by_start;
    ranked_run *by_time;
    double *minutes;
    double *scores;
    double *sorted_scores;
} olympic_scratch;

const char *mls_olympic_mark_name(mls_olympic_mark mark)
{
    static const char *const names[] = {
        [MLS_OLYMPIC_KEPT] = "kept",       [MLS_OLYMPIC_FASTEST] = "fastest", [MLS_OLYMPIC_SLOWEST] = "slowest",
        [MLS_OLYMPIC_DROPPED] = "dropped", [MLS_OLYMPIC_OUTSIDE] = "outside",
    };
    return (size_t)mark < sizeof names / sizeof names[0] ? names[mark] : "";
}

static int compare_ranked(double a, double b, const ranked_run *left, const ranked_run *right)
{
    const int order = mls_compare_doubles(a, b);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_starts(const void *left, const void *right)
{
    const ranked_run *a = left;
    const ranked_run *b = right;
    return compare_ranked(a->run->start_ms, b->run->start_ms, a, b);
}

static int compare_minutes(const void *left, const void *right)
{
    const ranked_run *a = left;
    const ranked_run *b = right;
    return compare_ranked(a->run->minutes, b->run->minutes, a, b);
}

static bool run_counts(const mls_olympic_run *run)
{
    return run->valid && isfinite(run->minutes);
}

/* The valid runs of `window` to scratch->by_time; returns how many. */
static size_t gather_valid(const ranked_run *window, size_t count, olympic_scratch *scratch)
{
    size_t valid = 0;
    for (size_t i = 0; i < count; i++) {
        if (run_counts(window[i].run)) {
            scratch->by_time[valid++] = window[i];
        }
    }
    return valid;
}

static double mean_of_ranked(const ranked_run *ranked, size_t count, olympic_scratch *scratch)
{
    for (size_t i = 0; i < count; i++) {
        scratch->minutes[i] = ranked[i].run->minutes;
    }
    return mls_mean(scratch->minutes, count);
}

/* The olympic mean of one window; what it leaves out is marked, by index into the caller's array, unless marks is NULL.
 */
static void score_window(const ranked_run *window, size_t count, size_t allowed, olympic_scratch *scratch,
                         mls_olympic_mark *marks, mls_olympic_result *result)
{
    size_t valid = gather_valid(window, count, scratch);
    result->dropped = count - valid;
    result->kept = 0;
    result->score_minutes = NAN;
    if (result->dropped > allowed) {
        result->outcome = MLS_OLYMPIC_TOO_MANY_DROPPED;
        return;
    }
    qsort(scratch->by_time, valid, sizeof *scratch->by_time, compare_minutes);
    size_t fastest = allowed < valid ? allowed : valid;
    size_t slowest = allowed - result->dropped;
    if (slowest > valid - fastest) {
        slowest = valid - fastest;
    }
    if (marks != NULL) {
        for (size_t i = 0; i < fastest; i++) {
            marks[scratch->by_time[i].index] = MLS_OLYMPIC_FASTEST;
        }
        for (size_t i = valid - slowest; i < valid; i++) {
            marks[scratch->by_time[i].index] = MLS_OLYMPIC_SLOWEST;
        }
    }
    result->kept = valid - fastest - slowest;
    result->outcome = result->kept > 0 ? MLS_OLYMPIC_SCORED : MLS_OLYMPIC_NOTHING_LEFT;
    result->score_minutes = mean_of_ranked(scratch->by_time + fastest, result->kept, scratch);
}

/* Chooses the window of `needed` runs; false when the median is infinite. */
static bool choose_window(size_t count, size_t needed, size_t allowed, olympic_scratch *scratch,
                          mls_olympic_result *result)
{
    size_t windows = count - needed + 1;
    for (size_t i = 0; i < windows; i++) {
        mls_olympic_result one;
        score_window(scratch->by_start + i, needed, allowed, scratch, NULL, &one);
        scratch->scores[i] = isnan(one.score_minutes) ? (double)INFINITY : one.score_minutes;
        scratch->sorted_scores[i] = scratch->scores[i];
    }
    mls_sort_doubles(scratch->sorted_scores, windows);
    double median = mls_median(scratch->sorted_scores, windows);
    result->window_median = median;
    if (!isfinite(median)) {
        return false;
    }
    size_t best = 0;
    for (size_t i = 1; i < windows; i++) {
        double nearer = fabs(scratch->scores[best] - median) - fabs(scratch->scores[i] - median);
        bool equally_close = fabs(nearer) <= EQUALLY_CLOSE * fabs(median);
        if (equally_close ? scratch->scores[i] > scratch->scores[best] : nearer > 0) {
            best = i;
        }
    }
    result->windowed = true;
    result->window_first = best;
    result->window_count = needed;
    return true;
}

/* Two allocations hold all five arrays; the first members own them. */
static mls_status scratch_init(olympic_scratch *scratch, size_t count)
{
    ranked_run *ranked = calloc(count + 1, 2 * sizeof *ranked);
    double *numbers = calloc(count + 1, 3 * sizeof *numbers);
    if (ranked == NULL || numbers == NULL) {
        free(ranked);
        free(numbers);
        return MLS_ERROR_MEMORY;
    }
    scratch->by_start = ranked;
    scratch->by_time = ranked + count;
    scratch->minutes = numbers;
    scratch->scores = numbers + count;
    scratch->sorted_scores = numbers + 2 * count;
    return MLS_OK;
}

static void scratch_release(olympic_scratch *scratch)
{
    free(scratch->by_start);
    free(scratch->minutes);
}

static void score_plain_mean(size_t count, olympic_scratch *scratch, mls_olympic_result *result)
{
    result->kept = gather_valid(scratch->by_start, count, scratch);
    result->dropped = count - result->kept;
    result->score_minutes = mean_of_ranked(scratch->by_time, result->kept, scratch);
    result->outcome = MLS_OLYMPIC_TOO_FEW_RUNS;
}

static void mark_outside(size_t count, const olympic_scratch *scratch, const mls_olympic_result *result,
                         mls_olympic_mark *marks)
{
    for (size_t i = 0; i < count; i++) {
        if (i < result->window_first || i >= result->window_first + result->window_count) {
            marks[scratch->by_start[i].index] = MLS_OLYMPIC_OUTSIDE;
        }
    }
}

static void score_more_than_needed(size_t count, const mls_olympic_rules *rules, olympic_scratch *scratch,
                                   mls_olympic_mark *marks, mls_olympic_result *result)
{
    if (!rules->select_window) {
        score_window(scratch->by_start, count, rules->allowed, scratch, marks, result);
        if (result->outcome == MLS_OLYMPIC_SCORED) {
            result->outcome = MLS_OLYMPIC_TOO_MANY_RUNS;
        }
    } else if (choose_window(count, rules->runs_needed, rules->allowed, scratch, result)) {
        score_window(scratch->by_start + result->window_first, result->window_count, rules->allowed, scratch, marks,
                     result);
        if (marks != NULL) {
            mark_outside(count, scratch, result, marks);
        }
    } else {
        result->dropped = count - gather_valid(scratch->by_start, count, scratch);
        result->outcome = MLS_OLYMPIC_NO_WINDOW;
    }
}

mls_status mls_olympic_score(const mls_olympic_run *runs, size_t count, const mls_olympic_rules *rules,
                             mls_olympic_mark *marks, mls_olympic_result *result)
{
    *result = (mls_olympic_result){.score_minutes = NAN, .window_median = NAN};
    olympic_scratch scratch;
    mls_status status = scratch_init(&scratch, count);
    if (status != MLS_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        scratch.by_start[i] = (ranked_run){&runs[i], i};
        if (marks != NULL) {
            marks[i] = run_counts(&runs[i]) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
        }
    }
    if (count > 1) {
        qsort(scratch.by_start, count, sizeof *scratch.by_start, compare_starts);
    }
    if (rules->runs_needed == 0 || count < rules->runs_needed) {
        score_plain_mean(count, &scratch, result);
    } else if (count == rules->runs_needed) {
        score_window(scratch.by_start, count, rules->allowed, &scratch, marks, result);
    } else {
        score_more_than_needed(count, rules, &scratch, marks, result);
    }
    result->official = result->outcome == MLS_OLYMPIC_SCORED;
    scratch_release(&scratch);
    return MLS_OK;
}
