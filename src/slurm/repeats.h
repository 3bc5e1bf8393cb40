/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats.h - the same run in two files counts once.
 *
 * slurm-<job>.out repeats every trial's output.  Two runs are the same when
 * their earliest time, run_start and run_stop agree; the one that stays is the
 * trial's own: of a file that is not a slurm-*.out, then of the file with the
 * fewest runs, then of the first in natural order.
 */
#ifndef MLS_SLURM_REPEATS_H
#define MLS_SLURM_REPEATS_H

#include "mlscore/run.h"

typedef struct mls_repeat_file {
    const char *path;
    mls_run *runs; /* the ones removed are released, the others move up */
    size_t run_count;
    bool excluded;     /* its runs are neither repetitions nor repeated */
    size_t repeated;   /* out: how many of its runs were removed */
    const char *other; /* out: a file that has one of them */
    bool several;      /* out: and others have more of them */
} mls_repeat_file;

/* Removes all but one of each run.  Returns MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_repeats_remove(mls_repeat_file *files, size_t count) MLS_MUST_USE;

/* "repeats the run in x.log", "repeats 10 runs of x.log and others"; to be given to free(). */
char *mls_repeat_reason(const mls_repeat_file *file);

#endif
