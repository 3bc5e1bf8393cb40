/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - what runs that were made would score on other numbers of accelerators, with other batches.
 *
 * The pace of one accelerator changes with their number and with its share of the batch, an evaluation with their
 * number, by exponents that were fitted to the published series of a benchmark; what it takes to converge follows the
 * reference convergence points.  Everything else stays as it was measured.  Batches that nobody asks for are those of
 * the runs, of reference points and of published results, of which the fastest is recommended.  Times are milliseconds
 * where the name says so, else minutes; NAN: not known. */
#pragma once

#include "compare/comparison.h"
#include "explain/memory/memory.h"

/** Predictions reach so many times up and down: nothing published says anything about more. */
#define MLS_PLAN_TIMES_MAX 64

/** The levels of intervals: 0.5, 0.75 and 0.9 of predictions of rounds that the fit had not seen lay inside. */
enum { MLS_PLAN_LEVELS = 3 };
extern const double mls_plan_levels[MLS_PLAN_LEVELS];

/** How a benchmark's series changed: exponents of two a doubling. */
typedef struct mls_plan_factors {
    const char *benchmark;             /**< "*": of those that have none of their own */
    uint64_t pairs;                    /**< published results, two and two, that they were fitted to */
    double system;                     /**< of the pace of an accelerator, by their number */
    double batch;                      /**< of it, by its share of the batch */
    double evaluation;                 /**< of the time of an evaluation, by the number of accelerators */
    double spread[MLS_PLAN_LEVELS][2]; /**< half-width of ln(predicted / true), and what each doubling adds */
} mls_plan_factors;

typedef struct mls_plan_figures {
    mls_plan_factors *items;
    size_t count;
    double chosen[MLS_PLAN_LEVELS][2]; /**< the half-widths of the fastest of several predictions, below and above it,
                                            over those of a single one */
    struct mls_arena *arena;
} mls_plan_figures;

/** Reads the embedded figures, or (`text` with a ptr) others: JSON with an object `benchmarks`, by their names, one of
 * which is "*", and perhaps `chosen` (else 1).  MLS_OK, or MLS_ERROR_SYNTAX or _VALUE with what is
 * wrong; to be released in any case.
 */
mls_status mls_plan_figures_load(mls_str text, mls_plan_figures *figures, mls_error *error) MLS_MUST_USE;
void mls_plan_figures_release(mls_plan_figures *figures);

/** What a prediction starts from: the means of the valid runs of a group whose parts are known, or, where training is
 * not delimited, of all valid runs: then the whole run is training. */
typedef struct mls_plan_base {
    const mls_side_group *group;
    const mls_plan_factors *factors;
    mls_rcp_set *points; /**< reference convergence points of its edition, perhaps none */
    double reference;    /**< what they take at its batch, or, where scoring takes it instead, at the smallest above */
    MLS_LIST_OF(const mls_published_result *) published; /**< of its benchmark: its round, and the last two before */
    size_t runs;
    double samples; /**< to converge, in the unit of the group */
    double training_ms, evaluation_ms, evaluations, total_ms;
    const mls_memory_ask *memory; /**< what its config asks of a GPU; NULL: no config beside the logs says enough */
    double per_node;              /**< accelerators of a node */
    double model_parallel;        /**< accelerators that share a model: tp * pp * cp */
} mls_plan_base;

/** A prediction. */
typedef struct mls_plan_row {
    const mls_plan_base *base;
    double accelerators, global_batch_size;
    bool measured;        /**< it is the base itself, whose minutes are its score unless batches were asked for */
    bool recommended;     /**< the fastest prediction of so many accelerators, of batches that nobody asked for */
    bool shown;           /**< the base's batch, the fastest of so many accelerators, the only one, or asked for */
    double samples, rate; /**< to converge; and a second */
    double efficiency;    /**< rate of an accelerator over the base's */
    double training_minutes, evaluation_minutes, other_minutes;
    double minutes, low_minutes, high_minutes; /**< unscaled; the interval is of the level that was asked for */
    double scale;                              /**< what the score would be multiplied with */
    double accelerator_minutes;
    mls_published_place place;
    double model_parallel; /**< accelerators that must share a model for each copy of it to have a sample, at least */
    const char *note;      /**< why it is not to be believed as it stands, or what it needs; NULL: nothing is known */
} mls_plan_row;

/** The score of a row: that of the base, or minutes as they would be scaled. */
double mls_plan_score(const mls_plan_row *row);

/** The least numbers of accelerators by which a time is reached. */
typedef struct mls_plan_target {
    double minutes;                    /**< NAN: none was asked for */
    double by_low, by_middle, by_high; /**< end of the interval, and the prediction itself; NAN: no number does */
    const char *obstacle;              /**< the largest part of the time where no number does; NULL: some does */
} mls_plan_target;

/** What is predicted for one benchmark on one kind of accelerators: places in the lists of the plan. */
typedef struct mls_plan_series {
    const mls_side_group *group; /**< the first that is said to be of it */
    size_t first_base, bases, first_row, rows;
    mls_plan_target target;
} mls_plan_series;

typedef MLS_LIST_OF(double) mls_plan_numbers;

typedef struct mls_plan_request {
    const mls_editions *editions;
    const mls_plan_figures *figures;
    const mls_models *models;               /**< with the next: whether fewer accelerators would hold the job; NULL: */
    const mls_accelerators *known;          /**< it is not asked */
    const char *benchmark;                  /**< NULL: each that there is */
    mls_plan_numbers accelerators, batches; /**< whole numbers; none: what the base suggests */
    mls_plan_numbers nodes, times; /**< other ways to say how many accelerators: nodes of the base, times its */
    double samples;                /**< to converge where no reference point tells; NAN: not known */
    double target_minutes;         /**< NAN: none */
    unsigned level;                /**< place in mls_plan_levels */
} mls_plan_request;

/** Owns what it points to, but for the groups. */
typedef struct mls_plan {
    MLS_LIST_OF(mls_plan_series) series; /**< in the order of the groups */
    MLS_LIST_OF(mls_plan_base) bases;    /**< of each series by their number of accelerators */
    MLS_LIST_OF(mls_plan_row) rows;      /**< of each series by accelerators, then batch */
    MLS_LIST_OF(mls_unmatched) unfit;    /**< groups from which not all was predicted, and why */
    unsigned level;
    mls_published published;
    struct mls_arena *arena;
} mls_plan;

/** Predicts from the groups of a comparison of the mode MLS_COMPARE_NOTHING, each row from the group of its series
 * whose number of accelerators is nearest.  MLS_OK, MLS_ERROR_VALUE (no group of the benchmark; of
 * the only series numbers that are more than MLS_PLAN_TIMES_MAX times away, or not whole), or what mls_published_load()
 * and mls_rcp_set_new() return; to be released in any case, before the comparison. */
mls_status mls_plan_make(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                         mls_error *error) MLS_MUST_USE;
void mls_plan_release(mls_plan *plan);

/** Whether it answers what was asked: some row has minutes, and the target, if there is one, is within reach of each
 * series. */
bool mls_plan_answers(const mls_plan *plan);
