/* SPDX-License-Identifier: Apache-2.0 */
/* submission.h - verify a submission before it is uploaded: the folder of one submitter, or the folder of a round with
 * several submitters.
 *
 * mls_submission_verify() lists the tree (tree.c), guesses the edition, reads the logs, and judges systems and results
 * in order.  It then compares results with each other and with published ones.
 *
 * Nothing in the tree is executed or changed, and links out of the tree are not followed. */
#pragma once

#include "base/walk.h"
#include "run/system.h"
#include "score/group.h"
#include "score/score.h"
#include "submission/questions.h"

/** Maximum size of a log in bytes.  A larger log is not read and is invalid. */
#define MLS_LOG_BYTES_MAX ((uint64_t)1 << 30)

typedef struct mls_submission_file {
    const char *path; /**< relative to the tree */
    uint64_t size;
    bool readable;         /**< a regular file inside the tree; otherwise a finding gives the reason */
    mls_findings *secrets; /**< access tokens found while the file was read as a log; NULL: not searched */
} mls_submission_file;

typedef MLS_LIST_OF(mls_submission_file) mls_submission_files; /**< in natural order of their names */

/** The checks that a file package_checker_params disables; true: disabled. */
typedef struct mls_bypasses {
    bool rcp, seeds;
    bool bert_train_samples; /**< not a check: the option of this name; only in a submitter's folder */
} mls_bypasses;

/** A system: its description systems/<name>.json, the folder of its results, or both. */
typedef struct mls_system {
    const char *name;                /**< name of the results folder, or of the description without .json */
    const char *folder;              /**< results/<name>, relative to the tree; NULL if the folder is missing */
    mls_submission_file description; /**< its path is NULL if the file is missing */
    mls_bypasses bypasses;

    const char *nearest;   /**< if the description is missing: an unused one with a similar name; NULL: none */
    bool misnamed;         /**< the description is the `nearest` of another system */
    bool has_folders;      /**< it has a folder of results, even if for a benchmark that the edition does not have */
    bool has_results;      /**< it has results for a benchmark of the edition */
    bool valid;            /**< it has a valid description, and none of its findings makes it invalid */
    mls_description says;  /**< fields of the description */
    mls_findings findings; /**< about the description and about files next to the results */
} mls_system;

/** power/result_<i>: the power files of one run. */
typedef struct mls_power_folder {
    const char *name, *path;
    mls_submission_files files[2]; /**< [0]: node_<k>.txt of nodes; [1]: sw_<k>.txt of switches */
    const char *uncountable;       /**< path of an entry that ends the package checker with an error; NULL: none */
    bool of_run;                   /**< the log result_<i>.txt exists */
} mls_power_folder;

/** Damage of a log as a whole, which is found while it is read. */
typedef struct mls_log_damage {
    const char *what;       /**< "is empty"; NULL: not damaged */
    size_t line;            /**< line of the damage, from 1; 0: the whole file */
    size_t malformed_first; /**< lines of the first and the last malformed record; 0: none */
    size_t malformed_last;
    size_t batch_line;    /**< line of the first global_batch_size that is not a number; 0: none */
    unsigned marks;       /**< number of lines of a merge conflict found so far, up to 3 */
    size_t conflict_line; /**< the first of these lines */
    size_t last_line;     /**< the last line read so far */
    bool whole;           /**< that line has a line ending */
} mls_log_damage;

typedef struct mls_submission_run {
    mls_submission_file file;
    size_t searched; /**< position of the log in the submitter's `files`, from 1; 0: the log is not in `files` */
    mls_submission_file *also; /**< the log in the submitter's `files`; set when the logs are read */
    mls_run run; /**< valid if it obeys the rules and has all power files; most findings of a dropped run are removed */
    mls_log_damage damage;
    const char *reason;            /**< first reason why the run is invalid; NULL if it is valid */
    size_t reason_line;            /**< line of the log with the reason, from 1; 0: unknown */
    const mls_power_folder *power; /**< folder of the run's power files; NULL if it has none */
    double joules;                 /**< energy of the run in joules; NAN: unknown */
    mls_power_readings *readings;  /**< of the files of nodes, in their order; NULL: not read */
    bool power_wrong;              /**< the run's power files are invalid */
    struct mls_run_notes *notes;   /**< data of the run that only questions need; NULL: the log was not read */
    const struct mls_submission_run *copy_of; /**< the first log with the same bytes; NULL: none */
    bool published; /**< the run began at the same millisecond as a published run of an earlier round */
} mls_submission_run;

/** The results of one system on one benchmark: a folder of logs. */
typedef struct mls_submission_result {
    const char *path;            /**< relative to the tree */
    const char *system;          /**< name of the system */
    const char *benchmark;       /**< name of the benchmark's folder */
    const char *division;        /**< division, as spelled in the system's description; NULL if missing */
    bool weak;                   /**< a weak scaling result (HPC) */
    bool has_power;              /**< the result has a folder of power files */
    mls_bypasses bypasses;       /**< checks disabled by the package_checker_params of this folder */
    mls_submission_file scaling; /**< scaling.json; its path is NULL if the file is missing */
    mls_power_folder *power;     /**< folders of power files, in natural order of their names */
    size_t power_count, power_capacity;
    mls_submission_run *runs;
    size_t run_count, run_capacity;
    bool judged; /**< false: the edition does not have this benchmark, so no log was read */
    bool valid;  /**< it was judged, and no finding about it, its runs or its system's description makes it invalid */
    size_t invalid;        /**< number of invalid runs; the rules allow group.rules->left_out of them to be dropped */
    mls_group group;       /**< group of the runs, with their score and the checks made; its rules are always set */
    mls_findings findings; /**< about the folder; findings about a log belong to its run */
    mls_finding_counts counts; /**< counts of all findings, including those of the runs */
} mls_submission_result;

typedef struct mls_placed_finding {
    const mls_finding *finding;
    const char *path;                    /**< relative to the tree; "." is the tree */
    const mls_system *system;            /**< system that owns the finding, or NULL */
    const mls_submission_result *result; /**< result that owns the finding or whose log the finding is about, or NULL.
                                          * If both are NULL, the submitter owns the finding. */
} mls_placed_finding;

typedef struct mls_submitter {
    const char *name;
    const char *path; /**< relative to the tree; "" when the tree is the submitter's folder */
    bool valid;
    mls_bypasses bypasses; /**< options that the package_checker_params in the submitter's folder sets */
    mls_system *systems;   /**< in natural order of their names; so are the results */
    size_t system_count, system_capacity;
    mls_submission_result *results;
    size_t result_count, result_capacity;
    mls_submission_files implementations; /**< benchmarks/<benchmark>/implementations/<implementation> */
    mls_submission_files configs;         /**< config_*.sh of the implementations: regular files inside the tree */
    mls_submission_files files;           /**< regular files inside the tree to search for secrets */
    mls_findings findings;                /**< findings that do not belong to a system or result */
    mls_finding_counts counts;  /**< counts of all findings, including those of the systems, results and runs */
    mls_placed_finding *placed; /**< all stored findings, by severity (worst first), then by path */
    size_t placed_count, placed_capacity;
    size_t unkept[MLS_FINDING_COUNT]; /**< number of further findings of each code that were not stored */
} mls_submitter;

typedef struct mls_submission_options {
    mls_rulesets *rulesets; /**< must not be NULL and must outlive the submission */
    mls_usage usage;
    bool any_usage; /**< if no benchmark of the tree belongs to `usage`, use the usage to which they belong */
    const mls_edition *edition; /**< NULL: guess from dates and benchmarks of all results */
    mls_work work;
    mls_score_options score;  /**< scoring options: bypassed checks, and bert's train_samples */
    bool as_repo;             /**< violations that only the repository checker rejects are errors, not advice */
    const mls_names *against; /**< what review compares with besides: "published", "none", or folders; NULL or empty:
                                 published */
    bool strict;              /**< every finding makes the submission invalid */
    bool drafts; /**< do not ask about empty fields of descriptions, because people will still fill them in */
    const char *system, *benchmark; /**< judge only this system, and only results of this benchmark; NULL: all */
} mls_submission_options;

/** A verified submission.  It owns everything that its members point to, unless a comment names another owner.  All
 * texts are in its arena. */
typedef struct mls_submission {
    struct mls_arena *arena;
    const char *path; /**< path of the tree, as passed to mls_submission_verify() */
    char *real;       /**< absolute path of the tree without links; no trailing slash except for "/" */
    bool valid;
    mls_submission_options options; /**< the options used; `usage` may differ from the one passed (see any_usage) */
    const mls_edition *edition;     /**< owned by the rulesets */
    bool edition_guessed;           /**< the edition was guessed from the logs */
    bool edition_by_date;           /**< a date in the logs was used to guess the edition */
    mls_submitter *submitters;
    size_t submitter_count, submitter_capacity;
    mls_findings findings;     /**< findings that do not belong to a submitter */
    mls_finding_counts counts; /**< counts of all findings of the whole submission */
    mls_questions questions;   /**< in the order in which they were found; each question also has a finding */
    bool failed;               /**< some files could not be read */
} mls_submission;

/** Judge the submission at `path`. Return MLS_OK even if the submission is invalid.  Return MLS_ERROR_READ if
 * `path` is not a readable folder, or MLS_ERROR_UNKNOWN, with a message that lists the choices, if the wanted system or
 * benchmark does not exist.  Errors of loading the rules are also returned.  Call mls_submission_release() in any case.
 */
mls_status mls_submission_verify(const char *path, const mls_submission_options *options, mls_submission *submission,
                                 mls_error *error) MLS_MUST_USE;

void mls_submission_release(mls_submission *submission);

/** The kinds of input, detected from contents.  If a folder contains several kinds, the one listed first is returned.
 */
typedef enum mls_path_kind {
    MLS_PATH_SUBMISSION, /**< the folder of a submitter, or of a round with several submitters */
    MLS_PATH_LOGS,       /**< records of runs; standard input and pipes are assumed to contain them */
    MLS_PATH_PROFILE,
    MLS_PATH_TELEMETRY,
    MLS_PATH_CONFIG,   /**< a script that exports variables, a folder of such scripts, or the name of a known config */
    MLS_PATH_EXPORT,   /**< a file of mlscore score: .json, .ndjson, .csv; this and later kinds are never folders */
    MLS_PATH_MODEL,    /**< config.json of a model */
    MLS_PATH_MESSAGES, /**< known failure messages: a file or folder of job output without records */
    MLS_PATH_UNKNOWN,
    MLS_PATH_ABSENT /**< the path does not exist */
} mls_path_kind;

/** The detected kind of a path.  If it is MLS_PATH_UNKNOWN, `why` is the reason (NULL: no reason is known; print
 * `beginning` instead), and `beginning` is the start of the file's first line. */
typedef struct mls_path_seen {
    mls_path_kind kind;
    const char *why;
    char beginning[61];
    char written[96]; /**< the text of `why` if the file is the output of another command; else "" */
} mls_path_seen;

/** Detect the kind of a path.  Return MLS_OK for every kind, MLS_ERROR_READ if the path cannot be read, or
 * MLS_ERROR_LIMIT if the folder contains too many files. */
mls_status mls_path_look(const char *path, mls_path_seen *seen, mls_error *error) MLS_MUST_USE;
