/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c - the list of formats, and the writers of tables, Markdown, JSON, NDJSON, CSV and HTML. */
#include "report/formats.h"

#define MLS_FORMAT_WRITER(id, name) extern const mls_format_writer mls_format_##name;
MLS_FORMAT_LIST(MLS_FORMAT_WRITER)

#define MLS_FORMAT_ROW(id, name) {#name, &mls_format_##name},
static const struct {
    const char *name;
    const mls_format_writer *writer;
} formats[MLS_FORMAT_COUNT] = {MLS_FORMAT_LIST(MLS_FORMAT_ROW)};

const char *mls_format_name(mls_format format)
{
    return format < MLS_FORMAT_COUNT ? formats[format].name : "";
}

bool mls_format_from_name(mls_str name, mls_format *format)
{
    return MLS_NAME_FIND(formats, MLS_FORMAT_COUNT, name, format);
}

bool mls_report_offers(const mls_report *report, mls_format format)
{
    static const char nothing[sizeof(void *)];
    return memcmp((const char *)report + formats[format].writer->needs, nothing, sizeof nothing) != 0;
}

void mls_print_begin(mls_printer *to, mls_view *view, const mls_report *report, void *state)
{
    *to = (mls_printer){.view = view,
                        .report = report,
                        .state = state,
                        .emitter = {.output = view->output, .view = view, .csv = view->format == MLS_FORMAT_CSV},
                        .walk = mls_walk_of(&report->columns, report->object)};
    if (formats[view->format].writer->begin != NULL)
        formats[view->format].writer->begin(to);
}

void mls_print_item(mls_printer *to, const void *what)
{
    const mls_format_writer *writer = formats[to->view->format].writer;
    void (*item)(mls_printer *, const void *) = writer->item;
    if (item == NULL)
        memcpy(&item, (const char *)to->report + writer->needs, sizeof item);
    item(to, what);
    to->count++;
}

void mls_print_end(mls_printer *to)
{
    if (formats[to->view->format].writer->end != NULL)
        formats[to->view->format].writer->end(to);
    mls_emitter_release(&to->emitter);
}

static void people_begin(mls_printer *to)
{
    if (to->view->format == MLS_FORMAT_MARKDOWN) { /* Markdown does not depend on the width and colours of a terminal */
        to->view->width = 0;
        to->view->color = false;
    }
    if (to->report->begin != NULL)
        to->report->begin(to);
}

static void people_end(mls_printer *to)
{
    if (to->report->end != NULL)
        to->report->end(to);
}

const mls_format_writer mls_format_table = {offsetof(mls_report, show), people_begin, NULL, people_end};
const mls_format_writer mls_format_markdown = {offsetof(mls_report, show), people_begin, NULL, people_end};

static void json_begin(mls_printer *to)
{
    if (to->report->stream != NULL)
        mls_output_printf(to->view->output, "{\"%s\": [", to->report->stream);
}

/* Print a single object on several lines.  If the report is a list of objects, print each object on one line. */
static void json_item(mls_printer *to, const void *what)
{
    const bool whole = to->report->stream == NULL;
    mls_output_text(to->view->output, whole ? "" : to->count > 0 ? ",\n " : "\n ");
    to->emitter.indented = whole;
    to->emitter.inside = false;
    mls_emit_object(&to->emitter, to->report->object, what);
    mls_output_text(to->view->output, whole ? "\n" : "");
}

static void json_end(mls_printer *to)
{
    if (to->report->stream != NULL) {
        mls_output_printf(to->view->output, "%s], \"checked\": %zu, \"valid\": %zu}\n", to->count > 0 ? "\n" : "",
                          to->count, to->good);
    }
}

static void ndjson_item(mls_printer *to, const void *what)
{
    if (to->report->lines != NULL) {
        mls_walk_lines(&to->walk, &to->emitter, to->report->lines, what);
    } else {
        mls_emit_object(&to->emitter, to->report->object, what);
        mls_emit_end(&to->emitter);
    }
}

static void csv_begin(mls_printer *to)
{
    mls_walk_begin(&to->walk, &to->emitter);
}

static void csv_item(mls_printer *to, const void *what)
{
    mls_walk_rows(&to->walk, &to->emitter, what);
}

const mls_format_writer mls_format_html = {offsetof(mls_report, page), NULL, NULL, NULL};
const mls_format_writer mls_format_json = {offsetof(mls_report, object), json_begin, json_item, json_end};
const mls_format_writer mls_format_ndjson = {offsetof(mls_report, object), NULL, ndjson_item, NULL};
const mls_format_writer mls_format_csv = {offsetof(mls_report, columns.names), csv_begin, csv_item, NULL};
