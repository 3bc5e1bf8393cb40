/* SPDX-License-Identifier: Apache-2.0 */
/* group.h - runs that make one result, and their score: the fastest and the slowest are left out and the rest is
 * averaged, as in olympic judging; runs that are not valid are dropped and count as the slowest.  A group borrows its
 * runs and owns everything else. */
#pragma once

#include "config/config.h"
#include "mlscore/group.h"
#include "run/run.h"
#include "run/system.h"
#include "score/rcp.h"

/** The outcome of a run in its group, and its name: "kept", "fastest" …; "" for any other number. */
typedef enum mls_olympic_mark {
    MLS_OLYMPIC_KEPT,    /**< its time is in the mean */
    MLS_OLYMPIC_FASTEST, /**< left out at the fast end */
    MLS_OLYMPIC_SLOWEST, /**< left out at the slow end */
    MLS_OLYMPIC_DROPPED, /**< not valid */
    MLS_OLYMPIC_OUTSIDE  /**< outside the selected window */
} mls_olympic_mark;
const char *mls_olympic_mark_name(mls_olympic_mark mark);

/** How the score came about, which decides whether it counts. */
typedef enum mls_olympic_outcome {
    MLS_OLYMPIC_SCORED,           /**< an olympic mean over the N runs needed (or the selected window of N) */
    MLS_OLYMPIC_TOO_FEW_RUNS,     /**< the plain mean of the valid runs, not official */
    MLS_OLYMPIC_TOO_MANY_RUNS,    /**< and no window asked for: the olympic mean of all, not official */
    MLS_OLYMPIC_TOO_MANY_DROPPED, /**< no score */
    MLS_OLYMPIC_NOTHING_LEFT,     /**< every run was left out or dropped: no score */
    MLS_OLYMPIC_NO_WINDOW         /**< the median of all windows is infinite: no score */
} mls_olympic_outcome;

/** A benchmark's score. */
typedef struct mls_olympic_result {
    double score_minutes; /**< NaN: no score */
    bool official;        /**< the outcome is SCORED */
    mls_olympic_outcome outcome;
    size_t dropped; /**< runs that are not valid, of those scored: the window's when one is selected, else all */
    size_t kept;    /**< runs in the mean */
    bool windowed;  /**< a window was selected; the next two say which */
    size_t window_first, window_count; /**< in order of start time, from 0; N */
} mls_olympic_result;

/** The divisions of a submission, which decide what is checked. */
typedef enum mls_division {
    MLS_DIVISION_NONE, /**< nobody says one */
    MLS_DIVISION_CLOSED,
    MLS_DIVISION_OPEN,
    MLS_DIVISION_OTHER /**< none of the two: nothing is checked, as for open */
} mls_division;

/** "closed" or "open"; NULL for the others. */
const char *mls_division_name(mls_division division);

/** Reads what a log means by its submission_division (NULL: NONE), in any case, as the rules judge its spelling; and
 * what a system description means, which counts only as the rules spell it (NULL: OTHER). */
mls_division mls_division_logged(const char *text);
mls_division mls_division_described(const char *text);

/** The outcome of a check. */
typedef enum mls_check {
    MLS_CHECK_NOT_MADE, /**< it does not apply: open division, an early edition, a benchmark without one */
    MLS_CHECK_PASS,
    MLS_CHECK_FAIL,
    MLS_CHECK_BYPASSED /**< it failed, and was asked not to count */
} mls_check;

/** Convergence against the reference points. */
typedef struct mls_rcp_outcome {
    mls_check check;
    mls_rcp_set *set; /**< the points; NULL: not checked */
    bool shared;      /**< they are of the options' `points`, not the group's own */
    mls_rcp_result result;
    mls_findings findings; /**< what a failure is, a warning when it is bypassed */
} mls_rcp_outcome;

/** Whether the runs were made with seeds of their own. */
typedef struct mls_seed_outcome {
    mls_check check;
    size_t count;          /**< seed records in all runs */
    size_t different;      /**< of them, by file, line and value */
    mls_findings findings; /**< what is wrong with them; errors are warnings when the check is bypassed */
} mls_seed_outcome;

/** Energy, of groups with power files; whoever reads the files fills in the first two. */
typedef struct mls_power_outcome {
    double *joules; /**< of each run, NAN: not known; to be given to free(); NULL: there are no power files */
    size_t wrong;   /**< runs whose power files are not as they must be */
    mls_check check;
    double energy_joules; /**< mean over the runs that the score keeps, times scale; NAN: not known, or no score */
} mls_power_outcome;

/** Weak scaling (hpc): many models trained at the same time on one system, the valid runs. */
typedef struct mls_weak_outcome {
    mls_check check; /**< at least as many models as the benchmark needs runs */
    size_t models;
    double instance_scale; /**< accelerators (or nodes without any) that train one model; NAN: not logged */
    double minutes;        /**< from the first start to the last stop; NAN: no valid run */
} mls_weak_outcome;

/* Whether a group's result is one of weak scaling: the time of all models, with no olympic mean. */
static inline bool mls_is_weak(const mls_weak_outcome *weak)
{
    return weak->check != MLS_CHECK_NOT_MADE;
}

/** How far the valid runs of a group lie apart; minutes. */
typedef struct mls_spread {
    double min_minutes, max_minutes, mean_minutes;
    double stdev_minutes; /**< standard deviation, by n - 1 */
    double variation;     /**< stdev / mean; 0.024 is 2.4 % */
} mls_spread;

typedef struct mls_group {
    char *path;         /**< the folder (or file) that its runs have in common */
    bool result_folder; /**< the result_*.txt files of one folder */
    mls_usage usage;
    const mls_edition *edition;
    bool edition_guessed;       /**< by the date of the first record and the benchmark … */
    bool edition_by_date;       /**< … and there was a date */
    const char *benchmark;      /**< borrowed from path or a run; NULL: nothing names one */
    const mls_benchmark *rules; /**< what scoring knows of it; never NULL once scored */
    mls_division division;      /**< as the runs log it; NONE: none does, or they differ */
    const char *config;         /**< DGXSYSTEM, borrowed from a run; NULL: not known, or they differ */
    double global_batch_size;   /**< NAN: not logged, or they differ */
    const char *system_id;      /**< the system of results/<system>/…; NULL: the runs do not lie in such a folder */
    mls_description system;     /**< as its description, else the log, has it; see mls_group_describe() */
    double nodes;               /**< NAN: not known */
    double accelerators;        /**< in all, above 0; NAN: not known */
    const char *accelerator;    /**< the model: "GB200", see mls_accelerator_model_of(); NULL: not known */
    struct mls_arena *arena;    /**< of these texts; NULL: there are none */
    const mls_run **runs;
    size_t run_count, run_capacity;
    mls_olympic_mark *marks; /**< one per run */
    mls_olympic_result score;
    double scale;          /**< what the score is multiplied with: 1 unless convergence passes and says otherwise */
    double scaled_minutes; /**< score_minutes times scale; NAN: no score */
    bool has_spread;       /**< at least two valid runs */
    mls_spread spread;
    mls_rcp_outcome rcp;
    mls_seed_outcome seeds;
    mls_power_outcome power;
    mls_weak_outcome weak;
    mls_findings findings; /**< what the runs do not agree on, and what is odd about them */
} mls_group;

/** How groups are to be scored.  Zero-initialised but for the editions is what the rules say. */
typedef struct mls_score_options {
    const mls_editions *editions; /**< not NULL */
    bool select_window;           /**< with more runs than needed, score the window the rules choose */
    bool bert_train_samples;      /**< a bert run's train_samples record says how much it took to converge */
    mls_division division; /**< what decides whether convergence and seeds are checked; NONE: what the runs log */
    bool unchecked;        /**< convergence and seeds are not checked: times alone are wanted */
    bool rcp_bypass, seed_bypass; /**< a failed check of convergence, or of the seeds, does not count */
    mls_str rcp_text;             /**< a user's own reference points (format: mlscore-rcp(1)); empty: none */
    const char *rcp_path;         /**< where they are from */
    mls_rcp_sets *points; /**< where groups find points that they share, and which outlives them; NULL: nowhere */
} mls_score_options;

/** Scores a group whose usage, path, result_folder, runs and perhaps edition and joules are set, and fills in the rest.
 * MLS_OK, or what is wrong with rcp_text: see mls_rcp_set_new(). */
mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error) MLS_MUST_USE;

/** Decodes the name of a group's config; kind NONE when it says nothing.  What a run printed of how it was split counts
 * before the name. */
mls_config_name mls_group_shape(const mls_group *group);

/** The mean of mls_run_to_converge() over the runs in the score; NAN, and no unit, when one does not say or differs. */
mls_convergence mls_group_to_converge(const mls_group *group);

/** Describes what a scored group ran on: by what `text`, the description of the system `system_id` (ptr NULL: there is
 * none), says, else the first :::SYSJSON of a run, else (nodes, accelerators and model) what :::DLPAL and the config's
 * name say. Accelerators are the first number in number_of_nodes times the first in accelerators_per_node, of one
 * source.  A text that is no description says nothing.  MLS_OK. */
mls_status mls_group_describe(mls_group *group, mls_str system_id, mls_str text);

/** How much was found about a scored group, its seeds and its runs. */
mls_finding_counts mls_group_found(const mls_group *group);

/** What a group scored, however it scales: of weak scaling the time of all models, which is not scaled. */
typedef struct mls_group_outcome {
    bool official; /**< it has the runs that a result needs */
    double minutes, scale, scaled_minutes;
} mls_group_outcome;
mls_group_outcome mls_group_result(const mls_group *group);

/** Whether the scale of a scored group is official: only results that have an official score and pass the convergence
 * check are scaled, and only folders of results hold a scaling.json. */
bool mls_group_is_scaled(const mls_group *group);

/** The energy of a scored group from group->power.joules, if it has any. */
void mls_group_energy(mls_group *group);
void mls_group_release(mls_group *group);
