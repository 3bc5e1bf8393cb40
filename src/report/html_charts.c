/* SPDX-License-Identifier: Apache-2.0 */
/* html_charts.c - the sections of a group that are charts: convergence, times, where the time went, the reference,
 * pace, and the published results.  Each fills in an mls_chart and the table of its numbers. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "report/html.h"

/* Begin the rows of a table of what runs have: with the side, if there are several, and the run. */
static const char *run_headings(const mls_html_group *of)
{
    return of->side != NULL ? "side|#run" : "#run";
}

static void begin_run_row(mls_buffer *out, const mls_html_group *of, size_t run)
{
    mls_buffer_append_text(out, "<tr>");
    if (of->side != NULL)
        mls_html_cell(out, NULL, "%s", of->side);
    mls_html_count(out, (double)(run + 1));
}

/* Find which of a run's values stay of at most so many (mls_chart_thin()); *thinned: some do not. */
static const bool *thin(const mls_html_group *of, const double *values, size_t count, size_t most, bool *thinned)
{
    bool *keep = mls_arena_array(of->scratch, count + 1, sizeof *keep);
    *thinned |= mls_chart_thin(values, count, most, keep);
    return keep;
}

static double *scratch_numbers(const mls_html_group *of, size_t count)
{
    return mls_arena_array(of->scratch, count + 1, sizeof(double));
}

/* ------------------------------------------------------------------------ convergence */

/* Of a chart, for all its runs; of a run in brief; rows of the table. */
enum { POINTS_MOST = 2200, BRIEF_POINTS = 40, ROWS_MOST = 300 };

/* Lines of more runs are thinner. */
enum { CROWD = 15 };

/* Of more values than these the farthest from the target are cut off. */
enum { MANY_VALUES = 30 };
#define FAR_SHARE 0.02

/* The stretch near the target begins here, and needs so many evaluations of a run. */
#define NEAR_SHARE 0.7
enum { NEAR_EVALUATIONS = 3 };

typedef enum across_kind { OVER_TRAINING, OVER_TIME, NEAR_TARGET, ACROSS_COUNT } across_kind;

/* The points of a run in a chart, each of which begins with what it is sorted by. */
typedef struct line_point {
    double x, y;
} line_point;
typedef struct run_curve {
    line_point *points;
    size_t count;
} run_curve;

/* One metric of a group, or of a side. */
typedef struct curves_view {
    const mls_html_group *of;
    mls_curve_kind metric;
    bool steps; /* positions are steps */
    mls_target target;
    double near_from;                /* where the stretch near the target begins; NAN: there is none */
    run_curve *curves[ACROSS_COUNT]; /* of each run; the scratch arena has them */
    size_t totals[ACROSS_COUNT];     /* points of all of them */
} curves_view;

/* Return the value of an evaluation in a metric; NAN: it is of another. */
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

/* Take the points of a chart, in their order across: evaluations are not always logged in theirs. */
static void take_curves(curves_view *view, across_kind kind)
{
    const mls_html_group *of = view->of;
    view->curves[kind] = mls_arena_array(of->scratch, of->group->run_count, sizeof(run_curve));
    view->totals[kind] = 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        run_curve curve = {mls_arena_array(of->scratch, run->curve_count + 1, sizeof *curve.points), 0};
        for (size_t k = 0; k < run->curve_count; k++) {
            const mls_curve_point *point = &run->curve[k];
            const double x = kind == OVER_TIME ? point->ms / 60000 : position_on(view, point);
            const double y = value_in(view, point);
            if (isfinite(x) && isfinite(y) && (kind != NEAR_TARGET || position_on(view, point) >= view->near_from))
                curve.points[curve.count++] = (line_point){x, y};
        }
        if (view->steps)
            mls_sort_by_double(curve.points, curve.count, sizeof *curve.points);
        view->curves[kind][i] = curve;
        view->totals[kind] += curve.count;
    }
}

static mls_target target_of(const curves_view *view, const mls_throughput *run)
{
    const mls_benchmark *rules = view->of->group->rules;
    return view->metric == MLS_CURVE_FID    ? (mls_target){rules->fid_max, isfinite(rules->fid_max) ? -1 : 0}
           : view->metric == MLS_CURVE_CLIP ? (mls_target){rules->clip_min, isfinite(rules->clip_min) ? 1 : 0}
           : view->metric == MLS_CURVE_BOX  ? run->box_target
           : view->metric == MLS_CURVE_MASK ? run->mask_target
                                            : run->target;
}

static curves_view look_at(const mls_html_group *of, mls_curve_kind metric)
{
    curves_view view = {.of = of, .metric = metric, .near_from = NAN};
    double least = INFINITY;
    bool enough = false;
    take_curves(&view, OVER_TRAINING);
    view.steps = view.totals[OVER_TRAINING] == 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        view.target = view.target.direction == 0 ? target_of(&view, run) : view.target;
        if (of->group->runs[i]->valid && run->curve_count > 0)
            least = fmin(least, position_on(&view, &run->curve[run->curve_count - 1]));
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
    for (across_kind kind = 0; kind < ACROSS_COUNT; kind++)
        take_curves(&view, kind);
    return view;
}

/* Add the ranges of the points of a chart.  Wild first evaluations do not flatten the rest. */
static void add_extents(const curves_view *view, across_kind kind, mls_extent *across, mls_extent *values)
{
    double *all = scratch_numbers(view->of, view->totals[kind]);
    size_t at = 0;
    if (kind != NEAR_TARGET)
        mls_extent_add(across, 0);
    for (size_t i = 0; i < view->of->group->run_count; i++) {
        const run_curve *curve = &view->curves[kind][i];
        for (size_t k = 0; k < curve->count; k++) {
            mls_extent_add(across, curve->points[k].x);
            all[at++] = curve->points[k].y;
        }
    }
    if (at > 0) {
        mls_sort_doubles(all, at);
        const size_t far = at > MANY_VALUES ? (size_t)(FAR_SHARE * (double)at) : 0;
        mls_extent_add(values, all[view->target.direction > 0 ? far : 0]);
        mls_extent_add(values, all[at - 1 - (view->target.direction < 0 ? far : 0)]);
        if (view->target.direction != 0)
            mls_extent_add(values, view->target.number);
    }
}

static void append_curve(mls_chart *chart, const curves_view *view, across_kind kind, size_t at)
{
    const size_t share = mls_html_share(view->of, POINTS_MOST, 4);
    const size_t limit = view->of->brief ? BRIEF_POINTS : MLS_THIN_MAX;
    const mls_html_class drawn_as = mls_html_drawn_as(view->of, at);
    const line_point *points = view->curves[kind][at].points;
    const size_t count = view->curves[kind][at].count;
    double *x = scratch_numbers(view->of, count);
    double *y = scratch_numbers(view->of, count);
    bool thinned = false;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        y[k] = points[k].y;
    const bool *keep = thin(view->of, y, count, share < limit ? share : limit, &thinned);
    for (size_t k = 0; k < count; k++) {
        if (keep[k] || k + 1 == count) {
            x[kept] = points[k].x;
            y[kept++] = points[k].y;
        }
    }
    if (kept > 0) {
        mls_html_run_begin(&chart->marks, at);
        mls_chart_line(&chart->marks, chart, mls_html_looks[drawn_as], x, y, kept);
        mls_html_run_dot(&chart->marks, drawn_as, mls_scale_at(&chart->x, x[kept - 1]),
                         mls_scale_at(&chart->y, y[kept - 1]));
        mls_html_run_end(&chart->marks);
    }
}

/* Draw the curves of one group, or of sides over each other. */
static void append_curves(mls_buffer *out, const curves_view *views, size_t count, across_kind kind)
{
    static const char *const titles[ACROSS_COUNT] = {"Evaluations over the training done", "Evaluations over time",
                                                     "Evaluations near the target"};
    const mls_target target = views->target;
    const bool brief = views->of->brief;
    const double bottom = brief ? 200 : 300;
    mls_extent values = {0};
    mls_extent across = {0};
    for (size_t i = 0; i < count; i++)
        add_extents(&views[i], kind, &across, &values);
    mls_chart chart = {.title = titles[kind],
                       .height = bottom + MLS_CHART_BELOW,
                       .x = mls_scale_of(&across, kind == NEAR_TARGET ? 0.02 : 0.0, MLS_CHART_LEFT, MLS_CHART_RIGHT),
                       .y = mls_scale_of(&values, 0.06, bottom, MLS_CHART_TOP),
                       .across = kind == OVER_TIME ? "minutes since run_start" : position_unit(views),
                       .up = metric_name(views->metric),
                       .whole = brief,
                       .target = target.number};
    if (target.direction != 0)
        chart.target_label = mls_html_text(views->of->scratch, "target %s", mls_words_trimmed(target.number, 6).text);
    for (size_t i = 0; i < count; i++) {
        const size_t runs = views[i].of->group->run_count;
        mls_buffer_printf(&chart.description, "%s%s of %s, from %s to %s", i > 0 ? "; " : "",
                          mls_words_plural(views[i].totals[OVER_TIME], "evaluation", "evaluations").text,
                          mls_words_plural(runs, "run", "runs").text, mls_words_trimmed(values.low, 5).text,
                          mls_words_trimmed(values.high, 5).text);
        if (views[i].target.direction != 0) {
            mls_buffer_printf(&chart.description, "; the target is %s",
                              mls_words_trimmed(views[i].target.number, 6).text);
        }
        mls_buffer_append_text(&chart.marks, runs > CROWD ? "<g class=\"crowd\">" : "<g>");
        for (size_t k = 0; k < runs; k++)
            append_curve(&chart, &views[i], kind, k);
        mls_buffer_append_text(&chart.marks, "</g>");
    }
    mls_chart_draw(out, &chart);
}

/* Append the evaluations of a run that have a row.  Return whether some have not. */
static bool append_evaluations(mls_buffer *out, const curves_view *view, size_t at, size_t most)
{
    const mls_throughput *run = &view->of->timed->runs[at];
    double *values = scratch_numbers(view->of, run->curve_count);
    bool thinned = false;
    for (size_t k = 0; k < run->curve_count; k++)
        values[k] = value_in(view, &run->curve[k]);
    const bool *keep = thin(view->of, values, run->curve_count, most, &thinned);
    for (size_t k = 0; k < run->curve_count; k++) {
        const mls_curve_point *point = &run->curve[k];
        if (keep[k] && isfinite(values[k])) {
            begin_run_row(out, view->of, at);
            mls_html_count(out, position_on(view, point));
            mls_html_minutes_cell(out, point->ms / 60000);
            mls_html_number(out, values[k], mls_words_trimmed(values[k], 6));
            mls_buffer_append_text(out, "</tr>\n");
        }
    }
    return thinned;
}

/* Return whether each view has such a chart, in one unit. */
static bool have_kind(const curves_view *views, size_t count, across_kind kind)
{
    bool have = true;
    for (size_t i = 0; i < count; i++)
        have = have && views[i].totals[kind] > 0 && strcmp(position_unit(&views[i]), position_unit(views)) == 0;
    return have;
}

/* Append the charts of a metric, of which a person chooses one (print and a window without styles show all), and their
 * numbers. */
static void append_metric(mls_buffer *out, const curves_view *views, size_t view_count)
{
    const bool brief = views->of->brief;
    const size_t id = views->of->number * 10 + views->metric;
    across_kind kinds[ACROSS_COUNT];
    size_t count = 0;
    if (have_kind(views, view_count, OVER_TRAINING))
        kinds[count++] = OVER_TRAINING;
    if (count == 0 || !brief)
        kinds[count++] = OVER_TIME;
    if (have_kind(views, view_count, NEAR_TARGET) && !brief)
        kinds[count++] = NEAR_TARGET;
    mls_buffer_append_text(out, "<div class=\"tabs\">");
    for (size_t i = 0; i < count && count > 1; i++) {
        mls_buffer_printf(out, "<input type=\"radio\" name=\"c%zu\" id=\"c%zu-%zu\"%s><label for=\"c%zu-%zu\">", id, id,
                          i, i == 0 ? " checked" : "", id, i);
        mls_buffer_printf(out, "%s</label>",
                          kinds[i] == OVER_TIME     ? "minutes"
                          : kinds[i] == NEAR_TARGET ? "near the target"
                                                    : position_unit(views));
    }
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(out, count > 1 ? "<div class=\"tab\">" : "<div>");
        append_curves(out, views, view_count, kinds[i]);
        mls_buffer_append_text(out, "</div>\n");
    }
    mls_buffer_append_text(out, "</div>\n");
    if (brief)
        return;
    const size_t most = mls_html_share(views->of, ROWS_MOST, 2);
    bool thinned = false;
    mls_html_numbers_begin(out, "Evaluations",
                           mls_html_text(views->of->scratch, "%s|#%s|#minutes|#%s", run_headings(views->of),
                                         position_unit(views), metric_name(views->metric)));
    for (size_t i = 0; i < view_count; i++)
        for (size_t k = 0; k < views[i].of->group->run_count; k++)
            thinned |= append_evaluations(out, &views[i], k, most);
    mls_html_numbers_end(out);
    if (thinned)
        mls_html_note(out, "Of many evaluations the table has the least and the greatest of each slice of a run.");
}

static int compare_images(const void *left, const void *right)
{
    const mls_curve_point *a = left;
    const mls_curve_point *b = right;
    const int order = mls_compare_doubles(a->samples, b->samples);
    return order != 0 ? order : mls_compare_doubles(a->ms, b->ms);
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
    if (curves || !images)
        return timed;
    /* Images are evaluated when the run has stopped: here in the order of training. */
    mls_throughput_group *copy = mls_arena_array(arena, 1, sizeof *copy);
    mls_throughput *runs = mls_arena_array(arena, group->run_count, sizeof *runs);
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *logged = group->runs[i];
        mls_curve_point *curve = mls_arena_array(arena, logged->image_count, sizeof *curve);
        runs[i] = timed->runs[i];
        for (size_t k = 0; k < logged->image_count; k++) {
            const mls_evaluation *image = &logged->images[k];
            curve[k] = (mls_curve_point){.ms = image->time_ms - logged->run_start.time_ms,
                                         .samples = image->at.samples_count,
                                         .value = image->value,
                                         .steps = image->at.step_num,
                                         .box = (double)NAN,
                                         .mask = (double)NAN,
                                         .metric = image->is_clip ? MLS_CURVE_CLIP : MLS_CURVE_FID};
        }
        if (logged->image_count > 0) {
            qsort(curve, logged->image_count, sizeof *curve, compare_images);
            runs[i].curve = curve;
            runs[i].curve_count = logged->image_count;
        }
    }
    *copy = *timed;
    copy->runs = runs;
    return copy;
}

void mls_html_convergence_of(mls_buffer *out, const mls_html_group *sides, size_t count)
{
    static const mls_curve_kind order[] = {MLS_CURVE_BOX, MLS_CURVE_MASK, MLS_CURVE_ONE, MLS_CURVE_FID, MLS_CURVE_CLIP};
    curves_view *views = mls_arena_array(sides->scratch, count, sizeof *views);
    bool begun = false;
    bool after = false; /* a run has evaluations that were made when it had stopped */
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        /* The first side decides which metrics there are: others only if BBOX and SEGM are missing. */
        if (order[i] == MLS_CURVE_ONE && begun)
            break;
        size_t found = 0;
        for (size_t k = 0; k < count && (k == 0 || found > 0); k++) {
            views[found] = look_at(&sides[k], order[i]);
            found += views[found].totals[OVER_TIME] > 0;
        }
        if (found > 0 && !begun) {
            mls_html_card_begin(out, "Convergence");
            if (!sides->brief)
                mls_html_line_keys(out, sides, count);
            mls_html_card_body(out);
            begun = true;
        }
        if (found > 0)
            append_metric(out, views, found);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sides[i].group->run_count; k++) {
            const mls_throughput *run = &sides[i].timed->runs[k];
            after |= run->curve_count > 0 && run->curve[run->curve_count - 1].ms > run->run_ms;
        }
    }
    if (begun && after)
        mls_html_note(out, "Evaluated after run_stop, which is no part of the time.");
    if (begun)
        mls_html_card_end(out);
}

void mls_html_convergence(mls_buffer *out, const mls_html_group *of)
{
    mls_html_convergence_of(out, of, 1);
}

/* ------------------------------------------------------------------------ times */

/* Dots that would touch are above each other, on at most so many levels. */
enum { APART = 11, LEVELS = 12, MARGIN = 30 };

typedef struct timed_dot {
    mls_placed at; /* minutes, and the run */
    unsigned level;
} timed_dot;

/* Put dots in the order of their minutes each on the lowest level that has room; return how many levels they take. */
static unsigned stack_dots(timed_dot *dots, size_t count, const mls_scale *x)
{
    double last[LEVELS];
    unsigned levels = 1;
    for (size_t i = 0; i < LEVELS; i++)
        last[i] = -APART;
    for (size_t i = 0; i < count; i++) {
        const double at = mls_scale_at(x, dots[i].at.value);
        unsigned level = 0;
        while (level < LEVELS - 1 && at - last[level] < APART)
            level++;
        dots[i].level = level;
        last[level] = at;
        levels = level >= levels ? level + 1 : levels;
    }
    return levels;
}

void mls_html_times(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const bool weak = mls_is_weak(&group->weak);
    const bool few = group->score.outcome == MLS_OLYMPIC_TOO_FEW_RUNS;
    const double mean = weak ? (double)NAN : group->score.score_minutes; /* models side by side have none */
    timed_dot *dots = mls_arena_array(of->scratch, group->run_count, sizeof *dots);
    mls_extent extent = {0};
    mls_extent counted = {0};
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        mls_extent_add(&extent, minutes);
        mls_extent_add(&counted, mls_html_run_class(group, i) == MLS_RUN_KEPT ? minutes : (double)NAN);
        if (isfinite(minutes))
            dots[count++] = (timed_dot){{minutes, i}, 0};
    }
    if (count == 0)
        return;
    const double top = 24;
    mls_chart chart = {.title = "Minutes of each run",
                       .x = mls_scale_of(&extent, 0.05, MARGIN, MLS_CHART_WIDTH - MARGIN),
                       .across = "minutes"};
    mls_sort_placed(dots, count, sizeof *dots);
    const double bottom = top + 22 + APART * (double)stack_dots(dots, count, &chart.x);
    chart.height = bottom + MLS_CHART_BELOW;
    chart.y = (mls_scale){0, 1, bottom, top, false};
    mls_buffer_printf(&chart.description, "%s from %s to %s minutes",
                      mls_words_plural(extent.count, "run", "runs").text, mls_words_grouped(extent.low, 3).text,
                      mls_words_grouped(extent.high, 3).text);
    if (counted.count > 1) { /* a band from the fastest to the slowest run that counts */
        const double left = mls_scale_at(&chart.x, counted.low);
        mls_svg_rect(&chart.behind, "band", left, top, mls_scale_at(&chart.x, counted.high) - left, bottom - top);
    }
    if (isfinite(mean)) {
        const mls_words words = mls_words_grouped(mean, 3);
        const double at = mls_scale_at(&chart.x, mean);
        const bool left = at > (chart.x.from + chart.x.to) / 2;
        mls_buffer_printf(&chart.description, "; mean of what counts %s", words.text);
        mls_svg_line(&chart.behind, "mean", at, top, at, bottom);
        mls_svg_text(&chart.behind, "strong", left ? 'e' : 's', at + (left ? -6 : 6), top + 14,
                     mls_html_text(of->scratch, "%s %s", few ? "mean" : "olympic mean", words.text));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t run = dots[i].at.place;
        mls_html_run_begin(&chart.marks, run);
        mls_html_run_dot(&chart.marks, mls_html_run_class(group, run), mls_scale_at(&chart.x, dots[i].at.value),
                         bottom - 10 - APART * (double)dots[i].level);
        mls_html_run_end(&chart.marks);
    }
    mls_html_card_begin(out, weak                                    ? "Times of the models"
                             : !isfinite(group->score.score_minutes) ? "Times"
                             : few                                   ? "Times and their mean"
                                                                     : "Times and the olympic mean");
    if (!of->brief)
        mls_html_run_keys(out, group, MLS_MARK_DOT);
    mls_html_card_body(out);
    mls_chart_draw(out, &chart);
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ where the time went */

/* Nobody looks at more bars; so many make a picture, after which a sheet of paper may end. */
enum { BARS_MOST = 100, BARS_TOGETHER = 10, BAR_HEIGHT = 24, BARS_LEFT = 44, BARS_RIGHT = 70 };

/* Initialization is cut at this share of the longest run, so that it does not squeeze the rest. */
#define INIT_SHARE 0.22

/* Stretches that are closer together than this, in units of the picture, are drawn as one; those of long lists farther.
 */
#define JOINED 0.4
#define JOINED_OF_MANY 4
enum { MANY_STRETCHES = 400 };

/* The kinds of lines in a bar, the thickest last; and their entries of the legend, in another order. */
typedef enum bar_kind { BAR_NEITHER, BAR_TRAINING, BAR_EVALUATION, BAR_OVERLAPPED, BAR_KINDS } bar_kind;
static const char *const bar_looks[BAR_KINDS] = {"neither", "training", "evaluation", "over"};
static const struct {
    bar_kind kind;
    const char *label;
} bar_keys[BAR_KINDS] = {{BAR_TRAINING, "training"},
                         {BAR_EVALUATION, "evaluation"},
                         {BAR_NEITHER, "startup, between, tail"},
                         {BAR_OVERLAPPED, "evaluation beside training"}};

static bool is_of_kind(const mls_stretch *stretch, bar_kind kind)
{
    return kind == BAR_TRAINING     ? stretch->part == MLS_PART_TRAINING
           : kind == BAR_EVALUATION ? stretch->part == MLS_PART_EVALUATION
           : kind == BAR_OVERLAPPED ? stretch->overlapped
                                    : stretch->part > MLS_PART_EVALUATION;
}

static bool has_kind(const mls_throughput *run, bar_kind kind)
{
    bool has = false;
    for (size_t i = 0; i < run->stretch_count && !has; i++)
        has = is_of_kind(&run->stretches[i], kind);
    return has;
}

static void append_stretches(mls_buffer *out, const mls_throughput *run, const mls_scale *x, double y, bar_kind kind)
{
    const double near = run->stretch_count > MANY_STRETCHES ? JOINED_OF_MANY : JOINED;
    double begun = NAN;
    double ended = NAN;
    mls_svg_path_begin(out, bar_looks[kind]);
    for (size_t i = 0; i <= run->stretch_count; i++) {
        const mls_stretch *stretch = i < run->stretch_count ? &run->stretches[i] : NULL;
        if (stretch != NULL && !is_of_kind(stretch, kind))
            continue;
        const double from = stretch != NULL ? mls_scale_at(x, stretch->from_ms / 60000) : (double)INFINITY;
        if (!isnan(begun) && from - ended > near) {
            mls_svg_path_point(out, begun, y, true);
            mls_svg_path_point(out, fmax(ended, begun + 0.5), y, false);
            begun = NAN;
        }
        if (stretch != NULL) {
            begun = isnan(begun) ? from : begun;
            ended = mls_scale_at(x, stretch->to_ms / 60000);
        }
    }
    mls_svg_path_end(out);
}

/* Append the bar of a run: to the left of run_start what is not timed, with a mark where there is no room for it. */
static void append_bar(mls_buffer *out, const mls_html_group *of, size_t at, const mls_scale *x, double y)
{
    const mls_throughput *run = &of->timed->runs[at];
    const double init = (run->run->run_start.time_ms - run->run->init_start.time_ms) / 60000;
    mls_html_run_begin(out, at);
    mls_svg_text(out, mls_html_run_class(of->group, at) == MLS_RUN_BAD ? "red" : NULL, 'e', BARS_LEFT - 10, y + 4.5,
                 mls_html_text(of->scratch, "%zu", at + 1));
    if (init > 0) {
        const double from = mls_scale_at(x, -init);
        mls_svg_line(out, "init", from, y, mls_scale_at(x, 0), y);
        if (-init < x->low)
            mls_svg_line(out, "cut", from + 8, y + 7, from + 14, y - 7);
    }
    for (bar_kind kind = 0; kind < BAR_KINDS && run->has_parts; kind++)
        if (has_kind(run, kind))
            append_stretches(out, run, x, kind == BAR_OVERLAPPED ? y + 9 : y, kind);
    if (isfinite(run->run_ms)) {
        mls_svg_text(out, "strong", 's', mls_scale_at(x, run->run_ms / 60000) + 8, y + 4.5,
                     mls_words_grouped(run->run_ms / 60000, 3).text);
    }
    mls_html_run_end(out);
}

static void append_part_rows(mls_buffer *out, const mls_html_group *of, size_t count)
{
    mls_html_numbers_begin(out, "Parts of each run",
                           "#run|#init|#training|#evaluation|#startup|#between|#tail|#minutes");
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        const double init = mls_run_init_minutes(run->run);
        mls_buffer_append_text(out, "<tr>");
        mls_html_count(out, (double)(i + 1));
        mls_html_number(out, init, mls_words_clock(init));
        for (int part = 0; part < MLS_PART_COUNT; part++) {
            const bool known = run->has_parts &&
                               (part != MLS_PART_EVALUATION || run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING);
            const double ms = known ? run->parts.ms[part] : (double)NAN;
            mls_html_number(out, ms, mls_words_duration(ms));
        }
        mls_html_minutes_cell(out, run->run_ms / 60000);
        mls_buffer_append_text(out, "</tr>\n");
    }
    mls_html_numbers_end(out);
}

void mls_html_parts(mls_buffer *out, const mls_html_group *of)
{
    const size_t runs = of->group->run_count;
    const size_t count = runs < BARS_MOST ? runs : BARS_MOST;
    double longest = 0;
    double init = 0;
    bool has[BAR_KINDS] = {false};
    for (size_t i = 0; i < runs; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        longest = run->has_parts && run->run_ms > longest ? run->run_ms : longest;
        init = fmax(init, run->run->run_start.time_ms - run->run->init_start.time_ms);
        for (bar_kind kind = 0; kind < BAR_KINDS; kind++)
            has[kind] = has[kind] || has_kind(run, kind);
    }
    if (!(longest > 0))
        return;
    mls_html_card_begin(out, "Where the time went");
    mls_html_key(out, MLS_MARK_BAR, "init", "initialization");
    for (size_t i = 0; i < BAR_KINDS; i++)
        if (has[bar_keys[i].kind])
            mls_html_key(out, MLS_MARK_BAR, bar_looks[bar_keys[i].kind], bar_keys[i].label);
    mls_html_card_body(out);
    /* Minutes, from the cut end of initialization to the end of the longest run. */
    init = isfinite(init) ? fmin(init, INIT_SHARE * longest) : 0;
    const mls_scale x = {-init / 60000, longest / 60000, BARS_LEFT, MLS_CHART_WIDTH - BARS_RIGHT, false};
    for (size_t from = 0; from < count; from += BARS_TOGETHER) {
        /* The first picture has a margin above, the last one the axis below. */
        const size_t to = count - from > BARS_TOGETHER ? from + BARS_TOGETHER : count;
        const double top = from == 0 ? 8 : 0;
        const double bottom = top + BAR_HEIGHT * (double)(to - from);
        const double zero = mls_scale_at(&x, 0);
        const bool last = to == count;
        mls_chart chart = {.title = "Where the time of each run went",
                           .height = bottom + (last ? MLS_CHART_BELOW : 0),
                           .x = x,
                           .y = {0, 1, bottom, 4, false},
                           .across = last ? "minutes since run_start (before 0: initialization, not timed)" : NULL,
                           .continues = from > 0,
                           .continued = !last};
        if (from == 0)
            mls_overview_append_inside(&chart.description, of->of);
        else
            mls_buffer_printf(&chart.description, "From run %zu on.", from + 1);
        for (size_t i = from; i < to; i++)
            append_bar(&chart.marks, of, i, &x, top + BAR_HEIGHT * ((double)(i - from) + 0.5));
        mls_svg_line(&chart.marks, "zero", zero, top / 2, zero, bottom);
        mls_chart_draw(out, &chart);
    }
    if (count < runs)
        mls_html_note(out, "The first %zu of %zu runs.", count, runs);
    append_part_rows(out, of, count);
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ pace */

/* Steps in the chart, of all runs; rates beyond the first and the last hundredth do not stretch it. */
enum { STEPS_MOST = 1800, ROWS_OF_PACE = 200 };
#define RATE_SHARE 0.01
#define RATES_ALIKE 0.03
#define TRAINED_MIN 0.1

/* Return whether anything was trained in a segment: two evaluations may be milliseconds apart, which is not a rate. */
static bool is_trained(const mls_throughput *run, const mls_pace_segment *segment)
{
    return segment->training_ms >= TRAINED_MIN * run->steady_ms_per_sample * segment->delta;
}

/* Return the median of the steady rates of so many runs, in the same unit; NAN: of none. */
static double steady_rate(const mls_html_group *of, size_t *count)
{
    return (mls_html_epochs(of) ? 60000 : 1000) / mls_html_steady_ms(of, count);
}

/* Return the rates of a run's segments: samples a second, or epochs a minute where positions are epochs. */
static double *rates_of(const mls_html_group *of, size_t at)
{
    const mls_throughput *run = &of->timed->runs[at];
    double *rates = scratch_numbers(of, run->segment_count);
    for (size_t k = 0; k < run->segment_count; k++) {
        rates[k] =
            run->segments[k].delta / run->segments[k].training_ms * (mls_throughput_counts_epochs(run) ? 60000 : 1000);
    }
    return rates;
}

/* Add the rates of a group, without the first and the last hundredth of them. */
static void add_rates(const mls_html_group *of, mls_extent *extent)
{
    size_t count = 0;
    for (size_t i = 0; i < of->group->run_count; i++)
        count += of->timed->runs[i].segment_count;
    double *all = scratch_numbers(of, count);
    count = 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        const double *rates = rates_of(of, i);
        for (size_t k = 0; k < run->segment_count; k++)
            if (isfinite(rates[k]) && is_trained(run, &run->segments[k]))
                all[count++] = rates[k];
    }
    if (count > 0) {
        mls_sort_doubles(all, count);
        const size_t beyond = (size_t)(RATE_SHARE * (double)count);
        mls_extent_add(extent, all[beyond]);
        mls_extent_add(extent, all[count - 1 - beyond]);
        /* Runs that are alike look so. */
        const double steady = steady_rate(of, &count);
        mls_extent_add(extent, steady * (1 - RATES_ALIKE));
        mls_extent_add(extent, steady * (1 + RATES_ALIKE));
    }
}

/* Append the phases in which a run was slow, and its steps: its segments, or of many the slowest and the fastest of
 * each slice. */
static void append_pace(mls_chart *chart, const mls_html_group *of, size_t at)
{
    const mls_throughput *run = &of->timed->runs[at];
    const double *rates = rates_of(of, at);
    double *x = scratch_numbers(of, 2 * run->segment_count);
    double *y = scratch_numbers(of, 2 * run->segment_count);
    bool thinned = false;
    const bool *keep = thin(of, rates, run->segment_count, mls_html_share(of, STEPS_MOST, 4), &thinned);
    size_t points = 0;
    for (size_t i = 0; i < run->segment_count; i++) {
        if (keep[i] && is_trained(run, &run->segments[i])) {
            x[points] = points > 0 ? x[points - 1] : run->segments[i].from_ms / 60000;
            y[points++] = rates[i];
            x[points] = run->segments[i].to_ms / 60000;
            y[points++] = rates[i];
        }
    }
    mls_html_run_begin(&chart->marks, at);
    for (size_t i = 0; i < run->slow_phase_count && of->side == NULL; i++) {
        const double from = mls_scale_at(&chart->x, run->slow_phases[i].from_ms / 60000);
        const double to = mls_scale_at(&chart->x, run->slow_phases[i].to_ms / 60000);
        mls_svg_rect(&chart->marks, "slow", from, chart->y.to, fmax(to - from, 2), chart->y.from - chart->y.to);
    }
    mls_chart_line(&chart->marks, chart, mls_html_looks[mls_html_drawn_as(of, at)], x, y, points);
    mls_html_run_end(&chart->marks);
}

/* Append the segments of a run that have a row.  Return whether some have not. */
static bool append_pace_rows(mls_buffer *out, const mls_html_group *of, size_t at, size_t most)
{
    const mls_throughput *run = &of->timed->runs[at];
    const double *rates = rates_of(of, at);
    bool thinned = false;
    const bool *keep = thin(of, rates, run->segment_count, most, &thinned);
    for (size_t k = 0; k < run->segment_count; k++) {
        const mls_pace_segment *segment = &run->segments[k];
        if (keep[k] && is_trained(run, segment)) {
            begin_run_row(out, of, at);
            mls_html_minutes_cell(out, segment->from_ms / 60000);
            mls_html_minutes_cell(out, segment->to_ms / 60000);
            mls_html_count(out, segment->delta);
            mls_html_number(out, rates[k], mls_words_rate(rates[k]));
            mls_buffer_append_text(out, "</tr>\n");
        }
    }
    return thinned;
}

void mls_html_pace_of(mls_buffer *out, const mls_html_group *sides, size_t count)
{
    static const char *const sources[] = {[MLS_MARKS_FROM_NOTHING] = "Progress as tracked_stats tell it",
                                          [MLS_MARKS_FROM_EVALUATIONS] = "Progress between evaluations",
                                          [MLS_MARKS_FROM_BLOCKS] = "Progress between blocks",
                                          [MLS_MARKS_FROM_RUN_STOP] = "Progress of the whole run",
                                          [MLS_MARKS_FROM_LATE_EVALUATIONS] =
                                              "Progress of the whole run, as all evaluations came at its end"};
    const bool epochs = mls_html_epochs(sides);
    const char *source = NULL; /* where the positions come from */
    mls_extent rates = {0};
    mls_extent minutes = {0};
    bool undelimited = false;
    bool slow = false;
    for (const mls_html_group *of = sides; of < sides + count; of++) {
        if (mls_html_epochs(of) != epochs)
            return; /* they have no axis in common */
        add_rates(of, &rates);
        mls_extent_add(&minutes, 0);
        for (size_t i = 0; i < of->group->run_count; i++) {
            const mls_throughput *run = &of->timed->runs[i];
            mls_extent_add(&minutes, run->segment_count > 0 ? run->run_ms / 60000 : (double)NAN);
            source = source == NULL && run->segment_count > 0 ? sources[run->marks_from] : source;
            undelimited |= mls_throughput_evaluations_are_training(run);
            slow |= run->slow_phase_count > 0 && of->side == NULL;
        }
    }
    if (rates.count == 0)
        return;
    mls_chart chart = {.title = "Throughput of each run over time",
                       .height = 220 + MLS_CHART_BELOW,
                       .x = mls_scale_of(&minutes, 0, MLS_CHART_LEFT, MLS_CHART_RIGHT),
                       .y = mls_scale_of(&rates, 0.1, 220, MLS_CHART_TOP),
                       .across = "minutes since run_start",
                       .up = epochs ? "epochs / min" : "samples / s"};
    mls_html_card_begin(out, "Throughput while training");
    mls_html_line_keys(out, sides, count);
    if (slow)
        mls_html_key(out, MLS_MARK_BAR, "slow-key", "slow phase of a run");
    mls_html_card_body(out);
    mls_html_note(out, "%s, over the time spent training.%s", source != NULL ? source : sources[MLS_MARKS_FROM_NOTHING],
                  undelimited ? " Evaluations are not delimited: they count as training." : "");
    mls_buffer_printf(&chart.description, "%s from %s to %s", epochs ? "Epochs per minute" : "Samples per second",
                      mls_words_rate(rates.low).text, mls_words_rate(rates.high).text);
    /* The medians as lines, and in words at the end of the first line of the picture. */
    mls_buffer label = {0};
    for (size_t i = 0; i < count; i++) {
        const char *name = sides[i].side != NULL ? sides[i].side : "the runs";
        size_t runs;
        const double rate = steady_rate(&sides[i], &runs);
        if (runs > 1 && isfinite(rate)) {
            const double at = mls_scale_at(&chart.y, rate);
            const mls_words words = mls_words_rate(rate);
            mls_buffer_printf(&chart.description, "; the steady median of %s is %s", name, words.text);
            mls_buffer_printf(&label, "%s%s %s", label.len > 0 ? " · " : "steady median of ", name, words.text);
            mls_svg_line(&chart.marks, "dotted", chart.x.from, at, chart.x.to, at);
        }
    }
    if (label.len > 0)
        mls_svg_text(&chart.marks, "strong", 'e', chart.x.to, chart.y.to - 10, label.ptr);
    mls_buffer_release(&label);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sides[i].group->run_count; k++)
            if (sides[i].timed->runs[k].segment_count > 0)
                append_pace(&chart, &sides[i], k);
    }
    mls_chart_draw(out, &chart);
    const size_t most = mls_html_share(sides, ROWS_OF_PACE, 2);
    bool thinned = false;
    mls_html_numbers_begin(out, "Throughput of each segment",
                           mls_html_text(sides->scratch, "%s|#from (min)|#to (min)|%s", run_headings(sides),
                                         epochs ? "#epochs|#epochs/min" : "#samples|#samples/s"));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sides[i].group->run_count; k++)
            thinned |= append_pace_rows(out, &sides[i], k, most);
    mls_html_numbers_end(out);
    if (thinned)
        mls_html_note(out, "Of many segments the table has the slowest and the fastest of each slice of a run.");
    mls_html_card_end(out);
}

void mls_html_pace(mls_buffer *out, const mls_html_group *of)
{
    mls_html_pace_of(out, of, 1);
}

/* ------------------------------------------------------------------------ reference */

/* Points within so many times the batch size are drawn, and the nearest on each side. */
#define FACTOR 4
enum { POINTS_IN_A_ROW = 12, REFERENCE_POINTS_MOST = 60, DOTS_APART = 4, LABELS_APART = 46, OWN_APART = 10 };
enum { OWN_ROOM = 200 };

/* The points of a set that are drawn, with the limit at each. */
typedef struct shown_points {
    const mls_rcp_point *items[REFERENCE_POINTS_MOST];
    double limits[REFERENCE_POINTS_MOST];
    size_t count;
} shown_points;

static bool choose_points(const mls_html_group *of, shown_points *shown)
{
    const mls_rcp_set *set = of->group->rcp.set;
    const double batch = of->group->global_batch_size;
    const mls_rcp_point *below = NULL;
    const mls_rcp_point *above = NULL;
    shown->count = 0;
    if (set == NULL || !(batch > 0))
        return false;
    for (size_t i = 0; i < set->count; i++) {
        const mls_rcp_point *point = &set->items[i];
        below = point->global_batch_size <= batch && !point->pruned ? point : below;
        above = point->global_batch_size >= batch && !point->pruned && above == NULL ? point : above;
    }
    for (size_t i = 0; i < set->count && shown->count < REFERENCE_POINTS_MOST; i++) {
        const mls_rcp_point *point = &set->items[i];
        const double ratio = point->global_batch_size / batch;
        if (point->global_batch_size > 0 &&
            ((ratio <= FACTOR && ratio * FACTOR >= 1) || point == below || point == above)) {
            shown->limits[shown->count] = mls_rcp_set_limit(set, point->global_batch_size).bar.limit;
            shown->items[shown->count++] = point;
        }
    }
    return shown->count > 0;
}

/* Return what a run of the group took, as the check has it; NAN: it did not converge, or that is not logged. */
static double run_number(const mls_group *group, size_t run)
{
    const double number = mls_run_converge_number(group->runs[run], group->rules, group->edition, false);
    return number < MLS_RCP_NOT_CONVERGED ? number : (double)NAN;
}

/* The curve through the points that count, the least that passes below it, and the band between. */
static void append_reference_curve(mls_chart *chart, const shown_points *shown)
{
    static const char *const looks[] = {"band", "reference", "limit"};
    mls_buffer *out = &chart->marks;
    size_t count = 0;
    for (int pass = 0; pass < 3; pass++) {
        mls_svg_path_begin(out, looks[pass]);
        count = 0;
        /* The band goes on from the last point back to the first one along the limit. */
        for (size_t k = 0; k < shown->count * (pass == 0 ? 2 : 1); k++) {
            const bool back = k >= shown->count;
            const size_t i = back ? 2 * shown->count - 1 - k : k;
            const double value = back || pass == 2 ? shown->limits[i] : shown->items[i]->bar.mean;
            if (!shown->items[i]->pruned && isfinite(shown->limits[i])) {
                mls_svg_path_point(out, mls_scale_at(&chart->x, shown->items[i]->global_batch_size),
                                   mls_scale_at(&chart->y, value), count == 0);
                count += !back;
            }
        }
        mls_svg_path_end(out);
    }
    for (size_t i = 0; i < shown->count; i++) {
        const mls_rcp_point *point = shown->items[i];
        const double x = mls_scale_at(&chart->x, point->global_batch_size);
        const double y = mls_scale_at(&chart->y, point->bar.mean);
        if (point->pruned || count <= 1)
            mls_svg_line(out, point->pruned ? "pruned" : "reference", x - 14, y, x + 14, y);
    }
}

/* Append the values of a point as dots, alike ones side by side, in the middle of its batch size.  Return whether some
 * have no room. */
static bool append_point_values(mls_chart *chart, const mls_rcp_point *point)
{
    bool crowded = false;
    const double x = mls_scale_at(&chart->x, point->global_batch_size);
    for (size_t i = 0, end; i < point->count; i = end) {
        const double y = mls_scale_at(&chart->y, point->to_converge[i]);
        for (end = i + 1; end < point->count && fabs(mls_scale_at(&chart->y, point->to_converge[end]) - y) < 3;)
            end++;
        const size_t alike = end - i < POINTS_IN_A_ROW ? end - i : POINTS_IN_A_ROW;
        crowded |= alike < end - i;
        for (size_t k = 0; k < alike; k++)
            mls_svg_circle(&chart->marks, "point", x + DOTS_APART * ((double)k - (double)(alike - 1) / 2), y, 1.7);
    }
    return crowded;
}

/* Append batch sizes below the picture: one that would touch another is left out, but never that of the runs. */
static void append_batch_sizes(mls_chart *chart, const shown_points *shown, double batch)
{
    const double bottom = chart->y.from;
    const double own = mls_scale_at(&chart->x, batch);
    double last = -1e6;
    for (size_t i = 0; i < shown->count; i++) {
        const double size = shown->items[i]->global_batch_size;
        const double x = mls_scale_at(&chart->x, size);
        mls_svg_line(&chart->marks, "base", x, bottom, x, bottom + 4);
        if (x - last >= LABELS_APART && fabs(x - own) >= LABELS_APART) {
            mls_svg_text(&chart->marks, NULL, 'm', x, bottom + 19, mls_words_count(size).text);
            last = x;
        }
    }
    mls_svg_line(&chart->marks, "base", own, bottom, own, bottom + 4);
    mls_svg_text(&chart->marks, "strong", 'm', own, bottom + 19, mls_words_count(batch).text);
}

/* Append the runs beside their batch size, alike ones side by side; their mean and the limit for them, whose numbers
 * are above the picture, where no dot can be. */
static void append_own_runs(mls_chart *chart, const mls_html_group *of)
{
    const double x = mls_scale_at(&chart->x, of->group->global_batch_size);
    const double mean = mls_html_rcp_mean(of->group);
    const double limit = of->group->rcp.result.limit.bar.limit;
    const double apart = fmin(OWN_APART, OWN_ROOM / (double)of->group->run_count);
    double *taken = scratch_numbers(of, of->group->run_count);
    mls_buffer *out = &chart->marks;
    mls_buffer words = {0};
    size_t count = 0;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const double number = run_number(of->group, i);
        const double y = mls_scale_at(&chart->y, number);
        size_t beside = 0;
        if (!isfinite(number))
            continue;
        for (size_t k = 0; k < count; k++)
            beside += fabs(taken[k] - y) < 9;
        taken[count++] = y;
        mls_html_run_begin(out, i);
        mls_html_run_dot(out, mls_html_run_class(of->group, i), x + 18 + apart * (double)beside, y);
        mls_html_run_end(out);
    }
    if (isfinite(limit)) {
        const double y = mls_scale_at(&chart->y, limit);
        mls_svg_line(out, "limit-here", x - 22, y, x + 22, y);
    }
    if (isfinite(mean)) {
        mls_svg_diamond(out, "diamond", x, mls_scale_at(&chart->y, mean), 7);
        mls_buffer_printf(&words, "mean of these runs %s", mls_html_converge_words(mean).text);
    }
    if (isfinite(limit))
        mls_buffer_printf(&words, "%slimit %s", words.len > 0 ? " · " : "", mls_html_converge_words(limit).text);
    mls_svg_text(out, "strong", 'e', chart->x.to, chart->y.to - 10, words.len > 0 ? words.ptr : "");
    mls_buffer_release(&words);
}

static void append_reference(mls_buffer *out, const mls_html_group *of, const shown_points *shown)
{
    const mls_group *group = of->group;
    const char *unit = group->rcp.result.limit.unit;
    const char *up = mls_html_text(of->scratch, "%s to converge", unit != NULL ? unit : "");
    mls_extent numbers = {0};
    mls_extent sizes = {0};
    bool crowded = false;
    mls_extent_add(&sizes, group->global_batch_size);
    for (size_t i = 0; i < shown->count; i++) {
        const mls_rcp_point *point = shown->items[i];
        mls_extent_add(&sizes, point->global_batch_size);
        mls_extent_add(&numbers, point->bar.mean);
        mls_extent_add(&numbers, shown->limits[i]);
        for (size_t k = 0; k < point->count; k++)
            mls_extent_add(&numbers, point->to_converge[k]);
    }
    for (size_t i = 0; i < group->run_count; i++)
        mls_extent_add(&numbers, run_number(group, i));
    mls_extent_add(&numbers, mls_html_rcp_mean(group));
    mls_extent_add(&numbers, group->rcp.result.limit.bar.limit);
    mls_chart chart = {.title = "Convergence against the reference",
                       .height = 300 + MLS_CHART_BELOW,
                       .x = mls_scale_log(&sizes, 1.35, MLS_CHART_LEFT, MLS_CHART_WIDTH - 40),
                       .y = mls_scale_of(&numbers, 0.06, 300, MLS_CHART_TOP),
                       .across = "global batch size (log scale)",
                       .own_ticks = true,
                       .up = up};
    mls_rcp_result_describe(&group->rcp.result, (double)NAN, &chart.description);
    append_reference_curve(&chart, shown);
    for (size_t i = 0; i < shown->count; i++)
        crowded |= append_point_values(&chart, shown->items[i]);
    append_batch_sizes(&chart, shown, group->global_batch_size);
    append_own_runs(&chart, of);
    mls_chart_draw(out, &chart);
    if (shown->count < group->rcp.set->count) {
        mls_html_note(out, "%zu of %zu reference points: within a factor of %d of the batch size, and the nearest.",
                      shown->count, group->rcp.set->count, FACTOR);
    }
    if (crowded)
        mls_html_note(out, "Of runs of the reference that are alike at most %d have a dot.", POINTS_IN_A_ROW);
    mls_html_numbers_begin(out, "Reference points",
                           mls_html_text(of->scratch, "#batch size|#runs|#%s|#least that passes|used", up));
    for (size_t i = 0; i < shown->count; i++) {
        const mls_rcp_point *point = shown->items[i];
        mls_buffer_append_text(out, "<tr>");
        mls_html_count(out, point->global_batch_size);
        mls_html_count(out, (double)point->count);
        mls_html_count(out, point->bar.mean);
        mls_html_count(out, point->pruned ? (double)NAN : shown->limits[i]);
        mls_html_cell(out, NULL, "%s", point->pruned ? "no, pruned" : "yes");
        mls_buffer_append_text(out, "</tr>\n");
    }
    mls_html_numbers_end(out);
}

void mls_html_reference(mls_buffer *out, const mls_html_group *of)
{
    const mls_rcp_outcome *rcp = &of->group->rcp;
    const bool made = rcp->check != MLS_CHECK_NA;
    shown_points shown;
    const bool drawn = made && choose_points(of, &shown);
    mls_html_card_begin(out, "Reference convergence");
    if (drawn) {
        mls_html_key(out, MLS_MARK_LINE, "reference", "reference mean");
        mls_html_key(out, MLS_MARK_LINE, "limit", "least mean that passes");
        mls_html_key(out, MLS_MARK_DOT, "point", "a run of the reference");
        if (isfinite(mls_html_rcp_mean(of->group)))
            mls_html_key(out, MLS_MARK_DIAMOND, "diamond", "mean of these runs");
    }
    mls_html_card_body(out);
    if (made) {
        mls_buffer words = {0};
        mls_rcp_result_describe(&rcp->result, of->group->score.score_minutes, &words);
        mls_html_note(out, "%.*s", (int)words.len, words.len > 0 ? words.ptr : "");
        mls_buffer_release(&words);
    } else {
        mls_html_note(out, "%s",
                      of->group->division == MLS_DIVISION_OPEN ? "Not checked: the division is open."
                      : !of->group->rules->reference_points
                          ? "Not checked: the benchmark has no reference points."
                          : "Not checked: the runs are of no division or edition for which it is.");
    }
    if (drawn)
        append_reference(out, of, &shown);
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ published results */

enum { RESULT_ROWS_MOST = 150 };

/* Return the results that are drawn, and how many: those of the edition that the group's place is of, and of its
 * division. */
static const mls_published_result **results_of(const mls_html_group *of, size_t *count)
{
    const mls_published_near *nearest = of->of->nearest;
    const mls_division own = of->group->division == MLS_DIVISION_NONE ? MLS_DIVISION_CLOSED : of->group->division;
    *count = 0;
    if (nearest == NULL || mls_is_weak(&of->group->weak) || of->all->published == NULL ||
        of->of->side->benchmark == NULL)
        return NULL;
    const mls_published *all = &of->all->published[of->group->usage];
    const mls_published_result **results = mls_arena_array(of->scratch, all->count + 1, sizeof *results);
    for (size_t i = 0; i < all->count; i++) {
        const mls_published_result *result = &all->results[i];
        const mls_published_system *system = result->system;
        const mls_division division = system->division == MLS_DIVISION_NONE ? MLS_DIVISION_CLOSED : system->division;
        if (result->edition == nearest->result->edition && division == own && isfinite(result->minutes) &&
            result->minutes > 0 && system->accelerators > 0 && strcmp(result->benchmark, of->of->side->benchmark) == 0)
            results[(*count)++] = result;
    }
    return results;
}

void mls_html_published(mls_buffer *out, const mls_html_group *of)
{
    const mls_side_group *side = of->of->side;
    const bool placed = side->accelerators > 0 && side->scaled_minutes > 0;
    size_t count;
    const mls_published_result **results = results_of(of, &count);
    mls_extent accelerators = {0};
    mls_extent minutes = {0};
    if (count < 2)
        return;
    for (size_t i = 0; i < count; i++) {
        mls_extent_add(&accelerators, results[i]->system->accelerators);
        mls_extent_add(&minutes, results[i]->minutes);
    }
    mls_extent_add(&accelerators, placed ? side->accelerators : (double)NAN);
    mls_extent_add(&minutes, placed ? side->scaled_minutes : (double)NAN);
    mls_chart chart = {.title = "Published minutes over accelerators",
                       .height = 260 + MLS_CHART_BELOW,
                       .x = mls_scale_log(&accelerators, 1.3, MLS_CHART_LEFT, MLS_CHART_RIGHT),
                       .y = mls_scale_log(&minutes, 1.2, 260, MLS_CHART_TOP),
                       .across = "accelerators (log scale)",
                       .up = "minutes (log scale)"};
    mls_overview_append_place(&chart.description, of->of);
    /* Those on the same accelerators are drawn over the others. */
    for (int alike = 0; alike < 2; alike++) {
        for (size_t i = 0; i < count; i++) {
            const mls_published_system *system = results[i]->system;
            const bool is = side->accelerator != NULL && strcmp(system->model.text, side->accelerator) == 0;
            if (is == (alike == 1)) {
                mls_svg_circle(&chart.marks, alike ? "alike" : "point", mls_scale_at(&chart.x, system->accelerators),
                               mls_scale_at(&chart.y, results[i]->minutes), 4);
            }
        }
    }
    if (placed) {
        const double x = mls_scale_at(&chart.x, side->accelerators);
        const double y = mls_scale_at(&chart.y, side->scaled_minutes);
        const bool left = x > chart.x.to - 160;
        mls_svg_diamond(&chart.marks, "here", x, y, 8);
        mls_svg_text(&chart.marks, "strong", left ? 'e' : 's', x + (left ? -13 : 13), y - 8,
                     mls_html_text(of->scratch, "this one %s", mls_words_grouped(side->scaled_minutes, 3).text));
    }
    mls_html_card_begin(out, "Among the published results");
    if (placed)
        mls_html_key(out, MLS_MARK_DIAMOND, "here", "this one");
    if (side->accelerator != NULL)
        mls_html_key(out, MLS_MARK_DOT, "alike", side->accelerator);
    mls_html_key(out, MLS_MARK_DOT, "point", "other accelerators");
    mls_html_card_body(out);
    mls_html_note(out, "%s %s, %zu results of %s.", mls_usage_name(of->group->usage), of->of->nearest->result->round,
                  count, side->benchmark);
    mls_chart_draw(out, &chart);
    mls_html_numbers_begin(out, "Published results", "#rank|#minutes|#accelerators|model|submitter|system");
    for (size_t i = 0; i < count && i < RESULT_ROWS_MOST; i++) {
        const mls_published_system *system = results[i]->system;
        mls_buffer_append_text(out, "<tr>");
        mls_html_count(out, (double)results[i]->rank);
        mls_html_minutes_cell(out, results[i]->minutes);
        mls_html_count(out, system->accelerators);
        mls_html_cell(out, NULL, "%s", system->model.text[0] != '\0' ? system->model.text : system->accelerator);
        mls_html_cell(out, NULL, "%s", system->submitter);
        mls_html_cell(out, NULL, "%s", system->system_id);
        mls_buffer_append_text(out, "</tr>\n");
    }
    mls_html_numbers_end(out);
    if (count > RESULT_ROWS_MOST)
        mls_html_note(out, "The table has the first %d of %zu results.", RESULT_ROWS_MOST, count);
    mls_html_card_end(out);
}
