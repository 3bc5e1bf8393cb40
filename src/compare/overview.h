/* SPDX-License-Identifier: Apache-2.0 */
/* overview.h - select the main results for groups of runs from their comparison, throughput and telemetry.  Reports
 * only format these results. */
#pragma once

#include "compare/comparison.h"
#include "explain/telemetry/telemetry.h"
#include "explain/throughput/throughput.h"

/** The problem to look at first: the first in this list that applies.  `run`, `runs`, `message` and so on are members
 * of mls_overview_first. */
typedef enum mls_overview_look {
    MLS_LOOK_RUN,         /**< run number `run`, and `runs` - 1 other runs, ended but violate a rule */
    MLS_LOOK_CONVERGENCE, /**< the group converges faster than the reference allows */
    MLS_LOOK_SEEDS,       /**< the check of seeds failed, with `message` */
    MLS_LOOK_FINDING,     /**< the group has another error, `message` */
    MLS_LOOK_ALIKE,       /**< `runs` runs failed for the same reason, `message` */
    MLS_LOOK_MACHINE,     /**< the telemetry of the machines shows a problem */
    /** The pace differs from the published one, and so does the setting `setting`, which is of the kind `kind`. */
    MLS_LOOK_SETTING,
    MLS_LOOK_COST,        /**< a slow or failed run, or a slow phase, costs the score */
    MLS_LOOK_EVALUATIONS, /**< evaluations take the share `share` of the time */
    /** The group needed more samples than the mean of the reference; `share` is the relative difference. */
    MLS_LOOK_SAMPLES,
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

/** A command that is suggested to run next, for the group or one of its runs. */
typedef struct mls_overview_next {
    const char *command;
    const mls_run *run;                  /**< the run to examine; NULL: the whole group */
    const mls_published_result *against; /**< for compare: the published result to compare with; otherwise NULL */
} mls_overview_next;

enum { MLS_OVERVIEW_NEXT = 2, MLS_OVERVIEW_SETTINGS = 4 };

typedef struct mls_overview_group {
    const mls_side_group *side;
    const mls_group *group;            /**< the scored group of logs; NULL for an export */
    const mls_throughput_group *timed; /**< throughput of the group; NULL for an export */
    const mls_published_match *beside; /**< the published results near the group; NULL: none */
    /** The worst finding of telemetry about the machines of the group; NULL: none. */
    const char *machine;
    const mls_block *block; /**< the block that contains the group; NULL: the group was not matched */
    /** Why the group was not matched; NULL: it was matched, or there was no other side. */
    const char *unmatched;
    const mls_published_near *nearest; /**< the nearest published result; NULL: none */
    const mls_published_near *fastest; /**< the fastest on the same number of the same accelerators; NULL: none */
    /** Minutes of the group divided by those of the matched group or of `fastest`, minus 1. */
    double ratio;
    const mls_published_why *why; /**< the causes of the difference `ratio`; NULL: unknown */
    /** Parts of `ratio`, the largest first, rounded so that their sum is the rounded ratio. */
    mls_why_part parts[MLS_WHY_PARTS_MAX + 1];
    size_t part_count;
    const mls_why_setting *settings[MLS_OVERVIEW_SETTINGS]; /**< the most important settings of `why` */
    size_t setting_count;
    size_t valid; /**< number of valid runs */
    /** The group is a valid result; some runs may have failed, as far as the rules allow. */
    bool sound;
    const mls_throughput *median; /**< of the runs that ended, the one with the median time; NULL: none */
    const mls_cost *slow;         /**< the slow phase, evaluation or run that costs the score most; NULL: none */
    mls_overview_first first;
    mls_overview_next next[MLS_OVERVIEW_NEXT];
    size_t next_count;
} mls_overview_group;

typedef struct mls_overview {
    /** The kind of input, such as "logs"; the command that prints all details, such as "score". */
    const char *what, *command;
    mls_overview_group *items;
    /** All items: invalid groups first, then by falling distance from the fastest published result. */
    const mls_overview_group **worst_first;
    size_t count;
    const mls_known_settings *known;
    const mls_published *published;   /**< the published results of each usage, if they were requested */
    const mls_collection *collection; /**< the logs; NULL for an export */
} mls_overview;

/** Compute the overview of the groups on the first side of a comparison.  For logs, `collection`, `measured` and
 * `notes` are their runs, throughput and telemetry; for an export, all three are NULL.  All arguments must live as long
 * as *all.  Free *all with mls_overview_release(). */
void mls_overview_make(const mls_comparison *comparison, const mls_collection *collection,
                       const mls_throughputs *measured, const mls_telemetry_notes *notes, mls_overview *all);
void mls_overview_release(mls_overview *all);

/** Return whether a run did not end or was aborted. */
bool mls_overview_is_failed(const mls_run *run);

/** Return the finding that explains why a run failed: about a message of its job or, without one, about an error in its
 * log; NULL if there is neither. */
const mls_finding *mls_overview_cause(const mls_run *run);
