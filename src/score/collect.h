/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h - the heart of the tool: from paths to runs, each once, and to groups, each of which has one score.
 *
 * mls_collect() finds the sources below some paths, reads them (run/reading.h), keeps each run once, finds the job that
 * made it, sorts runs into groups by what they logged, and scores each group (group.h):
 *
 *     mls_collection all;
 *     if (mls_collect(paths, count, &options, &all, &error) == MLS_OK) { … all.groups[0].score … }
 *     mls_collection_release(&all);
 *
 * Runs come in one form, whether their logs were read here or by shards whose parts are merged (merge.h).  What is
 * known of a run beyond its log stands in lists parallel to `runs`, or in those of whoever found it out: a run itself
 * points to nothing of it. */
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
    bool digests;                 /**< each run tells the digest of its file */
    struct mls_merge *merge;      /**< merge.h: what shards found below the paths is collected; NULL: logs are read */
} mls_collect_options;

/** What is looked up on the disk beside a run's log.  Owns its findings. */
typedef struct mls_run_extra {
    mls_printed_facts facts; /**< as a group tells them by one of its runs */
    bool has_power;          /**< a folder `power` lies there */
    double joules;           /**< of its files; NAN: not known */
    mls_findings power;      /**< about these files */
    mls_findings ending;     /**< why a run that never ended did not, where shards asked: MLS_FINDING_DIAGNOSIS */
} mls_run_extra;
void mls_run_extra_release(mls_run_extra *extra);

/** What follows from the folder that a log lies in.  Texts are borrowed. */
typedef struct mls_place {
    const char *edition; /**< that the results of its tree agree on; NULL: it is in none */
    mls_usage usage;     /**< of that tree */
    bool by_date;        /**< some date counted */
    const char *system;  /**< the system of results/<system>/…; NULL: none */
    mls_str description; /**< of the system; ptr NULL: there is none */
} mls_place;

/** Everything found under some paths.  Owns all it points to. */
typedef struct mls_collection {
    mls_run *runs;
    size_t run_count, run_capacity;
    void **notes;                 /**< of each run, by the observer; see mls_collection_notes() */
    const mls_observer *observer; /**< as the options have it */
    const mls_run_extra *
        *extra;                /**< of each run, as its shard found it, borrowed from the merge; NULL: logs were read */
    struct mls_setups *setups; /**< hyperparameters and seeds of the runs, most of which are alike */
    mls_group *groups;         /**< in the order of their first runs; they borrow from `runs` */
    size_t group_count;
    const struct mls_slurm_jobs *jobs; /**< jobs.h: what sacct says of those that made the runs; NULL: not asked */
    mls_rcp_sets points;               /**< that they were compared with */
    mls_sources skipped;               /**< that hold no run, or none of their own: "empty", "repeats the run in …" */
    size_t files;                      /**< read, with runs or without */
    uint64_t bytes;                    /**< read */
    size_t failed;                     /**< files and folders that could not be read */
} mls_collection;

/** Collects and scores what stands under `paths` ("-": standard input).  What cannot be read is listed in `skipped`
 * with `failed` set.  MLS_OK, MLS_ERROR_LIMIT or what mls_group_score() returned; *collection is to be released in any
 * case, before the editions of the options. */
mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error) MLS_MUST_USE;

/** Return what the observer of the collection kept of one of its runs; NULL: nothing, or there is none. */
void *mls_collection_notes(const mls_collection *collection, const mls_run *run);

void mls_collection_release(mls_collection *collection);
