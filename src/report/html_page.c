/* SPDX-License-Identifier: Apache-2.0 */
/* html_page.c - the frame of a page: its policy, style and script, and what stands above and below all. */
#include "base/data.h"
#include "report/html.h"

#define STYLE "report/report.css"
#define SCRIPT "report/report.js"

static void append_hash(mls_buffer *out, const char *directive, const char *name)
{
    const mls_data_file *file = mls_data_file_named(name);
    mls_buffer_printf(out, "; %s 'sha256-%s'", directive, file != NULL ? file->sha256 : "");
}

static void append_data(mls_buffer *out, const char *tag, const char *name)
{
    mls_buffer_printf(out, "<%s>", tag);
    mls_buffer_append(out, mls_data_find(name));
    mls_buffer_printf(out, "</%s>\n", tag);
}

void mls_html_begin(mls_buffer *out, mls_str title, const char *heading, mls_str below)
{
    mls_buffer_append_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'");
    append_hash(out, "style-src", STYLE);
    append_hash(out, "script-src", SCRIPT);
    mls_buffer_append_text(out, "; base-uri 'none'; form-action 'none'\">\n"
                                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    mls_markup_text(out, title);
    mls_buffer_append_text(out, "</title>\n");
    append_data(out, "style", STYLE);
    mls_buffer_append_text(out, "</head>\n<body>\n<a class=\"skip\" href=\"#results\">Skip to the results</a>\n"
                                "<header><h1>");
    mls_markup_text(out, mls_str_from(heading));
    mls_buffer_append_text(out, "</h1><p class=\"note\">");
    mls_markup_text(out, below);
    mls_buffer_append_text(out, "</p></header>\n<main id=\"results\" tabindex=\"-1\">\n");
}

void mls_html_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</main>\n<footer>mlscore " MLS_VERSION ". Nothing in this page leaves it: no network, "
                                "no cookies.</footer>\n");
    append_data(out, "script", SCRIPT);
    mls_buffer_append_text(out, "</body>\n</html>\n");
}
