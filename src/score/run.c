/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - what a run can be asked, once it has been read.
 */
#include "mlscore/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "score/score.h"
#include "score/statistics.h"

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
    *unit = "samples";
    if (run->evaluations.seen == 0) {
        return (double)NAN;
    }
    if (!isnan(run->evaluations.last.samples)) {
        return run->evaluations.last.samples;
    }
    *unit = "epochs";
    return run->evaluations.last.epochs;
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
        if (strncmp(other, key.ptr, key.len) == 0 && other[key.len] == '\0') {
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
