/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp.c - from the values of reference runs to limits, and a submission held
 * against them.
 */
#include "mlscore/rcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "score/score.h"
#include "score/statistics.h"

/* A submission passes unless its mean is below the reference's at this level of significance. */
#define SIGNIFICANCE 0.05
/* The bisection ends when the bracket is at most this wide; it halves, so a double needs at most 1100 steps. */
#define BRACKET_WIDTH 1e-4
#define BISECTION_STEPS_MAX 1100

/*
 * The smallest mean of a submission of `runs` runs that a one-sided t test
 * does not tell from the reference: bisected on [0, mean], the result being
 * the middle of the final bracket, which no test was made of.  `count` is the
 * number of reference values averaged.
 */
static double least_acceptable_mean(double mean, double stdev, double count, size_t runs)
{
    if (!(stdev > 0)) {
        return mean;
    }
    double low = 0;
    double high = mean;
    for (int step = 0; step < BISECTION_STEPS_MAX && high - low > BRACKET_WIDTH; step++) {
        const double middle = (low + high) / 2;
        mls_t_test test = mls_t_test_two_samples((mls_test_sample){middle, stdev, count},
                                                 (mls_test_sample){mean, stdev, (double)runs - 2});
        if (test.p_lower > SIGNIFICANCE) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return (low + high) / 2;
}

/* A benchmark that is evaluated seldom may seem to converge that much earlier. */
static double max_speedup(const mls_rcp_set *set, double mean, double least_mean)
{
    least_mean -= mls_benchmark_evaluation_interval(set->rules.benchmark, set->rules.edition);
    return least_mean > 0 ? mean / least_mean : (double)INFINITY;
}

static int compare_points(const void *left, const void *right)
{
    const mls_rcp_point *a = left;
    const mls_rcp_point *b = right;
    return mls_compare_doubles(a->global_batch_size, b->global_batch_size);
}

/* The value at `x` on the line through (x0, y0) and (x1, y1). */
static double interpolate(double x, double x0, double y0, double x1, double y1)
{
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/*
 * Drops the points of smaller batches than the fastest-converging one, then
 * each point that lies above the line between its neighbours, the one before
 * being the last that stayed.
 */
static void prune_points(mls_rcp_set *set)
{
    size_t fastest = 0;
    for (size_t i = 0; i < set->count; i++) {
        set->items[i].pruned = false;
        if (set->items[i].mean < set->items[fastest].mean) {
            fastest = i;
        }
    }
    for (size_t i = 0; i < fastest; i++) {
        set->items[i].pruned = true;
    }
    const mls_rcp_point *previous = NULL;
    for (size_t i = fastest; i < set->count; i++) {
        mls_rcp_point *point = &set->items[i];
        if (previous != NULL && i + 1 < set->count) {
            const mls_rcp_point *next = point + 1;
            point->pruned = point->mean > interpolate(point->global_batch_size, previous->global_batch_size,
                                                      previous->mean, next->global_batch_size, next->mean);
        }
        previous = point->pruned ? previous : point;
    }
}

void mls_rcp_set_prepare(mls_rcp_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        mls_rcp_point *point = &set->items[i];
        double averaged = (double)(point->count - 2 * set->rules.benchmark->left_out);
        point->mean = mls_mean_trimmed(point->to_converge, point->count, set->rules.benchmark->left_out);
        point->stdev = mls_stdev_population(point->to_converge, point->count);
        point->least_mean =
            least_acceptable_mean(point->mean, point->stdev, averaged, set->rules.benchmark->runs_needed);
        point->max_speedup = max_speedup(set, point->mean, point->least_mean);
        point->limit = point->mean / point->max_speedup;
    }
    if (set->count > 1) {
        qsort(set->items, set->count, sizeof *set->items, compare_points);
    }
    prune_points(set);
}

static void limit_from_point(mls_rcp_limit *limit, mls_rcp_match match, const mls_rcp_point *point)
{
    limit->match = match;
    limit->lower_batch_size = limit->upper_batch_size = point->global_batch_size;
    limit->mean = point->mean;
    limit->stdev = point->stdev;
    limit->least_mean = point->least_mean;
    limit->max_speedup = point->max_speedup;
    limit->limit = point->limit;
}

static void limit_between(mls_rcp_limit *limit, const mls_rcp_set *set, const mls_rcp_point *below,
                          const mls_rcp_point *above)
{
    double batch = limit->global_batch_size;
    limit->match = MLS_RCP_INTERPOLATED;
    limit->lower_batch_size = below->global_batch_size;
    limit->upper_batch_size = above->global_batch_size;
    limit->mean = interpolate(batch, below->global_batch_size, below->mean, above->global_batch_size, above->mean);
    limit->stdev = interpolate(batch, below->global_batch_size, below->stdev, above->global_batch_size, above->stdev);
    limit->least_mean = least_acceptable_mean(limit->mean, limit->stdev, 2 * (double)set->rules.benchmark->runs_needed,
                                              set->rules.benchmark->runs_needed);
    limit->max_speedup = max_speedup(set, limit->mean, limit->least_mean);
    limit->limit = limit->mean / limit->max_speedup;
}

mls_rcp_limit mls_rcp_set_limit(const mls_rcp_set *set, double global_batch_size)
{
    mls_rcp_limit limit = {MLS_RCP_NO_POINTS, "", global_batch_size, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const mls_rcp_point *below = NULL;
    const mls_rcp_point *above = NULL;
    for (size_t i = 0; i < set->count && above == NULL; i++) {
        const mls_rcp_point *point = &set->items[i];
        if (point->pruned) {
            continue;
        }
        limit.unit = point->unit;
        if (point->global_batch_size <= global_batch_size) {
            below = point;
        }
        if (point->global_batch_size >= global_batch_size) {
            above = point;
        }
    }
    if (below != NULL && below == above) {
        limit_from_point(&limit, MLS_RCP_FOUND, below);
    } else if (below != NULL && above != NULL) {
        limit_between(&limit, set, below, above);
    } else if (above != NULL) {
        limit_from_point(&limit, MLS_RCP_SMALLER_BATCH, above);
    } else if (below != NULL) {
        limit.match = MLS_RCP_MISSING;
        limit.lower_batch_size = below->global_batch_size;
    }
    return limit;
}

const char *mls_rcp_match_name(mls_rcp_match match)
{
    static const char *const names[] = {
        [MLS_RCP_FOUND] = "found",
        [MLS_RCP_INTERPOLATED] = "interpolated",
        [MLS_RCP_SMALLER_BATCH] = "smaller-batch",
        [MLS_RCP_MISSING] = "missing",
        [MLS_RCP_NO_POINTS] = "no-points",
        [MLS_RCP_NO_CONVERGENCE] = "no-convergence",
        [MLS_RCP_NO_BATCH_SIZE] = "no-batch-size",
        [MLS_RCP_BATCH_SIZES_DIFFER] = "batch-sizes-differ",
        [MLS_RCP_TOO_FEW_RUNS] = "too-few-runs",
    };
    return (size_t)match < sizeof names / sizeof names[0] ? names[match] : "";
}

static void write_message(mls_rcp_result *result)
{
    static const char *const messages[] = {
        [MLS_RCP_FOUND] = "RCP found",
        [MLS_RCP_INTERPOLATED] = "RCP Interpolation",
        [MLS_RCP_SMALLER_BATCH] = "RCP not found but slower convergence on smaller batch size",
        [MLS_RCP_NO_POINTS] = "Cannot find any RCPs",
        [MLS_RCP_NO_CONVERGENCE] = "Insufficient convergence",
        [MLS_RCP_NO_BATCH_SIZE] = "Could not detect global_batch_size",
        [MLS_RCP_BATCH_SIZES_DIFFER] = "The logs differ in global_batch_size",
        [MLS_RCP_TOO_FEW_RUNS] = "Too few runs",
    };
    if (result->match == MLS_RCP_MISSING) {
        (void)mls_text_printf(result->message, sizeof result->message, "Missing RCP, please submit RCP with BS = %.17g",
                              result->limit.global_batch_size);
    } else {
        (void)mls_text_printf(result->message, sizeof result->message, "%s", messages[result->match]);
    }
}

/* Compares the submission's mean with the limit, once all numbers are there. */
static void judge(mls_rcp_result *result)
{
    const mls_rcp_limit *limit = &result->limit;
    result->match = limit->match;
    if (limit->match == MLS_RCP_MISSING || limit->match == MLS_RCP_NO_POINTS) {
        return;
    }
    result->pass = result->submission_mean >= limit->limit;
    if (result->submission_mean < limit->mean) {
        result->scale = limit->mean / result->submission_mean;
    }
    if (!result->pass && limit->match == MLS_RCP_SMALLER_BATCH) {
        result->match = MLS_RCP_MISSING;
    }
    result->score_scale = result->pass ? result->scale : 1;
}

mls_status mls_rcp_check(const mls_rcp_set *set, double global_batch_size, const double *to_converge, size_t count,
                         mls_rcp_result *result)
{
    bool batch_known = global_batch_size > 0 && isfinite(global_batch_size);
    *result = (mls_rcp_result){.scale = 1,
                               .score_scale = 1,
                               .submission_mean = NAN,
                               .runs = count,
                               .allowed = set->rules.benchmark->left_out,
                               .limit = mls_rcp_set_limit(set, batch_known ? global_batch_size : (double)NAN)};
    if (count > 0) {
        double *sorted = count <= SIZE_MAX / sizeof *sorted ? malloc(count * sizeof *sorted) : NULL;
        if (sorted == NULL) {
            return MLS_ERROR_MEMORY;
        }
        memcpy(sorted, to_converge, count * sizeof *sorted);
        mls_sort_doubles(sorted, count);
        for (size_t i = 0; i < count; i++) {
            result->not_converged += !(sorted[i] < MLS_RCP_NOT_CONVERGED) && !(sorted[i] > MLS_RCP_NOT_CONVERGED);
        }
        result->submission_mean = mls_mean_trimmed(sorted, count, set->rules.benchmark->left_out);
        free(sorted);
    }
    if (!batch_known) {
        result->match = isinf(global_batch_size) ? MLS_RCP_BATCH_SIZES_DIFFER : MLS_RCP_NO_BATCH_SIZE;
    } else if (result->not_converged > result->allowed) {
        result->match = MLS_RCP_NO_CONVERGENCE;
    } else if (isnan(result->submission_mean)) {
        result->match = MLS_RCP_TOO_FEW_RUNS;
    } else {
        judge(result);
    }
    write_message(result);
    return MLS_OK;
}
