/* SPDX-License-Identifier: Apache-2.0 */
/* score.h - private declarations of this module: the steps of mls_collect(). */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "log/log.h"
#include "score/collect.h"

/* --------------------------------------------------------------- groups */

/* Mark and score the runs of a group whose rules are known.  N is the number of runs needed, d that of invalid runs,
 * and m that of runs that may be left out at each end.  If d > m, there is no score; otherwise, the m fastest and m - d
 * slowest valid runs are left out and the rest is averaged.  With fewer than N runs, the score is the plain mean.
 *
 * With more than N and `select_window`, the score is that of a window of N consecutive runs by start time: the one
 * whose olympic mean (infinite if d > m) is closest to the median of all windows, if that is finite; of two equally
 * close ones the slower, of two equal ones the first. */
void mls_group_olympic(mls_group *group, bool select_window);

/* Check whether a folder contains results of weak scaling: results/<system>/weak/<benchmark>. */
bool mls_path_is_weak(mls_usage usage, const char *path);

/* The facts that the runs of a group share.  All but the last are texts, NULL if unknown. */
typedef enum mls_run_fact {
    MLS_FACT_BENCHMARK,
    MLS_FACT_DIVISION,
    MLS_FACT_CONFIG,
    MLS_FACT_TEXTS,
    MLS_FACT_BATCH_SIZE = MLS_FACT_TEXTS
} mls_run_fact;

/* The key by which a run is sorted into a group.  It borrows all texts. */
typedef struct mls_run_key {
    const char *file;
    const char *says[MLS_FACT_TEXTS];
    double global_batch_size;
    bool result;
} mls_run_key;
mls_run_key mls_run_key_of(const mls_run *run);

/* Return a run's key as bytes, in a buffer that is cleared first: all its facts, or the folder of a result. */
mls_str mls_run_group_key(const mls_run_key *run, mls_buffer *bytes);

/* Sort runs into groups, with path, result_folder and runs set.  The result_*.txt files of a folder are a group; other
 * runs are grouped by benchmark, division, config and batch size.  A run that died before it logged these joins the
 * only group that matches it. */
void mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count);

/* The maximum number of points in a set, and of values in a point. */
#define MLS_RCP_POINTS_MAX 10000
#define MLS_RCP_VALUES_MAX 100000

/* Check that the runs used different seeds: every log must have a `seed` record with file and line in its metadata and
 * a value that Python's int() accepts, all combinations must be different, and no line may be malformed.  Several seeds
 * in a log are a warning.  With `bypass`, errors become warnings. */
void mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass, mls_seed_outcome *outcome);

/* ---------------------------------------------------------------- power */

/* Add the energy in a power file to *joules, for a run of `time_to_train_ms`.  With `node`, the file is that of a node,
 * otherwise of a switch.  If the energy is unknown, add NAN and a warning.  `fd` is closed; if it is -1, errno is the
 * reason.  Return MLS_OK, or MLS_ERROR_READ with a finding. */
mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules) MLS_MUST_USE;

/* Find the energy of a run of a result in the folder `power` beside its log. */
void mls_run_extra_find_power(const mls_run *run, mls_run_extra *extra);

/* -------------------------------------------------------------- repeats */

/* The runs of a source, which may contain duplicates.  mls_repeats_remove() sets all members except the first. */
typedef struct mls_source_runs {
    size_t count;
    size_t repeated;   /* number of runs removed */
    const char *other; /* path of a source with one of these */
    bool several;      /* there are several such sources */
} mls_source_runs;

/* Remove duplicate runs (by mls_run_compare()) from a collection, since slurm-<job>.out repeats the output of every
 * trial.  `skipped` must contain all sources and `found` the number of runs of each.  The run kept is one that is not
 * in a slurm-*.out, then one in the source with the fewest runs, then the first one.  Runs in result files are always
 * kept.  A source without runs left gets a reason for skipping it. */
void mls_repeats_remove(mls_collection *collection, mls_source_runs *found);

/* Store the job in the name of a run's file: slurm-<job>.out or slurm-<job>_<task>.out. */
void mls_run_note_name(mls_run *run);

/* Decide which job made a run, after its duplicates were merged, from the first of: its own log, a duplicate, the name
 * of its file, the line of slurmstepd.  Add findings if these differ, and about invalid words in its list of nodes. */
void mls_run_find_job(mls_run *run);

/* --------------------------------------------------------------- places */

/* Check whether a folder is results/<system>/[strong/|weak/]<benchmark>.  *above becomes the parent of `results`, with
 * its slash. */
bool mls_folder_of_system(mls_str folder, mls_str *system, mls_str *above);

/* The trees among the sources.  A tree contains all results of a submitter's folder or, if a path given by the user is
 * above it, of all submitters' folders beside it.  All logs of a tree have the same edition, and so have the trees of
 * different submitters in one folder.  `folders` maps the folder of a result to the number of its tree. */
typedef struct mls_tree_editions {
    mls_arena arena;
    mls_map folders, trees[MLS_USAGE_COUNT];
    struct mls_tree_edition *items;
    size_t count, capacity;
} mls_tree_editions;

/* Read the date of the first log of each result, and set the edition of all sources in a tree to the one its results
 * agree on, unless the options have an edition. */
void mls_tree_editions_find(const char *const *paths, size_t path_count, const mls_collect_options *options,
                            mls_sources *sources, mls_tree_editions *trees);
void mls_tree_editions_release(mls_tree_editions *trees);

/* Set the edition of the tree that contains a log, unless there is none, or the edition does not have the benchmark and
 * the log is judged by itself.  The second function sets the system of a folder (after resolving links, too) and reads
 * systems/<system>.json if possible. */
void mls_place_find_tree(const mls_tree_editions *trees, const char *path, mls_place *place);
void mls_place_find_system(mls_str folder, mls_arena *arena, mls_place *place);

/* Return the folder that contains all logs of a group, with its slash ("": the current one); ptr is NULL if there is
 * none. */
mls_str mls_group_folder(const mls_group *group);
