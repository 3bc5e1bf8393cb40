/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h - the main entry point of the library: find runs in files, and score them in groups.
 *
 * mls_collect() finds the sources below some paths, reads them (run/reading.h), keeps each run once, finds the Slurm
 * job of each run, sorts the runs into groups by what they logged, and scores each group (group.h):
 *
 *     mls_collection all;
 *     if (mls_collect(paths, count, &options, &all, &error) == MLS_OK) { … all.groups[0].score … }
 *     mls_collection_release(&all);
 *
 * Runs are the same whether their logs were read here or by shards whose parts are merged (part.h).  Data from other
 * sources than the log are not members of a run: they are in arrays parallel to `runs`, or belong to the module that
 * found them. */
#pragma once

#include "run/reading.h"
#include "score/group.h"

/** Whose printed facts are read: none, those of one run per group, or those of all runs.  To get them, a log is read a
 * second time up to its run_start, unless nothing was printed. */
typedef enum mls_facts_of { MLS_FACTS_OF_NONE, MLS_FACTS_OF_GROUPS, MLS_FACTS_OF_RUNS } mls_facts_of;

typedef struct mls_collect_options {
    mls_usage usage;
    bool any_usage;             /**< a group whose benchmark only another usage has belongs to that usage */
    const mls_edition *edition; /**< NULL: guess it for each group from its first record */
    mls_work work;
    bool runs_only;               /**< do not make groups */
    mls_score_options score;      /**< how each group is scored */
    mls_checker_options checker;  /**< decides which runs are valid; rulesets NULL: their steps and status do */
    bool named_runs;              /**< a log given by the user contains a run even if it is empty */
    const mls_observer *observer; /**< collects more of each run; NULL: none */
    bool printed;                 /**< keep the settings printed before each run, too */
    mls_facts_of facts;           /**< whose printed facts to read */
    bool digests;                 /**< set the checksum of the file of each run */
    struct mls_merge *merge;      /**< part.h: collect the results of shards instead of reading logs; NULL: read logs */
} mls_collect_options;

/** Data found beside a run's log.  Owns its findings. */
typedef struct mls_run_extra {
    mls_printed_facts facts; /**< read for one run per group */
    bool has_power;          /**< there is a folder `power` */
    double joules;           /**< energy according to its files; NAN: unknown */
    mls_findings power;      /**< about these files */
    mls_findings ending;     /**< why an incomplete run ended, if shards diagnosed it: MLS_FINDING_DIAGNOSIS */
} mls_run_extra;
void mls_run_extra_release(mls_run_extra *extra);

/** Facts that follow from the folder of a log.  Texts are borrowed. */
typedef struct mls_place {
    const char *edition; /**< edition of the tree that contains it; NULL: it is not in a tree */
    mls_usage usage;     /**< of that tree */
    bool by_date;        /**< the edition was found by dates */
    const char *system;  /**< the system of results/<system>/…; NULL: none */
    mls_str description; /**< description of the system; ptr NULL: none */
} mls_place;

/** The runs and groups below some paths.  Owns everything it points to. */
typedef struct mls_collection {
    mls_run *runs;
    size_t run_count, run_capacity;
    void **notes;                 /**< of each run, from the observer; see mls_collection_notes() */
    const mls_observer *observer; /**< from the options */
    const mls_run_extra *
        *extra;                /**< of each run, as found by its shard, borrowed from the merge; NULL: logs were read */
    struct mls_setups *setups; /**< hyperparameters and seeds of the runs, with duplicates stored once */
    mls_group *groups;         /**< in the order of their first runs; they borrow from `runs` */
    size_t group_count;
    const struct mls_slurm_jobs *jobs; /**< jobs.h: sacct data of the jobs of the runs; NULL: not read */
    mls_rcp_sets points;               /**< reference points used for comparison */
    mls_sources skipped; /**< sources without a run, or without a run of their own: "empty", "repeats the run in …" */
    size_t files;        /**< number of files read, with runs or without */
    uint64_t bytes;      /**< number of bytes read */
    size_t failed;       /**< number of files and folders that could not be read */
} mls_collection;

/** Collect and score the runs below `paths` ("-": standard input).  Files that cannot be read are listed in `skipped`
 * with `failed` set.  Return MLS_OK, MLS_ERROR_LIMIT, or the error of mls_group_score().  Always release *collection,
 * before freeing the editions in the options. */
mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error) MLS_MUST_USE;

/** Return the notes of the observer on a run of the collection; NULL if there are none. */
void *mls_collection_notes(const mls_collection *collection, const mls_run *run);

void mls_collection_release(mls_collection *collection);
