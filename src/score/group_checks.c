/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_checks.c - convergence, seeds, energy, weak scaling and the config of
 * a group: whether each is checked, what came of it, and what is said of it.
 */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "mlscore/value.h"

#define MILLISECONDS_PER_MINUTE 60000.0

/* Runs that are submitted: with a window, only its own. */
static bool is_submitted(const mls_group *group, size_t index)
{
    return group->marks[index] != MLS_OLYMPIC_OUTSIDE;
}

/* Convergence and seeds are checked in the closed division, from edition 1.0.0 on. */
static bool is_checked(const mls_group *group, const mls_score_options *options)
{
    const mls_division division = options->division != MLS_DIVISION_NONE ? options->division : group->division;
    return division == MLS_DIVISION_CLOSED && group->edition->number >= MLS_EDITION_NUMBER(1, 0, 0);
}

/* ------------------------------------------------------------ convergence */

/* The batch size the submitted runs agree on; NAN: none logged one; MLS_RCP_BATCH_SIZE_DIFFERS. */
static double submitted_batch_size(const mls_group *group)
{
    double batch_size = NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        const double logged = group->runs[i]->global_batch_size;
        if (is_submitted(group, i) && !isnan(logged)) {
            if (!isnan(batch_size) && batch_size != logged) {
                return MLS_RCP_BATCH_SIZE_DIFFERS;
            }
            batch_size = logged;
        }
    }
    return batch_size;
}

/* Whose rules say how a run converged: those of the benchmark that its log names, if the edition has it. */
static const mls_benchmark *judged_by(const mls_group *group, const mls_run *run, const mls_editions *editions)
{
    const mls_str named = mls_str_from(run->benchmark);
    return mls_edition_has_benchmark(group->edition, named) ? mls_benchmark_find(editions, group->usage, named)
                                                            : group->rules;
}

/* The same of all runs, where they agree. */
static const mls_benchmark *group_judged_by(const mls_group *group, const mls_editions *editions)
{
    const mls_benchmark *rules = group->run_count > 0 ? judged_by(group, group->runs[0], editions) : group->rules;
    for (size_t i = 1; i < group->run_count; i++) {
        rules = judged_by(group, group->runs[i], editions) == rules ? rules : group->rules;
    }
    return rules;
}

static mls_status compare_with_points(mls_group *group, const mls_score_options *options)
{
    size_t count = 0;
    double *to_converge = calloc(group->run_count + 1, sizeof *to_converge);
    mls_status status = to_converge != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    for (size_t i = 0; i < group->run_count && status == MLS_OK; i++) {
        if (is_submitted(group, i)) {
            const mls_benchmark *rules = judged_by(group, group->runs[i], options->editions);
            status = mls_run_converge_number(group->runs[i], rules, group->edition, options->bert_train_samples,
                                             &to_converge[count++]);
        }
    }
    if (status == MLS_OK) {
        group->rcp.result = mls_rcp_check(group->rcp.set, submitted_batch_size(group), to_converge, count);
    }
    free(to_converge);
    return status;
}

/* A failure in one sentence, whose first word the check says already. */
static mls_status describe_failure(mls_group *group)
{
    const bool bypassed = group->rcp.check == MLS_CHECK_BYPASSED;
    mls_buffer words = {0};
    mls_rcp_result_describe(&group->rcp.result, group->score.score_minutes, &words);
    mls_str text = mls_buffer_str(&words);
    if (mls_str_starts(text, MLS_S("fail: "))) {
        text.ptr += strlen("fail: ");
    }
    if (!words.failed) {
        mls_findings_add_as(&group->rcp.findings, MLS_FINDING_RCP, bypassed ? MLS_SEVERITY_WARNING : MLS_SEVERITY_ERROR,
                            (mls_finding_place){.path = group->path}, "%s%s", text.ptr, bypassed ? " (bypassed)" : "");
    }
    const bool complete = !words.failed && !group->rcp.findings.out_of_memory;
    mls_buffer_release(&words);
    return complete ? MLS_OK : MLS_ERROR_MEMORY;
}

mls_status mls_group_check_rcp(mls_group *group, const mls_score_options *options, mls_error *error)
{
    mls_rcp_outcome *rcp = &group->rcp;
    group->scale = 1;
    group->scaled_minutes = group->score.score_minutes;
    const mls_benchmark *benchmark = group_judged_by(group, options->editions);
    if (!is_checked(group, options) || !benchmark->reference_points ||
        !mls_edition_has_benchmark(group->edition, mls_str_from(benchmark->name))) {
        return MLS_OK;
    }
    const mls_rcp_rules rules = {options->editions, group->edition, benchmark};
    mls_status status = mls_rcp_set_new(&rules, options->rcp_text, options->rcp_text.len > 0 ? options->rcp_path : NULL,
                                        &rcp->set, error);
    if (status == MLS_OK) {
        status = compare_with_points(group, options);
    }
    if (status != MLS_OK) {
        return status;
    }
    group->scale = rcp->result.score_scale;
    group->scaled_minutes = group->score.score_minutes * group->scale;
    rcp->check = rcp->result.pass ? MLS_CHECK_PASS : options->rcp_bypass ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
    return rcp->result.pass ? MLS_OK : describe_failure(group);
}

/* ------------------------------------------------------------------ seeds */

mls_status mls_group_check_seeds(mls_group *group, const mls_score_options *options)
{
    size_t count = 0;
    if (!is_checked(group, options)) {
        return MLS_OK;
    }
    const mls_run **submitted = (const mls_run **)calloc(group->run_count + 1, sizeof *submitted);
    if (submitted == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < group->run_count; i++) {
        if (is_submitted(group, i)) {
            submitted[count++] = group->runs[i];
        }
    }
    const mls_status status = mls_seeds_check(submitted, count, options->seed_bypass, &group->seeds);
    free((void *)submitted);
    return status;
}

/* ----------------------------------------------------------------- energy */

void mls_group_energy(mls_group *group)
{
    mls_power_outcome *power = &group->power;
    double sum = 0;
    size_t kept = 0;
    power->energy_joules = NAN;
    if (power->joules == NULL) {
        return;
    }
    power->check = power->wrong == 0 ? MLS_CHECK_PASS : MLS_CHECK_FAIL;
    for (size_t i = 0; i < group->run_count; i++) {
        if (group->marks != NULL && group->marks[i] == MLS_OLYMPIC_KEPT) {
            sum += power->joules[i];
            kept++;
        }
    }
    if (kept > 0 && isfinite(group->score.score_minutes)) {
        power->energy_joules = sum / (double)kept * group->scale;
    }
}

/* ----------------------------------------------------------- weak scaling */

/* A number that the run logged before it started; NAN when it did not. */
static double logged_number(const mls_run *run, mls_str key)
{
    double number;
    const char *text = mls_run_hyperparameter(run, key);
    return text != NULL && mls_json_number(mls_str_from(text), &number) ? number : (double)NAN;
}

/* results/<system>/weak/<benchmark> */
static bool is_weak(const mls_group *group)
{
    const mls_str path = mls_str_from(group->path);
    const char *slash = group->result_folder && path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    if (slash == NULL || group->usage != MLS_USAGE_HPC) {
        return false;
    }
    const mls_str parent = {path.ptr, (size_t)(slash - path.ptr)};
    return mls_str_equal(parent, MLS_S("weak")) || mls_str_ends(parent, MLS_S("/weak"));
}

void mls_group_check_weak(mls_group *group)
{
    mls_weak_outcome *weak = &group->weak;
    double first_start = INFINITY;
    double last_stop = -(double)INFINITY;
    bool differ = false;
    if (!is_weak(group)) {
        return;
    }
    weak->instance_scale = weak->minutes = NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        if (!run->valid || !isfinite(mls_run_minutes(run))) {
            continue;
        }
        const double accelerators = logged_number(run, MLS_S("accelerators_per_node"));
        const double scale = logged_number(run, MLS_S("number_of_nodes")) * (accelerators > 1 ? accelerators : 1);
        first_start = fmin(first_start, run->run_start.time_ms);
        last_stop = fmax(last_stop, run->run_stop.time_ms);
        if (weak->models++ == 0) {
            weak->instance_scale = scale;
        } else {
            differ |= scale != weak->instance_scale && !(isnan(scale) && isnan(weak->instance_scale));
        }
    }
    if (weak->models > 0) {
        weak->minutes = (last_stop - first_start) / MILLISECONDS_PER_MINUTE;
    }
    weak->check = weak->models > 0 && weak->models >= group->rules->runs_needed ? MLS_CHECK_PASS : MLS_CHECK_FAIL;
    if (differ) {
        mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP,
                         (mls_finding_place){.key = MLS_S("number_of_nodes")},
                         "the runs differ in number_of_nodes times accelerators_per_node; the first valid one counts");
    }
}

/* ----------------------------------------------------------------- config */

void mls_group_check_config(mls_group *group)
{
    if (group->config == NULL) {
        return;
    }
    group->shape = mls_config_name_decode(mls_str_from(group->config));
    const double named = (double)group->shape.global_batch_size;
    if (group->shape.problem != NULL) {
        mls_findings_add_as(&group->findings, MLS_FINDING_CONFIG_NAME, MLS_SEVERITY_ADVICE, (mls_finding_place){0},
                            "the config that the logs name: %s", group->shape.problem);
    }
    if (named > 0 && !isnan(group->global_batch_size) && named != group->global_batch_size) {
        mls_findings_add(&group->findings, MLS_FINDING_CONFIG_LOGGED_BATCH,
                         (mls_finding_place){.key = MLS_S("global_batch_size")},
                         "the name of the config gives a global batch of %.0f with micro batch 1, the logs say %.15g",
                         named, group->global_batch_size);
    }
}
