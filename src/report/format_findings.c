/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_findings.c - the formats of findings: workflow commands of GitHub,
 * remarks at files and lines, and JUnit XML, for systems that show tests, whose
 * counts stand at the top, so that everything is held back to the end.
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/utf8.h"
#include "report/view.h"

/* ------------------------------------------------------------------ GitHub */

/* '%' and line endings are escaped, in properties ':' and ',' too. */
static void github_append(mls_buffer *line, mls_str text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
            mls_buffer_printf(line, "%%%02X", (unsigned)(unsigned char)c);
        } else {
            mls_buffer_append_char(line, c);
        }
    }
}

static void remark(mls_output *output, const mls_finding *finding, const char *root)
{
    static const char *const levels[] = {"error", "warning", "notice"};
    mls_buffer clean = {0};
    mls_buffer line = {0};
    char *path = root != NULL ? mls_path_join(root, finding->path != NULL ? finding->path : "") : NULL;
    mls_escape_append(&clean, mls_str_from(root != NULL ? path : finding->path));
    mls_buffer_printf(&line, "::%s file=", levels[finding->severity]);
    github_append(&line, mls_buffer_str(&clean), true);
    if (finding->line > 0) {
        mls_buffer_printf(&line, ",line=%zu", finding->line);
    }
    if (finding->line > 0 && finding->column > 0) {
        mls_buffer_printf(&line, ",col=%zu", finding->column);
    }
    mls_buffer_printf(&line, ",title=mlscore %s::", mls_finding_info_get(finding->code)->name);
    github_append(&line, mls_str_from(finding->message), false);
    mls_buffer_append_char(&line, '\n');
    line.failed |= root != NULL && path == NULL;
    free(path);
    mls_output_drop(output, &clean);
    mls_output_buffer(output, &line);
}

static void github_item(mls_printer *to, const void *what)
{
    mls_found found = {0};
    to->report->findings(&found, to, what);
    for (size_t i = 0; i < found.count; i++) {
        remark(to->view->output, &found.items[i].finding, found.root);
    }
    mls_found_finish(&found, to->view->output);
}

const mls_format_writer mls_format_github = {offsetof(mls_report, findings), NULL, github_item, NULL};

/* ------------------------------------------------------------------- JUnit */

/* Appends text of XML or an attribute; what XML has no way to say becomes U+FFFD. */
static void xml_append(mls_buffer *out, const char *bytes)
{
    static const char *const entities[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    const mls_str text = mls_str_from(bytes);
    for (size_t at = 0; at < text.len;) {
        const int32_t code = mls_utf8_next(text, &at);
        const bool allowed = (code >= 0x20 && code < 0x7f) ||
                             (code >= 0xa0 && code != 0xfffe && code != 0xffff && !mls_code_point_is_hostile(code));
        if (code == '&' || code == '<' || code == '>' || code == '"') {
            mls_buffer_append_text(out, entities[code]);
        } else {
            mls_utf8_append(out, allowed ? (uint32_t)code : 0xfffd);
        }
    }
}

static void xml_attribute(mls_buffer *out, const char *before, const char *value)
{
    mls_buffer_append_text(out, before);
    xml_append(out, value);
    mls_buffer_append_char(out, '"');
}

static void append_finding(mls_buffer *out, const mls_finding *finding)
{
    xml_append(out, finding->path);
    if (finding->line > 0) {
        mls_buffer_printf(out, ":%zu", finding->line);
    }
    mls_buffer_printf(out, ": %s: ", mls_severity_name(finding->severity));
    xml_append(out, finding->message);
    mls_buffer_append_char(out, '\n');
}

void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure, mls_found *found)
{
    mls_buffer *out = &to->held;
    const char *element = failure != NULL ? "failure" : found->count > 0 ? "system-out" : NULL;
    xml_attribute(out, "    <testcase classname=\"", class_name);
    xml_attribute(out, " name=\"", name);
    mls_buffer_append_text(out, ">\n");
    if (failure != NULL) {
        mls_buffer_printf(out, "      <failure message=\"%s\">", failure);
    } else if (element != NULL) {
        mls_buffer_append_text(out, "      <system-out>");
    }
    for (size_t i = 0; i < found->count; i++) {
        append_finding(out, &found->items[i].finding);
    }
    if (element != NULL) {
        mls_buffer_printf(out, "</%s>\n", element);
    }
    mls_buffer_append_text(out, "    </testcase>\n");
    to->tests++;
    to->failures += failure != NULL;
    mls_found_finish(found, to->view->output);
}

void mls_junit_suite(mls_printer *to, const char *name)
{
    mls_buffer *out = &to->suites;
    xml_attribute(out, "  <testsuite name=\"", name);
    mls_buffer_printf(out, " tests=\"%zu\" failures=\"%zu\">\n", to->tests, to->failures);
    mls_buffer_append(out, mls_buffer_str(&to->held));
    mls_buffer_append_text(out, "  </testsuite>\n");
    out->failed |= to->held.failed;
    mls_buffer_clear(&to->held);
    to->tests = 0;
    to->failures = 0;
}

static void junit_item(mls_printer *to, const void *what)
{
    to->report->cases(to, what);
}

/* Cases that belong to no suite yet are the command's own; else there are several, which have their own counts. */
static void junit_end(mls_printer *to)
{
    mls_output *output = to->view->output;
    mls_output_text(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (to->suites.len > 0 || to->suites.failed) {
        mls_output_printf(output, "<testsuites name=\"%s\">\n", to->report->name);
    } else {
        mls_output_printf(output, "<testsuites tests=\"%zu\" failures=\"%zu\">\n", to->tests, to->failures);
        mls_junit_suite(to, to->report->name);
    }
    mls_buffer_release(&to->held);
    mls_output_buffer(output, &to->suites);
    mls_output_text(output, "</testsuites>\n");
}

const mls_format_writer mls_format_junit = {offsetof(mls_report, cases), NULL, junit_item, junit_end};
