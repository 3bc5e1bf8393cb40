/* SPDX-License-Identifier: Apache-2.0 */
/* splitter.h - split the records of one file into runs, and check each run when it ends.
 *
 * mls_run_splitter_begin() returns a sink for the scan of the file; each run is passed to a callback.
 *
 * mls_run_boundary determines where a run begins.  If the file contains lines "Beginning trial i of n" or
 * "EXPERIMENT_START <epoch>", a run begins at each of them; records before the first line belong to the first run,
 * unless they are a run of their own.  If the file has no such line, a run begins at a cache_clear or init_start whose
 * time is later than the last run_stop.  If the last run has no run_stop because it died, a run begins at an init_start
 * that is later than the last run_start.  Times are compared because the order of lines is not reliable: logs contain
 * cache_clear records of a run after its run_stop.
 *
 * Some records after a run_stop may belong to the last run or to the next one: a submission_…, if the last run has
 * already logged its benchmark, and a cache_clear or init_start whose time is not later than the run_stop, because a
 * file may contain logs of overlapping or reordered runs.  These and all following records are held back until a record
 * begins a run or the file ends.  If a run begins, it gets the records that were held back, except for late records of
 * the last run.  A cache_clear logged during training belongs to the next run if the current run dies.  Until this is
 * known, a copy is kept; then both runs get the record. */
#pragma once

#include "log/keep.h"
#include "run/reading.h"

/* The state that determines where the next run of a file begins.  Zero-initialize it for each file. */
typedef struct mls_run_boundary {
    bool by_lines;         /* a marker line that begins a run was read, so only such lines begin runs */
    bool begun;            /* the current run has an init_start, run_start or run_stop */
    bool started, stopped; /* the current run has a run_start; it has a run_stop */
    /* The current run logged its submission_benchmark before its run_stop; the next run may have logged its own. */
    bool named, next_named;
    bool holding;  /* records are held back */
    bool overlaps; /* the run that may begin with these records started before the current run stopped */
    /* Rank that logged the run_start of the current run, from the prefix of the line; -1: no prefix. */
    int32_t rank;
    double start_ms, stop_ms; /* times of the first run_start and run_stop of the current run */
    double late_ms;           /* records held back with at most this time belong to the run that has ended */
    size_t held_bytes;        /* total size of the payloads held back, in bytes */
} mls_run_boundary;

/* The run to which a record belongs. */
typedef enum mls_record_owner {
    MLS_OWNER_SAME_RUN, /* the current run, and so do all records held back */
    /* The current run or, if this dies, the next one: a cache_clear or submission_… during training. */
    MLS_OWNER_SAME_OR_NEXT_RUN,
    MLS_OWNER_HELD,            /* unknown: hold the record back */
    MLS_OWNER_NEXT_RUN,        /* a new run, which begins with this record */
    MLS_OWNER_NEXT_AFTER_HELD, /* a new run, which begins with the records held back, except late ones */
    /* A new run after a run that died; the records of MLS_OWNER_SAME_OR_NEXT_RUN also belong to the new run. */
    MLS_OWNER_NEXT_AFTER_DEATH
} mls_record_owner;

/* Process the next record of a file, and return the run to which it belongs. */
mls_record_owner mls_run_boundary_record(mls_run_boundary *boundary, const mls_record *record);

/* Process the next marker line of a file.  Return whether it begins a new run. */
bool mls_run_boundary_marker(mls_run_boundary *boundary, mls_marker_kind kind);

/* The records, of those held back, that are passed on: all, only late records of the run that has ended, or all
 * others. */
typedef enum mls_replayed { MLS_REPLAY_ALL, MLS_REPLAY_LATE, MLS_REPLAY_NEXT } mls_replayed;

/* The state of splitting a file.  The caller sets the members up to `state`, and zero-initializes the others. */
typedef struct mls_run_splitter {
    const mls_reading *reading; /* options for reading runs; the members brief, steps and observer are used */
    bool whole;                 /* do not split the file: it is one run */
    bool always_run;            /* if the file has no run, pass on an empty run */
    bool not_json;              /* do not pass on an empty run if the file is JSON */
    /* The checker to use, which belongs to the caller and must be reset; NULL: check only the steps of runs. */
    mls_checker *checker;
    /* Callback for each run, as in mls_reading.  A run and notes that the callback does not keep are released. */
    mls_status (*run)(void *state, mls_run *run, void **notes);
    void *state;
    mls_job job; /* facts about the job in the lines read so far */
    /* The run being read, and the first run of the file, which is kept until it is known whether it is the only one. */
    mls_run current, pending;
    void *current_notes, *pending_notes; /* the observer's notes on these runs */
    bool has_pending;
    size_t count;              /* number of runs passed on */
    mls_run_boundary boundary; /* determines where the next run begins */
    mls_kept_records early;    /* cache_clear records that may belong to the next run */
    mls_kept_records held;     /* records and malformed lines held back */
    mls_replayed replayed;     /* the records held back that are being passed on */
} mls_run_splitter;

/* Initialize the members that the caller does not set, and return a sink for the scan of the file.  Call
 * mls_run_splitter_release() after the scan, even if it failed. */
mls_sink mls_run_splitter_begin(mls_run_splitter *splitter);

/* Free all runs and records of a splitter, but not the checker. */
void mls_run_splitter_release(mls_run_splitter *splitter);
