/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.c - one result: the logs of a system on a benchmark.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/folder.h"
#include "base/memory.h"
#include "mlscore/group.h"
#include "score/converge.h"
#include "score/energy.h"
#include "submission/judge.h"

/* What judging one result needs at hand. */
typedef struct mls_judging {
    const mls_result_context *context;
    const mls_tree_result *tree;
    mls_log_reading *readings;
    mls_submission_result *result;
    mls_findings *findings;
    bool failed; /* memory ran out */
} mls_judging;

static char *mls_judging_copy(mls_judging *judging, const char *text)
{
    char *copy = text != NULL ? mls_copy_text(text, strlen(text)) : NULL;
    judging->failed |= text != NULL && copy == NULL;
    return copy;
}

static mls_finding_place mls_judging_place(const mls_judging *judging)
{
    return (mls_finding_place){.path = judging->tree->path};
}

/* ------------------------------------------------------------------ runs */

/* The first error of a log, which says best why it is not valid. */
static const mls_finding *mls_reading_reason(const mls_log_reading *reading)
{
    const mls_findings *lists[] = {&reading->trouble, &reading->findings};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            if (lists[k]->items[i].severity == MLS_SEVERITY_ERROR) {
                return &lists[k]->items[i];
            }
        }
    }
    return NULL;
}

static void mls_judging_runs(mls_judging *judging)
{
    mls_submission_result *result = judging->result;
    result->runs = calloc(judging->tree->logs.count + 1, sizeof *result->runs);
    if (result->runs == NULL) {
        judging->failed = true;
        return;
    }
    result->run_count = judging->tree->logs.count;
    for (size_t i = 0; i < result->run_count; i++) {
        const mls_log_reading *reading = &judging->readings[i];
        const mls_finding *reason = mls_reading_reason(reading);
        mls_submission_run *run = &result->runs[i];
        run->path = mls_judging_copy(judging, reading->file->path);
        run->name = run->path != NULL ? mls_path_name(run->path) : "";
        run->valid = reading->run.valid;
        run->converged = reading->run.converged;
        run->start_ms = reading->run.run_start.time_ms;
        run->minutes = mls_run_minutes(&reading->run);
        run->joules = reading->joules;
        if (!run->valid) {
            run->reason = mls_judging_copy(judging, reason != NULL ? reason->message : "not valid");
            run->reasons = reading->findings.counts.error + reading->trouble.counts.error;
            run->reason_line = reason != NULL ? reason->line : 0;
            result->invalid++;
        }
    }
}

/* result_0.txt … result_<N-1>.txt: names the first that is not. */
static void mls_judging_names(const mls_judging *judging)
{
    const mls_tree_files *logs = &judging->tree->logs;
    for (size_t i = 0; i < logs->count; i++) {
        size_t number;
        if (!mls_tree_number(logs->items[i].name, "result_", ".txt", &number) || number != i) {
            mls_findings_add(judging->findings, MLS_FINDING_RESULT_NAME,
                             (mls_finding_place){.path = logs->items[i].path},
                             "stands where result_%zu.txt should: results are numbered from 0 without gaps", i);
            return;
        }
    }
}

static void mls_judging_power_folders(const mls_judging *judging)
{
    const mls_tree_result *tree = judging->tree;
    size_t log = 0;
    for (size_t i = 0; i < tree->power_count; i++) {
        const mls_str name = mls_str_from(tree->power[i].name);
        for (; log < tree->logs.count; log++) {
            mls_str with = mls_str_from(tree->logs.items[log].name);
            with.len -= sizeof ".txt" - 1;
            if (mls_str_compare_natural(with, name) >= 0) {
                break;
            }
        }
        mls_str beside = log < tree->logs.count ? mls_str_from(tree->logs.items[log].name) : MLS_S(".txt");
        beside.len -= sizeof ".txt" - 1;
        if (!mls_str_equal(beside, name)) {
            mls_findings_add(judging->findings, MLS_FINDING_STRAY_FILE,
                             (mls_finding_place){.path = tree->power[i].path},
                             "power files of a run that is not there");
        }
    }
}

/* ------------------------------------------------- logs and descriptions */

/* A text that a log says about itself; NULL: it does not. */
typedef const char *(*mls_run_says)(const mls_run *run);

static const char *mls_run_says_benchmark(const mls_run *run)
{
    return run->benchmark;
}

static const char *mls_run_says_division(const mls_run *run)
{
    return run->division;
}

static const char *mls_run_says_organisation(const mls_run *run)
{
    return run->organisation;
}

static size_t mls_run_line_of(const mls_run *run, const char *key)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        if (strcmp(run->hyperparameters[i].key, key) == 0) {
            return run->hyperparameters[i].line;
        }
    }
    return 0;
}

/* One finding about all the logs that say something else than they should. */
static void mls_judging_compare(const mls_judging *judging, mls_run_says says, const char *key, const char *expected,
                                const char *where, mls_finding_code code)
{
    const mls_log_reading *first = NULL;
    size_t differing = 0;
    for (size_t i = 0; i < judging->result->run_count && expected != NULL; i++) {
        const char *said = says(&judging->readings[i].run);
        if (said != NULL && strcasecmp(said, expected) != 0) {
            first = differing++ == 0 ? &judging->readings[i] : first;
        }
    }
    if (first != NULL) {
        const mls_finding_place place = {first->file->path, mls_run_line_of(&first->run, key), 0, mls_str_from(key)};
        mls_buffer more = {0};
        if (differing > 1) {
            mls_buffer_printf(&more, " (and %zu more logs of the folder)", differing - 1);
        }
        mls_findings_add(judging->findings, code, place, "%s is %.60s, %s %.60s%s", key, says(&first->run), where,
                         expected, more.ptr != NULL ? more.ptr : "");
        judging->findings->out_of_memory |= more.failed;
        mls_buffer_release(&more);
    }
}

static void mls_judging_agreement(const mls_judging *judging)
{
    const mls_system *system = judging->context->system;
    mls_judging_compare(judging, mls_run_says_benchmark, "submission_benchmark", judging->tree->benchmark,
                        "the folder says", MLS_FINDING_BENCHMARK_DIFFERS);
    if (system != NULL) {
        mls_judging_compare(judging, mls_run_says_division, "submission_division", system->division,
                            "the system description says", MLS_FINDING_DIVISION_DIFFERS);
        mls_judging_compare(judging, mls_run_says_organisation, "submission_org", system->submitter,
                            "the system description says", MLS_FINDING_SUBMITTER_DIFFERS);
    }
}

/* ------------------------------------------------------------ compliance */

/* A valid log: what the rules only warn about, and a status that they may not look at. */
static void mls_judging_valid_log(const mls_judging *judging, const mls_log_reading *reading)
{
    mls_findings_append_at(judging->findings, &reading->findings, reading->file->path);
    if (reading->run.status != MLS_RUN_SUCCESS && reading->findings.found[MLS_FINDING_STATUS] == 0) {
        const mls_finding_place place = {reading->file->path, reading->run.run_stop.line, 0, MLS_S("run_stop")};
        mls_findings_add_as(judging->findings, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, place,
                            "run_stop has no status, yet the log counts as valid");
    }
}

static void mls_judging_forgiven_log(const mls_judging *judging, const mls_log_reading *reading,
                                     const mls_submission_run *run)
{
    if (run->converged) {
        const mls_finding_place place = {reading->file->path, run->reason_line, 0, {NULL, 0}};
        mls_findings_add(judging->findings, MLS_FINDING_FORGIVEN, place,
                         "the run converged, yet the log is not valid and is dropped: %s", run->reason);
    }
}

static void mls_judging_logs(const mls_judging *judging)
{
    const mls_submission_result *result = judging->result;
    const bool forgiven = result->invalid <= result->allowed;
    for (size_t i = 0; i < result->run_count; i++) {
        const mls_log_reading *reading = &judging->readings[i];
        mls_findings_append_at(judging->findings, &reading->trouble, reading->file->path);
        if (result->runs[i].valid) {
            mls_judging_valid_log(judging, reading);
        } else if (forgiven) {
            mls_judging_forgiven_log(judging, reading, &result->runs[i]);
        } else {
            mls_findings_append_at(judging->findings, &reading->findings, reading->file->path);
        }
    }
    if (!forgiven) {
        mls_findings_add(judging->findings, MLS_FINDING_INVALID_LOGS, mls_judging_place(judging),
                         "%zu of %zu logs are not valid; %s may drop %zu", result->invalid, result->run_count,
                         result->benchmark, result->allowed);
    }
}

static void mls_judging_count(const mls_judging *judging)
{
    const mls_submission_result *result = judging->result;
    const bool enough =
        result->weak ? result->run_count >= result->runs_needed : result->run_count == result->runs_needed;
    if (!enough) {
        mls_findings_add(judging->findings, MLS_FINDING_RESULT_COUNT, mls_judging_place(judging),
                         "%zu result files, %s needs %s%zu", result->run_count, result->benchmark,
                         result->weak ? "at least " : "", result->runs_needed);
    }
}

/* ----------------------------------------------------- score, RCP, seeds */

/* The check as the folder's or the system's package_checker_params, or the caller, wants it to count. */
static mls_check mls_check_outcome(bool pass, bool bypass)
{
    return pass ? MLS_CHECK_PASS : bypass ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
}

static bool mls_judging_bypass(const mls_judging *judging, bool rcp)
{
    const mls_tree_params *folder = &judging->tree->params;
    const mls_tree_params *system = &judging->context->tree->result_systems[judging->tree->system].params;
    const mls_submission_options *options = judging->context->options;
    return rcp ? options->rcp_bypass || folder->rcp_bypass || system->rcp_bypass
               : options->seed_bypass || folder->seed_bypass || system->seed_bypass;
}

static void mls_judging_rcp(mls_judging *judging, const mls_group *group)
{
    mls_submission_result *result = judging->result;
    mls_buffer words = {0};
    if (group->rcp_set == NULL) {
        return;
    }
    result->rcp = group->rcp;
    result->rcp_check = mls_check_outcome(group->rcp.pass, mls_judging_bypass(judging, true));
    if (!group->rcp.pass) {
        const mls_severity severity =
            result->rcp_check == MLS_CHECK_BYPASSED ? MLS_SEVERITY_WARNING : MLS_SEVERITY_ERROR;
        mls_rcp_result_describe(&group->rcp, group->score.score_minutes, &words);
        judging->failed |= words.failed;
        const size_t known = mls_str_starts(mls_buffer_str(&words), MLS_S("fail: ")) ? sizeof "fail: " - 1 : 0;
        mls_findings_add_as(judging->findings, MLS_FINDING_RCP, severity, mls_judging_place(judging), "%s%s",
                            words.failed ? "" : words.ptr + known,
                            result->rcp_check == MLS_CHECK_BYPASSED ? " (bypassed)" : "");
        mls_buffer_release(&words);
    }
    /* The unit is borrowed from the set, which goes with the group. */
    result->rcp.limit.unit = "";
}

/* Seed findings name their log without its folder. */
static void mls_judging_seeds(mls_judging *judging, const mls_group *group)
{
    mls_submission_result *result = judging->result;
    if (!group->seeds_checked) {
        return;
    }
    const bool bypass = mls_judging_bypass(judging, false);
    result->seed_check = mls_check_outcome(group->seeds_ok, bypass);
    result->seeds = group->seeds;
    result->seeds_different = group->seeds_different;
    for (size_t i = 0; i < group->seed_findings.count; i++) {
        const mls_finding *finding = &group->seed_findings.items[i];
        const bool soften = bypass && finding->severity == MLS_SEVERITY_ERROR;
        char *path = mls_path_join(judging->tree->path, finding->path != NULL ? finding->path : "");
        const mls_finding_place place = {path, finding->line, finding->column, mls_str_from(finding->key)};
        judging->failed |= path == NULL;
        mls_findings_add_as(judging->findings, finding->code, soften ? MLS_SEVERITY_WARNING : finding->severity, place,
                            "%s%s", finding->message, soften ? " (bypassed)" : "");
        free(path);
    }
}

static void mls_judging_energy(mls_judging *judging, const mls_group *group)
{
    mls_submission_result *result = judging->result;
    result->energy_joules = (double)NAN;
    if (!judging->tree->has_power) {
        return;
    }
    result->power_check = MLS_CHECK_PASS;
    double *joules = calloc(result->run_count + 1, sizeof *joules);
    judging->failed |= joules == NULL;
    for (size_t i = 0; i < result->run_count && joules != NULL; i++) {
        joules[i] = judging->readings[i].joules;
        result->power_check = judging->readings[i].power_wrong ? MLS_CHECK_FAIL : result->power_check;
    }
    if (joules != NULL) {
        result->energy_joules = mls_group_energy(group, joules);
    }
    free(joules);
}

/* What the group found out that no finding of ours says already. */
static void mls_judging_group_findings(const mls_judging *judging, const mls_group *group)
{
    for (size_t i = 0; i < group->findings.count; i++) {
        const mls_finding *finding = &group->findings.items[i];
        const mls_str key = mls_str_from(finding->key);
        if (finding->code == MLS_FINDING_MIXED_GROUP && !mls_str_equal(key, MLS_S("submission_benchmark")) &&
            !mls_str_equal(key, MLS_S("submission_division"))) {
            const mls_finding_place place = {judging->tree->path, 0, 0, key};
            mls_findings_add(judging->findings, finding->code, place, "%s", finding->message);
        }
    }
}

static void mls_judging_take_score(mls_judging *judging, const mls_group *group)
{
    mls_submission_result *result = judging->result;
    result->score = group->score;
    result->scale = group->scale;
    result->scaled_minutes = group->scaled_minutes;
    result->weak_models = group->weak_models;
    result->weak_instance_scale = group->weak_instance_scale;
    result->weak_minutes = group->weak_minutes;
    for (size_t i = 0; i < result->run_count; i++) {
        result->runs[i].mark = group->marks[i];
    }
    mls_judging_rcp(judging, group);
    mls_judging_seeds(judging, group);
    mls_judging_energy(judging, group);
    mls_judging_group_findings(judging, group);
}

/* Scores the logs as one group, with the division that the system description names. */
static void mls_judging_score(mls_judging *judging)
{
    const mls_result_context *context = judging->context;
    const char *division = context->system != NULL ? context->system->division : NULL;
    const mls_score_options options = {.editions = mls_rulesets_editions(context->options->rulesets),
                                       .bert_train_samples = context->options->bert_train_samples,
                                       .division = division != NULL ? division : ""};
    mls_group group = {.result_folder = true,
                       .usage = context->options->usage,
                       .edition = context->edition,
                       .path = mls_judging_copy(judging, judging->tree->path),
                       .run_count = judging->tree->logs.count};
    group.runs = (const mls_run **)calloc(group.run_count + 1, sizeof *group.runs);
    judging->failed |= group.runs == NULL;
    for (size_t i = 0; i < group.run_count && group.runs != NULL; i++) {
        group.runs[i] = &judging->readings[i].run;
    }
    if (!judging->failed && mls_group_score(&group, &options, NULL) == MLS_OK) {
        mls_judging_take_score(judging, &group);
    } else {
        judging->failed = true;
    }
    mls_group_release(&group);
}

/* -------------------------------------------------------------- a result */

static void mls_judging_implementation(const mls_judging *judging)
{
    const mls_tree_files *found = &judging->context->tree->implementations;
    for (size_t i = 0; i < found->count; i++) {
        if (strcmp(found->items[i].name, judging->tree->benchmark) == 0) {
            return;
        }
    }
    mls_findings_add(judging->findings, MLS_FINDING_NO_IMPLEMENTATION, mls_judging_place(judging),
                     "there is no folder in benchmarks/%s/implementations", judging->tree->benchmark);
}

static void mls_judging_skip(const mls_judging *judging)
{
    const bool scaling =
        strcmp(judging->tree->benchmark, "strong") == 0 || strcmp(judging->tree->benchmark, "weak") == 0;
    mls_findings_add(judging->findings, MLS_FINDING_BENCHMARK_SKIPPED, mls_judging_place(judging),
                     "%.60s is no benchmark of %s %s; nothing in it was judged%s", judging->tree->benchmark,
                     mls_usage_name(judging->context->options->usage), judging->context->edition->name,
                     scaling ? " (try --usage hpc)" : "");
}

mls_status mls_result_judge(const mls_result_context *context, const mls_tree_result *tree, mls_log_reading *readings,
                            mls_submission_result *result, mls_findings *findings)
{
    mls_judging judging = {context, tree, readings, result, findings, false};
    const mls_str benchmark = mls_str_from(tree->benchmark);
    result->path = mls_judging_copy(&judging, tree->path);
    result->system = mls_judging_copy(&judging, context->tree->result_systems[tree->system].name);
    result->benchmark = mls_judging_copy(&judging, tree->benchmark);
    result->division = mls_judging_copy(&judging, context->system != NULL ? context->system->division : NULL);
    result->weak = tree->weak;
    result->scale = 1;
    result->scaled_minutes = (double)NAN;
    result->score.score_minutes = (double)NAN;
    result->energy_joules = (double)NAN;
    result->judged = mls_edition_has_benchmark(context->edition, benchmark);
    if (!result->judged) {
        mls_judging_skip(&judging);
        return judging.failed ? MLS_ERROR_MEMORY : MLS_OK;
    }
    const mls_benchmark *rules =
        mls_benchmark_find(mls_rulesets_editions(context->options->rulesets), context->options->usage, benchmark);
    result->runs_needed = rules->runs_needed;
    result->allowed = rules->left_out;
    mls_judging_runs(&judging);
    if (!judging.failed) {
        mls_judging_count(&judging);
        mls_judging_logs(&judging);
        if (result->run_count > 0) {
            mls_judging_score(&judging);
        }
        mls_judging_agreement(&judging);
        mls_judging_names(&judging);
        mls_judging_power_folders(&judging);
        mls_judging_implementation(&judging);
    }
    return judging.failed ? MLS_ERROR_MEMORY : MLS_OK;
}

void mls_submission_result_release(mls_submission_result *result)
{
    for (size_t i = 0; i < result->run_count; i++) {
        free(result->runs[i].path);
        free(result->runs[i].reason);
    }
    free(result->runs);
    free(result->path);
    free(result->system);
    free(result->benchmark);
    free(result->division);
}
