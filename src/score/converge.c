/* SPDX-License-Identifier: Apache-2.0 */
#include "score/converge.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "mlscore/rcp.h"
#include "mlscore/value.h"
#include "score/edition_order.h"

/* Targets of stable_diffusion: both must be met at one point of the training. */
#define FID_MOST 90.0
#define CLIP_LEAST 0.15
/* epoch_num is compared after rounding to this many digits, as the reference checker does. */
#define EPOCH_DECIMALS 3

void mls_converge_init(mls_converge *converge)
{
    const mls_training_progress nowhere = {NAN, NAN, NAN};
    *converge = (mls_converge){.global_batch_size = NAN, .train_samples = NAN, .last = nowhere, .at_stop = nowhere};
}

void mls_converge_release(mls_converge *converge)
{
    free(converge->items);
    mls_converge_init(converge);
}

static bool member_number(mls_str object, mls_str name, double *number)
{
    mls_str span;
    return mls_json_member(object, name, &span) && mls_json_number(span, number);
}

/* Whether a member is this string; `quoted` is its JSON text. */
static bool member_is(mls_str object, mls_str name, mls_str quoted)
{
    mls_str span;
    return mls_json_member(object, name, &span) && mls_str_equal(span, quoted);
}

static void take_progress(mls_str metadata, mls_training_progress *progress)
{
    (void)member_number(metadata, MLS_S("samples_count"), &progress->samples_count);
    (void)member_number(metadata, MLS_S("epoch_num"), &progress->epoch_num);
    (void)member_number(metadata, MLS_S("step_num"), &progress->step_num);
}

/* Keeps an evaluation that is one of the two that stable_diffusion needs. */
static mls_status take_image_evaluation(mls_converge *converge, const mls_record *record)
{
    mls_image_evaluation evaluation = {{NAN, NAN, NAN}, NAN, false};
    evaluation.is_clip = member_is(record->metadata, MLS_S("metric"), MLS_S("\"CLIP\""));
    if (!evaluation.is_clip && !member_is(record->metadata, MLS_S("metric"), MLS_S("\"FID\""))) {
        return MLS_OK;
    }
    if (!mls_json_number(record->value, &evaluation.value) || converge->count == MLS_CONVERGE_EVALUATIONS_MAX) {
        return MLS_OK;
    }
    take_progress(record->metadata, &evaluation.at);
    if (!MLS_GROW(converge, items)) {
        return MLS_ERROR_MEMORY;
    }
    converge->items[converge->count++] = evaluation;
    return MLS_OK;
}

mls_status mls_converge_record(mls_converge *converge, const mls_record *record)
{
    mls_str key = record->key;
    if (key.len == 0) {
        return MLS_OK;
    }
    if (mls_str_equal(key, MLS_S("eval_accuracy")) || mls_str_equal(key, MLS_S("eval_error"))) {
        take_progress(record->metadata, &converge->last);
        return take_image_evaluation(converge, record);
    }
    if (mls_str_equal(key, MLS_S("global_batch_size"))) {
        if (!mls_json_number(record->value, &converge->global_batch_size)) {
            converge->global_batch_size = NAN;
        }
    } else if (mls_str_equal(key, MLS_S("train_samples"))) {
        if (!mls_json_number(record->value, &converge->train_samples)) {
            converge->train_samples = NAN;
        }
    } else if (mls_str_equal(key, MLS_S("run_stop"))) {
        converge->stopped = true;
        converge->converged = member_is(record->metadata, MLS_S("status"), MLS_S("\"success\""));
        converge->at_stop = converge->last;
    }
    return MLS_OK;
}

bool mls_converge_counts_samples(mls_str benchmark)
{
    static const mls_str names[] = {MLS_STR("llama2_70b_lora"),  MLS_STR("flux1"),       MLS_STR("llama31_405b"),
                                    MLS_STR("llama31_8b"),       MLS_STR("gpt_oss_20b"), MLS_STR("deepseekv3_671b"),
                                    MLS_STR("qwen35_397b_grpo"), MLS_STR("dlrmv4")};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (mls_str_equal(benchmark, names[i])) {
            return true;
        }
    }
    return false;
}

typedef struct image_point {
    double at;
    bool is_clip;
    bool met;
} image_point;

static int compare_image_points(const void *left, const void *right)
{
    const image_point *a = left;
    const image_point *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* The smallest count at which an FID and a CLIP evaluation both meet their targets; NaN if none. */
static double images_reached(const mls_converge *converge, bool by_step)
{
    image_point *points = calloc(converge->count + 1, sizeof *points);
    size_t count = 0;
    for (size_t i = 0; points != NULL && i < converge->count; i++) {
        const mls_image_evaluation *evaluation = &converge->items[i];
        double at = by_step ? evaluation->at.step_num : evaluation->at.samples_count;
        if (!isnan(at)) {
            bool met = evaluation->is_clip ? evaluation->value >= CLIP_LEAST : evaluation->value <= FID_MOST;
            points[count++] = (image_point){at, evaluation->is_clip, met};
        }
    }
    if (count > 1) {
        qsort(points, count, sizeof *points, compare_image_points);
    }
    double reached = NAN;
    for (size_t i = 0; i < count && isnan(reached);) {
        bool fid = false;
        bool clip = false;
        double at = points[i].at;
        for (; i < count && !(points[i].at > at); i++) {
            fid = fid || (!points[i].is_clip && points[i].met);
            clip = clip || (points[i].is_clip && points[i].met);
        }
        reached = fid && clip ? at : NAN;
    }
    free(points);
    return reached;
}

double mls_converge_reached(const mls_converge *converge, mls_str benchmark, mls_str edition, bool bert_train_samples)
{
    const mls_training_progress *progress = converge->stopped ? &converge->at_stop : &converge->last;
    if (bert_train_samples && mls_str_equal(benchmark, MLS_S("bert"))) {
        return converge->train_samples;
    }
    if (mls_str_equal(benchmark, MLS_S("stable_diffusion"))) {
        return images_reached(converge, mls_edition_compare(edition, MLS_S("3.1.0")) == 0);
    }
    if (mls_converge_counts_samples(benchmark)) {
        return progress->samples_count;
    }
    return mls_number_round(progress->epoch_num, EPOCH_DECIMALS);
}

double mls_converge_number(const mls_converge *converge, mls_str benchmark, mls_str edition, bool bert_train_samples)
{
    if (!converge->converged) {
        return MLS_RCP_NOT_CONVERGED;
    }
    return mls_converge_reached(converge, benchmark, edition, bert_train_samples);
}
