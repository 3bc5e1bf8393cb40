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

/* ---------------------------------------------------------- the sequence */

static void mls_step_missing(mls_run *run, const char *step, const char *why)
{
    mls_findings_add(&run->findings, MLS_FINDING_MISSING_STEP, (mls_finding_place){.key = mls_str_from(step)},
                     "no %s: %s", step, why);
}

/* The second step came before the first; either may be missing, which is a finding of its own. */
static void mls_steps_ordered(mls_run *run, const char *first, mls_step a, const char *second, mls_step b)
{
    if (a.line > 0 && b.line > 0 && b.time_ms < a.time_ms) {
        mls_findings_add(&run->findings, MLS_FINDING_STEP_ORDER,
                         (mls_finding_place){.line = b.line, .key = mls_str_from(second)},
                         "%s is %.0f ms before %s (line %zu)", second, a.time_ms - b.time_ms, first, a.line);
    }
}

static void mls_run_judge_sequence(mls_run *run)
{
    if (run->init_start.line == 0) {
        mls_step_missing(run, "init_start", "nothing says when the run began to initialise");
    }
    if (run->init_stop.line == 0) {
        mls_step_missing(run, "init_stop", "the run never finished initialising, or did not log it");
    }
    if (run->run_start.line == 0) {
        mls_step_missing(run, "run_start", "the run never started training");
    } else if (run->run_stop.line == 0) {
        mls_step_missing(run, "run_stop", "the run died while training, or did not log its end");
    }
    if (run->run_start.line > 0 && run->evaluations.seen == 0) {
        mls_step_missing(run, "eval_accuracy", "the model was never evaluated");
    }
    const mls_sample *last = &run->evaluations.last;
    const mls_sample *first = run->evaluations.count > 0 ? &run->evaluations.items[0] : last;
    const bool evaluated = run->evaluations.seen > 0;
    const mls_step first_evaluation = {first->time_ms, evaluated ? first->line : 0};
    mls_steps_ordered(run, "init_start", run->init_start, "init_stop", run->init_stop);
    mls_steps_ordered(run, "init_stop", run->init_stop, "run_start", run->run_start);
    mls_steps_ordered(run, "run_start", run->run_start, "the first evaluation", first_evaluation);
    mls_steps_ordered(run, "run_start", run->run_start, "run_stop", run->run_stop);
}

static void mls_run_judge_status(mls_run *run)
{
    const mls_finding_place place = {.line = run->run_stop.line, .key = MLS_S("run_stop")};
    if (run->run_stop.line == 0 || run->status == MLS_RUN_SUCCESS) {
        return;
    }
    if (run->status == MLS_RUN_ABORTED) {
        const char *unit;
        const double converge = mls_run_to_converge(run, &unit);
        const double value = mls_run_final_evaluation(run);
        if (isnan(value) || isnan(converge)) {
            mls_findings_add(&run->findings, MLS_FINDING_STATUS, place, "aborted");
        } else {
            const char *target = mls_run_hyperparameter(run, MLS_S("target_accuracy"));
            mls_findings_add(&run->findings, MLS_FINDING_STATUS, place,
                             "aborted: the last evaluation gave %.6g at %.10g %s%s%s", value, converge, unit,
                             target != NULL ? ", target " : "", target != NULL ? target : "");
        }
    } else if (run->status == MLS_RUN_OTHER_STATUS) {
        mls_findings_add(&run->findings, MLS_FINDING_STATUS, place, "run_stop has a status that is not success");
    } else {
        mls_findings_add(&run->findings, MLS_FINDING_STATUS, place, "run_stop has no status in its metadata");
    }
}

void mls_run_finish(mls_run *run)
{
    mls_run_judge_sequence(run);
    mls_run_judge_status(run);
    run->out_of_memory |= run->findings.out_of_memory;
    run->valid = run->findings.count_error == 0;
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
