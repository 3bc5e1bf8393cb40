/* SPDX-License-Identifier: Apache-2.0 */
/* overview.h - what is to be said first of groups of runs: their place among the published results, why they differ
 * from the fastest, where their time went, what failed, what to look at and what to ask next.
 *
 * All of it is chosen here, from what a comparison, throughput and telemetry found; reports only word it. */
#pragma once

#include "compare/comparison.h"
#include "explain/telemetry/telemetry.h"
#include "explain/throughput/throughput.h"

/** The slow phase, or the slow run, that lost most. */
typedef struct mls_overview_slow {
    double lost_ms, share;       /**< of the score before scaling; of the median run where there is none */
    const mls_slow_phase *phase; /**< NULL: a run as a whole, */
    const char *part;            /**< mostly in this one of its parts */
    const mls_throughput *run;   /**< NULL: most of them, */
    size_t runs;                 /**< so many, have it alike */
} mls_overview_slow;

/** What to look at first: the first of these that there is. */
typedef enum mls_overview_look {
    MLS_LOOK_RUN,         /**< run number `run` ended and breaks a rule, as do `runs` - 1 others */
    MLS_LOOK_CONVERGENCE, /**< the group converges faster than the reference allows */
    MLS_LOOK_SEEDS,       /**< what is wrong with its seeds: `message` */
    MLS_LOOK_FINDING,     /**< another error of the group: `message` */
    MLS_LOOK_ALIKE,       /**< `runs` of them failed for one cause: `message` */
    MLS_LOOK_MACHINE,     /**< what was measured of its machines */
    MLS_LOOK_SETTING,     /**< the rate differs from the published one, and so does `setting`, which is of a `kind` */
    MLS_LOOK_SLOW,        /**< a slow phase or run */
    MLS_LOOK_EVALUATIONS, /**< they take this `share` of the time */
    MLS_LOOK_SAMPLES,     /**< this `share` more were needed than the reference's mean */
    MLS_LOOK_NOTHING
} mls_overview_look;
typedef struct mls_overview_first {
    mls_overview_look look;
    size_t run, runs;
    const char *message, *kind;
    mls_str setting;
    double share;
} mls_overview_first;

/** A command to ask next, of the group or of a run of it. */
typedef struct mls_overview_next {
    const char *command;
    const mls_run *run;                  /**< NULL: of the group */
    const mls_published_result *against; /**< of compare; NULL: of another one */
} mls_overview_next;

enum { MLS_OVERVIEW_NEXT = 2, MLS_OVERVIEW_SETTINGS = 4 };

/** A group, and what is said of it. */
typedef struct mls_overview_group {
    const mls_side_group *side;
    const mls_group *group;            /**< NULL, like the next: it is of an export, which has no logs */
    const mls_throughput_group *timed; /**< measured */
    const mls_beside *beside;          /**< the published results beside it; NULL: there are none */
    const char *machine;               /**< the worst that was measured of its machines; NULL: nothing */
    const mls_block *block;            /**< where it met what it is compared with; NULL: it met nothing */
    const char *unmatched;             /**< why it met nothing of what was named; NULL: nothing was named, or it met */
    const mls_published_near *nearest; /**< the published result nearest to it; NULL: there is none */
    const mls_published_near *fastest; /**< that, where it is on as many of the same accelerators: the fastest of its
                                            edition */
    double ratio;                      /**< minutes over those of what it is compared with, or of `fastest`, less 1 */
    const mls_published_why *why;      /**< the difference from that; NULL: its parts are not known */
    mls_why_part parts[MLS_WHY_PARTS_MAX + 1]; /**< of the ratio, in tenths of a percent, which add up to it; the
                                                    largest first */
    size_t part_count;
    const mls_why_setting *settings[MLS_OVERVIEW_SETTINGS]; /**< of why, those that matter most */
    size_t setting_count;
    size_t valid;                 /**< runs */
    bool sound;                   /**< it counts as it is: runs that the rules let fail are no fault of a group */
    const mls_throughput *median; /**< the run of median length among those that ended; NULL: none did */
    mls_overview_slow slow;       /**< lost_ms 0: nothing was slow */
    mls_overview_first first;
    mls_overview_next next[MLS_OVERVIEW_NEXT];
    size_t next_count;
} mls_overview_group;

typedef struct mls_overview {
    const char *what, *command; /**< "logs", and whose lines these are the short form of: "score" */
    mls_overview_group *items;
    const mls_overview_group **worst_first; /**< those that do not count, then by how far they are from the fastest */
    size_t count;
    const mls_known_settings *known;
    const mls_published *published;   /**< the results of each usage, where they were asked for */
    const mls_collection *collection; /**< NULL: of an export */
} mls_overview;

/** Puts together what is known of the groups of a comparison: of the logs of its first side, in `collection` with what
 * was measured and noted of it, or (all NULL) of an export.  All must outlive *all, which is to be released. */
void mls_overview_make(const mls_comparison *comparison, const mls_collection *collection,
                       const mls_throughputs *measured, const mls_telemetry_notes *notes, mls_overview *all);
void mls_overview_release(mls_overview *all);

/** Whether a run did not end, or was aborted. */
bool mls_overview_is_failed(const mls_run *run);

/** Why a run did not end well: what the messages of its job show, else what its log does; NULL: nothing. */
const mls_finding *mls_overview_cause(const mls_run *run);
