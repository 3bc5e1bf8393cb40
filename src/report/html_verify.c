/* SPDX-License-Identifier: Apache-2.0 */
/* html_verify.c - the page of a checked submission: a table of results, and the findings about each result. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "report/html.h"

static size_t count_found(const mls_submission_result *result)
{
    return result->counts.error + result->counts.warning + result->counts.advice;
}

enum { SHOWN_OF_OWNER = 200 };

/* The numbers of shown and of omitted findings in a list. */
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

/* Append the findings about a result.  If `result` is NULL, append the findings about the submitter that are not about
 * a result. */
static void append_placed(mls_buffer *out, const mls_view *view, const mls_submitter *submitter,
                          const mls_submission_result *result)
{
    found_list list = {0};
    for (size_t i = 0; i < submitter->placed_count; i++) {
        const mls_placed_finding *placed = &submitter->placed[i];
        if (placed->result == result)
            append_item(out, view, placed->finding, placed->path, &list);
    }
    end_list(out, &list);
}

/* Append the table of all results, with a row for each system and a column for each benchmark. */
static void append_systems(mls_buffer *out, const mls_submission *submission, size_t results)
{
    const char **columns = mls_calloc(results + 1, sizeof *columns); /* benchmarks, in the order in which they occur */
    size_t column_count = 0;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        for (size_t i = 0; i < submission->submitters[s].result_count; i++) {
            const char *benchmark = submission->submitters[s].results[i].benchmark;
            size_t c = 0;
            while (c < column_count && strcmp(columns[c], benchmark) != 0)
                c++;
            columns[c] = benchmark;
            column_count += c == column_count;
        }
    }
    mls_html_card_plain(out, "h3", "Results", true);
    mls_html_table_begin(out, "sorts", "Results", "submitter|system");
    for (size_t c = 0; c < column_count; c++)
        mls_html_heading(out, NULL, columns[c]);
    mls_html_rows(out);
    for (size_t s = 0; s < submission->submitter_count; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t first = 0, end; first < submitter->result_count; first = end) {
            const char *name = submitter->results[first].system;
            for (end = first; end < submitter->result_count && strcmp(submitter->results[end].system, name) == 0;)
                end++;
            mls_html_cells(out, "<tw", submitter->name, name);
            for (size_t c = 0; c < column_count; c++) {
                mls_buffer_append_text(out, "<td class=\"one\">");
                for (size_t i = first; i < end; i++) {
                    const mls_submission_result *result = &submitter->results[i];
                    const double minutes = !result->judged ? (double)NAN
                                           : result->weak  ? result->group.weak.minutes
                                                           : result->group.scaled_minutes;
                    if (strcmp(result->benchmark, columns[c]) != 0)
                        continue;
                    mls_buffer_append_text(out, !result->judged ? "<div>skipped "
                                                : result->valid ? "<div><span class=\"badge well\">✓</span> "
                                                                : "<div><span class=\"badge ill\">✗</span> ");
                    mls_buffer_append_text(out, isfinite(minutes) ? mls_words_grouped(minutes, 3).text : "–");
                    mls_buffer_append_text(out, result->weak ? " weak" : "");
                    if (count_found(result) > 0)
                        mls_markup_put(out, " <a href=\"#s%zu-%zu\">%zu</a>", s + 1, i + 1, count_found(result));
                    mls_buffer_append_text(out, "</div>");
                }
                mls_buffer_append_text(out, "</td>");
            }
            mls_buffer_append_text(out, "</tr>\n");
        }
    }
    free(columns);
    mls_html_table_end(out);
    mls_html_note(out, "Each cell shows the verdict, the scaled minutes and the number of findings.");
    mls_html_card_end(out);
}

void mls_html_verify(mls_printer *to, const void *what)
{
    const mls_submission *submission = what;
    mls_buffer out = {0};
    mls_buffer counts = {0};
    size_t results = 0;
    size_t ready = 0;
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        results += submitter->result_count;
        for (size_t k = 0; k < submitter->result_count; k++)
            ready += submitter->results[k].valid && submitter->results[k].judged;
    }
    mls_html_begin(&out, "Submission - mlscore", "MLPerf submission report", "mlscore verify");
    mls_finding_list_append_counts(&counts, "", &submission->counts);
    mls_markup_put(
        &out,
        "<div class=\"head\"><div><h2>Submission</h2><p class=\"meta\">%s %s%s · %s</p><p class=\"path\">%s</p>"
        "</div><div class=\"score\"><p><span class=\"badge %s\">%s</span></p>"
        "<p class=\"big\"><b>%zu</b> of %s ready</p>",
        mls_usage_name(submission->options.usage), submission->edition->name,
        submission->edition_by_date ? " (by date)" : "",
        mls_words_plural(submission->submitter_count, "submitter", "submitters").text, submission->path,
        submission->valid ? "well" : "ill", submission->valid ? "✓ Ready to upload" : "✗ Not ready", ready,
        mls_words_plural(results, "result", "results").text);
    if (counts.len > 0)
        mls_html_note(&out, "%s", counts.ptr);
    mls_buffer_append_text(&out, "</div></div>\n");
    if (results > 0)
        append_systems(&out, submission, results);
    if (submission->findings.count > 0) {
        found_list list = {0};
        mls_html_card_plain(&out, "h3", "The whole submission", false);
        for (size_t i = 0; i < submission->findings.count; i++) {
            const mls_finding *finding = &submission->findings.items[i];
            append_item(&out, to->view, finding, finding->path, &list);
        }
        end_list(&out, &list);
        mls_html_card_end(&out);
    }
    for (size_t s = 0; s < submission->submitter_count; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        mls_buffer_clear(&counts);
        mls_finding_list_append_counts(&counts, " · ", &submitter->counts);
        mls_markup_put(
            &out, "<section class=\"card\">\n<div class=\"bar\"><h3>%s</h3><p class=\"note\">%s%s</p></div>\n",
            submitter->name, submitter->valid ? "ready to upload" : "not ready", counts.len > 0 ? counts.ptr : "");
        append_placed(&out, to->view, submitter, NULL);
        for (size_t i = 0; i < submitter->result_count; i++) {
            if (count_found(&submitter->results[i]) > 0) {
                mls_markup_put(&out, "<h4 id=\"s%zu-%zu\">%s</h4>\n", s + 1, i + 1, submitter->results[i].path);
                append_placed(&out, to->view, submitter, &submitter->results[i]);
            }
        }
        mls_html_card_end(&out);
    }
    mls_html_end(&out);
    mls_output_buffer(to->view->output, &out);
    mls_buffer_release(&counts);
}
