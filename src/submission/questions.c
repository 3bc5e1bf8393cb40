/* SPDX-License-Identifier: Apache-2.0 */
/* questions.c - define the kinds of questions, note the data of runs that questions need, and list all questions. */
#include "submission/questions.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "submission/judge.h"
#include "json/value.h"

/* ----------------------------------------------------------------------------------------------------------- kinds */

#define TRAINING "training_rules.adoc"
#define SUBMISSION "submission_rules.adoc"
#define HPC "hpc_training_rules.adoc"
#define POWER "power_measurement.adoc"
#define RESUBMISSION "Results Resubmission"
#define METADATA "<system_desc_id>.json metadata"

/* How the questions of a kind are made. */
enum { ASKED = 0, FOUND = 1, FORM = 2 }; /* by mls_ask(); from findings; from findings about form */

static const struct kind_row {
    mls_finding_code code;
    int made;
    const char *document, *section;
    mls_question_next next;
} kinds[] = {
    {MLS_FINDING_SYSTEM_TEXT, ASKED, SUBMISSION, METADATA, MLS_NEXT_ISSUE},
    {MLS_FINDING_COPIED_LOG, FOUND, TRAINING, "Scoring", MLS_NEXT_COMPARE},
    {MLS_FINDING_SAME_RUN, ASKED, TRAINING, "Scoring", MLS_NEXT_COMPARE},
    {MLS_FINDING_SAME_COURSE, ASKED, TRAINING, "Random numbers", MLS_NEXT_ISSUE},
    {MLS_FINDING_STOP_EARLY, ASKED, TRAINING, "Run Results", MLS_NEXT_ISSUE},
    {MLS_FINDING_CACHE_CLEAR, ASKED, TRAINING, "Data State at Start of Run", MLS_NEXT_ISSUE},
    {MLS_FINDING_NO_IMPLEMENTATION, ASKED, SUBMISSION, "Source code requirements for replication", MLS_NEXT_ISSUE},
    {MLS_FINDING_RESUBMITTED_CHANGED, ASKED, TRAINING, RESUBMISSION, MLS_NEXT_COMPARE},
    {MLS_FINDING_FIXED_VALUE, ASKED, TRAINING, "Hyperparameters", MLS_NEXT_ISSUE},
    {MLS_FINDING_MIXED_HYPERPARAMETERS, ASKED, TRAINING, "Scoring", MLS_NEXT_ISSUE},
    {MLS_FINDING_EVALUATION_INTERVAL, ASKED, TRAINING, "Quality measure", MLS_NEXT_ISSUE},
    {MLS_FINDING_RUN_FAST, ASKED, TRAINING, "Scoring", MLS_NEXT_THROUGHPUT},
    {MLS_FINDING_POWER_COVERAGE, ASKED, POWER, "Measure max(a run, 60 power samples)", MLS_NEXT_TELEMETRY},
    {MLS_FINDING_POWER_WATTS, ASKED, POWER, "Target 5% Accuracy", MLS_NEXT_TELEMETRY},
    {MLS_FINDING_POWER_NODES, ASKED, POWER, "Measure All Nodes", MLS_NEXT_TELEMETRY},
    {MLS_FINDING_POWER_COPIED, ASKED, POWER, "Measure all Runs", MLS_NEXT_TELEMETRY},
    {MLS_FINDING_WEAK_ALONE, ASKED, HPC, "Throughput", MLS_NEXT_ISSUE},
    {MLS_FINDING_SYSTEM_LOGGED, ASKED, SUBMISSION, METADATA, MLS_NEXT_ISSUE},
    {MLS_FINDING_SYSTEM_NUMBER, ASKED, SUBMISSION, METADATA, MLS_NEXT_ISSUE},
    {MLS_FINDING_CONFIG_SYSTEM, FOUND, SUBMISSION, METADATA, MLS_NEXT_ISSUE},
    {MLS_FINDING_SCALING_DIFFERS, FOUND, NULL, NULL, MLS_NEXT_ISSUE},
    {MLS_FINDING_FAR_FROM_PEERS, FOUND, NULL, NULL, MLS_NEXT_COMPARE},
    {MLS_FINDING_MIXED_GROUP, FOUND, TRAINING, "Scoring", MLS_NEXT_ISSUE},
    {MLS_FINDING_RUN_GAP, ASKED, TRAINING, "Scoring", MLS_NEXT_ISSUE},
    {MLS_FINDING_RUN_DATE, ASKED, TRAINING, RESUBMISSION, MLS_NEXT_ISSUE},
    {MLS_FINDING_RESUBMITTED, ASKED, TRAINING, RESUBMISSION, MLS_NEXT_COMPARE},
    {MLS_FINDING_RUN_SLOW, ASKED, TRAINING, "Scoring", MLS_NEXT_THROUGHPUT},
    {MLS_FINDING_POWER_GAP, ASKED, POWER, "Report 1 Measurement per Second", MLS_NEXT_TELEMETRY},
    {MLS_FINDING_IMPLEMENTATION_ELSEWHERE, ASKED, SUBMISSION, "Directory structure", MLS_NEXT_ISSUE},
    {MLS_FINDING_IMPLEMENTATION_LACKS, ASKED, SUBMISSION, "Source code requirements for training inspection",
     MLS_NEXT_ISSUE},
    {MLS_FINDING_SYSTEM_TWICE, ASKED, SUBMISSION, METADATA, MLS_NEXT_ISSUE},
    {MLS_FINDING_SYSTEM_ANSWER, ASKED, SUBMISSION, METADATA, MLS_NEXT_ISSUE},
    {MLS_FINDING_DIVISION_SPELLING, FORM, NULL, NULL, MLS_NEXT_ISSUE},
    {MLS_FINDING_DIVISION_DIFFERS, FORM, NULL, NULL, MLS_NEXT_ISSUE},
    {MLS_FINDING_SUBMITTER_DIFFERS, FORM, NULL, NULL, MLS_NEXT_ISSUE},
    {MLS_FINDING_RESULT_NAME, FORM, NULL, NULL, MLS_NEXT_ISSUE},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Return the index of the row with a code, or KINDS if there is no such row. */
static size_t row_of(mls_finding_code code)
{
    size_t row = 0;
    while (row < KINDS && kinds[row].code != code)
        row++;
    return row;
}

mls_question_kind mls_question_kind_of(const mls_submission *submission, mls_finding_code code)
{
    const size_t row = row_of(code);
    mls_question_kind kind = {code, mls_finding_info_get(code)->severity, true, NULL, NULL, MLS_NEXT_ISSUE};
    if (row == KINDS)
        return kind;
    kind.form = kinds[row].made == FORM;
    kind.document = kinds[row].document;
    kind.section = kinds[row].section;
    kind.next = kinds[row].next;
    if (code == MLS_FINDING_WEAK_ALONE && submission->edition->number < MLS_EDITION_NUMBER(3, 0, 0))
        kind.section = "Weak Scaling (Throughput)";
    /* Before training 5.1 no rule was about runs of an earlier round. */
    if (kind.section != NULL && strcmp(kind.section, RESUBMISSION) == 0 &&
        (submission->options.usage != MLS_USAGE_TRAINING ||
         submission->edition->number < MLS_EDITION_NUMBER(5, 1, 0))) {
        kind.severity = MLS_SEVERITY_ADVICE;
        kind.document = kind.section = NULL;
    }
    return kind;
}

mls_question_kind mls_question_kind_at(const mls_submission *submission, size_t position)
{
    for (size_t code = 0; position >= KINDS && code < MLS_FINDING_COUNT; code++)
        if (row_of((mls_finding_code)code) == KINDS && position-- == KINDS)
            return mls_question_kind_of(submission, (mls_finding_code)code);
    return position < KINDS ? mls_question_kind_of(submission, kinds[position].code)
                            : (mls_question_kind){.code = MLS_FINDING_COUNT};
}

/* ----------------------------------------------------------------------------------------------------------- notes */

/* Return a finite number in the metadata of a record; NAN: missing, or not a finite number. */
static double metadata_number(const mls_record *record, mls_str name)
{
    mls_str span;
    double number = (double)NAN;
    return mls_record_metadata_member(record, name, &span) && mls_json_number(span, &number) && isfinite(number)
               ? number
               : (double)NAN;
}

static mls_status note_record(void *notes, const mls_record *record)
{
    mls_run_notes *to = notes;
    if (record->key_id == MLS_KEY_CACHE_CLEAR) {
        double number = (double)NAN;
        const bool no = mls_str_equal(record->value, MLS_S("false")) ||
                        mls_str_equal(record->value, MLS_S("\"false\"")) ||
                        (mls_json_kind_of(record->value) == MLS_JSON_NUMBER &&
                         mls_json_number(record->value, &number) && number == 0);
        to->first_clear_ms = to->clear_line == 0 ? record->time_ms : fmin(to->first_clear_ms, record->time_ms);
        to->clear_line = to->clear_line == 0 ? record->line : to->clear_line;
        to->uncleared_line = to->uncleared_line == 0 && no ? record->line : to->uncleared_line;
    }
    if ((record->key_id == MLS_KEY_EVAL_ACCURACY || record->key_id == MLS_KEY_EVAL_ERROR) &&
        to->evaluations.count < MLS_EVALUATIONS_NOTED) {
        const double epoch = metadata_number(record, MLS_S("epoch_num"));
        const double samples = metadata_number(record, MLS_S("samples_count"));
        mls_noted_evaluation noted = {.time_ms = record->time_ms,
                                      .value = (double)NAN,
                                      .position = isnan(samples) ? epoch : samples,
                                      .epoch = epoch,
                                      .line = record->line};
        (void)mls_json_number(record->value, &noted.value);
        MLS_GROW(&to->evaluations, items);
        to->evaluations.items[to->evaluations.count++] = noted;
    }
    return MLS_OK;
}

static void release_notes(void *notes)
{
    free(((mls_run_notes *)notes)->evaluations.items);
}

const mls_observer mls_run_notes_observer = {
    .size = sizeof(mls_run_notes), .record = note_record, .release = release_notes};

/* ---------------------------------------------------------------------------------------------------------- asking */

void mls_question_add_result(mls_question *question, const char *path)
{
    for (size_t i = 0; i < question->results.count; i++)
        if (strcmp(question->results.items[i], path) == 0)
            return;
    MLS_GROW(&question->results, items);
    question->results.items[question->results.count++] = path;
}

/* Names of a list; further ones are left out, since each name is compared with all before it. */
enum { NAMES_MAX = 200 };

void mls_ask_name(cJSON *names, mls_str name)
{
    const cJSON *other;
    size_t count = 0;
    cJSON_ArrayForEach(other, names)
    {
        if (mls_str_equal(name, mls_str_from(other->valuestring)) || ++count >= NAMES_MAX)
            return;
    }
    char *copy = mls_strndup(name.ptr, name.len);
    (void)cJSON_AddItemToArray(names, cJSON_CreateString(copy));
    free(copy);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void mls_ask_sort_names(cJSON **names)
{
    const int count = cJSON_GetArraySize(*names);
    const char **sorted = mls_calloc((size_t)count + 1, sizeof *sorted);
    const cJSON *name;
    int at = 0;
    cJSON_ArrayForEach(name, *names) sorted[at++] = name->valuestring;
    qsort((void *)sorted, (size_t)count, sizeof *sorted, compare_names);
    cJSON *list = cJSON_CreateStringArray(sorted, count);
    cJSON_Delete(*names);
    *names = list;
    free((void *)sorted);
}

mls_question *mls_ask(mls_submission *submission, mls_finding_code code, mls_ask_about about, cJSON *fields,
                      const char *format, ...)
{
    const mls_question_kind kind = mls_question_kind_of(submission, code);
    mls_buffer message = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&message, format, args);
    va_end(args);
    const char *path = about.path != NULL     ? about.path
                       : about.run != NULL    ? about.run->file.path
                       : about.result != NULL ? about.result->path
                       : about.system != NULL ? about.system->description.path
                                              : ".";
    mls_findings *owner = about.run != NULL         ? &about.run->run.findings
                          : about.result != NULL    ? &about.result->findings
                          : about.system != NULL    ? &about.system->findings
                          : about.submitter != NULL ? &about.submitter->findings
                                                    : &submission->findings;
    MLS_GROW(&submission->questions, items);
    mls_question *question = &submission->questions.items[submission->questions.count++];
    *question = (mls_question){.code = code,
                               .severity = kind.severity,
                               .submitter = about.submitter,
                               .path = path,
                               .line = about.line,
                               .message = mls_arena_copy(submission->arena, mls_buffer_str(&message)).ptr,
                               .fields = fields};
    if (about.result != NULL)
        mls_question_add_result(question, about.result->path);
    for (size_t i = 0; about.system != NULL && i < about.submitter->result_count; i++)
        if (strcmp(about.submitter->results[i].system, about.system->name) == 0)
            mls_question_add_result(question, about.submitter->results[i].path);
    mls_findings_add_as(owner, code, kind.severity, (mls_finding_place){.path = path, .line = about.line}, "%s",
                        message.ptr);
    mls_buffer_release(&message);
    return question;
}

mls_status mls_questions_ask(mls_submission *submission)
{
    const mls_status status = mls_published_ask(submission); /* marks runs for mls_runs_ask() */
    mls_runs_ask(submission);
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_code_ask(submission, &submission->submitters[i]);
        mls_hpc_ask(submission, &submission->submitters[i]);
    }
    mls_power_ask(submission);
    return status == MLS_OK ? mls_values_ask(submission) : status;
}

void mls_questions_release(mls_questions *questions)
{
    for (size_t i = 0; i < questions->count; i++) {
        free((void *)questions->items[i].results.items);
        cJSON_Delete(questions->items[i].fields);
    }
    free(questions->items);
    *questions = (mls_questions){0};
}

/* --------------------------------------------------------------------------------------------------- all questions */

/* Return the submitter whose folder contains a path, or NULL. */
static const mls_submitter *submitter_of(const mls_submission *submission, const char *path)
{
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        const size_t len = strlen(submitter->path);
        if (len == 0 || (strncmp(path, submitter->path, len) == 0 && (path[len] == '/' || path[len] == '\0')))
            return submitter;
    }
    return NULL;
}

/* Add a finding to the question of its submitter and kind.  Create the question for the first such finding.
 * of_code[code] is the position of the submitter's question of that kind, from 1; 0: there is no such question yet. */
static void add_found(const mls_submission *submission, mls_questions *all, size_t *of_code,
                      const mls_submitter *submitter, const mls_placed_finding *placed)
{
    const mls_finding *finding = placed->finding;
    const size_t row = row_of(finding->code);
    if (row < KINDS && kinds[row].made == ASKED)
        return;
    if (of_code[finding->code] == 0) {
        MLS_GROW(all, items);
        all->items[all->count++] = (mls_question){.code = finding->code,
                                                  .severity = finding->severity,
                                                  .submitter = submitter,
                                                  .path = placed->path,
                                                  .line = finding->line,
                                                  .message = finding->message,
                                                  .fields = cJSON_CreateObject()};
        of_code[finding->code] = all->count;
        (void)cJSON_AddNumberToObject(all->items[all->count - 1].fields, "count", 0);
        (void)cJSON_AddArrayToObject(all->items[all->count - 1].fields, "places");
    }
    mls_question *question = &all->items[of_code[finding->code] - 1];
    cJSON *count = cJSON_GetObjectItemCaseSensitive(question->fields, "count");
    cJSON *place = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(place, "path", placed->path);
    if (finding->line > 0)
        (void)cJSON_AddNumberToObject(place, "line", (double)finding->line);
    else
        (void)cJSON_AddNullToObject(place, "line");
    (void)cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(question->fields, "places"), place);
    if (count != NULL)
        cJSON_SetNumberValue(count, count->valuedouble + 1);
    question->severity = finding->severity < question->severity ? finding->severity : question->severity;
    if (placed->result != NULL)
        mls_question_add_result(question, placed->result->path);
    for (size_t i = 0; placed->result == NULL && submitter != NULL && i < submitter->result_count; i++)
        if (strcmp(submitter->results[i].path, placed->path) == 0)
            mls_question_add_result(question, submitter->results[i].path);
    (void)submission;
}

static int compare_questions(const void *left, const void *right)
{
    const mls_question *a = left;
    const mls_question *b = right;
    int order = (int)(b->severity == MLS_SEVERITY_ERROR) - (int)(a->severity == MLS_SEVERITY_ERROR);
    order = order != 0 ? order : mls_compare_sizes(row_of(a->code), row_of(b->code));
    order = order != 0 ? order : (int)a->code - (int)b->code;
    order = order != 0 ? order : mls_str_compare_natural(mls_str_from(a->path), mls_str_from(b->path));
    return order != 0 ? order : mls_compare_sizes(a->line, b->line);
}

void mls_questions_all(const mls_submission *submission, mls_questions *all)
{
    *all = (mls_questions){0};
    for (size_t i = 0; i < submission->questions.count; i++) {
        mls_question question = submission->questions.items[i];
        question.results = (mls_result_paths){0};
        question.fields = cJSON_Duplicate(question.fields, true);
        MLS_GROW(all, items);
        all->items[all->count++] = question;
        for (size_t k = 0; k < submission->questions.items[i].results.count; k++)
            mls_question_add_result(&all->items[all->count - 1], submission->questions.items[i].results.items[k]);
    }
    for (size_t s = 0; s <= submission->submitter_count; s++) {
        const mls_submitter *submitter = s > 0 ? &submission->submitters[s - 1] : NULL;
        size_t of_code[MLS_FINDING_COUNT] = {0};
        for (size_t i = 0; i < submission->findings.count; i++) {
            const mls_finding *finding = &submission->findings.items[i];
            const char *path = finding->path != NULL ? finding->path : ".";
            if (submitter_of(submission, path) == submitter)
                add_found(submission, all, of_code, submitter, &(mls_placed_finding){.finding = finding, .path = path});
        }
        for (size_t i = 0; submitter != NULL && i < submitter->placed_count; i++)
            add_found(submission, all, of_code, submitter, &submitter->placed[i]);
        for (size_t code = 0; submitter != NULL && code < MLS_FINDING_COUNT; code++) {
            if (of_code[code] > 0 && submitter->unkept[code] > 0) {
                cJSON *count = cJSON_GetObjectItemCaseSensitive(all->items[of_code[code] - 1].fields, "count");
                if (count != NULL)
                    cJSON_SetNumberValue(count, count->valuedouble + (double)submitter->unkept[code]);
            }
        }
    }
    if (all->count > 1)
        qsort(all->items, all->count, sizeof *all->items, compare_questions);
}
