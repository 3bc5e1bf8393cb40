/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_report.h"

#include <string.h>

#include "base/utf8.h"
#include "report/table.h"

/* Findings shown under one log of the table; -v shows all. */
enum { MLS_CHECK_SHOWN_MAX = 20, MLS_CHECK_PATH_WIDTH_MAX = 100, MLS_CHECK_LINE_WIDTH = 6, MLS_CHECK_INDENT = 6 };

static const char *mls_or(const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

void mls_check_name_end(const mls_check_report *report, const mls_check_log *log, mls_buffer *name)
{
    (void)report;
    if (log->part) {
        mls_buffer_printf(name, ":%zu", log->line);
    }
}

mls_finding mls_check_finding_place(const mls_check_report *report, const mls_check_log *log,
                                    const mls_finding *finding)
{
    mls_finding placed = *finding;
    (void)report;
    if (placed.line == 0 && log->part) {
        placed.line = log->line;
    }
    return placed;
}

/* "5.1" of "5.1.0". */
static int mls_edition_short(const char *edition)
{
    const size_t length = strlen(edition);
    return (int)(length > 2 && strcmp(edition + length - 2, ".0") == 0 ? length - 2 : length);
}

static void mls_count_append(mls_buffer *line, size_t count, const char *one, const char *many)
{
    if (count > 0) {
        mls_buffer_printf(line, ", %zu %s", count, count == 1 ? one : many);
    }
}

/* "training 5.1 (by date) closed llama2_70b_lora   136 records, 2 errors" */
static void mls_check_describe(const mls_check_log *log, mls_buffer *line)
{
    const mls_verdict *verdict = &log->verdict;
    if (verdict->edition != NULL) {
        mls_buffer_printf(line, "%s %.*s%s ", mls_usage_name(verdict->usage), mls_edition_short(verdict->edition),
                          verdict->edition, verdict->guessed ? " (by date)" : "");
    }
    mls_escape_append(line, mls_str_from(mls_or(verdict->division, "no division")));
    mls_buffer_append_char(line, ' ');
    mls_escape_append(line, mls_str_from(mls_or(verdict->benchmark, "no benchmark")));
    mls_buffer_printf(line, "   %zu record%s", verdict->records, verdict->records == 1 ? "" : "s");
    mls_count_append(line, verdict->findings->counts.error, "error", "errors");
    mls_count_append(line, verdict->findings->counts.warning, "warning", "warnings");
    mls_count_append(line, verdict->findings->counts.advice, "advice", "advice");
}

static void mls_check_finding_text(const mls_check_report *report, const mls_check_log *log, const mls_finding *finding,
                                   mls_buffer *line)
{
    const size_t at = mls_check_finding_place(report, log, finding).line;
    mls_escape_append(line, mls_str_from(log->path));
    if (at > 0) {
        mls_buffer_printf(line, ":%zu", at);
        if (finding->column > 0) {
            mls_buffer_printf(line, ":%zu", finding->column);
        }
    }
    mls_buffer_append_text(line, ": ");
    if (finding->severity != MLS_SEVERITY_ERROR) {
        mls_buffer_printf(line, "%s: ", mls_severity_name(finding->severity));
    }
    mls_buffer_append_text(line, finding->message);
    mls_buffer_printf(line, "  [%s]", mls_finding_info_get(finding->code)->name);
}

/* What the list counted beyond what it kept. */
static size_t mls_findings_beyond(const mls_findings *findings)
{
    return findings->counts.error + findings->counts.warning + findings->counts.advice - findings->count;
}

static void mls_check_log_findings(mls_check_report *report, const mls_check_log *log)
{
    const mls_findings *findings = log->verdict.findings;
    const size_t limit = report->verbose > 0 ? SIZE_MAX : MLS_CHECK_SHOWN_MAX;
    size_t shown = 0;
    for (size_t i = 0; i < findings->count && shown < limit; i++, shown++) {
        mls_buffer line = {0};
        mls_check_finding_text(report, log, &findings->items[i], &line);
        const mls_wrap wrap = {report->width, MLS_CHECK_INDENT, MLS_CHECK_INDENT + 4, " "};
        mls_output_printf(report->output, "%*s", MLS_CHECK_INDENT, "");
        mls_output_wrapped(report->output, mls_buffer_str(&line), wrap, MLS_STYLE_PLAIN, report->color);
        mls_output_text(report->output, "\n");
        report->failed |= line.failed;
        mls_buffer_release(&line);
    }
    const size_t hidden = findings->count - shown;
    const size_t beyond = mls_findings_beyond(findings);
    if (hidden + beyond > 0) {
        mls_output_printf(report->output, "      and %zu more%s\n", hidden + beyond,
                          hidden > 0 ? " (-v lists them)" : "");
    }
}

static void mls_check_log_table(mls_check_report *report, const mls_check_log *log)
{
    if (report->quiet && log->valid) {
        return;
    }
    mls_buffer path = {0};
    mls_buffer line = {0};
    mls_escape_append(&path, mls_str_from(log->path));
    mls_check_name_end(report, log, &path);
    const size_t width = mls_display_width(mls_buffer_str(&path));
    mls_style_begin(report->output, log->valid ? MLS_STYLE_PLAIN : MLS_STYLE_BAD, report->color);
    mls_output_text(report->output, log->valid ? "ok    " : "FAIL  ");
    mls_style_end(report->output, log->valid ? MLS_STYLE_PLAIN : MLS_STYLE_BAD, report->color);
    mls_buffer_append(&line, mls_buffer_str(&path));
    mls_buffer_append_repeated(&line, ' ', width < report->path_width ? report->path_width - width : 0);
    mls_buffer_append_text(&line, "   ");
    mls_check_describe(log, &line);
    mls_buffer_append_char(&line, '\n');
    mls_output_write(report->output, mls_buffer_str(&line));
    report->failed |= path.failed || line.failed;
    mls_buffer_release(&path);
    mls_buffer_release(&line);
    if (!log->valid || report->verbose > 0) {
        mls_check_log_findings(report, log);
    }
}

static void mls_check_csv_log(mls_csv *csv, const mls_check_log *log)
{
    const mls_verdict *verdict = &log->verdict;
    mls_csv_text(csv, log->path);
    mls_csv_text(csv, mls_usage_name(verdict->usage));
    mls_csv_text(csv, verdict->edition);
    mls_csv_text(csv, verdict->benchmark);
    mls_csv_text(csv, verdict->division);
    mls_csv_bool(csv, log->valid);
    mls_csv_number(csv, (double)verdict->records);
    mls_csv_number(csv, (double)verdict->malformed);
}

/* One row a finding; a log without findings has one row too. */
static void mls_check_log_csv(mls_check_report *report, const mls_check_log *log)
{
    const mls_findings *findings = log->verdict.findings;
    mls_csv *csv = &report->csv;
    for (size_t i = 0; i == 0 || i < findings->count; i++) {
        const mls_finding *finding = i < findings->count ? &findings->items[i] : NULL;
        mls_check_csv_log(csv, log);
        mls_csv_text(csv, finding != NULL ? mls_severity_name(finding->severity) : NULL);
        mls_csv_text(csv, finding != NULL ? mls_finding_info_get(finding->code)->name : NULL);
        mls_csv_text(csv, finding != NULL ? finding->key : NULL);
        if (finding != NULL && finding->line > 0) {
            mls_csv_number(csv, (double)finding->line);
        } else {
            mls_csv_text(csv, NULL);
        }
        mls_csv_text(csv, finding != NULL ? finding->message : NULL);
        mls_csv_number(csv, (double)log->line);
        mls_csv_end_row(csv);
    }
}

/* Text inside a table cell of Markdown. */
static void mls_markdown_cell(mls_check_report *report, mls_str text)
{
    mls_buffer clean = {0};
    mls_buffer cell = {0};
    mls_escape_append(&clean, text);
    for (size_t i = 0; i < clean.len; i++) {
        if (strchr("|\\`*_<>[]", clean.ptr[i]) != NULL) {
            mls_buffer_append_char(&cell, '\\');
        }
        mls_buffer_append_char(&cell, clean.ptr[i]);
    }
    mls_output_text(report->output, " ");
    mls_output_write(report->output, mls_buffer_str(&cell));
    mls_output_text(report->output, " |");
    report->failed |= clean.failed || cell.failed;
    mls_buffer_release(&clean);
    mls_buffer_release(&cell);
}

static void mls_check_log_markdown(mls_check_report *report, const mls_check_log *log)
{
    const mls_verdict *verdict = &log->verdict;
    const mls_findings *findings = verdict->findings;
    mls_buffer name = {0};
    mls_output_text(report->output, "|");
    mls_buffer_append_text(&name, log->path);
    mls_check_name_end(report, log, &name);
    mls_markdown_cell(report, mls_buffer_str(&name));
    mls_markdown_cell(report, log->valid ? MLS_S("yes") : MLS_S("no"));
    mls_markdown_cell(report, mls_str_from(mls_or(verdict->edition, "")));
    mls_markdown_cell(report, mls_str_from(mls_or(verdict->division, "")));
    mls_markdown_cell(report, mls_str_from(mls_or(verdict->benchmark, "")));
    mls_output_printf(report->output, " %zu |", verdict->records);
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding *finding = &findings->items[i];
        mls_output_text(report->output, i > 0 ? "<br>" : " ");
        mls_buffer line = {0};
        if (finding->line > 0) {
            mls_buffer_printf(&line, "line %zu: ", finding->line);
        }
        mls_buffer_printf(&line, "%s: %s", mls_severity_name(finding->severity), finding->message);
        for (size_t c = 0; c < line.len; c++) {
            const char text[] = {line.ptr[c], '\0'};
            mls_output_printf(report->output, "%s%s", strchr("|\\`*_<>[]", line.ptr[c]) != NULL ? "\\" : "", text);
        }
        report->failed |= line.failed;
        mls_buffer_release(&line);
    }
    mls_output_text(report->output, " |\n");
    report->failed |= name.failed;
    mls_buffer_release(&name);
}

void mls_check_report_start(mls_check_report *report)
{
    report->path_width += report->split ? MLS_CHECK_LINE_WIDTH : 0;
    if (report->path_width > MLS_CHECK_PATH_WIDTH_MAX) {
        report->path_width = MLS_CHECK_PATH_WIDTH_MAX;
    }
    report->csv = (mls_csv){.output = report->output};
    if (report->format == MLS_CHECK_CSV) {
        mls_csv_header(&report->csv, "file usage edition benchmark division valid records malformed severity code key "
                                     "line message log_line");
    } else if (report->format == MLS_CHECK_MARKDOWN) {
        mls_output_text(report->output, "| log | valid | edition | division | benchmark | records | findings |\n"
                                        "| --- | --- | --- | --- | --- | ---: | --- |\n");
    } else if (report->format == MLS_CHECK_JSON) {
        mls_output_text(report->output, "{\"logs\": [");
    }
}

void mls_check_report_log(mls_check_report *report, const mls_check_log *log)
{
    switch (report->format) {
    case MLS_CHECK_TABLE:
        mls_check_log_table(report, log);
        break;
    case MLS_CHECK_CSV:
        mls_check_log_csv(report, log);
        break;
    case MLS_CHECK_JSON:
        mls_output_text(report->output, report->logs > 0 ? ",\n " : "\n ");
        mls_check_log_json(report, log);
        break;
    case MLS_CHECK_NDJSON:
        mls_check_log_json(report, log);
        break;
    case MLS_CHECK_MARKDOWN:
        mls_check_log_markdown(report, log);
        break;
    case MLS_CHECK_GITHUB:
        mls_check_log_github(report, log);
        break;
    case MLS_CHECK_JUNIT:
        mls_check_log_junit(report, log);
        break;
    }
    report->logs++;
    report->valid += log->valid;
}

bool mls_check_report_end(mls_check_report *report)
{
    const size_t failed = report->logs - report->valid;
    if (report->format == MLS_CHECK_TABLE) {
        mls_output_printf(report->output, "%zu log%s, %zu valid", report->logs, report->logs == 1 ? "" : "s",
                          report->valid);
        if (failed > 0) {
            mls_output_printf(report->output, ", %zu not", failed);
        }
        mls_output_text(report->output, "\n");
    } else if (report->format == MLS_CHECK_JSON) {
        mls_output_printf(report->output, "%s], \"checked\": %zu, \"valid\": %zu}\n", report->logs > 0 ? "\n" : "",
                          report->logs, report->valid);
    } else if (report->format == MLS_CHECK_JUNIT) {
        mls_check_junit_end(report);
    }
    report->failed |= report->csv.failed;
    mls_buffer_release(&report->held);
    return !report->failed;
}
