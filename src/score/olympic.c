/* SPDX-License-Identifier: Apache-2.0 */
/*
 * olympic.c - the mean that leaves out the fastest and the slowest runs, and the
 * window of runs that counts when there are too many.
 */
#include "mlscore/group.h"

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

/* One scoring; the last four are scratch memory. */
typedef struct olympic_scoring {
    const mls_olympic_rules *rules;
    mls_olympic_mark *marks; /* NULL: nobody asks for them */
    ranked_run *by_start;    /* all runs */
    ranked_run *by_time;     /* the valid ones of a window */
    double *minutes;         /* theirs */
    double *scores;          /* of the windows, twice: as they come, and sorted */
} olympic_scoring;

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

/* The valid ones of `count` runs from `first` on to by_time; returns how many. */
static size_t gather_valid(const olympic_scoring *scoring, size_t first, size_t count)
{
    size_t valid = 0;
    for (size_t i = first; i < first + count; i++) {
        if (run_counts(scoring->by_start[i].run)) {
            scoring->by_time[valid++] = scoring->by_start[i];
        }
    }
    return valid;
}

/* The mean of by_time without some at both ends, which are marked as left out if `mark`. */
static void take_mean(const olympic_scoring *scoring, size_t valid, size_t fastest, size_t slowest, bool mark,
                      mls_olympic_result *result)
{
    result->kept = 0;
    for (size_t i = 0; i < valid; i++) {
        const ranked_run *ranked = &scoring->by_time[i];
        const bool kept = i >= fastest && i < valid - slowest;
        if (kept) {
            scoring->minutes[result->kept++] = ranked->run->minutes;
        } else if (mark) {
            scoring->marks[ranked->index] = i < fastest ? MLS_OLYMPIC_FASTEST : MLS_OLYMPIC_SLOWEST;
        }
    }
    result->score_minutes = mls_mean(scoring->minutes, result->kept);
}

/* The olympic mean of one window. */
static void score_window(const olympic_scoring *scoring, size_t first, size_t count, bool mark,
                         mls_olympic_result *result)
{
    const size_t allowed = scoring->rules->allowed;
    const size_t valid = gather_valid(scoring, first, count);
    result->dropped = count - valid;
    if (result->dropped > allowed) {
        result->kept = 0;
        result->score_minutes = NAN;
        result->outcome = MLS_OLYMPIC_TOO_MANY_DROPPED;
        return;
    }
    qsort(scoring->by_time, valid, sizeof *scoring->by_time, compare_minutes);
    const size_t fastest = allowed < valid ? allowed : valid;
    const size_t slowest = allowed - result->dropped < valid - fastest ? allowed - result->dropped : valid - fastest;
    take_mean(scoring, valid, fastest, slowest, mark, result);
    result->outcome = result->kept > 0 ? MLS_OLYMPIC_SCORED : MLS_OLYMPIC_NOTHING_LEFT;
}

/* Chooses the window of the runs needed; false when the median is infinite. */
static bool choose_window(const olympic_scoring *scoring, size_t count, mls_olympic_result *result)
{
    const size_t windows = count - scoring->rules->runs_needed + 1;
    double *scores = scoring->scores;
    double *sorted = scores + count;
    for (size_t i = 0; i < windows; i++) {
        mls_olympic_result one;
        score_window(scoring, i, scoring->rules->runs_needed, false, &one);
        scores[i] = sorted[i] = isnan(one.score_minutes) ? (double)INFINITY : one.score_minutes;
    }
    mls_sort_doubles(sorted, windows);
    const double median = result->window_median = mls_median(sorted, windows);
    if (!isfinite(median)) {
        return false;
    }
    size_t best = 0;
    for (size_t i = 1; i < windows; i++) {
        double nearer = fabs(scores[best] - median) - fabs(scores[i] - median);
        bool equally_close = fabs(nearer) <= EQUALLY_CLOSE * fabs(median);
        if (equally_close ? scores[i] > scores[best] : nearer > 0) {
            best = i;
        }
    }
    result->windowed = true;
    result->window_first = best;
    result->window_count = scoring->rules->runs_needed;
    return true;
}

static void score_runs(const olympic_scoring *scoring, size_t count, mls_olympic_result *result)
{
    const size_t needed = scoring->rules->runs_needed;
    const bool mark = scoring->marks != NULL;
    if (needed == 0 || count < needed) {
        const size_t valid = gather_valid(scoring, 0, count);
        result->dropped = count - valid;
        result->outcome = MLS_OLYMPIC_TOO_FEW_RUNS;
        take_mean(scoring, valid, 0, 0, mark, result);
    } else if (count == needed || !scoring->rules->select_window) {
        score_window(scoring, 0, count, mark, result);
        if (count > needed && result->outcome == MLS_OLYMPIC_SCORED) {
            result->outcome = MLS_OLYMPIC_TOO_MANY_RUNS;
        }
    } else if (choose_window(scoring, count, result)) {
        score_window(scoring, result->window_first, needed, mark, result);
        for (size_t i = 0; i < count && mark; i++) {
            if (i < result->window_first || i >= result->window_first + needed) {
                scoring->marks[scoring->by_start[i].index] = MLS_OLYMPIC_OUTSIDE;
            }
        }
    } else {
        result->dropped = count - gather_valid(scoring, 0, count);
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
        const olympic_scoring scoring = {rules, marks, ranked, ranked + count, numbers, numbers + count};
        for (size_t i = 0; i < count; i++) {
            ranked[i] = (ranked_run){&runs[i], i};
            if (marks != NULL) {
                marks[i] = run_counts(&runs[i]) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
            }
        }
        qsort(ranked, count, sizeof *ranked, compare_starts);
        score_runs(&scoring, count, result);
    }
    free(ranked);
    free(numbers);
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
