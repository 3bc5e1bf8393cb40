/* SPDX-License-Identifier: Apache-2.0 */
/* check_report.c - the report of checked logs, and the report of events with the fields of records.  The values of
 * records are the logged JSON, escaped. */
#include "report/reports.h"

#include "base/utf8.h"

/* The maximum number of findings shown below a log (with -v all), and the layout of the table. */
enum { SHOWN_MAX = 20, PATH_WIDTH_MAX = 100, LINE_WIDTH = 6, VERDICT_WIDTH = 6, INDENT = 6, HANG = 10 };

/* Add the findings of a log.  If the log is part of a file, findings without a line get the line of the log.  If `bare`
 * is set, omit path and line, which the output contains already. */
static void add_findings(mls_finding_list *found, const mls_check_log *log, const mls_view *view, bool bare)
{
    const mls_owner owner = {
        .path = bare ? NULL : log->path, .line = bare || !log->part ? 0 : log->line, .result = mls_str_from(log->path)};
    mls_finding_list_add(found, &log->run->findings, owner, view);
}

static void append_name(mls_buffer *out, const mls_check_log *log, bool escaped)
{
    (escaped ? mls_escape_append : mls_buffer_append)(out, mls_str_from(log->path));
    if (log->part)
        mls_buffer_printf(out, ":%zu", log->line);
}

#define LOG_FIELDS(F)                                                                                                  \
    F(log, file, TEXT, "", row->path)                                                                                  \
    F(log, line, NUMBER, "", row->line)                                                                                \
    F(log, usage, TEXT, "", mls_usage_name(row->run->usage))                                                           \
    F(log, edition, TEXT, "", row->run->edition)                                                                       \
    F(log, benchmark, TEXT_OR_NULL, "", row->run->benchmark)                                                           \
    F(log, division, TEXT_OR_NULL, "", row->run->division)                                                             \
    F(log, valid, BOOL, "", row->valid)                                                                                \
    F(log, records, NUMBER, "", row->run->records)                                                                     \
    F(log, malformed, NUMBER, "", row->run->malformed)                                                                 \
    F(log, findings, FINDINGS, "", add_findings(&found, row, NULL, true))
MLS_FIELDS(log, mls_check_log, LOG_FIELDS)
#define LOG_CSV_FIELDS(F) F(log_csv, log_line, NUMBER, "", row->line)
MLS_FIELDS_BESIDE(log_csv, log, LOG_CSV_FIELDS)

/* Add the findings of a log, for the format of GitHub. */
static void log_findings(mls_finding_list *found, const mls_printer *to, const void *what)
{
    (void)to;
    add_findings(found, what, NULL, false);
}

/* Add the test case of a log.  The message of a failed case is "2 errors" or, with --strict, "1 warning, 0 advice". */
static void log_case(mls_printer *to, const void *what)
{
    const mls_check_log *log = what;
    const mls_finding_counts *counts = &log->run->findings.counts;
    const bool errors = counts->error > 0;
    mls_buffer name = {0};
    char failure[sizeof(mls_words) * 2 + 2];
    mls_finding_list found = {0};
    add_findings(&found, log, NULL, false);
    append_name(&name, log, false);
    (void)snprintf(failure, sizeof failure, errors ? "%s" : "%s, %s",
                   mls_finding_list_words(errors ? counts->error : counts->warning,
                                          errors ? MLS_SEVERITY_ERROR : MLS_SEVERITY_WARNING)
                       .text,
                   mls_finding_list_words(counts->advice, MLS_SEVERITY_ADVICE).text);
    mls_junit_case(to, log->run->benchmark != NULL ? log->run->benchmark : "no benchmark", name.ptr,
                   log->valid ? NULL : failure, &found);
    mls_buffer_release(&name);
}

static void check_begin(mls_printer *to)
{
    mls_check_names *names = to->state;
    for (size_t i = 0; i < names->sources->count; i++) {
        const mls_source *source = &names->sources->items[i];
        const size_t width = source->skip == NULL ? mls_display_width(mls_str_from(source->path)) : 0;
        names->width = width > names->width ? width : names->width;
    }
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        mls_output_text(to->view->output, "| log | valid | edition | division | benchmark | records | findings |\n"
                                          "| --- | --- | --- | --- | --- | ---: | --- |\n");
    }
}

static void check_show(mls_printer *to, const void *what)
{
    const mls_check_log *log = what;
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        const mls_run *run = log->run;
        const char *const cells[] = {log->valid ? "yes" : "no", run->edition, run->division, run->benchmark};
        mls_finding_list found = {0};
        add_findings(&found, log, NULL, true);
        mls_output_text(to->view->output, "| ");
        mls_view_text(to->view, MLS_STYLE_PLAIN, log->part ? "%s:%zu" : "%s", log->path, log->line);
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            mls_output_text(to->view->output, " | ");
            mls_view_text(to->view, MLS_STYLE_PLAIN, "%s", cells[i] != NULL ? cells[i] : "");
        }
        mls_output_printf(to->view->output, " | %zu |", run->records);
        for (size_t i = 0; i < found.count; i++) {
            const mls_finding *finding = &found.items[i].finding;
            mls_output_text(to->view->output, i > 0 ? "<br>" : " ");
            if (finding->line > 0)
                mls_output_printf(to->view->output, "line %zu: ", finding->line);
            mls_view_text(to->view, MLS_STYLE_PLAIN, "%s: %s", mls_severity_name(finding->severity), finding->message);
        }
        mls_output_text(to->view->output, " |\n");
        mls_finding_list_finish(&found);
    } else if (!to->view->quiet || !log->valid) {
        /* Print "ok    a.log   training 5.1 (by date) closed llama2_70b_lora   136 records, 2 errors", and the
         * findings. */
        const mls_check_names *names = to->state;
        const mls_run *run = log->run;
        mls_view *view = to->view;
        const mls_finding_list_look look = {.indent = INDENT,
                                            .hang = HANG,
                                            .named = true,
                                            .together = true,
                                            .one_log = true,
                                            .limit = mls_view_limit(view, SHOWN_MAX)};
        char none_words[MLS_NONE_READ_LENGTH]; /* why no record can be read */
        const bool none_read = mls_log_none_read(run->records, run->malformed - run->quoted, run->why, none_words);
        mls_finding_list found = {0};
        mls_buffer line = {0};
        size_t room = names->width + (names->split ? LINE_WIDTH : 0);
        room = room < PATH_WIDTH_MAX ? room : PATH_WIDTH_MAX;
        append_name(&line, log, true);
        const size_t width = mls_display_width(mls_buffer_str(&line));
        mls_view_text(view, log->valid ? MLS_STYLE_PLAIN : MLS_STYLE_BAD, log->valid ? "ok    " : "FAIL  ");
        mls_buffer_append_repeated(&line, ' ', width < room ? room - width + 3 : 3);
        if (run->edition != NULL) {
            const mls_str edition = mls_str_from(run->edition);
            const size_t less = mls_str_ends(edition, MLS_S(".0")) ? 2 : 0; /* "5.1" of "5.1.0" */
            mls_buffer_printf(&line, "%s %.*s%s ", mls_usage_name(run->usage), (int)(edition.len - less), edition.ptr,
                              run->edition_by_date ? " (by date)" : "");
        }
        mls_escape_append(&line, run->division != NULL ? mls_str_from(run->division) : MLS_S("no division"));
        mls_buffer_append_char(&line, ' ');
        mls_escape_append(&line, run->benchmark != NULL ? mls_str_from(run->benchmark) : MLS_S("no benchmark"));
        mls_buffer_printf(&line, "   %s",
                          none_read ? none_words : mls_words_plural(run->records, "record", "records").text);
        if (!none_read)
            mls_finding_list_append_counts(&line, ", ", &run->findings.counts);
        mls_view_wrapped(view, mls_buffer_str(&line), (mls_wrap){view->width, VERDICT_WIDTH, HANG, "  ", false},
                         MLS_STYLE_PLAIN);
        mls_output_text(view->output, "\n");
        mls_buffer_release(&line);
        if (view->verbose > 0 || (!log->valid && !none_read)) {
            add_findings(&found, log, view, false);
            mls_finding_list_show(view, &found, look);
        }
    }
}

static void check_end(mls_printer *to)
{
    mls_output *output = to->view->output;
    if (to->view->format == MLS_FORMAT_TABLE) {
        mls_output_printf(output, "%s, %s valid", mls_words_plural(to->count, "log", "logs").text,
                          mls_words_count((double)to->good).text);
        if (to->good < to->count)
            mls_output_printf(output, ", %s not", mls_words_count((double)(to->count - to->good)).text);
        mls_output_text(output, "\n");
    }
}

const mls_report mls_check_report = {
    .name = "mlscore check",
    .section = "CHECK NDJSON",
    .begin = check_begin,
    .show = check_show,
    .end = check_end,
    .object = &log_fields,
    .stream = "logs",
    .columns = {.section = "CHECK CSV",
                .names = "file usage edition benchmark division valid records malformed severity "
                         "code key line message log_line",
                .rows = "findings",
                .outer = true,
                .sources = {&mls_finding_fields, &log_fields, &log_csv_fields}},
    .findings = log_findings,
    .cases = log_case};

#define EVENT_FIELDS(F)                                                                                                \
    F(event, file, TEXT, "", row->path)                                                                                \
    F(event, line, NUMBER, "", row->record->line)                                                                      \
    F(event, time_ms, NUMBER, "ms", row->record->time_ms)                                                              \
    F(event, event_type, WRITTEN_OR_NULL, "", mls_emit_logged(to, row->record->event_type))                            \
    F(event, key, TEXT_OR_NULL, "", row->record->key)                                                                  \
    F(event, value, ANY, "", mls_emit_logged(to, row->record->value))                                                  \
    F(event, metadata, ANY, "", mls_emit_json(to, row->record->metadata))
MLS_FIELDS(event, mls_event, EVENT_FIELDS)

const mls_report mls_events_report = {.section = "EVENTS NDJSON",
                                      .object = &event_fields,
                                      .columns = {.section = "EVENTS CSV",
                                                  .names = "file line time_ms event_type key value metadata",
                                                  .sources = {&event_fields}}};
