/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - internals of watch/: follow growing files, update the state of their runs and of groups of runs, and
 * estimate the remaining time and the score.
 *
 * Records arrive as files are read (follow.c).  The relevant ones are queued and applied in the order of their times
 * (live.c), so that events do not depend on how files were read.  Times are milliseconds since 1970.  Unknown numbers
 * are NAN, unknown texts NULL. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/walk.h"
#include "log/messages.h"
#include "run/reading.h"
#include "score/collect.h"

/* ---- estimate.c: estimate the remaining time of a training run, from finished runs of its group or else from the
 * reference; and the provisional score of a group with its bounds.  Positions are in the unit of the benchmark
 * (samples, epochs). Minutes count from run_start.  Estimates assume that the run converges. */

typedef struct mls_value_point {
    double at, minutes, value; /* value NAN: not a number */
} mls_value_point;

/* The evaluations of a run, in ascending positions.  If there are too many, every second one is dropped, and only every
 * second one is stored from then on.  The first and the last are always kept.  Zero-initialise an mls_curve; it owns
 * its items. */
enum { MLS_CURVE_POINTS_MAX = 512 };
typedef struct mls_curve {
    mls_value_point *items;
    size_t count, capacity;
    size_t seen, stride; /* number of evaluations so far; one of `stride` is kept */
    double before;       /* position of the last but one evaluation; NAN: there is none */
} mls_curve;

/* Add an evaluation if its position is after the position of the last one. */
void mls_curve_add(mls_curve *curve, mls_value_point point);
void mls_curve_release(mls_curve *curve);

/* A run of the group that converged. */
typedef struct mls_past_run {
    const mls_curve *curve;
    double minutes; /* time to train */
    double needed;  /* position at which it converged */
} mls_past_run;

/* The data for an estimate.  At most MLS_PAST_RUNS_MAX runs are used. */
enum { MLS_PAST_RUNS_MAX = 256 };
typedef struct mls_estimate_basis {
    const mls_past_run *runs;
    size_t run_count;
    const double *reference; /* positions at which the reference converged; multiply them by `scale` */
    size_t reference_count;
    double scale;
    double limit; /* position at which a run is stopped even if it has not converged; 0: unknown */
} mls_estimate_basis;

typedef enum mls_estimate_from {
    MLS_ESTIMATE_NONE,
    MLS_ESTIMATE_REFERENCE,
    MLS_ESTIMATE_RUNS,
    MLS_ESTIMATE_CURVES
} mls_estimate_from;

/* Return "reference", "runs" or "curves", the data that an estimate is from; NULL if there is no estimate. */
const char *mls_estimate_from_name(mls_estimate_from from);

/* The minutes left from now, with an 80 % interval. */
typedef struct mls_estimate {
    mls_estimate_from from;
    double left, low, high;
    double end;  /* expected position of the end; NAN: unknown */
    bool beyond; /* the run is more than one evaluation past the longest of the earlier runs, or at its limit */
} mls_estimate;

mls_estimate mls_estimate_none(void);

/* Estimate the remaining time of a run `now` minutes after its run_start. */
mls_estimate mls_estimate_left(const mls_curve *curve, double now, const mls_estimate_basis *basis);

/* The finished runs of a group. */
typedef struct mls_so_far {
    const mls_benchmark *rules;
    const double *minutes; /* times to train of the valid runs */
    size_t valid, not_valid;
    double scale; /* current scale factor of the score */
} mls_so_far;

typedef struct mls_outlook {
    size_t needed, finished, to_come; /* numbers of runs: needed (0: unknown), finished, and expected to follow */
    bool impossible;                  /* more runs are invalid than the rules allow */
    bool official;                    /* all runs have finished, so `now` is the score */
    double now;                       /* olympic mean of all runs, or mean of the valid ones if it does not exist */
    double best, worst;               /* if all remaining runs are as fast as the fastest, or as slow as the slowest */
} mls_outlook;

mls_outlook mls_outlook_make(const mls_so_far *so_far);

/* Return whether the scaled score can be below `minutes`: never (CANNOT), in any case (CERTAIN), or only if each
 * remaining run takes less than *mean minutes (IF).  *mean is accurate to 0.001 and assumes that all remaining runs are
 * equally long. */
typedef enum mls_beat { MLS_BEAT_CANNOT, MLS_BEAT_CERTAIN, MLS_BEAT_IF } mls_beat;
mls_beat mls_outlook_beat(const mls_so_far *so_far, double minutes, double *mean);

/* ---- follow.c: follow the logs below some paths.  A look lists the files (as run/ does) and reads new bytes.
 * Files are identified by device and inode: a renamed file continues under its new name.  A file that was truncated, or
 * whose bytes before the last position have changed, is read again from the start.  Files are not kept open.
 *
 * inotify reports writes in the folders, but not writes by other nodes to a shared file system (Lustre, NFS, GPFS), and
 * possibly not in all folders.  Therefore looks also happen at regular intervals. */

struct mls_live;

typedef enum mls_file_change {
    MLS_FILE_FOUND,
    MLS_FILE_RENAMED,
    MLS_FILE_RESTARTED, /* truncated, so it is read from the start */
    MLS_FILE_GONE,
    MLS_FILE_FAILED /* the file cannot be read */
} mls_file_change;

enum { MLS_FOLLOWED_BYTES = 32 };

typedef struct mls_followed {
    char *path;
    size_t root; /* see mls_source.root */
    bool result;
    uint64_t device, inode;
    uint64_t size, offset; /* size at the last look; bytes read so far */
    double written_ms;     /* time of the last new bytes since 1970; for the first ones the file's modification time */
    bool unread;           /* compressed or not text, so it is not read */
    bool failed;           /* the last read failed */
    bool seen;             /* found in the current look */
    bool waits;            /* there may be bytes to read */
    char before[MLS_FOLLOWED_BYTES]; /* the bytes before `offset` */
    size_t before_count;
    mls_log_feed *feed;
    struct mls_live_reader *reader; /* state of live.c; receives the records of the feed */
} mls_followed;

/* State of following files.  Initialise with paths, live and notify_fd (-1) set, all else zero. */
typedef struct mls_follow {
    const char *const *paths; /* files and folders; borrowed */
    size_t path_count;
    struct mls_live *live;
    int notify_fd;                     /* descriptor of inotify, for poll(); -1: inotify is not used */
    MLS_LIST_OF(mls_followed *) files; /* sorted by inode */
    mls_names folders;                 /* folders that contain files or may do so later, without duplicates */
    mls_names missing;                 /* paths that do not exist yet */
    double changed_ms;                 /* last modification of a folder at the last listing */
    double listed_ms;                  /* time of the last listing */
    unsigned looks;                    /* number of looks since the last listing */
    mls_scan_room *room;
    MLS_LIST_OF(struct mls_notify_folder) watched; /* folders watched with inotify */
} mls_follow;

/* Read inotify events and mark the files that were written to.  *written is set to whether there are such files. Return
 * whether a look is needed now because something else may have changed. */
bool mls_follow_take_notices(mls_follow *follow, bool *written);

/* List the files if a folder may have changed, and at regular intervals; and find the files that have grown.  Return
 * MLS_OK or MLS_ERROR_LIMIT. */
mls_status mls_follow_look(mls_follow *follow, double now_ms, mls_error *error) MLS_MUST_USE;

/* Read the new bytes of files that have grown or were written to. */
void mls_follow_read(mls_follow *follow, double now_ms);

/* Process the last line of each file even if it is not terminated. */
void mls_follow_end(mls_follow *follow);

void mls_follow_release(mls_follow *follow);

/* ---- live.c */

typedef enum mls_live_state {
    MLS_LIVE_WAITING, /* before init_start and run_start */
    MLS_LIVE_INIT,
    MLS_LIVE_TRAINING,
    MLS_LIVE_EVALUATING,
    MLS_LIVE_SUCCESS,
    MLS_LIVE_ABORTED, /* status of run_stop is not success */
    MLS_LIVE_DIED     /* the run ended without run_stop */
} mls_live_state;
const char *mls_live_state_name(mls_live_state state);

/* Maximum number of failure lines that are reported for a run. */
enum { MLS_FAILURES_SHOWN = 5 };

/* The runs of one benchmark, division, config and batch size, or of one folder of results. */
typedef struct mls_live_group {
    mls_buffer key;             /* mls_run_group_key() */
    const mls_edition *edition; /* guessed from the first run of the group */
    const mls_benchmark *rules; /* never NULL */
    mls_progress counts;
    double batch_size;
    mls_rcp_set *points; /* reference points, owned by mls_live.points; NULL: the benchmark has none */
    /* Positions at which the reference converged at this batch size; multiply them by `scale`. */
    const double *reference;
    size_t reference_count;
    double scale;
    mls_target target; /* target in the rules; its direction is 0 if the rules do not have a target */
    MLS_LIST_OF(struct mls_live_run *) runs; /* runs in the group */
    /* Runs of the group that converged, in the order of their ends. */
    MLS_LIST_OF(struct mls_live_run *) finished;
    size_t numbered;                              /* last number given to a run */
    bool finished_well;                           /* at least one run has converged */
    double longest_silence_ms[MLS_LIVE_DIED + 1]; /* longest silence of the converged runs in each state */
    const mls_group *group;                       /* the scored group; NULL: not scored yet */
} mls_live_group;

/* The properties that a run has logged so far. */
typedef struct mls_live_facts {
    char *benchmark, *division, *config, *job;
    double date_ms; /* time of the first record */
    double batch_size, target, max_steps;
} mls_live_facts;

typedef struct mls_live_run {
    char *file; /* file that the run is read from; if it is in two files, the trial's own log */
    const mls_followed *followed;
    size_t line;                /* line of the first record */
    size_t found;               /* number in the order in which runs were found */
    struct mls_live_run *above; /* previous run in the file; NULL: this run is the first one */
    struct mls_live_run *same;  /* the run of which this one is a duplicate; NULL: not a duplicate */
    /* The last duplicate of this run; if this run is a duplicate, the next duplicate of the same run. */
    struct mls_live_run *repeat, *next_repeat;
    mls_live_group *group; /* NULL: unknown */
    size_t number;         /* number in the group in the order of starts, from 1; 0: not started */
    mls_live_state state;
    bool stalled;
    double first_ms; /* time of the earliest record at the start of the run */
    mls_step init_start, run_start, run_stop;
    mls_run_status status;
    mls_live_facts facts;
    double newest_ms; /* time of its newest record */
    mls_curve curve;
    mls_value_point last; /* last evaluation; minutes since run_start */
    mls_step evaluated;   /* record of the last evaluation */
    bool met;             /* the last evaluation reached the target, so only run_stop is missing */
    size_t evaluations;
    double at, throughput, step;                  /* position, samples per second, last step */
    double needed;                                /* position at which the run converged */
    mls_estimate estimate;                        /* estimate at the last event of the run */
    double estimated_ms;                          /* time of that event */
    double longest_silence_ms[MLS_LIVE_DIED + 1]; /* longest silence in each state */
    double progress_ms;                           /* time of the last progress event */
    size_t failures;                              /* number of failure lines of the run */
    uint64_t shown[MLS_FAILURES_SHOWN];           /* hashes of the failure lines that were reported */
    bool judged, valid;                           /* judged: the run is in a scored group; valid: its verdict there */
} mls_live_run;

typedef enum mls_watch_kind {
    MLS_WATCH_FILE,
    MLS_WATCH_INIT,
    MLS_WATCH_START,
    MLS_WATCH_PROGRESS,
    MLS_WATCH_EVALUATION,
    MLS_WATCH_STOP,
    MLS_WATCH_STALLED,
    MLS_WATCH_RESUMED,
    MLS_WATCH_DIED,
    MLS_WATCH_FAILURE,
    MLS_WATCH_FINDING,
    MLS_WATCH_SCORE,
    MLS_WATCH_END,
    MLS_WATCH_EVAL_START /* updates a run, but is not reported */
} mls_watch_kind;
const char *mls_watch_kind_name(mls_watch_kind kind);

/* An event for the callback.  All pointers are valid until the callback returns. */
typedef struct mls_watch_event {
    mls_watch_kind kind;
    double time_ms; /* time of the record; NAN: the event is not about a record with a time */
    double seen_ms;
    const char *file; /* file and line that the event is about; NULL and 0 if it is not about a file */
    size_t line;
    const mls_live_run *run;
    const mls_group *group; /* for MLS_WATCH_SCORE: the scored group */
    const char *message;
    int exit_status; /* for MLS_WATCH_END */
} mls_watch_event;
typedef void mls_watch_callback(void *state, const mls_watch_event *event);

typedef struct mls_live {
    const mls_collect_options *how; /* how runs will be scored */
    mls_reading reading;            /* how files are split into runs */
    mls_signatures *signatures;
    double interval_ms;               /* minimum time between progress events */
    const char *job;                  /* ignore files of other jobs; NULL: ignore none */
    MLS_LIST_OF(mls_live_run *) runs; /* in the order in which they were found */
    MLS_LIST_OF(mls_live_group *) groups;
    MLS_LIST_OF(struct mls_queued_event) queue;
    size_t round;     /* number of times the queue was applied */
    size_t found;     /* number of runs found so far */
    mls_arena texts;  /* texts of runs */
    mls_arena queued; /* texts of the queue */
    mls_arena lists;  /* memory of `started` and `keys` */
    mls_map started;  /* runs by the time of their first record; see mls_live_list_add() */
    mls_map keys;     /* groups by key */
    mls_rcp_sets points;
    mls_watch_callback *event; /* NULL: no events */
    void *state;               /* passed to the callback */
    double now_ms;
    bool news; /* runs began, ended or disappeared, so scores are outdated */
} mls_live;

/* ---- events of followed files (follow.c).
 *
 * mls_live_file_begin() begins reading a file with a new feed.  mls_live_file_changed() reports a change of a file;
 * `what` is its old path, or the error.  mls_live_grown() reports that a file has grown after a silence; its last
 * run may be NULL.  mls_live_file_forget() applies the queue, and then removes the file with its runs and empty groups.
 */
void mls_live_file_begin(mls_live *live, mls_followed *file);
void mls_live_file_changed(mls_live *live, mls_followed *file, mls_file_change change, const char *what);
void mls_live_grown(mls_live_run *last, double silence_ms);
void mls_live_file_forget(mls_live *live, mls_followed *file);

/* mls_live_last_run() returns the last run in a file, or NULL if there is none yet.  mls_live_job() returns the job
 * that the file belongs to, or NULL if it is unknown so far. */
mls_live_run *mls_live_last_run(const mls_followed *file);
const char *mls_live_job(const mls_followed *file);

/* Apply the queue in the order of times, and report events. */
void mls_live_apply(mls_live *live);

/* Find runs that have stalled or resumed, and runs that died because a newer run of their group replaced them.
 * `job_ended`: the job of all runs has ended. */
void mls_live_check_silence(mls_live *live, bool job_ended);

void mls_live_release(mls_live *live);

/* Add a run that begins in a file after the run `above` (NULL: it is the first). */
mls_live_run *mls_live_run_add(mls_live *live, const mls_followed *file, mls_live_run *above);

/* Record that a run of a group converged. */
void mls_live_finished_add(mls_live_run *run);

/* A list of runs with the same time. */
typedef struct mls_live_listed {
    mls_live_run *run;
    struct mls_live_listed *next;
} mls_live_listed;

/* mls_live_list_add() adds a run to the list for a time (NAN also has a list).  mls_live_list_at() returns the list for
 * a time, the run added last first, or NULL if the list is empty. */
void mls_live_list_add(mls_map *lists, double time_ms, mls_live_run *run);
const mls_live_listed *mls_live_list_at(const mls_map *lists, double time_ms);

/* Return whether a run has ended, successfully or not. */
static inline bool mls_live_run_ended(const mls_live_run *run)
{
    return run->state >= MLS_LIVE_SUCCESS;
}

/* Return whether a run is in a group and not a duplicate. */
static inline bool mls_live_is_of(const mls_live_run *run, const mls_live_group *group)
{
    return run->group == group && run->same == NULL;
}

/* Return the minutes from run_start to a time. */
static inline double mls_live_minutes(const mls_live_run *run, double until_ms)
{
    return (until_ms - run->run_start.time_ms) / 60000;
}

/* Return whether the target value of a run is known. */
static inline bool mls_live_has_target(const mls_live_run *run)
{
    return run->group != NULL && run->group->target.direction != 0;
}

/* Estimate the remaining time of a run at a time, from the runs of its group that had ended by then. */
mls_estimate mls_live_estimate(const mls_live_run *run, double time_ms);

/* Return the number of failure lines of a run or its duplicates that were not reported. */
size_t mls_live_failures_left(const mls_live_run *run);
