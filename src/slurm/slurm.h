/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.h - what mls_collect() is made of, and the names in a list of hosts. */
#pragma once

#include "base/buffer.h"
#include "mlscore/collect.h"

/* A list of more hosts than this is not expanded: a few bytes of a log must not become gigabytes. */
#define MLS_HOSTS_MAX 10000

/* Appends the names in Slurm's list of hosts, "node[01-03,07],gpu1", each with a NUL after it, to an empty buffer and
 * returns how many.  A word without that syntax, and a list of more than MLS_HOSTS_MAX names, is one as it stands. */
size_t mls_hosts_expand(mls_str list, mls_buffer *names);

/* The runs of a source, some of which may stand in another one too; `repeated` and what follows are found out. */
typedef struct mls_source_runs {
    size_t count;
    size_t repeated;   /* how many were removed */
    const char *other; /* the path of a source that has one of them */
    bool several;      /* others have more of them */
} mls_source_runs;

/* slurm-<job>.out repeats every trial's output.  Leaves one of each run (by mls_run_compare()) in the collection, whose
 * `skipped` holds all sources and `found` the runs of each: that of no slurm-*.out, then of the source with the fewest,
 * then of the first; result files keep all.  A source without any left says why.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_repeats_remove(mls_collection *collection, mls_source_runs *found) MLS_MUST_USE;

/* Whether a folder is results/<system>/[strong/|weak/]<benchmark>; *above is where `results` lies, with its slash. */
bool mls_folder_of_system(mls_str folder, mls_str *system, mls_str *above);

/* Finds out what a scored group ran on: see mls_group_describe(), with the description systems/<system>.json beside
 * results/<system>/[strong/|weak/]<benchmark>/, if it can be read.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_group_environment(mls_group *group) MLS_MUST_USE;
