/* SPDX-License-Identifier: Apache-2.0 */
/* splitter.h - split one file into runs, and judge each run when it ends.
 *
 * mls_run_splitter_begin() returns a sink for a scan of the file; its runs are passed to a callback.
 *
 * Only mls_run_boundary decides where a run begins.  A new run starts at a line "Beginning trial i of n" or
 * "EXPERIMENT_START <epoch>"; records before the first such line belong to it unless they are a run themselves.
 * Without such lines, a new run starts at a cache_clear or init_start that is later than the run_stop before it, or at
 * an init_start that is later than the run_start before it if there was no run_stop, since that run has died.  Times
 * count, not the order in the file, because logs contain cache_clear records of a run after its run_stop.
 *
 * Some records after a run_stop may belong to that run or to the next one: a submission_…, unless the run has not named
 * its benchmark yet, and a cache_clear or init_start that is not later, since a file may join the logs of overlapping
 * or reordered runs.  They and the following records are held back until a record begins a run or the file ends.  A run
 * that begins then gets them, except for late records of the previous run.  A cache_clear logged while a run trains
 * belongs to the next run if this one dies; until that is known, a copy is kept, and both runs get it. */
#pragma once

#include "log/keep.h"
#include "run/reading.h"

/* The state of a file and its last run that determines where the next run begins.  Zero-initialise it for each file. */
typedef struct mls_run_boundary {
    bool by_lines;            /* a line that starts a run has occurred, so times no longer count */
    bool begun;               /* the run has an init_start, run_start or run_stop */
    bool started, stopped;    /* the run has a run_start, a run_stop */
    bool named, next_named;   /* the run named its benchmark before it stopped; the next run may have named its own */
    bool holding;             /* records are held back … */
    bool overlaps;            /* … and the run they may begin started before this one stopped */
    int32_t rank;             /* rank that logged the run_start, from the prefix of its line; -1: no prefix */
    double start_ms, stop_ms; /* of the first run_start and run_stop */
    double late_ms;           /* records held back up to this time belong to the run that has ended */
    size_t held_bytes;        /* total payload of the records held back */
} mls_run_boundary;

/* The run that a record belongs to. */
typedef enum mls_record_owner {
    MLS_OWNER_SAME_RUN,         /* also for all records held back */
    MLS_OWNER_SAME_OR_NEXT_RUN, /* a cache_clear or submission_… during training: it belongs to the next run if this one
                                   dies */
    MLS_OWNER_HELD,             /* unknown: hold it back */
    MLS_OWNER_NEXT_RUN,         /* it begins a new run */
    MLS_OWNER_NEXT_AFTER_HELD, /* the records held back, except late ones, begin a new run */
    MLS_OWNER_NEXT_AFTER_DEATH /* it begins a new run; SAME_OR_NEXT_RUN records belong to that run */
} mls_record_owner;

/* Process the next record of a file, and return the run it belongs to. */
mls_record_owner mls_run_boundary_record(mls_run_boundary *boundary, const mls_record *record);

/* Process the next marker line of a file.  Return whether it begins a new run. */
bool mls_run_boundary_marker(mls_run_boundary *boundary, mls_marker_kind kind);

/* Which of the records held back are being passed on. */
typedef enum mls_replayed { MLS_REPLAY_ALL, MLS_REPLAY_LATE, MLS_REPLAY_NEXT } mls_replayed;

/* A file being read.  The caller sets the first seven members; the others must be zero. */
typedef struct mls_run_splitter {
    const mls_reading *reading; /* how runs are read: brief, steps, observer */
    bool whole;                 /* do not split: the file is one run */
    bool always_run;            /* the file is a run even if it is empty … */
    bool not_json;              /* … unless it is JSON */
    mls_checker *checker;       /* the caller's, ready for its first log; NULL: judge runs by their steps */
    /* Callback for a run, as in mls_reading.  A run or notes that the callback does not take are released. */
    mls_status (*run)(void *state, mls_run *run, void **notes);
    void *state;
    mls_job job;                         /* what the file reveals about the job so far */
    mls_run current, pending;            /* the run being read; the one before, until it is known to be alone */
    void *current_notes, *pending_notes; /* of these runs, by the observer of the reading */
    bool has_pending;
    size_t count;              /* runs passed on */
    mls_run_boundary boundary; /* decides where the next run begins */
    mls_kept_records early;    /* cache_clear records that may belong to the next run */
    mls_kept_records held;     /* records and malformed lines held back */
    mls_replayed replayed;     /* which records held back are being passed on */
} mls_run_splitter;

/* Initialise all other members, and return a sink for the file.  Always call mls_run_splitter_release() afterwards. */
mls_sink mls_run_splitter_begin(mls_run_splitter *splitter);

/* Free everything that the file owns.  The checker belongs to the caller. */
void mls_run_splitter_release(mls_run_splitter *splitter);
