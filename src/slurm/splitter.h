/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitter.h - one file → the runs in it.
 *
 * A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START
 * <epoch>"; until the first such line of a file, also at a cache_clear or
 * init_start later than the run_stop before it, or at an init_start later
 * than the run_start before it when no run_stop came.  Order in the file is
 * not order in time: a cache_clear that was logged behind run_stop but
 * happened before it belongs to the run before, and one that was logged while
 * a run trained which then died belongs to the run behind it.
 */
#ifndef MLS_SLURM_SPLITTER_H
#define MLS_SLURM_SPLITTER_H

#include "base/arena.h"
#include "mlscore/run.h"

/* Nodes that may clear their caches before a run, and be waited for to see whose it is. */
enum { MLS_SPLITTER_EARLY_MAX = 256 };

typedef struct mls_early_record {
    mls_str payload;
    size_t line;
    size_t column;
} mls_early_record;

typedef struct mls_splitter {
    bool whole;    /* never cut: the file is one run */
    bool cut_seen; /* a line that starts a run has come; times no longer cut */
    mls_run *runs; /* finished ones, then `current` is moved behind them */
    size_t count;
    size_t capacity;
    mls_run current;
    mls_job job;          /* what the file has said about the job so far */
    mls_checker *checker; /* judges each run by the rules; NULL: the sequence of its steps decides */
    mls_status status;    /* what has gone wrong; MLS_OK: nothing */
    mls_early_record early[MLS_SPLITTER_EARLY_MAX]; /* cache_clear records that may be the next run's */
    size_t early_count;
    mls_arena early_text;
} mls_splitter;

/*
 * `whole`: the file is one run even when it holds none.  The checker stays the
 * caller's and must be ready for its first log.
 */
void mls_splitter_init(mls_splitter *splitter, bool whole, mls_checker *checker);

/* The callbacks that make a sink of it; see log.h. */
mls_sink mls_splitter_sink(mls_splitter *splitter);

/* Frees everything, the runs included. */
void mls_splitter_release(mls_splitter *splitter);

#endif
