/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_data.c - a judged submission for programs.  The names of members and
 * columns are a contract, only ever added to; see mlscore-formats(5).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "report/annotations.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/verify_report.h"

/* -------------------------------------------------------------------- JSON */

static cJSON *mls_verify_rcp_json(mls_json *json, const mls_submission_result *result)
{
    if (result->rcp_check == MLS_CHECK_NOT_MADE) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_bool(json, object, "pass", result->rcp.pass);
    mls_json_put_bool(json, object, "bypassed", result->rcp_check == MLS_CHECK_BYPASSED);
    mls_json_put_text(json, object, "message", result->rcp.message);
    mls_json_put_number(json, object, "scale", result->rcp.scale);
    mls_json_put_number(json, object, "mean", result->rcp.limit.mean);
    mls_json_put_number(json, object, "limit", result->rcp.limit.limit);
    mls_json_put_number(json, object, "submission_mean", result->rcp.submission_mean);
    return object;
}

static cJSON *mls_verify_seeds_json(mls_json *json, const mls_submission_result *result)
{
    if (result->seed_check == MLS_CHECK_NOT_MADE) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_bool(json, object, "ok", result->seed_check == MLS_CHECK_PASS);
    mls_json_put_bool(json, object, "bypassed", result->seed_check == MLS_CHECK_BYPASSED);
    mls_json_put_number(json, object, "seeds", (double)result->seeds);
    mls_json_put_number(json, object, "different", (double)result->seeds_different);
    return object;
}

static cJSON *mls_verify_power_json(mls_json *json, const mls_submission_result *result)
{
    if (result->power_check == MLS_CHECK_NOT_MADE) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_bool(json, object, "ok", result->power_check == MLS_CHECK_PASS);
    mls_json_put_number(json, object, "joules", result->energy_joules);
    return object;
}

static cJSON *mls_verify_weak_json(mls_json *json, const mls_submission_result *result)
{
    if (!result->weak || !result->judged) {
        return cJSON_CreateNull();
    }
    cJSON *object = mls_json_object(json);
    mls_json_put_number(json, object, "models", (double)result->weak_models);
    mls_json_put_number(json, object, "instance_scale", result->weak_instance_scale);
    mls_json_put_number(json, object, "time_to_train_all_minutes", result->weak_minutes);
    return object;
}

static cJSON *mls_verify_run_json(mls_json *json, const mls_submission_run *run)
{
    cJSON *object = mls_json_object(json);
    mls_json_put_text(json, object, "file", run->path);
    mls_json_put_bool(json, object, "valid", run->valid);
    mls_json_put_bool(json, object, "converged", run->converged);
    mls_json_put_number(json, object, "start_ms", run->start_ms);
    mls_json_put_number(json, object, "minutes", run->minutes);
    mls_json_put_number(json, object, "joules", run->joules);
    mls_json_put_text(json, object, "counted", mls_olympic_mark_name(run->mark));
    mls_json_put_text(json, object, "reason", run->reason);
    return object;
}

static cJSON *mls_verify_result_json(mls_json *json, const mls_submission_result *result)
{
    cJSON *object = mls_json_object(json);
    cJSON *logs = mls_json_array(json);
    mls_json_put_text(json, object, "path", result->path);
    mls_json_put_text(json, object, "system", result->system);
    mls_json_put_text(json, object, "benchmark", result->benchmark);
    mls_json_put_text(json, object, "division", result->division);
    mls_json_put_bool(json, object, "judged", result->judged);
    mls_json_put_bool(json, object, "valid", result->errors == 0);
    mls_json_put_number(json, object, "runs", (double)result->run_count);
    mls_json_put_number(json, object, "runs_needed", (double)result->runs_needed);
    mls_json_put_number(json, object, "invalid", (double)result->invalid);
    mls_json_put_number(json, object, "invalid_allowed", (double)result->allowed);
    mls_json_put_number(json, object, "score_minutes", result->score.score_minutes);
    mls_json_put_number(json, object, "scale", result->scale);
    mls_json_put_number(json, object, "scaled_minutes", result->scaled_minutes);
    mls_json_put(json, object, "rcp", mls_verify_rcp_json(json, result));
    mls_json_put(json, object, "seeds", mls_verify_seeds_json(json, result));
    mls_json_put(json, object, "power", mls_verify_power_json(json, result));
    mls_json_put(json, object, "weak_scaling", mls_verify_weak_json(json, result));
    for (size_t i = 0; i < result->run_count; i++) {
        mls_json_append(json, logs, mls_verify_run_json(json, &result->runs[i]));
    }
    mls_json_put(json, object, "logs", logs);
    return object;
}

static cJSON *mls_verify_findings_json(mls_json *json, const mls_findings *findings, const mls_verify_style *style)
{
    cJSON *array = mls_json_array(json);
    for (size_t i = 0; i < findings->count; i++) {
        if (mls_verify_shows(style, findings->items[i].severity)) {
            mls_json_append(json, array, mls_json_finding(json, &findings->items[i], NULL));
        }
    }
    return array;
}

static cJSON *mls_verify_submitter_json(mls_json *json, const mls_submitter *submitter, const mls_verify_style *style)
{
    cJSON *object = mls_json_object(json);
    cJSON *systems = mls_json_array(json);
    cJSON *results = mls_json_array(json);
    mls_json_put_text(json, object, "name", submitter->name);
    mls_json_put_bool(json, object, "valid", submitter->valid);
    for (size_t i = 0; i < submitter->system_count; i++) {
        cJSON *system = mls_json_object(json);
        mls_json_put_text(json, system, "name", submitter->systems[i].name);
        mls_json_put_text(json, system, "file", submitter->systems[i].path);
        mls_json_put_bool(json, system, "valid", submitter->systems[i].valid);
        mls_json_append(json, systems, system);
    }
    for (size_t i = 0; i < submitter->result_count; i++) {
        mls_json_append(json, results, mls_verify_result_json(json, &submitter->results[i]));
    }
    mls_json_put(json, object, "systems", systems);
    mls_json_put(json, object, "results", results);
    mls_json_put(json, object, "findings", mls_verify_findings_json(json, &submitter->findings, style));
    return object;
}

bool mls_report_verify_json(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    mls_json json = {0};
    cJSON *object = mls_json_object(&json);
    cJSON *submitters = mls_json_array(&json);
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_json_append(&json, submitters, mls_verify_submitter_json(&json, &submission->submitters[i], style));
    }
    mls_json_put_text(&json, object, "path", submission->path);
    mls_json_put_bool(&json, object, "valid", submission->valid);
    mls_json_put_text(&json, object, "usage", mls_usage_name(submission->usage));
    mls_json_put_text(&json, object, "edition", submission->edition->name);
    mls_json_put_bool(&json, object, "edition_guessed", submission->edition_guessed);
    mls_json_put_number(&json, object, "errors", (double)mls_submission_count(submission, MLS_SEVERITY_ERROR));
    mls_json_put_number(&json, object, "warnings", (double)mls_submission_count(submission, MLS_SEVERITY_WARNING));
    mls_json_put_number(&json, object, "advice", (double)mls_submission_count(submission, MLS_SEVERITY_ADVICE));
    mls_json_put(&json, object, "submitters", submitters);
    mls_json_put(&json, object, "findings", mls_verify_findings_json(&json, &submission->findings, style));
    mls_json_print(&json, object, true, output);
    return !json.failed;
}

/* --------------------------------------------------------------------- CSV */

static void mls_verify_csv_rows(mls_csv *csv, const char *submitter, const mls_findings *findings,
                                const mls_verify_style *style)
{
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding *finding = &findings->items[i];
        if (mls_verify_shows(style, finding->severity)) {
            mls_csv_text(csv, mls_severity_name(finding->severity));
            mls_csv_text(csv, mls_finding_info_get(finding->code)->name);
            mls_csv_text(csv, submitter);
            mls_csv_text(csv, finding->path);
            mls_csv_number(csv, finding->line > 0 ? (double)finding->line : (double)NAN);
            mls_csv_number(csv, finding->column > 0 ? (double)finding->column : (double)NAN);
            mls_csv_text(csv, finding->key);
            mls_csv_text(csv, finding->message);
            mls_csv_end_row(csv);
        }
    }
}

bool mls_report_verify_csv(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    mls_csv csv = {.output = output};
    mls_csv_header(&csv, "severity code submitter path line column key message");
    mls_verify_csv_rows(&csv, NULL, &submission->findings, style);
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_verify_csv_rows(&csv, submission->submitters[i].name, &submission->submitters[i].findings, style);
    }
    return !csv.failed;
}

/* ------------------------------------------------------------------ GitHub */

static bool mls_verify_github_lines(const mls_submission *submission, const mls_findings *findings,
                                    const mls_verify_style *style, mls_output *output)
{
    bool ok = true;
    for (size_t i = 0; i < findings->count && ok; i++) {
        mls_buffer line = {0};
        mls_finding finding = findings->items[i];
        char *path = mls_path_join(submission->path, finding.path != NULL ? finding.path : "");
        if (!mls_verify_shows(style, finding.severity)) {
            free(path);
            continue;
        }
        finding.path = path != NULL ? path : "";
        mls_github_append_finding(&line, &finding, "");
        mls_output_write(output, mls_buffer_str(&line));
        ok = !line.failed && path != NULL;
        mls_buffer_release(&line);
        free(path);
    }
    return ok;
}

bool mls_report_verify_github(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    bool ok = mls_verify_github_lines(submission, &submission->findings, style, output);
    for (size_t i = 0; i < submission->submitter_count && ok; i++) {
        ok = mls_verify_github_lines(submission, &submission->submitters[i].findings, style, output);
    }
    return ok;
}

/* ------------------------------------------------------------------- JUnit */

/* What a test case of JUnit is about: a file, a folder with all in it, or what no other case is about. */
typedef struct mls_junit_case {
    const char *class_name;
    const char *path; /* NULL: the rest */
} mls_junit_case;

static bool mls_junit_within(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return path != NULL && strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Whether a finding belongs to a description or a result of the submitter, and so not to the rest. */
static bool mls_junit_placed(const mls_submitter *submitter, const mls_finding *finding)
{
    bool placed = false;
    for (size_t i = 0; i < submitter->system_count && !placed; i++) {
        placed = mls_junit_within(finding->path, submitter->systems[i].path);
    }
    for (size_t i = 0; i < submitter->result_count && !placed; i++) {
        placed = mls_junit_within(finding->path, submitter->results[i].path);
    }
    return placed;
}

static bool mls_junit_mine(const mls_submitter *submitter, const mls_junit_case *test, const mls_finding *finding)
{
    return test->path != NULL ? mls_junit_within(finding->path, test->path)
                              : submitter == NULL || !mls_junit_placed(submitter, finding);
}

/* Appends one test case; returns whether it failed. */
static bool mls_junit_append(mls_buffer *out, const mls_submitter *submitter, const mls_findings *findings,
                             mls_junit_case test, const mls_verify_style *style)
{
    mls_buffer text = {0};
    size_t bad = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding *finding = &findings->items[i];
        if (mls_junit_mine(submitter, &test, finding)) {
            bad += style->strict || finding->severity == MLS_SEVERITY_ERROR;
            if (mls_verify_shows(style, finding->severity)) {
                mls_xml_append_finding(&text, finding, "");
            }
        }
    }
    mls_buffer_append_text(out, "    <testcase classname=\"");
    mls_xml_append(out, test.class_name);
    mls_buffer_append_text(out, "\" name=\"");
    mls_xml_append(out, test.path != NULL ? test.path : "everything else");
    mls_buffer_append_text(out, "\">\n");
    if (bad > 0) {
        mls_buffer_printf(out, "      <failure message=\"%zu %s\">", bad, bad == 1 ? "finding" : "findings");
        mls_buffer_append(out, mls_buffer_str(&text));
        mls_buffer_append_text(out, "</failure>\n");
    } else if (text.len > 0) {
        mls_buffer_append_text(out, "      <system-out>");
        mls_buffer_append(out, mls_buffer_str(&text));
        mls_buffer_append_text(out, "</system-out>\n");
    }
    mls_buffer_append_text(out, "    </testcase>\n");
    out->failed |= text.failed;
    mls_buffer_release(&text);
    return bad > 0;
}

static bool mls_junit_suite(const char *name, size_t tests, size_t failures, const mls_buffer *cases,
                            mls_output *output)
{
    mls_buffer escaped = {0};
    mls_xml_append(&escaped, name);
    mls_output_printf(output, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\">\n",
                      escaped.ptr != NULL ? escaped.ptr : "", tests, failures);
    mls_output_write(output, mls_buffer_str(cases));
    mls_output_text(output, "  </testsuite>\n");
    const bool ok = !escaped.failed && !cases->failed;
    mls_buffer_release(&escaped);
    return ok;
}

bool mls_report_verify_junit(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    bool ok = true;
    mls_output_text(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mlscore verify\">\n");
    if (submission->findings.count > 0) {
        mls_buffer cases = {0};
        const mls_junit_case rest = {"tree", NULL};
        const bool failed = mls_junit_append(&cases, NULL, &submission->findings, rest, style);
        ok = mls_junit_suite(submission->path, 1, failed, &cases, output);
        mls_buffer_release(&cases);
    }
    for (size_t i = 0; i < submission->submitter_count && ok; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        mls_buffer cases = {0};
        size_t failures =
            mls_junit_append(&cases, submitter, &submitter->findings, (mls_junit_case){"tree", NULL}, style);
        for (size_t k = 0; k < submitter->system_count; k++) {
            const mls_junit_case test = {"system", submitter->systems[k].path};
            failures += mls_junit_append(&cases, submitter, &submitter->findings, test, style);
        }
        for (size_t k = 0; k < submitter->result_count; k++) {
            const mls_junit_case test = {submitter->results[k].benchmark, submitter->results[k].path};
            failures += mls_junit_append(&cases, submitter, &submitter->findings, test, style);
        }
        ok = mls_junit_suite(submitter->name, 1 + submitter->system_count + submitter->result_count, failures, &cases,
                             output);
        mls_buffer_release(&cases);
    }
    mls_output_text(output, "</testsuites>\n");
    return ok;
}
