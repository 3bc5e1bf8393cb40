/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - monitor running jobs: follow their files, report events of their runs, and score their groups whenever a
 * run ends.
 *
 * Usage: call mls_watch_begin().  Then call mls_watch_step() and wait until watch.look_ms, until mls_watch_ended() or
 * an error.  Finally call mls_watch_finish() and mls_watch_release().
 *
 * Bytes of files (follow.h) update runs and cause events (live.h) with estimates (estimate.h); screen.h formats them.
 * Scores come from mls_collect(), so they are always those that `score` prints. */
#pragma once

#include "explain/watch/live.h"

/* The message for a file that does not exist yet. */
#define MLS_WATCH_WAITING "waiting for it"

typedef struct mls_watch_options {
    const char *const *paths; /* borrowed, like all other pointers */
    size_t path_count;
    const char *job; /* ignore files of other jobs; NULL: ignore none */
    mls_signatures *signatures;
    bool poll; /* do not use inotify */
    double interval_ms;
    const mls_collect_options *how;
    void *state; /* for the callbacks */
    mls_watch_callback *event;
    /* Collect the runs below paths like `score`. */
    mls_status (*collect)(void *state, const mls_names *paths, mls_collection *collection, mls_error *error);
} mls_watch_options;

typedef struct mls_watch {
    mls_watch_options options;
    mls_live live;
    mls_follow follow; /* poll its notify_fd */
    mls_collection collection;
    mls_arena by_start_arena;
    mls_map by_start;  /* runs by start time; see mls_live_list_add() */
    bool job_ended;    /* set by the caller, who asks Slurm */
    double look_ms;    /* time of the next look */
    double collect_ms; /* earliest time of the next scoring */
    bool moved;        /* the display has changed */
} mls_watch;

void mls_watch_begin(mls_watch *watch, const mls_watch_options *options);

/* Do what is due at a time (milliseconds since 1970): read new bytes, report events, score groups.  Return MLS_OK, or
 * an error of listing files or of the collect callback. */
mls_status mls_watch_step(mls_watch *watch, double now_ms, mls_error *error) MLS_MUST_USE;

/* Read and score everything that is left.  Return the same as mls_watch_step(). */
mls_status mls_watch_finish(mls_watch *watch, double now_ms, mls_error *error) MLS_MUST_USE;
void mls_watch_release(mls_watch *watch);

/* Return whether every group is complete and no run is running. */
bool mls_watch_ended(const mls_watch *watch);

/* Return whether a run of the last score has stopped or died. */
bool mls_watch_run_ended(const mls_watch *watch, const mls_run *run);

/* Return the finished runs of a live group.  `minutes` must have room for one number per run. */
mls_so_far mls_watch_so_far(const mls_live_group *group, double *minutes);

/* ---- output folder and state of a Slurm job */

typedef struct mls_running_job {
    char *job;    /* its SLURM_JOB_ID */
    char *folder; /* folder of its output, with a trailing slash; owned, like the job */
    bool ended;   /* or Slurm no longer knows it */
} mls_running_job;

/* Return whether a text may be a job number: "117", "117_4". */
bool mls_is_job_number(mls_str text);

/* Run `program` ("scontrol", searched in PATH) with "show job -o JOB" for at most 10 seconds.  Return MLS_OK, or
 * MLS_ERROR_READ if it fails or does not report the job and its output file.  Release *running in any case. */
mls_status mls_scontrol_ask(const char *program, const char *job, mls_running_job *running,
                            mls_error *error) MLS_MUST_USE;
void mls_running_job_release(mls_running_job *running);
