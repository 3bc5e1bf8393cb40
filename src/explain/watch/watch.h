/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - running jobs: their files followed, the events of their runs told, their groups scored whenever a run ends.
 *
 *     mls_watch_begin(&watch, &options);
 *     while (!mls_watch_ended(&watch) && mls_watch_step(&watch, now_ms, &error) == MLS_OK) { wait until watch.look_ms }
 *     mls_watch_finish(&watch, now_ms, &error);
 *
 * Bytes of files (follow.h) become the state of runs and events (live.h) with estimates (estimate.h); screen.h puts
 * them into words.  The score is that of mls_collect(), so that nothing is printed of a group that `score` would not
 * print.
 */
#pragma once

#include "explain/watch/live.h"

/* The message of a file that does not exist yet. */
#define MLS_WATCH_WAITING "waiting for it"

typedef struct mls_watch_options {
    const char *const *paths; /* borrowed, as all else */
    size_t path_count;
    const char *job; /* files of other jobs are left out; NULL: none is */
    mls_signatures *signatures;
    bool poll; /* the kernel is not asked what changes */
    double interval_ms;
    const mls_collect_options *how;
    void *state; /* of the callbacks */
    mls_watch_callback *event;
    /* Collects the runs below paths as `score` does. */
    mls_status (*collect)(void *state, const mls_names *paths, mls_collection *collection, mls_error *error);
} mls_watch_options;

typedef struct mls_watch {
    mls_watch_options options;
    mls_live live;
    mls_follow follow; /* its notify_fd is to be waited for */
    mls_collection collection;
    mls_arena by_start_arena;
    mls_map by_start;  /* runs by the time at which they started, see mls_live_list_add() */
    bool job_ended;    /* set by whoever asks Slurm */
    double look_ms;    /* when to look again */
    double collect_ms; /* not before then */
    bool moved;        /* something can be seen that was not there before */
} mls_watch;

void mls_watch_begin(mls_watch *watch, const mls_watch_options *options);

/* Do what is due at a time (milliseconds since 1970): read what is new, tell the events, score.  MLS_OK, or what
 * looking for files or the collect callback returned. */
mls_status mls_watch_step(mls_watch *watch, double now_ms, mls_error *error) MLS_MUST_USE;

/* Read what is left, for the last time, and score it.  As mls_watch_step(). */
mls_status mls_watch_finish(mls_watch *watch, double now_ms, mls_error *error) MLS_MUST_USE;
void mls_watch_release(mls_watch *watch);

/* Return whether every group has all its runs, and nothing is running. */
bool mls_watch_ended(const mls_watch *watch);

/* Return whether a run of the last score is over: it has stopped, or died. */
bool mls_watch_run_ended(const mls_watch *watch, const mls_run *run);

/* Return what has ended of a live group; `minutes` has room for one number for each of its runs. */
mls_so_far mls_watch_so_far(const mls_live_group *group, double *minutes);

/* ---- where a Slurm job writes, and whether it still runs */

typedef struct mls_running_job {
    char *job;    /* its SLURM_JOB_ID */
    char *folder; /* of its output, with its slash; owned, as the other */
    bool ended;   /* also when Slurm does not know it any more */
} mls_running_job;

/* Return whether a text can be the number of a job: "117", "117_4". */
bool mls_is_job_number(mls_str text);

/* Call `program` ("scontrol", looked for on PATH) with "show job -o JOB", for 10 seconds at most.  MLS_OK, or
 * MLS_ERROR_READ: it cannot be asked, does not know the job or not where that writes.  *running is to be released in
 * any case. */
mls_status mls_scontrol_ask(const char *program, const char *job, mls_running_job *running,
                            mls_error *error) MLS_MUST_USE;
void mls_running_job_release(mls_running_job *running);
