/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutter.h - where in a file a new run starts.
 *
 * A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START
 * <epoch>"; until the first such line of a file, also at a cache_clear or
 * init_start later than the run_stop before it, or at an init_start later
 * than the run_start before it when no run_stop came.  Order in the file is
 * not order in time: a cache_clear that was logged behind run_stop but
 * happened before it belongs to the run before, and one that was logged while
 * a run trained which then died belongs to the run behind it.
 */
#ifndef MLS_SLURM_CUTTER_H
#define MLS_SLURM_CUTTER_H

#include "base/arena.h"
#include "mlscore/log.h"

/* Nodes that may clear their caches before a run, and be waited for to see whose it is. */
enum { MLS_CUTTER_EARLY_MAX = 256 };

typedef struct mls_early_record {
    mls_str payload;
    size_t line;
    size_t column;
} mls_early_record;

/* Zero-initialised is at the start of a file. */
typedef struct mls_cutter {
    bool whole;      /* never cut: the file is one run */
    bool lines_seen; /* a line that starts a run has come; times no longer cut */
    bool started;    /* the current run's run_start came */
    bool stopped;    /* its run_stop came */
    double start_ms; /* of the first run_start */
    double stop_ms;
    mls_early_record early[MLS_CUTTER_EARLY_MAX]; /* cache_clear records that may be the next run's */
    size_t early_count;
    size_t recalled; /* how many of them are the run's that has just begun */
    mls_arena early_text;
    bool out_of_memory;
} mls_cutter;

/*
 * Whether a new run starts at this record, which then is its first but for
 * those that mls_cutter_recall() tells.
 */
bool mls_cutter_record(mls_cutter *cutter, const mls_record *record);

/*
 * The index-th record that seemed to be of the run before and is of the one
 * that has just begun; false behind the last.  It lives until the next record.
 */
bool mls_cutter_recall(mls_cutter *cutter, size_t index, mls_record *record);

/* Whether a new run starts at this line. */
bool mls_cutter_marker(mls_cutter *cutter, const mls_marker *marker);

void mls_cutter_release(mls_cutter *cutter);

#endif
