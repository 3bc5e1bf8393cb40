/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.c - one result: the logs of a system on a benchmark.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "score/score.h"
#include "submission/judge.h"

/* What judging one result needs at hand. */
typedef struct judgement {
    const mls_submission *submission;
    const mls_submission_options *options;
    const mls_submitter *submitter;
    const mls_system *system; /* never NULL: the walk made it */
    mls_submission_result *result;
    bool failed; /* memory ran out */
} judgement;

static mls_finding_place folder_place(const judgement *judging)
{
    return (mls_finding_place){.path = judging->result->path};
}

/* ------------------------------------------------------------------ names */

/* result_0.txt … result_<N-1>.txt: names the first that is not. */
static void judge_names(const judgement *judging)
{
    mls_submission_result *result = judging->result;
    for (size_t i = 0; i < result->run_count; i++) {
        mls_buffer name = {0};
        mls_buffer_printf(&name, "result_%zu.txt", i);
        const bool differs = !mls_str_equal(mls_buffer_str(&name), mls_str_from(result->runs[i].file.name));
        if (differs && !name.failed) {
            mls_findings_add(&result->findings, MLS_FINDING_RESULT_NAME,
                             (mls_finding_place){.path = result->runs[i].file.path},
                             "stands where %s should: results are numbered from 0 without gaps", name.ptr);
        }
        result->findings.out_of_memory |= name.failed;
        mls_buffer_release(&name);
        if (differs) {
            return;
        }
    }
}

static void judge_power_folders(const judgement *judging)
{
    mls_submission_result *result = judging->result;
    size_t run = 0;
    for (size_t i = 0; i < result->power_count; i++) {
        const mls_str name = mls_str_from(result->power[i].name);
        mls_str log = {NULL, 0};
        for (; run < result->run_count; run++) {
            log = mls_str_from(result->runs[run].file.name);
            log.len -= strlen(".txt");
            if (mls_str_compare_natural(log, name) >= 0) {
                break;
            }
        }
        if (run == result->run_count || !mls_str_equal(log, name)) {
            mls_findings_add(&result->findings, MLS_FINDING_STRAY_FILE,
                             (mls_finding_place){.path = result->power[i].path},
                             "power files of a run that is not there");
        }
    }
}

static void judge_implementation(const judgement *judging)
{
    const mls_submission_files *found = &judging->submitter->implementations;
    mls_submission_result *result = judging->result;
    for (size_t i = 0; i < found->count; i++) {
        if (strcmp(found->items[i].name, result->benchmark) == 0) {
            return;
        }
    }
    mls_findings_add(&result->findings, MLS_FINDING_NO_IMPLEMENTATION, folder_place(judging),
                     "there is no folder in benchmarks/%s/implementations", result->benchmark);
}

/* ------------------------------------------------- logs and descriptions */

/* A text that a log says about itself; NULL: it does not. */
typedef const char *(*run_text)(const mls_run *run);

static const char *says_benchmark(const mls_run *run)
{
    return run->benchmark;
}

static const char *says_division(const mls_run *run)
{
    return run->division;
}

static const char *says_organisation(const mls_run *run)
{
    return run->organisation;
}

/* One finding about all the logs that say something else than they should. */
static void compare_logs(const judgement *judging, run_text says, const char *key, const char *expected,
                         const char *where, mls_finding_code code)
{
    mls_submission_result *result = judging->result;
    const mls_submission_run *first = NULL;
    size_t differing = 0;
    for (size_t i = 0; i < result->run_count && expected != NULL; i++) {
        const char *said = says(&result->runs[i].run);
        if (said != NULL && strcasecmp(said, expected) != 0) {
            first = differing++ == 0 ? &result->runs[i] : first;
        }
    }
    if (first != NULL) {
        const mls_finding_place place = {.path = first->file.path, .key = mls_str_from(key)};
        mls_buffer more = {0};
        if (differing > 1) {
            mls_buffer_printf(&more, " (and %zu more logs of the folder)", differing - 1);
        }
        mls_findings_add(&result->findings, code, place, "%s is %.*s, %s %.*s%s", key,
                         MLS_CUT_TEXT(says(&first->run), 60), where, MLS_CUT_TEXT(expected, 60),
                         more.ptr != NULL ? more.ptr : "");
        result->findings.out_of_memory |= more.failed;
        mls_buffer_release(&more);
    }
}

static void judge_agreement(const judgement *judging)
{
    static const char description[] = "the system description says";
    compare_logs(judging, says_benchmark, "submission_benchmark", judging->result->benchmark, "the folder says",
                 MLS_FINDING_BENCHMARK_DIFFERS);
    compare_logs(judging, says_division, "submission_division", judging->system->division, description,
                 MLS_FINDING_DIVISION_DIFFERS);
    compare_logs(judging, says_organisation, "submission_org", judging->system->submitter, description,
                 MLS_FINDING_SUBMITTER_DIFFERS);
}

/* ------------------------------------------------------------------- runs */

/* Tells of every run that is not valid why: the first error says it best. */
static void give_reasons(judgement *judging)
{
    mls_submission_result *result = judging->result;
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        const char *reason = run->file.readable ? "not valid" : "cannot be read as a file";
        if (run->run.valid) {
            continue;
        }
        for (size_t k = 0; k < run->run.findings.count; k++) {
            const mls_finding *finding = &run->run.findings.items[k];
            if (finding->severity == MLS_SEVERITY_ERROR) {
                reason = finding->message;
                run->reason_line = finding->line;
                break;
            }
        }
        run->reason = mls_copy_text(reason, strlen(reason));
        judging->failed |= run->reason == NULL;
        result->invalid++;
    }
}

/* What a dropped log has to say does not count; that it could not be read does. */
static void forgive(mls_submission_run *run)
{
    mls_findings all = run->run.findings;
    mls_findings *left = &run->run.findings;
    *left = (mls_findings){.out_of_memory = all.out_of_memory};
    for (size_t i = 0; i < all.count; i++) {
        const mls_finding *finding = &all.items[i];
        if (finding->code == MLS_FINDING_UNREADABLE || finding->code == MLS_FINDING_LOG_SIZE) {
            mls_findings_add(left, finding->code, (mls_finding_place){.path = finding->path}, "%s", finding->message);
        }
    }
    mls_findings_release(&all);
    if (run->run.converged) {
        mls_findings_add(left, MLS_FINDING_FORGIVEN, (mls_finding_place){.line = run->reason_line},
                         "the run converged, yet the log is not valid and is dropped: %s", run->reason);
    }
}

static void judge_logs(judgement *judging)
{
    mls_submission_result *result = judging->result;
    give_reasons(judging);
    const bool forgiven = result->invalid <= result->allowed;
    for (size_t i = 0; i < result->run_count && !judging->failed; i++) {
        mls_submission_run *run = &result->runs[i];
        mls_findings *findings = &run->run.findings;
        if (!run->run.valid && forgiven) {
            forgive(run);
        } else if (run->run.valid && run->run.status != MLS_RUN_SUCCESS && findings->found[MLS_FINDING_STATUS] == 0) {
            const mls_finding_place place = {NULL, run->run.run_stop.line, 0, MLS_S("run_stop")};
            mls_findings_add_as(findings, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, place,
                                "run_stop has no status, yet the log counts as valid");
        }
    }
    if (!forgiven) {
        mls_findings_add(&result->findings, MLS_FINDING_INVALID_LOGS, folder_place(judging),
                         "%zu of %zu logs are not valid; %s may drop %zu", result->invalid, result->run_count,
                         result->benchmark, result->allowed);
    }
    const bool enough =
        result->weak ? result->run_count >= result->runs_needed : result->run_count == result->runs_needed;
    if (!enough) {
        mls_findings_add(&result->findings, MLS_FINDING_RESULT_COUNT, folder_place(judging),
                         "%zu result files, %s needs %s%zu", result->run_count, result->benchmark,
                         result->weak ? "at least " : "", result->runs_needed);
    }
}

/* ------------------------------------------------------------------ checks */

/* What the group found out that no finding of ours says already. */
static void judge_mixture(const judgement *judging)
{
    const mls_findings *found = &judging->result->group.findings;
    for (size_t i = 0; i < found->count; i++) {
        const mls_finding *finding = &found->items[i];
        const mls_str key = mls_str_from(finding->key);
        if (finding->code == MLS_FINDING_MIXED_GROUP && !mls_str_equal(key, MLS_S("submission_benchmark")) &&
            !mls_str_equal(key, MLS_S("submission_division"))) {
            const mls_finding_place place = {judging->result->path, 0, 0, key};
            mls_findings_add(&judging->result->findings, finding->code, place, "%s", finding->message);
        }
    }
}

/* Scores the logs as one group, with the division that the system description names. */
static void score(judgement *judging)
{
    mls_submission_result *result = judging->result;
    mls_group *group = &result->group;
    const mls_score_options options = {
        .editions = mls_rulesets_editions(judging->options->rulesets),
        .bert_train_samples = judging->options->bert_train_samples,
        .division = mls_division_described(result->division),
        .rcp_bypass = judging->options->rcp_bypass || result->bypasses.rcp || judging->system->bypasses.rcp,
        .seed_bypass = judging->options->seed_bypass || result->bypasses.seeds || judging->system->bypasses.seeds};
    group->result_folder = true;
    group->usage = judging->submission->usage;
    group->edition = judging->submission->edition;
    group->path = mls_copy_text(result->path, strlen(result->path));
    group->runs = (const mls_run **)calloc(result->run_count + 1, sizeof *group->runs);
    judging->failed |= group->path == NULL || group->runs == NULL;
    for (size_t i = 0; i < result->run_count && !judging->failed; i++) {
        group->runs[group->run_count++] = &result->runs[i].run;
        group->power.wrong += result->runs[i].power_wrong;
    }
    judging->failed = judging->failed || mls_group_score(group, &options, NULL) != MLS_OK;
    if (!judging->failed) {
        mls_findings_append(&result->findings, &group->rcp.findings);
        mls_findings_append(&result->findings, &group->seeds.findings);
        judge_mixture(judging);
        /* Results of a whole round are held at once: the points, whose unit the verdict borrows, go here. */
        mls_rcp_set_free(group->rcp.set);
        group->rcp.set = NULL;
        group->rcp.result.limit.unit = "";
    }
}

/* ---------------------------------------------------------------- a result */

static void skip(const judgement *judging)
{
    const char *benchmark = judging->result->benchmark;
    const bool scaling = strcmp(benchmark, "strong") == 0 || strcmp(benchmark, "weak") == 0;
    mls_findings_add(&judging->result->findings, MLS_FINDING_BENCHMARK_SKIPPED, folder_place(judging),
                     "%.*s is no benchmark of %s %s; nothing in it was judged%s", MLS_CUT_TEXT(benchmark, 60),
                     mls_usage_name(judging->options->usage), judging->submission->edition->name,
                     scaling ? " (try --usage hpc)" : "");
}

mls_status mls_result_judge(const mls_submission *submission, const mls_submission_options *options,
                            const mls_submitter *submitter, mls_submission_result *result)
{
    const mls_benchmark *benchmark =
        mls_benchmark_find(mls_rulesets_editions(options->rulesets), options->usage, mls_str_from(result->benchmark));
    judgement judging = {submission, options, submitter, mls_submitter_system(submitter, result->system),
                         result,     false};
    result->division = judging.system->division;
    result->group.scale = 1;
    result->group.scaled_minutes = (double)NAN;
    result->group.score.score_minutes = (double)NAN;
    result->group.power.energy_joules = (double)NAN;
    if (!result->judged) {
        skip(&judging);
        return MLS_OK;
    }
    result->runs_needed = benchmark->runs_needed;
    result->allowed = benchmark->left_out;
    judging.failed = result->has_power && mls_power_check(result) != MLS_OK;
    judge_logs(&judging);
    if (result->run_count > 0 && !judging.failed) {
        score(&judging);
    }
    judge_agreement(&judging);
    judge_names(&judging);
    judge_power_folders(&judging);
    judge_implementation(&judging);
    return judging.failed ? MLS_ERROR_MEMORY : MLS_OK;
}
