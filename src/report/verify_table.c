/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_table.c - a judged submission for a person, on a terminal and as
 * Markdown.
 */
#include <string.h>

#include "base/utf8.h"
#include "report/reports.h"
#include "report/table.h"
#include "report/words.h"

enum {
    COL_BENCHMARK,
    COL_RUNS,
    COL_DROPPED,
    COL_MINUTES,
    COL_SCALE,
    COL_RCP,
    COL_SEEDS,
    COL_POWER,
    COL_WELL,
    COL_COUNT
};

enum { NUMBER_BYTES = 20, TEXT_BYTES = 60 };

static const mls_column columns[COL_COUNT] = {
    [COL_BENCHMARK] = {"benchmark", MLS_ALIGN_LEFT, true, true},
    [COL_RUNS] = {"runs", MLS_ALIGN_RIGHT, true, false},
    [COL_DROPPED] = {"not valid", MLS_ALIGN_RIGHT, false, false},
    [COL_MINUTES] = {"minutes", MLS_ALIGN_DECIMAL, false, false},
    [COL_SCALE] = {"scale", MLS_ALIGN_DECIMAL, false, false},
    [COL_RCP] = {"rcp", MLS_ALIGN_LEFT, false, false},
    [COL_SEEDS] = {"seeds", MLS_ALIGN_LEFT, false, false},
    [COL_POWER] = {"power", MLS_ALIGN_LEFT, false, false},
    [COL_WELL] = {"", MLS_ALIGN_LEFT, true, false},
};

/* ----------------------------------------------------------------- summary */

static void cell_check(mls_table *table, size_t column, mls_check check)
{
    static const char *const words[] = {"-", "ok", "FAIL", "bypassed"};
    static const mls_style styles[] = {MLS_STYLE_DIM, MLS_STYLE_PLAIN, MLS_STYLE_BAD, MLS_STYLE_WARN};
    mls_table_cell(table, column, styles[check], "%s", words[check]);
}

static void result_row(mls_table *table, const mls_view *view, const mls_submission_result *result)
{
    mls_buffer text = {0};
    if (mls_table_row(table) == NULL) {
        return;
    }
    mls_table_cell(table, COL_BENCHMARK, MLS_STYLE_PLAIN, "%s%s", result->benchmark, result->weak ? " (weak)" : "");
    if (!result->judged) {
        mls_table_cell(table, COL_WELL, MLS_STYLE_WARN, "skipped");
        return;
    }
    const bool count_wrong =
        result->weak ? result->run_count < result->runs_needed : result->run_count != result->runs_needed;
    mls_table_cell(table, COL_RUNS, count_wrong ? MLS_STYLE_BAD : MLS_STYLE_PLAIN, count_wrong ? "%zu of %zu" : "%zu",
                   result->run_count, result->runs_needed);
    if (result->invalid > 0) {
        mls_table_cell(table, COL_DROPPED, result->invalid > result->allowed ? MLS_STYLE_BAD : MLS_STYLE_WARN, "%zu",
                       result->invalid);
    }
    mls_words_minutes(&text, result->weak ? result->group.weak.minutes : result->group.scaled_minutes);
    mls_table_text(table, COL_MINUTES, MLS_STYLE_PLAIN, &text);
    mls_words_fixed(&text, result->group.scale, 3);
    mls_table_text(table, COL_SCALE, MLS_STYLE_PLAIN, &text);
    cell_check(table, COL_RCP, result->group.rcp.check);
    cell_check(table, COL_SEEDS, result->group.seeds.check);
    if (result->group.power.check != MLS_CHECK_NOT_MADE) {
        cell_check(table, COL_POWER, result->group.power.check);
    }
    mls_table_cell(table, COL_WELL, result->counts.error == 0 ? MLS_STYLE_GOOD : MLS_STYLE_BAD, "%s",
                   result->counts.error == 0 ? "✓" : "✗");
    for (size_t i = 0; i < result->run_count && view->verbose > 0; i++) {
        const mls_submission_run *run = &result->runs[i];
        if (!run->run.valid && result->invalid <= result->allowed) {
            (void)mls_table_row(table);
            mls_table_cell(table, MLS_TABLE_HEADING, MLS_STYLE_DIM, "      %s is dropped: %s", run->file.name,
                           run->reason);
        }
    }
}

/* What a description says may be of any length. */
static void append_cut(mls_buffer *line, const char *before, const char *text, size_t bytes)
{
    if (text != NULL) {
        mls_buffer_append_text(line, before);
        mls_utf8_append_cut(line, mls_str_from(text), bytes);
    }
}

static void system_heading(mls_table *table, const mls_submitter *submitter, const char *name)
{
    const mls_system *system = NULL;
    for (size_t i = 0; i < submitter->system_count && system == NULL; i++) {
        system = strcmp(submitter->systems[i].name, name) == 0 ? &submitter->systems[i] : NULL;
    }
    (void)mls_table_row(table);
    if (system == NULL || system->description.path == NULL) {
        mls_table_cell(table, MLS_TABLE_HEADING, MLS_STYLE_BAD, "%s   no system description", name);
        return;
    }
    mls_buffer line = {0};
    mls_buffer_append_text(&line, name);
    if (system->number_of_nodes != NULL && system->accelerators_per_node != NULL) {
        append_cut(&line, "   ", system->number_of_nodes, NUMBER_BYTES);
        append_cut(&line, " x ", system->accelerators_per_node, NUMBER_BYTES);
        append_cut(&line, " ", system->accelerator_model_name, TEXT_BYTES);
    }
    append_cut(&line, "   ", system->status, TEXT_BYTES);
    append_cut(&line, "   ", system->division, NUMBER_BYTES);
    mls_table_text(table, MLS_TABLE_HEADING, system->valid ? MLS_STYLE_BOLD : MLS_STYLE_BAD, &line);
}

static void show_submitter(mls_view *view, const mls_submission *submission, const mls_submitter *submitter)
{
    mls_table table;
    const char *system = NULL;
    const bool markdown = view->format == MLS_FORMAT_MARKDOWN;
    mls_table_init(&table, columns, COL_COUNT, 4);
    mls_output_text(view->output, markdown ? "### " : "");
    mls_style_begin(view->output, MLS_STYLE_BOLD, view->color);
    mls_output_escaped(view->output, mls_str_from(submitter->name));
    mls_style_end(view->output, MLS_STYLE_BOLD, view->color);
    mls_output_printf(view->output, "   %s %s%s\n%s", mls_usage_name(submission->usage), submission->edition->name,
                      submission->edition_guessed ? " (by date)" : "", markdown ? "\n" : "");
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        if (system == NULL || strcmp(system, result->system) != 0) {
            system = result->system;
            system_heading(&table, submitter, system);
        }
        result_row(&table, view, result);
    }
    mls_table_finish(&table, view);
    mls_output_text(view->output, markdown ? "\n" : "");
}

/* ---------------------------------------------------------------- findings */

/* Leaves the first findings of each code, and counts the others of a severity. */
static void limit(mls_found *found, mls_severity severity, size_t unseen[MLS_FINDING_COUNT])
{
    size_t seen[MLS_FINDING_COUNT] = {0};
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const mls_finding *finding = &found->items[i].finding;
        if (finding->severity == severity && seen[finding->code]++ < MLS_FINDINGS_KEPT_PER_CODE) {
            found->items[kept++] = found->items[i];
        } else {
            unseen[finding->code] += finding->severity == severity;
        }
    }
    found->count = kept;
}

/* Findings of one severity of a submitter (NULL: of what is nobody's); of each code a few, and how many more. */
static void show_list(mls_view *view, const mls_submission *submission, const mls_submitter *submitter,
                      mls_severity severity)
{
    const mls_found_look look = {.indent = 2, .hang = 6, .together = true};
    size_t unseen[MLS_FINDING_COUNT] = {0};
    mls_found found = {0};
    size_t lines = 0;
    mls_verify_found(&found, view, submission, submitter);
    limit(&found, severity, unseen);
    (void)mls_found_show(view, &found, severity, look, &lines);
    mls_found_finish(&found, view->output);
    for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
        const mls_finding_info *info = mls_finding_info_get((mls_finding_code)code);
        if (info->severity == severity && submitter != NULL) {
            unseen[code] += mls_submitter_unkept(submitter, (mls_finding_code)code);
        }
        if (unseen[code] > 0) {
            mls_output_printf(view->output, "%sand %zu more like the last of these  [%s]\n",
                              view->format == MLS_FORMAT_MARKDOWN ? "- " : "  ", unseen[code], info->name);
        }
    }
}

static void show_findings(mls_view *view, const mls_submission *submission)
{
    static const char *const headings[] = {"errors", "warnings", "advice"};
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
        if (!mls_view_shows(view, severity) || mls_finding_counts_of(&submission->counts, severity) == 0) {
            continue;
        }
        mls_output_printf(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n#### %s\n\n" : "%s\n",
                          headings[severity]);
        show_list(view, submission, NULL, severity);
        for (size_t i = 0; i < submission->submitter_count; i++) {
            show_list(view, submission, &submission->submitters[i], severity);
        }
    }
}

/* ----------------------------------------------------------------- verdict */

static void show_verdict(mls_view *view, const mls_submission *submission)
{
    static const char *const words[][2] = {
        {"error", "errors"}, {"warning", "warnings"}, {"piece of advice", "pieces of advice"}};
    const mls_style style = submission->valid ? MLS_STYLE_GOOD : MLS_STYLE_BAD;
    mls_buffer line = {0};
    const char *between = ": ";
    mls_buffer_append_text(&line, submission->valid ? "ready to upload" : "not ready to upload");
    if (view->strict && !submission->valid && submission->counts.error == 0) {
        mls_buffer_append_text(&line, " (strict)");
    }
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
        const size_t count = mls_finding_counts_of(&submission->counts, severity);
        if (count > 0) {
            mls_buffer_append_text(&line, between);
            mls_words_plural(&line, count, words[severity][0], words[severity][1]);
            between = ", ";
        }
    }
    mls_style_begin(view->output, style, view->color);
    mls_output_buffer(view->output, &line);
    mls_style_end(view->output, style, view->color);
    mls_output_text(view->output, "\n");
}

void mls_verify_show(mls_printer *to, const void *what)
{
    const mls_submission *submission = what;
    const bool markdown = to->view->format == MLS_FORMAT_MARKDOWN;
    for (size_t i = 0; i < submission->submitter_count && (!to->view->quiet || markdown); i++) {
        show_submitter(to->view, submission, &submission->submitters[i]);
    }
    show_findings(to->view, submission);
    mls_output_text(to->view->output, markdown ? "\n" : "");
    show_verdict(to->view, submission);
}
