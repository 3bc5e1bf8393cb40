/* SPDX-License-Identifier: Apache-2.0 */
/* rcp.h - reference convergence points (RCP).  In the closed division, a submission must not reach the target with
 * significantly less training than the reference.  A point contains the samples or epochs that the runs of the
 * reference needed at one batch size.
 *
 * Get the points of a benchmark with mls_rcp_set_new(), and the limit for a batch size with mls_rcp_set_limit(). */
#pragma once

#include "rules/edition.h"

/** The rules that points are for.  Everything must outlive the set. */
typedef struct mls_rcp_rules {
    const mls_editions *editions; /**< the benchmarks that rows of a table may name */
    const mls_edition *edition;
    const mls_benchmark *benchmark; /**< its runs_needed is n */
} mls_rcp_rules;

/** The samples that the reference needed at a batch size, and the limit for submissions.  NAN: unknown. */
typedef struct mls_rcp_bar {
    double mean;        /**< of the reference, without its r smallest and r largest values (r: left_out) */
    double stdev;       /**< population standard deviation of all values */
    double min_mean;    /**< smallest mean accepted by a t test at the 5 % level */
    double max_speedup; /**< mean / min_mean; INFINITY: any mean is accepted */
    double limit;       /**< mean / max_speedup: the smallest mean that passes */
} mls_rcp_bar;

/** A reference point.  Strings are NUL-terminated, or "" if unknown; they and the numbers belong to the set. */
typedef struct mls_rcp_point {
    double global_batch_size; /**< must be first, for sorting */
    const char *name;
    const char *unit; /**< of to_converge: "samples", "epochs", "steps" or "tokens" */
    const char *precision, *platform, *creator, *when;
    const char *hyperparameters; /**< "name=value;name=value" */
    const char *source;          /**< the user's file; "" for a built-in point */
    const double *to_converge;   /**< ascending */
    size_t count;
    mls_rcp_bar bar;
    bool pruned; /**< not used: out of line with its neighbours, or below the batch size that converges fastest */
} mls_rcp_point;

typedef struct mls_rcp_set {
    mls_rcp_rules rules;
    mls_rcp_point *items; /**< all points, including pruned ones, by batch size */
    size_t count, capacity;
    size_t own;              /**< number of the user's own points */
    struct mls_arena *arena; /**< of everything, including the set */
} mls_rcp_set;

/** Get the built-in points of a benchmark, if any.  If `path` is not NULL, add the user's points from `own`, the text
 * of that file (format: mlscore-rcp(1)); they replace built-in points of the same batch size.  On failure, set *set to
 * NULL and return MLS_ERROR_SYNTAX, MLS_ERROR_VALUE or MLS_ERROR_LIMIT with line and column. */
mls_status mls_rcp_set_new(const mls_rcp_rules *rules, mls_str own, const char *path, mls_rcp_set **set,
                           mls_error *error) MLS_MUST_USE;
void mls_rcp_set_free(mls_rcp_set *set);

/** A cache of sets.  Zero-initialised is empty.  It owns the sets. */
typedef MLS_LIST_OF(mls_rcp_set *) mls_rcp_sets;

/** Get the set for an edition and benchmark from the cache, or create it with mls_rcp_set_new(), whose errors it
 * returns.  All sets of a cache must have the same `own`.  *set lives as long as the cache. */
mls_status mls_rcp_sets_find(mls_rcp_sets *sets, const mls_rcp_rules *rules, mls_str own, const char *path,
                             mls_rcp_set **set, mls_error *error) MLS_MUST_USE;
void mls_rcp_sets_release(mls_rcp_sets *sets);

/** Compute all members of every point's bar.  Until then only mean and stdev are set, which are enough to judge. */
void mls_rcp_set_bars(mls_rcp_set *set);

/** The relation of a batch size to the points that are not pruned. */
typedef enum mls_rcp_match {
    MLS_RCP_FOUND,              /**< there is a point for this batch size */
    MLS_RCP_INTERPOLATED,       /**< between two points */
    MLS_RCP_SMALLER_BATCH,      /**< below all points: compared with the smallest one */
    MLS_RCP_MISSING,            /**< above all points; or below all, and faster than the smallest one allows */
    MLS_RCP_NO_POINTS,          /**< there are no points */
    MLS_RCP_NO_CONVERGENCE,     /**< more runs failed to converge than may be left out */
    MLS_RCP_NO_BATCH_SIZE,      /**< global_batch_size was not logged */
    MLS_RCP_BATCH_SIZES_DIFFER, /**< the runs logged different batch sizes */
    MLS_RCP_TOO_FEW_RUNS        /**< no runs are left to average */
} mls_rcp_match;

/** Return the name in machine-readable output: "found", "interpolated", "smaller-batch" …; "" for an invalid number. */
const char *mls_rcp_match_name(mls_rcp_match match);

/** The limit for a batch size.  NAN: unknown. */
typedef struct mls_rcp_limit {
    mls_rcp_match match; /**< FOUND, INTERPOLATED, SMALLER_BATCH, MISSING or NO_POINTS */
    const char *unit;    /**< lives as long as the set; "" if there are no points */
    double global_batch_size;
    double lower_batch_size, upper_batch_size; /**< of the point used, or of the two points interpolated between */
    mls_rcp_bar bar;
} mls_rcp_limit;

/** Return the mean of the reference at a batch size, interpolated if necessary; NAN if it is outside all points. Unlike
 * the limit, this does not need a t test. */
double mls_rcp_set_mean(const mls_rcp_set *set, double global_batch_size);

/** Return the limit for a batch size. */
mls_rcp_limit mls_rcp_set_limit(const mls_rcp_set *set, double global_batch_size);

/** The verdict on a submission.  limit.unit is borrowed from the set. */
typedef struct mls_rcp_result {
    bool pass;
    mls_rcp_match match;
    char message[96];       /**< in the words of the reference checker */
    double scale;           /**< as in the reference checker: mean / submission mean, at least 1 */
    double score_scale;     /**< factor on the score: scale if the check passes, otherwise 1 */
    double submission_mean; /**< without r values at each end; NAN: too few runs */
    size_t runs;
    size_t not_converged, allowed; /**< number of runs that did not converge, and r, the number that may be left out */
    mls_rcp_limit limit;
} mls_rcp_result;

/** Judge a submission.  `to_converge` contains a number per run, MLS_RCP_NOT_CONVERGED for one that did not converge,
 * and is sorted.  global_batch_size is NAN if it was not logged, or MLS_RCP_BATCH_SIZE_DIFFERS. */
#define MLS_RCP_BATCH_SIZE_DIFFERS (-(double)INFINITY)
mls_rcp_result mls_rcp_check(const mls_rcp_set *set, double global_batch_size, double *to_converge, size_t count);

/** Append the verdict, or the limit for a batch size, in one line for people.  score_minutes is unscaled, or NAN. */
struct mls_buffer;
void mls_rcp_result_describe(const mls_rcp_result *result, double score_minutes, struct mls_buffer *words);
void mls_rcp_limit_describe(const mls_rcp_limit *limit, struct mls_buffer *words);
