/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - what a run can be asked once it has been read: its numbers, how much training it took to converge (by the
 * rules of its benchmark and edition, which nobody knows for sure before its log has ended), and the job around it.
 */
#include "mlscore/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "mlscore/rcp.h"

const char *mls_run_status_name(mls_run_status status)
{
    static const char *const names[] = {NULL, "success", "aborted", "other"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : NULL;
}

void mls_run_init(mls_run *run)
{
    const double nan = (double)NAN;
    const mls_step no_step = {nan, 0};
    const mls_training_progress nowhere = {nan, nan, nan};
    const mls_evaluation none = {.time_ms = nan, .value = nan, .at = nowhere};
    *run = (mls_run){.first_ms = nan,
                     .init_start = no_step,
                     .init_stop = no_step,
                     .run_start = no_step,
                     .run_stop = no_step,
                     .global_batch_size = nan,
                     .train_samples = nan,
                     .first_evaluation = none,
                     .last_evaluation = none,
                     .progress = nowhere,
                     .at_stop = nowhere};
    mls_job_init(&run->job);
}

double mls_run_minutes(const mls_run *run)
{
    return (run->run_stop.time_ms - run->run_start.time_ms) / 60000;
}

double mls_run_init_minutes(const mls_run *run)
{
    return (run->init_stop.time_ms - run->init_start.time_ms) / 60000;
}

mls_convergence mls_run_to_converge(const mls_run *run)
{
    const mls_training_progress *at = &run->last_evaluation.at;
    const bool epochs = run->evaluations > 0 && isnan(at->samples_count);
    return epochs ? (mls_convergence){at->epoch_num, "epochs"} : (mls_convergence){at->samples_count, "samples"};
}

const char *mls_run_config(const mls_run *run)
{
    return run->job.config != NULL ? run->job.config : run->config_filename;
}

const char *mls_run_hyperparameter(const mls_run *run, mls_str key)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        if (mls_str_equal(run->hyperparameters[i].key, key)) {
            return run->hyperparameters[i].value;
        }
    }
    return NULL;
}

bool mls_run_exists(const mls_run *run)
{
    return run->init_start.line > 0 || run->run_start.line > 0;
}

int mls_run_compare(const mls_run *a, const mls_run *b)
{
    int order = mls_compare_doubles(a->first_ms, b->first_ms);
    order = order != 0 ? order : mls_compare_doubles(a->run_start.time_ms, b->run_start.time_ms);
    return order != 0 ? order : mls_compare_doubles(a->run_stop.time_ms, b->run_stop.time_ms);
}

void mls_run_release(mls_run *run)
{
    free(run->file);
    free(run->benchmark);
    free(run->division);
    free(run->organisation);
    free(run->config_filename);
    free(run->hyperparameters);
    free(run->seeds);
    free(run->images);
    if (run->arena != NULL) {
        mls_arena_release(run->arena);
        free(run->arena);
    }
    mls_job_release(&run->job);
    mls_findings_release(&run->findings);
    mls_run_init(run);
}

/* epoch_num is compared after rounding to this many digits, as the reference checker does. */
#define EPOCH_DECIMALS 3

/* Where in training an evaluation met its target. */
typedef struct image_point {
    double at;
    bool is_clip;
} image_point;

static int compare_image_points(const void *left, const void *right)
{
    return mls_compare_doubles(((const image_point *)left)->at, ((const image_point *)right)->at);
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
    bool met[2] = {false, false};
    size_t count = 0;
    *reached = NAN;
    if (points == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < run->image_count; i++) {
        const mls_evaluation *image = &run->images[i];
        points[count] = (image_point){progress_of(&image->at, counts), image->is_clip};
        count += !isnan(points[count].at) &&
                 (image->is_clip ? image->value >= benchmark->clip_least : image->value <= benchmark->fid_most);
    }
    qsort(points, count, sizeof *points, compare_image_points);
    for (size_t i = 0; i < count && isnan(*reached); i++) {
        met[!points[i].is_clip] = met[!points[i].is_clip] && !(points[i].at > points[i - 1].at);
        met[points[i].is_clip] = true;
        *reached = met[0] && met[1] ? points[i].at : (double)NAN;
    }
    free(points);
    return MLS_OK;
}

mls_status mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                                   bool train_samples, double *number)
{
    const mls_progress counts = mls_benchmark_counts(benchmark, edition);
    if (run->converged && !isnan(benchmark->fid_most) && !(train_samples && benchmark->train_samples)) {
        return images_reached(run, benchmark, counts, number);
    }
    *number = !run->converged                             ? MLS_RCP_NOT_CONVERGED
              : train_samples && benchmark->train_samples ? run->train_samples
                                                          : progress_of(&run->at_stop, counts);
    return MLS_OK;
}

void mls_job_init(mls_job *job)
{
    *job = (mls_job){.node_count = (double)NAN};
}

void mls_job_release(mls_job *job)
{
    free(job->container);
    free(job->job);
    free(job->node_list);
    free(job->cluster);
    free(job->config);
    mls_job_init(job);
}

static bool set(char **member, mls_str text)
{
    if (text.len >= 2 && (text.ptr[0] == '\'' || text.ptr[0] == '"') && text.ptr[text.len - 1] == text.ptr[0]) {
        text.ptr++;
        text.len -= 2;
    }
    char *copy = text.len > 0 ? mls_copy_text(text.ptr, text.len) : NULL;
    if (copy != NULL) {
        free(*member);
        *member = copy;
    }
    return text.len == 0 || copy != NULL;
}

/* :::DLPAL <container> <job> <nodes> <nodelist> <cluster, perhaps several words> <DGXSYSTEM> */
bool mls_job_marker(mls_job *job, const mls_marker *marker)
{
    mls_str rest = marker->text;
    size_t count;
    if (marker->kind != MLS_MARKER_DLPAL) {
        return true;
    }
    (void)mls_str_word(&rest);
    const mls_str container = mls_str_word(&rest);
    const mls_str number = mls_str_word(&rest);
    job->node_count = mls_size_parse(mls_str_word(&rest), &count) ? (double)count : job->node_count;
    const mls_str node_list = mls_str_word(&rest);
    mls_str config = mls_str_word(&rest);
    mls_str cluster = {config.ptr, 0};
    for (mls_str word = mls_str_word(&rest); word.len > 0; word = mls_str_word(&rest)) {
        cluster.len = (size_t)(config.ptr + config.len - cluster.ptr);
        config = word;
    }
    return set(&job->container, container) && set(&job->job, number) && set(&job->node_list, node_list) &&
           set(&job->cluster, cluster) && set(&job->config, config);
}

static bool fill_text(char **member, const char *from)
{
    return *member != NULL || from == NULL || (*member = mls_copy_text(from, strlen(from))) != NULL;
}

bool mls_job_inherit(mls_job *job, const mls_job *from)
{
    job->node_count = isnan(job->node_count) ? from->node_count : job->node_count;
    return fill_text(&job->container, from->container) && fill_text(&job->job, from->job) &&
           fill_text(&job->node_list, from->node_list) && fill_text(&job->cluster, from->cluster) &&
           fill_text(&job->config, from->config);
}
