/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission.h - a whole submission, judged before it is uploaded.
 *
 * A submission is a folder on disk: one submitter's, or a round's with many
 * submitters in it.  mls_submission_verify() walks it once, reads every log
 * once, and returns plain structs: what stands there, what each result
 * scores, and every finding with its path relative to the folder.  Nothing in
 * the tree is executed or changed, and no link is followed out of it.
 *
 * A submission is valid when there is no finding of severity error.
 */
#ifndef MLSCORE_SUBMISSION_H
#define MLSCORE_SUBMISSION_H

#include "mlscore/base.h"
#include "mlscore/edition.h"
#include "mlscore/olympic.h"
#include "mlscore/rcp.h"
#include "mlscore/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A log of more bytes is not read, and is not valid. */
#define MLS_LOG_BYTES_MAX ((uint64_t)1 << 30)

/** A system description of more bytes is not read. */
#define MLS_SYSTEM_BYTES_MAX ((size_t)4 << 20)

/** What became of a check. */
typedef enum mls_check {
    MLS_CHECK_NOT_MADE, /**< it does not apply: open division, an early edition, a benchmark without one */
    MLS_CHECK_PASS,
    MLS_CHECK_FAIL,
    MLS_CHECK_BYPASSED /**< it failed, and was asked not to count */
} mls_check;

/** "none", "pass", "fail" or "bypassed". */
const char *mls_check_name(mls_check check);

/** A system description, systems/<name>.json.  Texts are NULL when the description lacks them. */
typedef struct mls_system {
    char *name; /**< of the file, without .json */
    char *path; /**< relative to the tree */
    bool valid;
    bool has_results;
    char *submitter;
    char *division;
    char *status;
    char *number_of_nodes; /**< as written, like the next */
    char *accelerators_per_node;
    char *accelerator_model_name;
} mls_system;

/** One log, result_<i>.txt. */
typedef struct mls_submission_run {
    char *path;       /**< relative to the tree */
    const char *name; /**< its last part */
    bool valid;       /**< keeps the rules, and has its power files if there are any */
    bool converged;   /**< its last run_stop says success */
    double start_ms;  /**< of run_start, since 1970; NAN: none */
    double minutes;   /**< time to train; NAN: none */
    double joules;    /**< NAN: not measured */
    char *reason;     /**< why it is not valid, the first reason; NULL when it is valid */
    size_t reasons;   /**< how many there are */
    size_t reason_line;
    mls_olympic_mark mark;
} mls_submission_run;

/** The results of one system on one benchmark: a folder of logs. */
typedef struct mls_submission_result {
    char *path; /**< relative to the tree */
    char *system;
    char *benchmark;          /**< the folder's name */
    char *division;           /**< as the system description spells it; NULL: there is none */
    bool judged;              /**< false: not a benchmark of the edition, so nothing below means anything */
    bool weak;                /**< hpc: a weak scaling result */
    mls_submission_run *runs; /**< in natural order of their names */
    size_t run_count;
    size_t runs_needed;
    size_t invalid;
    size_t allowed; /**< invalid runs that may be dropped */
    mls_olympic_result score;
    double scale;
    double scaled_minutes;
    mls_check rcp_check;
    mls_rcp_result rcp; /**< meaningful unless rcp_check is NOT_MADE; limit.unit is empty */
    mls_check seed_check;
    size_t seeds, seeds_different;
    mls_check power_check;
    double energy_joules; /**< NAN: not measured */
    size_t weak_models;   /**< with weak: valid runs, what one used, and the time for all */
    double weak_instance_scale;
    double weak_minutes;
    size_t errors; /**< findings of severity error in this folder */
} mls_submission_result;

typedef struct mls_submitter {
    char *name;
    char *path; /**< relative to the tree; "" when the tree is the submitter's folder */
    bool valid;
    mls_system *systems;
    size_t system_count;
    mls_submission_result *results;
    size_t result_count;
    mls_findings findings; /**< paths are relative to the tree */
} mls_submitter;

typedef struct mls_submission {
    char *path; /**< as given */
    bool valid;
    mls_usage usage;
    const mls_edition *edition; /**< belongs to the rulesets */
    bool edition_guessed;
    mls_submitter *submitters;
    size_t submitter_count;
    mls_findings findings; /**< about what belongs to no submitter */
    size_t logs;           /**< read */
    uint64_t bytes;        /**< of them */
    bool failed;           /**< something could not be read */
} mls_submission;

/** How to judge. */
typedef struct mls_submission_options {
    mls_rulesets *rulesets; /**< not NULL; must outlive the submission */
    mls_usage usage;
    const mls_edition *edition; /**< NULL: guessed from the first record of the first log that has one */
    unsigned threads;           /**< 0: one per processor */
    bool rcp_bypass;            /**< a failed convergence check is a warning */
    bool seed_bypass;           /**< so is a failed check of the seeds */
    bool bert_train_samples;    /**< a bert run's train_samples record says how much it took to converge */
    bool strict;                /**< every finding makes the submission invalid */
    const char *system;         /**< judge only results of this system; NULL: all */
    const char *benchmark;      /**< and only of this benchmark; NULL: all */
    /** Called now and then, from any thread but never from two at once; NULL: not. */
    void (*progress)(void *state, size_t files_done, size_t files, uint64_t bytes_done);
    void *progress_state;
} mls_submission_options;

/**
 * Judges the submission at `path`.  MLS_OK, whatever the verdict;
 * MLS_ERROR_READ when `path` is no folder that can be read; MLS_ERROR_MEMORY;
 * or what loading the rules returned.  *submission is to be released in any
 * case.
 */
mls_status mls_submission_verify(const char *path, const mls_submission_options *options, mls_submission *submission,
                                 mls_error *error) MLS_MUST_USE;

void mls_submission_release(mls_submission *submission);

/** Findings of a severity, of all submitters, kept or not. */
size_t mls_submission_count(const mls_submission *submission, mls_severity severity);

#ifdef __cplusplus
}
#endif
#endif
