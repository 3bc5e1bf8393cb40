/* SPDX-License-Identifier: Apache-2.0 */
/* score.h - what the files of this module, and few others, know of each other: the pieces of mls_collect(). */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "log/log.h"
#include "score/collect.h"

/* --------------------------------------------------------------- groups */

/* Marks and scores the runs of a group whose rules are known.  With N runs needed, d dropped and m that may be left
 * out: d > m gives no score; else the m fastest and m - d slowest valid runs are left out and the rest is averaged.
 * Fewer than N give the plain mean.  Of more (`select_window`) the N consecutive ones by start time whose olympic mean
 * (infinite: d > m) is closest to the median of all such, if that is finite: the slower of two equally close, the first
 * of two equal.  MLS_OK. */
mls_status mls_group_olympic(mls_group *group, bool select_window);

/* Whether a folder of results is of weak scaling, results/<system>/weak/<benchmark>. */
bool mls_path_is_weak(mls_usage usage, const char *path);

/* The facts that runs of a group share; all but the last are texts, which mls_run_says() returns: NULL when not known.
 */
typedef enum mls_run_fact {
    MLS_FACT_BENCHMARK,
    MLS_FACT_DIVISION,
    MLS_FACT_CONFIG,
    MLS_FACT_TEXTS,
    MLS_FACT_BATCH_SIZE = MLS_FACT_TEXTS
} mls_run_fact;
const char *mls_run_says(const mls_run *run, mls_run_fact fact);

/* What a run is sorted into a group by; it borrows all texts. */
typedef struct mls_run_key {
    const char *file;
    const char *says[MLS_FACT_TEXTS];
    double global_batch_size;
    bool result;
} mls_run_key;
mls_run_key mls_run_key_of(const mls_run *run);

/* What runs of a group have alike, all of these facts or the folder of a result, as bytes in a buffer, which is emptied
 * before. */
mls_str mls_run_group_key(const mls_run_key *run, mls_buffer *bytes);

/* Sorts runs into groups with path, result_folder and runs set: the result_*.txt of a folder, else those of a
 * benchmark, division, config and batch size; one that died before it logged these joins the only group that agrees
 * with it.  MLS_OK. */
mls_status mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count);

/* A set with more points, or a point with more values, is refused. */
#define MLS_RCP_POINTS_MAX 10000
#define MLS_RCP_VALUES_MAX 100000

/* Were the runs made with different seeds?  Every log has a record `seed` whose metadata name file and line and whose
 * value Python's int() takes; the three together never repeat; no line is malformed.  Several in a log are worth a
 * warning.  With `bypass` errors are warnings.  MLS_OK. */
mls_status mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass, mls_seed_outcome *outcome);

/* ---------------------------------------------------------------- power */

/* Adds to *joules what one power file (`node`: of a node, else of a switch) says of a run of `time_to_train_ms`: NaN,
 * and a warning in `findings`, when it does not say.  `fd` is closed; -1: errno says why it could not be opened.
 * MLS_OK, or MLS_ERROR_READ with a finding. */
mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules) MLS_MUST_USE;

/* Finds the energy of a run from the files in the folder `power` beside its log, if it is a result's. */
void mls_run_extra_find_power(const mls_run *run, mls_run_extra *extra);

/* -------------------------------------------------------------- repeats */

/* The runs of a source, some of which may stand in another one too; `repeated` and what follows are found out. */
typedef struct mls_source_runs {
    size_t count;
    size_t repeated;   /* how many were removed */
    const char *other; /* the path of a source that has one of them */
    bool several;      /* others have more of them */
} mls_source_runs;

/* slurm-<job>.out repeats every trial's output.  Leaves one of each run (by mls_run_compare()) in the collection, whose
 * `skipped` holds all sources and `found` the runs of each: that of no slurm-*.out, then of the source with the fewest,
 * then of the first; result files keep all.  A source without any left says why. */
void mls_repeats_remove(mls_collection *collection, mls_source_runs *found);

/* --------------------------------------------------------------- places */

/* Whether a folder is results/<system>/[strong/|weak/]<benchmark>; *above is where `results` lies, with its slash. */
bool mls_folder_of_system(mls_str folder, mls_str *system, mls_str *above);

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
 * agree on, unless the options name one. */
void mls_tree_editions_find(const char *const *paths, size_t path_count, const mls_collect_options *options,
                            mls_sources *sources, mls_tree_editions *trees);
void mls_tree_editions_release(mls_tree_editions *trees);

/* Fill in the edition of the tree that a log is of, unless it is in none, or is no benchmark of that edition and goes
 * by what it says itself; and the system of a folder (or of its path without links), with what systems/<system>.json
 * says, if that can be read. */
void mls_place_find_tree(const mls_tree_editions *trees, const char *path, mls_place *place);
void mls_place_find_system(mls_str folder, mls_arena *arena, mls_place *place);

/* The folder in which all logs of a group lie, with its slash, "" the current one; ptr NULL: there is none. */
mls_str mls_group_folder(const mls_group *group);
