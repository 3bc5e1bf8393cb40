/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.h - why a job failed: the first cause among all that its logs contain, and what a chain of jobs lost by
 * failing.
 *
 * mls_diagnose() reads the files of a job one after the other.  Their lines are searched for signatures (messages.h),
 * records and lines of progress show how far each run came, and what training survived is forgotten (read.c,
 * progress.c, follow.c); at the end cause.c picks the first cause of each run without success.  endings.c does this for
 * runs that were scored, campaign.c looks at several jobs.
 *
 * A match of a signature is an observation: what follows from another failure never displaces its root, and what is not
 * known stays unknown. */
#pragma once

#include "log/messages.h"
#include "score/jobs.h"

/** Limits of what is kept of one job; the rest is counted. */
#define MLS_CANDIDATES_MAX 4096
#define MLS_RANKS_MAX 65536
#define MLS_PROGRESS_MAX 65536
#define MLS_RUNS_MAX 32768
#define MLS_NOTES_MAX 100

/** How often a signature matched. */
typedef struct mls_failure_count {
    const mls_signature *signature;
    size_t count;
} mls_failure_count;

/** A line of a log, without its prefixes and terminal escapes. */
typedef struct mls_failure_line {
    const char *file; /**< below the job's path; its own name when the job is a file */
    size_t line;
    const char *text;
    const mls_signature *signature; /**< NULL: none */
    int32_t rank;                   /**< of those in `read`; -1: unknown */
    const char *node;               /**< likewise; NULL: unknown */
} mls_failure_line;

/** Why a run failed.  Unknown numbers are NAN, unknown texts NULL. */
typedef struct mls_failure {
    size_t run; /**< number in the job, from 1; 0: a launch that died before a run began */
    const mls_signature *signature;
    bool root_known; /**< the signature is a root; else the cause is not in these logs */
    bool hang;       /**< training had stood still for long */
    mls_failure_line at;
    double rank;
    const char *node, *gpu;
    double time_ms, iteration, samples;
    double run_start_ms;
    mls_failure_count *also; /**< the run's other messages, most frequent first */
    size_t also_count;
    const mls_failure_line *read; /**< without a root: lines before the end that look like errors, and the last ones */
    size_t read_count;
    bool read_errors;   /**< some of them only because they look like errors */
    uint32_t *suspects; /**< ranks that were seen and did not report the timeout that others reported */
    size_t suspect_count;
    double slower;        /**< the last iterations took so many times as long as those before; NAN: not longer */
    const char *run_file; /**< file and first line of the run itself; NULL: the logs hold no record */
    size_t run_line;
} mls_failure;

typedef enum mls_job_outcome { MLS_JOB_UNKNOWN, MLS_JOB_SUCCESS, MLS_JOB_FAILED } mls_job_outcome;

/** A checkpoint that was written. */
typedef struct mls_checkpoint {
    double iteration;
    double done_ms;          /**< when that iteration was completed */
    double start_ms, end_ms; /**< of the writing; NAN: it was not completed */
} mls_checkpoint;

/** Progress of training; NAN: not logged with it. */
typedef struct mls_iteration {
    double time_ms, iteration, samples;
} mls_iteration;

typedef struct mls_skipped_file {
    bool malformed; /**< it was read, and so was none of its records */
    const char *path;
    const char *file; /**< the part of its path below that of the job */
    const char *reason;
    bool failed; /**< it could not be read, or only in part; or it is named and cannot be read as a log */
} mls_skipped_file;

/** The outcome of a job.  Owns all it points to but the signatures. */
typedef struct mls_diagnosis {
    const char *path;
    mls_job_outcome outcome;
    size_t files;          /**< that were read */
    size_t runs;           /**< that began, as in scoring */
    size_t uncut;          /**< runs beyond MLS_RUNS_MAX, which are taken for a part of the run before them */
    mls_failure *failures; /**< of the runs and launches that failed, in their order */
    size_t failure_count;
    mls_failure_count *matched; /**< all that matched, in the order of the signatures */
    size_t matched_count;
    mls_failure_line *notes; /**< the first messages that caused nothing */
    size_t note_count, note_total;
    mls_skipped_file *skipped;
    size_t skipped_count;
    const char **overran; /**< ids of patterns that took too long on a line and were not tried again */
    size_t overran_count;
    double start_ms, end_ms;   /**< the first and the last time in the logs */
    mls_iteration *iterations; /**< progress with a time, as it came; of very many every second, fourth … one */
    size_t iteration_count;
    mls_checkpoint *checkpoints;
    size_t checkpoint_count;
    double loaded_iteration; /**< of the checkpoint that it began with */
    struct mls_arena *arena;
} mls_diagnosis;

typedef struct mls_diagnose_options {
    mls_signatures *signatures; /**< used by one call at a time */
    mls_work work;
    bool unpack; /**< also read logs packed by gzip */
    /** Opens the path, which then is one file; -1 with errno set.  NULL: files and folders are opened by name. */
    int (*open)(void *state, const char *path);
    void *open_state;
} mls_diagnose_options;

/** Diagnose one job: a folder of logs, a file, or "-" for standard input.  Files that could not be read are among the
 * skipped.  MLS_OK or MLS_ERROR_LIMIT (too many files).  *diagnosis is to be released in any case. */
mls_status mls_diagnose(const char *path, const mls_diagnose_options *options, mls_diagnosis *diagnosis,
                        mls_error *error) MLS_MUST_USE;
void mls_diagnosis_release(mls_diagnosis *diagnosis);

/** Why runs without a run_stop did not end.  Starts zeroed but for the options, whose signatures are loaded when
 * needed; runs of one file, given one after the other, cost one more reading of it. */
typedef struct mls_endings {
    mls_diagnose_options options;
    char *path;  /**< of the file that was diagnosed last */
    size_t root; /**< of the current run, by which its file is opened: see mls_run */
    mls_diagnosis diagnosis;
    size_t next; /**< the failure that the next run is likely to have */
} mls_endings;

struct mls_run;

/** Add the finding `diagnosis` to a run that is not valid and has no run_stop, when its file can be read again.
 * MLS_OK, or what mls_diagnose() returned. */
mls_status mls_endings_find(mls_endings *endings, struct mls_run *run, mls_error *error) MLS_MUST_USE;
void mls_endings_release(mls_endings *endings);

/** Do the same for many runs, of which those of one file follow each other: of many files, side by side.  The
 * signatures of `options` are NULL, as each thread loads its own. */
mls_status mls_endings_find_all(const mls_diagnose_options *options, struct mls_run *runs, size_t count,
                                mls_error *error) MLS_MUST_USE;

/** The kinds of time that a failure costs. */
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
    const char *job;         /**< the last number in its name; NULL: there is none */
    double start_ms, end_ms; /**< of sacct, else of the logs */
    mls_job_outcome outcome;
    unsigned kind;                  /**< the class of its failure; 0: none */
    const char *signature;          /**< NULL: only sacct shows that it failed */
    double lost_ms[MLS_LOST_COUNT]; /**< of a job that failed */
} mls_campaign_job;

/** A failure that came back: on one node in several jobs, or at one iteration on several nodes. */
typedef struct mls_recurrence {
    const char *signature;
    const char *node; /**< NULL: the same iteration, of the application */
    double iteration;
    const char **names; /**< the jobs, or the nodes */
    size_t name_count;
} mls_recurrence;

typedef struct mls_campaign {
    mls_campaign_job *jobs; /**< in the order in which they started */
    size_t count;
    mls_recurrence *recurrences;
    size_t recurrence_count;
    size_t errors;
    double checkpoint_ms;
    double lost_ms[MLS_LOST_COUNT]; /**< of all errors */
    double downtime_ms, total_ms, percent, wait_ms, startup_ms;
    double by_class[32]; /**< NAN: no failure of that class */
    struct mls_arena *arena;
} mls_campaign;

/** Look at diagnosed jobs as a chain.  `sacct`: their rows of sacct; NULL: none.  Always returns MLS_OK; *campaign is
 * to be released before the diagnoses. */
mls_status mls_campaign_make(const mls_diagnosis *diagnoses, size_t count, const mls_sacct *sacct,
                             mls_campaign *campaign, mls_error *error) MLS_MUST_USE;
void mls_campaign_release(mls_campaign *campaign);
