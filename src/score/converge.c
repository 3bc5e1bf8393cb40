/* SPDX-License-Identifier: Apache-2.0 */
/*
 * converge.c - how much training a run took to converge, by the rules of its
 * benchmark and edition, which nobody knows for sure before its log has ended.
 */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "mlscore/rcp.h"

/* epoch_num is compared after rounding to this many digits, as the reference checker does. */
#define EPOCH_DECIMALS 3

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
static mls_status images_reached(const mls_run *run, const mls_benchmark *benchmark, mls_progress counts,
                                 double *reached)
{
    image_point *points = calloc(run->image_count + 1, sizeof *points);
    size_t count = 0;
    *reached = NAN;
    if (points == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < run->image_count; i++) {
        const mls_image_evaluation *evaluation = &run->images[i];
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

mls_status mls_run_reached(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                           bool train_samples, double *reached)
{
    const mls_progress counts = mls_benchmark_counts(benchmark, edition);
    if (train_samples && benchmark->train_samples) {
        *reached = run->train_samples;
        return MLS_OK;
    }
    if (!isnan(benchmark->fid_most)) {
        return images_reached(run, benchmark, counts, reached);
    }
    *reached = progress_of(run->run_stop.line > 0 ? &run->at_stop : &run->progress, counts);
    return MLS_OK;
}

mls_status mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                                   bool train_samples, double *number)
{
    *number = MLS_RCP_NOT_CONVERGED;
    return run->converged ? mls_run_reached(run, benchmark, edition, train_samples, number) : MLS_OK;
}
