/* SPDX-License-Identifier: Apache-2.0 */
/* demands.h - what the rules of an edition demand of closed runs and the compliance rules do not check: fixed values of
 * hyperparameters, and the evaluation schedule.
 *
 * The tables are in src/data/demands.json.  Their expressions (rules/expr.h) have hyperparameters of a run as
 * $variables:
 *
 *     mls_demands_load(edition, &demands, &error);
 *     const mls_schedule *schedule = mls_demands_schedule(&demands, MLS_S("llama2_70b_lora"));
 *     if (schedule != NULL && mls_schedule_demand(&demands, schedule, batch, &demand)) { ... demand.first[0] ... }
 *     mls_demands_release(&demands); */
#pragma once

#include "rules/edition.h"
#include "rules/expr.h"

/** A hyperparameter with a fixed value. */
typedef struct mls_fixed_value {
    const char *benchmark, *key;
    /** Largest allowed difference between the logged and the demanded value, used for numbers of steps; 0: they must be
     * equal. */
    double tolerance;
    mls_expr demanded;
} mls_fixed_value;

/** The evaluation schedule of a benchmark. */
typedef struct mls_schedule {
    const char *benchmark;
    bool samples; /**< positions are metadata.samples_count, else epoch_num; if false, only epoch_num */
    /** Some loggers round positions to two digits: judge only the median gap, not the shortest and the longest one. */
    bool rounded;
    /** Evaluations may be logged in any order, or not at all: report only gaps that are too short, and not the first
     * position. */
    bool unordered;
    /** If the first position is below this, the logger wrote the number of the evaluation instead of a position, and
     * the run is not judged; NAN: no limit. */
    double least_first;
    /** Tolerance of the first position, as a share of the demanded one; NAN: only the tolerance of intervals applies.
     */
    double first_tolerance;
    /** Size of the training set: positions of a run whose first is at least 10,000 are samples, and are divided by this
     * to get epochs; NAN: never. */
    double set;
    double times;   /**< factor from the unit of `every` to the unit of positions; NAN: 1 */
    bool round_up;  /**< intervals may be rounded up to a multiple of the batch size */
    mls_expr every; /**< the interval between evaluations */
    /** Number of intervals before the first evaluation is due, so that its position is (skip + 1) intervals; absent:
     * 0. */
    mls_expr skip;
    mls_expr first; /**< least and most first position, or one value for both; overrides `skip` */
} mls_schedule;

typedef struct mls_demands {
    mls_arena *arena;
    mls_map symbols; /**< the $variables of all expressions */
    MLS_LIST_OF(mls_fixed_value) fixed;
    MLS_LIST_OF(mls_schedule) schedules;
} mls_demands;

/** Load the tables of an edition.  Return MLS_OK, or MLS_ERROR_VALUE if the embedded data is invalid.  Release *demands
 * in any case. */
mls_status mls_demands_load(const mls_edition *edition, mls_demands *demands, mls_error *error) MLS_MUST_USE;
void mls_demands_release(mls_demands *demands);

/** Return the number that a run logged for a key; NAN if it logged none. */
typedef double (*mls_logged_number)(void *state, mls_str key);

/** Compute the values that the rules allow in a run.  Return their number, which is 0 if the rules demand nothing, or
 * if the run did not log a number that the demand depends on. */
enum { MLS_DEMANDED_MAX = 4 };
size_t mls_fixed_value_demand(const mls_demands *demands, const mls_fixed_value *fixed, mls_logged_number logged,
                              void *state, double demanded[static MLS_DEMANDED_MAX]);

/** Return whether a logged value is one of the demanded ones. */
bool mls_fixed_value_allows(const mls_fixed_value *fixed, const double *demanded, size_t count, double logged);

/** Return whether two numbers are equal within 1e-9 of the larger one. */
bool mls_same_number(double a, double b);

/** Return the schedule of a benchmark, or NULL. */
const mls_schedule *mls_demands_schedule(const mls_demands *demands, mls_str benchmark);

/** The least and the most that the rules allow, in the unit of positions. */
typedef struct mls_schedule_range {
    double interval[2], first[2];
} mls_schedule_range;

/** Compute the intervals and first positions for a batch size.  Return false if it is not a positive number. */
bool mls_schedule_demand(const mls_demands *demands, const mls_schedule *schedule, double batch,
                         mls_schedule_range *range);
