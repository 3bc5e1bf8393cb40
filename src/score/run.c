/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - what a run can be asked once it has been read: its numbers, how much
 * training it took to converge (by the rules of its benchmark and edition,
 * which nobody knows for sure before its log has ended), and the job around it.
 */
#include "mlscore/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "mlscore/rcp.h"
#include "score/score.h"

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
    *run = (mls_run){.first_ms = nan,
                     .init_start = no_step,
                     .init_stop = no_step,
                     .run_start = no_step,
                     .run_stop = no_step,
                     .global_batch_size = nan,
                     .train_samples = nan,
                     .progress = nowhere,
                     .at_stop = nowhere,
                     .evaluations = {.min = nan, .max = nan, .stride = 1},
                     .throughput = {.min = nan, .max = nan, .stride = 1}};
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

double mls_run_to_converge(const mls_run *run, const char **unit)
{
    const mls_sample *last = &run->evaluations.last;
    const bool epochs = run->evaluations.seen > 0 && isnan(last->samples);
    *unit = epochs ? "epochs" : "samples";
    return run->evaluations.seen == 0 ? (double)NAN : epochs ? last->epochs : last->samples;
}

double mls_run_final_evaluation(const mls_run *run)
{
    return run->evaluations.seen > 0 ? run->evaluations.last.value : (double)NAN;
}

const char *mls_run_config(const mls_run *run)
{
    return run->job.config != NULL ? run->job.config : run->config_filename;
}

const char *mls_run_hyperparameter(const mls_run *run, mls_str key)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        const char *other = run->hyperparameters[i].key;
        if (strlen(other) == key.len && memcmp(other, key.ptr, key.len) == 0) {
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

static void forget(mls_series *series)
{
    free(series->items);
    series->items = NULL;
    series->count = series->capacity = 0;
}

void mls_run_forget_series(mls_run *run)
{
    forget(&run->evaluations);
    forget(&run->throughput);
}

void mls_run_release(mls_run *run)
{
    free(run->file);
    free(run->benchmark);
    free(run->division);
    free(run->organisation);
    free(run->config_filename);
    mls_run_forget_series(run);
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        free(run->hyperparameters[i].key);
        free(run->hyperparameters[i].value);
    }
    free(run->hyperparameters);
    free(run->images);
    if (run->seeds != NULL) {
        mls_seed_log_release(run->seeds);
        free(run->seeds);
    }
    mls_job_release(&run->job);
    mls_findings_release(&run->findings);
    mls_run_init(run);
}

/* ----------------------------------------------------------- convergence */

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

/* ----------------------------------------------------- the job around it */

void mls_job_init(mls_job *job)
{
    *job = (mls_job){.node_count = (double)NAN, .trial = (double)NAN, .trials = (double)NAN};
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static mls_str trimmed(mls_str text)
{
    while (text.len > 0 && is_blank(*text.ptr)) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

/* The next word of *text, which moves behind it; empty at the end. */
static mls_str word_next(mls_str *text)
{
    *text = trimmed(*text);
    mls_str word = {text->ptr, 0};
    while (word.len < text->len && !is_blank(word.ptr[word.len])) {
        word.len++;
    }
    text->ptr += word.len;
    text->len -= word.len;
    return word;
}

static bool set(char **member, mls_str text)
{
    text = trimmed(text);
    if (text.len >= 2 && (text.ptr[0] == '\'' || text.ptr[0] == '"') && text.ptr[text.len - 1] == text.ptr[0]) {
        text.ptr++;
        text.len -= 2;
    }
    if (text.len == 0) {
        return true;
    }
    char *copy = mls_copy_text(text.ptr, text.len);
    if (copy != NULL) {
        free(*member);
        *member = copy;
    }
    return copy != NULL;
}

/* :::DLPAL <container> <job> <nodes> <nodelist> <cluster, perhaps several words> <DGXSYSTEM> */
static bool take_dlpal(mls_job *job, mls_str rest)
{
    (void)word_next(&rest);
    const mls_str container = word_next(&rest);
    const mls_str number = word_next(&rest);
    const mls_str nodes = word_next(&rest);
    const mls_str node_list = word_next(&rest);
    mls_str cluster = trimmed(rest);
    const size_t end = cluster.len;
    while (cluster.len > 0 && !is_blank(cluster.ptr[cluster.len - 1])) {
        cluster.len--;
    }
    const mls_str config = {cluster.ptr + cluster.len, end - cluster.len};
    size_t count;
    if (mls_size_parse(nodes, &count)) {
        job->node_count = (double)count;
    }
    return set(&job->container, container) && set(&job->job, number) && set(&job->node_list, node_list) &&
           set(&job->cluster, cluster) && set(&job->config, config);
}

/* Beginning trial 3 of 10 */
static void take_trial(mls_job *job, mls_str rest)
{
    size_t trial;
    size_t trials;
    (void)word_next(&rest);
    (void)word_next(&rest);
    if (mls_size_parse(word_next(&rest), &trial)) {
        job->trial = (double)trial;
        (void)word_next(&rest);
        job->trials = mls_size_parse(word_next(&rest), &trials) ? (double)trials : (double)NAN;
    }
}

bool mls_job_marker(mls_job *job, const mls_marker *marker)
{
    if (marker->kind == MLS_MARKER_TRIAL_BEGIN) {
        take_trial(job, marker->text);
    }
    return marker->kind != MLS_MARKER_DLPAL || take_dlpal(job, marker->text);
}

static bool fill(char **member, const char *from)
{
    return *member != NULL || from == NULL || (*member = mls_copy_text(from, strlen(from))) != NULL;
}

bool mls_job_inherit(mls_job *job, const mls_job *from)
{
    job->node_count = isnan(job->node_count) ? from->node_count : job->node_count;
    return fill(&job->container, from->container) && fill(&job->job, from->job) &&
           fill(&job->node_list, from->node_list) && fill(&job->cluster, from->cluster) &&
           fill(&job->config, from->config);
}
