/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - predict from existing runs the score for other accelerator counts and batch sizes.
 *
 * The pace of an accelerator depends on the number of accelerators and on its share of the batch, and the time of an
 * evaluation on the number, by exponents fitted to published series of the benchmark.  Convergence follows the
 * reference convergence points.  Everything else is as measured.  If no batch sizes are requested, those of the runs,
 * reference points and published results are tried, and the fastest is recommended.
 *
 * Times are milliseconds if the name says so, else minutes.  NAN is unknown. */
#pragma once

#include "compare/comparison.h"
#include "explain/memory/memory.h"

#define MLS_PLAN_TIMES_MAX 64 /**< factor in size up to which is predicted; no published series goes further */

/** Levels of the intervals.  On held-out rounds, 0.5, 0.75 and 0.9 of the predictions were inside. */
enum { MLS_PLAN_LEVELS = 3 };
extern const double mls_plan_levels[MLS_PLAN_LEVELS];

/** How times scale in a benchmark: exponents per doubling. */
typedef struct mls_plan_factors {
    const char *benchmark;             /**< "*": benchmarks without their own exponents */
    uint64_t pairs;                    /**< number of pairs of published results in the fit */
    double system;                     /**< of the pace of an accelerator, by accelerator count */
    double batch;                      /**< of the pace of an accelerator, by its share of the batch */
    double evaluation;                 /**< of the time of an evaluation, by accelerator count */
    double spread[MLS_PLAN_LEVELS][2]; /**< half-width of ln(predicted / true), and its increase per doubling */
} mls_plan_factors;

typedef struct mls_plan_figures {
    mls_plan_factors *items;
    size_t count;
    double chosen[MLS_PLAN_LEVELS][2]; /**< factors of the half-widths below and above of a recommended row */
    struct mls_arena *arena;
} mls_plan_figures;

/** Load the embedded figures or, if text.ptr is not NULL, the given ones: a JSON object with `benchmarks`, an object by
 * name that includes "*", and optionally `chosen` (default 1).  Return MLS_OK, or MLS_ERROR_SYNTAX or MLS_ERROR_VALUE.
 * Release *figures in any case. */
mls_status mls_plan_figures_load(mls_str text, mls_plan_figures *figures, mls_error *error) MLS_MUST_USE;
void mls_plan_figures_release(mls_plan_figures *figures);

/** The starting point of a prediction: means over the valid runs with known parts.  If training is not delimited, all
 * valid runs are used and count entirely as training.  If the runs of a published result are not public, its score before
 * scaling is used likewise. */
typedef struct mls_plan_base {
    const mls_side_group *group;
    const mls_plan_factors *factors;
    mls_rcp_set *points; /**< reference convergence points of its edition, possibly empty */
    double reference;    /**< convergence of the reference at its batch size, or at the next larger one as in scoring */
    MLS_LIST_OF(const mls_published_result *) published; /**< results of its benchmark: its round and the two before */
    size_t runs;
    double samples; /**< to converge, in the unit of the group */
    double training_ms, evaluation_ms, evaluations, total_ms;
    const mls_memory_ask *memory; /**< memory that its config needs per GPU; NULL: no usable config next to the logs */
    double per_node;              /**< accelerators per node */
    double model_parallel;        /**< accelerators per model: tp * pp * cp */
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

double mls_plan_score(const mls_plan_row *row); /**< that of the base, or the scaled minutes */

/** The smallest accelerator counts that reach a target time. */
typedef struct mls_plan_target {
    double minutes;                    /**< NAN: none requested */
    double by_low, by_middle, by_high; /**< for the low end, the prediction and the high end; NAN: unreachable */
    const char *obstacle;              /**< largest part of the time if no count reaches it; else NULL */
} mls_plan_target;

/** The predictions for one benchmark on one kind of accelerator, as ranges in the plan's lists. */
typedef struct mls_plan_series {
    const mls_side_group *group; /**< its first group */
    size_t first_base, bases, first_row, rows;
    mls_plan_target target;
} mls_plan_series;

typedef MLS_LIST_OF(double) mls_plan_numbers;

typedef struct mls_plan_request {
    const mls_editions *editions;
    const mls_plan_figures *figures;
    const mls_models *models;               /**< NULL, with `known`: do not check */
    const mls_accelerators *known;          /**< whether the job fits in the memory of fewer accelerators */
    const char *benchmark;                  /**< NULL: all benchmarks */
    mls_plan_numbers accelerators, batches; /**< whole numbers; empty: choose from the base */
    mls_plan_numbers nodes, times;          /**< accelerator counts as numbers of nodes, or as multiples of the base */
    double samples;                         /**< to converge, if reference points do not tell; NAN: unknown */
    double target_minutes;                  /**< NAN: none */
    unsigned level;                         /**< index in mls_plan_levels */
} mls_plan_request;

/** A plan.  Owns what it points to, except the groups. */
typedef struct mls_plan {
    MLS_LIST_OF(mls_plan_series) series; /**< in the order of the groups */
    MLS_LIST_OF(mls_plan_base) bases;    /**< for each series by accelerator count */
    MLS_LIST_OF(mls_plan_row) rows;      /**< for each series by accelerator count, then batch size */
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

/** Return whether the plan has a prediction and every series reaches the target, if there is one. */
bool mls_plan_answers(const mls_plan *plan);
