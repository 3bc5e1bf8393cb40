/* SPDX-License-Identifier: Apache-2.0 */
/* html_runs.c - a row a run: all of them, also those that never got far. */
#include <math.h>

#include "report/html.h"

enum { SHOWN_DECIMALS = 5 };

static const char *counted_words(const mls_group *group, size_t run)
{
    return group->marks[run] == MLS_OLYMPIC_DROPPED ? "no" : mls_olympic_mark_name(group->marks[run]);
}

/* Of one of many groups a table is not sorted, and has no numbers to sort by. */
static void append_figure_cell(mls_buffer *out, const mls_html_group *of, double value, mls_words shown)
{
    if (of->brief) {
        mls_html_cell(out, "n", "%s", isfinite(value) ? shown.text : "");
    } else {
        mls_html_number(out, value, shown);
    }
}

static void append_run_row(mls_buffer *out, const mls_html_group *of, size_t at, bool several)
{
    static const char *const colours[MLS_IS_COUNT] = {NULL, "orange", "red wide"};
    const mls_group *group = of->group;
    const mls_run *run = group->runs[at];
    const mls_throughput *timed = &of->timed->runs[at];
    const mls_finding *reason = mls_run_reason(run);
    const char *colour = colours[mls_html_run_is(group, at)];
    const double rate = (mls_throughput_counts_epochs(timed) ? 3600000 : 1000) / timed->steady_ms_per_sample;
    const double init = mls_run_init_minutes(run);
    mls_buffer_printf(out, "<tr data-r=\"%zu\">", at + 1);
    append_figure_cell(out, of, (double)(at + 1), mls_words_count((double)(at + 1)));
    mls_html_cell(out, "wide", several ? "%s:%zu" : "%s", mls_group_name_below(group, run->file), run->line);
    append_figure_cell(out, of, init, mls_words_clock(init));
    append_figure_cell(out, of, mls_run_minutes(run), mls_words_minutes(mls_run_minutes(run)));
    append_figure_cell(out, of, mls_run_to_converge(run).number, mls_words_count(mls_run_to_converge(run).number));
    append_figure_cell(out, of, run->last_evaluation.value,
                       mls_words_grouped(run->last_evaluation.value, SHOWN_DECIMALS));
    append_figure_cell(out, of, rate, mls_words_rate(rate));
    mls_html_cell(out, NULL, "%s", run->status != MLS_RUN_NO_STATUS ? mls_run_status_name(run->status) : "");
    mls_html_cell(out, colour, reason != NULL ? "%s: %s" : "%s", counted_words(group, at),
                  reason != NULL ? reason->message : "");
    mls_buffer_append_text(out, "</tr>\n");
}

void mls_html_runs(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const char *unit = "samples";
    bool several = false;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_convergence own = mls_run_to_converge(group->runs[i]);
        unit = isnan(own.number) ? unit : own.unit;
        several |= i > 0 && strcmp(group->runs[i]->file, group->runs[i - 1]->file) == 0;
    }
    mls_html_card_plain(out, "h3", "Runs", !of->brief);
    mls_html_table_begin(out, of->brief ? NULL : "sorts", "Runs");
    mls_html_heading(out, "n", "run");
    mls_html_heading(out, NULL, "log");
    mls_html_heading(out, "n", "init");
    mls_html_heading(out, "n", "minutes");
    mls_html_heading(out, "n", unit);
    mls_html_heading(out, "n", "evaluation");
    mls_html_heading(out, "n", mls_html_epochs(of) ? "epochs/h" : "samples/s");
    mls_html_heading(out, NULL, "status");
    mls_html_heading(out, NULL, "counted");
    mls_html_rows(out);
    for (size_t i = 0; i < group->run_count; i++) {
        append_run_row(out, of, i, several);
    }
    mls_html_table_end(out);
    mls_html_card_end(out);
}
