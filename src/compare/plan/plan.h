/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - predict the score for other accelerator counts and batch sizes from existing runs.
 *
 * The model has three exponents, which are fitted to published results of the benchmark: how the pace of an accelerator
 * changes with the number of accelerators and with its share of the batch, and how the time of an evaluation changes
 * with the number of accelerators.  The convergence at other batch sizes is taken from the reference convergence
 * points.  Everything else is as measured.  If no batch sizes are requested, the batch sizes of the runs, of reference
 * points and of published results are tried, and the fastest is recommended.
 *
 * Times are in milliseconds if the member's name ends with "_ms", otherwise in minutes.  Unknown numbers are NAN. */
#pragma once

#include "compare/comparison.h"
#include "explain/memory/memory.h"

/** Maximum ratio of the predicted accelerator count to that of the runs; no published series has a larger one. */
#define MLS_PLAN_TIMES_MAX 64

/** The levels of prediction intervals: 0.5, 0.75 and 0.9.  In a test with rounds that were not used for the fit, these
 * shares of the true scores were inside the intervals. */
enum { MLS_PLAN_LEVELS = 3 };
extern const double mls_plan_levels[MLS_PLAN_LEVELS];

/** How times in a benchmark scale: exponents, each for a doubling of the number it depends on. */
typedef struct mls_plan_factors {
    const char *benchmark; /**< "*": benchmarks without their own exponents */
    uint64_t pairs;        /**< number of pairs of published results in the fit */
    double system;         /**< exponent of the pace of an accelerator, by accelerator count */
    double batch;          /**< exponent of the pace of an accelerator, by its share of the batch */
    double evaluation;     /**< exponent of the time of an evaluation, by accelerator count */
    /** For each level, the half-width of the interval of ln(predicted / true), and its increase per doubling of the
     * accelerator count. */
    double spread[MLS_PLAN_LEVELS][2];
} mls_plan_factors;

typedef struct mls_plan_figures {
    mls_plan_factors *items;
    size_t count;
    /** For each level, factors by which the lower and the upper half-width of a recommended row are multiplied. */
    double chosen[MLS_PLAN_LEVELS][2];
    struct mls_arena *arena;
} mls_plan_figures;

/** Load the figures from a JSON text; if text.ptr is NULL, the embedded ones.  The text is an object with the members
 * "benchmarks", an object with one member per benchmark and "*", and optionally "chosen", which defaults to 1.  Return
 * MLS_OK, or MLS_ERROR_SYNTAX or MLS_ERROR_VALUE.  Release *figures even after an error. */
mls_status mls_plan_figures_load(mls_str text, mls_plan_figures *figures, mls_error *error) MLS_MUST_USE;
void mls_plan_figures_release(mls_plan_figures *figures);

/** The starting point of a prediction: means over the valid runs with known parts.  If training is not delimited, all
 * valid runs are used and count entirely as training.  If the runs of a published result are not public, its score
 * before scaling is used likewise. */
typedef struct mls_plan_base {
    const mls_side_group *group;
    const mls_plan_factors *factors;
    mls_rcp_set *points; /**< reference convergence points of the group's edition; may be empty */
    /** Convergence of the reference at the group's batch size or, as in scoring, at the next larger one with a
     * reference point. */
    double reference;
    /** Published results on the group's benchmark, from its round and the two rounds before. */
    MLS_LIST_OF(const mls_published_result *) published;
    size_t runs;
    double samples; /**< mean amount of training to converge, in the unit of the group */
    double training_ms, evaluation_ms, evaluations, total_ms;
    /** The job's memory per GPU, from the config next to the logs; NULL: no usable config. */
    const mls_memory_ask *memory;
    double per_node;       /**< accelerators per node */
    double model_parallel; /**< number of accelerators per copy of the model: tp * pp * cp */
} mls_plan_base;

typedef struct mls_plan_row {
    const mls_plan_base *base;
    double accelerators, global_batch_size;
    /** The row is the base itself, which was measured; unless batch sizes were requested, its minutes are the measured
     * score. */
    bool measured;
    bool recommended; /**< the row is the fastest of its accelerator count, and no batch sizes were requested */
    /** Show the row: it has the base's batch size, is the fastest or the only one of its accelerator count, or was
     * requested. */
    bool shown;
    double samples, rate; /**< samples to converge; samples per second */
    double efficiency;    /**< rate per accelerator relative to the base */
    double training_minutes, evaluation_minutes, other_minutes;
    /** Prediction before scaling, and the ends of its interval with the requested level. */
    double minutes, low_minutes, high_minutes;
    double scale; /**< factor by which minutes are multiplied to get the score */
    double accelerator_minutes;
    mls_published_place place;
    /** Minimum number of accelerators per copy of the model with which each copy gets a sample of the batch. */
    double model_parallel;
    const char *note; /**< a warning, or a requirement of the prediction; NULL: none */
} mls_plan_row;

/** Return the measured score of the base, or the predicted minutes after scaling. */
double mls_plan_score(const mls_plan_row *row);

/** The smallest accelerator counts that reach a target time. */
typedef struct mls_plan_target {
    double minutes; /**< the requested target in minutes; NAN: no target was requested */
    /** Smallest accelerator counts at which the low end, the prediction and the high end reach the target; NAN: none
     * does. */
    double by_low, by_middle, by_high;
    /** If no count reaches the target: the largest part of the time that more accelerators do not reduce; otherwise
     * NULL. */
    const char *obstacle;
} mls_plan_target;

/** The predictions for one benchmark on one model of accelerators.  Bases and rows are given as ranges in the lists of
 * the plan. */
typedef struct mls_plan_series {
    const mls_side_group *group; /**< the first group of the series */
    size_t first_base, bases, first_row, rows;
    mls_plan_target target;
} mls_plan_series;

typedef MLS_LIST_OF(double) mls_plan_numbers;

typedef struct mls_plan_request {
    const mls_editions *editions;
    const mls_plan_figures *figures;
    /** Tables to check whether a job fits in the memory of fewer accelerators; both NULL: do not check. */
    const mls_models *models;
    const mls_accelerators *known; /**< see `models` */
    const char *benchmark;         /**< predict only this benchmark; NULL: all benchmarks */
    /** Requested accelerator counts and batch sizes, which are whole numbers; empty: choose them automatically. */
    mls_plan_numbers accelerators, batches;
    /** Requested accelerator counts, given as numbers of nodes or as multiples of the base. */
    mls_plan_numbers nodes, times;
    /** Amount of training to converge at batch sizes that have no reference point; NAN: not given. */
    double samples;
    double target_minutes; /**< target for the score in minutes; NAN: none */
    unsigned level;        /**< index in mls_plan_levels */
} mls_plan_request;

/** A plan.  It owns all data to which its members point, except the groups. */
typedef struct mls_plan {
    MLS_LIST_OF(mls_plan_series) series; /**< in the order of the groups */
    MLS_LIST_OF(mls_plan_base) bases;    /**< for each series, its bases sorted by accelerator count */
    /** For each series, its rows sorted by accelerator count, then by batch size. */
    MLS_LIST_OF(mls_plan_row) rows;
    /** Groups from which nothing was predicted, or not everything that was requested, and why. */
    MLS_LIST_OF(mls_unmatched) unfit;
    unsigned level;
    mls_published published;
    struct mls_arena *arena;
} mls_plan;

/** Predict from the groups of a comparison with the mode MLS_COMPARE_NOTHING.  Each row is based on the group of its
 * series with the nearest accelerator count.  Return MLS_OK; MLS_ERROR_VALUE if there is no group of the benchmark or
 * if, for a single series, a requested count is not a whole number or differs from all groups by a factor of more than
 * MLS_PLAN_TIMES_MAX; or an error of mls_published_load() or mls_rcp_set_new().  Release *plan even after an error, and
 * before the comparison. */
mls_status mls_plan_make(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                         mls_error *error) MLS_MUST_USE;
void mls_plan_release(mls_plan *plan);

/** Return whether the plan contains a prediction and, if a target was requested, every series reaches the target. */
bool mls_plan_answers(const mls_plan *plan);
