/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - Slurm accounting (sacct) data of the jobs that made runs.
 *
 * Read saved output with mls_sacct_read(), or call sacct with mls_sacct_ask(); then join the jobs with a collection
 * using mls_jobs_join().  None of this changes a verdict on a run. */
#pragma once

#include "base/map.h"
#include "score/collect.h"

/** How the time of a job's allocation was spent, in seconds.  Each moment counts once, so the sum is the total time. */
typedef struct mls_job_times {
    double before;   /**< before the first init_start of a run */
    double init;     /**< a run is between init_start and run_start, and none is training */
    double training; /**< a run is between run_start and run_stop */
    double between;  /**< everything else until the end of the last run */
    double after;    /**< after the last run_stop */
} mls_job_times;

/** A job, from its newest row.  Missing numbers are NAN, missing texts NULL; times are milliseconds since 1970. */
typedef struct mls_slurm_job {
    const char *job;       /**< JobIDRaw, the SLURM_JOB_ID inside the job; otherwise JobID */
    const char *id;        /**< JobID: "117_3" for an array task, "117+1" for a component of a heterogeneous job */
    const char *array_job; /**< "117" of "117_3" */
    double array_task;
    const char *state;        /**< the first word, unmodified */
    const char *cancelled_by; /**< number or name of a user */
    double exit_code, signal, derived_exit_code, derived_signal;
    double submit_ms, eligible_ms, start_ms, end_ms;
    double elapsed_seconds, limit_seconds;
    const char *node_list; /**< in Slurm's notation */
    double node_count;
    size_t restarts;              /**< number of earlier rows, since the job was requeued */
    const char *source;           /**< "sacct", or the file */
    const char *timezone;         /**< time zone used for times without one: "local" or "+02:00"; NULL: none */
    struct mls_slurm_job *before; /**< the previous row of a requeued job; NULL: this is the first */
    mls_job_times times;          /**< of runs during the newest row … */
    bool has_times;               /**< … if it is known */
} mls_slurm_job;

/** How a job ended, according to its state. */
typedef enum mls_slurm_end {
    MLS_SLURM_ENDED, /**< successfully, not yet, or with an unknown state */
    MLS_SLURM_LOST_NODE,
    MLS_SLURM_OUT_OF_MEMORY,
    MLS_SLURM_PREEMPTED,
    MLS_SLURM_REQUEUED,
    MLS_SLURM_OUT_OF_TIME,
    MLS_SLURM_CANCELLED,
    MLS_SLURM_FAILED
} mls_slurm_end;

mls_slurm_end mls_slurm_job_end(const mls_slurm_job *job);

/** Return the time from Eligible to Start in seconds; NAN if it has not started or a time is unknown. */
double mls_slurm_job_queued(const mls_slurm_job *job);

/** The jobs of the runs in a collection that sacct knows, in the order of the groups. */
typedef struct mls_slurm_jobs {
    mls_slurm_job **items; /**< owned by the mls_sacct */
    size_t count, capacity;
    const mls_run *runs;          /**< of the collection */
    const mls_slurm_job **of_run; /**< the job of each run, in the same order; NULL: unknown */
    const mls_findings *findings; /**< about rows of sacct */
    const char *here;             /**< SLURM_JOB_ID of the current job, borrowed; NULL: none */
} mls_slurm_jobs;

/** The rows of a job, and (if not 0) a run of it in a collection, from 1. */
typedef struct mls_sacct_entry {
    mls_slurm_job *newest;
    size_t first;
} mls_sacct_entry;

/** All sacct data that was read. */
typedef struct mls_sacct {
    mls_arena arena;
    mls_map by_raw, by_id; /**< JobIDRaw and JobID → mls_sacct_entry; the same number may be in both, for two jobs */
    mls_findings findings; /**< about rows that were not used, with their lines */
    mls_slurm_jobs jobs;   /**< of a collection */
    size_t files;          /**< number of saved files, and the last one's name */
    const char *file;
} mls_sacct;
mls_sacct *mls_sacct_new(void);
void mls_sacct_free(mls_sacct *sacct);

/** A time zone.  With minutes NAN, it is that of this host. */
typedef struct mls_sacct_zone {
    double minutes;
    const char *name; /**< "local", "+02:00" */
} mls_sacct_zone;

/** Read the output of `sacct --parsable2` with a header, or of `sacct --json`; job steps are ignored.  `source` is its
 * name for messages.  Times without a zone are in `zone`.  If there are two rows for the same submit time of a job, the
 * later one counts.  Return MLS_ERROR_VALUE or _SYNTAX, with a place, if the text is neither. */
mls_status mls_sacct_read(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone,
                          mls_error *error) MLS_MUST_USE;

/** Return a job by its JobIDRaw, or else its JobID; NULL if it is unknown. */
const mls_slurm_job *mls_sacct_job(const mls_sacct *sacct, mls_str number);

/** Run `program` ("sacct" is found on PATH) for the jobs of a collection, without a shell, in batches of 500, and read
 * its output.  The total timeout is 10 seconds.  On failure, return MLS_ERROR_READ with a message that includes that of
 * sacct; other jobs may have been read. */
mls_status mls_sacct_ask(mls_sacct *sacct, const mls_collection *collection, const char *program,
                         mls_error *error) MLS_MUST_USE;

/** Return the job of a run in the collection; NULL if sacct was not read or does not know it. */
const mls_slurm_job *mls_slurm_job_of(const mls_slurm_jobs *jobs, const mls_run *run);

/** Find the job of each run from its log (see mls_job), by JobIDRaw or JobID; run->job.job becomes its JobIDRaw.  Add
 * findings to runs that are outside the time of their job, and about why runs without a run_stop ended, and to `sacct`
 * for jobs without a row in the files read.  collection->jobs lives as long as `sacct`; `here` is the ID of the current
 * job (NULL: none). */
void mls_jobs_join(mls_sacct *sacct, const char *here, mls_collection *collection);
