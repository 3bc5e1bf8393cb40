/* SPDX-License-Identifier: Apache-2.0 */
/* html_convergence.c - what every evaluation gave: over the training done, over time, and near the target. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "report/html.h"

/* So many points in one plot, of all its runs, and rows in the table behind; of a run in brief. */
enum { POINTS_MOST = 2200, ROWS_MOST = 300, BRIEF_POINTS = 40 };

/* Lines of more runs are thinner. */
enum { CROWD = 15 };

/* Beyond so many values the farthest from the target are cut off. */
enum { MANY_VALUES = 30 };
#define FAR_SHARE 0.02

/* The stretch near the target begins here, and needs so many evaluations of a run. */
#define NEAR_SHARE 0.7
enum { NEAR_EVALUATIONS = 3 };

typedef enum across_kind { OVER_TRAINING, OVER_TIME, NEAR_TARGET, ACROSS_COUNT } across_kind;

typedef struct curves_view {
    const mls_html_group *of;
    mls_curve_kind metric;
    bool steps; /* positions are steps */
    mls_target target;
    double near_from; /* where the stretch near the target begins; NAN: there is none */
    size_t points;    /* finite values */
} curves_view;

/* The value of an evaluation as one metric has it; NAN: it is of another. */
static double value_in(const curves_view *view, const mls_curve_point *point)
{
    return view->metric == MLS_CURVE_BOX    ? point->box
           : view->metric == MLS_CURVE_MASK ? point->mask
           : view->metric == point->metric  ? point->value
                                            : (double)NAN;
}

static double position_on(const curves_view *view, const mls_curve_point *point)
{
    return view->steps ? point->steps : point->samples;
}

static const char *position_unit(const curves_view *view)
{
    return view->steps ? "steps" : mls_html_unit(view->of);
}

static const char *metric_name(mls_curve_kind metric)
{
    static const char *const names[] = {"evaluation", "FID", "CLIP", "BBOX", "SEGM"};
    return names[metric];
}

static double across_of(const curves_view *view, across_kind kind, const mls_curve_point *point)
{
    return kind == OVER_TIME ? point->ms / 60000 : position_on(view, point);
}

/* Whether a point stands in a plot. */
static bool is_shown(const curves_view *view, across_kind kind, const mls_curve_point *point)
{
    return isfinite(value_in(view, point)) && isfinite(across_of(view, kind, point)) &&
           (kind != NEAR_TARGET || position_on(view, point) >= view->near_from);
}

static size_t count_shown(const curves_view *view, across_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < view->of->group->run_count; i++) {
        const mls_throughput *run = &view->of->timed->runs[i];
        for (size_t k = 0; k < run->curve_count; k++) {
            count += is_shown(view, kind, &run->curve[k]);
        }
    }
    return count;
}

static mls_target target_of(const curves_view *view, const mls_throughput *run)
{
    const mls_benchmark *rules = view->of->group->rules;
    const mls_target fid = {rules->fid_max, isfinite(rules->fid_max) ? -1 : 0};
    const mls_target clip = {rules->clip_min, isfinite(rules->clip_min) ? 1 : 0};
    return view->metric == MLS_CURVE_FID    ? fid
           : view->metric == MLS_CURVE_CLIP ? clip
           : view->metric == MLS_CURVE_BOX  ? run->box_target
           : view->metric == MLS_CURVE_MASK ? run->mask_target
                                            : run->target;
}

static curves_view look_at(const mls_html_group *of, mls_curve_kind metric)
{
    curves_view view = {.of = of, .metric = metric, .near_from = NAN};
    double least = INFINITY;
    bool enough = false;
    view.steps = count_shown(&view, OVER_TRAINING) == 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        view.target = view.target.direction == 0 ? target_of(&view, run) : view.target;
        if (of->group->runs[i]->valid && run->curve_count > 0) {
            least = fmin(least, position_on(&view, &run->curve[run->curve_count - 1]));
        }
    }
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        size_t near = 0;
        size_t all = 0;
        for (size_t k = 0; k < run->curve_count; k++) {
            const bool shown = isfinite(value_in(&view, &run->curve[k]));
            near += shown && position_on(&view, &run->curve[k]) >= NEAR_SHARE * least;
            all += shown;
        }
        enough |= near >= NEAR_EVALUATIONS && near < all;
    }
    view.near_from = enough && isfinite(least) ? NEAR_SHARE * least : (double)NAN;
    view.points = count_shown(&view, OVER_TIME);
    return view;
}

/* The range of the values of a plot.  Wild first evaluations do not flatten the rest. */
static mls_extent value_extent(const curves_view *view, across_kind kind)
{
    const size_t count = count_shown(view, kind);
    double *values = mls_arena_array(view->of->scratch, count + 1, sizeof *values);
    mls_extent extent = {0};
    size_t at = 0;
    for (size_t i = 0; i < view->of->group->run_count && values != NULL; i++) {
        const mls_throughput *run = &view->of->timed->runs[i];
        for (size_t k = 0; k < run->curve_count; k++) {
            if (is_shown(view, kind, &run->curve[k])) {
                values[at++] = value_in(view, &run->curve[k]);
            }
        }
    }
    if (at > 0) {
        mls_sort_doubles(values, at);
        const size_t far = at > MANY_VALUES ? (size_t)(FAR_SHARE * (double)at) : 0;
        mls_extent_add(&extent, values[view->target.direction > 0 ? far : 0]);
        mls_extent_add(&extent, values[at - 1 - (view->target.direction < 0 ? far : 0)]);
        if (view->target.direction != 0) {
            mls_extent_add(&extent, view->target.number);
        }
    }
    return extent;
}

static mls_extent across_extent(const curves_view *view, across_kind kind)
{
    mls_extent extent = {0};
    if (kind != NEAR_TARGET) {
        mls_extent_add(&extent, 0);
    }
    for (size_t i = 0; i < view->of->group->run_count; i++) {
        const mls_throughput *run = &view->of->timed->runs[i];
        for (size_t k = 0; k < run->curve_count; k++) {
            if (is_shown(view, kind, &run->curve[k])) {
                mls_extent_add(&extent, across_of(view, kind, &run->curve[k]));
            }
        }
    }
    return extent;
}

/* A point of a line, which begins with what it is sorted by. */
typedef struct line_point {
    double x, y;
} line_point;

/* The points of a run that are drawn, in their order across: evaluations are not always logged in theirs. */
static size_t take_points(const curves_view *view, across_kind kind, const mls_throughput *run, double *x, double *y)
{
    const size_t share = mls_html_share(view->of, POINTS_MOST, 4);
    const size_t limit = view->of->brief ? BRIEF_POINTS : MLS_THIN_MAX;
    const size_t most = share < limit ? share : limit;
    bool *keep = mls_arena_array(view->of->scratch, run->curve_count + 1, sizeof *keep);
    line_point *points = mls_arena_array(view->of->scratch, run->curve_count + 1, sizeof *points);
    size_t count = 0;
    size_t kept = 0;
    if (keep == NULL || points == NULL) {
        return 0;
    }
    for (size_t k = 0; k < run->curve_count; k++) {
        const mls_curve_point *point = &run->curve[k];
        if (is_shown(view, kind, point)) {
            points[count++] = (line_point){across_of(view, kind, point), value_in(view, point)};
        }
    }
    if (view->steps) {
        mls_sort_by_double(points, count, sizeof *points);
    }
    for (size_t k = 0; k < count; k++) {
        y[k] = points[k].y;
    }
    (void)mls_plot_thin(y, count, most, keep);
    for (size_t k = 0; k < count; k++) {
        if (keep[k] || k + 1 == count) {
            x[kept] = points[k].x;
            y[kept++] = points[k].y;
        }
    }
    return kept;
}

static void append_curve(mls_buffer *out, const curves_view *view, across_kind kind, const mls_plot *plot, size_t at)
{
    const mls_throughput *run = &view->of->timed->runs[at];
    const mls_html_is is = mls_html_drawn_as(view->of, at);
    double *x = mls_arena_array(view->of->scratch, run->curve_count + 1, sizeof *x);
    double *y = mls_arena_array(view->of->scratch, run->curve_count + 1, sizeof *y);
    const size_t count = x != NULL && y != NULL ? take_points(view, kind, run, x, y) : 0;
    out->failed |= x == NULL || y == NULL;
    if (count > 0) {
        mls_html_run_begin(out, at);
        mls_plot_line(out, plot, mls_html_looks[is], x, y, count);
        mls_html_run_dot(out, is, mls_scale_at(&plot->x, x[count - 1]), mls_scale_at(&plot->y, y[count - 1]));
        mls_html_run_end(out);
    }
}

static void append_target(mls_buffer *out, const curves_view *view, const mls_plot *plot)
{
    mls_buffer label = {0};
    const double at = mls_scale_at(&plot->y, view->target.number);
    if (view->target.direction != 0) {
        mls_buffer_printf(&label, "target %s", mls_words_trimmed(view->target.number, 6).text);
        mls_svg_line(out, "target", plot->x.from, at, plot->x.to, at);
        mls_svg_text(out, "strong", 's', plot->x.from + 6, at - 6, mls_buffer_str(&label));
    }
    out->failed |= label.failed;
    mls_buffer_release(&label);
}

static void describe_curves(mls_buffer *words, const curves_view *view, const mls_extent *values)
{
    mls_buffer_printf(words, "%s of %s, from %s to %s",
                      mls_words_plural(view->points, "evaluation", "evaluations").text,
                      mls_words_plural(view->of->group->run_count, "run", "runs").text,
                      mls_words_trimmed(values->low, 5).text, mls_words_trimmed(values->high, 5).text);
    if (view->target.direction != 0) {
        mls_buffer_printf(words, "; the target is %s", mls_words_trimmed(view->target.number, 6).text);
    }
}

/* What all views have of an extent. */
static mls_extent extent_of(const curves_view *views, size_t count, across_kind kind,
                            mls_extent (*find)(const curves_view *view, across_kind kind))
{
    mls_extent all = {0};
    for (size_t i = 0; i < count; i++) {
        const mls_extent own = find(&views[i], kind);
        mls_extent_add(&all, own.count > 0 ? own.low : (double)NAN);
        mls_extent_add(&all, own.count > 0 ? own.high : (double)NAN);
    }
    return all;
}

/* Of one group, or of sides over each other. */
static void append_curves(mls_buffer *out, const curves_view *views, size_t count, across_kind kind)
{
    static const char *const titles[ACROSS_COUNT] = {"Evaluations over the training done", "Evaluations over time",
                                                     "Evaluations near the target"};
    const mls_extent values = extent_of(views, count, kind, value_extent);
    const mls_extent across = extent_of(views, count, kind, across_extent);
    const bool brief = views->of->brief;
    const double height = brief ? 200 : 300;
    const mls_plot plot = {.x = mls_scale_of(&across, kind == NEAR_TARGET ? 0.02 : 0.0, 64, MLS_PLOT_WIDTH - 16),
                           .y = mls_scale_of(&values, 0.06, height, 26),
                           .across = kind == OVER_TIME ? "minutes since run_start" : position_unit(views),
                           .up = metric_name(views->metric),
                           .whole = brief};
    mls_buffer words = {0};
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(&words, i > 0 ? "; " : "");
        describe_curves(&words, &views[i], &values);
    }
    mls_html_plot_begin(out, height + 46, titles[kind], mls_buffer_str(&words));
    mls_plot_axis_up(out, &plot);
    mls_plot_axis_across(out, &plot);
    append_target(out, views, &plot);
    for (size_t i = 0; i < count; i++) {
        const size_t runs = views[i].of->group->run_count;
        mls_buffer_append_text(out, runs > CROWD ? "<g class=\"crowd\">" : "<g>");
        for (size_t k = 0; k < runs; k++) {
            append_curve(out, &views[i], kind, &plot, k);
        }
        mls_buffer_append_text(out, "</g>");
    }
    mls_html_plot_end(out);
    out->failed |= words.failed;
    mls_buffer_release(&words);
}

/* The evaluations of a run that have a row.  True: not all have. */
static bool append_curve_rows_of(mls_buffer *out, const curves_view *view, size_t at, size_t most)
{
    const mls_throughput *run = &view->of->timed->runs[at];
    double *values = mls_arena_array(view->of->scratch, run->curve_count + 1, sizeof *values);
    bool *keep = mls_arena_array(view->of->scratch, run->curve_count + 1, sizeof *keep);
    if (values == NULL || keep == NULL) {
        out->failed = true;
        return false;
    }
    for (size_t k = 0; k < run->curve_count; k++) {
        values[k] = value_in(view, &run->curve[k]);
    }
    const bool thinned = mls_plot_thin(values, run->curve_count, most, keep);
    for (size_t k = 0; k < run->curve_count; k++) {
        const mls_curve_point *point = &run->curve[k];
        if (keep[k] && isfinite(values[k])) {
            mls_html_run_row(out, view->of, at);
            mls_html_count(out, position_on(view, point));
            mls_html_number(out, point->ms / 60000, mls_words_grouped(point->ms / 60000, 3));
            mls_html_number(out, values[k], mls_words_trimmed(values[k], 6));
            mls_buffer_append_text(out, "</tr>\n");
        }
    }
    return thinned;
}

static void append_curve_rows(mls_buffer *out, const curves_view *views, size_t count)
{
    const size_t most = mls_html_share(views->of, ROWS_MOST, 2);
    bool thinned = false;
    mls_html_numbers_begin(out, "Evaluations");
    mls_html_run_headings(out, views->of);
    mls_html_heading(out, "n", position_unit(views));
    mls_html_heading(out, "n", "minutes");
    mls_html_heading(out, "n", metric_name(views->metric));
    mls_html_rows(out);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < views[i].of->group->run_count; k++) {
            thinned |= append_curve_rows_of(out, &views[i], k, most);
        }
    }
    mls_html_numbers_end(out);
    if (thinned) {
        mls_html_note(out, "Of many evaluations the table has the least and the greatest of each slice of a run.");
    }
}

/* Plots that a person chooses from; print and a window without styles show all. */
static void append_tabs(mls_buffer *out, const curves_view *views, size_t view_count, const across_kind *kinds,
                        size_t count)
{
    const size_t id = views->of->number * 10 + views->metric;
    for (size_t i = 0; i < count && count > 1; i++) {
        mls_buffer_printf(out, "<input type=\"radio\" name=\"c%zu\" id=\"c%zu-%zu\"%s><label for=\"c%zu-%zu\">", id, id,
                          i, i == 0 ? " checked" : "", id, i);
        mls_markup_text(out, mls_str_from(kinds[i] == OVER_TIME     ? "minutes"
                                          : kinds[i] == NEAR_TARGET ? "near the target"
                                                                    : position_unit(views)));
        mls_buffer_append_text(out, "</label>");
    }
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(out, count > 1 ? "<div class=\"tab\">" : "<div>");
        append_curves(out, views, view_count, kinds[i]);
        mls_buffer_append_text(out, "</div>\n");
    }
}

/* Whether each view has such a plot, in one unit. */
static bool have_kind(const curves_view *views, size_t count, across_kind kind)
{
    bool have = true;
    for (size_t i = 0; i < count; i++) {
        have = have && count_shown(&views[i], kind) > 0 &&
               strcmp(position_unit(&views[i]), position_unit(views)) == 0 &&
               (kind != NEAR_TARGET || isfinite(views[i].near_from));
    }
    return have;
}

static void append_metric(mls_buffer *out, const curves_view *views, size_t view_count)
{
    const bool brief = views->of->brief;
    across_kind kinds[ACROSS_COUNT];
    size_t count = 0;
    if (have_kind(views, view_count, OVER_TRAINING)) {
        kinds[count++] = OVER_TRAINING;
    }
    if (count == 0 || !brief) {
        kinds[count++] = OVER_TIME;
    }
    if (have_kind(views, view_count, NEAR_TARGET) && !brief) {
        kinds[count++] = NEAR_TARGET;
    }
    mls_buffer_append_text(out, "<div class=\"tabs\">");
    append_tabs(out, views, view_count, kinds, count);
    mls_buffer_append_text(out, "</div>\n");
    if (!brief) {
        append_curve_rows(out, views, view_count);
    }
}

/* The metrics of a group, of which two have a plot each. */
static size_t find_views(const mls_html_group *of, curves_view views[])
{
    size_t count = 0;
    for (mls_curve_kind metric = MLS_CURVE_BOX; metric <= MLS_CURVE_MASK; metric++) {
        views[count] = look_at(of, metric);
        count += views[count].points > 0;
    }
    for (mls_curve_kind metric = MLS_CURVE_ONE; metric <= MLS_CURVE_CLIP && (count == 0 || metric > 0); metric++) {
        views[count] = look_at(of, metric);
        count += views[count].points > 0;
    }
    return count;
}

static int compare_images(const void *left, const void *right)
{
    const mls_curve_point *a = left;
    const mls_curve_point *b = right;
    const int order = mls_compare_doubles(a->samples, b->samples);
    return order != 0 ? order : mls_compare_doubles(a->ms, b->ms);
}

/* The evaluations of images in the order of training, which are made when the run has stopped and are no part of its
 * time. */
static bool take_images(mls_throughput *run, const mls_run *logged, mls_arena *arena)
{
    run->curve = mls_arena_array(arena, logged->image_count, sizeof *run->curve);
    for (size_t i = 0; i < logged->image_count && run->curve != NULL; i++) {
        const mls_evaluation *image = &logged->images[i];
        run->curve[run->curve_count++] = (mls_curve_point){.ms = image->time_ms - logged->run_start.time_ms,
                                                           .samples = image->at.samples_count,
                                                           .value = image->value,
                                                           .steps = image->at.step_num,
                                                           .box = (double)NAN,
                                                           .mask = (double)NAN,
                                                           .metric = image->is_clip ? MLS_CURVE_CLIP : MLS_CURVE_FID};
    }
    if (run->curve != NULL) {
        qsort(run->curve, run->curve_count, sizeof *run->curve, compare_images);
    }
    return run->curve != NULL;
}

const mls_throughput_group *mls_html_timed(const mls_throughput_group *timed, mls_arena *arena)
{
    const mls_group *group = timed->group;
    bool images = false;
    bool curves = false;
    for (size_t i = 0; i < group->run_count; i++) {
        images |= group->runs[i]->image_count > 0;
        curves |= timed->runs[i].curve_count > 0;
    }
    if (curves || !images) {
        return timed;
    }
    mls_throughput_group *copy = mls_arena_array(arena, 1, sizeof *copy);
    mls_throughput *runs = mls_arena_array(arena, group->run_count, sizeof *runs);
    bool ok = copy != NULL && runs != NULL;
    for (size_t i = 0; i < group->run_count && ok; i++) {
        runs[i] = timed->runs[i];
        ok = group->runs[i]->image_count == 0 || take_images(&runs[i], group->runs[i], arena);
    }
    if (ok) {
        *copy = *timed;
        copy->runs = runs;
    }
    return ok ? copy : NULL;
}

/* Whether a run has evaluations that were made when it had stopped. */
static bool is_evaluated_behind(const mls_html_group *of)
{
    bool behind = false;
    for (size_t i = 0; i < of->group->run_count && !behind; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        behind = run->curve_count > 0 && run->curve[run->curve_count - 1].ms > run->run_ms;
    }
    return behind;
}

void mls_html_convergence_of(mls_buffer *out, const mls_html_group *sides, size_t count)
{
    curves_view metrics[MLS_CURVE_MASK + 1];
    const size_t metric_count = find_views(sides, metrics);
    bool behind = false;
    if (metric_count == 0) {
        return;
    }
    mls_html_card_begin(out, "Convergence");
    if (!sides->brief) {
        mls_html_line_keys(out, sides, count);
    }
    mls_html_card_body(out);
    for (size_t i = 0; i < metric_count; i++) {
        curves_view *views = mls_arena_array(sides->scratch, count, sizeof *views);
        size_t found = 0;
        for (size_t k = 0; k < count && views != NULL; k++) {
            views[found] = look_at(&sides[k], metrics[i].metric);
            found += views[found].points > 0;
        }
        out->failed |= views == NULL;
        if (found > 0) {
            append_metric(out, views, found);
        }
    }
    for (size_t i = 0; i < count; i++) {
        behind |= is_evaluated_behind(&sides[i]);
    }
    if (behind) {
        mls_html_note(out, "Evaluated after run_stop, which is no part of the time.");
    }
    mls_html_card_end(out);
}

void mls_html_convergence(mls_buffer *out, const mls_html_group *of)
{
    mls_html_convergence_of(out, of, 1);
}
