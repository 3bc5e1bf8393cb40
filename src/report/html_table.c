/* SPDX-License-Identifier: Apache-2.0 */
/* html_table.c - many groups, a row each: what it is, its score, how its runs converged and how far apart they are. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "report/html.h"

enum { SPARK_WIDTH = 120, TIMES_WIDTH = 140, ROW_HEIGHT = 28, SPARK_POINTS = 40 };

/* Times are drawn within so much of the score on either side, so that rows can be compared. */
#define TIMES_AROUND 0.2

/* The run whose curve stands for the group: that of median length, else the first with evaluations. */
static const mls_throughput *run_of_spark(const mls_html_group *of)
{
    const mls_throughput *run = mls_overview_median(of->of);
    for (size_t i = 0; i < of->group->run_count && (run == NULL || run->curve_count == 0); i++) {
        run = &of->timed->runs[i];
    }
    return run;
}

/* A point of the line, which begins with what it is sorted by. */
typedef struct spark_point {
    double at, value;
} spark_point;

/* The evaluations of one metric, in the order of training where that is known, else of time. */
static size_t take_spark(const mls_throughput *run, spark_point *points)
{
    size_t count = 0;
    for (size_t i = 0; i < run->curve_count; i++) {
        const mls_curve_point *point = &run->curve[i];
        if (point->metric == run->curve[0].metric && isfinite(point->value)) {
            points[count++] = (spark_point){isfinite(point->samples) ? point->samples : point->ms, point->value};
        }
    }
    mls_sort_by_double(points, count, sizeof *points);
    return count;
}

static void append_spark_line(mls_buffer *out, const spark_point *points, size_t count, double *x, double *y,
                              bool *keep)
{
    mls_extent across = {0};
    mls_extent values = {0};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        y[i] = points[i].value;
        mls_extent_add(&across, points[i].at);
        mls_extent_add(&values, points[i].value);
    }
    (void)mls_plot_thin(y, count, SPARK_POINTS, keep);
    for (size_t i = 0; i < count; i++) {
        if (keep[i]) {
            x[kept] = points[i].at;
            y[kept++] = y[i];
        }
    }
    const mls_plot plot = {.x = mls_scale_of(&across, 0, 2, SPARK_WIDTH - 2),
                           .y = mls_scale_of(&values, 0, ROW_HEIGHT - 3, 3),
                           .whole = true};
    mls_buffer_append_text(out, "<svg class=\"spark\" aria-hidden=\"true\" viewBox=\"0 0 120 28\">");
    mls_plot_line(out, &plot, "kept", x, y, kept);
    mls_buffer_append_text(out, "</svg>");
}

static void append_spark_cell(mls_buffer *out, const mls_html_group *of)
{
    const mls_throughput *run = run_of_spark(of);
    const size_t most = run != NULL ? run->curve_count : 0;
    spark_point *points = mls_arena_array(of->scratch, most + 1, sizeof *points);
    double *x = mls_arena_array(of->scratch, most + 1, sizeof *x);
    double *y = mls_arena_array(of->scratch, most + 1, sizeof *y);
    bool *keep = mls_arena_array(of->scratch, most + 1, sizeof *keep);
    const bool room = points != NULL && x != NULL && y != NULL && keep != NULL;
    const size_t count = run != NULL && room ? take_spark(run, points) : 0;
    out->failed |= !room;
    mls_buffer_append_text(out, "<td>");
    if (count > 0) {
        append_spark_line(out, points, count, x, y, keep);
    }
    mls_buffer_append_text(out, "</td>");
}

/* The dots of the runs that are `is`, as one path; a run that is not valid is a cross. */
static void append_dots(mls_buffer *out, const mls_group *group, const mls_scale *x, mls_html_is is, const char *look)
{
    const double y = ROW_HEIGHT / 2.0;
    bool begun = false;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        if (mls_html_run_is(group, i) != is || !isfinite(minutes)) {
            continue;
        }
        const double at = floor(mls_scale_at(x, minutes) + 0.5);
        if (is == MLS_IS_BAD) {
            mls_svg_cross(out, look, at, y, 3);
            continue;
        }
        if (!begun) {
            mls_svg_path_begin(out, look);
        }
        begun = true;
        mls_svg_path_point(out, at, y, true);
        mls_svg_path_point(out, at, y, false);
    }
    if (begun) {
        mls_svg_path_end(out);
    }
}

static void append_times_cell(mls_buffer *out, const mls_group *group)
{
    const bool weak = mls_is_weak(&group->weak);
    const double middle = weak ? group->spread.mean_minutes : group->score.score_minutes;
    const mls_scale x = {middle * (1 - TIMES_AROUND), middle * (1 + TIMES_AROUND), 5, TIMES_WIDTH - 5, false};
    mls_buffer_append_text(out, "<td>");
    if (middle > 0) {
        mls_buffer_append_text(out, "<svg class=\"row\" aria-hidden=\"true\" viewBox=\"0 0 140 28\">");
        mls_svg_line(out, "grid", TIMES_WIDTH / 2.0, 3, TIMES_WIDTH / 2.0, ROW_HEIGHT - 3);
        append_dots(out, group, &x, MLS_IS_OUT, "dots out");
        append_dots(out, group, &x, MLS_IS_OUT, "dots hole");
        append_dots(out, group, &x, MLS_IS_KEPT, "dots kept");
        append_dots(out, group, &x, MLS_IS_BAD, "miss");
        mls_buffer_append_text(out, "</svg>");
    }
    mls_buffer_append_text(out, "</td>");
}

static void append_group_row(mls_buffer *out, const mls_html_group *of, bool linked)
{
    const mls_group *group = of->group;
    const mls_side_group *side = of->of->side;
    const double minutes = mls_html_minutes(group);
    const mls_html_badge is = mls_html_badge_of(group);
    const char *submitter = group->system.submitter != NULL ? group->system.submitter : group->runs[0]->organisation;
    mls_buffer machine = {0};
    mls_arena_reset(of->scratch);
    mls_buffer_append_text(out, "<tr>");
    mls_html_cell(out, "wide", "%s%s%s", submitter != NULL ? submitter : "", submitter != NULL ? " · " : "",
                  group->system_id != NULL ? group->system_id : mls_path_shown(group->path));
    mls_buffer_append_text(out, "<td>");
    if (linked) {
        mls_buffer_printf(out, "<a href=\"#g%zu\">", of->number);
    }
    mls_markup_text(out, mls_str_from(group->benchmark != NULL ? group->benchmark : "unknown benchmark"));
    mls_buffer_append_text(out, linked ? "</a></td>" : "</td>");
    if (isfinite(side->accelerators)) {
        mls_buffer_printf(&machine, "%s x %s", mls_words_count(side->accelerators).text,
                          side->accelerator != NULL ? side->accelerator : "?");
    }
    mls_html_cell(out, "one", "%.*s", (int)machine.len, machine.len > 0 ? machine.ptr : "");
    mls_html_count(out, (double)group->run_count);
    mls_html_number(out, minutes, mls_words_grouped(minutes, 3));
    mls_html_number(out, group->scale, mls_words_grouped(group->scale, 3));
    append_spark_cell(out, of);
    append_times_cell(out, group);
    mls_buffer_printf(out, "<td><span class=\"badge %s\">%s</span></td></tr>\n", is.look, is.brief);
    out->failed |= machine.failed;
    mls_buffer_release(&machine);
}

static int compare_group_paths(const void *left, const void *right)
{
    const mls_html_group *const *a = left;
    const mls_html_group *const *b = right;
    const int order = mls_str_compare_natural(mls_str_from((*a)->group->path), mls_str_from((*b)->group->path));
    return order != 0 ? order : (*a)->number < (*b)->number ? -1 : 1;
}

void mls_html_group_table(mls_buffer *out, const mls_html_group *groups, size_t count, bool linked)
{
    const mls_html_group **order = mls_calloc(count + 1, sizeof *order);
    out->failed |= order == NULL;
    mls_html_card_plain(out, "h2", "Groups", true);
    mls_html_table_begin(out, "sorts groups", "Groups");
    mls_html_heading(out, NULL, "system");
    mls_html_heading(out, NULL, "benchmark");
    mls_html_heading(out, NULL, "on");
    mls_html_heading(out, "n", "runs");
    mls_html_heading(out, "n", "minutes");
    mls_html_heading(out, "n", "scale");
    mls_html_heading(out, NULL, "convergence");
    mls_html_heading(out, NULL, "times, ±20 %");
    mls_html_heading(out, NULL, "verdict");
    mls_html_rows(out);
    for (size_t i = 0; i < count && order != NULL; i++) {
        order[i] = &groups[i];
    }
    if (order != NULL) {
        qsort(order, count, sizeof *order, compare_group_paths);
    }
    for (size_t i = 0; i < count && order != NULL; i++) {
        append_group_row(out, order[i], linked);
    }
    mls_html_table_end(out);
    mls_html_card_end(out);
    free(order);
}
