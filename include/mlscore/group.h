/* SPDX-License-Identifier: Apache-2.0 */
/* group.h - from logs and folders of them to runs, each once, and to groups of runs, each of which has one score.
 *
 * Groups and runs belong to the collection.  Numbers that are not known are NAN, texts NULL. */
#pragma once

#include "mlscore/run.h"

MLS_C_BEGIN

typedef struct mls_collection mls_collection;
typedef struct mls_group mls_group;

/** Finds, judges and scores the runs below `paths`, as `mlscore score` does ("-": standard input).  What cannot be read
 * is listed as left out.  MLS_OK, MLS_ERROR_MEMORY, MLS_ERROR_VALUE: a path is NULL, or MLS_ERROR_LIMIT: too many
 * files.  *collection is NULL but for MLS_OK. */
mls_status mls_collection_new(const mls_rules *rules, const char *const *paths, size_t count,
                              mls_collection **collection, mls_error *error) MLS_MUST_USE;
void mls_collection_free(mls_collection *collection);

/** Its groups, in the order of their first runs, and all its runs; NULL past the end. */
const mls_group *mls_collection_group(const mls_collection *collection, size_t index);
const mls_run *mls_collection_run(const mls_collection *collection, size_t index);

/** The files without a run of their own: which and why ("empty", "repeats the run in …"), false past the end; and how
 * many of them could not be read. */
bool mls_collection_left_out(const mls_collection *collection, size_t index, const char **path, const char **reason);
size_t mls_collection_unreadable(const mls_collection *collection);

/** What the runs have in common: the folder or file, the benchmark, the edition judged by, the division as logged
 * ("closed"), the config, the batch size, how many accelerators and which ("GB200"). */
const char *mls_group_path(const mls_group *group);
const char *mls_group_benchmark(const mls_group *group);
const char *mls_group_edition(const mls_group *group);
const char *mls_group_division(const mls_group *group);
const char *mls_group_config(const mls_group *group);
double mls_group_global_batch_size(const mls_group *group);
double mls_group_accelerators(const mls_group *group);
const char *mls_group_accelerator(const mls_group *group);

/** Its runs, NULL past the end; and what became of each: "kept", "fastest", "slowest", "dropped" or "outside". */
const mls_run *mls_group_run(const mls_group *group, size_t index);
const char *mls_group_mark(const mls_group *group, size_t index);
size_t mls_group_runs_needed(const mls_group *group);

/** The olympic mean in minutes; the same times its scale, which a convergence faster than the reference's makes more
 * than 1; and whether it is that of the number of runs that the rules want. */
double mls_group_minutes(const mls_group *group);
double mls_group_scaled_minutes(const mls_group *group);
double mls_group_scale(const mls_group *group);
bool mls_group_is_official(const mls_group *group);

/** The checks of convergence against the reference, and of the seeds: "pass", "fail", "bypassed", or "" when none was
 * made. */
const char *mls_group_convergence(const mls_group *group);
const char *mls_group_seeds(const mls_group *group);

/** Whether the score counts: it is that of the number of runs that the rules want, of which no more failed than they
 * allow, and neither convergence nor seeds failed; `strict`: every run is valid, too, and nothing at all was found. */
bool mls_group_is_well(const mls_group *group, bool strict);

/** What the runs do not agree on; each run has findings of its own. */
const mls_findings *mls_group_findings(const mls_group *group);

MLS_C_END
