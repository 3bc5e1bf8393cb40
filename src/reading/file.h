/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - one file → the runs in it, judged as they end.
 *
 * A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START <epoch>"; until the first such line of a
 * file, also at a cache_clear or init_start later than the run_stop before it, or at an init_start later than the
 * run_start before it when no run_stop came.  Times count, not the order in the file; a cache_clear made while a run
 * trained which then died is the next one's.
 */
#ifndef MLS_READING_FILE_H
#define MLS_READING_FILE_H

#include "log/keep.h"
#include "mlscore/reading.h"

/* Nodes that may clear their caches before a run, and be waited for to see whose it is. */
enum { MLS_EARLY_MAX = 256 };

/* A file on its way through.  Starts with the first nine members set and all others zero, by mls_file_begin(). */
typedef struct mls_file {
    bool whole;                   /* never cut: the file is one run */
    bool asked_for;               /* it is a run even when nothing is in it */
    bool brief;                   /* see mls_run */
    bool steps;                   /* see mls_run_finish() */
    const mls_observer *observer; /* see reading.h */
    mls_checker *checker; /* the caller's, ready for its first log; NULL: the sequence of its steps judges a run */
    /* Takes a run over, with its file's `part` as reading.h has it; a run that is left is released. */
    mls_status (*run)(void *state, mls_run *run, bool part);
    void *state;
    mls_job job;     /* what the file has said about the job so far */
    mls_run current; /* being read */
    mls_run pending; /* the run before it, kept until it is known whether the file holds others */
    bool has_pending;
    size_t count;           /* runs handed over */
    bool lines_seen;        /* a line that starts a run has come; times no longer cut */
    mls_kept_records early; /* cache_clear records that may be the next run's */
} mls_file;

/* Sets the members below the caller's own.  The file is to be released in any case. */
void mls_file_begin(mls_file *file);

/* The callbacks that make a sink of it. */
mls_sink mls_file_sink(mls_file *file);

/* Frees what it holds; the checker stays the caller's. */
void mls_file_release(mls_file *file);

#endif
