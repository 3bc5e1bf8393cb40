/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - one file → the runs in it, judged as they end.
 *
 * Where a run begins is decided in run/run_cut.h.  A cache_clear made while a run trained which then died is the
 * next one's: until that is known a copy of it is kept, and both runs are given it.  A submission_… behind a run_stop
 * is held back with what follows it until it is known whether another run begins in the file. */
#pragma once

#include "log/keep.h"
#include "run/reading.h"
#include "run/run_cut.h"

/* Nodes that may clear their caches before a run, and be waited for to see whose it is. */
enum { MLS_EARLY_MAX = 256 };

/* A file on its way through.  Starts with the first seven members set and all others zero, by mls_file_begin(). */
typedef struct mls_file {
    const mls_reading *reading; /* how runs are read: brief, steps, observer */
    bool whole;                 /* never cut: the file is one run */
    bool asked_for;             /* it is a run even when nothing is in it */
    bool not_json;              /* but not when it is a text of JSON */
    mls_checker *checker; /* the caller's, ready for its first log; NULL: the sequence of its steps judges a run */
    /* Takes a run over, with its file's `part` as reading.h has it; a run that is left is released. */
    mls_status (*run)(void *state, mls_run *run, bool part);
    void *state;
    mls_job job;     /* what the file has said about the job so far */
    mls_run current; /* being read */
    mls_run pending; /* the run before it, kept until it is known whether the file holds others */
    bool has_pending;
    size_t count;           /* runs handed over */
    mls_run_cut cut;        /* where the next one begins */
    mls_kept_records early; /* cache_clear records that may be the next run's */
    mls_kept_records held;  /* what is given to a run when it is known to which */
} mls_file;

/* Sets the members below the caller's own, and makes a sink of the file, which is to be released in any case. */
mls_sink mls_file_begin(mls_file *file);

/* Frees what it holds; the checker stays the caller's. */
void mls_file_release(mls_file *file);
