/* SPDX-License-Identifier: Apache-2.0 */
/* group.h - collect the runs in log files and folders, and score them in groups.
 *
 * A collection contains each run once, even if several files contain it.  Runs that were set up alike form a group, and
 * each group has one score:
 *
 *     mls_collection *collection;
 *     if (mls_collection_new(rules, paths, count, &collection, &error) == MLS_OK) {
 *         const mls_group *group;
 *         for (size_t i = 0; (group = mls_collection_group(collection, i)) != NULL; i++) {
 *             printf("%s: %.2f minutes\n", mls_group_path(group), mls_group_scaled_minutes(group));
 *         }
 *         mls_collection_free(collection);
 *     }
 *
 * Groups, runs and texts belong to the collection.  Unknown numbers are NAN and unknown texts are NULL. */
#pragma once

#include "mlscore/run.h"

MLS_C_BEGIN

typedef struct mls_collection mls_collection;
typedef struct mls_group mls_group;

/** Find, judge and score the runs in `paths`, as `mlscore score` does.  A path is a file, a folder, or "-" for standard
 * input.  Files that cannot be read are not an error: see mls_collection_left_out().  Free the collection with
 * mls_collection_free().
 *
 * On failure, set *collection to NULL and return MLS_ERROR_VALUE (a path is NULL) or MLS_ERROR_LIMIT (too many files).
 */
mls_status mls_collection_new(const mls_rules *rules, const char *const *paths, size_t count,
                              mls_collection **collection, mls_error *error) MLS_MUST_USE;

/** Free a collection with its groups and runs.  NULL is allowed. */
void mls_collection_free(mls_collection *collection);

/** Return a group by its index, from 0, in the order of first runs; NULL past the end. */
const mls_group *mls_collection_group(const mls_collection *collection, size_t index);

/** Return a run of any group by its index, from 0; NULL past the end. */
const mls_run *mls_collection_run(const mls_collection *collection, size_t index);

/** Get a file that contributed no run of its own, and the reason, such as "empty" or "repeats the run in a.log". Either
 * pointer may be NULL.  Return false past the end. */
bool mls_collection_left_out(const mls_collection *collection, size_t index, const char **path, const char **reason);

/** Return the number of files and folders that could not be read. */
size_t mls_collection_unreadable(const mls_collection *collection);

/** Return the path of the folder or the file that contains all runs of the group. */
const char *mls_group_path(const mls_group *group);

const char *mls_group_benchmark(const mls_group *group);

/** Return the edition whose rules apply, such as "5.1.0". */
const char *mls_group_edition(const mls_group *group);

/** Return the division that the runs logged: "closed" or "open"; NULL for any other text, or if the runs differ. */
const char *mls_group_division(const mls_group *group);

/** Return the name of the config, such as "GB200_18x4x1xtp1pp1cp8"; NULL if it is unknown or the runs differ. */
const char *mls_group_config(const mls_group *group);

/** Return the global batch size; NAN if it was not logged or the runs differ. */
double mls_group_global_batch_size(const mls_group *group);

/** Return the total number of accelerators. */
double mls_group_accelerators(const mls_group *group);

/** Return the model of the accelerators, such as "GB200". */
const char *mls_group_accelerator(const mls_group *group);

/** Return a run of the group by its index, from 0; NULL past the end. */
const mls_run *mls_group_run(const mls_group *group, size_t index);

/** Return how a run counts in the score: "kept" (part of the mean), "fastest" or "slowest" (left out at that end),
 * "dropped" (not valid) or "outside" (outside the selected window); NULL past the end. */
const char *mls_group_mark(const mls_group *group, size_t index);

/** Return the number of runs that a result of the benchmark needs; 0 if the benchmark is unknown. */
size_t mls_group_runs_needed(const mls_group *group);

/** Return the mean time to train in minutes, without the fastest and the slowest runs (olympic mean).  With fewer runs
 * than needed, it is the plain mean of the valid runs.  NAN if there is no score. */
double mls_group_minutes(const mls_group *group);

/** Return the score in minutes: mls_group_minutes() times mls_group_scale(). */
double mls_group_scaled_minutes(const mls_group *group);

/** Return the factor by which mls_group_minutes() is multiplied, at least 1.  It is greater than 1 if the runs
 * converged faster than the reference. */
double mls_group_scale(const mls_group *group);

/** Check whether the group has exactly as many runs as the rules require for an official result. */
bool mls_group_is_official(const mls_group *group);

/** Return the result of the check of convergence against the reference: "pass", "fail", "bypassed", or "" if it does
 * not apply. */
const char *mls_group_convergence(const mls_group *group);

/** Return the result of the check that runs use different seeds: "pass", "fail", "bypassed", or "" if it does not
 * apply. */
const char *mls_group_seeds(const mls_group *group);

/** Check whether the score is valid: it is official, no more runs failed than the rules allow, and the checks of
 * convergence and seeds did not fail.  With `strict`, also require that every run is valid and that there are no
 * findings at all. */
bool mls_group_passes(const mls_group *group, bool strict);

/** Return the findings about the group, such as settings on which its runs disagree.  Each run has its own findings. */
const mls_findings *mls_group_findings(const mls_group *group);

MLS_C_END
