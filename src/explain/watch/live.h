/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - runs as they are while their logs grow, the groups that they will make, and the events of both.
 *
 * Records come as files are read (follow.h); what matters of them waits in a queue and is applied in the order of their
 * times, so that events do not depend on how fast, or in which pieces, files were read.  Times are milliseconds since
 * 1970; absent numbers are NAN, absent texts NULL. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "explain/watch/estimate.h"
#include "explain/watch/follow.h"
#include "log/messages.h"
#include "score/collect.h"

typedef enum mls_live_state {
    MLS_LIVE_WAITING, /* neither init_start nor run_start */
    MLS_LIVE_INIT,
    MLS_LIVE_TRAINING,
    MLS_LIVE_EVALUATING,
    MLS_LIVE_SUCCESS,
    MLS_LIVE_ABORTED, /* run_stop has a status other than success */
    MLS_LIVE_DIED     /* there will be no run_stop */
} mls_live_state;
const char *mls_live_state_name(mls_live_state state);

/* Lines of failure that are told of a run. */
enum { MLS_FAILURES_SHOWN = 5 };

/* The runs of one benchmark, division, config and batch size, or of one folder of results. */
typedef struct mls_live_group {
    mls_buffer key;             /* mls_run_group_key() */
    const mls_edition *edition; /* guessed by its first run */
    const mls_benchmark *rules; /* never NULL */
    mls_progress counts;
    double batch_size;
    mls_rcp_set *points;     /* of the watch; NULL: the benchmark has none */
    const double *reference; /* what the reference needed, times `scale`, at this batch size */
    size_t reference_count;
    double scale;
    mls_target target;                       /* of the rules; its direction is 0 where they have none */
    MLS_LIST_OF(struct mls_live_run *) runs; /* that joined it */
    /* Those of them that converged, in the order in which they stopped. */
    MLS_LIST_OF(struct mls_live_run *) finished;
    size_t numbered;                              /* the last number that a run got */
    bool finished_well;                           /* some have ended well: */
    double longest_silence_ms[MLS_LIVE_DIED + 1]; /* of these, by state */
    const mls_group *group;                       /* as it was scored the last time; NULL: not yet */
} mls_live_group;

/* What a run has logged of itself so far. */
typedef struct mls_live_facts {
    char *benchmark, *division, *config, *job;
    double date_ms; /* of its first record */
    double batch_size, target, max_steps;
} mls_live_facts;

typedef struct mls_live_run {
    char *file; /* the one that it is read from, or the trial's own of two */
    const mls_followed *followed;
    size_t line;                               /* of its first record */
    size_t found;                              /* counts up in the order in which runs were found */
    struct mls_live_run *above;                /* the run before it in its file; NULL: it is the first */
    struct mls_live_run *same;                 /* the run that this one repeats; NULL: it is one of its own */
    struct mls_live_run *repeat, *next_repeat; /* the runs that repeat it, the last first; and the next of these */
    mls_live_group *group;                     /* NULL: not known yet */
    size_t number;                             /* in its group, in the order in which they started; 0: it has not */
    mls_live_state state;
    bool stalled;
    double first_ms; /* its earliest record when it started */
    mls_step init_start, run_start, run_stop;
    mls_run_status status;
    mls_live_facts facts;
    double newest_ms; /* of its records */
    mls_curve curve;
    mls_value_point last; /* the last evaluation; its time counts from run_start */
    mls_step evaluated;   /* the record of that evaluation */
    bool met;             /* that evaluation reached the target: nothing is left but run_stop */
    size_t evaluations;
    double at, throughput, step;                  /* how far it is, samples a second, its last step */
    double needed;                                /* the position where it converged */
    mls_estimate estimate;                        /* as of its last event */
    double estimated_ms;                          /* when that was */
    double longest_silence_ms[MLS_LIVE_DIED + 1]; /* by state */
    double progress_ms;                           /* of the last event of that kind */
    size_t failures;                              /* lines of failure in its file … */
    uint64_t shown[MLS_FAILURES_SHOWN];           /* … and hashes of those that were told */
    bool judged, valid;                           /* it is in a scored group, and how */
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
    MLS_WATCH_EVAL_START /* moves a run on, and is not an event */
} mls_watch_kind;
const char *mls_watch_kind_name(mls_watch_kind kind);

/* An event, for whoever watches.  Everything is borrowed until the callback returns. */
typedef struct mls_watch_event {
    mls_watch_kind kind;
    double time_ms; /* of the record; NAN: it has none */
    double seen_ms;
    const char *file; /* NULL: of no file, as are the next two */
    size_t line;
    const mls_live_run *run;
    const mls_group *group; /* SCORE */
    const char *message;
    int exit_status; /* END */
} mls_watch_event;
typedef void mls_watch_callback(void *state, const mls_watch_event *event);

typedef struct mls_live {
    const mls_collect_options *how; /* the runs will be scored: by whose rules */
    mls_reading reading;            /* how files are cut into runs */
    mls_signatures *signatures;
    double interval_ms;               /* between events of progress */
    const char *job;                  /* files of other jobs are left out; NULL: none is */
    MLS_LIST_OF(mls_live_run *) runs; /* as they were found */
    MLS_LIST_OF(mls_live_group *) groups;
    MLS_LIST_OF(struct mls_happening) queue;
    size_t round;     /* how often the queue was applied */
    size_t found;     /* how many runs were found so far */
    mls_arena texts;  /* of runs */
    mls_arena queued; /* texts of the queue */
    mls_arena lists;  /* of the next two */
    mls_map started;  /* runs by the time of their first record, see mls_live_list_add() */
    mls_map keys;     /* groups by their keys */
    mls_rcp_sets points;
    mls_watch_callback *event; /* NULL: nobody listens */
    void *state;               /* of the callback */
    double now_ms;
    bool news; /* runs began or ended, or are gone: the scores are old */
} mls_live;

/* ---- what a followed file does (follow.c): begin to read it, with a new feed; note what became of it (`what`: its
 * path before, or why it cannot be read); note that the file whose last run this is (NULL: it has none) has bytes again
 * after a silence; apply what is queued and forget it with its runs, and the groups that have none left. */
void mls_live_file_begin(mls_live *live, mls_followed *file);
void mls_live_file_changed(mls_live *live, mls_followed *file, mls_file_change change, const char *what);
void mls_live_grown(mls_live_run *last, double silence_ms);
void mls_live_file_forget(mls_live *live, mls_followed *file);

/* Return the last run that was read in a file; NULL: none.  Return the job that the file is of, as far as it has been
 * read; NULL: not known. */
mls_live_run *mls_live_last_run(const mls_followed *file);
const char *mls_live_job(const mls_followed *file);

/* Apply the queue in the order of its times, and tell the events. */
void mls_live_apply(mls_live *live);

/* Find the runs that have stalled or go on, and those that a newer one of their group has outlived.  `job_ended`: so
 * has the job of all of them. */
void mls_live_check_silence(mls_live *live, bool job_ended);

void mls_live_release(mls_live *live);

/* Add a run that begins in a file, below the run `above` (NULL: the first). */
mls_live_run *mls_live_run_add(mls_live *live, const mls_followed *file, mls_live_run *above);

/* Note that a run of a group ended well. */
void mls_live_finished_add(mls_live_run *run);

/* A run in the list of those that have the same time. */
typedef struct mls_live_listed {
    mls_live_run *run;
    struct mls_live_listed *next;
} mls_live_listed;

/* Add a run to the list under a time, of which a map has one for each time and one for NAN; and return the list under a
 * time, the last first.  NULL: it is empty. */
void mls_live_list_add(mls_map *lists, double time_ms, mls_live_run *run);
const mls_live_listed *mls_live_list_at(const mls_map *lists, double time_ms);

/* Return whether a run is over, one way or the other. */
static inline bool mls_live_run_ended(const mls_live_run *run)
{
    return run->state >= MLS_LIVE_SUCCESS;
}

/* Return whether a run, and not the repetition of one, is in a group. */
static inline bool mls_live_is_of(const mls_live_run *run, const mls_live_group *group)
{
    return run->group == group && run->same == NULL;
}

/* Return the minutes from its run_start to a time. */
static inline double mls_live_minutes(const mls_live_run *run, double until_ms)
{
    return (until_ms - run->run_start.time_ms) / 60000;
}

/* Return whether it is known which value a run must reach. */
static inline bool mls_live_has_target(const mls_live_run *run)
{
    return run->group != NULL && run->group->target.direction != 0;
}

/* Estimate what is left of a run at a time, by the runs of its group that had ended by then. */
mls_estimate mls_live_estimate(const mls_live_run *run, double time_ms);

/* Return how many lines of failure of a run, or of one that repeats it, were not told. */
size_t mls_live_failures_left(const mls_live_run *run);
