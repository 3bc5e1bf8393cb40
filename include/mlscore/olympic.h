/* SPDX-License-Identifier: Apache-2.0 */
/*
 * olympic.h - from the times of single runs to a benchmark's score.
 *
 * A benchmark is run several times.  The fastest and the slowest runs are left
 * out and the rest is averaged, as in olympic judging.  Plain values in, plain
 * values out; nothing here knows what a log is.
 */
#ifndef MLSCORE_OLYMPIC_H
#define MLSCORE_OLYMPIC_H

#include "mlscore/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One run of a benchmark. */
typedef struct mls_olympic_run {
    double start_ms; /**< of run_start, since 1970; NaN (not known) sorts behind all others */
    double minutes;  /**< time to train; looked at only when the run is valid */
    bool valid;      /**< false, or minutes not a finite number: the run is dropped and counts as the slowest */
} mls_olympic_run;

/** What became of a run. */
typedef enum mls_olympic_mark {
    MLS_OLYMPIC_KEPT,    /**< its time is in the mean */
    MLS_OLYMPIC_FASTEST, /**< left out at the fast end */
    MLS_OLYMPIC_SLOWEST, /**< left out at the slow end */
    MLS_OLYMPIC_DROPPED, /**< not valid */
    MLS_OLYMPIC_OUTSIDE  /**< outside the selected window */
} mls_olympic_mark;

/** "kept", "fastest", "slowest", "dropped" or "outside"; "" for any other number. */
const char *mls_olympic_mark_name(mls_olympic_mark mark);

/** What the rules say about the benchmark. */
typedef struct mls_olympic_rules {
    size_t runs_needed; /**< N; 0: not known, then any number of runs gives the plain mean */
    size_t allowed;     /**< m: runs left out at each end, and the most that may be dropped */
    bool select_window; /**< with more than N runs, score the window of N that the rules choose */
} mls_olympic_rules;

/** How the score came about, which decides whether it counts. */
typedef enum mls_olympic_outcome {
    MLS_OLYMPIC_SCORED,           /**< an olympic mean over the needed number of runs (or the selected window) */
    MLS_OLYMPIC_TOO_FEW_RUNS,     /**< fewer than N: the plain mean of the valid runs, not official */
    MLS_OLYMPIC_TOO_MANY_RUNS,    /**< more than N and no window asked for: the olympic mean of all, not official */
    MLS_OLYMPIC_TOO_MANY_DROPPED, /**< more than m dropped: no score */
    MLS_OLYMPIC_NOTHING_LEFT,     /**< every run was left out or dropped: no score */
    MLS_OLYMPIC_NO_WINDOW         /**< the median of all windows is infinite: no score */
} mls_olympic_outcome;

/** A benchmark's score. */
typedef struct mls_olympic_result {
    double score_minutes; /**< NaN: no score */
    bool official;        /**< N runs (or a window of N), at most m of them dropped, and a score */
    mls_olympic_outcome outcome;
    size_t dropped;      /**< runs that are not valid, of those scored: the window's when one is selected, else all */
    size_t kept;         /**< runs in the mean */
    bool windowed;       /**< a window was selected; the next two say which */
    size_t window_first; /**< in order of start time, from 0 */
    size_t window_count; /**< N */
    double
        window_median; /**< of the windows' scores, minutes; NaN when windows were not looked at, INFINITY: no score */
} mls_olympic_result;

/**
 * Scores `count` runs (any order; `runs` may be NULL when count is 0).
 *
 * With d runs dropped and m allowed: d > m gives no score; otherwise the m
 * fastest and the m - d slowest of the valid runs are left out and the rest is
 * averaged; with none left there is no score.  Fewer than N runs give the
 * plain mean of the valid ones, which is not official.
 *
 * A submitter may decide ahead to make M > N runs.  Sorted by start time,
 * every N consecutive runs get their olympic mean, infinite when more than m
 * are dropped; the window closest to the median of all (of two equally close
 * the slower, of two equal the first) is the score.  An infinite median
 * makes the whole result invalid.
 *
 * `marks`, when not NULL, receives one mark per run in the order of `runs`.
 * Without a score, the valid runs that were not left out are marked as kept.
 * Returns MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_olympic_score(const mls_olympic_run *runs, size_t count, const mls_olympic_rules *rules,
                             mls_olympic_mark *marks, mls_olympic_result *result) MLS_MUST_USE;

#ifdef __cplusplus
}
#endif
#endif
