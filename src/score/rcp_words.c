/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_words.c - verdicts and limits of convergence in one line for a person.
 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "mlscore/rcp.h"

/* More digits than this behind the point tell nobody anything. */
#define DECIMALS_MAX 9

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

static void append_batch_size(mls_buffer *words, double batch_size)
{
    mls_number_append_trimmed(words, batch_size, fabs(batch_size - round(batch_size)) > 0 ? DECIMALS_MAX : 0);
}

static void append_between(mls_buffer *words, const mls_rcp_limit *limit)
{
    if (limit->match == MLS_RCP_INTERPOLATED) {
        mls_buffer_append_text(words, " (interpolated between ");
        append_batch_size(words, limit->lower_batch_size);
        mls_buffer_append_text(words, " and ");
        append_batch_size(words, limit->upper_batch_size);
        mls_buffer_append_text(words, ")");
    }
}

/* "the limit at batch 9 is 3,061 (interpolated between 8 and 16)", with `is` before the number. */
static void append_limit(mls_buffer *words, const mls_rcp_result *result, const char *is, int decimals)
{
    const mls_rcp_limit *limit = &result->limit;
    const bool smallest = limit->match == MLS_RCP_SMALLER_BATCH;
    mls_buffer_append_text(words, smallest ? "the limit of the smallest reference batch " : "the limit at batch ");
    append_batch_size(words, smallest ? limit->lower_batch_size : limit->global_batch_size);
    if (smallest) {
        mls_buffer_append_text(words, " (no point is as small as ");
        append_batch_size(words, limit->global_batch_size);
        mls_buffer_append_text(words, ")");
    }
    mls_buffer_append_text(words, is);
    mls_number_append_trimmed(words, limit->limit, decimals);
    append_between(words, limit);
}

static void append_mean(mls_buffer *words, const mls_rcp_result *result, int decimals)
{
    mls_buffer_append_text(words, "mean ");
    mls_number_append_trimmed(words, result->submission_mean, decimals);
    if (result->limit.unit[0] != '\0') {
        mls_buffer_printf(words, " %s", result->limit.unit);
    }
}

static void append_scale(mls_buffer *words, const mls_rcp_result *result, double score_minutes, int decimals)
{
    if (!(result->score_scale > 1)) {
        mls_buffer_append_text(words, "; not faster than the reference mean ");
        mls_number_append_trimmed(words, result->limit.mean, decimals);
        mls_buffer_append_text(words, ", so the score is not scaled");
        return;
    }
    mls_buffer_append_text(words, "; faster than the reference mean ");
    mls_number_append_trimmed(words, result->limit.mean, decimals);
    mls_buffer_append_text(words, ", so the score is scaled by ");
    mls_number_append_grouped(words, result->score_scale, 4);
    if (isfinite(score_minutes)) {
        mls_buffer_append_text(words, " to ");
        mls_number_append_grouped(words, score_minutes * result->score_scale, 3);
        mls_buffer_append_text(words, " min");
    }
}

/* What a submitter can do when the points are in the way. */
static void append_remedy(mls_buffer *words, double batch_size)
{
    mls_buffer_append_text(words, "; the rules allow new reference points, made with the reference code at batch ");
    append_batch_size(words, batch_size);
    mls_buffer_append_text(words, " (try them with --rcp), or a bypass that the review committee agrees to "
                                  "(rcp-bypass in package_checker_params)");
}

static void describe_failure(mls_buffer *words, const mls_rcp_result *result)
{
    const mls_rcp_limit *limit = &result->limit;
    mls_buffer_append_text(words, "fail: ");
    if (limit->match == MLS_RCP_NO_POINTS) {
        mls_buffer_append_text(words, "there are no reference points for this benchmark");
    } else if (limit->match == MLS_RCP_MISSING) {
        mls_buffer_append_text(words, "no reference point reaches batch ");
        append_batch_size(words, limit->global_batch_size);
        mls_buffer_append_text(words, ", the largest is ");
        append_batch_size(words, limit->lower_batch_size);
    } else {
        int decimals = decimals_of(result);
        append_mean(words, result, decimals);
        mls_buffer_append_text(words, " is ");
        mls_number_append_trimmed(words, limit->limit - result->submission_mean, decimals);
        mls_buffer_append_text(words, " below ");
        append_limit(words, result, ", ", decimals);
        mls_buffer_append_text(words, ": converges faster than the reference allows");
    }
    append_remedy(words, limit->global_batch_size);
}

void mls_rcp_result_describe(const mls_rcp_result *result, double score_minutes, mls_buffer *words)
{
    switch (result->match) {
    case MLS_RCP_NO_BATCH_SIZE:
        mls_buffer_append_text(words, "fail: the logs do not say global_batch_size, so no reference point applies");
        return;
    case MLS_RCP_BATCH_SIZES_DIFFER:
        mls_buffer_append_text(words, "fail: the logs differ in global_batch_size; all runs must use the same");
        return;
    case MLS_RCP_NO_CONVERGENCE:
        mls_buffer_printf(words, "fail: %zu of %zu runs did not converge, only %zu may be left out",
                          result->not_converged, result->runs, result->allowed);
        return;
    case MLS_RCP_TOO_FEW_RUNS:
        mls_buffer_printf(words, "not judged: %zu of at least %zu runs", result->runs, 2 * result->allowed + 1);
        return;
    case MLS_RCP_FOUND:
    case MLS_RCP_INTERPOLATED:
    case MLS_RCP_SMALLER_BATCH:
    case MLS_RCP_MISSING:
    case MLS_RCP_NO_POINTS:
        break;
    }
    if (!result->pass) {
        describe_failure(words, result);
        return;
    }
    int decimals = decimals_of(result);
    mls_buffer_append_text(words, "pass: ");
    append_mean(words, result, decimals);
    mls_buffer_append_text(words, "; ");
    append_limit(words, result, " is ", decimals);
    append_scale(words, result, score_minutes, decimals);
}

void mls_rcp_limit_describe(const mls_rcp_limit *limit, mls_buffer *words)
{
    mls_buffer_append_text(words, "batch ");
    append_batch_size(words, limit->global_batch_size);
    mls_buffer_append_text(words, ": ");
    if (!isfinite(limit->limit)) {
        if (limit->match == MLS_RCP_MISSING) {
            mls_buffer_append_text(words, "no reference point reaches it, the largest is ");
            append_batch_size(words, limit->lower_batch_size);
        } else {
            mls_buffer_append_text(words, "there are no reference points for this benchmark");
        }
        append_remedy(words, limit->global_batch_size);
        return;
    }
    mls_buffer_append_text(words, "a mean of ");
    mls_number_append_trimmed(words, limit->limit, decimals_for(limit->limit));
    mls_buffer_printf(words, "%s%s or more passes", limit->unit[0] != '\0' ? " " : "", limit->unit);
    append_between(words, limit);
    if (limit->match == MLS_RCP_SMALLER_BATCH) {
        mls_buffer_append_text(words, " (that of the smallest reference batch ");
        append_batch_size(words, limit->lower_batch_size);
        mls_buffer_append_text(words, "; no point is as small)");
    }
    mls_buffer_append_text(words, "; below ");
    mls_number_append_trimmed(words, limit->mean, decimals_for(limit->mean));
    mls_buffer_append_text(words, " the score is scaled up");
}
