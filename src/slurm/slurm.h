/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.h - what mls_collect() is made of. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "slurm/collect.h"

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

/* Appends the description systems/<system>.json of a submitter's folder (with its slash, or empty); root is led out of
 * no folder of another user.  MLS_OK, or as mls_file_read() has it. */
mls_status mls_system_read(mls_str above, mls_str system, mls_buffer *text) MLS_MUST_USE;

/* The trees among the sources: the results below a submitter's folder, or, where a path that the user named lies above
 * it, below all the submitters' folders beside it.  The logs of one tree have one edition, and so have trees of
 * different submitters in one folder.  `folders` has the number of the tree of each folder of a result. */
typedef struct mls_tree_editions {
    mls_arena arena;
    mls_map folders, trees[MLS_USAGE_COUNT];
    struct mls_tree_edition *items;
    size_t count, capacity;
} mls_tree_editions;

/* Asks the first log of each result for its date, and notes in the sources of each tree the edition that its results
 * agree on, unless the options name one.  MLS_OK or MLS_ERROR_MEMORY; the trees are to be released in any case. */
mls_status mls_tree_editions_find(const char *const *paths, size_t path_count, const mls_collect_options *options,
                                  mls_sources *sources, mls_tree_editions *trees) MLS_MUST_USE;
void mls_tree_editions_release(mls_tree_editions *trees);

/* Notes in a group that is a result of a tree the edition of the tree. */
void mls_tree_editions_tell(const mls_tree_editions *trees, mls_group *group);

/* The folder in which all logs of a group lie, with its slash, "" the current one; ptr NULL: there is none. */
mls_str mls_group_folder(const mls_group *group);

/* Finds out what a scored group ran on: see mls_group_describe(), with the description systems/<system>.json beside
 * results/<system>/[strong/|weak/]<benchmark>/, if it can be read.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_group_environment(mls_group *group) MLS_MUST_USE;
