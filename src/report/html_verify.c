/* SPDX-License-Identifier: Apache-2.0 */
/* html_verify.c - a judged submission as a page: systems down, benchmarks across, and what was found in each. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "report/html.h"

/* A submission on its way into a page. */
typedef struct verify_page {
    const mls_submission *submission;
    const mls_view *view;
    const char **columns; /* the benchmarks of the table, in the order in which results name them */
    size_t column_count;
} verify_page;

static size_t count_results(const mls_submission *submission)
{
    size_t count = 0;
    for (size_t i = 0; i < submission->submitter_count; i++)
        count += submission->submitters[i].result_count;
    return count;
}

static void find_columns(verify_page *page)
{
    const mls_submission *submission = page->submission;
    page->columns = mls_calloc(count_results(submission) + 1, sizeof *page->columns);
    for (size_t i = 0; i < submission->submitter_count; i++) {
        for (size_t k = 0; k < submission->submitters[i].result_count; k++) {
            const char *benchmark = submission->submitters[i].results[k].benchmark;
            bool known = false;
            for (size_t c = 0; c < page->column_count && !known; c++)
                known = strcmp(page->columns[c], benchmark) == 0;
            if (!known)
                page->columns[page->column_count++] = benchmark;
        }
    }
}

static size_t count_found(const mls_submission_result *result)
{
    return result->counts.error + result->counts.warning + result->counts.advice;
}

/* Append the sign, the minutes and the number of findings, which leads to them: to its submitter's place and its own.
 */
static void append_result_line(mls_buffer *out, const mls_submission_result *result, size_t submitter, size_t index)
{
    const mls_group *group = &result->group;
    const double minutes = !result->judged ? (double)NAN : result->weak ? group->weak.minutes : group->scaled_minutes;
    const size_t found = count_found(result);
    mls_buffer_append_text(out, !result->judged ? "<div>skipped "
                                : result->valid ? "<div><span class=\"badge well\">✓</span> "
                                                : "<div><span class=\"badge ill\">✗</span> ");
    mls_buffer_append_text(out, isfinite(minutes) ? mls_words_grouped(minutes, 3).text : "–");
    mls_buffer_append_text(out, result->weak ? " weak" : "");
    if (found > 0)
        mls_markup_put(out, " <a href=\"#s%zu-%zu\">%zu</a>", submitter + 1, index + 1, found);
    mls_buffer_append_text(out, "</div>");
}

/* Append the row of a system, whose results are those from `first` on with its name; return the end of these. */
static size_t append_system_row(mls_buffer *out, const verify_page *page, size_t at, size_t first)
{
    const mls_submitter *submitter = &page->submission->submitters[at];
    const char *name = submitter->results[first].system;
    size_t end = first;
    while (end < submitter->result_count && strcmp(submitter->results[end].system, name) == 0)
        end++;
    mls_buffer_append_text(out, "<tr>");
    mls_html_cell(out, NULL, "%s", submitter->name);
    mls_html_cell(out, "wide", "%s", name);
    for (size_t c = 0; c < page->column_count; c++) {
        mls_buffer_append_text(out, "<td class=\"one\">");
        for (size_t i = first; i < end; i++)
            if (strcmp(submitter->results[i].benchmark, page->columns[c]) == 0)
                append_result_line(out, &submitter->results[i], at, i);
        mls_buffer_append_text(out, "</td>");
    }
    mls_buffer_append_text(out, "</tr>\n");
    return end;
}

static void append_systems(mls_buffer *out, const verify_page *page)
{
    const mls_submission *submission = page->submission;
    mls_html_card_plain(out, "h3", "Results", true);
    mls_html_table_begin(out, "sorts", "Results", "submitter|system");
    for (size_t c = 0; c < page->column_count; c++)
        mls_html_heading(out, NULL, page->columns[c]);
    mls_html_rows(out);
    for (size_t i = 0; i < submission->submitter_count; i++)
        for (size_t k = 0; k < submission->submitters[i].result_count;)
            k = append_system_row(out, page, i, k);
    mls_html_table_end(out);
    mls_html_note(out, "A sign, the scaled minutes, and how many findings a result has.");
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ findings */

enum { SHOWN_OF_OWNER = 200 };

/* A list of findings of one owner: how many are in it, and how many more there are. */
typedef struct found_list {
    size_t shown, more;
} found_list;

static void append_item(mls_buffer *out, const mls_view *view, const mls_finding *finding, const char *path,
                        found_list *list)
{
    if (!mls_view_shows(view, finding->severity))
        return;
    if (list->shown == SHOWN_OF_OWNER) {
        list->more++;
        return;
    }
    mls_buffer_append_text(out, list->shown++ == 0 ? "<ul class=\"found\">\n" : "");
    mls_html_finding(out, finding, path);
}

static void end_list(mls_buffer *out, const found_list *list)
{
    if (list->more > 0)
        mls_buffer_printf(out, "<li>and %zu more</li>\n", list->more);
    mls_buffer_append_text(out, list->shown > 0 ? "</ul>\n" : "");
}

/* Append the findings of a result, or (NULL) of the submitter apart from all results. */
static void append_placed(mls_buffer *out, const verify_page *page, const mls_submitter *submitter,
                          const mls_submission_result *result)
{
    found_list list = {0};
    for (size_t i = 0; i < submitter->placed_count; i++) {
        const mls_placed_finding *placed = &submitter->placed[i];
        if (placed->result == result)
            append_item(out, page->view, placed->finding, placed->path, &list);
    }
    end_list(out, &list);
}

static void append_submitter(mls_buffer *out, const verify_page *page, size_t at)
{
    const mls_submitter *submitter = &page->submission->submitters[at];
    mls_buffer counts = {0};
    mls_finding_list_append_counts(&counts, " · ", &submitter->counts);
    mls_markup_put(out, "<section class=\"card\">\n<div class=\"bar\"><h3>%s</h3><p class=\"note\">%s%s</p></div>\n",
                   submitter->name, submitter->valid ? "ready to upload" : "not ready",
                   counts.len > 0 ? counts.ptr : "");
    append_placed(out, page, submitter, NULL);
    for (size_t i = 0; i < submitter->result_count; i++) {
        if (count_found(&submitter->results[i]) > 0) {
            mls_markup_put(out, "<h4 id=\"s%zu-%zu\">%s</h4>\n", at + 1, i + 1, submitter->results[i].path);
            append_placed(out, page, submitter, &submitter->results[i]);
        }
    }
    mls_html_card_end(out);
    mls_buffer_release(&counts);
}

static void append_whole(mls_buffer *out, const verify_page *page)
{
    const mls_submission *submission = page->submission;
    found_list list = {0};
    if (submission->findings.count == 0)
        return;
    mls_html_card_plain(out, "h3", "The whole submission", false);
    for (size_t i = 0; i < submission->findings.count; i++) {
        const mls_finding *finding = &submission->findings.items[i];
        append_item(out, page->view, finding, finding->path, &list);
    }
    end_list(out, &list);
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ page */

static void append_verdict_head(mls_buffer *out, const mls_submission *submission)
{
    size_t ready = 0;
    mls_buffer counts = {0};
    for (size_t i = 0; i < submission->submitter_count; i++) {
        for (size_t k = 0; k < submission->submitters[i].result_count; k++) {
            const mls_submission_result *result = &submission->submitters[i].results[k];
            ready += result->valid && result->judged;
        }
    }
    mls_finding_list_append_counts(&counts, "", &submission->counts);
    mls_markup_put(
        out,
        "<div class=\"head\"><div><h2>Submission</h2><p class=\"meta\">%s %s%s · %s</p><p class=\"path\">%s</p>"
        "</div><div class=\"score\"><p><span class=\"badge %s\">%s</span></p>"
        "<p class=\"big\"><b>%zu</b> of %s ready</p>",
        mls_usage_name(submission->options.usage), submission->edition->name,
        submission->edition_by_date ? " (by date)" : "",
        mls_words_plural(submission->submitter_count, "submitter", "submitters").text, submission->path,
        submission->valid ? "well" : "ill", submission->valid ? "✓ Ready to upload" : "✗ Not ready", ready,
        mls_words_plural(count_results(submission), "result", "results").text);
    if (counts.len > 0)
        mls_html_note(out, "%s", counts.ptr);
    mls_buffer_append_text(out, "</div></div>\n");
    mls_buffer_release(&counts);
}

void mls_html_verify(mls_printer *to, const void *what)
{
    verify_page page = {.submission = what, .view = to->view};
    mls_buffer out = {0};
    find_columns(&page);
    mls_html_begin(&out, "Submission - mlscore", "MLPerf submission report", "mlscore verify");
    append_verdict_head(&out, page.submission);
    if (page.column_count > 0)
        append_systems(&out, &page);
    append_whole(&out, &page);
    for (size_t i = 0; i < page.submission->submitter_count; i++)
        append_submitter(&out, &page, i);
    mls_html_end(&out);
    mls_output_buffer(to->view->output, &out);
    free(page.columns);
}
