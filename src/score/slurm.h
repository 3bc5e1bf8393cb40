/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.h - what mls_collect() is made of. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "run/settings.h"
#include "score/collect.h"

/* The runs of a source, some of which may stand in another one too; `repeated` and what follows are found out. */
typedef struct mls_source_runs {
    size_t count;
    size_t repeated;   /* how many were removed */
    const char *other; /* the path of a source that has one of them */
    bool several;      /* others have more of them */
} mls_source_runs;

/* Gives a source the reason why it is of no use, which it takes over. */
void mls_source_skip(mls_source *source, char *reason);

/* slurm-<job>.out repeats every trial's output.  Leaves one of each run (by mls_run_compare()) in the collection, whose
 * `skipped` holds all sources and `found` the runs of each: that of no slurm-*.out, then of the source with the fewest,
 * then of the first; result files keep all.  A source without any left says why. */
void mls_repeats_remove(mls_collection *collection, mls_source_runs *found);

/* The energy of a scored group that is a folder of results, from the files in the folder `power` below it, or as it was
 * carried; and of one run, which it fills in.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_group_power(mls_group *group) MLS_MUST_USE;
mls_status mls_power_carry(const mls_run *run, struct mls_carried *carried) MLS_MUST_USE;

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

/* The edition of the tree that a log is of, and of its usage; NULL: it is in none, or is no benchmark of that edition
 * and goes by what it says itself. */
const mls_edition *mls_tree_editions_of(const mls_tree_editions *trees, const char *path, mls_usage *usage,
                                        bool *by_date);

/* Notes in a group that is a result of a tree the edition of the tree, or the one that was carried.  MLS_OK, or what
 * mls_editions_find() says of one that was carried. */
mls_status mls_tree_editions_tell(const mls_tree_editions *trees, const mls_editions *editions,
                                  mls_group *group) MLS_MUST_USE;

/* The folder in which all logs of a group lie, with its slash, "" the current one; ptr NULL: there is none. */
mls_str mls_group_folder(const mls_group *group);

/* The system of a folder that lies, or whose path without links lies, inside one of a system: its identifier, and what
 * systems/<system>.json says, if that can be read.  `known` is false where it lies in none. */
typedef struct mls_folder_system {
    bool known, described;
    mls_buffer id, text;
} mls_folder_system;
mls_status mls_folder_system_find(mls_str folder, mls_folder_system *system);
void mls_folder_system_release(mls_folder_system *system);

/* Finds out what a scored group ran on: see mls_group_describe(), with the description systems/<system>.json beside
 * results/<system>/[strong/|weak/]<benchmark>/, if it can be read.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_group_environment(mls_group *group) MLS_MUST_USE;

/* Scores a group with its runs, path and result_folder, and finds out what it ran on; `points` as mls_score_options has
 * them.  MLS_OK, MLS_ERROR_MEMORY, or as mls_tree_editions_tell() and mls_group_score(). */
mls_status mls_group_finish(const mls_collect_options *options, const mls_tree_editions *trees, mls_rcp_sets *points,
                            mls_group *group, mls_error *error) MLS_MUST_USE;
