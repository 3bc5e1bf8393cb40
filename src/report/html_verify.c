/* SPDX-License-Identifier: Apache-2.0 */
/* html_verify.c - the pages of a checked submission, a table of results and the findings about each result, and of its
 * review, which has the questions instead, and curves of the results that they are about. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "report/html.h"
#include "submission/judge.h"

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

/* Append a link to each kind of question about a result.  *at is the index of the next result of the review, which has
 * the results of the table that have logs, in the same order. */
static void append_marks(mls_buffer *out, const mls_review *review, const mls_submission_result *result)
{
    for (size_t i = 0; i < review->results.count; i++) {
        const mls_review_result *of = &review->results.items[i];
        for (size_t k = 0; k < of->kinds.count && of->result == result; k++)
            mls_markup_put(out, " <a href=\"#%s\">%s</a>", of->kinds.items[k], of->kinds.items[k]);
    }
}

/* Append the table of all results, with a row for each system and a column for each benchmark.  Each result has links
 * to its kinds of questions in a review, otherwise a link to its findings. */
static void append_systems(mls_buffer *out, const mls_submission *submission, const mls_review *review, size_t results)
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
                    if (review != NULL)
                        append_marks(out, review, result);
                    else if (count_found(result) > 0)
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
    mls_html_note(out, "Each cell shows the verdict, the scaled minutes and %s.",
                  review != NULL ? "the kinds of questions" : "the number of findings");
    mls_html_card_end(out);
}

/* Append the head of a page: the round, the verdict, and the numbers of findings. */
static void append_head(mls_buffer *out, const mls_submission *submission, size_t *results)
{
    mls_buffer counts = {0};
    size_t ready = 0;
    *results = 0;
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        *results += submitter->result_count;
        for (size_t k = 0; k < submitter->result_count; k++)
            ready += submitter->results[k].valid && submitter->results[k].judged;
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
        mls_words_plural(*results, "result", "results").text);
    if (counts.len > 0)
        mls_html_note(out, "%s", counts.ptr);
    mls_buffer_append_text(out, "</div></div>\n");
    mls_buffer_release(&counts);
}

void mls_html_verify(mls_printer *to, const void *what)
{
    const mls_submission *submission = what;
    mls_buffer out = {0};
    mls_buffer counts = {0};
    size_t results;
    mls_html_begin(&out, "Submission - mlscore", "MLPerf submission report", "mlscore verify");
    append_head(&out, submission, &results);
    if (results > 0)
        append_systems(&out, submission, NULL, results);
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

/* ------------------------------------------------------------------------------------------------------- a review */

/* ISSUE_FILES: the files of each question.  CURVES_MOST: the number of results whose curves are drawn. */
enum { ISSUE_FILES = 3, CURVES_MOST = 60 };

static void append_kinds(mls_buffer *out, const mls_review *review)
{
    mls_buffer absent = {0};
    mls_html_card_plain(out, "h3", "Questions by kind", false);
    mls_html_table_begin(out, "sorts", "Kinds of questions",
                         "kind|severity|#questions|#results|#submitters|first place|rule");
    mls_html_rows(out);
    for (size_t i = 0; i < review->kinds.count; i++) {
        const mls_review_kind *kind = &review->kinds.items[i];
        if (kind->questions == 0 || !mls_review_shows(review, kind->kind.code)) {
            if (kind->questions == 0 && !kind->kind.form)
                mls_buffer_printf(&absent, absent.len > 0 ? ", %s" : "%s", kind->name);
            continue;
        }
        const mls_question *first = &review->questions.items[kind->first];
        mls_markup_put(out, "<tr><td><a href=\"#q%zu\" id=\"%s\">%s</a></td>", kind->first + 1, kind->name, kind->name);
        mls_html_cells(out, "tccc", mls_severity_name(kind->kind.severity), (double)kind->questions,
                       (double)kind->results, (double)kind->submitters);
        mls_html_cells(out, "ww>", first->path, kind->kind.section != NULL ? kind->kind.section : "");
    }
    mls_html_table_end(out);
    if (absent.len > 0 && !review->options.only)
        mls_html_note(out, "Nothing found: %s", absent.ptr);
    mls_buffer_release(&absent);
    mls_html_card_end(out);
}

static void append_submitters(mls_buffer *out, const mls_review *review)
{
    mls_html_card_plain(out, "h3", "Submitters", false);
    mls_html_table_begin(out, "sorts", "Submitters",
                         "submitter|#results|#below 512 accelerators|#most accelerators|#questions|#form");
    mls_html_rows(out);
    for (size_t i = 0; i < review->submitters.count; i++) {
        const mls_review_submitter *of = &review->submitters.items[i];
        mls_html_cells(out, "<tccccc>", of->name, (double)of->results, (double)of->below_512, of->accelerators_most,
                       (double)of->questions, (double)of->form);
    }
    mls_html_table_end(out);
    const mls_assignment *const pairs[] = {&review->by_results, &review->large};
    for (size_t i = 0; i < 2; i++) {
        mls_buffer line = {0};
        for (size_t k = 0; k < pairs[i]->count; k++)
            for (size_t n = 0; n < pairs[i]->items[k].count; n++)
                mls_buffer_printf(&line, "%s%s", n > 0 ? " + " : k > 0 ? " · " : "", pairs[i]->items[k].names[n]);
        if (line.len > 0)
            mls_html_note(out, "Pairs %s: %s",
                          i == 0 ? "by results below 512 accelerators" : "of 512 accelerators or more", line.ptr);
        mls_buffer_release(&line);
    }
    mls_html_card_end(out);
}

/* Append the curves of a result, from the evaluations noted of its runs. */
static void append_curves(mls_buffer *out, const mls_submission_result *result, size_t number)
{
    mls_arena scratch = {0};
    const mls_group *group = &result->group;
    mls_throughput *runs = mls_arena_zeroed(&scratch, group->run_count + 1, sizeof *runs);
    const mls_throughput_group timed = {.group = group, .runs = runs};
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run_notes *notes = result->runs[i].notes;
        runs[i].run = &result->runs[i].run;
        runs[i].curve_count = notes != NULL ? notes->evaluations.count : 0;
        runs[i].curve = mls_arena_zeroed(&scratch, runs[i].curve_count + 1, sizeof *runs[i].curve);
        for (size_t k = 0; k < runs[i].curve_count; k++) {
            const mls_noted_evaluation *noted = &notes->evaluations.items[k];
            runs[i].curve[k] = (mls_curve_point){.ms = noted->time_ms - result->runs[i].run.run_start.time_ms,
                                                 .samples = noted->position,
                                                 .value = noted->value,
                                                 .steps = NAN,
                                                 .box = NAN,
                                                 .mask = NAN};
        }
    }
    mls_markup_put(out, "<h4>%s</h4>\n", result->path);
    mls_html_convergence(
        out, &(mls_html_group){
                 .group = group, .timed = &timed, .number = number, .brief = true, .scratch = &scratch, .sides = 1});
    mls_arena_release(&scratch);
}

void mls_html_review(mls_printer *to, const void *what)
{
    const mls_review *review = what;
    const mls_submission *submission = review->submission;
    mls_buffer out = {0};
    size_t results;
    size_t drawn = 0;
    mls_html_begin(&out, "Review - mlscore", "MLPerf submission review", "mlscore review");
    append_head(&out, submission, &results);
    append_kinds(&out, review);
    if (results > 0)
        append_systems(&out, submission, review, results);
    append_submitters(&out, review);
    for (size_t i = 0; i < review->questions.count; i++) {
        const mls_question *question = &review->questions.items[i];
        mls_buffer text = {0};
        mls_str line;
        if (!mls_review_shows(review, question->code) || !mls_view_shows(to->view, question->severity))
            continue;
        mls_markup_put(&out, "<section class=\"card\" id=\"q%zu\">\n<div class=\"bar\"><h3>%zu · %s</h3></div>\n<pre>",
                       i + 1, i + 1, mls_finding_info_get(question->code)->name);
        mls_review_append_issue(&text, review, i + 1, ISSUE_FILES);
        for (mls_str rest = mls_buffer_str(&text); rest.len > 0;) {
            (void)mls_str_cut(&rest, '\n', &line);
            mls_markup_text(&out, line);
            mls_buffer_append_text(&out, "\n");
        }
        mls_buffer_append_text(&out, "</pre>\n");
        mls_html_card_end(&out);
        mls_buffer_release(&text);
    }
    for (size_t i = 0; i < review->results.count && drawn < CURVES_MOST; i++)
        if (review->results.items[i].kinds.count > 0)
            append_curves(&out, review->results.items[i].result, ++drawn);
    mls_html_end(&out);
    mls_output_buffer(to->view->output, &out);
}
