/* SPDX-License-Identifier: Apache-2.0 */
/* html_head.c - the head of a group: what it is, its score and whether that counts, the figures that matter, and the
 * answers of its overview. */
#include <math.h>

#include "base/statistics.h"
#include "report/html.h"

/* ------------------------------------------------------------------------- score */

mls_html_badge mls_html_badge_of(const mls_group *group)
{
    const mls_group_outcome result = mls_group_result(group);
    if (!isfinite(result.minutes)) {
        return (mls_html_badge){"ill", "✗ No score", "✗ no score"};
    }
    if (!result.official) {
        return (mls_html_badge){"warn", "! Not an official score", "! not official"};
    }
    if (group->rcp.check == MLS_CHECK_FAIL) {
        return (mls_html_badge){"ill", "✗ Fails reference convergence", "✗ convergence"};
    }
    if (group->seeds.check == MLS_CHECK_FAIL) {
        return (mls_html_badge){"ill", "✗ Fails the check of seeds", "✗ seeds"};
    }
    return (mls_html_badge){"well", "✓ Valid score", "✓ valid"};
}

/* Three decimals, and from an hour on h:mm:ss below. */
static void append_minutes(mls_buffer *out, double minutes)
{
    mls_buffer_append_text(out, "<p class=\"big\"><b>");
    mls_markup_text(out, mls_str_from(mls_words_grouped(minutes, 3).text));
    mls_buffer_append_text(out, "</b> min</p>");
    if (minutes >= 60) {
        mls_html_note(out, "%s", mls_words_clock(minutes).text);
    }
}

static void append_score(mls_buffer *out, const mls_group *group)
{
    const mls_html_badge is = mls_html_badge_of(group);
    const bool weak = mls_is_weak(&group->weak);
    mls_buffer_printf(out, "<div class=\"score\"><p><span class=\"badge %s\">%s</span></p>", is.look, is.words);
    if (isfinite(mls_html_minutes(group))) {
        append_minutes(out, mls_html_minutes(group));
    }
    if (weak) {
        mls_html_note(out, "all %s trained side by side", mls_words_plural(group->weak.models, "model", "models").text);
    } else if (group->scale > 1 && isfinite(group->score.score_minutes)) {
        mls_html_note(out, "scaled by %s from %s", mls_words_grouped(group->scale, 4).text,
                      mls_words_grouped(group->score.score_minutes, 3).text);
    } else if (group->score.outcome == MLS_OLYMPIC_TOO_FEW_RUNS && isfinite(group->score.score_minutes)) {
        mls_html_note(out, "mean of the valid runs");
    } else if (group->score.outcome == MLS_OLYMPIC_TOO_MANY_RUNS) {
        mls_html_note(out, "olympic mean of all");
    }
    mls_buffer_append_text(out, "</div>");
}

/* ------------------------------------------------------------------------- what it is */

static void append_machine_words(mls_buffer *line, const mls_overview_group *of)
{
    const mls_side_group *side = of->side;
    if (isfinite(side->accelerators)) {
        mls_buffer_printf(line, " · %s x %s", mls_words_count(side->accelerators).text,
                          side->accelerator != NULL ? side->accelerator : "an unknown model");
    }
}

static void append_what(mls_buffer *line, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const char *division = mls_division_name(group->division);
    const mls_config_name shape = mls_group_shape(group);
    mls_buffer more = {0};
    mls_buffer_printf(line, "%s · %s %s%s", division != NULL ? division : "no division", mls_usage_name(group->usage),
                      group->edition->name, group->edition_by_date ? " (by date)" : "");
    append_machine_words(line, of->of);
    if (!isnan(group->global_batch_size)) {
        mls_buffer_printf(line, " · batch %s", mls_words_count(group->global_batch_size).text);
    }
    mls_shape_append_degrees(&more, &shape);
    mls_overview_append_precision(&more, of->all, group);
    mls_html_separated(line, mls_buffer_str(&more));
    line->failed |= more.failed;
    mls_buffer_release(&more);
    if (group->config != NULL) {
        mls_buffer_printf(line, " · %s", group->config);
    }
}

/* ------------------------------------------------------------------------- figures */

static void append_figure(mls_buffer *out, const char *name, const char *figure, const char *beside, const char *below)
{
    mls_buffer_append_text(out, "<div><dt>");
    mls_markup_text(out, mls_str_from(name));
    mls_buffer_append_text(out, "</dt><dd><b>");
    mls_markup_text(out, mls_str_from(figure));
    mls_buffer_append_text(out, "</b> ");
    mls_markup_text(out, mls_str_from(beside));
    mls_buffer_append_text(out, "</dd><dd class=\"note\">");
    mls_markup_text(out, mls_str_from(below));
    mls_buffer_append_text(out, "</dd></div>\n");
}

static void append_run_figure(mls_buffer *out, const mls_group *group)
{
    mls_buffer beside = {0};
    mls_buffer below = {0};
    const bool weak = mls_is_weak(&group->weak);
    if (group->rules->runs_needed > 0 && !weak) {
        mls_buffer_printf(&beside, "of %u", group->rules->runs_needed);
    }
    mls_buffer_printf(&below, weak ? "all of them count" : "%zu dropped", group->score.dropped);
    append_figure(out, weak ? "models" : "runs", mls_words_count((double)group->run_count).text,
                  beside.len > 0 ? beside.ptr : "", below.len > 0 ? below.ptr : "");
    mls_buffer_release(&beside);
    mls_buffer_release(&below);
}

static void append_spread_figure(mls_buffer *out, const mls_group *group)
{
    mls_buffer beside = {0};
    mls_buffer below = {0};
    if (group->has_spread) {
        mls_buffer_printf(&beside, "to %s", mls_words_grouped(group->spread.max_minutes, 3).text);
        mls_buffer_printf(&below, "spread %s", mls_words_percent(group->spread.variation, 1).text);
        append_figure(out, "fastest to slowest", mls_words_grouped(group->spread.min_minutes, 3).text,
                      beside.len > 0 ? beside.ptr : "", below.len > 0 ? below.ptr : "");
    }
    mls_buffer_release(&beside);
    mls_buffer_release(&below);
}

static void append_convergence_figure(mls_buffer *out, const mls_group *group)
{
    const mls_convergence mean = mls_group_to_converge(group);
    const mls_rcp_result *rcp = &group->rcp.result;
    const bool made = group->rcp.check != MLS_CHECK_NOT_MADE;
    const bool judged = made && isfinite(rcp->submission_mean);
    mls_buffer name = {0};
    mls_buffer below = {0};
    const double number = judged ? mls_html_rcp_mean(group) : mean.number;
    mls_buffer_printf(&name, "%s to converge", judged ? rcp->limit.unit : mean.unit != NULL ? mean.unit : "");
    if (judged && isnan(number)) {
        mls_buffer_printf(&below, "%zu of %zu did not", rcp->not_converged, rcp->runs);
    } else if (made && isfinite(rcp->limit.bar.limit)) {
        mls_buffer_printf(&below, "limit %s", mls_html_converge_words(rcp->limit.bar.limit).text);
    }
    if (judged && isnan(number)) {
        append_figure(out, name.len > 0 ? name.ptr : "", "–", "", below.len > 0 ? below.ptr : "");
    } else if (isfinite(number)) {
        append_figure(out, name.len > 0 ? name.ptr : "", mls_html_converge_words(number).text, "",
                      below.len > 0 ? below.ptr : "");
    }
    mls_buffer_release(&name);
    mls_buffer_release(&below);
}

static void append_pace_figure(mls_buffer *out, const mls_html_group *of)
{
    size_t count;
    const double ms = mls_html_steady_ms(out, of, &count);
    const bool epochs = mls_html_epochs(of);
    if (isfinite(1 / ms)) {
        append_figure(out, epochs ? "epochs per hour" : "samples per second",
                      mls_words_rate(epochs ? 3600000 / ms : 1000 / ms).text, "",
                      count > 1 ? "steady, median of the runs" : "steady");
    }
}

static void append_init_figure(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    double *values = mls_arena_array(of->scratch, group->run_count, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < group->run_count && values != NULL; i++) {
        const double minutes = mls_run_init_minutes(group->runs[i]);
        if (isfinite(minutes)) {
            values[count++] = minutes;
        }
    }
    out->failed |= values == NULL;
    if (count > 0) {
        mls_sort_doubles(values, count);
        append_figure(out, "initialization", mls_words_clock(mls_median(values, count)).text, "",
                      count > 1 ? "median, not timed" : "not timed");
    }
}

void mls_html_head(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    mls_buffer what = {0};
    append_what(&what, of);
    mls_buffer_append_text(out, "<div class=\"head\"><div><h2>");
    mls_markup_text(out, mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark"));
    mls_buffer_append_text(out, "</h2><p class=\"meta\">");
    mls_markup_text(out, mls_buffer_str(&what));
    mls_buffer_append_text(out, "</p><p class=\"path\">");
    mls_markup_text(out, mls_str_from(mls_path_shown(group->path)));
    mls_buffer_append_text(out, "</p></div>");
    append_score(out, group);
    mls_buffer_append_text(out, "</div>\n<dl class=\"keys\">\n");
    append_run_figure(out, group);
    append_spread_figure(out, group);
    append_convergence_figure(out, group);
    append_pace_figure(out, of);
    append_init_figure(out, of);
    mls_buffer_append_text(out, "</dl>\n");
    out->failed |= what.failed;
    mls_buffer_release(&what);
}

/* ------------------------------------------------------------------------- answers */

static void append_answer(mls_buffer *out, const char *label, const char *look, const mls_overview_group *of,
                          void (*append)(mls_buffer *line, const mls_overview_group *of), bool *begun)
{
    mls_buffer line = {0};
    append(&line, of);
    if (line.len > 0 && !*begun) {
        mls_html_card_plain(out, "h3", "At a glance", false);
        mls_buffer_append_text(out, "<dl class=\"answers\">\n");
        *begun = true;
    }
    if (line.len > 0) {
        mls_buffer separated = {0};
        mls_html_separated(&separated, mls_buffer_str(&line));
        mls_buffer_printf(out, "<dt>%s</dt><dd class=\"%s\">", label, look);
        mls_markup_text(out, mls_buffer_str(&separated));
        out->failed |= separated.failed;
        mls_buffer_release(&separated);
        mls_buffer_append_text(out, "</dd>\n");
    }
    out->failed |= line.failed;
    mls_buffer_release(&line);
}

static void append_machine_state(mls_buffer *line, const mls_overview_group *of)
{
    mls_buffer_append_text(line, of->machine != NULL ? of->machine : "");
}

void mls_html_answers(mls_buffer *out, const mls_html_group *of)
{
    bool begun = false;
    append_answer(out, "look first at", "first", of->of, mls_overview_append_first, &begun);
    append_answer(out, "place", "place", of->of, mls_overview_append_place, &begun);
    append_answer(out, "against", "against", of->of, mls_overview_append_against, &begun);
    append_answer(out, "why", "why", of->of, mls_overview_append_why, &begun);
    append_answer(out, "what differs", "differs", of->of, mls_overview_append_differs, &begun);
    append_answer(out, "inside", "inside", of->of, mls_overview_append_inside, &begun);
    append_answer(out, "machine", "machine", of->of, append_machine_state, &begun);
    if (begun) {
        mls_buffer_append_text(out, "</dl>\n");
        mls_html_card_end(out);
    }
}
