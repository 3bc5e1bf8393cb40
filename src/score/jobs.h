/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - what Slurm says about the jobs that made runs: its accounting (sacct), read from what the user saved or
 * asked for, and joined with a collection.  No verdict on a run changes by it. */
#pragma once

#include "score/collect.h"

/** How the time of a job's allocation was spent: each moment counts once, so that these add up to it.  Seconds. */
typedef struct mls_job_times {
    double before;   /**< the first init_start of its runs */
    double init;     /**< from init_start to run_start of some run, while none trained */
    double training; /**< from run_start to run_stop of some run */
    double between;  /**< all else before the end of the last run */
    double after;    /**< the last run_stop */
} mls_job_times;

/** A job, as its newest row has it.  Absent numbers are NAN, absent texts NULL; times are milliseconds since 1970. */
typedef struct mls_slurm_job {
    const char *job;       /**< JobIDRaw, which is SLURM_JOB_ID inside of it; else JobID */
    const char *id;        /**< JobID: "117_3" of an array task, "117+1" of a part of a heterogeneous job */
    const char *array_job; /**< "117" of "117_3" */
    double array_task;
    const char *state;        /**< its first word, as it is */
    const char *cancelled_by; /**< a user's number or name */
    double exit_code, signal, derived_exit_code, derived_signal;
    double submit_ms, eligible_ms, start_ms, end_ms;
    double elapsed_seconds, limit_seconds;
    const char *node_list; /**< as Slurm writes it */
    double node_count;
    size_t restarts;              /**< rows beyond the first: it was requeued */
    const char *source;           /**< "sacct", or the file */
    const char *timezone;         /**< of times that do not say theirs: "local" or "+02:00"; NULL: all do */
    struct mls_slurm_job *before; /**< what the row before said of a job that was requeued; NULL: it is the first */
    mls_job_times times;          /**< of runs in the newest row's time … */
    bool has_times;               /**< … where that is known */
} mls_slurm_job;

/** How a job ended, as far as the word of its state says it. */
typedef enum mls_slurm_end {
    MLS_SLURM_ENDED, /**< well, or not yet, or by a word that nobody knows */
    MLS_SLURM_LOST_NODE,
    MLS_SLURM_OUT_OF_MEMORY,
    MLS_SLURM_PREEMPTED,
    MLS_SLURM_REQUEUED,
    MLS_SLURM_OUT_OF_TIME,
    MLS_SLURM_CANCELLED,
    MLS_SLURM_FAILED
} mls_slurm_end;

mls_slurm_end mls_slurm_job_end(const mls_slurm_job *job);

/** Eligible to Start, in seconds; NAN: it has not started, or one is not known. */
double mls_slurm_job_queued(const mls_slurm_job *job);

/** Everything that sacct said.  `findings` are of its rows. */
typedef struct mls_sacct mls_sacct;
mls_status mls_sacct_new(mls_sacct **sacct, mls_error *error);
void mls_sacct_free(mls_sacct *sacct);

/** Reads what `sacct --parsable2`, with a heading, or `sacct --json` printed; steps are left out.  `source` is its
 * name. Times without a zone are in that of `zone_minutes` (NAN: this host's), which `zone` names.  Of two rows for a
 * job that was submitted at one time the later counts.  MLS_ERROR_VALUE or _SYNTAX with a place: it is neither; or
 * _MEMORY. */
typedef struct mls_sacct_zone {
    double minutes;
    const char *name; /**< "local", "+02:00" */
} mls_sacct_zone;
mls_status mls_sacct_read(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone,
                          mls_error *error) MLS_MUST_USE;

/** What it said of a job, by its JobIDRaw or else its JobID; NULL: nothing. */
const mls_slurm_job *mls_sacct_job(const mls_sacct *sacct, mls_str number);

/** Rows that were not used, with their lines. */
const mls_findings *mls_sacct_findings(const mls_sacct *sacct);

/** Calls `program` ("sacct", looked for on PATH) for the jobs of a collection, without a shell, in batches of 500, and
 * reads what it prints.  It has 10 seconds in all.  MLS_ERROR_READ with what went wrong, its own words among them;
 * other jobs were read then. */
mls_status mls_sacct_ask(mls_sacct *sacct, const mls_collection *collection, const char *program,
                         mls_error *error) MLS_MUST_USE;

/** The jobs that made the runs of a collection, as far as sacct knows them, in the order of their groups. */
typedef struct mls_slurm_jobs {
    mls_slurm_job **items; /**< of the sacct */
    size_t count, capacity;
    const mls_run *runs;          /**< of the collection, and … */
    const mls_slurm_job **of_run; /**< … the job of each, in their order; NULL: nothing is known of it */
    const mls_findings *findings; /**< of sacct's rows */
    const char *here;             /**< SLURM_JOB_ID of whoever asks, borrowed; NULL: none */
} mls_slurm_jobs;

/** Returns what sacct says of the job of a run of the collection; NULL: nothing was asked or found. */
const mls_slurm_job *mls_slurm_job_of(const mls_slurm_jobs *jobs, const mls_run *run);

/** Finds the job of each run: what its log says (see mls_job), by JobIDRaw or JobID, which run->job.job then is the
 * first of.  Runs outside of their job's time, and why those that have no run_stop ended, become findings of theirs;
 * jobs without a row in the files that were read become findings of `sacct`. collection->jobs lives as long as `sacct`;
 * `here` is the job that asks (NULL: none).  MLS_OK. */
mls_status mls_jobs_join(mls_sacct *sacct, const char *here, mls_collection *collection, mls_error *error);
