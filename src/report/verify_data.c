/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_data.c - the fields of a judged submission, and its test cases.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/reports.h"

/* The bytes of a path up to its last '/'. */
static mls_str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return (mls_str){path, slash != NULL ? (size_t)(slash - path) : 0};
}

/* Adds a finding; what is alike in one folder is told together, in a result's of how many logs. */
static void add_placed(mls_found *found, const mls_view *view, const mls_placed_finding *placed, const char *submitter)
{
    mls_owner owner = {.path = placed->path, .name = submitter, .result = folder_of(placed->path)};
    if (placed->system != NULL && placed->system->description.path != NULL &&
        strcmp(placed->path, placed->system->description.path) == 0) {
        owner.result = (mls_str){0}; /* each description is one of its own */
    }
    if (placed->result != NULL && mls_str_equal(owner.result, mls_str_from(placed->result->path))) {
        owner.runs = placed->result->run_count;
    }
    mls_found_add_one(found, placed->finding, owner, view);
}

void mls_verify_found(mls_found *found, const mls_view *view, const mls_submission *submission,
                      const mls_submitter *submitter)
{
    mls_placed_finding *items = NULL;
    size_t count = 0;
    if (submitter == NULL) {
        mls_found_add(found, &submission->findings, (mls_owner){.path = "."}, view);
        return;
    }
    found->failed |= mls_submitter_list(submitter, &items, &count) != MLS_OK;
    for (size_t i = 0; i < count; i++) {
        add_placed(found, view, &items[i], submitter->name);
    }
    free(items);
}

/* ------------------------------------------------------------------- fields */

typedef struct log_row {
    const mls_submission_run *run;
    double joules;
    mls_olympic_mark mark;
} log_row;

#define LOG_FIELDS(F)                                                                                                  \
    F(log, file, TEXT, 0, "", row->run->file.path)                                                                     \
    F(log, valid, BOOL, 0, "", row->run->run.valid)                                                                    \
    F(log, converged, BOOL, 0, "", row->run->run.converged)                                                            \
    F(log, start_ms, NUMBER_OR_NULL, 0, "ms", row->run->run.run_start.time_ms)                                         \
    F(log, minutes, NUMBER_OR_NULL, 0, "minutes", mls_run_minutes(&row->run->run))                                     \
    F(log, joules, NUMBER_OR_NULL, 0, "joules", row->joules)                                                           \
    F(log, counted, TEXT, 0, "", mls_olympic_mark_name(row->mark))                                                     \
    F(log, reason, TEXT_OR_NULL, 0, "", row->run->reason)
MLS_FIELDS(log, "VERIFY JSON", LOG_FIELDS)

static void emit_log(mls_emitter *to, const mls_submission_result *result, size_t index)
{
    const mls_group *group = &result->group;
    const log_row row = {&result->runs[index], group->power.joules != NULL ? group->power.joules[index] : (double)NAN,
                         group->marks != NULL ? group->marks[index] : MLS_OLYMPIC_KEPT};
    mls_emit_object(to, &log_fields, &row);
}

typedef mls_rcp_outcome verdict_row;
typedef mls_seed_outcome seeds_row;
typedef mls_power_outcome power_row;
typedef mls_weak_outcome weak_row;
typedef mls_submission_result result_row;
#define SEEDS_FIELDS(F)                                                                                                \
    F(seeds, ok, BOOL, 0, "", row->check == MLS_CHECK_PASS)                                                            \
    F(seeds, bypassed, BOOL, 0, "", row->check == MLS_CHECK_BYPASSED)                                                  \
    F(seeds, seeds, NUMBER, 0, "", row->count)                                                                         \
    F(seeds, different, NUMBER, 0, "", row->different)
MLS_FIELDS(seeds, "VERIFY JSON", SEEDS_FIELDS)
#define POWER_FIELDS(F)                                                                                                \
    F(power, ok, BOOL, 0, "", row->check == MLS_CHECK_PASS)                                                            \
    F(power, joules, NUMBER_OR_NULL, 0, "joules", row->energy_joules)
MLS_FIELDS(power, "VERIFY JSON", POWER_FIELDS)
MLS_FIELDS(weak, "VERIFY JSON", MLS_WEAK_FIELDS)
#define VERDICT_FIELDS(F)                                                                                              \
    F(verdict, pass, BOOL, 0, "", row->result.pass)                                                                    \
    F(verdict, bypassed, BOOL, 0, "", row->check == MLS_CHECK_BYPASSED)                                                \
    MLS_VERDICT_FIELDS(F)
MLS_FIELDS(verdict, "VERIFY JSON", VERDICT_FIELDS)

/* A check that was not made is null. */
static const void *made(const void *outcome, mls_check check)
{
    return check != MLS_CHECK_NOT_MADE ? outcome : NULL;
}

#define RESULT_FIELDS(F)                                                                                               \
    F(result, path, TEXT, 0, "", row->path)                                                                            \
    F(result, system, TEXT, 0, "", row->system)                                                                        \
    F(result, benchmark, TEXT, 0, "", row->benchmark)                                                                  \
    F(result, division, TEXT_OR_NULL, 0, "", row->division)                                                            \
    F(result, judged, BOOL, 0, "", row->judged)                                                                        \
    F(result, valid, BOOL, 0, "", row->counts.error == 0)                                                              \
    F(result, runs, NUMBER, 0, "", row->run_count)                                                                     \
    F(result, runs_needed, NUMBER, 0, "", row->runs_needed)                                                            \
    F(result, invalid, NUMBER, 0, "", row->invalid)                                                                    \
    F(result, invalid_allowed, NUMBER, 0, "", row->allowed)                                                            \
    F(result, score_minutes, NUMBER_OR_NULL, 0, "minutes", row->group.score.score_minutes)                             \
    F(result, scale, NUMBER, 0, "", row->group.scale)                                                                  \
    F(result, scaled_minutes, NUMBER_OR_NULL, 0, "minutes", row->group.scaled_minutes)                                 \
    F(result, rcp, OBJECT_OR_NULL, 0, "",                                                                              \
      mls_emit_object(to, &verdict_fields, made(&row->group.rcp, row->group.rcp.check)))                               \
    F(result, seeds, OBJECT_OR_NULL, 0, "",                                                                            \
      mls_emit_object(to, &seeds_fields, made(&row->group.seeds, row->group.seeds.check)))                             \
    F(result, power, OBJECT_OR_NULL, 0, "",                                                                            \
      mls_emit_object(to, &power_fields, made(&row->group.power, row->group.power.check)))                             \
    F(result, weak_scaling, OBJECT_OR_NULL, 0, "",                                                                     \
      mls_emit_object(to, &weak_fields, row->weak && row->judged ? &row->group.weak : NULL))                           \
    F(result, logs, ARRAY, 0, "", MLS_EMIT_LIST(to, row->run_count, emit_log(to, row, i)))
MLS_FIELDS(result, "VERIFY JSON", RESULT_FIELDS)

typedef mls_system system_row;
#define SYSTEM_FIELDS(F)                                                                                               \
    F(system, name, TEXT, 0, "", row->name)                                                                            \
    F(system, file, TEXT, 0, "", row->description.path)                                                                \
    F(system, valid, BOOL, 0, "", row->valid)
MLS_FIELDS(system, "VERIFY JSON", SYSTEM_FIELDS)

/* Of a submission, and one of its submitters or NULL. */
static void emit_findings(mls_emitter *to, const mls_submission *submission, const mls_submitter *submitter)
{
    mls_found found = {0};
    mls_verify_found(&found, to->view, submission, submitter);
    mls_emit_found(to, &found, true);
}

/* Those that are described. */
static void emit_systems(mls_emitter *to, const mls_submitter *submitter)
{
    mls_emit_open(to, '[');
    for (size_t i = 0; i < submitter->system_count; i++) {
        if (submitter->systems[i].description.path != NULL) {
            mls_emit_object(to, &system_fields, &submitter->systems[i]);
        }
    }
    mls_emit_close(to, ']');
}

typedef mls_submitter submitter_row;
#define SUBMITTER_FIELDS(F)                                                                                            \
    F(submitter, name, TEXT, 0, "", row->name)                                                                         \
    F(submitter, valid, BOOL, 0, "", row->valid)                                                                       \
    F(submitter, systems, ARRAY, 0, "", emit_systems(to, row))                                                         \
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
    F(submission, errors, NUMBER, 0, "", row->counts.error)                                                            \
    F(submission, warnings, NUMBER, 0, "", row->counts.warning)                                                        \
    F(submission, advice, NUMBER, 0, "", row->counts.advice)                                                           \
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

/* A test case, which fails by what was counted. */
static void add_case(mls_printer *to, mls_found *found, const mls_finding_counts *counts, const char *class_name,
                     const char *name)
{
    char failure[40];
    const size_t bad = counts->error + (to->view->strict ? counts->warning + counts->advice : 0);
    (void)snprintf(failure, sizeof failure, "%zu %s", bad, bad == 1 ? "finding" : "findings");
    mls_junit_case(to, class_name, name, mls_findings_pass(counts, to->view->strict) ? NULL : failure, found);
}

/* What a submitter's findings are about: a system, a result, or neither. */
typedef struct test_list {
    mls_placed_finding *items;
    size_t count;
    const mls_view *view;
} test_list;

static mls_found found_of(const test_list *list, const mls_system *system, const mls_submission_result *result)
{
    mls_found found = {0};
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].system == system && list->items[i].result == result) {
            mls_found_add_one(&found, list->items[i].finding, (mls_owner){.path = list->items[i].path}, list->view);
        }
    }
    return found;
}

static void add_suite(mls_printer *to, const mls_submitter *submitter)
{
    test_list list = {.view = to->view};
    if (mls_submitter_list(submitter, &list.items, &list.count) != MLS_OK) {
        mls_output_short(to->view->output);
        return;
    }
    mls_found found = found_of(&list, NULL, NULL);
    add_case(to, &found, &submitter->findings.counts, "tree", "everything else");
    for (size_t k = 0; k < submitter->system_count; k++) {
        const mls_system *system = &submitter->systems[k];
        found = found_of(&list, system, NULL);
        add_case(to, &found, &system->findings.counts, "system",
                 system->description.path != NULL ? system->description.path : system->folder);
    }
    for (size_t k = 0; k < submitter->result_count; k++) {
        const mls_submission_result *result = &submitter->results[k];
        found = found_of(&list, NULL, result);
        add_case(to, &found, &result->counts, result->benchmark, result->path);
    }
    free(list.items);
    mls_junit_suite(to, submitter->name);
}

static void test_cases(mls_printer *to, const void *what)
{
    const mls_submission *submission = what;
    if (submission->findings.count > 0) {
        mls_found found = {0};
        mls_verify_found(&found, to->view, submission, NULL);
        add_case(to, &found, &submission->findings.counts, "tree", "everything else");
        mls_junit_suite(to, submission->path);
    }
    for (size_t i = 0; i < submission->submitter_count; i++) {
        add_suite(to, &submission->submitters[i]);
    }
}

const mls_report mls_verify_report = {.command = "verify",
                                      .show = mls_verify_show,
                                      .object = &submission_fields,
                                      .columns = &mls_verify_columns,
                                      .rows = finding_rows,
                                      .findings = all_findings,
                                      .cases = test_cases};
