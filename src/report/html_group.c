/* SPDX-License-Identifier: Apache-2.0 */
/* html_group.c - the page of an overview: a table of the groups, if there are several, and the sections of each group.
 * The sections with charts are in html_charts.c. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "report/html.h"

/* The maximum size of a section whose length depends on the log.  The section ends with the number of omitted items. */
enum { SECTION_BYTES = 48 << 10 };

static const char *benchmark_of(const mls_group *group)
{
    return group->benchmark != NULL ? group->benchmark : "unknown benchmark";
}

/* ------------------------------------------------------------------------ head */

static void append_figure(mls_buffer *out, const char *name, const char *figure, const char *beside, const char *below)
{
    mls_markup_put(out, "<div><dt>%s</dt><dd><b>%s</b> %s</dd><dd class=\"note\">%s</dd></div>\n", name, figure, beside,
                   below);
}

static void append_figures(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const bool weak = mls_is_weak(&group->weak);
    const unsigned needed = weak ? 0 : group->rules->runs_needed;
    append_figure(out, weak ? "models" : "runs", mls_words_count((double)group->run_count).text,
                  needed > 0 ? mls_html_text(of->scratch, "of %u", needed) : "",
                  weak ? "all of them count" : mls_html_text(of->scratch, "%zu dropped", group->score.dropped));
    if (group->has_spread) {
        append_figure(out, "fastest to slowest", mls_words_grouped(group->spread.min_minutes, 3).text,
                      mls_html_text(of->scratch, "to %s", mls_words_grouped(group->spread.max_minutes, 3).text),
                      mls_html_text(of->scratch, "spread %s", mls_words_percent(group->spread.variation, 1).text));
    }
    const mls_convergence mean = mls_group_to_converge(group);
    const mls_rcp_result *rcp = &group->rcp.result;
    const bool made = group->rcp.check != MLS_CHECK_NA;
    const bool judged = made && isfinite(rcp->submission_mean);
    const double number = judged ? mls_html_rcp_mean(group) : mean.number;
    const bool too_few = judged && isnan(number);
    const char *unit = judged ? rcp->limit.unit : mean.unit != NULL ? mean.unit : "";
    if (too_few || isfinite(number)) {
        append_figure(out, mls_html_text(of->scratch, "%s to converge", unit),
                      too_few ? "–" : mls_html_converge_words(number).text, "",
                      too_few ? mls_html_text(of->scratch, "%zu of %zu did not converge", rcp->not_converged, rcp->runs)
                      : made && isfinite(rcp->limit.bar.limit)
                          ? mls_html_text(of->scratch, "limit %s", mls_html_converge_words(rcp->limit.bar.limit).text)
                          : "");
    }
    size_t count;
    const double ms = mls_html_steady_ms(of, &count);
    const bool epochs = mls_html_epochs(of);
    if (isfinite(1 / ms)) {
        append_figure(out, epochs ? "epochs per hour" : "samples per second",
                      mls_words_rate(epochs ? 3600000 / ms : 1000 / ms).text, "",
                      count > 1 ? "steady, median of the runs" : "steady");
    }
    double *values = mls_arena_array(of->scratch, group->run_count, sizeof *values);
    count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_init_minutes(group->runs[i]);
        if (isfinite(minutes))
            values[count++] = minutes;
    }
    if (count > 0) {
        mls_sort_doubles(values, count);
        append_figure(out, "initialization", mls_words_clock(mls_median(values, count)).text, "",
                      count > 1 ? "median, not in the score" : "not in the score");
    }
}

static void append_head(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const mls_side_group *side = of->of->side;
    const char *division = mls_division_name(group->division);
    const mls_config_name shape = mls_group_shape(group);
    const mls_html_badge badge = mls_html_badge_of(group);
    const double minutes = mls_group_result(group).scaled_minutes;
    const double score = group->score.score_minutes;
    mls_buffer what = {0}; /* such as "closed · training 5.1 · 8 x B200 · batch 8 …" */
    mls_buffer more = {0};
    mls_buffer_printf(&what, "%s · %s %s%s", division != NULL ? division : "no division", mls_usage_name(group->usage),
                      group->edition->name, group->edition_by_date ? " (by date)" : "");
    if (isfinite(side->accelerators)) {
        mls_buffer_printf(&what, " · %s x %s", mls_words_count(side->accelerators).text,
                          side->accelerator != NULL ? side->accelerator : "an unknown model");
    }
    if (!isnan(group->global_batch_size))
        mls_buffer_printf(&what, " · batch %s", mls_words_count(group->global_batch_size).text);
    mls_shape_append_degrees(&more, &shape);
    mls_overview_append_precision(&more, of->all, group);
    mls_html_separated(&what, mls_buffer_str(&more));
    if (group->config != NULL)
        mls_buffer_printf(&what, " · %s", group->config);
    mls_markup_put(out, "<div class=\"head\"><div><h2>%s</h2><p class=\"meta\">%s</p><p class=\"path\">%s</p></div>",
                   benchmark_of(group), what.ptr, mls_path_shown(group->path));
    mls_buffer_release(&more);
    mls_buffer_release(&what);
    mls_markup_put(out, "<div class=\"score\"><p><span class=\"badge %s\">%s</span></p>", badge.look, badge.words);
    if (isfinite(minutes))
        mls_buffer_printf(out, "<p class=\"big\"><b>%s</b> min</p>", mls_words_grouped(minutes, 3).text);
    if (minutes >= 60 && isfinite(minutes))
        mls_html_note(out, "%s", mls_words_clock(minutes).text);
    if (mls_is_weak(&group->weak)) {
        mls_html_note(out, "all %s trained concurrently", mls_words_plural(group->weak.models, "model", "models").text);
    } else if (group->scale > 1 && isfinite(score)) {
        mls_html_note(out, "scaled by %s from %s", mls_words_grouped(group->scale, 4).text,
                      mls_words_grouped(score, 3).text);
    } else if (group->score.outcome == MLS_OLYMPIC_TOO_FEW_RUNS && isfinite(score)) {
        mls_html_note(out, "mean of the valid runs");
    } else if (group->score.outcome == MLS_OLYMPIC_TOO_MANY_RUNS) {
        mls_html_note(out, "olympic mean of all runs");
    }
    mls_buffer_append_text(out, "</div></div>\n<dl class=\"keys\">\n");
    append_figures(out, of);
    mls_buffer_append_text(out, "</dl>\n");
}

/* ------------------------------------------------------------------------ answers */

static void append_answers(mls_buffer *out, const mls_html_group *of)
{
    bool begun = false;
    for (size_t i = 0; i < MLS_OVERVIEW_ANSWERS; i++) {
        const mls_overview_answer *answer = &mls_overview_answers[i];
        mls_buffer line = {0};
        mls_buffer separated = {0};
        answer->append(&line, of->of);
        if (line.len > 0 && !begun) {
            mls_html_card_plain(out, "h3", "Summary", false);
            mls_buffer_append_text(out, "<dl class=\"answers\">\n");
            begun = true;
        }
        if (line.len > 0) {
            mls_html_separated(&separated, mls_buffer_str(&line));
            mls_markup_put(out, "<dt>%s</dt><dd class=\"%s\">%s</dd>\n", answer->title, answer->label, separated.ptr);
        }
        mls_buffer_release(&separated);
        mls_buffer_release(&line);
    }
    if (begun) {
        mls_buffer_append_text(out, "</dl>\n");
        mls_html_card_end(out);
    }
}

/* ------------------------------------------------------------------------ runs */

static void append_runs(mls_buffer *out, const mls_html_group *of)
{
    static const char *const colours[MLS_RUN_CLASSES] = {NULL, "orange", "red wide"};
    const mls_group *group = of->group;
    const char *unit = "samples";
    bool several = false;  /* a file contains several runs */
    bool rewarded = false; /* a run logged a reward */
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_convergence own = mls_run_to_converge(group->runs[i]);
        unit = isnan(own.number) ? unit : own.unit;
        rewarded |= !isnan(group->runs[i]->reward);
        several |= i > 0 && strcmp(group->runs[i]->file, group->runs[i - 1]->file) == 0;
    }
    mls_html_card_plain(out, "h3", "Runs", !of->brief);
    mls_html_table_begin(out, of->brief ? NULL : "sorts", "Runs",
                         mls_html_text(of->scratch, "#run|log|#init|#minutes|#%s|#evaluation%s|#%s|status|counted",
                                       unit, rewarded ? "|#reward" : "",
                                       mls_html_epochs(of) ? "epochs/h" : "samples/s"));
    mls_html_rows(out);
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const mls_throughput *timed = &of->timed->runs[i];
        const mls_finding *reason = mls_run_reason(run);
        const double minutes = mls_run_minutes(run);
        const double value = run->last_evaluation.value;
        const double rate = (mls_throughput_counts_epochs(timed) ? 3600000 : 1000) / timed->steady_ms_per_sample;
        mls_buffer_printf(out, "<tr data-r=\"%zu\">", i + 1);
        mls_html_cells(out, of->brief ? "!c" : "c", (double)(i + 1));
        mls_html_cell(out, "wide", several ? "%s:%zu" : "%s", mls_group_name_below(group, run->file), run->line);
        mls_html_cells(out, of->brief ? "!kncn" : "kncn", mls_run_init_minutes(run), minutes,
                       mls_words_minutes(minutes), mls_run_to_converge(run).number, value, mls_words_grouped(value, 5));
        if (rewarded)
            mls_html_cells(out, of->brief ? "!n" : "n", run->reward, mls_words_grouped(run->reward, 4));
        mls_html_cells(out, of->brief ? "!rt" : "rt", rate,
                       run->status != MLS_RUN_NO_STATUS ? mls_run_status_name(run->status) : "");
        mls_html_cell(out, colours[mls_html_run_class(group, i)], reason != NULL ? "%s: %s" : "%s",
                      group->marks[i] == MLS_OLYMPIC_DROPPED ? "no" : mls_olympic_mark_name(group->marks[i]),
                      reason != NULL ? reason->message : "");
        mls_buffer_append_text(out, "</tr>\n");
    }
    mls_html_table_end(out);
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ findings */

/* The maximum number of findings with the same code, and of all findings of a brief group. */
enum { OF_A_CODE = 200, WHEN_BRIEF = 8 };

static int compare_noted(const void *left, const void *right)
{
    const mls_finding_entry *const *a = left;
    const mls_finding_entry *const *b = right;
    const int by_severity = (int)(*a)->finding.severity - (int)(*b)->finding.severity;
    return by_severity != 0 ? by_severity : *a < *b ? -1 : *a > *b;
}

/* Append the findings, sorted by severity, up to the maximum size, and the number of omitted findings of each code. */
static void append_findings(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    mls_finding_list found = {0};
    mls_finding_list_add(&found, &group->findings, (mls_owner){.path = group->path}, NULL);
    mls_finding_list_add(&found, &group->rcp.findings, (mls_owner){.path = group->path}, NULL);
    mls_finding_list_add(&found, &group->seeds.findings, (mls_owner){.path = group->path, .runs = group->run_count},
                         NULL);
    for (size_t i = 0; i < group->run_count; i++) {
        mls_finding_list_add(&found, &group->runs[i]->findings,
                             (mls_owner){.path = group->runs[i]->file, .run = i + 1, .runs = group->run_count}, NULL);
    }
    mls_finding_list_add(&found, &of->timed->findings, (mls_owner){.path = group->path}, NULL);
    if (found.count > 0) {
        const mls_finding_entry **order = mls_arena_array(of->scratch, found.count, sizeof *order);
        size_t shown_of[MLS_FINDING_COUNT] = {0};
        size_t more_of[MLS_FINDING_COUNT] = {0};
        size_t shown = 0;
        size_t more = 0;
        for (size_t i = 0; i < found.count; i++)
            order[i] = &found.items[i];
        qsort(order, found.count, sizeof *order, compare_noted);
        mls_html_card_plain(out, "h3", "Findings", false);
        const size_t begun = out->len;
        mls_buffer_append_text(out, "<ul class=\"found\">\n");
        for (size_t i = 0; i < found.count; i++) {
            const mls_finding *finding = &order[i]->finding;
            if ((of->brief && shown == WHEN_BRIEF) || out->len - begun > SECTION_BYTES) {
                more++;
            } else if (shown_of[finding->code] == OF_A_CODE) {
                more_of[finding->code]++;
            } else {
                const bool whole = finding->path == NULL || strcmp(finding->path, group->path) == 0;
                mls_html_finding(out, finding, whole ? NULL : mls_group_name_below(group, finding->path));
                shown_of[finding->code]++;
                shown++;
            }
        }
        for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
            if (more_of[code] > 0) {
                mls_buffer_printf(out, "<li>and %zu more <span class=\"note\">%s</span></li>\n", more_of[code],
                                  mls_finding_info_get((mls_finding_code)code)->name);
            }
        }
        if (more > 0)
            mls_buffer_printf(out, "<li>and %zu more</li>\n", more);
        mls_buffer_append_text(out, "</ul>\n");
        mls_html_card_end(out);
    }
    free(found.items);
    mls_arena_release(&found.texts);
}

/* ------------------------------------------------------------------------ settings */

/* The maximum number of values of a key, and the maximum length of a value in bytes. */
enum { VALUES_MOST = 6, VALUE_BYTES = 120 };

static bool is_same_value(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Append a row for each key with its values.  If the values differ, append the runs that have each value. */
static void append_settings(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const char **values = mls_arena_array(of->scratch, group->run_count, sizeof *values);
    const size_t begun = out->len;
    size_t rows = 0;
    size_t omitted = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        for (size_t k = 0; k < run->hyperparameter_count; k++) {
            const mls_str key = run->hyperparameters[k].key;
            mls_buffer words = {0};
            size_t shown = 0;
            size_t more = 0;
            bool known = false; /* an earlier run has the same value */
            for (size_t r = 0; r < i && !known; r++)
                known = group->runs[r]->hyperparameters == run->hyperparameters ||
                        mls_run_hyperparameter(group->runs[r], key) != NULL;
            if (known)
                continue;
            if (out->len - begun > SECTION_BYTES) {
                omitted++;
                continue;
            }
            if (rows++ == 0) {
                mls_buffer_append_text(out, "<details class=\"card settings\"><summary><h3>Hyperparameters and "
                                            "submission information</h3></summary>\n");
                mls_html_table_begin(out, NULL, "Hyperparameters", "key|value");
                mls_html_rows(out);
            }
            for (size_t r = 0; r < group->run_count; r++)
                values[r] = mls_run_hyperparameter(group->runs[r], key);
            for (size_t r = 0; r < group->run_count; r++) {
                const char *value = values[r];
                size_t first = 0; /* first of the runs with this value */
                size_t count = 0;
                size_t listed = 0;
                while (!is_same_value(values[first], value))
                    first++;
                if (first < r)
                    continue;
                if (shown == VALUES_MOST) {
                    more++;
                    continue;
                }
                mls_buffer_printf(&words, "%s%.*s%s", shown++ > 0 ? "; " : "", VALUE_BYTES,
                                  value != NULL ? value : "none",
                                  value != NULL && strlen(value) > VALUE_BYTES ? "…" : "");
                for (size_t s = r; s < group->run_count; s++)
                    count += is_same_value(values[s], value);
                if (count == group->run_count)
                    continue;
                mls_buffer_append_text(&words, count == 1 ? " (run" : " (runs");
                for (size_t s = r; s < group->run_count && listed < VALUES_MOST; s++)
                    if (is_same_value(values[s], value))
                        mls_buffer_printf(&words, "%s %zu", listed++ > 0 ? "," : "", s + 1);
                mls_buffer_append_text(&words, listed < count ? " …)" : ")");
            }
            if (more > 0)
                mls_buffer_printf(&words, "; and %zu more", more);
            const bool differs = shown > 1;
            mls_buffer_append_text(out, "<tr>");
            mls_html_cell(out, NULL, "%.*s", (int)key.len, key.ptr);
            mls_html_cell(out, differs ? "wide orange" : "wide", "%s%.*s", differs ? "differs: " : "", (int)words.len,
                          words.len > 0 ? words.ptr : "");
            mls_buffer_append_text(out, "</tr>\n");
            mls_buffer_release(&words);
        }
    }
    if (rows > 0) {
        mls_html_table_end(out);
        if (omitted > 0)
            mls_html_note(out, "and %zu more", omitted);
        mls_buffer_append_text(out, "</details>\n");
    }
}

/* ------------------------------------------------------------------------ table of groups */

enum { SPARK_WIDTH = 120, TIMES_WIDTH = 140, ROW_HEIGHT = 28, SPARK_POINTS = 40 };

/* The scale of the times of each group covers this share of the score on either side, so that rows can be compared. */
#define TIMES_AROUND 0.2

/* Append a small chart of the evaluations of the run of median length or, if it does not have evaluations, of the first
 * run with evaluations.  The chart shows one metric by progress or, if the progress is unknown, by time. */
static void append_spark_cell(mls_buffer *out, const mls_html_group *of)
{
    const mls_throughput *run = of->of->median;
    for (size_t i = 0; i < of->group->run_count && (run == NULL || run->curve_count == 0); i++)
        run = &of->timed->runs[i];
    const size_t most = run != NULL ? run->curve_count : 0;
    mls_chart_point *points = mls_arena_array(of->scratch, most + 1, sizeof *points);
    mls_extent across = {0};
    mls_extent values = {0};
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const mls_curve_point *point = &run->curve[i];
        if (point->metric == run->curve[0].metric && isfinite(point->value))
            points[count++] = (mls_chart_point){isfinite(point->samples) ? point->samples : point->ms, point->value};
    }
    for (size_t i = 0; i < count; i++) {
        mls_extent_add(&across, points[i].x);
        mls_extent_add(&values, points[i].y);
    }
    mls_sort_by_double(points, count, sizeof *points);
    count = mls_chart_thin(points, count, SPARK_POINTS, false);
    mls_buffer_append_text(out, "<td>");
    if (count > 0) {
        const mls_chart chart = {.x = mls_scale_of(&across, 0, 2, SPARK_WIDTH - 2),
                                 .y = mls_scale_of(&values, 0, ROW_HEIGHT - 3, 3),
                                 .whole = true};
        mls_buffer_append_text(out, "<svg class=\"spark\" aria-hidden=\"true\" viewBox=\"0 0 120 28\">");
        mls_chart_line(out, &chart, "kept", points, count);
        mls_buffer_append_text(out, "</svg>");
    }
    mls_buffer_append_text(out, "</td>");
}

/* Append a mark for each run of a class, all as one path: crosses for invalid runs, dots for other runs. */
static void append_dots(mls_buffer *out, const mls_group *group, const mls_scale *x, mls_html_class kind,
                        const char *look)
{
    const double y = ROW_HEIGHT / 2.0;
    bool begun = false;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        const double at = floor(mls_scale_at(x, minutes) + 0.5);
        if (mls_html_run_class(group, i) != kind || !isfinite(minutes))
            continue;
        if (kind == MLS_RUN_BAD) {
            mls_svg_cross(out, look, at, y, 3);
            continue;
        }
        if (!begun) {
            mls_svg_path_begin(out, look);
            begun = true;
        }
        mls_svg_path_point(out, at, y, true);
        mls_svg_path_point(out, at, y, false);
    }
    if (begun)
        mls_svg_path_end(out);
}

static int compare_group_paths(const void *left, const void *right)
{
    const mls_html_group *const *a = left;
    const mls_html_group *const *b = right;
    const int order = mls_str_compare_natural(mls_str_from((*a)->group->path), mls_str_from((*b)->group->path));
    return order != 0 ? order : (*a)->number < (*b)->number ? -1 : 1;
}

/* Append the table of groups.  If `linked` is set, each row is a link to the sections of the group. */
static void append_group_table(mls_buffer *out, const mls_html_group *groups, size_t count, bool linked)
{
    const mls_html_group **order = mls_calloc(count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = &groups[i];
    qsort(order, count, sizeof *order, compare_group_paths);
    mls_html_card_plain(out, "h2", "Groups", true);
    mls_html_table_begin(out, "sorts groups", "Groups",
                         "system|benchmark|on|#runs|#minutes|#scale|convergence|times, ±20 %|verdict");
    mls_html_rows(out);
    for (size_t i = 0; i < count; i++) {
        const mls_html_group *of = order[i];
        const mls_group *group = of->group;
        const mls_side_group *side = of->of->side;
        const mls_html_badge badge = mls_html_badge_of(group);
        const char *submitter =
            group->system.submitter != NULL ? group->system.submitter : group->runs[0]->organisation;
        const bool known = isfinite(side->accelerators);
        const double middle = mls_is_weak(&group->weak) ? group->spread.mean_minutes : group->score.score_minutes;
        const mls_scale x = {middle * (1 - TIMES_AROUND), middle * (1 + TIMES_AROUND), 5, TIMES_WIDTH - 5, false};
        mls_arena_reset(of->scratch);
        mls_buffer_append_text(out, "<tr>");
        mls_html_cell(out, "wide", "%s%s%s", submitter != NULL ? submitter : "", submitter != NULL ? " · " : "",
                      group->system_id != NULL ? group->system_id : mls_path_shown(group->path));
        if (linked)
            mls_markup_put(out, "<td><a href=\"#g%zu\">%s</a></td>", of->number, benchmark_of(group));
        else
            mls_markup_put(out, "<td>%s</td>", benchmark_of(group));
        mls_html_cell(out, "one", "%s%s%s", known ? mls_words_count(side->accelerators).text : "", known ? " x " : "",
                      !known                      ? ""
                      : side->accelerator != NULL ? side->accelerator
                                                  : "?");
        mls_html_cells(out, "cmm", (double)group->run_count, mls_group_result(group).scaled_minutes, group->scale);
        append_spark_cell(out, of);
        mls_buffer_append_text(out, "<td>");
        if (middle > 0) {
            mls_buffer_append_text(out, "<svg class=\"row\" aria-hidden=\"true\" viewBox=\"0 0 140 28\">");
            mls_svg_line(out, "grid", TIMES_WIDTH / 2.0, 3, TIMES_WIDTH / 2.0, ROW_HEIGHT - 3);
            append_dots(out, group, &x, MLS_RUN_OUT, "dots out");
            append_dots(out, group, &x, MLS_RUN_OUT, "dots hole");
            append_dots(out, group, &x, MLS_RUN_KEPT, "dots kept");
            append_dots(out, group, &x, MLS_RUN_BAD, "miss");
            mls_buffer_append_text(out, "</svg>");
        }
        mls_markup_put(out, "</td><td><span class=\"badge %s\">%s</span></td></tr>\n", badge.look, badge.brief);
    }
    mls_html_table_end(out);
    mls_html_card_end(out);
    free(order);
}

/* ------------------------------------------------------------------------ page */

/* If there are more groups than this, groups are brief by default. */
enum { ALL_OF_GROUPS = 12 };

static mls_html_section *const sections[] = {append_head,    append_answers,     mls_html_convergence, mls_html_times,
                                             mls_html_parts, mls_html_reference, mls_html_published,   mls_html_pace,
                                             append_runs,    append_findings,    append_settings,      NULL};
static mls_html_section *const head_sections[] = {append_head, append_answers, NULL};
static mls_html_section *const brief_sections[] = {mls_html_convergence, mls_html_times, append_runs, append_findings,
                                                   NULL};

static void append_sections(mls_buffer *out, const mls_html_group *of, mls_html_section *const *list)
{
    for (; *list != NULL; list++) {
        mls_arena_reset(of->scratch);
        (*list)(out, of);
    }
}

static void page_of_groups(mls_printer *to, const void *what)
{
    const mls_overview *all = what;
    const mls_html_detail detail = *(const mls_html_detail *)to->state;
    mls_output *output = to->view->output;
    const bool several = all->count > 1;
    const bool brief = detail == MLS_HTML_BRIEF || (detail == MLS_HTML_AUTO && all->count > ALL_OF_GROUPS);
    const bool none = detail == MLS_HTML_NONE && several;
    const char *benchmark = all->count == 1 ? all->items[0].side->benchmark : NULL;
    mls_html_group *groups = mls_calloc(all->count + 1, sizeof *groups);
    mls_arena scratch = {0};
    mls_arena kept = {0};
    mls_buffer out = {0};
    size_t logs = 0;
    for (size_t i = 0; i < all->count; i++) {
        const mls_overview_group *of = &all->items[i];
        logs += of->group->run_count;
        groups[i] = (mls_html_group){.all = all,
                                     .of = of,
                                     .group = of->group,
                                     .timed = mls_html_timed(of->timed, &kept),
                                     .number = i + 1,
                                     .brief = brief && several,
                                     .scratch = &scratch,
                                     .sides = 1};
    }
    const char *runs = mls_html_text(&kept, "mlscore · %s", mls_words_plural(logs, "run", "runs").text);
    mls_html_begin(&out, mls_html_text(&kept, "%s - MLPerf run report", benchmark != NULL ? benchmark : "mlscore"),
                   "MLPerf run report", several ? mls_html_text(&kept, "%s in %zu groups", runs, all->count) : runs);
    if (all->count == 0)
        mls_html_note(&out, "No runs found.");
    else if (several)
        append_group_table(&out, groups, all->count, !none);
    for (size_t i = 0; i < all->count && !none; i++) {
        const mls_html_group *of = &groups[i];
        if (detail == MLS_HTML_NONE) {
            append_sections(&out, of, head_sections);
        } else if (!of->brief) {
            mls_buffer_printf(&out, "<article class=\"group\" id=\"g%zu\">\n", of->number);
            append_sections(&out, of, sections);
            mls_buffer_append_text(&out, "</article>\n");
        } else {
            const mls_html_badge badge = mls_html_badge_of(of->group);
            mls_markup_put(&out,
                           "<details class=\"group\" id=\"g%zu\"><summary><h2>%s</h2> %s min <span class=\"badge %s\">"
                           "%s</span> <span class=\"path\">%s</span></summary>\n",
                           of->number, benchmark_of(of->group),
                           mls_words_grouped(mls_group_result(of->group).scaled_minutes, 3).text, badge.look,
                           badge.words, mls_path_shown(of->group->path));
            append_sections(&out, of, brief_sections);
            mls_buffer_append_text(&out, "</details>\n");
        }
        mls_output_buffer(output, &out);
    }
    mls_html_end(&out);
    mls_output_buffer(output, &out);
    mls_arena_release(&kept);
    mls_arena_release(&scratch);
    free(groups);
}

const mls_report mls_page_report = {.section = "PAGE", .page = page_of_groups};
