/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - runs as they are while their logs grow, the groups that they will make, and what happens to them.
 *
 * Records come as files are read; what matters of them waits in a queue and is applied in the order of their times, so
 * that what is said does not depend on how fast, or in which pieces, files were read.  Times are milliseconds since
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
    MLS_LIVE_ABORTED, /* run_stop says anything but success */
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
    /* Of these, those that converged, in the order in which they stopped. */
    MLS_LIST_OF(struct mls_live_run *) finished;
    size_t numbered;                              /* the last number that a run got */
    bool finished_well;                           /* some have ended well: */
    double longest_silence_ms[MLS_LIVE_DIED + 1]; /* of these, by state */
    const mls_group *group;                       /* as it was scored the last time; NULL: not yet */
} mls_live_group;

/* What a run has said of itself by some line of its; owns its texts. */
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
    uint64_t shown[MLS_FAILURES_SHOWN];           /* … and what those say that were told, as numbers */
    bool judged, valid;                           /* it stands in a scored group, and how */
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
    MLS_WATCH_EVAL_START /* moves a run on, and is no event */
} mls_watch_kind;
const char *mls_watch_kind_name(mls_watch_kind kind);

/* What whoever watches is told.  Everything is borrowed until the callback returns. */
typedef struct mls_watch_event {
    mls_watch_kind kind;
    double time_ms; /* of the record; NAN: it is of none */
    double seen_ms;
    const char *file; /* NULL: of no file, as are the next two */
    size_t line;
    const mls_live_run *run;
    const mls_group *group; /* SCORE */
    const char *message;
    int exit_status; /* END */
} mls_watch_event;

/* Something that was read. */
typedef struct mls_happening {
    mls_watch_kind kind;
    mls_live_run *run; /* NULL: of a file */
    double order_ms;   /* its time, or that of what stands before it in its file; -INFINITY: nothing does */
    size_t order;      /* in which it was read */
    double time_ms;
    size_t line;
    double first_ms, value, throughput, needed;
    mls_training_progress at;
    bool any_step; /* step_num may count samples: it is the `step` of tracked_stats */
    mls_run_status status;
    mls_live_facts *facts; /* of INIT and START; owned, as the next two */
    char *file;
    char *message;
} mls_happening;

typedef struct mls_live {
    const mls_collect_options *how; /* the runs will be scored: whose rules there are */
    mls_reading reading;            /* how files are cut into runs */
    mls_signatures *signatures;
    double interval_ms;               /* between events of progress */
    const char *job;                  /* files that say they are of another one are not told of; NULL: none are */
    MLS_LIST_OF(mls_live_run *) runs; /* as they were found */
    MLS_LIST_OF(mls_live_group *) groups;
    MLS_LIST_OF(mls_happening) queue;
    size_t round; /* how often it was applied */
    size_t found; /* how many runs were found so far */
    mls_arena arena;
    mls_map started; /* runs by the time of their first record, see mls_live_list_add() */
    mls_map keys;    /* groups by their keys */
    mls_rcp_sets points;
    mls_status (*event)(void *state, const mls_watch_event *event);
    void *state; /* of the callback, which ends everything with anything but MLS_OK */
    double now_ms;
    bool news; /* runs began or ended, or are gone: the scores are old */
} mls_live;

/* A run in the list of those that have the same time. */
typedef struct mls_live_listed {
    mls_live_run *run;
    struct mls_live_listed *next;
} mls_live_listed;

/* Add a run that begins in a file, below the run `above` (NULL: the first).  NULL: no memory. */
mls_live_run *mls_live_run_add(mls_live *live, const mls_followed *file, mls_live_run *above) MLS_MUST_USE;

/* Add a run to the list under a time, of which a map has one for each time and one for NAN; and return the list under a
 * time, the last first.  NULL: it is empty. */
void mls_live_list_add(mls_map *lists, double time_ms, mls_live_run *run);
const mls_live_listed *mls_live_list_at(const mls_map *lists, double time_ms);

/* Note that a run started, or that its first record is earlier than was known; a run without a time is not noted. */
void mls_live_started_add(mls_live *live, mls_live_run *run);

/* Note that a run of a group ended well. */
void mls_live_finished_add(mls_live_run *run);

/* Forgets the runs of a file, and the groups that have none left.  What is queued is to be applied before. */
void mls_live_forget(mls_live *live, const mls_followed *file);
void mls_live_release(mls_live *live);

/* The run that counts where this one is a repetition of it. */
static inline mls_live_run *mls_live_run_of(mls_live_run *run)
{
    return run->same != NULL ? run->same : run;
}

/* Whether it is over, one way or the other. */
static inline bool mls_live_run_ended(const mls_live_run *run)
{
    return run->state >= MLS_LIVE_SUCCESS;
}

/* Whether a run, and not the repetition of one, is in a group. */
static inline bool mls_live_is_of(const mls_live_run *run, const mls_live_group *group)
{
    return run->group == group && run->same == NULL;
}

/* Minutes from its run_start to a time. */
static inline double mls_live_minutes(const mls_live_run *run, double until_ms)
{
    return (until_ms - run->run_start.time_ms) / 60000;
}

/* The edition and the row of a benchmark, as scoring will have them for a run whose first record has that time. */
const mls_benchmark *mls_live_rules(const mls_live *live, const char *benchmark, double date_ms,
                                    const mls_edition **edition);

/* Return whether it is known which value a run must reach. */
static inline bool mls_live_has_target(const mls_live_run *run)
{
    return run->group != NULL && run->group->target.direction != 0;
}

/* Finds the group of a run that has started, which may be a new one, and gives the run its number. */
mls_status mls_live_group_join(mls_live *live, mls_live_run *run) MLS_MUST_USE;

/* Estimate what is left of a run at a time, by the runs of its group that had ended by then. */
mls_estimate mls_live_estimate(const mls_live_run *run, double time_ms);

/* Return how many lines of failure of a run, or of one that repeats it, were not told. */
size_t mls_live_failures_left(const mls_live_run *run);

/* Frees facts, which may be NULL. */
void mls_live_facts_free(mls_live_facts *facts);

/* Adds what happened to the queue, taking its texts over.  False: no memory, and they are freed. */
bool mls_live_queue(mls_live *live, mls_happening happening) MLS_MUST_USE;

/* Empties the queue. */
void mls_live_drop_queue(mls_live *live);
