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
 * Runs are the same whether mls_collect() reads their logs or merges parts that shards wrote (part.h).  Data that does
 * not come from the log is not stored in mls_run: it is in arrays parallel to `runs`, or belongs to the module that
 * found it. */
#pragma once

#include "run/reading.h"
#include "score/group.h"

/** The runs for which mls_printed_facts are read: no run, one run per group, or all runs.  For one run per group, a log
 * is read a second time up to its run_start, unless the job printed nothing. */
typedef enum mls_facts_of { MLS_FACTS_OF_NONE, MLS_FACTS_OF_GROUPS, MLS_FACTS_OF_RUNS } mls_facts_of;

typedef struct mls_collect_options {
    mls_usage usage;
    bool any_usage;             /**< if only another usage has the benchmark of a group, use that usage for the group */
    const mls_edition *edition; /**< NULL: guess it for each group from its first record */
    mls_work work;
    bool runs_only;               /**< do not make groups */
    mls_score_options score;      /**< how each group is scored */
    mls_checker_options checker;  /**< rules that decide which runs are valid; rulesets NULL: the events and the status
                                     of the run decide */
    bool named_runs;              /**< a log given by the user contains a run even if it is empty */
    const mls_observer *observer; /**< callbacks that collect notes on each run; NULL: do not collect notes */
    bool printed;                 /**< also keep the settings that the job printed before each run */
    mls_facts_of facts;           /**< the runs for which to read printed facts */
    bool digests;                 /**< set the checksum of the file of each run */
    struct mls_merge *merge;      /**< part.h: collect the results of shards instead of reading logs; NULL: read logs */
} mls_collect_options;

/** Data found beside a run's log.  Owns its findings. */
typedef struct mls_run_extra {
    mls_printed_facts facts; /**< set for one run per group */
    bool has_power;          /**< a folder `power` exists beside the log */
    double joules;           /**< energy in joules according to the files in `power`; NAN: unknown */
    mls_findings power;      /**< findings about the files in `power` */
    mls_findings ending;     /**< MLS_FINDING_DIAGNOSIS: why an incomplete run ended, if a shard diagnosed it */
} mls_run_extra;
void mls_run_extra_release(mls_run_extra *extra);

/** Facts that follow from the folder of a log.  A tree is the folder of a submission or of a whole round.  Texts are
 * borrowed. */
typedef struct mls_place {
    const char *edition; /**< edition of the tree that contains the folder; NULL: the folder is not in a tree */
    mls_usage usage;     /**< usage of that tree */
    bool by_date;        /**< the edition follows from the dates of the logs */
    const char *system;  /**< <system> if the folder is results/<system>/…; otherwise NULL */
    mls_str description; /**< text of systems/<system>.json; ptr NULL: it was not read */
} mls_place;

/** The runs and groups below some paths.  Owns everything it points to. */
typedef struct mls_collection {
    mls_run *runs;
    size_t run_count, run_capacity;
    void **notes;                 /**< notes of the observer on each run; see mls_collection_notes() */
    const mls_observer *observer; /**< mls_collect_options.observer */
    const mls_run_extra *
        *extra; /**< data of each run from its shard, borrowed from the merge; NULL: parts were not merged */
    struct mls_setups *setups; /**< hyperparameters and seeds of the runs, with duplicates stored once */
    mls_group *groups;         /**< groups in the order of their first runs; they borrow from `runs` */
    size_t group_count;
    const struct mls_slurm_jobs *jobs; /**< jobs.h: sacct data of the jobs of the runs; NULL: not read */
    mls_rcp_sets points;               /**< reference points used for comparison */
    mls_sources skipped; /**< sources without runs and sources with only duplicates: "empty", "repeats the run in …" */
    size_t files;        /**< number of files read, including files without runs */
    uint64_t bytes;      /**< number of bytes read */
    size_t failed;       /**< number of files and folders that could not be read */
} mls_collection;

/** Collect and score the runs below `paths` ("-": standard input).  Files that cannot be read are listed in `skipped`
 * with `failed` set.  Return MLS_OK, MLS_ERROR_LIMIT, or the error of mls_group_score().  Always release *collection,
 * before freeing the editions in the options. */
mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error) MLS_MUST_USE;

/** Return the notes of the observer on a run of the collection; NULL if the collection does not have notes. */
void *mls_collection_notes(const mls_collection *collection, const mls_run *run);

/** Remove the groups of a collection that were not trained in this precision, such as "fp8". */
void mls_collection_keep_precision(mls_collection *collection, const char *precision);

void mls_collection_release(mls_collection *collection);
