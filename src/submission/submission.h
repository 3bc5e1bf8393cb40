/* SPDX-License-Identifier: Apache-2.0 */
/* submission.h - verify a submission before it is uploaded: a submitter's folder, or a round's with many.
 *
 * mls_submission_verify() walks the tree once (tree.c knows its layout), guesses the edition, reads every log once,
 * judges systems and results in order, and then results beside each other and beside the published ones.  Nothing in
 * the tree is executed or changed, and no link is followed out of it.  pack.h makes a result of logs, and judges it so.
 *
 * A finding belongs to one owner: a run, a result, a system, a submitter or the whole.  A submission is valid when it
 * has no finding of severity error. */
#pragma once

#include "run/system.h"
#include "score/group.h"

/** A log of more bytes is not read, and is not valid. */
#define MLS_LOG_BYTES_MAX ((uint64_t)1 << 30)

/** A file of a submission: a log, a description, a power file … */
typedef struct mls_submission_file {
    const char *path; /**< relative to the tree */
    uint64_t size;
    bool readable;         /**< a regular file inside the tree; otherwise a finding says why not */
    mls_findings *secrets; /**< tokens found while it was read as a log; NULL: it was not searched */
} mls_submission_file;

typedef MLS_LIST_OF(mls_submission_file) mls_submission_files; /**< in natural order of their names */

/** The checks that package_checker_params asks to leave out. */
typedef struct mls_bypasses {
    bool rcp, seeds;
} mls_bypasses;

/** A system: its description systems/<name>.json, the folder of its results, or both. */
typedef struct mls_system {
    const char *name;                /**< of the folder, or of the file without .json */
    const char *folder;              /**< results/<name>, relative to the tree; NULL: there is none */
    mls_submission_file description; /**< path NULL: there is none */
    mls_bypasses bypasses;
    bool has_results;      /**< of a benchmark of the edition */
    bool valid;            /**< it is described, by the rules */
    mls_description says;  /**< what the description says */
    mls_findings findings; /**< about the description, and what stands beside the results */
} mls_system;

/** power/result_<i>: the power files of one run. */
typedef struct mls_power_folder {
    const char *name, *path;
    mls_submission_files files[2]; /**< node_<k>.txt, and sw_<k>.txt of switches */
    bool of_run;                   /**< there is a log result_<i>.txt */
} mls_power_folder;

/** One log, result_<i>.txt. */
typedef struct mls_submission_run {
    mls_submission_file file;
    size_t searched;           /**< its number in the submitter's files, from 1; 0: it is not there … */
    mls_submission_file *also; /**< … and that file, once all are listed */
    /** `valid`: keeps the rules, and has any power files; `findings`: that count (of a dropped run: what is unread). */
    mls_run run;
    const char *reason;            /**< why it is not valid, the first reason; NULL when it is valid */
    size_t reason_line;            /**< of the log; 0: none */
    const mls_power_folder *power; /**< NULL: none */
    double joules;                 /**< NAN: not known */
    bool power_wrong;              /**< its power files are not as they must be */
} mls_submission_run;

/** The results of one system on one benchmark: a folder of logs. */
typedef struct mls_submission_result {
    const char *path;            /**< relative to the tree */
    const char *system;          /**< the name */
    const char *benchmark;       /**< the folder's name */
    const char *division;        /**< as the system's description spells it; NULL: there is none */
    bool weak;                   /**< hpc: a weak scaling result */
    bool has_power;              /**< there is a folder of power files */
    mls_bypasses bypasses;       /**< of this folder alone */
    mls_submission_file scaling; /**< scaling.json; path NULL: there is none */
    mls_power_folder *power;     /**< in natural order of their names, like the next */
    size_t power_count, power_capacity;
    mls_submission_run *runs;
    size_t run_count, run_capacity;
    bool judged;     /**< false: not a benchmark of the edition, so nothing below means anything but the findings */
    bool valid;      /**< its findings let pass, as do those of a submitter and of a system that are */
    size_t invalid;  /**< runs that are not valid; group.rules->left_out may be dropped */
    mls_group group; /**< of its runs: the score and what was checked; its rules are known in any case */
    mls_findings findings;     /**< about the folder; those about a log are its run's */
    mls_finding_counts counts; /**< of these and the runs' */
} mls_submission_result;

/** A finding in its place. */
typedef struct mls_placed_finding {
    const mls_finding *finding;
    const char *path;                    /**< relative to the tree, "." for itself */
    const mls_system *system;            /**< whose it is; NULL, like the next: the submitter's own */
    const mls_submission_result *result; /**< or a log's of this one */
} mls_placed_finding;

typedef struct mls_submitter {
    const char *name;
    const char *path; /**< relative to the tree; "" when the tree is the submitter's folder */
    bool valid;
    mls_system *systems; /**< in natural order of their names, like the next */
    size_t system_count, system_capacity;
    mls_submission_result *results;
    size_t result_count, result_capacity;
    mls_submission_files implementations; /**< benchmarks/<benchmark>/implementations/<implementation> */
    mls_submission_files configs;         /**< config_*.sh of the implementations: regular files inside the tree */
    mls_submission_files files;           /**< regular files inside the tree, in which secrets are looked for */
    mls_findings findings;                /**< about what belongs to no system and no result */
    mls_finding_counts counts;            /**< of all that is the submitter's */
    mls_placed_finding *placed;           /**< all its findings that were kept: the worst first, then by place */
    size_t placed_count, placed_capacity;
    size_t unkept[MLS_FINDING_COUNT]; /**< how often a code was found beyond these */
} mls_submitter;

/** How to judge. */
typedef struct mls_submission_options {
    mls_rulesets *rulesets; /**< not NULL; must outlive the submission */
    mls_usage usage;
    bool any_usage;             /**< a tree of benchmarks that only another family has is of that one */
    const mls_edition *edition; /**< NULL: guessed from dates and benchmarks of all results */
    mls_work work;
    mls_score_options score;        /**< how results are scored: bypasses of checks, and bert's train_samples */
    bool as_repo;                   /**< what the repository checker refuses are errors, too */
    bool strict;                    /**< every finding makes the submission invalid */
    const char *system, *benchmark; /**< judge only this system, and only results of this benchmark; NULL: all */
} mls_submission_options;

/** Owns everything; all texts lie in its arena. */
typedef struct mls_submission {
    struct mls_arena *arena;
    const char *path; /**< as given */
    char *real;       /**< resolved, without a trailing slash but for "/" */
    bool valid;
    mls_submission_options options; /**< that it was judged with */
    const mls_edition *edition;     /**< belongs to the rulesets */
    bool edition_guessed;           /**< from what the logs say … */
    bool edition_by_date;           /**< … a date among it */
    mls_submitter *submitters;
    size_t submitter_count, submitter_capacity;
    mls_findings findings;     /**< about what belongs to no submitter */
    mls_finding_counts counts; /**< of everything */
    bool failed;               /**< something could not be read */
} mls_submission;

/** Judges the submission at `path`.  MLS_OK, whatever the verdict; MLS_ERROR_READ when `path` is not a folder that can
 * be read; MLS_ERROR_UNKNOWN, with a message that lists what there is, when nothing there is of the wanted system or
 * benchmark; or what loading the rules returned. *submission is to be released in any case. */
mls_status mls_submission_verify(const char *path, const mls_submission_options *options, mls_submission *submission,
                                 mls_error *error) MLS_MUST_USE;

void mls_submission_release(mls_submission *submission);

/** The kinds of things that stand at a path: by what they hold, not by their names; a folder of several is the first
 * of these. */
typedef enum mls_path_kind {
    MLS_PATH_SUBMISSION, /**< a submitter's folder, or a round's with several */
    MLS_PATH_LOGS,       /**< records of runs; standard input and pipes, which can be read once, are taken for them */
    MLS_PATH_PROFILE,
    MLS_PATH_TELEMETRY,
    MLS_PATH_CONFIG,   /**< a script that exports, a folder of such, or the name of one that decodes */
    MLS_PATH_EXPORT,   /**< what mlscore score wrote, in a file called .json, .ndjson or .csv; from here on no folder */
    MLS_PATH_MODEL,    /**< the config.json of one */
    MLS_PATH_MESSAGES, /**< of failures that are known: a file or a folder of a job's output without a record */
    MLS_PATH_UNKNOWN,
    MLS_PATH_ABSENT /**< nothing is there */
} mls_path_kind;

/** The answer.  Of what is not known, why it is none of the others (NULL: its beginning says more), and how its first
 * line begins. */
typedef struct mls_path_seen {
    mls_path_kind kind;
    const char *why;
    char beginning[61];
    char written[96]; /**< `why`, of what another command wrote; else "" */
} mls_path_seen;

/** Looks at a path.  MLS_OK, whatever stands there; MLS_ERROR_READ: it cannot be read; MLS_ERROR_LIMIT: too many files.
 */
mls_status mls_path_look(const char *path, mls_path_seen *seen, mls_error *error) MLS_MUST_USE;
