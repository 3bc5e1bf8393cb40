/* SPDX-License-Identifier: Apache-2.0 */
#include "score/converge.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "mlscore/rcp.h"
#include "mlscore/value.h"

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

static double progress_of(const mls_training_progress *progress, mls_progress counts)
{
    return counts == MLS_PROGRESS_SAMPLES ? progress->samples_count
           : counts == MLS_PROGRESS_STEPS ? progress->step_num
                                          : mls_number_round(progress->epoch_num, EPOCH_DECIMALS);
}

/* The smallest count at which an FID and a CLIP evaluation both meet their targets; NaN if none. */
static mls_status images_reached(const mls_converge *converge, const mls_benchmark *benchmark, mls_progress counts,
                                 double *reached)
{
    image_point *points = calloc(converge->count + 1, sizeof *points);
    size_t count = 0;
    *reached = NAN;
    if (points == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < converge->count; i++) {
        const mls_image_evaluation *evaluation = &converge->items[i];
        double at = progress_of(&evaluation->at, counts);
        if (!isnan(at)) {
            bool met = evaluation->is_clip ? evaluation->value >= benchmark->clip_least
                                           : evaluation->value <= benchmark->fid_most;
            points[count++] = (image_point){at, evaluation->is_clip, met};
        }
    }
    qsort(points, count, sizeof *points, compare_image_points);
    for (size_t i = 0; i < count && isnan(*reached);) {
        bool fid = false;
        bool clip = false;
        double at = points[i].at;
        for (; i < count && !(points[i].at > at); i++) {
            fid = fid || (!points[i].is_clip && points[i].met);
            clip = clip || (points[i].is_clip && points[i].met);
        }
        *reached = fid && clip ? at : NAN;
    }
    free(points);
    return MLS_OK;
}

mls_status mls_converge_reached(const mls_converge *converge, const mls_benchmark *benchmark,
                                const mls_edition *edition, bool train_samples, double *reached)
{
    const mls_progress counts = mls_benchmark_counts(benchmark, edition);
    if (train_samples && benchmark->train_samples) {
        *reached = converge->train_samples;
        return MLS_OK;
    }
    if (!isnan(benchmark->fid_most)) {
        return images_reached(converge, benchmark, counts, reached);
    }
    *reached = progress_of(converge->stopped ? &converge->at_stop : &converge->last, counts);
    return MLS_OK;
}

mls_status mls_converge_number(const mls_converge *converge, const mls_benchmark *benchmark, const mls_edition *edition,
                               bool train_samples, double *number)
{
    *number = MLS_RCP_NOT_CONVERGED;
    return converge->converged ? mls_converge_reached(converge, benchmark, edition, train_samples, number) : MLS_OK;
}
