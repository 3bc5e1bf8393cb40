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
#include "mlscore/config.h"
#include "mlscore/edition.h"
#include "mlscore/olympic.h"
#include "mlscore/rcp.h"
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
    bool edition_guessed;       /**< by the date of the first record */
    char *benchmark;            /**< NULL: nothing names one */
    const mls_benchmark *rules; /**< what scoring knows of it; never NULL once scored */
    char *division;             /**< "closed" or "open" as the runs log it; NULL: none logged, or they differ */
    char *config;               /**< DGXSYSTEM; NULL: not told, or they differ */
    double global_batch_size;   /**< NAN: not logged, or they differ */
    mls_config_name shape; /**< what the name of the config says; kind NONE when it says nothing; borrows from config */
    const mls_run **runs;
    size_t run_count, run_capacity;
    mls_olympic_mark *marks; /**< one per run */
    size_t runs_needed;      /**< 0: unknown benchmark */
    mls_olympic_result score;
    bool has_spread; /**< at least two valid runs */
    mls_spread spread;
    mls_rcp_set *rcp_set;       /**< the reference points; NULL: no convergence check applies */
    mls_rcp_result rcp;         /**< meaningful with rcp_set */
    double scale;               /**< what the score is multiplied with: 1 unless the check passes and says otherwise */
    double scaled_minutes;      /**< score_minutes times scale; NAN: no score */
    bool seeds_checked;         /**< closed division, edition 1.0.0 or later */
    bool seeds_ok;              /**< as the seed rules have it; true when not checked */
    size_t seeds;               /**< seed records in all runs */
    size_t seeds_different;     /**< of them, by file, line and value */
    mls_findings seed_findings; /**< what is wrong with the seeds */
    double *joules;             /**< energy of each run, NAN: not measured; NULL: the group has no power files */
    double energy_joules; /**< olympic energy, over the runs the score keeps, times scale; meaningful with joules */
    bool weak;            /**< a weak scaling result (hpc); the next three tell */
    size_t weak_models;   /**< models trained: valid runs */
    double weak_instance_scale; /**< accelerators that train one model; NAN: not logged */
    double weak_minutes;        /**< from the first start to the last stop; NAN: no valid run */
    mls_findings findings;
} mls_group;

/** How groups are to be scored.  Zero-initialised but for the editions is what the rules say. */
typedef struct mls_score_options {
    const mls_editions *editions; /**< not NULL */
    bool select_window;           /**< with more runs than needed, score the window the rules choose */
    bool bert_train_samples;      /**< a bert run's train_samples record says how much it took to converge */
    const mls_config_decoder *config_decoder; /**< decodes the names of configs; NULL: they are not decoded */
    const char *division; /**< what decides whether convergence and seeds are checked; NULL: what the runs log */
    mls_str rcp_text;     /**< a user's own reference points (format: mlscore-rcp(1)); empty: none */
    const char *rcp_path; /**< where they are from */
} mls_score_options;

/**
 * Scores a group whose usage, path, result_folder and runs are set: finds out
 * benchmark, division, config, batch size and (with edition NULL) the edition,
 * then the olympic score, the marks, the spread, convergence against the
 * reference points and the seeds, with a finding for each thing that differs
 * between the runs.  Returns MLS_OK, MLS_ERROR_MEMORY, or what is wrong with
 * rcp_text (MLS_ERROR_SYNTAX, MLS_ERROR_VALUE with line and column).
 */
mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error) MLS_MUST_USE;

/** Frees what the group owns; not its runs. */
void mls_group_release(mls_group *group);

#ifdef __cplusplus
}
#endif
#endif
