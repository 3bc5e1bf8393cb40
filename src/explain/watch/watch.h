/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - running jobs: their files followed, their runs told of, their groups scored whenever one ends.
 *
 * The score is that of mls_collect(), so that nothing is said of a group that `score` would not say. */
#pragma once

#include "explain/watch/live.h"
#include "explain/watch/notify.h"
#include "explain/watch/outlook.h"

/* The message of a file that is not there yet. */
#define MLS_WATCH_WAITING "waiting for it"

typedef struct mls_watch_options {
    const char *const *paths; /* borrowed, as all else */
    size_t path_count;
    const char *job; /* files of other jobs are left out; NULL: none are */
    mls_signatures *signatures;
    bool poll; /* the kernel's word is not asked for */
    double interval_ms;
    const mls_collect_options *how;
    void *state; /* of the callbacks */
    mls_status (*event)(void *state, const mls_watch_event *event);
    /* Collects what stands below paths as `score` does. */
    mls_status (*collect)(void *state, const mls_names *paths, mls_collection *collection, mls_error *error);
} mls_watch_options;

typedef struct mls_watch {
    mls_watch_options options;
    mls_live live;
    mls_follow follow;
    mls_notify notify; /* its fd is to be waited for */
    mls_collection collection;
    mls_arena by_start_arena;
    mls_map by_start;  /* runs by the time at which they started, see mls_live_list_add() */
    bool job_ended;    /* for whoever asks Slurm to set */
    double look_ms;    /* when to look again */
    double collect_ms; /* not before then */
    bool moved;        /* something can be seen that was not there before */
} mls_watch;

/* Begins to watch: *watch is to be released in any case. */
mls_status mls_watch_begin(mls_watch *watch, const mls_watch_options *options, mls_error *error) MLS_MUST_USE;

/* Does what is due at a time (milliseconds since 1970): reads what is new, tells of it, scores. */
mls_status mls_watch_step(mls_watch *watch, double now_ms, mls_error *error) MLS_MUST_USE;

/* Reads what is left, for the last time, and scores it. */
mls_status mls_watch_finish(mls_watch *watch, double now_ms, mls_error *error) MLS_MUST_USE;
void mls_watch_release(mls_watch *watch);

/* Whether every group has all its runs, and nothing is running. */
bool mls_watch_ended(const mls_watch *watch);

/* Whether a run of the last score is over: it has stopped, or died. */
bool mls_watch_run_ended(const mls_watch *watch, const mls_run *run);

/* What has ended of a live group: *minutes is to be given to free(). */
mls_status mls_watch_so_far(const mls_live_group *group, double **minutes, mls_so_far *so_far) MLS_MUST_USE;
