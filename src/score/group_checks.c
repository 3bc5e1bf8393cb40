/* SPDX-License-Identifier: Apache-2.0 */
#include "score/group_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mlscore/value.h"
#include "score/converge.h"
#include "score/seeds.h"
#include "score/weak_scaling.h"

const char *mls_run_name(const mls_run *run)
{
    const char *slash = run->file != NULL ? strrchr(run->file, '/') : NULL;
    return slash != NULL ? slash + 1 : run->file;
}

/* Runs that are submitted: with a window, only its own. */
static bool mls_group_counts(const mls_group *group, size_t index)
{
    return group->marks[index] != MLS_OLYMPIC_OUTSIDE;
}

/* The batch size the runs agree on; NAN: none logged one; MLS_RCP_BATCH_SIZE_DIFFERS. */
static double mls_group_rcp_batch_size(const mls_group *group)
{
    double batch_size = (double)NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        const double logged = group->runs[i]->global_batch_size;
        if (!mls_group_counts(group, i) || isnan(logged)) {
            continue;
        }
        if (!isnan(batch_size) && batch_size != logged) {
            return MLS_RCP_BATCH_SIZE_DIFFERS;
        }
        batch_size = logged;
    }
    return batch_size;
}

static mls_status mls_group_rcp_check(mls_group *group, const mls_score_options *options)
{
    size_t count = 0;
    double *to_converge = calloc(group->run_count, sizeof *to_converge);
    if (to_converge == NULL) {
        return MLS_ERROR_MEMORY;
    }
    mls_status status = MLS_OK;
    for (size_t i = 0; i < group->run_count && status == MLS_OK; i++) {
        if (mls_group_counts(group, i)) {
            status = mls_run_converge_number(group->runs[i], group->rules, group->edition, options->bert_train_samples,
                                             &to_converge[count++]);
        }
    }
    if (status == MLS_OK) {
        status = mls_rcp_check(group->rcp_set, mls_group_rcp_batch_size(group), to_converge, count, &group->rcp);
    }
    free(to_converge);
    return status;
}

/* Convergence and seeds are checked in the closed division, from edition 1.0.0 on. */
static bool mls_group_is_checked(const mls_group *group, const mls_score_options *options)
{
    const char *division = options->division != NULL ? options->division : group->division;
    return mls_str_equal(mls_str_from(division), MLS_S("closed")) &&
           group->edition->number >= MLS_EDITION_NUMBER(1, 0, 0);
}

mls_status mls_group_rcp(mls_group *group, const mls_score_options *options, mls_error *error)
{
    group->scale = 1;
    group->scaled_minutes = group->score.score_minutes;
    if (!mls_group_is_checked(group, options) || !group->rules->reference_points ||
        !mls_edition_has_benchmark(group->edition, mls_str_from(group->benchmark))) {
        return MLS_OK;
    }
    const mls_rcp_rules rules = {options->editions, group->edition, group->rules};
    mls_status status = mls_rcp_set_new(&rules, &group->rcp_set, error);
    if (status == MLS_OK && options->rcp_text.len > 0) {
        status = mls_rcp_set_add(group->rcp_set, options->rcp_text, options->rcp_path, error);
    }
    if (status == MLS_OK) {
        status = mls_group_rcp_check(group, options);
    }
    if (status == MLS_OK) {
        group->scale = group->rcp.score_scale;
        group->scaled_minutes = group->score.score_minutes * group->scale;
    }
    return status;
}

mls_status mls_group_shape(mls_group *group, const mls_score_options *options)
{
    if (group->config == NULL || options->config_decoder == NULL) {
        return MLS_OK;
    }
    const mls_status status =
        mls_config_name_decode(options->config_decoder, mls_str_from(group->config), &group->shape);
    const double named = (double)group->shape.global_batch_size;
    if (status == MLS_OK && group->shape.problem != MLS_CONFIG_PROBLEM_NONE) {
        mls_findings_add_as(&group->findings, MLS_FINDING_CONFIG_NAME, MLS_SEVERITY_ADVICE, (mls_finding_place){0},
                            "the config that the logs name: %s", mls_config_problem_text(group->shape.problem));
    }
    if (status == MLS_OK && named > 0 && !isnan(group->global_batch_size) && named != group->global_batch_size) {
        mls_findings_add(&group->findings, MLS_FINDING_CONFIG_LOGGED_BATCH,
                         (mls_finding_place){.key = MLS_S("global_batch_size")},
                         "the name of the config gives a global batch of %.0f with micro batch 1, the logs say %.15g",
                         named, group->global_batch_size);
    }
    return status;
}

mls_status mls_group_seeds(mls_group *group, const mls_score_options *options)
{
    static const mls_seed_log no_seeds;
    mls_seeds_verdict verdict = {.ok = true};
    size_t count = 0;
    group->seeds_ok = true;
    group->seeds_checked = mls_group_is_checked(group, options);
    if (!group->seeds_checked) {
        return MLS_OK;
    }
    mls_seed_source *sources = calloc(group->run_count, sizeof *sources);
    if (sources == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < group->run_count; i++) {
        if (mls_group_counts(group, i)) {
            const mls_run *run = group->runs[i];
            sources[count++] = (mls_seed_source){mls_run_name(run), run->seeds != NULL ? run->seeds : &no_seeds};
        }
    }
    const mls_status status = mls_seeds_check(sources, count, &group->seed_findings, &verdict);
    group->seeds_ok = verdict.ok;
    group->seeds = verdict.seeds;
    group->seeds_different = verdict.different;
    free(sources);
    return status;
}

/* A number that the run logged before it started; NAN when it did not. */
static double mls_run_logged_number(const mls_run *run, mls_str key)
{
    double number;
    const char *text = mls_run_hyperparameter(run, key);
    return text != NULL && mls_json_number(mls_str_from(text), &number) ? number : (double)NAN;
}

/* results/<system>/weak/<benchmark> */
static bool mls_group_is_weak(const mls_group *group)
{
    const mls_str path = mls_str_from(group->path);
    const char *slash = group->result_folder ? memrchr(path.ptr, '/', path.len) : NULL;
    if (slash == NULL || group->usage != MLS_USAGE_HPC) {
        return false;
    }
    const mls_str parent = {path.ptr, (size_t)(slash - path.ptr)};
    return mls_str_equal(parent, MLS_S("weak")) || mls_str_ends(parent, MLS_S("/weak"));
}

mls_status mls_group_weak(mls_group *group)
{
    if (!mls_group_is_weak(group)) {
        return MLS_OK;
    }
    mls_weak_run *runs = calloc(group->run_count, sizeof *runs);
    if (runs == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        runs[i] = (mls_weak_run){.valid = run->valid,
                                 .start_ms = run->run_start.time_ms,
                                 .stop_ms = run->run_stop.time_ms,
                                 .number_of_nodes = mls_run_logged_number(run, MLS_S("number_of_nodes")),
                                 .accelerators_per_node = mls_run_logged_number(run, MLS_S("accelerators_per_node"))};
    }
    const mls_weak_scaling weak = mls_weak_scaling_of(runs, group->run_count, group->runs_needed);
    free(runs);
    if (weak.instances_differ) {
        mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP,
                         (mls_finding_place){.key = MLS_S("number_of_nodes")},
                         "the runs differ in number_of_nodes times accelerators_per_node; the first valid one counts");
    }
    group->weak = true;
    group->weak_models = weak.number_of_models;
    group->weak_instance_scale = weak.instance_scale;
    group->weak_minutes = weak.time_to_train_all_minutes;
    return MLS_OK;
}
