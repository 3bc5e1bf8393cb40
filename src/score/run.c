/* SPDX-License-Identifier: Apache-2.0 */
#include "mlscore/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "score/converge.h"
#include "score/seeds.h"

const char *mls_run_status_name(mls_run_status status)
{
    switch (status) {
    case MLS_RUN_SUCCESS:
        return "success";
    case MLS_RUN_ABORTED:
        return "aborted";
    case MLS_RUN_OTHER_STATUS:
        return "other";
    case MLS_RUN_NO_STATUS:
        break;
    }
    return NULL;
}

void mls_run_init(mls_run *run)
{
    const mls_step no_step = {(double)NAN, 0};
    const double nan = (double)NAN;
    *run = (mls_run){.first_ms = nan,
                     .last_ms = nan,
                     .init_start = no_step,
                     .init_stop = no_step,
                     .run_start = no_step,
                     .run_stop = no_step,
                     .global_batch_size = nan,
                     .evaluations = {.min = nan, .max = nan, .stride = 1},
                     .throughput = {.min = nan, .max = nan, .stride = 1},
                     .job = {.node_count = nan, .trial = nan, .trials = nan}};
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
        if (mls_str_equal(mls_str_from(run->hyperparameters[i].key), key)) {
            return run->hyperparameters[i].value;
        }
    }
    return NULL;
}

bool mls_run_exists(const mls_run *run)
{
    return run->init_start.line > 0 || run->run_start.line > 0;
}

/* Times that both are missing agree. */
static bool mls_time_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool mls_run_same(const mls_run *a, const mls_run *b)
{
    return mls_time_same(a->first_ms, b->first_ms) && mls_time_same(a->run_start.time_ms, b->run_start.time_ms) &&
           mls_time_same(a->run_stop.time_ms, b->run_stop.time_ms);
}

void mls_run_release(mls_run *run)
{
    free(run->file);
    free(run->benchmark);
    free(run->division);
    free(run->organisation);
    free(run->platform);
    free(run->config_filename);
    free(run->evaluations.items);
    free(run->throughput.items);
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        free(run->hyperparameters[i].key);
        free(run->hyperparameters[i].value);
    }
    free(run->hyperparameters);
    if (run->seeds != NULL) {
        mls_seed_log_release(run->seeds);
        free(run->seeds);
    }
    if (run->converge != NULL) {
        mls_converge_release(run->converge);
        free(run->converge);
    }
    free(run->job.container);
    free(run->job.job);
    free(run->job.node_list);
    free(run->job.cluster);
    free(run->job.config);
    mls_findings_release(&run->findings);
    mls_run_init(run);
}
