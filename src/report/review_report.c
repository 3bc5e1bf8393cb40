/* SPDX-License-Identifier: Apache-2.0 */
/* review_report.c - the report of a review: kinds of questions with the first place of each, questions in full,
 * results, submitters and pairs; and fields. */
#include <math.h>
#include <time.h>

#include "base/utf8.h"
#include "report/reports.h"
#include "term/table.h"

/* SUBMITTERS_NAMED: how many submitters a line names.  TEXT_MAX, TEXT_MIN: the length of the text of a kind's line;
 * BESIDE and RULE are the columns of the numbers and of the rule beside it, which has no column of its own below WIDE
 * columns.  VALUE_BYTES: the longest value of a member. */
enum { SUBMITTERS_NAMED = 3, TEXT_MAX = 120, TEXT_MIN = 24, BESIDE = 16, RULE = 40, WIDE = 130, VALUE_BYTES = 600 };

/* Return the day of a time in milliseconds since 1970, in UTC: "2025-10-01"; "": unknown. */
static mls_words day_of(double ms)
{
    mls_words words = {""};
    struct tm day;
    const time_t seconds = isfinite(ms) ? (time_t)(ms / 1000) : 0;
    if (isfinite(ms) && gmtime_r(&seconds, &day) != NULL)
        (void)strftime(words.text, sizeof words.text, "%Y-%m-%d", &day);
    return words;
}

/* Return the path of a question for people, without the submitter's folder and "results/". */
static const char *short_path(const mls_question *question)
{
    const char *path = question->path;
    const char *folder = question->submitter != NULL ? question->submitter->path : "";
    const size_t len = strlen(folder);
    if (len > 0 && strncmp(path, folder, len) == 0 && path[len] == '/')
        path += len + 1;
    return strncmp(path, "results/", strlen("results/")) == 0 ? path + strlen("results/") : path;
}

/* Append the submitters of a kind, those with most questions first: "Dell 8, NVIDIA 2 and 2 more". */
static void append_submitters(mls_buffer *line, const mls_review *review, const mls_review_kind *kind)
{
    const mls_submission *submission = review->submission;
    const mls_question *questions = &review->questions.items[kind->first];
    size_t *counts = mls_calloc(submission->submitter_count + 1, sizeof *counts);
    size_t owners = 0;
    for (size_t i = 0; i < kind->questions; i++)
        if (questions[i].submitter != NULL)
            owners += counts[questions[i].submitter - submission->submitters]++ == 0;
    for (size_t shown = 0; shown < owners && shown < SUBMITTERS_NAMED; shown++) {
        size_t most = 0;
        for (size_t i = 0; i < submission->submitter_count; i++)
            most = counts[i] > counts[most] ? i : most;
        mls_buffer_printf(line, shown > 0 ? ", %s" : "%s", submission->submitters[most].name);
        if (owners > 1)
            mls_buffer_printf(line, " %zu", counts[most]);
        counts[most] = 0;
    }
    if (owners > SUBMITTERS_NAMED)
        mls_buffer_printf(line, " and %zu more", owners - SUBMITTERS_NAMED);
    free(counts);
}

/* Append a question as one line: its place, unless the message begins with it, and its message. */
static void append_question(mls_buffer *line, const mls_question *question)
{
    const char *path = short_path(question);
    mls_buffer_append_text(line, line->len > 0 ? ": " : "");
    if (strcmp(path, ".") != 0)
        mls_buffer_printf(line, question->line > 0 ? "%s:%zu: " : "%s: ", path, question->line);
    mls_buffer_append_text(line, question->message);
}

/* Add the row of a kind, with a text of at most `length` bytes, and with -v a row for each of its questions. */
static void add_kind(mls_table *table, const mls_view *view, const mls_review *review, const mls_review_kind *kind,
                     size_t length)
{
    enum { KEEP = MLS_COLUMN_KEEP, RIGHT = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP };
    static const mls_style styles[] = {MLS_STYLE_BAD, MLS_STYLE_WARN, MLS_STYLE_PLAIN};
    const size_t each = view->verbose > 0 && kind->questions > 1 ? kind->questions : 0;
    for (size_t i = 0; i <= each; i++) {
        mls_buffer text = {0};
        const bool head = i == 0;
        const size_t number = kind->first + (head ? 1 : i);
        if (head)
            append_submitters(&text, review, kind);
        if (!head || each == 0)
            append_question(&text, &review->questions.items[number - 1]);
        const bool cut = each == 0 && text.len > length;
        mls_table_row(table);
        mls_table_cell(table, "", RIGHT, MLS_STYLE_PLAIN, "%zu", number);
        mls_table_cell(table, "kind", KEEP, styles[kind->kind.severity], "%s", head ? kind->name : "");
        mls_table_cell(table, "", RIGHT, MLS_STYLE_BOLD, "%s",
                       head ? mls_words_count((double)kind->questions).text : "");
        mls_table_cell(table, "first place", KEEP, MLS_STYLE_PLAIN, "%.*s%s",
                       MLS_CUT(mls_buffer_str(&text), cut ? length : SIZE_MAX), cut ? "…" : "");
        mls_table_cell(table, "rule", MLS_COLUMN_DETAIL, MLS_STYLE_DIM, "%s",
                       head && kind->kind.section != NULL ? kind->kind.section : "");
        mls_buffer_release(&text);
    }
}

/* Return whether questions of a kind are listed. */
static bool is_listed(const mls_view *view, const mls_review *review, const mls_review_kind *kind)
{
    const mls_severity least = view->quiet ? MLS_SEVERITY_WARNING : MLS_SEVERITY_ADVICE;
    return kind->questions > 0 && mls_review_shows(review, kind->kind.code) && kind->kind.severity <= least;
}

static void show_kinds(mls_view *view, const mls_review *review, bool form)
{
    mls_table table = {.indent = 2};
    const mls_review_kind *first = NULL;
    size_t longest = 0; /* name of a kind */
    for (size_t i = 0; i < review->kinds.count; i++) {
        const mls_review_kind *kind = &review->kinds.items[i];
        if (kind->kind.form == form && is_listed(view, review, kind))
            longest = strlen(kind->name) > longest ? strlen(kind->name) : longest;
    }
    const size_t beside = BESIDE + longest + (view->width >= WIDE ? RULE : 0);
    const size_t left = view->width > beside + TEXT_MIN ? view->width - beside : TEXT_MIN;
    for (size_t i = 0; i < review->kinds.count; i++) {
        const mls_review_kind *kind = &review->kinds.items[i];
        if (kind->kind.form == form && is_listed(view, review, kind)) {
            first = first == NULL ? kind : first;
            add_kind(&table, view, review, kind, view->width == 0 || left > TEXT_MAX ? TEXT_MAX : left);
        }
    }
    if (first == NULL)
        return;
    mls_output_printf(view->output, view->format == MLS_FORMAT_MARKDOWN ? "#### %s\n\n" : "%s\n",
                      form ? "FORM" : "ASK FIRST");
    mls_table_finish(&table, view);
    mls_view_gap(view);
    mls_buffer next = {0};
    mls_review_append_only(&next, review, first->name);
    mls_view_printf(view, MLS_STYLE_DIM, 4, 0, "next: %s", next.ptr);
    mls_buffer_release(&next);
}

/* Print the questions of the chosen kinds in full. */
static void show_questions(mls_view *view, const mls_review *review)
{
    for (size_t i = 0; i < review->questions.count; i++) {
        const mls_question *question = &review->questions.items[i];
        const mls_question_kind kind = mls_question_kind_of(review->submission, question->code);
        mls_buffer next = {0};
        const cJSON *field;
        if (!mls_review_shows(review, question->code))
            continue;
        mls_view_printf(view, MLS_STYLE_BOLD, 0, 0, "%zu  %s  %s%s%s", i + 1,
                        mls_finding_info_get(question->code)->name, question->path, kind.section != NULL ? "  " : "",
                        kind.section != NULL ? kind.section : "");
        mls_view_printf(view, MLS_STYLE_PLAIN, 4, 4, "%s", question->message);
        cJSON_ArrayForEach(field, question->fields)
        {
            char *value = cJSON_PrintUnformatted(field);
            mls_view_printf(view, MLS_STYLE_PLAIN, 4, 8, "%s: %.*s", field->string, MLS_CUT_TEXT(value, VALUE_BYTES));
            cJSON_free(value);
        }
        mls_review_append_next(&next, review, i + 1);
        mls_view_printf(view, MLS_STYLE_DIM, 4, 0, "next: %s", next.ptr);
        mls_buffer_release(&next);
    }
    mls_view_gap(view);
}

static void show_results(mls_view *view, const mls_review *review)
{
    mls_table table = {.indent = 2};
    for (size_t i = 0; i < review->results.count; i++) {
        const mls_review_result *of = &review->results.items[i];
        const mls_group *group = &of->result->group;
        const double minutes = of->result->weak ? group->weak.minutes : group->scaled_minutes;
        mls_buffer kinds = {0};
        for (size_t k = 0; k < of->kinds.count; k++)
            mls_buffer_printf(&kinds, k > 0 ? ", %s" : "%s", of->kinds.items[k]);
        mls_table_row(&table);
        mls_table_text(&table, "submitter", MLS_COLUMN_KEEP, of->submitter->name);
        mls_table_text(&table, "system", MLS_COLUMN_CUT, of->result->system);
        mls_table_text(&table, "benchmark", MLS_COLUMN_KEEP, of->result->benchmark);
        mls_table_number(&table, "accelerators", MLS_COLUMN_RIGHT, of->accelerators, 0);
        mls_table_number(&table, "batch", MLS_COLUMN_RIGHT, group->global_batch_size, 0);
        mls_table_number(&table, "runs", MLS_COLUMN_RIGHT, (double)of->result->run_count, 0);
        mls_table_text(&table, "minutes", MLS_COLUMN_DECIMAL, mls_words_minutes(minutes).text);
        mls_table_text(&table, "first day", MLS_COLUMN_DETAIL, day_of(of->first_ms).text);
        mls_table_text(&table, "last day", MLS_COLUMN_DETAIL, day_of(of->last_ms).text);
        mls_table_text(&table, "questions", MLS_COLUMN_KEEP | MLS_COLUMN_CUT_LAST,
                       kinds.len > 0 ? mls_table_take(&table, &kinds) : "");
    }
    mls_table_finish(&table, view);
    mls_view_gap(view);
}

static void show_pairs(mls_view *view, const char *title, const mls_assignment *assignment)
{
    mls_buffer line = {0};
    for (size_t i = 0; i < assignment->count; i++)
        for (size_t k = 0; k < assignment->items[i].count; k++)
            mls_buffer_printf(&line, "%s%s", k > 0 ? " + " : i > 0 ? "  " : "", assignment->items[i].names[k]);
    if (assignment->count > 0)
        mls_view_printf(view, MLS_STYLE_PLAIN, 2, 4, "%s  %s", title, line.ptr);
    mls_buffer_release(&line);
}

static void show_submitters(mls_view *view, const mls_review *review)
{
    static const mls_table_member columns[] = {
        MLS_TABLE_MEMBER("submitter", MLS_COLUMN_KEEP, mls_review_submitter, name, 0),
        MLS_TABLE_MEMBER("results", MLS_COLUMN_RIGHT, mls_review_submitter, results, 0),
        MLS_TABLE_MEMBER("below 512", MLS_COLUMN_RIGHT, mls_review_submitter, below_512, 0),
        MLS_TABLE_MEMBER("accelerators", MLS_COLUMN_RIGHT, mls_review_submitter, accelerators_most, 0),
        MLS_TABLE_MEMBER("questions", MLS_COLUMN_RIGHT, mls_review_submitter, questions, 0),
        MLS_TABLE_MEMBER("form", MLS_COLUMN_RIGHT, mls_review_submitter, form, 0)};
    mls_table table = {.indent = 2};
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "#### SUBMITTERS\n\n" : "SUBMITTERS\n");
    MLS_TABLE_ROWS(&table, columns, review->submitters.items, review->submitters.count);
    mls_table_finish(&table, view);
    mls_view_gap(view);
    show_pairs(view, "pairs by results below 512 accelerators:", &review->by_results);
    show_pairs(view, "pairs of 512 accelerators or more:", &review->large);
}

static void show_review(mls_printer *to, const void *what)
{
    const mls_review *review = what;
    const mls_submission *submission = review->submission;
    mls_view *view = to->view;
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    mls_buffer line = {0};
    mls_output_text(view->output, markdown ? "### " : "");
    mls_buffer_printf(&line, "   %s   %s   %s   %s   ",
                      mls_words_plural(submission->submitter_count, "submitter", "submitters").text,
                      mls_words_plural(review->results.count, "result", "results").text,
                      mls_words_plural(review->descriptions, "description", "descriptions").text,
                      mls_words_plural(review->logs, "log", "logs").text);
    mls_buffer_printf(
        &line, submission->valid ? "all pass the package checker" : "not ready: %zu errors (mlscore verify lists them)",
        submission->counts.error);
    mls_buffer title = {0};
    mls_buffer_printf(&title, "%s %s%s", mls_usage_name(submission->options.usage), submission->edition->name,
                      submission->edition_by_date ? " (by date)" : "");
    mls_view_headline(view, mls_buffer_str(&title), &line, 4);
    mls_buffer_release(&title);
    mls_view_gap(view);
    if (review->options.list_results)
        show_results(view, review);
    if (review->options.only)
        show_questions(view, review);
    if (review->options.only || review->options.list_results)
        return;
    show_kinds(view, review, false);
    show_kinds(view, review, true);
    for (size_t i = 0; i < review->kinds.count; i++)
        if (review->kinds.items[i].questions == 0 && !review->kinds.items[i].kind.form)
            mls_buffer_printf(&line, line.len > 0 ? ", %s" : "%s", review->kinds.items[i].name);
    if (line.len > 0 && !view->quiet)
        mls_view_printf(view, MLS_STYLE_PLAIN, 0, 2, "nothing found: %s", line.ptr);
    mls_buffer_release(&line);
    mls_view_gap(view);
    if (!view->quiet)
        show_submitters(view, review);
}

/* ---------------------------------------------------------------------------------------------------------- fields */

#define KIND_FIELDS(F)                                                                                                 \
    F(kind, code, TEXT, "", row->name)                                                                                 \
    F(kind, severity, TEXT, "", mls_severity_name(row->kind.severity))                                                 \
    F(kind, group, TEXT, "", row->kind.form ? "form" : "ask")                                                          \
    F(kind, questions, NUMBER, "", row->questions)                                                                     \
    F(kind, results, NUMBER, "", row->results)                                                                         \
    F(kind, submitters, NUMBER, "", row->submitters)                                                                   \
    F(kind, document, TEXT_OR_NULL, "", row->kind.document)                                                            \
    F(kind, section, TEXT_OR_NULL, "", row->kind.section)                                                              \
    F(kind, next, TEXT, "", row->next)
MLS_FIELDS(kind, mls_review_kind, KIND_FIELDS)

typedef struct numbered_question {
    const mls_review *review;
    const mls_question *question;
    size_t number;
    mls_question_kind kind;
} numbered_question;

/* Write the members that are specific to a kind. */
static void emit_members(mls_emitter *to, const cJSON *fields)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, fields)
    {
        char *value = cJSON_PrintUnformatted(field);
        mls_emit_name(to, mls_str_from(field->string));
        mls_emit_json(to, mls_str_from(value));
        cJSON_free(value);
    }
}

#define QUESTION_FIELDS(F)                                                                                             \
    F(question, number, NUMBER, "", row->number)                                                                       \
    F(question, code, TEXT, "", mls_finding_info_get(row->question->code)->name)                                       \
    F(question, severity, TEXT, "", mls_severity_name(row->question->severity))                                        \
    F(question, submitter, TEXT_OR_NULL, "", row->question->submitter != NULL ? row->question->submitter->name : NULL) \
    F(question, path, TEXT, "", row->question->path)                                                                   \
    F(question, line, COUNT_OR_NULL, "", row->question->line)                                                          \
    F(question, results, VALUES, "",                                                                                   \
      MLS_EACH(row->question->results.count, mls_emit_text(to, row->question->results.items[i])))                      \
    F(question, document, TEXT_OR_NULL, "", row->kind.document)                                                        \
    F(question, section, TEXT_OR_NULL, "", row->kind.section)                                                          \
    F(question, message, TEXT, "", row->question->message)                                                             \
    F(question, next, WORDS, "", mls_review_append_next(words, row->review, row->number))                              \
    F(question, fields, ANY, "", emit_members(to, row->question->fields))
MLS_FIELDS(question, numbered_question, QUESTION_FIELDS)

static void emit_questions(mls_emitter *to, const mls_review *review)
{
    for (size_t i = 0; i < review->questions.count; i++) {
        const mls_question *question = &review->questions.items[i];
        if (mls_review_shows(review, question->code))
            mls_emit_row(to, &(numbered_question){review, question, i + 1,
                                                  mls_question_kind_of(review->submission, question->code)});
    }
}

#define SUBMITTER_FIELDS(F)                                                                                            \
    F(submitter, name, TEXT, "", row->name)                                                                            \
    F(submitter, results, NUMBER, "", row->results)                                                                    \
    F(submitter, below_512, NUMBER, "", row->below_512)                                                                \
    F(submitter, accelerators_most, NUMBER_OR_NULL, "", row->accelerators_most)                                        \
    F(submitter, questions, NUMBER, "", row->questions)                                                                \
    F(submitter, form, NUMBER, "", row->form)
MLS_FIELDS(submitter, mls_review_submitter, SUBMITTER_FIELDS)

#define RESULT_FIELDS(F)                                                                                               \
    F(result, path, TEXT, "", row->result->path)                                                                       \
    F(result, submitter, TEXT_OR_NULL, "", row->submitter->name)                                                       \
    F(result, system, TEXT, "", row->result->system)                                                                   \
    F(result, benchmark, TEXT, "", row->result->benchmark)                                                             \
    F(result, accelerators, NUMBER_OR_NULL, "", row->accelerators)                                                     \
    F(result, global_batch_size, NUMBER_OR_NULL, "", row->result->group.global_batch_size)                             \
    F(result, runs, NUMBER, "", row->result->run_count)                                                                \
    F(result, minutes, NUMBER_OR_NULL, "minutes",                                                                      \
      row->result->weak ? row->result->group.weak.minutes : row->result->group.scaled_minutes)                         \
    F(result, first_day, FILLED_OR_NULL, "", day_of(row->first_ms).text)                                               \
    F(result, last_day, FILLED_OR_NULL, "", day_of(row->last_ms).text)                                                 \
    F(result, kinds, VALUES, "", MLS_EACH(row->kinds.count, mls_emit_text(to, row->kinds.items[i])))
MLS_FIELDS(result, mls_review_result, RESULT_FIELDS)

static void emit_pairs(mls_emitter *to, const mls_assignment *assignment)
{
    for (size_t i = 0; i < assignment->count; i++) {
        mls_emit_open(to, '[');
        for (size_t k = 0; k < assignment->items[i].count; k++)
            mls_emit_text(to, assignment->items[i].names[k]);
        mls_emit_close(to, ']');
    }
}

#define ASSIGNMENT_FIELDS(F)                                                                                           \
    F(assignment, by_results, VALUES, "", emit_pairs(to, &row->by_results))                                            \
    F(assignment, large, VALUES, "", emit_pairs(to, &row->large))
MLS_FIELDS(assignment, mls_review, ASSIGNMENT_FIELDS)

#define REVIEW_FIELDS(F)                                                                                               \
    F(review, path, TEXT, "", row->submission->path)                                                                   \
    F(review, usage, TEXT, "", mls_usage_name(row->submission->options.usage))                                         \
    F(review, edition, TEXT, "", row->submission->edition->name)                                                       \
    F(review, edition_guessed, BOOL, "", row->submission->edition_guessed)                                             \
    F(review, valid, BOOL, "", row->submission->valid)                                                                 \
    F(review, errors, NUMBER, "", row->submission->counts.error)                                                       \
    F(review, warnings, NUMBER, "", row->submission->counts.warning)                                                   \
    F(review, advice, NUMBER, "", row->submission->counts.advice)                                                      \
    F(review, against, TEXT, "", row->options.against)                                                                 \
    F(review, results, NUMBER, "", row->results.count)                                                                 \
    F(review, logs, NUMBER, "", row->logs)                                                                             \
    F(review, kinds, LIST(kind), "", MLS_ROWS(row->kinds.items, row->kinds.count))                                     \
    F(review, questions, LIST(question), "", emit_questions(to, row))                                                  \
    F(review, by_submitter, LIST(submitter), "", MLS_ROWS(row->submitters.items, row->submitters.count))               \
    F(review, by_result, LIST_ELSE_OUT(result, row->options.list_results), "",                                         \
      MLS_ROWS(row->results.items, row->results.count))                                                                \
    F(review, assignment, OBJECT_OF(assignment), "", row)
MLS_FIELDS(review, mls_review, REVIEW_FIELDS)

const mls_report mls_review_report = {.name = "mlscore review",
                                      .section = "REVIEW JSON",
                                      .show = show_review,
                                      .page = mls_html_review,
                                      .object = &review_fields};
