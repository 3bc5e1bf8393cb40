/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h - from logs, folders and trees of them to runs, each once, and to groups, each of which has one score. */
#pragma once

#include "run/reading.h"
#include "score/group.h"

/** One run of a group stands for all of them: its log is read a second time, as far as its run_start and where anything
 * may have been printed at all. */
typedef enum mls_facts_of { MLS_FACTS_OF_NONE, MLS_FACTS_OF_GROUPS, MLS_FACTS_OF_RUNS } mls_facts_of;

typedef struct mls_collect_options {
    mls_usage usage;
    bool any_usage;             /**< groups of a benchmark that only another family has are of that one */
    const mls_edition *edition; /**< NULL: guessed for each group from its first record */
    mls_work work;
    bool runs_only;               /**< no groups are made */
    mls_score_options score;      /**< how each group is scored */
    mls_checker_options checker;  /**< whose rules say which runs are valid; rulesets NULL: their steps and status do */
    bool named_runs;              /**< a log that the user named holds a run, even when it holds none */
    const mls_observer *observer; /**< what more is kept of each run; NULL: nothing */
    bool printed;                 /**< and the settings that the job printed before it */
    mls_facts_of facts;           /**< whose facts, of the settings that jobs printed, are told */
    bool digests;                 /**< each run tells the digest of its file; printed settings are not asked for then */
    struct mls_merge *merge;      /**< merge.h: what shards found below the paths is collected; NULL: logs are read */
} mls_collect_options;

/** Everything found under some paths.  Owns all it points to. */
typedef struct mls_collection {
    mls_run *runs;
    size_t run_count, run_capacity;
    void **notes;                 /**< of each run, by the observer; see mls_collection_notes() */
    const mls_observer *observer; /**< as the options have it */
    struct mls_setups *setups;    /**< hyperparameters and seeds of the runs, most of which are alike */
    mls_group *groups;            /**< in the order of their first runs; they borrow from `runs` */
    size_t group_count;
    const struct mls_slurm_jobs *jobs; /**< jobs.h: what sacct says of those that made the runs; NULL: not asked */
    mls_rcp_sets points;               /**< that they were compared with */
    mls_sources skipped;               /**< that hold no run, or none of their own: "empty", "repeats the run in …" */
    size_t files;                      /**< read, with runs or without */
    uint64_t bytes;                    /**< read */
    size_t failed;                     /**< files and folders that could not be read */
} mls_collection;

/** Collects and scores what stands under `paths` ("-": standard input).  What cannot be read is listed in `skipped`
 * with `failed` set.  MLS_OK, MLS_ERROR_MEMORY, MLS_ERROR_LIMIT or what mls_group_score() returned; *collection is to
 * be released in any case, before the editions of the options. */
mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error) MLS_MUST_USE;

/** Return what the observer of the collection kept of one of its runs; NULL: nothing, or there is none. */
void *mls_collection_notes(const mls_collection *collection, const mls_run *run);

void mls_collection_release(mls_collection *collection);
