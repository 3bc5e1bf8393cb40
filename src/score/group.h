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
    MLS_OLYMPIC_FASTEST, /**< left out as one of the fastest runs */
    MLS_OLYMPIC_SLOWEST, /**< left out as one of the slowest runs */
    MLS_OLYMPIC_DROPPED, /**< left out because it is not valid */
    MLS_OLYMPIC_OUTSIDE  /**< not in the selected window */
} mls_olympic_mark;
const char *mls_olympic_mark_name(mls_olympic_mark mark);

/** How the score was computed.  N is the number of runs that the benchmark needs.  Only SCORED gives an official
 * score. */
typedef enum mls_olympic_outcome {
    MLS_OLYMPIC_SCORED,           /**< olympic mean of N runs: all runs, or the selected window */
    MLS_OLYMPIC_TOO_FEW_RUNS,     /**< fewer than N runs: plain mean of the valid ones */
    MLS_OLYMPIC_TOO_MANY_RUNS,    /**< more than N runs without selecting a window: olympic mean of all runs */
    MLS_OLYMPIC_TOO_MANY_DROPPED, /**< more runs are invalid than may be left out: the score is NAN */
    MLS_OLYMPIC_NOTHING_LEFT,     /**< every run was left out or dropped: the score is NAN */
    MLS_OLYMPIC_NO_WINDOW         /**< the median of the scores of all windows is infinite: the score is NAN */
} mls_olympic_outcome;

/** The score of a group. */
typedef struct mls_olympic_result {
    double score_minutes; /**< NAN: the group does not have a score */
    bool official;        /**< the outcome is SCORED */
    mls_olympic_outcome outcome;
    size_t dropped; /**< number of invalid runs in the window, or in the group if no window is selected */
    size_t kept;    /**< number of runs in the mean */
    bool windowed;  /**< a window was selected */
    /** Index of the first run of the window in order of start time, and number of runs in the window. */
    size_t window_first, window_count;
} mls_olympic_result;

/** The divisions of a submission.  Convergence and seeds are checked in the closed division only. */
typedef enum mls_division {
    MLS_DIVISION_NONE, /**< a division was not logged */
    MLS_DIVISION_CLOSED,
    MLS_DIVISION_OPEN,
    MLS_DIVISION_OTHER /**< any other text */
} mls_division;

/** Return "closed" or "open"; NULL for NONE and OTHER. */
const char *mls_division_name(mls_division division);

/** Parse the submission_division of a log, ignoring case, since the checker reports a wrong spelling; NULL gives NONE.
 */
mls_division mls_division_logged(const char *text);
/** Parse the division of a system description, which must be spelled exactly; NULL gives OTHER. */
mls_division mls_division_described(const char *text);

/** The result of a check. */
typedef enum mls_check {
    MLS_CHECK_NA, /**< not checked: open division, an early edition, or a benchmark without this check */
    MLS_CHECK_PASS,
    MLS_CHECK_FAIL,
    MLS_CHECK_BYPASSED /**< failed, but the user asked to ignore it */
} mls_check;

/** The check of convergence against the reference points. */
typedef struct mls_rcp_outcome {
    mls_check check;
    mls_rcp_set *set; /**< the reference points used; NULL: convergence was not checked */
    bool shared;      /**< `set` belongs to mls_score_options.points, not to the group */
    mls_rcp_result result;
    mls_findings findings; /**< the failure of the check, as a warning if it is bypassed */
} mls_rcp_outcome;

/** The check that the runs used different seeds. */
typedef struct mls_seed_outcome {
    mls_check check;
    size_t count;          /**< number of seed records in all runs */
    size_t different;      /**< number of different combinations of file, line and value among these records */
    mls_findings findings; /**< problems with seeds, as warnings if the check is bypassed */
} mls_seed_outcome;

/** The energy of a group with power files.  The code that reads the power files sets joules and wrong;
 * mls_group_energy() sets the other members. */
typedef struct mls_power_outcome {
    double
        *joules;  /**< energy of each run, NAN if unknown; the group frees the array; NULL: there are no power files */
    size_t wrong; /**< number of runs with invalid power files */
    mls_check check;
    double energy_joules; /**< mean over the runs in the score, times mls_group.scale; NAN: unknown, or no score */
} mls_power_outcome;

/** Weak scaling (HPC): many models are trained at the same time on one system; each valid run is one model. */
typedef struct mls_weak_outcome {
    mls_check check;       /**< passes if there are at least as many models as the benchmark needs runs */
    size_t models;         /**< number of valid runs */
    double instance_scale; /**< number of accelerators, or else nodes, per model; NAN: not logged */
    double minutes;        /**< minutes from the first start to the last stop of all models; NAN: no run is valid */
} mls_weak_outcome;

/* Check whether a result is one of weak scaling.  The score is then the time for all models, not an olympic mean. */
static inline bool mls_is_weak(const mls_weak_outcome *weak)
{
    return weak->check != MLS_CHECK_NA;
}

/** The spread of the times of the valid runs, in minutes. */
typedef struct mls_spread {
    double min_minutes, max_minutes, mean_minutes;
    double stdev_minutes; /**< sample standard deviation (divided by n - 1) */
    double variation;     /**< stdev / mean: 0.024 is 2.4 % */
} mls_spread;

/** The lowest precision in which a group trained its linear layers, and how it is known.  Texts live as long as the
 * group. */
typedef struct mls_group_precision {
    const char *value;    /**< fp4 fp8 int8 int4 bf16 fp16 tf32 fp32 fp64; NULL: unknown */
    const char *source;   /**< disclosed, printed, config or name */
    const char *evidence; /**< "FP8=True" */
    uint32_t healing;     /**< step after which the config of the submission switches to more bits; 0: not set */
} mls_group_precision;

typedef struct mls_group {
    char *path;         /**< the folder or file that contains all runs of the group */
    bool result_folder; /**< the group consists of the result_*.txt files of a folder */
    mls_usage usage;
    const mls_edition *edition;
    bool edition_guessed;          /**< the edition was guessed from the benchmark and, if known, the date of a run */
    bool edition_by_date;          /**< the edition was guessed, and a date was known */
    const char *benchmark;         /**< name, borrowed from path or a run; NULL: unknown */
    mls_group_precision precision; /**< the lowest one in which linear layers were trained */
    const mls_benchmark *rules;    /**< how the benchmark is scored; not NULL once scored */
    mls_division division;         /**< division that the runs logged; NONE: not logged, or the runs differ */
    const char *config;            /**< DGXSYSTEM, borrowed from a run; NULL: unknown, or the runs differ */
    double global_batch_size;      /**< NAN: not logged, or the runs differ */
    const char *system_id;         /**< <system> if the group is in results/<system>/…; otherwise NULL */
    mls_description system;        /**< from the system description, or else the log; see mls_group_describe() */
    double nodes;                  /**< number of nodes; NAN: unknown */
    double accelerators;           /**< number of accelerators of all nodes, above 0; NAN: unknown */
    const char *accelerator;       /**< model of the accelerators, such as "GB200"; NULL: unknown */
    struct mls_arena *arena;       /**< memory of the texts about the system; NULL: not allocated */
    const mls_run **runs;
    size_t run_count, run_capacity;
    mls_olympic_mark *marks; /**< one per run */
    mls_olympic_result score;
    double scale;          /**< factor on the score: mls_rcp_result.score_scale; 1 if convergence was not checked */
    double scaled_minutes; /**< score_minutes times scale; NAN: the group does not have a score */
    bool has_spread;       /**< `spread` is set, since at least two runs are valid */
    mls_spread spread;
    mls_rcp_outcome rcp;
    mls_seed_outcome seeds;
    mls_power_outcome power;
    mls_weak_outcome weak;
    mls_findings findings; /**< facts in which the runs differ, and other oddities of the group */
} mls_group;

/** How to score groups.  If all members except `editions` are zero, groups are scored as the rules require. */
typedef struct mls_score_options {
    const mls_editions *editions; /**< not NULL */
    bool select_window;      /**< if there are more runs than needed, score only the window that the rules select */
    bool bert_train_samples; /**< read the samples to convergence of bert from its train_samples record */
    mls_division division; /**< division that decides whether convergence and seeds are checked; NONE: the logged one */
    bool unchecked;        /**< do not check convergence and seeds: only times are needed */
    bool rcp_bypass, seed_bypass; /**< ignore a failed check of convergence (rcp_bypass) or of seeds (seed_bypass) */
    mls_str rcp_text;     /**< the user's reference points (format: mlscore-rcp(1)); empty: only built-in ones */
    const char *rcp_path; /**< path of the file that contains rcp_text */
    mls_rcp_sets *points; /**< cache of points shared by groups; must outlive them; NULL: do not share points */
} mls_score_options;

/** Score a group and set its other members.  The caller must have set usage, path, result_folder and runs, and may have
 * set edition and power.joules.  If rcp_text is invalid, return the error of mls_rcp_set_new(). */
mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error) MLS_MUST_USE;

/** Decode the name of a group's config; the kind is NONE if the name is unknown.  Degrees of parallelism that a run
 * printed override those in the name. */
mls_config_name mls_group_shape(const mls_group *group);

/** Return the mean of mls_run_to_converge() over the runs in the score.  If the value of a run is unknown, or units
 * differ, return NAN without a unit. */
mls_convergence mls_group_to_converge(const mls_group *group);

/** Describe the system of a scored group.  `text` is the description of the system `system_id`; ptr NULL: not known.
 * Each member is set from the first source that has it: `text`; the first :::SYSJSON record of a run; for nodes also
 * :::DLPAL; for nodes, accelerators and model also the name of the config.  The number of accelerators is the first
 * number in number_of_nodes times the first number in accelerators_per_node of the same source.  An invalid description
 * is ignored. */
void mls_group_describe(mls_group *group, mls_str system_id, mls_str text);

/** Count the findings about a scored group, its seeds and its runs. */
mls_finding_counts mls_group_found(const mls_group *group);
/** Count the valid runs of a group. */
size_t mls_group_valid_runs(const mls_group *group);

/** The score of a group.  For weak scaling, minutes is the time of all models, and scale is 1. */
typedef struct mls_group_outcome {
    bool official; /**< the group has the runs that a result needs */
    double minutes, scale, scaled_minutes;
} mls_group_outcome;
mls_group_outcome mls_group_result(const mls_group *group);

/** Check whether the scale of a scored group is official: the score is official and passes the convergence check, and
 * the group is a result folder, which can contain a scaling.json. */
bool mls_group_is_scaled(const mls_group *group);

/** Set power.check and power.energy_joules of a scored group from power.joules.  If power.joules is NULL, the energy is
 * NAN. */
void mls_group_energy(mls_group *group);
void mls_group_release(mls_group *group);
