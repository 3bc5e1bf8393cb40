/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - Slurm accounting (sacct) data of the jobs that made runs.
 *
 * Read saved output of sacct with mls_sacct_read(), or call sacct with mls_sacct_ask().  Then assign the jobs to the
 * runs of a collection with mls_jobs_join().  Data from sacct never changes whether a run is valid. */
#pragma once

#include "base/map.h"
#include "score/collect.h"

/** How the time of a job's allocation was spent, in seconds.  Each moment counts in one member only, so the sum of the
 * members is the time of the allocation. */
typedef struct mls_job_times {
    double before;   /**< before the first init_start of a run */
    double init;     /**< while a run is between init_start and run_start, and no run is training */
    double training; /**< while a run is between run_start and run_stop */
    double between;  /**< the rest of the time until the end of the last run */
    double after;    /**< after the last run_stop */
} mls_job_times;

/** A row of sacct about a job.  Missing numbers are NAN, missing texts are NULL, and times are in milliseconds since
 * 1970. */
typedef struct mls_slurm_job {
    const char *job;          /**< JobIDRaw, which is SLURM_JOB_ID inside the job; JobID if JobIDRaw is missing */
    const char *id;           /**< JobID: "117_3" for an array task, "117+1" for a component of a heterogeneous job */
    const char *array_job;    /**< "117" of "117_3" */
    double array_task;        /**< 3 of "117_3" */
    const char *state;        /**< first word of State, unmodified */
    const char *cancelled_by; /**< number or name of the user who cancelled the job */
    double exit_code, signal, derived_exit_code, derived_signal;
    double submit_ms, eligible_ms, start_ms, end_ms;
    double elapsed_seconds, limit_seconds;
    const char *node_list; /**< host list in Slurm's notation, such as "node[01-03]" */
    double node_count;
    size_t restarts;              /**< newest row: number of earlier rows; each one is an earlier start of the job */
    const char *source;           /**< "sacct", or the name of the file */
    const char *timezone;         /**< zone in which times were read: "local" or "+02:00"; NULL: the times name it */
    struct mls_slurm_job *before; /**< previous row of a requeued job; NULL: this is the first row */
    mls_job_times times;          /**< newest row: how its time was spent */
    bool has_times;               /**< `times` is set */
} mls_slurm_job;

/** How a job ended, according to its state. */
typedef enum mls_slurm_end {
    MLS_SLURM_ENDED, /**< the job succeeded, has not ended, or has an unknown state */
    MLS_SLURM_LOST_NODE,
    MLS_SLURM_OUT_OF_MEMORY,
    MLS_SLURM_PREEMPTED,
    MLS_SLURM_REQUEUED,
    MLS_SLURM_OUT_OF_TIME,
    MLS_SLURM_CANCELLED,
    MLS_SLURM_FAILED
} mls_slurm_end;

mls_slurm_end mls_slurm_job_end(const mls_slurm_job *job);

/** Return the time from Eligible to Start in seconds; NAN if the job has not started or a time is unknown. */
double mls_slurm_job_queued(const mls_slurm_job *job);

/** The jobs of the runs in a collection, in the order of the groups, without jobs that are missing in sacct's data. */
typedef struct mls_slurm_jobs {
    mls_slurm_job **items; /**< newest row of each job; owned by the mls_sacct */
    size_t count, capacity;
    const mls_run *runs;          /**< runs of the collection */
    const mls_slurm_job **of_run; /**< job of each run, in the order of `runs`; NULL: unknown */
    const mls_findings *findings; /**< mls_sacct.findings */
    const char *here;             /**< SLURM_JOB_ID of this process, borrowed; NULL: it is not in a job */
} mls_slurm_jobs;

/** A job in mls_sacct. */
typedef struct mls_sacct_entry {
    mls_slurm_job *newest; /**< newest row; its `before` is the previous one */
    size_t first;          /**< number of a run of the job in the collection, from 1; 0: the job does not have runs */
} mls_sacct_entry;

/** All sacct data that was read. */
typedef struct mls_sacct {
    mls_arena arena;
    /** Maps from JobIDRaw and from JobID to mls_sacct_entry.  The JobIDRaw of a job may be the JobID of another job. */
    mls_map by_raw, by_id;
    mls_findings findings; /**< rows that were not used, and jobs without a row */
    mls_slurm_jobs jobs;   /**< set by mls_jobs_join() */
    size_t files;          /**< number of saved files that were read */
    const char *file;      /**< name of the last one */
} mls_sacct;
mls_sacct *mls_sacct_new(void);
void mls_sacct_free(mls_sacct *sacct);

/** A time zone. */
typedef struct mls_sacct_zone {
    double minutes;   /**< offset from UTC in minutes, positive in the east; NAN: the zone of this host */
    const char *name; /**< "local" or "+02:00" */
} mls_sacct_zone;

/** Read the output of `sacct --parsable2` with a header, or of `sacct --json`; job steps are ignored.  `source`
 * names the text in messages.  Times without a zone are in `zone`.  If two rows of a job have the same submit time, the
 * later row is used.  If the text is neither a table nor JSON, return MLS_ERROR_VALUE or MLS_ERROR_SYNTAX with line and
 * column. */
mls_status mls_sacct_read(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone,
                          mls_error *error) MLS_MUST_USE;

/** Return the job whose JobIDRaw is `number`, or else the job whose JobID is `number`; NULL if the job is unknown. */
const mls_slurm_job *mls_sacct_job(const mls_sacct *sacct, mls_str number);

/** Run `program` (such as "sacct", which is searched on PATH) without a shell for the jobs of a collection, and read
 * its output.  Each call asks for up to 500 jobs, and all calls together may take 10 seconds.  On failure, return
 * MLS_ERROR_READ with a message that includes the message of sacct; some of the jobs may have been read. */
mls_status mls_sacct_ask(mls_sacct *sacct, const mls_collection *collection, const char *program,
                         mls_error *error) MLS_MUST_USE;

/** Return the job of a run in the collection; NULL if sacct's data was not read or does not contain the job. */
const mls_slurm_job *mls_slurm_job_of(const mls_slurm_jobs *jobs, const mls_run *run);

/** Find the job of each run by the number in its log (see mls_job), which is a JobIDRaw or a JobID, and set
 * run->job.job to the JobIDRaw.  Add findings to runs that are outside the time of their job, and to runs without a
 * run_stop about why they ended.  Add findings to `sacct` about jobs without a row in the saved files. collection->jobs
 * lives as long as `sacct`.  `here` is the SLURM_JOB_ID of this process; NULL: it is not in a job. */
void mls_jobs_join(mls_sacct *sacct, const char *here, mls_collection *collection);
