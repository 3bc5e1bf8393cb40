/* SPDX-License-Identifier: Apache-2.0 */
/* olympic.c - the mean that leaves out the fastest and the slowest runs, the window of runs that counts when there are
 * too many, and how far runs lie apart. */
#include "base/memory.h"
#include "score/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* Of an even number of windows the two middle ones are equally close to the median, but for rounding. */
#define EQUALLY_CLOSE 1e-12

/* One scoring, with its scratch memory. */
typedef struct olympic_scoring {
    mls_group *group;
    mls_placed *by_start;  /* all runs, with their places in the group */
    mls_placed *by_time;   /* the valid ones of a window */
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

static bool run_counts(const mls_run *run)
{
    return run->valid && isfinite(mls_run_minutes(run));
}

/* The olympic mean of a window, or the plain one when it has fewer runs than needed; `marks` may be NULL. */
static void score_window(const olympic_scoring *scoring, size_t first, size_t count, mls_olympic_mark *marks,
                         mls_olympic_result *result)
{
    const mls_benchmark *rules = scoring->group->rules;
    const bool plain = rules->runs_needed == 0 || count < rules->runs_needed;
    const size_t allowed = plain ? 0 : rules->left_out;
    size_t valid = 0;
    for (size_t i = first; i < first + count; i++) {
        const size_t index = scoring->by_start[i].place;
        if (run_counts(scoring->group->runs[index])) {
            scoring->by_time[valid++] = (mls_placed){mls_run_minutes(scoring->group->runs[index]), index};
        }
    }
    result->dropped = count - valid;
    if (!plain && result->dropped > allowed) {
        result->score_minutes = NAN;
        result->outcome = MLS_OLYMPIC_TOO_MANY_DROPPED;
        return;
    }
    mls_sort_placed(scoring->by_time, valid, sizeof *scoring->by_time);
    const size_t slowest = plain ? 0 : allowed - result->dropped;
    const size_t fastest = allowed < valid ? allowed : valid;
    const size_t end = slowest < valid - fastest ? valid - slowest : fastest;
    for (size_t i = 0; i < valid; i++) {
        scoring->minutes[i] = scoring->by_time[i].value;
        if (marks != NULL && (i < fastest || i >= end)) {
            marks[scoring->by_time[i].place] = i < fastest ? MLS_OLYMPIC_FASTEST : MLS_OLYMPIC_SLOWEST;
        }
    }
    result->kept = end - fastest;
    result->score_minutes = mls_mean(scoring->minutes + fastest, result->kept);
    result->outcome = plain                        ? MLS_OLYMPIC_TOO_FEW_RUNS
                      : result->kept == 0          ? MLS_OLYMPIC_NOTHING_LEFT
                      : count > rules->runs_needed ? MLS_OLYMPIC_TOO_MANY_RUNS
                                                   : MLS_OLYMPIC_SCORED;
}

/* Chooses the window of the runs needed; false when the median is infinite. */
static bool choose_window(const olympic_scoring *scoring, mls_olympic_result *result)
{
    const size_t needed = scoring->group->rules->runs_needed;
    const size_t windows = scoring->group->run_count - needed + 1;
    double *scores = scoring->window_scores;
    double *sorted = scores + windows;
    for (size_t i = 0; i < windows; i++) {
        mls_olympic_result one;
        score_window(scoring, i, needed, NULL, &one);
        scores[i] = sorted[i] = isnan(one.score_minutes) ? (double)INFINITY : one.score_minutes;
    }
    mls_sort_doubles(sorted, windows);
    const double median = mls_median(sorted, windows);
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
    result->window_count = result->windowed ? needed : 0;
    return result->windowed;
}

static void score_runs(const olympic_scoring *scoring, bool select_window)
{
    const mls_group *group = scoring->group;
    mls_olympic_result *result = &scoring->group->score;
    const size_t needed = group->rules->runs_needed;
    const bool choose = select_window && needed > 0 && group->run_count > needed;
    if (choose && !choose_window(scoring, result)) {
        result->outcome = MLS_OLYMPIC_NO_WINDOW;
        return;
    }
    const size_t count = choose ? needed : group->run_count;
    score_window(scoring, result->window_first, count, group->marks, result);
    for (size_t i = 0; i < group->run_count; i++) {
        if (i < result->window_first || i >= result->window_first + count) {
            group->marks[scoring->by_start[i].place] = MLS_OLYMPIC_OUTSIDE;
        }
    }
    result->official = result->outcome == MLS_OLYMPIC_SCORED;
}

/* How far the valid runs lie apart; with a window, only its own. */
static void measure_spread(mls_group *group, double *minutes)
{
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        if (run_counts(group->runs[i]) && group->marks[i] != MLS_OLYMPIC_OUTSIDE) {
            minutes[count++] = mls_run_minutes(group->runs[i]);
        }
    }
    group->has_spread = count >= 2;
    if (group->has_spread) {
        mls_sort_doubles(minutes, count);
        group->spread =
            (mls_spread){minutes[0], minutes[count - 1], mls_mean(minutes, count), mls_stdev_sample(minutes, count), 0};
        if (group->spread.mean_minutes > 0) {
            group->spread.variation = group->spread.stdev_minutes / group->spread.mean_minutes;
        }
    }
}

mls_status mls_group_olympic(mls_group *group, bool select_window)
{
    const size_t room = group->run_count + 1;
    mls_placed *ranked = mls_calloc(room, 2 * sizeof *ranked);
    double *numbers = mls_calloc(room, 3 * sizeof *numbers);
    group->marks = mls_calloc(room, sizeof *group->marks);
    const olympic_scoring scoring = {group, ranked, ranked + room, numbers, numbers + room};
    group->score = (mls_olympic_result){.score_minutes = NAN};
    for (size_t i = 0; i < group->run_count; i++) {
        const bool counts = run_counts(group->runs[i]);
        ranked[i] = (mls_placed){group->runs[i]->run_start.time_ms, i};
        group->score.dropped += !counts;
        group->marks[i] = counts ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
    }
    mls_sort_placed(ranked, group->run_count, sizeof *ranked);
    score_runs(&scoring, select_window);
    measure_spread(group, numbers);
    free(ranked);
    free(numbers);
    return MLS_OK;
}
