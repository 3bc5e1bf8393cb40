/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_data.c - the fields of a judged submission, and its test cases.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "report/score_report.h"
#include "report/verify_report.h"

void mls_verify_found(mls_found *found, const mls_view *view, const mls_submission *submission,
                      const mls_submitter *submitter)
{
    const mls_findings *findings = submitter != NULL ? &submitter->findings : &submission->findings;
    mls_found_add(found, findings, (mls_owner){.name = submitter != NULL ? submitter->name : NULL}, view);
}

/* ------------------------------------------------------------------- fields */

typedef mls_submission_run log_row;
#define LOG_FIELDS(F)                                                                                                  \
    F(log, file, TEXT, 0, "", row->path)                                                                               \
    F(log, valid, BOOL, 0, "", row->valid)                                                                             \
    F(log, converged, BOOL, 0, "", row->converged)                                                                     \
    F(log, start_ms, NUMBER_OR_NULL, 0, "ms", row->start_ms)                                                           \
    F(log, minutes, NUMBER_OR_NULL, 0, "minutes", row->minutes)                                                        \
    F(log, joules, NUMBER_OR_NULL, 0, "joules", row->joules)                                                           \
    F(log, counted, TEXT, 0, "", mls_olympic_mark_name(row->mark))                                                     \
    F(log, reason, TEXT_OR_NULL, 0, "", row->reason)
MLS_FIELDS(log, "VERIFY JSON", LOG_FIELDS)

typedef mls_submission_result verdict_row, seeds_row, power_row, weak_row, result_row;
#define SEEDS_FIELDS(F)                                                                                                \
    F(seeds, ok, BOOL, 0, "", row->seed_check == MLS_CHECK_PASS)                                                       \
    F(seeds, bypassed, BOOL, 0, "", row->seed_check == MLS_CHECK_BYPASSED)                                             \
    F(seeds, seeds, NUMBER, 0, "", row->seeds)                                                                         \
    F(seeds, different, NUMBER, 0, "", row->seeds_different)
MLS_FIELDS(seeds, "VERIFY JSON", SEEDS_FIELDS)
#define POWER_FIELDS(F)                                                                                                \
    F(power, ok, BOOL, 0, "", row->power_check == MLS_CHECK_PASS)                                                      \
    F(power, joules, NUMBER_OR_NULL, 0, "joules", row->energy_joules)
MLS_FIELDS(power, "VERIFY JSON", POWER_FIELDS)
MLS_FIELDS(weak, "VERIFY JSON", MLS_WEAK_FIELDS)
#define VERDICT_FIELDS(F)                                                                                              \
    F(verdict, pass, BOOL, 0, "", row->rcp.pass)                                                                       \
    F(verdict, bypassed, BOOL, 0, "", row->rcp_check == MLS_CHECK_BYPASSED)                                            \
    MLS_VERDICT_FIELDS(F)
MLS_FIELDS(verdict, "VERIFY JSON", VERDICT_FIELDS)

/* A check that was not made is null. */
static const void *made(const mls_submission_result *result, mls_check check)
{
    return check != MLS_CHECK_NOT_MADE ? result : NULL;
}

#define RESULT_FIELDS(F)                                                                                               \
    F(result, path, TEXT, 0, "", row->path)                                                                            \
    F(result, system, TEXT, 0, "", row->system)                                                                        \
    F(result, benchmark, TEXT, 0, "", row->benchmark)                                                                  \
    F(result, division, TEXT_OR_NULL, 0, "", row->division)                                                            \
    F(result, judged, BOOL, 0, "", row->judged)                                                                        \
    F(result, valid, BOOL, 0, "", row->errors == 0)                                                                    \
    F(result, runs, NUMBER, 0, "", row->run_count)                                                                     \
    F(result, runs_needed, NUMBER, 0, "", row->runs_needed)                                                            \
    F(result, invalid, NUMBER, 0, "", row->invalid)                                                                    \
    F(result, invalid_allowed, NUMBER, 0, "", row->allowed)                                                            \
    F(result, score_minutes, NUMBER_OR_NULL, 0, "minutes", row->score.score_minutes)                                   \
    F(result, scale, NUMBER, 0, "", row->scale)                                                                        \
    F(result, scaled_minutes, NUMBER_OR_NULL, 0, "minutes", row->scaled_minutes)                                       \
    F(result, rcp, OBJECT_OR_NULL, 0, "", mls_emit_object(to, &verdict_fields, made(row, row->rcp_check)))             \
    F(result, seeds, OBJECT_OR_NULL, 0, "", mls_emit_object(to, &seeds_fields, made(row, row->seed_check)))            \
    F(result, power, OBJECT_OR_NULL, 0, "", mls_emit_object(to, &power_fields, made(row, row->power_check)))           \
    F(result, weak_scaling, OBJECT_OR_NULL, 0, "",                                                                     \
      mls_emit_object(to, &weak_fields, row->weak && row->judged ? row : NULL))                                        \
    F(result, logs, ARRAY, 0, "", MLS_EMIT_LIST(to, row->run_count, mls_emit_object(to, &log_fields, &row->runs[i])))
MLS_FIELDS(result, "VERIFY JSON", RESULT_FIELDS)

typedef mls_system system_row;
#define SYSTEM_FIELDS(F)                                                                                               \
    F(system, name, TEXT, 0, "", row->name)                                                                            \
    F(system, file, TEXT, 0, "", row->path)                                                                            \
    F(system, valid, BOOL, 0, "", row->valid)
MLS_FIELDS(system, "VERIFY JSON", SYSTEM_FIELDS)

/* Of a submission, and one of its submitters or NULL. */
static void emit_findings(mls_emitter *to, const mls_submission *submission, const mls_submitter *submitter)
{
    mls_found found = {0};
    mls_verify_found(&found, to->view, submission, submitter);
    mls_emit_found(to, &found, true);
}

typedef mls_submitter submitter_row;
#define SUBMITTER_FIELDS(F)                                                                                            \
    F(submitter, name, TEXT, 0, "", row->name)                                                                         \
    F(submitter, valid, BOOL, 0, "", row->valid)                                                                       \
    F(submitter, systems, ARRAY, 0, "",                                                                                \
      MLS_EMIT_LIST(to, row->system_count, mls_emit_object(to, &system_fields, &row->systems[i])))                     \
    F(submitter, results, ARRAY, 0, "",                                                                                \
      MLS_EMIT_LIST(to, row->result_count, mls_emit_object(to, &result_fields, &row->results[i])))                     \
    F(submitter, findings, ARRAY, 0, "", emit_findings(to, NULL, row))
MLS_FIELDS(submitter, "VERIFY JSON", SUBMITTER_FIELDS)

typedef mls_submission submission_row;
#define SUBMISSION_FIELDS(F)                                                                                           \
    F(submission, path, TEXT, 0, "", row->path)                                                                        \
    F(submission, valid, BOOL, 0, "", row->valid)                                                                      \
    F(submission, usage, TEXT, 0, "", mls_usage_name(row->usage))                                                      \
    F(submission, edition, TEXT, 0, "", row->edition->name)                                                            \
    F(submission, edition_guessed, BOOL, 0, "", row->edition_guessed)                                                  \
    F(submission, errors, NUMBER, 0, "", mls_submission_count(row, MLS_SEVERITY_ERROR))                                \
    F(submission, warnings, NUMBER, 0, "", mls_submission_count(row, MLS_SEVERITY_WARNING))                            \
    F(submission, advice, NUMBER, 0, "", mls_submission_count(row, MLS_SEVERITY_ADVICE))                               \
    F(submission, submitters, ARRAY, 0, "",                                                                            \
      MLS_EMIT_LIST(to, row->submitter_count, mls_emit_object(to, &submitter_fields, &row->submitters[i])))            \
    F(submission, findings, ARRAY, 0, "", emit_findings(to, row, NULL))
MLS_FIELDS(submission, "VERIFY JSON", SUBMISSION_FIELDS)

const mls_fields *const mls_verify_tables[] = {
    &submission_fields, &submitter_fields, &system_fields, &result_fields, &verdict_fields,
    &seeds_fields,      &power_fields,     &weak_fields,   &log_fields,    NULL};

const mls_columns mls_verify_columns = {"VERIFY CSV",
                                        "severity code submitter path line column key message",
                                        {&mls_finding_csv_fields, &mls_finding_fields},
                                        0};

/* Everything that was found: about the tree, then submitter by submitter. */
static void add_all(mls_found *found, const mls_view *view, const mls_submission *submission)
{
    mls_verify_found(found, view, submission, NULL);
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_verify_found(found, view, submission, &submission->submitters[i]);
    }
}

static void finding_rows(mls_emitter *to, const void *submission)
{
    mls_found found = {0};
    add_all(&found, to->view, submission);
    for (size_t i = 0; i < found.count; i++) {
        mls_emit_row(to, &mls_verify_columns, (const void *[MLS_SOURCES_MAX]){&found.items[i], &found.items[i]});
    }
    mls_found_finish(&found, to->output);
}

static void all_findings(mls_found *found, const mls_printer *to, const void *submission)
{
    found->root = ((const mls_submission *)submission)->path;
    add_all(found, to->view, submission);
}

/* -------------------------------------------------------------------- JUnit */

static bool is_within(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return path != NULL && strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Whether a finding belongs to a description or a result of the submitter. */
static bool is_placed(const mls_submitter *submitter, const mls_finding *finding)
{
    bool placed = false;
    for (size_t i = 0; i < submitter->system_count && !placed; i++) {
        placed = is_within(finding->path, submitter->systems[i].path);
    }
    for (size_t i = 0; i < submitter->result_count && !placed; i++) {
        placed = is_within(finding->path, submitter->results[i].path);
    }
    return placed;
}

/* A test case about a file or a folder with all in it; path NULL: about what no other case is about. */
static void add_case(mls_printer *to, const mls_submitter *submitter, const mls_findings *findings,
                     const char *class_name, const char *path)
{
    mls_found found = {0};
    char failure[40];
    size_t bad = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding *finding = &findings->items[i];
        if (path != NULL ? is_within(finding->path, path) : submitter == NULL || !is_placed(submitter, finding)) {
            const mls_findings one = {.items = &findings->items[i], .count = 1};
            bad += to->view->strict || finding->severity == MLS_SEVERITY_ERROR;
            mls_found_add(&found, &one, (mls_owner){.path = ""}, to->view);
        }
    }
    (void)snprintf(failure, sizeof failure, "%zu %s", bad, bad == 1 ? "finding" : "findings");
    mls_junit_case(to, class_name, path != NULL ? path : "everything else", bad > 0 ? failure : NULL, &found);
}

static void test_cases(mls_printer *to, const void *what)
{
    const mls_submission *submission = what;
    if (submission->findings.count > 0) {
        add_case(to, NULL, &submission->findings, "tree", NULL);
        mls_junit_suite(to, submission->path);
    }
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        add_case(to, submitter, &submitter->findings, "tree", NULL);
        for (size_t k = 0; k < submitter->system_count; k++) {
            add_case(to, submitter, &submitter->findings, "system", submitter->systems[k].path);
        }
        for (size_t k = 0; k < submitter->result_count; k++) {
            const mls_submission_result *result = &submitter->results[k];
            add_case(to, submitter, &submitter->findings, result->benchmark, result->path);
        }
        mls_junit_suite(to, submitter->name);
    }
}

const mls_report mls_verify_report = {.command = "verify",
                                      .show = mls_verify_show,
                                      .object = &submission_fields,
                                      .columns = &mls_verify_columns,
                                      .rows = finding_rows,
                                      .findings = all_findings,
                                      .cases = test_cases};
