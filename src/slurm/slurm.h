/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.h - what mls_collect() is made of, and the names in a list of hosts.
 */
#ifndef MLS_SLURM_SLURM_H
#define MLS_SLURM_SLURM_H

#include "mlscore/collect.h"

/* A list of more hosts than this is not expanded: a few bytes of a log must not become gigabytes. */
#define MLS_HOSTS_MAX 10000

/*
 * Expands a list of hosts as Slurm writes it, "node[01-03,07],gpu1", and calls
 * `each` for every name; a word that does not follow Slurm's syntax, and a list
 * of more than MLS_HOSTS_MAX names, is passed on as it stands.  The name lives
 * until the call returns.
 */
void mls_hosts_expand(mls_str list, void (*each)(void *state, mls_str host), void *state);

/* The runs of a file, some of which may stand in another file too. */
typedef struct mls_repeat_file {
    const char *path;
    mls_run *runs; /* the ones removed are released, the others move up */
    size_t run_count;
    size_t run_capacity;
    bool excluded;     /* its runs are neither repetitions nor repeated */
    size_t repeated;   /* out: how many of its runs were removed */
    const char *other; /* out: a file that has one of them */
    bool several;      /* out: and others have more of them */
} mls_repeat_file;

/*
 * slurm-<job>.out repeats every trial's output.  Removes all but one of each
 * run (as mls_run_compare() has it); the one that stays is the trial's own: of
 * a file that is not a slurm-*.out, then of the file with the fewest runs, then
 * of the first in natural order.  Returns MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_repeats_remove(mls_repeat_file *files, size_t count) MLS_MUST_USE;

/* "repeats the run in x.log", "repeats 10 runs of x.log and others"; to be given to free(). */
char *mls_repeat_reason(const mls_repeat_file *file);

#endif
