/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_judge.h - judges each run of a file as a log of its own.
 *
 * Verdicts are handed out as the runs end, so that memory does not grow with
 * the number of runs in a file.
 */
#ifndef MLS_SLURM_RUN_JUDGE_H
#define MLS_SLURM_RUN_JUDGE_H

#include "mlscore/rules.h"
#include "slurm/cutter.h"

typedef struct mls_run_judge {
    mls_checker *checker; /* the caller's; ready for its first log */
    /* Called for each run, with its first line in the file; the verdict is gone when it returns. */
    mls_status (*judged)(void *state, size_t line, const mls_verdict *verdict);
    void *state;
    mls_cutter cutter;
    size_t line; /* of the current run's first record; 0: nothing came yet */
    size_t count;
} mls_run_judge;

/*
 * The callbacks that make a sink of it.  What stands between the lines that
 * start a run, and holds nothing, is no log; a file without any run is one.
 */
mls_sink mls_run_judge_sink(mls_run_judge *judge);

/* Frees what it remembers of a file; the checker stays the caller's. */
void mls_run_judge_release(mls_run_judge *judge);

#endif
