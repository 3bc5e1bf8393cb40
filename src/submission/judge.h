/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h - from the files of a tree to verdicts, one log at a time and then
 * one result at a time.
 *
 * Logs are read side by side: what belongs to one log stands in its reading,
 * and nothing else is written to.  Results are judged afterwards, in order.
 */
#ifndef MLS_SUBMISSION_JUDGE_H
#define MLS_SUBMISSION_JUDGE_H

#include <pthread.h>

#include "mlscore/run.h"
#include "mlscore/submission.h"
#include "submission/tree.h"

/* What one log has said, and its power files. */
typedef struct mls_log_reading {
    const mls_tree_result *result;
    const mls_tree_file *file;
    mls_run run;           /* its `valid` is the verdict of the rules and of the power files */
    mls_findings findings; /* of the rules and about the power files; path NULL is the log */
    mls_findings trouble;  /* what could not be read: it is reported even when the log is forgiven */
    double joules;
    bool power_wrong;
    uint64_t bytes;
    mls_status status; /* MLS_OK, or what ended everything */
} mls_log_reading;

/* Shared by the threads that read logs. */
typedef struct mls_log_reader {
    const mls_tree *tree;
    const mls_submission_options *options;
    const mls_ruleset *ruleset;
    pthread_mutex_t lock;   /* guards what follows */
    mls_checker **checkers; /* the idle ones; there are never more than threads */
    size_t checker_count, checker_capacity;
    size_t logs_done, logs;
    uint64_t bytes_done;
} mls_log_reader;

/* Reads one log and the power files of its run, and judges both. */
void mls_log_read(mls_log_reader *reader, mls_log_reading *reading);

void mls_log_reading_release(mls_log_reading *reading);

/* Finds out how many power files of each kind most runs of a result have.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_power_usual(mls_tree_result *result) MLS_MUST_USE;

/*
 * Reads the power files of a run, if its result has any: fills joules, and
 * when they are not as they must be the run is not valid.
 */
mls_status mls_power_judge(const mls_tree *tree, mls_log_reading *reading) MLS_MUST_USE;

/* What a result is judged with. */
typedef struct mls_result_context {
    const mls_submission_options *options;
    const mls_edition *edition;
    const mls_tree_submitter *tree;
    const mls_system *system; /* NULL: there is no description */
} mls_result_context;

/*
 * Judges a result from the readings of its logs, in order, and adds to
 * `findings`.  `result` is zeroed.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_result_judge(const mls_result_context *context, const mls_tree_result *tree, mls_log_reading *readings,
                            mls_submission_result *result, mls_findings *findings) MLS_MUST_USE;

/*
 * Decodes the configs of a submitter's implementations, or with
 * options->benchmark of that one's; with options->system none, since nothing
 * says which belong to a system.  What disagrees in them, and settings that
 * cost speed, is added as advice.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_configs_judge(const mls_tree *tree, const mls_tree_submitter *submitter,
                             const mls_submission_options *options, mls_findings *findings) MLS_MUST_USE;

void mls_submission_result_release(mls_submission_result *result);

#endif
