/* SPDX-License-Identifier: Apache-2.0 */
/* score.h - the steps of mls_collect(), for the modules that need one of them alone. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "log/log.h"
#include "score/collect.h"

/* --------------------------------------------------------------- groups */

/* Mark and score the runs of a group whose rules are known.  The benchmark needs N runs and leaves out m runs at each
 * end; d runs are invalid.  If d > m, the score is NAN.  Otherwise, it is the olympic mean: the m fastest and the m - d
 * slowest valid runs are left out, and the rest is averaged.  With fewer than N runs, the score is the plain mean of
 * the valid runs.
 *
 * If there are more than N runs and `select_window` is true, only a window of N runs with consecutive start times is
 * scored.  It is the window whose olympic mean (infinite if d > m) is closest to the median of all windows.  If two
 * windows are equally close, the slower one is selected; if their means are equal, the first one.  If the median is
 * infinite, the score is NAN. */
void mls_group_olympic(mls_group *group, bool select_window);

/* Check whether a folder contains results of weak scaling: results/<system>/weak/<benchmark>. */
bool mls_path_is_weak(mls_usage usage, const char *path);

/* The facts that the runs of a group share.  The facts before MLS_FACT_TEXTS are texts, NULL if unknown; the batch size
 * is a number, NAN if unknown. */
typedef enum mls_run_fact {
    MLS_FACT_BENCHMARK,
    MLS_FACT_DIVISION,
    MLS_FACT_CONFIG,
    MLS_FACT_TEXTS,
    MLS_FACT_BATCH_SIZE = MLS_FACT_TEXTS
} mls_run_fact;

/* The key by which a run is sorted into a group.  All texts are borrowed. */
typedef struct mls_run_key {
    const char *file;                 /* path of the log */
    const char *says[MLS_FACT_TEXTS]; /* indexed by mls_run_fact; NULL: unknown */
    double global_batch_size;         /* NAN: unknown */
    bool result;                      /* the file is a result_*.txt */
} mls_run_key;
mls_run_key mls_run_key_of(const mls_run *run);

/* Return a run's key as bytes in `bytes`, which is cleared first.  Runs with equal bytes form a group.  The bytes
 * contain the folder of the run if it is in a result_*.txt file, otherwise all facts. */
mls_str mls_run_group_key(const mls_run_key *run, mls_buffer *bytes);

/* Sort runs into groups, and set path, result_folder and runs of each group.  The result_*.txt files of a folder are a
 * group; other runs are grouped by benchmark, division, config and batch size.  A run that ended before it logged these
 * facts joins the group whose facts equal those it logged, if there is only one. */
void mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count);

/* The maximum number of reference points in a set, and of values (runs) in a point. */
#define MLS_RCP_POINTS_MAX 10000
#define MLS_RCP_VALUES_MAX 100000

/* Check that the runs used different seeds: every log must have a `seed` record with file and line in its metadata and
 * a value that Python's int() accepts, all combinations must be different, and no line may be malformed.  Several seeds
 * in a log are a warning.  With `bypass`, errors become warnings. */
void mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass, mls_seed_outcome *outcome);

/* ---------------------------------------------------------------- power */

/* The readings in the power file of a node, for questions about them.  Times are in milliseconds since 1970. */
typedef struct mls_power_readings {
    double start_ms, stop_ms; /* of the run, set by the caller */
    bool read;                /* the file could be read */
    size_t count;
    double first_ms, last_ms; /* of all readings; NAN: there are none */
    double watts;             /* mean of the readings in the run; NAN: there are none */
    double gap_ms;            /* largest time between two readings in the run; 0: fewer than two */
} mls_power_readings;

/* Add the energy in a power file, in joules, to *joules, for a run that took `time_to_train_ms` milliseconds.  `node`
 * is true for the file of a node, and false for the file of a switch.  If the energy is unknown, add NAN to *joules,
 * and a warning to `findings`.  Close `fd`; -1 means that the file could not be opened, and errno contains the reason.
 * `readings` may be NULL.  Return MLS_OK, or MLS_ERROR_READ with a finding. */
mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules, mls_power_readings *readings) MLS_MUST_USE;

/* Set has_power, joules and power of *extra from the folder `power` beside the result_*.txt file of a run. */
void mls_run_extra_find_power(const mls_run *run, mls_run_extra *extra);

/* Set the precision of a described group whose logs are in `folder`.  This reads the configs in benchmarks/ beside the
 * results/ that contains the folder, but no log. */
void mls_group_find_precision(mls_group *group, mls_str folder);

/* -------------------------------------------------------------- repeats */

/* The runs of a source, which may contain duplicates.  The caller of mls_repeats_remove() sets `count`. */
typedef struct mls_source_runs {
    size_t count;      /* number of runs, including duplicates */
    size_t repeated;   /* number of runs removed because another source contains them */
    const char *other; /* path of a source that contains one of the removed runs */
    bool several;      /* the removed runs are in several other sources */
} mls_source_runs;

/* Remove duplicate runs (by mls_run_compare()) from a collection, since slurm-<job>.out repeats the output of every
 * trial.  `found` contains the number of runs of each source.  If there are
 * duplicates, keep a run that is not in a slurm-*.out file; if there are several of these, the run in the source with
 * the fewest runs; if there are still several, the first one.  Runs in result_*.txt files are always kept.  If all runs
 * of a source are removed, set a reason for skipping the source. */
void mls_repeats_remove(mls_collection *collection, mls_sources *sources, mls_source_runs *found);

/* Set the job number of a run from the name of its file: slurm-<job>.out or slurm-<job>_<task>.out. */
void mls_run_note_name(mls_run *run);

/* Decide which job made a run, after its duplicates were removed.  Use the first source with a job number: the run's
 * own log, the log of a duplicate, the name of the file, a message of slurmstepd.  Add findings if these numbers
 * differ, and about invalid words in the run's list of nodes. */
void mls_run_find_job(mls_run *run);

/* --------------------------------------------------------------- places */

/* Check whether a folder is …results/<system>/[strong/|weak/]<benchmark>.  If it is, set *system to <system>, and
 * *above to the parent folder of `results` with a trailing slash. */
bool mls_folder_of_system(mls_str folder, mls_str *system, mls_str *above);

/* The trees among the sources.  A tree contains all results in a submitter's folder.  If the user gave a path above
 * this folder, the tree also contains the results of the other submitters in the same parent folder.  All logs of a
 * tree have the same edition, and so have the trees of different submitters in one parent folder. */
typedef struct mls_tree_editions {
    mls_arena arena;
    /* Maps from the folder of a result, and from the folder of a tree, to the number of the tree, from 1. */
    mls_map folders, trees[MLS_USAGE_COUNT];
    struct mls_tree_edition *items;
    size_t count, capacity;
} mls_tree_editions;

/* Unless the options contain an edition, read the date of the first log of each result, and set the edition of all
 * sources in a tree to the edition that mls_edition_poll_winner() chooses for its results. */
void mls_tree_editions_find(const char *const *paths, size_t path_count, const mls_collect_options *options,
                            mls_sources *sources, mls_tree_editions *trees);
void mls_tree_editions_release(mls_tree_editions *trees);

/* Set edition, usage and by_date of *place from the tree that contains the log at `path`.  Do nothing if the log is not
 * in a tree, or the edition of the tree does not have the benchmark of the log. */
void mls_place_find_tree(const mls_tree_editions *trees, const char *path, mls_place *place);
/* Set system and description of *place for a folder results/<system>/…, also after resolving links.  The description is
 * the text of systems/<system>.json, if this file can be read. */
void mls_place_find_system(mls_str folder, mls_arena *arena, mls_place *place);

/* Return the folder that contains all logs of a group, with a trailing slash; "" is the current folder.  If the logs
 * are in different folders or come from standard input, ptr is NULL. */
mls_str mls_group_folder(const mls_group *group);
