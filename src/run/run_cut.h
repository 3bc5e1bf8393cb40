/* SPDX-License-Identifier: Apache-2.0 */
/* run_cut.h - where in a file a new run begins: the one place that decides it.
 *
 * A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START <epoch>"; what comes before the first such
 * line and is not a run belongs to it.  Until that line a new run also starts at a cache_clear or init_start later than
 * the run_stop before it, or at an init_start later than the run_start before it when no run_stop came, as that run has
 * died.  Times count, not the order in the file: logs carry a run's own cache_clear lines after its run_stop.
 *
 * Some records behind a run_stop may be of that run or of the next one: a submission_…, unless the run has not named
 * its benchmark before, and a cache_clear or init_start that is not later, as the logs of runs that overlap, or in
 * another order, may be joined in one file.  They are held back, with the records that follow them, until a record
 * begins a run or the file ends.  A run begun so has them all but for late records of the run before. */
#pragma once

#include "log/log.h"

/* The state of a file and its last run, as far as it matters.  Zero-initialised for each file. */
typedef struct mls_run_cut {
    bool by_lines;            /* a line that starts a run has come; times no longer cut */
    bool begun;               /* the run has an init_start, or one of the next two */
    bool started, stopped;    /* the run has a run_start, a run_stop */
    bool named, next_named;   /* its benchmark was named before it stopped; that of the next one may have been */
    bool holding;             /* records are held back … */
    bool overlaps;            /* … and the run they begin, if there is one, began before this one stopped */
    int32_t rank;             /* that logged the run_start, by its line's prefix; -1: the line has none */
    double start_ms, stop_ms; /* of the first ones */
    double late_ms;           /* see mls_run_cut_is_late() */
    size_t held_bytes;        /* of the payloads of the records that are held back */
} mls_run_cut;

/* The run that a record belongs to. */
typedef enum mls_record_owner {
    MLS_OWNER_SAME_RUN,         /* and so do the records that are held back, if any */
    MLS_OWNER_SAME_OR_NEXT_RUN, /* a cache_clear or submission_… while a run trains: the next one's, should this one
                                   have died */
    MLS_OWNER_HELD,             /* not known yet: hold it back */
    MLS_OWNER_NEXT_RUN,         /* a new run begins with it */
    MLS_OWNER_NEXT_AFTER_HELD,  /* a new run begins with the records that are held back: see mls_run_cut_is_late() */
    MLS_OWNER_NEXT_AFTER_DEATH  /* a new run begins; records that were of the same or the next run are of this one */
} mls_record_owner;

/* Takes the next record of the file.  Returns which run it belongs to; the next record is judged by that. */
mls_record_owner mls_run_cut_record(mls_run_cut *cut, const mls_record *record);

/* After MLS_OWNER_NEXT_AFTER_HELD: return whether a record that was held back belongs to the run that has ended. */
bool mls_run_cut_is_late(const mls_run_cut *cut, const mls_record *record);

/* Takes the next marker line of the file; whether a new run begins with it. */
bool mls_run_cut_marker(mls_run_cut *cut, mls_marker_kind kind);
