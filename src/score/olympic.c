/* SPDX-License-Identifier: Apache-2.0 */
/*
 * olympic.c - the mean that leaves out the fastest and the slowest runs, and the
 * window of runs that counts when there are too many.
 */
#include "mlscore/group.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"

/* Of an even number of windows the two middle ones are equally close to the median, but for rounding. */
#define EQUALLY_CLOSE 1e-12

/* A run by what it is sorted by, and its place in the caller's array: equal ones keep their order. */
typedef struct ranked_run {
    double by;
    size_t index;
} ranked_run;

/* One scoring; the last four are scratch memory. */
typedef struct olympic_scoring {
    const mls_olympic_rules *rules;
    const mls_olympic_run *runs;
    ranked_run *by_start;  /* all runs */
    ranked_run *by_time;   /* the valid ones of a window */
    double *minutes;       /* theirs */
    double *window_scores; /* twice: as they come, and sorted */
} olympic_scoring;

const char *mls_olympic_mark_name(mls_olympic_mark mark)
{
    static const char *const names[] = {
        [MLS_OLYMPIC_KEPT] = "kept",       [MLS_OLYMPIC_FASTEST] = "fastest", [MLS_OLYMPIC_SLOWEST] = "slowest",
        [MLS_OLYMPIC_DROPPED] = "dropped", [MLS_OLYMPIC_OUTSIDE] = "outside",
    };
    return (size_t)mark < sizeof names / sizeof names[0] ? names[mark] : "";
}

static int compare_ranked(const void *left, const void *right)
{
    const ranked_run *a = left;
    const ranked_run *b = right;
    const int order = mls_compare_doubles(a->by, b->by);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool run_counts(const mls_olympic_run *run)
{
    return run->valid && isfinite(run->minutes);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The olympic mean of a window, or the plain one when it has fewer runs than needed; `marks` may be NULL. */
static void score_window(const olympic_scoring *scoring, size_t first, size_t count, mls_olympic_mark *marks,
                         mls_olympic_result *result)
{
    const size_t needed = scoring->rules->runs_needed;
    const bool plain = needed == 0 || count < needed;
    const size_t allowed = plain ? 0 : scoring->rules->allowed;
    size_t valid = 0;
    for (size_t i = first; i < first + count; i++) {
        const mls_olympic_run *run = &scoring->runs[scoring->by_start[i].index];
        if (run_counts(run)) {
            scoring->by_time[valid++] = (ranked_run){run->minutes, scoring->by_start[i].index};
        }
    }
    result->dropped = count - valid;
    if (!plain && result->dropped > allowed) {
        result->score_minutes = NAN;
        result->outcome = MLS_OLYMPIC_TOO_MANY_DROPPED;
        return;
    }
    qsort(scoring->by_time, valid, sizeof *scoring->by_time, compare_ranked);
    const size_t fastest = smaller(allowed, valid);
    const size_t end = valid - smaller(plain ? 0 : allowed - result->dropped, valid - fastest);
    for (size_t i = 0; i < valid; i++) {
        scoring->minutes[i] = scoring->by_time[i].by;
        if (marks != NULL && (i < fastest || i >= end)) {
            marks[scoring->by_time[i].index] = i < fastest ? MLS_OLYMPIC_FASTEST : MLS_OLYMPIC_SLOWEST;
        }
    }
    result->kept = end - fastest;
    result->score_minutes = mls_mean(scoring->minutes + fastest, result->kept);
    result->outcome = plain               ? MLS_OLYMPIC_TOO_FEW_RUNS
                      : result->kept == 0 ? MLS_OLYMPIC_NOTHING_LEFT
                      : count > needed    ? MLS_OLYMPIC_TOO_MANY_RUNS
                                          : MLS_OLYMPIC_SCORED;
}

/* Chooses the window of the runs needed; false when the median is infinite. */
static bool choose_window(const olympic_scoring *scoring, size_t count, mls_olympic_result *result)
{
    const size_t windows = count - scoring->rules->runs_needed + 1;
    double *scores = scoring->window_scores;
    double *sorted = scores + count;
    for (size_t i = 0; i < windows; i++) {
        mls_olympic_result one;
        score_window(scoring, i, scoring->rules->runs_needed, NULL, &one);
        scores[i] = sorted[i] = isnan(one.score_minutes) ? (double)INFINITY : one.score_minutes;
    }
    mls_sort_doubles(sorted, windows);
    const double median = result->window_median = mls_median(sorted, windows);
    size_t best = 0;
    for (size_t i = 1; i < windows; i++) {
        double nearer = fabs(scores[best] - median) - fabs(scores[i] - median);
        bool equally_close = fabs(nearer) <= EQUALLY_CLOSE * fabs(median);
        if (equally_close ? scores[i] > scores[best] : nearer > 0) {
            best = i;
        }
    }
    result->windowed = isfinite(median);
    result->window_first = result->windowed ? best : 0;
    result->window_count = result->windowed ? scoring->rules->runs_needed : 0;
    return result->windowed;
}

static void score_runs(const olympic_scoring *scoring, size_t count, mls_olympic_mark *marks,
                       mls_olympic_result *result)
{
    const size_t needed = scoring->rules->runs_needed;
    if (needed == 0 || count <= needed || !scoring->rules->select_window) {
        score_window(scoring, 0, count, marks, result);
    } else if (choose_window(scoring, count, result)) {
        score_window(scoring, result->window_first, needed, marks, result);
        for (size_t i = 0; i < count && marks != NULL; i++) {
            if (i < result->window_first || i >= result->window_first + needed) {
                marks[scoring->by_start[i].index] = MLS_OLYMPIC_OUTSIDE;
            }
        }
    } else {
        result->outcome = MLS_OLYMPIC_NO_WINDOW;
    }
    result->official = result->outcome == MLS_OLYMPIC_SCORED;
}

mls_status mls_olympic_score(const mls_olympic_run *runs, size_t count, const mls_olympic_rules *rules,
                             mls_olympic_mark *marks, mls_olympic_result *result)
{
    ranked_run *ranked = calloc(count + 1, 2 * sizeof *ranked);
    double *numbers = calloc(count + 1, 3 * sizeof *numbers);
    const bool ok = ranked != NULL && numbers != NULL;
    *result = (mls_olympic_result){.score_minutes = NAN, .window_median = NAN};
    if (ok) {
        const olympic_scoring scoring = {rules, runs, ranked, ranked + count, numbers, numbers + count};
        for (size_t i = 0; i < count; i++) {
            const bool counts = run_counts(&runs[i]);
            ranked[i] = (ranked_run){runs[i].start_ms, i};
            result->dropped += !counts;
            if (marks != NULL) {
                marks[i] = counts ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
            }
        }
        qsort(ranked, count, sizeof *ranked, compare_ranked);
        score_runs(&scoring, count, marks, result);
    }
    free(ranked);
    free(numbers);
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
