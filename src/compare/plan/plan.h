/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - predict from existing runs the score for other accelerator counts and batch sizes.
 *
 * The pace of an accelerator depends on the number of accelerators and on the batch per accelerator.  The time of an
 * evaluation depends on the number of accelerators.  The exponents are fitted to published series of the benchmark.
 * The samples to converge follow the reference convergence points.  All other times stay as measured.  If no batch
 * sizes are requested, the batch sizes of the runs, reference points and published results are tried, and the fastest
 * one is recommended.
 *
 * Times are milliseconds if the name says so, else minutes.  NAN is unknown. */
#pragma once

#include "compare/comparison.h"
#include "explain/memory/memory.h"

#define MLS_PLAN_TIMES_MAX 64 /**< largest factor between the accelerator counts of base and prediction */

/** Levels of the intervals.  On rounds that were not used in the fit, the shares 0.5, 0.75 and 0.9 of predictions were
 * inside. */
enum { MLS_PLAN_LEVELS = 3 };
extern const double mls_plan_levels[MLS_PLAN_LEVELS];

/** How times scale in a benchmark: exponents per doubling. */
typedef struct mls_plan_factors {
    const char *benchmark;             /**< "*": for benchmarks without exponents of their own */
    uint64_t pairs;                    /**< number of pairs of published results in the fit */
    double system;                     /**< exponent of the pace of an accelerator per doubling of accelerators */
    double batch;                      /**< exponent of that pace per doubling of the batch per accelerator */
    double evaluation;                 /**< exponent of the time of an evaluation per doubling of accelerators */
    double spread[MLS_PLAN_LEVELS][2]; /**< half-width of ln(predicted / true), and its increase per doubling */
} mls_plan_factors;

typedef struct mls_plan_figures {
    mls_plan_factors *items;
    size_t count;
    double chosen[MLS_PLAN_LEVELS][2]; /**< for a recommended row: factors of the half-widths below and above */
    struct mls_arena *arena;
} mls_plan_figures;

/** Load the embedded figures or, if text.ptr is not NULL, the given ones: a JSON object with `benchmarks`, an object by
 * name that includes "*", and optionally `chosen` (default 1).  Return MLS_OK, or MLS_ERROR_SYNTAX or MLS_ERROR_VALUE.
 * Release *figures in any case. */
mls_status mls_plan_figures_load(mls_str text, mls_plan_figures *figures, mls_error *error) MLS_MUST_USE;
void mls_plan_figures_release(mls_plan_figures *figures);

/** The starting point of a prediction: means over the valid runs with known parts.  If training is not delimited, all
 * valid runs are used, and their whole time counts as training.  If the runs of a published result are not public, its
 * score before scaling is used as training time. */
typedef struct mls_plan_base {
    const mls_side_group *group;
    const mls_plan_factors *factors;
    mls_rcp_set *points; /**< reference convergence points of the group's edition, possibly empty */
    double reference; /**< samples to converge of the reference at the base's batch size, or at the next larger point */
    /** Results of the benchmark in the group's round and the two rounds before. */
    MLS_LIST_OF(const mls_published_result *) published;
    size_t runs;
    double samples; /**< samples to converge, in the unit of the group */
    double training_ms, evaluation_ms, evaluations, total_ms;
    /** Memory that the config needs per GPU; NULL: there is no usable config next to the logs. */
    const mls_memory_ask *memory;
    double per_node;       /**< accelerators per node */
    double model_parallel; /**< accelerators per model: tp * pp * cp */
} mls_plan_base;

typedef struct mls_plan_row {
    const mls_plan_base *base;
    double accelerators, global_batch_size;
    bool measured;        /**< the base itself; its minutes are the score unless batch sizes were requested */
    bool recommended;     /**< the fastest of its accelerator count, if no batch sizes were requested */
    bool shown;           /**< base's batch size, fastest of its accelerator count, only one, or requested */
    double samples, rate; /**< samples to converge; samples per second */
    double efficiency;    /**< rate per accelerator relative to the base */
    double training_minutes, evaluation_minutes, other_minutes;
    double minutes, low_minutes, high_minutes; /**< unscaled; the interval has the requested level */
    double scale;                              /**< factor from minutes to the score */
    double accelerator_minutes;
    mls_published_place place;
    double model_parallel; /**< minimum number of accelerators per model that gives each copy a sample */
    const char *note;      /**< warning or requirement; NULL: none */
} mls_plan_row;

/** Return the score of the base if the row is the base, else the scaled minutes. */
double mls_plan_score(const mls_plan_row *row);

/** The smallest accelerator counts that reach a target time. */
typedef struct mls_plan_target {
    double minutes;                    /**< the target; NAN: no target was requested */
    double by_low, by_middle, by_high; /**< count whose low end, prediction, high end reaches it; NAN: no count does */
    const char *obstacle;              /**< largest part of the time if no count reaches it; else NULL */
} mls_plan_target;

/** The predictions for one benchmark on one kind of accelerator, as ranges in the plan's lists. */
typedef struct mls_plan_series {
    const mls_side_group *group; /**< the first group of the series */
    size_t first_base, bases, first_row, rows;
    mls_plan_target target;
} mls_plan_series;

typedef MLS_LIST_OF(double) mls_plan_numbers;

typedef struct mls_plan_request {
    const mls_editions *editions;
    const mls_plan_figures *figures;
    /** To check whether the job fits in the memory of fewer accelerators; both NULL: do not check. */
    const mls_models *models;
    const mls_accelerators *known;
    const char *benchmark;                  /**< NULL: all benchmarks */
    mls_plan_numbers accelerators, batches; /**< whole numbers; empty: choose from the base */
    mls_plan_numbers nodes, times;          /**< accelerator counts as numbers of nodes, or as multiples of the base */
    double samples;                         /**< samples to converge if no reference point applies; NAN: unknown */
    double target_minutes;                  /**< NAN: no target */
    unsigned level;                         /**< index in mls_plan_levels */
} mls_plan_request;

/** A plan.  It owns everything that its members point to, except the groups. */
typedef struct mls_plan {
    MLS_LIST_OF(mls_plan_series) series; /**< in the order of the groups */
    MLS_LIST_OF(mls_plan_base) bases;    /**< bases of each series in turn, by accelerator count */
    MLS_LIST_OF(mls_plan_row) rows;      /**< rows of each series in turn, by accelerator count, then batch size */
    MLS_LIST_OF(mls_unmatched) unfit;    /**< groups with missing predictions, and why */
    unsigned level;
    mls_published published;
    struct mls_arena *arena;
} mls_plan;

/** Predict from the groups of a comparison of mode MLS_COMPARE_NOTHING. Each row starts from the group of its series
 * with the nearest accelerator count.  Return MLS_OK, MLS_ERROR_VALUE (no group of the benchmark; for a single series,
 * counts that are not whole or more than MLS_PLAN_TIMES_MAX times away), or an error of mls_published_load() or
 * mls_rcp_set_new().  Release *plan in any case, before the comparison. */
mls_status mls_plan_make(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                         mls_error *error) MLS_MUST_USE;
void mls_plan_release(mls_plan *plan);

/** Return whether the plan has a prediction and, if a target was requested, every series reaches it. */
bool mls_plan_answers(const mls_plan *plan);
