/* SPDX-License-Identifier: Apache-2.0 */
/* rcp.h - reference convergence points: in the closed division a submission may not reach the target with significantly
 * less training than the reference, of which each batch size is a point with the samples (or epochs) its runs needed.
 */
#pragma once

#include "rules/edition.h"

/** Whose points.  All of it must outlive the set. */
typedef struct mls_rcp_rules {
    const mls_editions *editions; /**< whose benchmarks the rows of a table may be for */
    const mls_edition *edition;
    const mls_benchmark *benchmark; /**< its runs_needed is n */
} mls_rcp_rules;

/** The samples that the reference needed at a batch size, and how many fewer will do.  NaN: not known. */
typedef struct mls_rcp_bar {
    double mean;        /**< of the reference, without the r smallest and the r largest values (r: left_out) */
    double stdev;       /**< population standard deviation of all values */
    double min_mean;    /**< smallest acceptable mean, by a t test at the 5 % level */
    double max_speedup; /**< mean / min_mean; INFINITY when any mean will do */
    double limit;       /**< mean / max_speedup: the smallest mean that passes */
} mls_rcp_bar;

/** One reference point.  Strings end in NUL, are "" when not known, and belong to the set, as do the numbers. */
typedef struct mls_rcp_point {
    double global_batch_size; /**< first, for sorting */
    const char *name;
    const char *unit; /**< of to_converge: "samples", "epochs", "steps" or "tokens" */
    const char *precision, *platform, *creator, *when;
    const char *hyperparameters; /**< "name=value;name=value" */
    const char *source;          /**< the user's file; "" for a point of the rules */
    const double *to_converge;   /**< ascending */
    size_t count;
    mls_rcp_bar bar;
    bool pruned; /**< not used: out of line with its neighbours, or below the batch size of the best */
} mls_rcp_point;

typedef struct mls_rcp_set {
    mls_rcp_rules rules;
    mls_rcp_point *items; /**< all points, by batch size, pruned ones too */
    size_t count, capacity;
    size_t own;              /**< how many are a user's own */
    struct mls_arena *arena; /**< of all, the set itself too */
} mls_rcp_set;

/** The points that the rules have for a benchmark, perhaps none.  With a `path` also a user's own from `own`, the text
 * of that file (format: mlscore-rcp(1)), each in the place of one of the rules with the same batch size.  MLS_OK; or
 * *set is NULL after MLS_ERROR_SYNTAX, MLS_ERROR_VALUE or MLS_ERROR_LIMIT with line and column. */
mls_status mls_rcp_set_new(const mls_rcp_rules *rules, mls_str own, const char *path, mls_rcp_set **set,
                           mls_error *error) MLS_MUST_USE;
void mls_rcp_set_free(mls_rcp_set *set);

/** Sets that were made once for all that ask by the same rules.  Zero-initialised it has none; owns them. */
typedef MLS_LIST_OF(mls_rcp_set *) mls_rcp_sets;

/** The set of the same edition and benchmark, which mls_rcp_set_new() makes where there is none yet; all of a list are
 * of one `own`.  *set lives until the list is released; errors as there. */
mls_status mls_rcp_sets_find(mls_rcp_sets *sets, const mls_rcp_rules *rules, mls_str own, const char *path,
                             mls_rcp_set **set, mls_error *error) MLS_MUST_USE;
void mls_rcp_sets_release(mls_rcp_sets *sets);

/** Fills in all of every point's bar: before it only mean and stdev are known, which is enough to judge by. */
void mls_rcp_set_bars(mls_rcp_set *set);

/** How a batch size relates to the points that were not pruned. */
typedef enum mls_rcp_match {
    MLS_RCP_FOUND,              /**< there is a point of this batch size */
    MLS_RCP_INTERPOLATED,       /**< between two points */
    MLS_RCP_SMALLER_BATCH,      /**< below all points: compared with the smallest one */
    MLS_RCP_MISSING,            /**< above all points, or below all and not slow enough for the smallest one */
    MLS_RCP_NO_POINTS,          /**< nothing to compare with */
    MLS_RCP_NO_CONVERGENCE,     /**< more runs did not converge than may be left out */
    MLS_RCP_NO_BATCH_SIZE,      /**< the logs do not say global_batch_size */
    MLS_RCP_BATCH_SIZES_DIFFER, /**< the logs of one benchmark disagree */
    MLS_RCP_TOO_FEW_RUNS        /**< nothing is left to average */
} mls_rcp_match;

/** "found", "interpolated", "smaller-batch" …: a word for programs; "" for any other number. */
const char *mls_rcp_match_name(mls_rcp_match match);

/** Where the bar is for one batch size.  What is not known is NaN. */
typedef struct mls_rcp_limit {
    mls_rcp_match match; /**< FOUND, INTERPOLATED, SMALLER_BATCH, MISSING or NO_POINTS */
    const char *unit;    /**< lives as long as the set; "" without points */
    double global_batch_size;
    double lower_batch_size, upper_batch_size; /**< of the point compared with, or of the two interpolated between */
    mls_rcp_bar bar;
} mls_rcp_limit;

/** The reference's mean at a batch size: of its point, or interpolated between the two next to it; NaN: it lies outside
 * of all, or there is none.  It takes no test, unlike the whole bar. */
double mls_rcp_set_mean(const mls_rcp_set *set, double global_batch_size);

/** The bar that applies to a batch size. */
mls_rcp_limit mls_rcp_set_limit(const mls_rcp_set *set, double global_batch_size);

/** The verdict on a submission.  Plain values; limit.unit is borrowed from the set. */
typedef struct mls_rcp_result {
    bool pass;
    mls_rcp_match match;
    char message[96];       /**< in the reference checker's words */
    double scale;           /**< as the reference checker reports it: mean / submission mean, at least 1 */
    double score_scale;     /**< what the score is multiplied with: scale when it passes, else 1 */
    double submission_mean; /**< without r values at both ends; NaN when there are too few */
    size_t runs;
    size_t not_converged, allowed; /**< runs that did not converge; r: how many such may be left out */
    mls_rcp_limit limit;
} mls_rcp_result;

/** Judges a submission.  `to_converge` holds one number per run, MLS_RCP_NOT_CONVERGED for one that did not, and is
 * sorted here.  global_batch_size: NaN when none was logged, MLS_RCP_BATCH_SIZE_DIFFERS when the logs do not agree. */
#define MLS_RCP_BATCH_SIZE_DIFFERS (-(double)INFINITY)
mls_rcp_result mls_rcp_check(const mls_rcp_set *set, double global_batch_size, double *to_converge, size_t count);

/** Appends the verdict (score_minutes: unscaled, or NaN), or what a batch size needs, in a line for people. */
struct mls_buffer;
void mls_rcp_result_describe(const mls_rcp_result *result, double score_minutes, struct mls_buffer *words);
void mls_rcp_limit_describe(const mls_rcp_limit *limit, struct mls_buffer *words);
