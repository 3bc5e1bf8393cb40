/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.h - runs that make one result, and their score.
 *
 * A group borrows its runs and owns everything else.  Its olympic score
 * follows the rules text: runs that are not valid are dropped and count as the
 * slowest; see olympic.h.
 */
#ifndef MLSCORE_GROUP_H
#define MLSCORE_GROUP_H

#include "mlscore/base.h"
#include "mlscore/edition.h"
#include "mlscore/olympic.h"
#include "mlscore/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How far the valid runs of a group lie apart; minutes. */
typedef struct mls_spread {
    double min_minutes;
    double max_minutes;
    double mean_minutes;
    double stdev_minutes; /**< population standard deviation (divided by the number of runs) */
    double variation;     /**< stdev / mean; 0.024 is 2.4 % */
} mls_spread;

typedef struct mls_group {
    char *path;         /**< the folder (or file) that its runs have in common */
    bool result_folder; /**< the result_*.txt files of one folder */
    mls_usage usage;
    const mls_edition *edition;
    bool edition_guessed;     /**< by the date of the first record */
    char *benchmark;          /**< NULL: nothing names one */
    char *division;           /**< "closed" or "open" as the runs log it; NULL: none logged, or they differ */
    char *config;             /**< DGXSYSTEM; NULL: not told, or they differ */
    double global_batch_size; /**< NAN: not logged, or they differ */
    const mls_run **runs;
    size_t run_count, run_capacity;
    mls_olympic_mark *marks; /**< one per run */
    size_t runs_needed;      /**< 0: unknown benchmark */
    mls_olympic_result score;
    bool has_spread; /**< at least two valid runs */
    mls_spread spread;
    mls_findings findings;
} mls_group;

/**
 * Scores a group whose usage, path, result_folder and runs are set: finds out
 * benchmark, division, config, batch size and (with edition NULL) the edition,
 * then the olympic score, the marks and the spread, with a finding for each
 * thing that differs between the runs.  Returns MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_group_score(mls_group *group, const mls_editions *editions, bool select_window) MLS_MUST_USE;

/** Frees what the group owns; not its runs. */
void mls_group_release(mls_group *group);

#ifdef __cplusplus
}
#endif
#endif
