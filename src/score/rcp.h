/* SPDX-License-Identifier: Apache-2.0 */
/* rcp.h - reference convergence points (RCP).  In the closed division, a submission must not reach the target with
 * significantly less training than the reference.  A point contains the samples or epochs that the runs of the
 * reference needed at one batch size.
 *
 * Get the points of a benchmark with mls_rcp_set_new(), and the limit for a batch size with mls_rcp_set_limit(). */
#pragma once

#include "rules/edition.h"

/** The edition and benchmark of a set of points.  All members must outlive the set. */
typedef struct mls_rcp_rules {
    const mls_editions *editions; /**< contains the benchmarks that rows of a table may name */
    const mls_edition *edition;
    const mls_benchmark *benchmark; /**< its left_out is r, the number of runs left out at each end of a mean */
} mls_rcp_rules;

/** The samples that the reference needed at a batch size, and the limit for submissions.  NAN: unknown. */
typedef struct mls_rcp_bar {
    double mean;        /**< mean of the reference, without its r smallest and r largest values */
    double stdev;       /**< population standard deviation of all values */
    double min_mean;    /**< smallest mean accepted by a t test at the 5 % level */
    double max_speedup; /**< mean / min_mean; INFINITY: any mean is accepted */
    double limit;       /**< mean / max_speedup: the smallest mean that passes */
} mls_rcp_bar;

/** A reference point.  The strings are NUL-terminated, and "" if unknown.  The set owns the strings and to_converge. */
typedef struct mls_rcp_point {
    double global_batch_size; /**< must be first, for sorting */
    const char *name;
    const char *unit; /**< unit of to_converge: "samples", "epochs", "steps" or "tokens" */
    const char *precision, *platform, *creator, *when;
    const char *hyperparameters; /**< "name=value;name=value" */
    const char *source;          /**< path of the user's file; "" for a built-in point */
    const double *to_converge;   /**< amount of training that each run needed, in ascending order */
    size_t count;                /**< number of runs */
    mls_rcp_bar bar;
    bool pruned; /**< not used: above the line between its neighbours, or below the batch size that converges fastest */
} mls_rcp_point;

typedef struct mls_rcp_set {
    mls_rcp_rules rules;
    mls_rcp_point *items; /**< all points, including pruned ones, sorted by batch size */
    size_t count, capacity;
    size_t own;              /**< number of the user's own points */
    struct mls_arena *arena; /**< memory of the set and of all its members */
} mls_rcp_set;

/** Create the set of the built-in points of a benchmark, which may be empty.  If `path` is not NULL, add the user's
 * points from `own`, the text of the file at `path` (format: mlscore-rcp(1)).  A user's point replaces the built-in
 * point of the same batch size.  On failure, set *set to NULL and return MLS_ERROR_SYNTAX, MLS_ERROR_VALUE or
 * MLS_ERROR_LIMIT with line and column. */
mls_status mls_rcp_set_new(const mls_rcp_rules *rules, mls_str own, const char *path, mls_rcp_set **set,
                           mls_error *error) MLS_MUST_USE;
void mls_rcp_set_free(mls_rcp_set *set);

/** A cache of sets, which it owns.  A zero-initialised cache is empty. */
typedef MLS_LIST_OF(mls_rcp_set *) mls_rcp_sets;

/** Get the set for an edition and benchmark from the cache; if it is missing, create it and return the status of
 * mls_rcp_set_new().  All calls with the same cache must pass the same `own` and `path`.  *set lives as long as the
 * cache. */
mls_status mls_rcp_sets_find(mls_rcp_sets *sets, const mls_rcp_rules *rules, mls_str own, const char *path,
                             mls_rcp_set **set, mls_error *error) MLS_MUST_USE;
void mls_rcp_sets_release(mls_rcp_sets *sets);

/** Compute all members of the bar of every point.  Before this call, only mean and stdev are set, which are sufficient
 * for mls_rcp_check(). */
void mls_rcp_set_bars(mls_rcp_set *set);

/** The relation of a batch size to the points that are not pruned. */
typedef enum mls_rcp_match {
    MLS_RCP_FOUND,              /**< there is a point for this batch size */
    MLS_RCP_INTERPOLATED,       /**< the batch size is between those of two points */
    MLS_RCP_SMALLER_BATCH,      /**< below all points: the limit of the point with the smallest batch size is used */
    MLS_RCP_MISSING,            /**< above all points; or below all points, and the limit of the smallest one fails */
    MLS_RCP_NO_POINTS,          /**< the benchmark does not have points */
    MLS_RCP_NO_CONVERGENCE,     /**< more runs failed to converge than may be left out */
    MLS_RCP_NO_BATCH_SIZE,      /**< global_batch_size was not logged */
    MLS_RCP_BATCH_SIZES_DIFFER, /**< the runs logged different batch sizes */
    MLS_RCP_TOO_FEW_RUNS        /**< no runs are left to average */
} mls_rcp_match;

/** Return the name of a match in machine-readable output: "found", "interpolated", "smaller-batch" …; "" for an invalid
 * value. */
const char *mls_rcp_match_name(mls_rcp_match match);

/** The limit for a batch size.  Unknown numbers are NAN. */
typedef struct mls_rcp_limit {
    mls_rcp_match match; /**< FOUND, INTERPOLATED, SMALLER_BATCH, MISSING or NO_POINTS */
    const char *unit;    /**< unit of the numbers in `bar`; lives as long as the set; "" if the set is empty */
    double global_batch_size;
    double lower_batch_size, upper_batch_size; /**< batch sizes of the two points interpolated between, or (both equal)
                                                  of the only point used */
    mls_rcp_bar bar;
} mls_rcp_limit;

/** Return the mean of the reference at a batch size, interpolated if necessary; NAN if the batch size is below or above
 * all points.  This function is faster than mls_rcp_set_limit(), since it does not run a t test. */
double mls_rcp_set_mean(const mls_rcp_set *set, double global_batch_size);

/** Return the limit for a batch size. */
mls_rcp_limit mls_rcp_set_limit(const mls_rcp_set *set, double global_batch_size);

/** The verdict on a submission.  limit.unit is borrowed from the set. */
typedef struct mls_rcp_result {
    bool pass;
    mls_rcp_match match;
    char message[96];       /**< the message that the RCP checker prints */
    double scale;           /**< as in the RCP checker: mean / submission mean, at least 1 */
    double score_scale;     /**< factor on the score: scale if the check passes, otherwise 1 */
    double submission_mean; /**< mean without the r smallest and r largest values; NAN: too few runs */
    double alone;           /**< what the only run needed; NAN: not one run, or it did not converge */
    size_t runs;
    size_t not_converged, allowed; /**< number of runs that did not converge, and the maximum of this number (r) */
    mls_rcp_limit limit;
} mls_rcp_result;

/** Judge a submission.  `to_converge` contains a number per run: what the run needed in the unit of the set, or
 * MLS_RCP_NOT_CONVERGED.  The function sorts the array.  global_batch_size is NAN if the runs did not log it, or
 * MLS_RCP_BATCH_SIZE_DIFFERS if they logged different values. */
#define MLS_RCP_BATCH_SIZE_DIFFERS (-(double)INFINITY)
mls_rcp_result mls_rcp_check(const mls_rcp_set *set, double global_batch_size, double *to_converge, size_t count);

struct mls_buffer;
/** Append the verdict as one line for people.  score_minutes is the score before scaling, or NAN if unknown. */
void mls_rcp_result_describe(const mls_rcp_result *result, double score_minutes, struct mls_buffer *words);
/** Append the limit for a batch size as one line for people. */
void mls_rcp_limit_describe(const mls_rcp_limit *limit, struct mls_buffer *words);
