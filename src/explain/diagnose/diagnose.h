/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.h - find the root cause of a failed job in its logs, and the time that a chain of jobs lost by failures.
 *
 * mls_diagnose() reads the files of a job in sequence.  Lines are searched for signatures (messages.h).  Records and
 * lines of progress show how far each run came, and messages that training survived are dismissed (read.c).  At the
 * end cause.c chooses the root cause of each run without success.  mls_endings_find() does this for scored runs, and
 * campaign.c evaluates several jobs.
 *
 * A matched signature is an observation: a consequence of another failure never replaces its root cause, and unknown
 * causes stay unknown. */
#pragma once

#include "log/messages.h"
#include "score/jobs.h"

/** Limits of what is stored for one job; the rest is only counted. */
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
    const char *node;               /**< likewise; NULL: unknown */
} mls_failure_line;

/** Why a run failed.  Unknown numbers are NAN, unknown texts NULL. */
typedef struct mls_failure {
    size_t run; /**< number in the job, from 1; 0: a launch that failed before a run began */
    const mls_signature *signature;
    bool root_known; /**< the signature is a root cause; otherwise the cause is not in these logs */
    bool hang;       /**< training had made no progress for a long time */
    mls_failure_line at;
    double rank;
    const char *node, *gpu;
    double time_ms, iteration, samples;
    double run_start_ms;
    mls_failure_count *also; /**< other messages of the run, the most frequent first */
    size_t also_count;
    const mls_failure_line
        *read; /**< without a root cause: lines to read, which are those that look like errors, and the last ones */
    size_t read_count;
    bool read_errors;   /**< some of them are there because they look like errors */
    uint32_t *suspects; /**< known ranks that did not report the timeout that others reported */
    size_t suspect_count;
    double slower;   /**< length of the last iterations relative to those before; NAN: not longer */
    size_t run_line; /**< first line of the run in its file; 0: the logs have no records */
} mls_failure;

typedef enum mls_job_outcome { MLS_JOB_UNKNOWN, MLS_JOB_SUCCESS, MLS_JOB_FAILED } mls_job_outcome;

/** A checkpoint that was written. */
typedef struct mls_checkpoint {
    double iteration;
    double done_ms;          /**< when the iteration was completed */
    double start_ms, end_ms; /**< of writing it; NAN: not completed */
} mls_checkpoint;

/** Progress of training; NAN: not logged. */
typedef struct mls_iteration {
    double time_ms, iteration, samples;
} mls_iteration;

typedef struct mls_skipped_file {
    bool malformed; /**< it was read, but none of its records could be parsed */
    const char *path;
    const char *file; /**< its path relative to the job */
    const char *reason;
    bool failed; /**< it could not be read completely, or it was named but is not a log */
} mls_skipped_file;

/** The diagnosis of a job.  Owns all it points to, except the signatures. */
typedef struct mls_diagnosis {
    const char *path;
    mls_job_outcome outcome;
    size_t files;          /**< number of files read */
    size_t runs;           /**< number of runs that began, counted as in scoring */
    size_t uncut;          /**< runs beyond MLS_RUNS_MAX, which count as part of the previous run */
    mls_failure *failures; /**< failed runs and launches, in order */
    size_t failure_count;
    mls_failure_count *matched; /**< all matches, in the order of the signatures */
    size_t matched_count;
    mls_failure_line *notes; /**< the first messages that were not causes */
    size_t note_count, note_total;
    mls_skipped_file *skipped;
    size_t skipped_count;
    const char **overran; /**< ids of patterns that timed out on a line and were not tried again */
    size_t overran_count;
    double start_ms, end_ms;   /**< first and last time in the logs */
    mls_iteration *iterations; /**< progress with a time; thinned out by halves if there are too many */
    size_t iteration_count;
    mls_checkpoint *checkpoints;
    size_t checkpoint_count;
    double loaded_iteration; /**< iteration of the checkpoint it started from */
    struct mls_arena *arena;
} mls_diagnosis;

typedef struct mls_diagnose_options {
    mls_signatures *signatures; /**< must not be used by two calls at the same time */
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

/** State for diagnosing runs without a run_stop.  Zero-initialise all but the options, whose signatures are loaded when
 * needed.  Consecutive runs of one file cost one additional pass over it. */
typedef struct mls_endings {
    mls_diagnose_options options;
    char *path;  /**< of the last diagnosed file */
    size_t root; /**< root of the current run's file; see mls_run */
    mls_diagnosis diagnosis;
    size_t next; /**< index of the failure that the next run probably has */
} mls_endings;

struct mls_run;

/** Add the finding `diagnosis` to a run that is invalid and has no run_stop, if its file can be read again.  Return
 * MLS_OK, or an error of mls_diagnose(). */
mls_status mls_endings_find(mls_endings *endings, struct mls_run *run, mls_error *error) MLS_MUST_USE;
void mls_endings_release(mls_endings *endings);

/** Do the same for many runs, with files in parallel.  Runs of one file must be adjacent.  The signatures of `options`
 * must be NULL because each thread loads its own. */
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

/** A job of a chain.  Borrows from its diagnosis. */
typedef struct mls_campaign_job {
    const mls_diagnosis *diagnosis;
    const char *job;         /**< the last number in its name; NULL: none */
    double start_ms, end_ms; /**< from sacct, else from the logs */
    mls_job_outcome outcome;
    unsigned kind;                  /**< class of its failure; 0: none */
    const char *signature;          /**< NULL: only sacct shows the failure */
    double lost_ms[MLS_LOST_COUNT]; /**< if it failed */
} mls_campaign_job;

/** A recurring failure: on one node in several jobs, or at one iteration on several nodes. */
typedef struct mls_recurrence {
    const char *signature;
    const char *node; /**< NULL: at one iteration, caused by the application */
    double iteration;
    const char **names; /**< jobs or nodes */
    size_t name_count;
} mls_recurrence;

typedef struct mls_campaign {
    mls_campaign_job *jobs; /**< in order of their starts */
    size_t count;
    mls_recurrence *recurrences;
    size_t recurrence_count;
    size_t errors;
    double checkpoint_ms;
    double lost_ms[MLS_LOST_COUNT]; /**< over all errors */
    double downtime_ms, total_ms, percent, wait_ms, startup_ms;
    double by_class[32]; /**< NAN: no failure of the class */
    struct mls_arena *arena;
} mls_campaign;

/** Evaluate diagnosed jobs as a chain.  `sacct` contains their rows, or is NULL. Release *campaign
 * before the diagnoses. */
void mls_campaign_make(const mls_diagnosis *diagnoses, size_t count, const mls_sacct *sacct, mls_campaign *campaign);
void mls_campaign_release(mls_campaign *campaign);
