/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - monitor running jobs: follow their files, report events of their runs, and score their groups whenever a
 * run ends.
 *
 * Usage: call mls_watch_begin().  Then call mls_watch_step() and wait until watch.look_ms, until mls_watch_ended() or
 * an error.  Finally call mls_watch_finish() and mls_watch_release().
 *
 * Bytes of files update runs and cause events with estimates (live.h); screen.c formats them.
 * Scores come from mls_collect(), so they are always those that `score` prints. */
#pragma once

#include "explain/watch/live.h"

/* The message for a file that does not exist yet. */
#define MLS_WATCH_WAITING "does not exist yet, waiting for it"

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
    mls_follow follow; /* the caller polls follow.notify_fd */
    mls_collection collection;
    mls_arena by_start_arena;
    mls_map by_start;  /* runs by start time; see mls_live_list_add() */
    bool job_ended;    /* the job has ended according to Slurm; set by the caller */
    double look_ms;    /* time of the next look */
    double collect_ms; /* earliest time of the next scoring */
    bool moved;        /* the display has changed */
} mls_watch;

void mls_watch_begin(mls_watch *watch, const mls_watch_options *options);

/* At the time now_ms (milliseconds since 1970), read new bytes, report events and score groups if it is time for these.
 * Return MLS_OK, or an error of listing files or of the collect callback. */
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
    char *job;    /* SLURM_JOB_ID of the job */
    char *folder; /* folder of the job's output, with a trailing slash; `job` and `folder` are owned */
    bool ended;   /* the job has ended, or Slurm no longer knows it */
} mls_running_job;

/* Return whether a text may be a job number, such as "117" or "117_4". */
bool mls_is_job_number(mls_str text);

/* Run `program` ("scontrol", searched in PATH) with "show job -o JOB" for at most 10 seconds.  Return MLS_OK, or
 * MLS_ERROR_READ if it fails or does not report the job and its output file.  Release *running in any case. */
mls_status mls_scontrol_ask(const char *program, const char *job, mls_running_job *running,
                            mls_error *error) MLS_MUST_USE;
void mls_running_job_release(mls_running_job *running);

/* ---- screen.c: text output.  Control characters in texts are escaped. */

/* Append an event as a line: "run 3 x.log: evaluation 0.93102 at 2,268 samples, …".  If `dated`, begin with the time of
 * the event's record, or else the time at which the event was seen.  Append nothing for SCORE and END. */
void mls_watch_line(const mls_watch_event *event, bool dated, mls_buffer *line);

/* Return the unit of positions in a group (NULL: unknown): "samples", "epochs" or "steps". */
const char *mls_live_unit(const mls_live_group *group);

enum { MLS_SCREEN_FAILURES = 3 };

typedef struct mls_screen {
    size_t width, height; /* size of the window; height 0: no limit */
    bool ascii, color;
    bool live;       /* clocks continue after the last record */
    const char *job; /* number of the Slurm job; NULL: unknown */
    double beat;     /* minutes that the score should be below; NAN: not given */
    /* Return the minutes that the score of a group should be below; NULL: use `beat` for all groups. */
    double (*beat_of)(const mls_group *group);
    char *failures[MLS_SCREEN_FAILURES]; /* the last failure lines; owned */
    size_t noted;                        /* number of failure lines in total */
} mls_screen;

/* Add a failure line, of which the last few are shown.  The text is copied. */
void mls_screen_note(mls_screen *screen, mls_str text);
void mls_screen_release(mls_screen *screen);

/* Append the screen as a block of lines, with escape sequences for colours if screen->color. */
void mls_screen_compose(const mls_screen *screen, const mls_watch *watch, mls_buffer *block);
