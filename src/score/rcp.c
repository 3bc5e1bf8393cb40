/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp.c - from the values of reference runs to limits, and a submission held
 * against them, in numbers and in words for a person.
 */
#include "mlscore/rcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/locale.h"
#include "base/number.h"
#include "base/statistics.h"
#include "score/score.h"

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
        const double lower_tail = mls_t_test_lower_tail((mls_test_sample){middle, stdev, count},
                                                        (mls_test_sample){mean, stdev, (double)runs - 2});
        if (lower_tail > SIGNIFICANCE) {
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
    const double batch = point->global_batch_size;
    *limit = (mls_rcp_limit){match,        limit->unit,       limit->global_batch_size, batch,       batch, point->mean,
                             point->stdev, point->least_mean, point->max_speedup,       point->limit};
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

/* A word for programs, and the reference checker's words. */
static const struct {
    const char *name;
    const char *message;
} matches[] = {
    [MLS_RCP_FOUND] = {"found", "RCP found"},
    [MLS_RCP_INTERPOLATED] = {"interpolated", "RCP Interpolation"},
    [MLS_RCP_SMALLER_BATCH] = {"smaller-batch", "RCP not found but slower convergence on smaller batch size"},
    [MLS_RCP_MISSING] = {"missing", "Missing RCP, please submit RCP with BS = "},
    [MLS_RCP_NO_POINTS] = {"no-points", "Cannot find any RCPs"},
    [MLS_RCP_NO_CONVERGENCE] = {"no-convergence", "Insufficient convergence"},
    [MLS_RCP_NO_BATCH_SIZE] = {"no-batch-size", "Could not detect global_batch_size"},
    [MLS_RCP_BATCH_SIZES_DIFFER] = {"batch-sizes-differ", "The logs differ in global_batch_size"},
    [MLS_RCP_TOO_FEW_RUNS] = {"too-few-runs", "Too few runs"},
};

const char *mls_rcp_match_name(mls_rcp_match match)
{
    return (size_t)match < sizeof matches / sizeof *matches ? matches[match].name : "";
}

static void write_message(mls_rcp_result *result)
{
    char batch[32] = "";
    if (result->match == MLS_RCP_MISSING) {
        (void)mls_text_printf(batch, sizeof batch, "%.17g", result->limit.global_batch_size);
    }
    (void)mls_text_printf(result->message, sizeof result->message, "%s%s", matches[result->match].message, batch);
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

/* -------------------------------------------------------------- in words */

/* More digits than this behind the point tell nobody anything. */
#define DECIMALS_MAX 9

#define NO_POINTS "there are no reference points for this benchmark"

/* Digits behind the point that suit numbers of this size. */
static int decimals_for(double number)
{
    return number >= 1000 ? 0 : number >= 100 ? 1 : number >= 10 ? 2 : 4;
}

static bool same_text(double a, double b, int decimals)
{
    double unit = pow(10, decimals);
    return fabs(round(a * unit) - round(b * unit)) < 0.5;
}

/* As many decimals as it takes to tell the mean from the limit and from the reference's mean. */
static int decimals_of(const mls_rcp_result *result)
{
    double mean = result->submission_mean;
    const double others[] = {result->limit.limit, result->limit.mean};
    int decimals = decimals_for(mean);
    for (size_t i = 0; i < 2; i++) {
        while (decimals < DECIMALS_MAX && fabs(mean - others[i]) > 0 && same_text(mean, others[i], decimals)) {
            decimals++;
        }
    }
    return decimals;
}

/* A text, and the number behind it. */
static void append(mls_buffer *words, const char *text, double number, int decimals)
{
    mls_buffer_append_text(words, text);
    mls_number_append_trimmed(words, number, decimals);
}

static void append_batch(mls_buffer *words, const char *text, double batch_size)
{
    append(words, text, batch_size, fabs(batch_size - round(batch_size)) > 0 ? DECIMALS_MAX : 0);
}

static void append_between(mls_buffer *words, const mls_rcp_limit *limit)
{
    if (limit->match == MLS_RCP_INTERPOLATED) {
        append_batch(words, " (interpolated between ", limit->lower_batch_size);
        append_batch(words, " and ", limit->upper_batch_size);
        mls_buffer_append_text(words, ")");
    }
}

/* "the limit at batch 9 is 3,061 (interpolated between 8 and 16)", with `is` before the number. */
static void append_limit(mls_buffer *words, const mls_rcp_limit *limit, const char *is, int decimals)
{
    if (limit->match == MLS_RCP_SMALLER_BATCH) {
        append_batch(words, "the limit of the smallest reference batch ", limit->lower_batch_size);
        append_batch(words, " (no point is as small as ", limit->global_batch_size);
        mls_buffer_append_text(words, ")");
    } else {
        append_batch(words, "the limit at batch ", limit->global_batch_size);
    }
    append(words, is, limit->limit, decimals);
    append_between(words, limit);
}

static void append_mean(mls_buffer *words, const char *text, const mls_rcp_result *result, int decimals)
{
    append(words, text, result->submission_mean, decimals);
    mls_buffer_printf(words, "%s%s", result->limit.unit[0] != '\0' ? " " : "", result->limit.unit);
}

static void append_scale(mls_buffer *words, const mls_rcp_result *result, double score_minutes, int decimals)
{
    const bool scaled = result->score_scale > 1;
    append(words, scaled ? "; faster than the reference mean " : "; not faster than the reference mean ",
           result->limit.mean, decimals);
    mls_buffer_append_text(words, scaled ? ", so the score is scaled by " : ", so the score is not scaled");
    if (scaled) {
        mls_number_append_grouped(words, result->score_scale, 4);
    }
    if (scaled && isfinite(score_minutes)) {
        mls_buffer_append_text(words, " to ");
        mls_number_append_grouped(words, score_minutes * result->score_scale, 3);
        mls_buffer_append_text(words, " min");
    }
}

/* What a submitter can do when the points are in the way. */
static void append_remedy(mls_buffer *words, double batch_size)
{
    append_batch(words, "; the rules allow new reference points, made with the reference code at batch ", batch_size);
    mls_buffer_append_text(words, " (try them with --rcp), or a bypass that the review committee agrees to "
                                  "(rcp-bypass in package_checker_params)");
}

static void append_failure(mls_buffer *words, const mls_rcp_result *result, int decimals)
{
    const mls_rcp_limit *limit = &result->limit;
    mls_buffer_append_text(words, "fail: ");
    if (limit->match == MLS_RCP_NO_POINTS) {
        mls_buffer_append_text(words, NO_POINTS);
    } else if (limit->match == MLS_RCP_MISSING) {
        append_batch(words, "no reference point reaches batch ", limit->global_batch_size);
        append_batch(words, ", the largest is ", limit->lower_batch_size);
    } else {
        append_mean(words, "mean ", result, decimals);
        append(words, " is ", limit->limit - result->submission_mean, decimals);
        mls_buffer_append_text(words, " below ");
        append_limit(words, limit, ", ", decimals);
        mls_buffer_append_text(words, ": converges faster than the reference allows");
    }
    append_remedy(words, limit->global_batch_size);
}

void mls_rcp_result_describe(const mls_rcp_result *result, double score_minutes, mls_buffer *words)
{
    const int decimals = decimals_of(result);
    if (result->match == MLS_RCP_NO_BATCH_SIZE) {
        mls_buffer_append_text(words, "fail: the logs do not say global_batch_size, so no reference point applies");
    } else if (result->match == MLS_RCP_BATCH_SIZES_DIFFER) {
        mls_buffer_append_text(words, "fail: the logs differ in global_batch_size; all runs must use the same");
    } else if (result->match == MLS_RCP_NO_CONVERGENCE) {
        mls_buffer_printf(words, "fail: %zu of %zu runs did not converge, only %zu may be left out",
                          result->not_converged, result->runs, result->allowed);
    } else if (result->match == MLS_RCP_TOO_FEW_RUNS) {
        mls_buffer_printf(words, "not judged: %zu of at least %zu runs", result->runs, 2 * result->allowed + 1);
    } else if (!result->pass) {
        append_failure(words, result, decimals);
    } else {
        append_mean(words, "pass: mean ", result, decimals);
        mls_buffer_append_text(words, "; ");
        append_limit(words, &result->limit, " is ", decimals);
        append_scale(words, result, score_minutes, decimals);
    }
}

void mls_rcp_limit_describe(const mls_rcp_limit *limit, mls_buffer *words)
{
    append_batch(words, "batch ", limit->global_batch_size);
    mls_buffer_append_text(words, ": ");
    if (!isfinite(limit->limit)) {
        if (limit->match == MLS_RCP_MISSING) {
            append_batch(words, "no reference point reaches it, the largest is ", limit->lower_batch_size);
        } else {
            mls_buffer_append_text(words, NO_POINTS);
        }
        append_remedy(words, limit->global_batch_size);
        return;
    }
    append(words, "a mean of ", limit->limit, decimals_for(limit->limit));
    mls_buffer_printf(words, "%s%s or more passes", limit->unit[0] != '\0' ? " " : "", limit->unit);
    append_between(words, limit);
    if (limit->match == MLS_RCP_SMALLER_BATCH) {
        append_batch(words, " (that of the smallest reference batch ", limit->lower_batch_size);
        mls_buffer_append_text(words, "; no point is as small)");
    }
    append(words, "; below ", limit->mean, decimals_for(limit->mean));
    mls_buffer_append_text(words, " the score is scaled up");
}
