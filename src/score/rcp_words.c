/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_words.c - verdicts and limits of convergence in one line for a person.
 */
#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "mlscore/rcp.h"

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
