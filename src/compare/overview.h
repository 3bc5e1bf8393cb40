/* SPDX-License-Identifier: Apache-2.0 */
/* overview.h - select the main results for groups of runs, from their comparison, throughput and telemetry.  Reports
 * only format them. */
#pragma once

#include "compare/comparison.h"
#include "explain/telemetry/telemetry.h"
#include "explain/throughput/throughput.h"

/** What to look at first: the first of these that applies. */
typedef enum mls_overview_look {
    MLS_LOOK_RUN,         /**< run number `run` ended but breaks a rule, as do `runs` - 1 others */
    MLS_LOOK_CONVERGENCE, /**< the group converges faster than the reference allows */
    MLS_LOOK_SEEDS,       /**< the seeds are wrong: `message` */
    MLS_LOOK_FINDING,     /**< another error of the group: `message` */
    MLS_LOOK_ALIKE,       /**< `runs` runs failed from the same cause: `message` */
    MLS_LOOK_MACHINE,     /**< a problem in the telemetry of the machines */
    MLS_LOOK_SETTING,     /**< the rate differs from the published one, and so does `setting` of a `kind` */
    MLS_LOOK_COST,        /**< a slow or failed run, or a slow phase, costs the score */
    MLS_LOOK_EVALUATIONS, /**< evaluations take this `share` of the time */
    MLS_LOOK_SAMPLES,     /**< the group needed more samples than the mean of the reference, by this `share` */
    MLS_LOOK_NOTHING
} mls_overview_look;
typedef struct mls_overview_first {
    mls_overview_look look;
    size_t run, runs;
    const char *message, *kind;
    mls_str setting;
    const mls_cost *cost;
    double share;
} mls_overview_first;

/** A command to run next, for the group or one of its runs. */
typedef struct mls_overview_next {
    const char *command;
    const mls_run *run;                  /**< NULL: the group */
    const mls_published_result *against; /**< result to compare with; NULL if the command is not compare */
} mls_overview_next;

enum { MLS_OVERVIEW_NEXT = 2, MLS_OVERVIEW_SETTINGS = 4 };

typedef struct mls_overview_group {
    const mls_side_group *side;
    const mls_group *group;            /**< NULL, as is `timed`, for an export, which has no logs */
    const mls_throughput_group *timed; /**< its throughput */
    const mls_published_match *beside; /**< the published results near it; NULL: none */
    const char *machine;               /**< the worst telemetry finding about its machines; NULL: none */
    const mls_block *block;            /**< the block in which it was matched; NULL: not matched */
    const char *unmatched;             /**< why it was not matched; NULL: it was, or there was nothing to match */
    const mls_published_near *nearest; /**< the nearest published result; NULL: none */
    const mls_published_near *fastest; /**< the fastest on the same number of the same accelerators; NULL: none */
    double ratio;                      /**< its minutes over those of the matched group or of `fastest`, minus 1 */
    const mls_published_why *why;      /**< the causes of that difference; NULL: unknown */
    mls_why_part parts[MLS_WHY_PARTS_MAX + 1]; /**< of the ratio, the largest first, rounded so that they add up */
    size_t part_count;
    const mls_why_setting *settings[MLS_OVERVIEW_SETTINGS]; /**< the most important settings of `why` */
    size_t setting_count;
    size_t valid;                 /**< number of valid runs */
    bool sound;                   /**< the result is valid as it is, although the rules may allow failed runs */
    const mls_throughput *median; /**< the run of median length among those that ended; NULL: none */
    const mls_cost *slow;         /**< the slow phase, evaluation or run that costs the score most; NULL: none */
    mls_overview_first first;
    mls_overview_next next[MLS_OVERVIEW_NEXT];
    size_t next_count;
} mls_overview_group;

typedef struct mls_overview {
    const char *what, *command; /**< kind of input, such as "logs"; command with the details, such as "score" */
    mls_overview_group *items;
    const mls_overview_group **worst_first; /**< invalid ones first, then by distance from the fastest */
    size_t count;
    const mls_known_settings *known;
    const mls_published *published;   /**< results of each usage, if requested */
    const mls_collection *collection; /**< NULL for an export */
} mls_overview;

/** Compute the overview of the groups of a comparison.  They are those of the logs of its first side, in `collection`
 * with its throughput and telemetry, or (all three NULL) those of an export.  All arguments must outlive *all.  Release
 * *all. */
void mls_overview_make(const mls_comparison *comparison, const mls_collection *collection,
                       const mls_throughputs *measured, const mls_telemetry_notes *notes, mls_overview *all);
void mls_overview_release(mls_overview *all);

/** Return whether a run did not end or was aborted. */
bool mls_overview_is_failed(const mls_run *run);

/** Return why a run failed: the cause in its job's messages, else the error in its log, or NULL. */
const mls_finding *mls_overview_cause(const mls_run *run);
