/* SPDX-License-Identifier: Apache-2.0 */
/* group.h - a group of runs that make one result, and its score.
 *
 * mls_group_score() scores a group.  As in olympic judging, the fastest and the slowest runs are left out and the rest
 * is averaged; invalid runs are dropped and count as the slowest.
 *
 * A group borrows its runs and owns everything else. */
#pragma once

#include "config/config.h"
#include "mlscore/group.h"
#include "run/run.h"
#include "run/system.h"
#include "score/rcp.h"

/** How a run counts in its group.  mls_olympic_mark_name() returns "kept", "fastest" …, or "" for an invalid value. */
typedef enum mls_olympic_mark {
    MLS_OLYMPIC_KEPT,    /**< its time is part of the mean */
    MLS_OLYMPIC_FASTEST, /**< left out at the fast end */
    MLS_OLYMPIC_SLOWEST, /**< left out at the slow end */
    MLS_OLYMPIC_DROPPED, /**< not valid */
    MLS_OLYMPIC_OUTSIDE  /**< outside the selected window */
} mls_olympic_mark;
const char *mls_olympic_mark_name(mls_olympic_mark mark);

/** How the score was computed, which decides whether it is official. */
typedef enum mls_olympic_outcome {
    MLS_OLYMPIC_SCORED,           /**< olympic mean of the N runs needed, or of the selected window of N */
    MLS_OLYMPIC_TOO_FEW_RUNS,     /**< plain mean of the valid runs, not official */
    MLS_OLYMPIC_TOO_MANY_RUNS,    /**< olympic mean of all runs without selecting a window, not official */
    MLS_OLYMPIC_TOO_MANY_DROPPED, /**< no score */
    MLS_OLYMPIC_NOTHING_LEFT,     /**< every run was left out or dropped: no score */
    MLS_OLYMPIC_NO_WINDOW         /**< the median of all windows is infinite: no score */
} mls_olympic_outcome;

/** The score of a group. */
typedef struct mls_olympic_result {
    double score_minutes; /**< NAN: no score */
    bool official;        /**< the outcome is SCORED */
    mls_olympic_outcome outcome;
    size_t dropped; /**< number of invalid runs among those scored: of the window, if one is selected */
    size_t kept;    /**< number of runs in the mean */
    bool windowed;  /**< a window was selected, given by the next two members */
    size_t window_first, window_count; /**< index of its first run in order of start time, and number of runs */
} mls_olympic_result;

/** The divisions of a submission, which decide what is checked. */
typedef enum mls_division {
    MLS_DIVISION_NONE, /**< not logged */
    MLS_DIVISION_CLOSED,
    MLS_DIVISION_OPEN,
    MLS_DIVISION_OTHER /**< any other text; as for open, convergence and seeds are not checked */
} mls_division;

/** Return "closed" or "open"; NULL for the others. */
const char *mls_division_name(mls_division division);

/** Parse the submission_division of a log (NULL: NONE), ignoring case, since the rules check its spelling.  The second
 * function parses that of a system description (NULL: OTHER), with the exact spelling. */
mls_division mls_division_logged(const char *text);
mls_division mls_division_described(const char *text);

/** The result of a check. */
typedef enum mls_check {
    MLS_CHECK_NA, /**< does not apply: open division, an early edition, or a benchmark without this check */
    MLS_CHECK_PASS,
    MLS_CHECK_FAIL,
    MLS_CHECK_BYPASSED /**< failed, but the user asked to ignore it */
} mls_check;

/** The check of convergence against the reference points. */
typedef struct mls_rcp_outcome {
    mls_check check;
    mls_rcp_set *set; /**< the points; NULL: not checked */
    bool shared;      /**< the set belongs to mls_score_options.points, not to the group */
    mls_rcp_result result;
    mls_findings findings; /**< about a failure; a warning if it is bypassed */
} mls_rcp_outcome;

/** The check that the runs used different seeds. */
typedef struct mls_seed_outcome {
    mls_check check;
    size_t count;          /**< number of seed records in all runs */
    size_t different;      /**< number of different ones, by file, line and value */
    mls_findings findings; /**< about problems; warnings instead of errors if the check is bypassed */
} mls_seed_outcome;

/** The energy of a group with power files.  The code that reads the power files sets the first two members. */
typedef struct mls_power_outcome {
    double *joules; /**< of each run, NAN: unknown; freed with free(); NULL: there are no power files */
    size_t wrong;   /**< number of runs with invalid power files */
    mls_check check;
    double energy_joules; /**< mean over the runs in the score, times scale; NAN: unknown, or no score */
} mls_power_outcome;

/** Weak scaling (HPC): many models are trained at the same time on one system; each valid run is one of them. */
typedef struct mls_weak_outcome {
    mls_check check; /**< passes if there are at least as many models as the benchmark needs runs */
    size_t models;
    double instance_scale; /**< number of accelerators, or else nodes, per model; NAN: not logged */
    double minutes;        /**< from the first start to the last stop; NAN: no valid run */
} mls_weak_outcome;

/* Check whether the result is one of weak scaling.  Its score is the time for all models, not an olympic mean. */
static inline bool mls_is_weak(const mls_weak_outcome *weak)
{
    return weak->check != MLS_CHECK_NA;
}

/** The spread of the times of the valid runs, in minutes. */
typedef struct mls_spread {
    double min_minutes, max_minutes, mean_minutes;
    double stdev_minutes; /**< with n - 1 */
    double variation;     /**< stdev / mean: 0.024 is 2.4 % */
} mls_spread;

typedef struct mls_group {
    char *path;         /**< the folder, or file, that contains all its runs */
    bool result_folder; /**< the group consists of the result_*.txt files of a folder */
    mls_usage usage;
    const mls_edition *edition;
    bool edition_guessed;       /**< guessed from the date of the first record and the benchmark … */
    bool edition_by_date;       /**< … and there was a date */
    const char *benchmark;      /**< borrowed from path or a run; NULL: unknown */
    const mls_benchmark *rules; /**< how the benchmark is scored; not NULL once scored */
    mls_division division;      /**< as logged; NONE: not logged, or the runs differ */
    const char *config;         /**< DGXSYSTEM, borrowed from a run; NULL: unknown, or the runs differ */
    double global_batch_size;   /**< NAN: not logged, or the runs differ */
    const char *system_id;      /**< the system of results/<system>/…; NULL: not in such a folder */
    mls_description system;     /**< from its description, or else the log; see mls_group_describe() */
    double nodes;               /**< NAN: unknown */
    double accelerators;        /**< total, above 0; NAN: unknown */
    const char *accelerator;    /**< the model, such as "GB200", see mls_accelerator_model_of(); NULL: unknown */
    struct mls_arena *arena;    /**< of these texts; NULL: none */
    const mls_run **runs;
    size_t run_count, run_capacity;
    mls_olympic_mark *marks; /**< one per run */
    mls_olympic_result score;
    double scale;          /**< factor on the score: 1 unless convergence passes with another scale */
    double scaled_minutes; /**< score_minutes times scale; NAN: no score */
    bool has_spread;       /**< there are at least two valid runs */
    mls_spread spread;
    mls_rcp_outcome rcp;
    mls_seed_outcome seeds;
    mls_power_outcome power;
    mls_weak_outcome weak;
    mls_findings findings; /**< contradictions between the runs, and oddities */
} mls_group;

/** How to score groups.  If all members except `editions` are zero, groups are scored as the rules require. */
typedef struct mls_score_options {
    const mls_editions *editions; /**< not NULL */
    bool select_window;           /**< with more runs than needed, score the window that the rules select */
    bool bert_train_samples;      /**< read the samples to convergence of bert from its train_samples record */
    mls_division division;        /**< decides whether convergence and seeds are checked; NONE: as logged */
    bool unchecked;               /**< do not check convergence and seeds: only times are needed */
    bool rcp_bypass, seed_bypass; /**< ignore a failed check of convergence, or of seeds */
    mls_str rcp_text;             /**< a user's reference points (format: mlscore-rcp(1)); empty: none */
    const char *rcp_path;         /**< the file they are from */
    mls_rcp_sets *points;         /**< cache of points shared by groups, which must outlive them; NULL: none */
} mls_score_options;

/** Score a group and set its other members. The caller must have set usage, path, result_folder and runs, and may have
 * set edition and power.joules. Return MLS_OK, or the error in rcp_text: see mls_rcp_set_new(). */
mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error) MLS_MUST_USE;

/** Decode the name of a group's config; kind is NONE if it is unknown.  Degrees of parallelism that a run printed
 * override those in the name. */
mls_config_name mls_group_shape(const mls_group *group);

/** Return the mean of mls_run_to_converge() over the runs in the score; NAN without a unit if it is unknown for a run,
 * or units differ. */
mls_convergence mls_group_to_converge(const mls_group *group);

/** Describe the system of a scored group, from the first of: `text`, the description of the system `system_id` (ptr
 * NULL: none); the first :::SYSJSON of a run; and, for nodes, accelerators and model, :::DLPAL and the name of the
 * config.  The number of accelerators is the first number in number_of_nodes times the first in accelerators_per_node
 * of the same source.  An invalid description is ignored. */
void mls_group_describe(mls_group *group, mls_str system_id, mls_str text);

/** Count the findings about a scored group, its seeds and its runs; or the valid runs. */
mls_finding_counts mls_group_found(const mls_group *group);
size_t mls_group_valid_runs(const mls_group *group);

/** The score of a group.  For weak scaling, it is the time of all models, unscaled. */
typedef struct mls_group_outcome {
    bool official; /**< the group has the runs that a result needs */
    double minutes, scale, scaled_minutes;
} mls_group_outcome;
mls_group_outcome mls_group_result(const mls_group *group);

/** Check whether the scale of a scored group is official.  Only official scores that pass the convergence check are
 * scaled, and only folders of results contain a scaling.json. */
bool mls_group_is_scaled(const mls_group *group);

/** Compute the energy of a scored group from group->power.joules, if set. */
void mls_group_energy(mls_group *group);
void mls_group_release(mls_group *group);
