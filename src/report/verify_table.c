/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_table.c - a judged submission for a person, on a terminal and as
 * Markdown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/table.h"
#include "report/verify_report.h"
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

enum { MLS_FINDING_INDENT = 2, MLS_FINDING_HANG = 6 };

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

static const char *const headings[] = {"errors", "warnings", "advice"};

bool mls_verify_shows(const mls_verify_style *style, mls_severity severity)
{
    if (style->only) {
        return severity == style->only_severity;
    }
    return !style->quiet || severity == MLS_SEVERITY_ERROR;
}

/* ----------------------------------------------------------------- summary */

static void mls_cell_check(mls_table *table, size_t column, mls_check check)
{
    static const char *const words[] = {"-", "ok", "FAIL", "bypassed"};
    static const mls_style styles[] = {MLS_STYLE_DIM, MLS_STYLE_PLAIN, MLS_STYLE_BAD, MLS_STYLE_WARN};
    mls_table_cell(table, column, styles[check], "%s", words[check]);
}

static void mls_cell_minutes(mls_table *table, const mls_submission_result *result)
{
    mls_buffer text = {0};
    mls_words_minutes(&text, result->weak ? result->weak_minutes : result->scaled_minutes);
    mls_table_cell(table, COL_MINUTES, MLS_STYLE_PLAIN, "%s", text.ptr != NULL ? text.ptr : "");
    table->failed |= text.failed;
    mls_buffer_release(&text);
}

static void mls_result_row(mls_table *table, const mls_submission_result *result, const mls_verify_style *style)
{
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
    mls_cell_minutes(table, result);
    mls_table_cell(table, COL_SCALE, MLS_STYLE_PLAIN, "%.3f", result->scale);
    mls_cell_check(table, COL_RCP, result->rcp_check);
    mls_cell_check(table, COL_SEEDS, result->seed_check);
    if (result->power_check != MLS_CHECK_NOT_MADE) {
        mls_cell_check(table, COL_POWER, result->power_check);
    }
    mls_table_cell(table, COL_WELL, result->errors == 0 ? MLS_STYLE_GOOD : MLS_STYLE_BAD, "%s",
                   result->errors == 0 ? "✓" : "✗");
    for (size_t i = 0; i < result->run_count && style->verbose > 0; i++) {
        const mls_submission_run *run = &result->runs[i];
        if (!run->valid && result->invalid <= result->allowed) {
            mls_table_heading(table, MLS_STYLE_DIM, "      %s is dropped: %s", run->name, run->reason);
        }
    }
}

static void mls_system_heading(mls_table *table, const mls_submitter *submitter, const char *name)
{
    const mls_system *system = NULL;
    for (size_t i = 0; i < submitter->system_count && system == NULL; i++) {
        system = strcmp(submitter->systems[i].name, name) == 0 ? &submitter->systems[i] : NULL;
    }
    if (system == NULL) {
        mls_table_heading(table, MLS_STYLE_BAD, "%s   no system description", name);
        return;
    }
    mls_buffer line = {0};
    mls_buffer_append_text(&line, name);
    if (system->number_of_nodes != NULL && system->accelerators_per_node != NULL) {
        mls_buffer_printf(&line, "   %.20s x %.20s %.60s", system->number_of_nodes, system->accelerators_per_node,
                          system->accelerator_model_name != NULL ? system->accelerator_model_name : "");
    }
    if (system->status != NULL) {
        mls_buffer_printf(&line, "   %.60s", system->status);
    }
    if (system->division != NULL) {
        mls_buffer_printf(&line, "   %.20s", system->division);
    }
    mls_table_heading(table, system->valid ? MLS_STYLE_BOLD : MLS_STYLE_BAD, "%s", line.ptr != NULL ? line.ptr : "");
    table->failed |= line.failed;
    mls_buffer_release(&line);
}

static bool mls_submitter_summary(const mls_submission *submission, const mls_submitter *submitter,
                                  const mls_verify_style *style, bool markdown, mls_output *output)
{
    mls_table table;
    const char *system = NULL;
    mls_table_init(&table, columns, COL_COUNT, 4);
    mls_output_text(output, markdown ? "### " : "");
    mls_style_begin(output, MLS_STYLE_BOLD, style->color);
    mls_output_escaped(output, mls_str_from(submitter->name));
    mls_style_end(output, MLS_STYLE_BOLD, style->color);
    mls_output_printf(output, "   %s %s%s\n%s", mls_usage_name(submission->usage), submission->edition->name,
                      submission->edition_guessed ? " (by date)" : "", markdown ? "\n" : "");
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        if (system == NULL || strcmp(system, result->system) != 0) {
            system = result->system;
            mls_system_heading(&table, submitter, system);
        }
        mls_result_row(&table, result, style);
    }
    const bool ok = !table.failed;
    if (ok && markdown) {
        mls_table_print_markdown(&table, output);
        mls_output_text(output, "\n");
    } else if (ok) {
        mls_table_print(&table, output, style->width, style->color);
    }
    mls_table_release(&table);
    return ok;
}

/* ---------------------------------------------------------------- findings */

/* The bytes of a path up to its last '/'. */
static mls_str mls_path_folder(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return (mls_str){path, slash != NULL ? (size_t)(slash - path) : 0};
}

/* Whether two logs of one folder have the same to say. */
static bool mls_finding_alike(const mls_finding *a, const mls_finding *b)
{
    return a->code == b->code && a->severity == b->severity && strcmp(a->message, b->message) == 0 &&
           mls_str_equal(mls_path_folder(a->path), mls_path_folder(b->path));
}

static bool mls_finding_line(const mls_finding *finding, size_t more, const mls_verify_style *style, bool markdown,
                             mls_output *output)
{
    static const mls_style styles[] = {MLS_STYLE_BAD, MLS_STYLE_PLAIN, MLS_STYLE_DIM};
    mls_buffer line = {0};
    mls_escape_append(&line, mls_str_from(finding->path));
    if (finding->line > 0) {
        mls_buffer_printf(&line, ":%zu", finding->line);
    }
    if (finding->line > 0 && finding->column > 0) {
        mls_buffer_printf(&line, ":%zu", finding->column);
    }
    mls_buffer_printf(&line, ": %s", finding->message);
    if (more > 0) {
        mls_buffer_append_text(&line, " (and so in ");
        mls_words_plural(&line, more, "more place of the folder)", "more places of the folder)");
    }
    mls_buffer_printf(&line, "  [%s]", mls_finding_info_get(finding->code)->name);
    if (markdown) {
        mls_output_text(output, "- ");
        mls_output_markdown(output, mls_buffer_str(&line));
    } else {
        const mls_wrap wrap = {style->width, MLS_FINDING_INDENT, MLS_FINDING_HANG, " "};
        mls_output_printf(output, "%*s", MLS_FINDING_INDENT, "");
        mls_output_wrapped(output, mls_buffer_str(&line), wrap, styles[finding->severity], style->color);
    }
    mls_output_text(output, "\n");
    const bool ok = !line.failed;
    mls_buffer_release(&line);
    return ok;
}

/* Findings of one severity in a list; those that were only counted are named at the end. */
static bool mls_findings_lines(const mls_findings *findings, mls_severity severity, const mls_verify_style *style,
                               bool markdown, mls_output *output)
{
    bool ok = true;
    bool *shown = calloc(findings->count + 1, sizeof *shown);
    for (size_t i = 0; i < findings->count && shown != NULL && ok; i++) {
        const mls_finding *finding = &findings->items[i];
        size_t more = 0;
        if (finding->severity != severity || shown[i]) {
            continue;
        }
        for (size_t k = i + 1; k < findings->count && style->verbose == 0; k++) {
            if (!shown[k] && mls_finding_alike(finding, &findings->items[k])) {
                shown[k] = true;
                more++;
            }
        }
        ok = mls_finding_line(finding, more, style, markdown, output);
    }
    for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
        const mls_finding_info *info = mls_finding_info_get((mls_finding_code)code);
        if (findings->found[code] > MLS_FINDINGS_KEPT_PER_CODE && info->severity == severity) {
            mls_output_printf(output, "%sand %zu more like the last of these  [%s]\n", markdown ? "- " : "  ",
                              (size_t)findings->found[code] - MLS_FINDINGS_KEPT_PER_CODE, info->name);
        }
    }
    ok = ok && shown != NULL;
    free(shown);
    return ok;
}

static bool mls_verify_findings(const mls_submission *submission, const mls_verify_style *style, bool markdown,
                                mls_output *output)
{
    bool ok = true;
    for (size_t s = 0; s < sizeof headings / sizeof *headings && ok; s++) {
        const mls_severity severity = (mls_severity)s;
        if (!mls_verify_shows(style, severity) || mls_submission_count(submission, severity) == 0) {
            continue;
        }
        mls_output_printf(output, markdown ? "\n#### %s\n\n" : "%s\n", headings[s]);
        ok = mls_finding_counts_of(&submission->findings.counts, severity) == 0 ||
             mls_findings_lines(&submission->findings, severity, style, markdown, output);
        for (size_t i = 0; i < submission->submitter_count && ok; i++) {
            ok = mls_findings_lines(&submission->submitters[i].findings, severity, style, markdown, output);
        }
    }
    return ok;
}

/* ----------------------------------------------------------------- verdict */

static bool mls_verify_verdict(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    static const struct {
        const char *one, *many;
    } words[] = {{"error", "errors"}, {"warning", "warnings"}, {"piece of advice", "pieces of advice"}};
    mls_buffer line = {0};
    const char *between = ": ";
    mls_buffer_append_text(&line, submission->valid ? "ready to upload" : "not ready to upload");
    if (style->strict && !submission->valid && mls_submission_count(submission, MLS_SEVERITY_ERROR) == 0) {
        mls_buffer_append_text(&line, " (strict)");
    }
    for (size_t s = 0; s < sizeof words / sizeof *words; s++) {
        const size_t count = mls_submission_count(submission, (mls_severity)s);
        if (count > 0) {
            mls_buffer_append_text(&line, between);
            mls_words_plural(&line, count, words[s].one, words[s].many);
            between = ", ";
        }
    }
    mls_style_begin(output, submission->valid ? MLS_STYLE_GOOD : MLS_STYLE_BAD, style->color);
    mls_output_write(output, mls_buffer_str(&line));
    mls_style_end(output, submission->valid ? MLS_STYLE_GOOD : MLS_STYLE_BAD, style->color);
    mls_output_text(output, "\n");
    const bool ok = !line.failed;
    mls_buffer_release(&line);
    return ok;
}

static bool mls_verify_print(const mls_submission *submission, const mls_verify_style *style, bool markdown,
                             mls_output *output)
{
    bool ok = true;
    for (size_t i = 0; i < submission->submitter_count && ok && (!style->quiet || markdown); i++) {
        ok = mls_submitter_summary(submission, &submission->submitters[i], style, markdown, output);
    }
    ok = ok && mls_verify_findings(submission, style, markdown, output);
    mls_output_text(output, markdown ? "\n" : "");
    return ok && mls_verify_verdict(submission, style, output);
}

bool mls_report_verify_table(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    return mls_verify_print(submission, style, false, output);
}

bool mls_report_verify_markdown(const mls_submission *submission, const mls_verify_style *style, mls_output *output)
{
    mls_verify_style plain = *style;
    plain.color = false;
    return mls_verify_print(submission, &plain, true, output);
}
