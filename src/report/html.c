/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - the frame of a page, cards, legends and tables. */
#include "report/html.h"

#include <math.h>

#include "base/data.h"
#include "base/statistics.h"

/* ------------------------------------------------------------------------ frame */

#define STYLE "report/report.css"
#define SCRIPT "report/report.js"

void mls_html_begin(mls_buffer *out, const char *title, const char *heading, const char *below)
{
    mls_markup_put(out,
                   "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
                   "script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>",
                   mls_data_file_named(STYLE)->sha256, mls_data_file_named(SCRIPT)->sha256, title);
    mls_buffer_append(out, mls_data_find(STYLE));
    mls_markup_put(out,
                   "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#results\">Skip to the results</a>\n"
                   "<header><h1>%s</h1><p class=\"note\">%s</p></header>\n<main id=\"results\" tabindex=\"-1\">\n",
                   heading, below);
}

void mls_html_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</main>\n<footer>mlscore " MLS_VERSION ". This page makes no network requests and "
                                "sets no cookies.</footer>\n<script>");
    mls_buffer_append(out, mls_data_find(SCRIPT));
    mls_buffer_append_text(out, "</script>\n</body>\n</html>\n");
}

/* ------------------------------------------------------------------------ cards */

void mls_html_card_begin(mls_buffer *out, const char *title)
{
    mls_markup_put(out, "<section class=\"card\">\n<div class=\"bar\"><h3>%s</h3><ul class=\"legend\">", title);
}

void mls_html_card_body(mls_buffer *out)
{
    /* Omit a list without items. */
    const mls_str empty = MLS_S("<ul class=\"legend\">");
    const bool is_empty = mls_str_ends(mls_buffer_str(out), empty);
    mls_buffer_cut(out, out->len - (is_empty ? empty.len : 0));
    mls_buffer_append_text(out, is_empty ? "</div>\n" : "</ul></div>\n");
}

void mls_html_card_plain(mls_buffer *out, const char *heading, const char *title, bool filter)
{
    mls_markup_put(out, "<section class=\"card\">\n<div class=\"bar\"><%s>%s</%s>", heading, title, heading);
    mls_buffer_append_text(out, filter ? "<label class=\"filter\" hidden>Filter <input type=\"search\"></label></div>\n"
                                       : "</div>\n");
}

void mls_html_card_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</section>\n");
}

void mls_html_key(mls_buffer *out, mls_html_mark mark, const char *look, const char *label)
{
    mls_buffer_append_text(out, "<li><svg aria-hidden=\"true\" viewBox=\"0 0 24 12\">");
    if (mark == MLS_MARK_DOT)
        mls_svg_circle(out, look, 18, 6, 4);
    else if (mark == MLS_MARK_CROSS)
        mls_svg_cross(out, look, 18, 6, 4);
    else if (mark == MLS_MARK_DIAMOND)
        mls_svg_diamond(out, look, 18, 6, 5);
    else
        mls_svg_line(out, look, mark == MLS_MARK_BAR ? 12 : 0, 6, 24, 6);
    mls_markup_put(out, "</svg>%s</li>", label);
}

void mls_html_note(mls_buffer *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mls_buffer_append_text(out, "<p class=\"note\">");
    mls_markup_vprintf(out, format, args);
    mls_buffer_append_text(out, "</p>\n");
    va_end(args);
}

void mls_html_separated(mls_buffer *line, mls_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        size_t blanks = 0;
        while (at + blanks < text.len && text.ptr[at + blanks] == ' ')
            blanks++;
        if (blanks > 1) {
            mls_buffer_append_text(line, " · ");
            at += blanks - 1;
        } else {
            mls_buffer_append_char(line, text.ptr[at]);
        }
    }
}

void mls_html_finding(mls_buffer *out, const mls_finding *finding, const char *path)
{
    const char *severity = mls_severity_name(finding->severity);
    mls_markup_put(out, "<li class=\"%s\"><b>%s</b> ", severity, severity);
    if (path != NULL && finding->line > 0)
        mls_markup_put(out, "<code>%s:%zu</code> ", path, finding->line);
    else if (path != NULL)
        mls_markup_put(out, "<code>%s</code> ", path);
    mls_markup_put(out, "%s <span class=\"note\">%s</span></li>\n", finding->message,
                   mls_finding_info_get(finding->code)->name);
}

const char *mls_html_text(mls_arena *arena, const char *format, ...)
{
    mls_buffer text = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&text, format, args);
    va_end(args);
    const char *copy = mls_arena_copy(arena, mls_buffer_str(&text)).ptr;
    mls_buffer_release(&text);
    return copy;
}

/* ------------------------------------------------------------------------ tables */

static void begin_tag(mls_buffer *out, const char *tag, const char *look)
{
    mls_markup_put(out, look != NULL ? "<%s class=\"%s\">" : "<%s>", tag, look);
}

void mls_html_heading(mls_buffer *out, const char *look, const char *text)
{
    mls_buffer_append_text(out, "<th scope=\"col\"");
    mls_markup_put(out, look != NULL ? " class=\"%s\">" : ">", look);
    mls_markup_put(out, "%s</th>", text);
}

static void append_headings(mls_buffer *out, const char *headings)
{
    mls_str rest = mls_str_from(headings);
    while (rest.len > 0) {
        mls_str text;
        (void)mls_str_cut(&rest, '|', &text);
        const bool numbers = mls_str_starts(text, MLS_S("#"));
        mls_buffer_append_text(out, numbers ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        mls_markup_text(out, mls_str_rest(text, numbers));
        mls_buffer_append_text(out, "</th>");
    }
}

void mls_html_numbers_begin(mls_buffer *out, const char *label, const char *headings)
{
    mls_markup_put(out,
                   "<details class=\"numbers\"><summary>The numbers</summary><div class=\"scroll tall\" tabindex=\"0\" "
                   "role=\"group\" aria-label=\"%s\"><table><thead><tr>",
                   label);
    append_headings(out, headings);
    mls_html_rows(out);
}

void mls_html_numbers_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</tbody></table></div></details>\n");
}

void mls_html_table_begin(mls_buffer *out, const char *look, const char *label, const char *headings)
{
    mls_markup_put(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">", label);
    begin_tag(out, "table", look);
    mls_buffer_append_text(out, "<thead><tr>");
    append_headings(out, headings);
}

void mls_html_rows(mls_buffer *out)
{
    mls_buffer_append_text(out, "</tr></thead><tbody>\n");
}

void mls_html_table_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</tbody></table></div>\n");
}

void mls_html_cells(mls_buffer *out, const char *kinds, ...)
{
    va_list args;
    bool sortable = true;
    va_start(args, kinds);
    for (const char *kind = kinds; *kind != '\0'; kind++) {
        if (*kind == '<' || *kind == '>') {
            mls_buffer_append_text(out, *kind == '<' ? "<tr>" : "</tr>\n");
        } else if (*kind == '!') {
            sortable = false;
        } else if (strchr("tsw", *kind) != NULL) {
            const char *text = va_arg(args, const char *);
            if (text != NULL || *kind != 's')
                mls_html_cell(out, *kind == 'w' ? "wide" : NULL, "%s", text != NULL ? text : "");
        } else {
            const double value = va_arg(args, double);
            const mls_words shown = *kind == 'c'   ? mls_words_count(value)
                                    : *kind == 'm' ? mls_words_grouped(value, 3)
                                    : *kind == 'k' ? mls_words_clock(value)
                                    : *kind == 'd' ? mls_words_duration(value)
                                    : *kind == 'r' ? mls_words_rate(value)
                                    : *kind == 'v' ? mls_words_trimmed(value, 6)
                                                   : va_arg(args, mls_words);
            if (isfinite(value) && sortable)
                mls_markup_put(out, "<td class=\"n\" data-v=\"%s\">", mls_words_exact(value).text);
            else
                mls_buffer_append_text(out, "<td class=\"n\">");
            mls_markup_put(out, "%s</td>", isfinite(value) ? shown.text : "–");
        }
    }
    va_end(args);
}

void mls_html_cell(mls_buffer *out, const char *look, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    begin_tag(out, "td", look);
    const size_t begun = out->len;
    mls_markup_vprintf(out, format, args);
    mls_buffer_append_text(out, out->len == begun ? "–</td>" : "</td>");
    va_end(args);
}

/* ------------------------------------------------------------------------ runs */

const char *const mls_html_looks[MLS_RUN_CLASSES] = {"kept", "out", "bad"};

mls_html_class mls_html_run_class(const mls_group *group, size_t run)
{
    const mls_olympic_mark mark = group->marks[run];
    return !group->runs[run]->valid || mark == MLS_OLYMPIC_DROPPED ? MLS_RUN_BAD
           : mark == MLS_OLYMPIC_KEPT                              ? MLS_RUN_KEPT
                                                                   : MLS_RUN_OUT;
}

mls_html_class mls_html_drawn_as(const mls_html_group *of, size_t run)
{
    return of->side == NULL ? mls_html_run_class(of->group, run) : of->baseline ? MLS_RUN_KEPT : MLS_RUN_OUT;
}

void mls_html_run_keys(mls_buffer *out, const mls_group *group, mls_html_mark mark)
{
    bool has[MLS_RUN_CLASSES] = {false};
    bool window = false;
    for (size_t i = 0; i < group->run_count; i++) {
        has[mls_html_run_class(group, i)] = true;
        window |= group->marks[i] == MLS_OLYMPIC_OUTSIDE;
    }
    const char *const labels[MLS_RUN_CLASSES] = {
        "counted", window ? "not counted (fastest, slowest, outside the window)" : "not counted (fastest, slowest)",
        "not valid"};
    for (mls_html_class kind = 0; kind < MLS_RUN_CLASSES; kind++) {
        const bool cross = kind == MLS_RUN_BAD && mark == MLS_MARK_DOT;
        if (has[kind])
            mls_html_key(out, cross ? MLS_MARK_CROSS : mark, cross ? "miss" : mls_html_looks[kind], labels[kind]);
    }
}

void mls_html_line_keys(mls_buffer *out, const mls_html_group *of)
{
    if (of->side == NULL)
        mls_html_run_keys(out, of->group, MLS_MARK_LINE);
    for (size_t i = 0; i < of->sides && of->side != NULL; i++)
        mls_html_key(out, MLS_MARK_LINE, mls_html_looks[mls_html_drawn_as(&of[i], 0)], of[i].side);
}

void mls_html_run_begin(mls_buffer *out, size_t run)
{
    mls_buffer_printf(out, "<g data-r=\"%zu\">", run + 1);
}

void mls_html_run_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "</g>\n");
}

void mls_html_run_dot(mls_buffer *out, mls_html_class kind, double x, double y)
{
    if (kind == MLS_RUN_BAD)
        mls_svg_cross(out, "miss", x, y, 4);
    else
        mls_svg_circle(out, mls_html_looks[kind], x, y, kind == MLS_RUN_KEPT ? 4.5 : 4);
}

size_t mls_html_share(const mls_html_group *of, size_t all, size_t least)
{
    const size_t share = all / of->group->run_count / of->sides;
    return share > least ? share : least;
}

/* ------------------------------------------------------------------------ groups */

mls_html_badge mls_html_badge_of(const mls_group *group)
{
    const mls_group_outcome result = mls_group_result(group);
    if (!isfinite(result.minutes))
        return (mls_html_badge){"ill", "✗ No score", "✗ no score"};
    if (!result.official)
        return (mls_html_badge){"warn", "! Not an official score", "! not official"};
    if (group->rcp.check == MLS_CHECK_FAIL)
        return (mls_html_badge){"ill", "✗ Fails reference convergence", "✗ convergence"};
    if (group->seeds.check == MLS_CHECK_FAIL)
        return (mls_html_badge){"ill", "✗ Fails the seed check", "✗ seeds"};
    return (mls_html_badge){"well", "✓ Valid score", "✓ valid"};
}

bool mls_html_epochs(const mls_html_group *of)
{
    bool epochs = false;
    for (size_t i = 0; i < of->group->run_count; i++)
        epochs |= mls_throughput_counts_epochs(&of->timed->runs[i]);
    return epochs;
}

double mls_html_steady_ms(const mls_html_group *of, size_t *count)
{
    double *values = mls_arena_array(of->scratch, of->group->run_count + 1, sizeof *values);
    *count = 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const double steady = of->timed->runs[i].steady_ms_per_sample;
        if (isfinite(steady) && steady > 0)
            values[(*count)++] = steady;
    }
    mls_sort_doubles(values, *count);
    return *count > 0 ? mls_median(values, *count) : (double)NAN;
}

double mls_html_rcp_mean(const mls_group *group)
{
    const mls_rcp_result *result = &group->rcp.result;
    return result->not_converged > result->allowed ? (double)NAN : result->submission_mean;
}

mls_words mls_html_converge_words(double number)
{
    return number < 100 ? mls_words_trimmed(number, 3) : mls_words_grouped(number, 0);
}
