/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_report.c - judged logs: their fields, and what a person reads of them.
 */
#include "report/reports.h"

#include <string.h>

#include "base/utf8.h"
#include "report/words.h"

/* Findings shown under one log of the table; -v shows all. */
enum { SHOWN_MAX = 20, PATH_WIDTH_MAX = 100, LINE_WIDTH = 6, INDENT = 6, HANG = 10 };

/* What was found in a log; in one that is part of a file, what has no line is told at the log's own. */
static mls_found findings_of(const mls_check_log *log, bool placed, const mls_view *view)
{
    mls_found found = {0};
    const mls_owner owner = {.path = log->path, .line = placed && log->part ? log->line : 0};
    mls_found_add(&found, log->verdict.findings, owner, view);
    return found;
}

/* ------------------------------------------------------------- for programs */

static void emit_findings(mls_emitter *to, const mls_check_log *log)
{
    mls_found found = findings_of(log, false, NULL);
    mls_emit_found(to, &found, false);
}

typedef mls_check_log log_row, log_csv_row;
#define LOG_FIELDS(F)                                                                                                  \
    F(log, file, TEXT, 0, "", row->path)                                                                               \
    F(log, line, NUMBER, 0, "", row->line)                                                                             \
    F(log, usage, TEXT, 0, "", mls_usage_name(row->verdict.usage))                                                     \
    F(log, edition, TEXT, 0, "", row->verdict.edition)                                                                 \
    F(log, benchmark, TEXT_OR_NULL, 0, "", row->verdict.benchmark)                                                     \
    F(log, division, TEXT_OR_NULL, 0, "", row->verdict.division)                                                       \
    F(log, valid, BOOL, 0, "", row->valid)                                                                             \
    F(log, records, NUMBER, 0, "", row->verdict.records)                                                               \
    F(log, malformed, NUMBER, 0, "", row->verdict.malformed)                                                           \
    F(log, findings, ARRAY, 0, "", emit_findings(to, row))
MLS_FIELDS(log, "CHECK NDJSON", LOG_FIELDS)
#define LOG_CSV_FIELDS(F) F(log_csv, log_line, NUMBER, 0, "", row->line)
MLS_FIELDS(log_csv, "", LOG_CSV_FIELDS)
const mls_fields *const mls_check_tables[] = {&log_fields, NULL};

/* The finding's line comes before the log's. */
const mls_columns mls_check_columns = {"CHECK CSV",
                                       "file usage edition benchmark division valid records malformed severity code "
                                       "key line message log_line",
                                       {&mls_finding_fields, &log_fields, &log_csv_fields},
                                       .optional = 1};

/* One row a finding; a log without findings has one row too. */
static void log_rows(mls_emitter *to, const void *what)
{
    const mls_check_log *log = what;
    mls_found found = findings_of(log, false, NULL);
    for (size_t i = 0; i == 0 || i < found.count; i++) {
        const void *const rows[MLS_SOURCES_MAX] = {i < found.count ? &found.items[i] : NULL, log, log};
        mls_emit_row(to, &mls_check_columns, rows);
    }
    mls_found_finish(&found, to->output);
}

static void log_findings(mls_found *found, const mls_printer *to, const void *what)
{
    (void)to;
    *found = findings_of(what, true, NULL);
}

static void log_case(mls_printer *to, const void *what)
{
    const mls_check_log *log = what;
    mls_buffer name = {0};
    mls_buffer counts = {0};
    mls_found found = findings_of(log, true, NULL);
    mls_buffer_append_text(&name, log->path);
    if (log->part) {
        mls_buffer_printf(&name, ":%zu", log->line);
    }
    mls_found_counts(&counts, &log->verdict.findings->counts);
    to->held.failed |= name.failed || counts.failed;
    mls_junit_case(to, log->verdict.benchmark != NULL ? log->verdict.benchmark : "no benchmark",
                   name.failed ? "" : name.ptr, log->valid || counts.failed ? NULL : counts.ptr, &found);
    mls_buffer_release(&name);
    mls_buffer_release(&counts);
}

/* --------------------------------------------------------------- for people */

/* "5.1" of "5.1.0". */
static int edition_short(const char *edition)
{
    const size_t length = strlen(edition);
    return (int)(length > 2 && strcmp(edition + length - 2, ".0") == 0 ? length - 2 : length);
}

static const char * or (const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

/* "training 5.1 (by date) closed llama2_70b_lora   136 records, 2 errors" */
static void describe(const mls_check_log *log, mls_buffer *line)
{
    const mls_verdict *verdict = &log->verdict;
    if (verdict->edition != NULL) {
        mls_buffer_printf(line, "%s %.*s%s ", mls_usage_name(verdict->usage), edition_short(verdict->edition),
                          verdict->edition, verdict->by_date ? " (by date)" : "");
    }
    mls_escape_append(line, mls_str_from(or (verdict->division, "no division")));
    mls_buffer_append_char(line, ' ');
    mls_escape_append(line, mls_str_from(or (verdict->benchmark, "no benchmark")));
    mls_buffer_printf(line, "   %zu record%s", verdict->records, verdict->records == 1 ? "" : "s");
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
        const size_t count = mls_finding_counts_of(&verdict->findings->counts, severity);
        if (count > 0) {
            mls_found_count(line, ", ", count, severity);
        }
    }
}

static void show_findings(mls_view *view, const mls_check_log *log)
{
    const mls_found_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .limit = view->verbose > 0 ? 0 : SHOWN_MAX};
    mls_view shown = *view;
    shown.quiet = view->quiet && !view->strict; /* everything counts as an error then */
    mls_found found = findings_of(log, true, &shown);
    size_t lines = 0;
    const size_t told = mls_found_show(view, &found, MLS_SEVERITY_ALL, look, &lines);
    size_t all = 0;
    for (mls_severity severity = MLS_SEVERITY_ERROR; severity <= MLS_SEVERITY_ADVICE; severity++) {
        all += mls_view_shows(&shown, severity) ? mls_finding_counts_of(&log->verdict.findings->counts, severity) : 0;
    }
    if (all > told) {
        mls_output_printf(view->output, "%*sand %zu more%s\n", INDENT, "", all - told,
                          found.count > told ? " (-v lists them)" : "");
    }
    mls_found_finish(&found, view->output);
}

static void show_log(mls_printer *to, const mls_check_log *log)
{
    const mls_check_names *names = to->state;
    mls_view *view = to->view;
    mls_buffer line = {0};
    const mls_style style = log->valid ? MLS_STYLE_PLAIN : MLS_STYLE_BAD;
    size_t room = names->width + (names->split ? LINE_WIDTH : 0);
    room = room < PATH_WIDTH_MAX ? room : PATH_WIDTH_MAX;
    mls_escape_append(&line, mls_str_from(log->path));
    if (log->part) {
        mls_buffer_printf(&line, ":%zu", log->line);
    }
    const size_t width = mls_display_width(mls_buffer_str(&line));
    mls_style_begin(view->output, style, view->color);
    mls_output_text(view->output, log->valid ? "ok    " : "FAIL  ");
    mls_style_end(view->output, style, view->color);
    mls_buffer_append_repeated(&line, ' ', width < room ? room - width : 0);
    mls_buffer_append_text(&line, "   ");
    describe(log, &line);
    mls_buffer_append_char(&line, '\n');
    mls_output_buffer(view->output, &line);
    if (!log->valid || view->verbose > 0) {
        show_findings(view, log);
    }
}

static void cell(mls_buffer *line, mls_str text)
{
    mls_buffer clean = {0};
    mls_escape_append(&clean, text);
    mls_buffer_append_char(line, ' ');
    mls_markdown_append(line, mls_buffer_str(&clean));
    mls_buffer_append_text(line, " |");
    line->failed |= clean.failed;
    mls_buffer_release(&clean);
}

static void markdown_log(mls_printer *to, const mls_check_log *log)
{
    const mls_verdict *verdict = &log->verdict;
    mls_found found = findings_of(log, false, NULL);
    mls_buffer line = {0};
    mls_buffer text = {0};
    mls_buffer_append_text(&text, log->path);
    if (log->part) {
        mls_buffer_printf(&text, ":%zu", log->line);
    }
    mls_buffer_append_char(&line, '|');
    cell(&line, mls_buffer_str(&text));
    cell(&line, log->valid ? MLS_S("yes") : MLS_S("no"));
    cell(&line, mls_str_from(verdict->edition));
    cell(&line, mls_str_from(verdict->division));
    cell(&line, mls_str_from(verdict->benchmark));
    mls_buffer_printf(&line, " %zu |", verdict->records);
    for (size_t i = 0; i < found.count; i++) {
        const mls_finding *finding = &found.items[i].finding;
        mls_buffer_append_text(&line, i > 0 ? "<br>" : " ");
        mls_buffer_clear(&text);
        if (finding->line > 0) {
            mls_buffer_printf(&text, "line %zu: ", finding->line);
        }
        mls_buffer_printf(&text, "%s: %s", mls_severity_name(finding->severity), finding->message);
        mls_markdown_append(&line, mls_buffer_str(&text));
    }
    mls_buffer_append_text(&line, " |\n");
    line.failed |= text.failed;
    mls_output_buffer(to->view->output, &line);
    mls_buffer_release(&text);
    mls_found_finish(&found, to->view->output);
}

static void check_begin(mls_printer *to)
{
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        mls_output_text(to->view->output, "| log | valid | edition | division | benchmark | records | findings |\n"
                                          "| --- | --- | --- | --- | --- | ---: | --- |\n");
    }
}

static void check_show(mls_printer *to, const void *what)
{
    const mls_check_log *log = what;
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        markdown_log(to, log);
    } else if (!to->view->quiet || !log->valid) {
        show_log(to, log);
    }
}

static void check_end(mls_printer *to)
{
    mls_output *output = to->view->output;
    if (to->view->format == MLS_FORMAT_TABLE) {
        mls_output_printf(output, "%zu log%s, %zu valid", to->count, to->count == 1 ? "" : "s", to->good);
        if (to->good < to->count) {
            mls_output_printf(output, ", %zu not", to->count - to->good);
        }
        mls_output_text(output, "\n");
    }
}

const mls_report mls_check_report = {.command = "check",
                                     .begin = check_begin,
                                     .show = check_show,
                                     .end = check_end,
                                     .object = &log_fields,
                                     .stream = "logs",
                                     .columns = &mls_check_columns,
                                     .rows = log_rows,
                                     .findings = log_findings,
                                     .cases = log_case};
