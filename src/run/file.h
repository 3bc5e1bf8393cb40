/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - one file → the runs in it, judged as they end.
 *
 * Where a run begins is decided here alone.  A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START
 * <epoch>"; what comes before the first such line and is not a run belongs to it.  Until that line a new run also
 * starts at a cache_clear or init_start later than the run_stop before it, or at an init_start later than the run_start
 * before it when no run_stop came, as that run has died.  Times count, not the order in the file: logs carry a run's
 * own cache_clear lines after its run_stop.
 *
 * Some records behind a run_stop may be of that run or of the next one: a submission_…, unless the run has not named
 * its benchmark before, and a cache_clear or init_start that is not later, as the logs of runs that overlap, or in
 * another order, may be joined in one file.  They are held back, with the records that follow them, until a record
 * begins a run or the file ends.  A run begun so has them all but for late records of the run before.  A cache_clear
 * made while a run trained which then died is the next one's: until that is known a copy of it is kept, and both runs
 * are given it. */
#pragma once

#include "log/keep.h"
#include "run/reading.h"

/* The state of a file and its last run, as far as it matters for where the next one begins.  Zero-initialised for each
 * file. */
typedef struct mls_run_cut {
    bool by_lines;            /* a line that starts a run has come; times no longer cut */
    bool begun;               /* the run has an init_start, or one of the next two */
    bool started, stopped;    /* the run has a run_start, a run_stop */
    bool named, next_named;   /* its benchmark was named before it stopped; that of the next one may have been */
    bool holding;             /* records are held back … */
    bool overlaps;            /* … and the run they begin, if there is one, began before this one stopped */
    int32_t rank;             /* that logged the run_start, by its line's prefix; -1: the line has none */
    double start_ms, stop_ms; /* of the first ones */
    double late_ms;           /* records that were held back up to this time are of the run that has ended */
    size_t held_bytes;        /* of the payloads of the records that are held back */
} mls_run_cut;

/* The run that a record belongs to. */
typedef enum mls_record_owner {
    MLS_OWNER_SAME_RUN,         /* and so do the records that are held back, if any */
    MLS_OWNER_SAME_OR_NEXT_RUN, /* a cache_clear or submission_… while a run trains: the next one's, should this one
                                   have died */
    MLS_OWNER_HELD,             /* not known yet: hold it back */
    MLS_OWNER_NEXT_RUN,         /* a new run begins with it */
    MLS_OWNER_NEXT_AFTER_HELD,  /* a new run begins with the records that are held back, but for late ones */
    MLS_OWNER_NEXT_AFTER_DEATH  /* a new run begins; records that were of the same or the next run are of this one */
} mls_record_owner;

/* Take the next record of the file.  Return which run it belongs to; the next record is judged by that. */
mls_record_owner mls_run_cut_record(mls_run_cut *cut, const mls_record *record);

/* Take the next marker line of the file; return whether a new run begins with it. */
bool mls_run_cut_marker(mls_run_cut *cut, mls_marker_kind kind);

/* A file on its way through.  The first seven members are set by the caller and all others zero. */
typedef struct mls_file {
    const mls_reading *reading; /* how runs are read: brief, steps, observer */
    bool whole;                 /* never cut: the file is one run */
    bool asked_for;             /* it is a run even when nothing is in it */
    bool not_json;              /* but not when it is a text of JSON */
    mls_checker *checker; /* the caller's, ready for its first log; NULL: the sequence of its steps judges a run */
    /* Takes a run over, as mls_reading has it; a run or notes that are left are released. */
    mls_status (*run)(void *state, mls_run *run, void **notes);
    void *state;
    mls_job job;                         /* what the file has said about the job so far */
    mls_run current, pending;            /* being read; the one before, until it is known whether the file has others */
    void *current_notes, *pending_notes; /* of these runs, by the reading's observer */
    bool has_pending;
    size_t count;           /* runs handed over */
    mls_run_cut cut;        /* where the next one begins */
    mls_kept_records early; /* cache_clear records that may be the next run's */
    mls_kept_records held;  /* what is given to a run when it is known to which */
} mls_file;

/* Set the members below the caller's own, and make a sink of the file, which is to be released in any case. */
mls_sink mls_file_begin(mls_file *file);

/* Free what it holds; the checker stays the caller's. */
void mls_file_release(mls_file *file);
