/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.h - find the root cause of a failed job in its logs, and the time that a chain of jobs lost by failures.
 *
 * mls_diagnose() reads the files of a job in sequence.  read.c searches lines for signatures (messages.h), follows
 * the progress of each run, and dismisses messages after which training continued.  Then cause.c chooses the root cause
 * of each run without success.  mls_endings_find() diagnoses scored runs that did not end, and campaign.c evaluates
 * several jobs.
 *
 * A matched signature is only an observation.  A consequence of a failure never replaces its root cause, and without
 * evidence the cause stays unknown. */
#pragma once

#include "log/messages.h"
#include "score/jobs.h"

/** Limits of what is stored for one job: possible causes of each role, ranks, iterations, runs and notes. */
#define MLS_CANDIDATES_MAX 4096
#define MLS_RANKS_MAX 65536
#define MLS_PROGRESS_MAX 65536
#define MLS_RUNS_MAX 32768
#define MLS_NOTES_MAX 100

/** The number of matches of a signature. */
typedef struct mls_failure_count {
    const mls_signature *signature;
    size_t count;
} mls_failure_count;

/** A line of a log, without its prefixes and terminal escapes. */
typedef struct mls_failure_line {
    const char *file; /**< relative to the job's path; its own name if the job is a file */
    size_t line;
    const char *text;
    const mls_signature *signature; /**< NULL: no match */
    int32_t rank;                   /**< set only in `read`; -1: unknown */
    const char *node;               /**< set only in `read`; NULL: unknown */
} mls_failure_line;

/** What a scheduler should do with a failed job. */
typedef enum mls_restart { MLS_RESTART_NO, MLS_RESTART_YES, MLS_RESTART_OTHER_NODES } mls_restart;

/** Why a run failed.  Unknown numbers are NAN, unknown texts NULL. */
typedef struct mls_failure {
    size_t run; /**< number in the job, from 1; 0: a launch that failed before a run began */
    const mls_signature *signature;
    bool root_known; /**< the signature is a root cause; otherwise the cause is not in these logs */
    bool hang;       /**< training had made no progress for at least 300 s and ten median steps */
    mls_failure_line at;
    double rank;
    const char *node, *gpu;
    double time_ms, iteration, samples;
    double run_start_ms;
    mls_failure_count *also; /**< other messages of the run, the most frequent first */
    size_t also_count;
    const mls_failure_line
        *read; /**< without a root cause: at most five lines to read, those that look like errors and the last ones */
    size_t read_count;
    bool read_errors;   /**< some lines of `read` were chosen because they look like errors */
    uint32_t *suspects; /**< ranks in the logs without the watchdog timeout that other ranks reported */
    size_t suspect_count;
    mls_restart restart;
    const char *restart_reason;
    double slower;   /**< the last steps took this many times as long as earlier ones (1.5 or more); NAN: not slower */
    size_t run_line; /**< first line of the run in its file; 0: the logs have no records */
} mls_failure;

typedef enum mls_job_outcome { MLS_JOB_UNKNOWN, MLS_JOB_SUCCESS, MLS_JOB_FAILED } mls_job_outcome;

/** A checkpoint that was written. */
typedef struct mls_checkpoint {
    double iteration;
    double done_ms;          /**< when the iteration was completed */
    double start_ms, end_ms; /**< when writing it began and ended; end_ms NAN: not completed */
} mls_checkpoint;

/** Progress of training at a time; NAN: not logged. */
typedef struct mls_iteration {
    double time_ms, iteration, samples;
} mls_iteration;

typedef struct mls_skipped_file {
    bool malformed; /**< the file was read, but none of its records could be parsed */
    const char *path;
    const char *file; /**< its path relative to the job */
    const char *reason;
    bool failed; /**< an error: the file could not be read completely, or the user named it and it is not a log */
} mls_skipped_file;

/** What the dumps of NCCL's flight recorder show. */
typedef struct mls_flight {
    bool mismatch;    /**< ranks called different operations; false: ranks did not enter an operation */
    size_t dumps;     /**< number of dumps */
    uint32_t *blamed; /**< the ranks that did so, ascending */
    size_t blamed_count;
    uint32_t *without_dump; /**< ranks of the job without a dump, ascending */
    size_t without_dump_count;
    const char *group, *operation, *sizes; /**< of the operation; empty: unknown */
    double sequence;                       /**< its number in the group, from 1 */
    size_t waiting;                        /**< number of ranks that entered it */
    const char *file;                      /**< the dump of one of them; NULL: none */
} mls_flight;

/** The diagnosis of a job.  It owns everything that it points to, except the signatures. */
typedef struct mls_diagnosis {
    const char *path;
    mls_job_outcome outcome;
    size_t files;          /**< number of files read */
    size_t runs;           /**< number of runs that began, counted as in scoring */
    size_t uncut;          /**< runs beyond MLS_RUNS_MAX, which count as part of the previous run */
    mls_failure *failures; /**< failed runs and launches, in order */
    size_t failure_count;
    mls_failure_count *matched; /**< the number of matches of each signature that matched, in the order of the table */
    size_t matched_count;
    mls_failure_line *notes; /**< the first MLS_NOTES_MAX messages that were not causes */
    size_t note_count, note_total;
    mls_skipped_file *skipped;
    size_t skipped_count;
    const char **overran; /**< ids of patterns that timed out on a line and were not tried again */
    size_t overran_count;
    mls_flight *flight;        /**< NULL: no dumps, or no rank waits for another in them */
    double start_ms, end_ms;   /**< first and last time in the logs */
    mls_iteration *iterations; /**< progress with a time; every second one is dropped when there are MLS_PROGRESS_MAX */
    size_t iteration_count;
    mls_checkpoint *checkpoints;
    size_t checkpoint_count;
    double loaded_iteration; /**< iteration of the checkpoint from which the job started; NAN: none */
    struct mls_arena *arena;
} mls_diagnosis;

typedef struct mls_diagnose_options {
    mls_signatures *signatures; /**< two calls must not use the same table at the same time */
    mls_work work;
    bool unpack; /**< also read gzip-compressed logs */
    /** Open the path, which must then be a single file; return -1 with errno set on failure.  NULL: open files and
     * folders by name. */
    int (*open)(void *state, const char *path);
    void *open_state;
} mls_diagnose_options;

/** Diagnose a job: a folder of logs, a file, or "-" for standard input.  Unreadable files are listed in `skipped`.
 * Return MLS_OK or MLS_ERROR_LIMIT (too many files).  Release *diagnosis in any case. */
mls_status mls_diagnose(const char *path, const mls_diagnose_options *options, mls_diagnosis *diagnosis,
                        mls_error *error) MLS_MUST_USE;
void mls_diagnosis_release(mls_diagnosis *diagnosis);

/** State for diagnosing runs without a run_stop.  Set `options` and zero the other members.  Signatures are loaded on
 * first use.  Consecutive runs of one file cost one additional pass over that file. */
typedef struct mls_endings {
    mls_diagnose_options options;
    char *path;  /**< path of the last diagnosed file */
    size_t root; /**< the member `root` of the current run (mls_run) */
    mls_diagnosis diagnosis;
    size_t next; /**< index of the failure that the next run probably has */
} mls_endings;

struct mls_run;

/** Add the finding `diagnosis` to a run that is invalid and has no run_stop, if its file can be read again.  Return
 * MLS_OK, or an error of mls_diagnose(). */
mls_status mls_endings_find(mls_endings *endings, struct mls_run *run, mls_error *error) MLS_MUST_USE;
void mls_endings_release(mls_endings *endings);

/** Call mls_endings_find() for many runs, with files in parallel.  Runs of one file must be adjacent.  The signatures
 * of `options` must be NULL because each thread loads its own. */
mls_status mls_endings_find_all(const mls_diagnose_options *options, struct mls_run *runs, size_t count,
                                mls_error *error) MLS_MUST_USE;

/** The kinds of time lost by a failure. */
typedef enum mls_lost_time {
    MLS_LOST_DETECTION,
    MLS_LOST_SHUTDOWN,
    MLS_LOST_WORK,
    MLS_LOST_RESTART,
    MLS_LOST_COUNT
} mls_lost_time;

/** A job of a chain, valid as long as its diagnosis. */
typedef struct mls_campaign_job {
    const mls_diagnosis *diagnosis;
    const char *job;         /**< the last number in its name; NULL: none */
    double start_ms, end_ms; /**< from sacct, otherwise from the logs; NAN: unknown */
    mls_job_outcome outcome;
    unsigned kind;                  /**< class of the job's failure, a MLS_CLASS_ number; 0: it did not fail */
    const char *signature;          /**< id of the signature of the failure; NULL: no failure, or only sacct shows it */
    double lost_ms[MLS_LOST_COUNT]; /**< time lost by the failure, in milliseconds */
} mls_campaign_job;

/** A recurring failure: on one node in several jobs, or at one iteration on several nodes. */
typedef struct mls_recurrence {
    const char *signature;
    const char *node; /**< the node; NULL: the failure recurs at one iteration, so the application causes it */
    double iteration;
    const char **names; /**< the jobs of the node, or the nodes of the iteration */
    size_t name_count;
} mls_recurrence;

typedef struct mls_campaign {
    mls_campaign_job *jobs; /**< in the order of their start times */
    size_t count;
    mls_recurrence *recurrences;
    size_t recurrence_count;
    size_t errors;
    double checkpoint_ms;
    double lost_ms[MLS_LOST_COUNT]; /**< sum over all errors */
    double downtime_ms, total_ms, percent, wait_ms, startup_ms;
    double by_class[32]; /**< milliseconds lost by failures of a class, by its number; NAN: no such failure */
    struct mls_arena *arena;
} mls_campaign;

/** Evaluate diagnosed jobs as a chain.  `sacct` contains the rows of the jobs, or is NULL.  Release
 * *campaign before the diagnoses. */
void mls_campaign_make(const mls_diagnosis *diagnoses, size_t count, const mls_sacct *sacct, mls_campaign *campaign);
void mls_campaign_release(mls_campaign *campaign);
