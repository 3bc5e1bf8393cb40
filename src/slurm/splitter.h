/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitter.h - one file → the runs in it, cut as cutter.h says.
 */
#ifndef MLS_SLURM_SPLITTER_H
#define MLS_SLURM_SPLITTER_H

#include "mlscore/run.h"
#include "slurm/cutter.h"

typedef struct mls_splitter {
    mls_cutter cutter;
    mls_run *runs; /* finished ones, then `current` is moved behind them */
    size_t count;
    size_t capacity;
    mls_run current;
    mls_job job;          /* what the file has said about the job so far */
    mls_checker *checker; /* judges each run by the rules; NULL: the sequence of its steps decides */
    mls_status status;    /* what has gone wrong; MLS_OK: nothing */
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
