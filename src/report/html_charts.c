/* SPDX-License-Identifier: Apache-2.0 */
/* html_charts.c - the sections of a group that contain charts.  Each section fills in an mls_chart, and most sections
 * add a table of the numbers in the chart. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "report/html.h"

/* Return the first headings of a table of runs: the side (only if there are several sides) and the run. */
static const char *run_headings(const mls_html_group *of)
{
    return of->side != NULL ? "side|#run" : "#run";
}

static mls_chart_point *scratch_points(const mls_html_group *of, size_t count)
{
    return mls_arena_array(of->scratch, count + 1, sizeof(mls_chart_point));
}

/* ------------------------------------------------------------------------ convergence */

enum {
    POINTS_MOST = 2200, /* maximum number of points in a chart */
    RUN_POINTS = 1800,  /* maximum number of points of a run */
    BRIEF_POINTS = 40,  /* maximum number of points of a run in a brief group */
    ROWS_MOST = 300,
    CROWD = 15,          /* if there are more runs, lines are thinner */
    MANY_VALUES = 30,    /* if there are more values, the FAR_SHARE farthest from the target are outside the chart */
    NEAR_EVALUATIONS = 3 /* minimum number of evaluations of a run for the chart near the target */
};
#define FAR_SHARE 0.02
#define NEAR_SHARE 0.7 /* the chart near the target begins at this share of the length of the fastest run */

typedef enum across_kind { OVER_TRAINING, OVER_TIME, NEAR_TARGET, ACROSS_COUNT } across_kind;

/* The curves of one metric in a group or side. */
typedef struct curves_view {
    const mls_html_group *of;
    mls_curve_kind metric;
    bool steps; /* positions are in steps instead of samples or epochs */
    mls_target target;
    double near_from;            /* position where the chart near the target begins; NAN: there is no such chart */
    size_t totals[ACROSS_COUNT]; /* number of points of all runs in each kind of chart */
} curves_view;

static const char *const metric_names[] = {"evaluation", "FID", "CLIP", "BBOX", "SEGM"};

/* Return the value of an evaluation in the metric of a view; NAN if the evaluation is of another metric. */
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
    return view->steps ? "steps" : mls_html_epochs(view->of) ? "epochs" : "samples";
}

/* Collect the points of a run in a kind of chart.  Points at steps are sorted, since evaluations are not always logged
 * in order. */
static mls_chart_point *take_curve(const curves_view *view, across_kind kind, size_t at, size_t *count)
{
    const mls_throughput *run = &view->of->timed->runs[at];
    mls_chart_point *points = scratch_points(view->of, run->curve_count);
    *count = 0;
    for (size_t k = 0; k < run->curve_count; k++) {
        const mls_curve_point *point = &run->curve[k];
        const double x = kind == OVER_TIME ? point->ms / 60000 : position_on(view, point);
        const double y = value_in(view, point);
        if (isfinite(x) && isfinite(y) && (kind != NEAR_TARGET || position_on(view, point) >= view->near_from))
            points[(*count)++] = (mls_chart_point){x, y};
    }
    if (view->steps)
        mls_sort_by_double(points, *count, sizeof *points);
    return points;
}

static curves_view view_of(const mls_html_group *of, mls_curve_kind metric)
{
    const mls_benchmark *rules = of->group->rules;
    curves_view view = {.of = of, .metric = metric, .near_from = NAN};
    double least = INFINITY; /* position of the last evaluation of the fastest valid run */
    size_t count = 0;
    view.steps = true;
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        for (size_t k = 0; k < run->curve_count; k++)
            view.steps &= !isfinite(run->curve[k].samples) || !isfinite(value_in(&view, &run->curve[k]));
        if (view.target.direction == 0) {
            view.target = metric == MLS_CURVE_FID    ? (mls_target){rules->fid_max, isfinite(rules->fid_max) ? -1 : 0}
                          : metric == MLS_CURVE_CLIP ? (mls_target){rules->clip_min, isfinite(rules->clip_min)}
                          : metric == MLS_CURVE_BOX  ? run->box_target
                          : metric == MLS_CURVE_MASK ? run->mask_target
                                                     : run->target;
        }
    }
    for (size_t i = 0; i < of->group->run_count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        if (of->group->runs[i]->valid && run->curve_count > 0)
            least = fmin(least, position_on(&view, &run->curve[run->curve_count - 1]));
    }
    for (size_t i = 0; i < of->group->run_count && isfinite(least); i++) {
        const mls_throughput *run = &of->timed->runs[i];
        size_t near = 0;
        size_t all = 0;
        for (size_t k = 0; k < run->curve_count; k++) {
            const bool shown = isfinite(value_in(&view, &run->curve[k]));
            near += shown && position_on(&view, &run->curve[k]) >= NEAR_SHARE * least;
            all += shown;
        }
        if (near >= NEAR_EVALUATIONS && near < all)
            view.near_from = NEAR_SHARE * least;
    }
    for (across_kind kind = 0; kind < ACROSS_COUNT; kind++) {
        for (size_t i = 0; i < of->group->run_count; i++) {
            (void)take_curve(&view, kind, i, &count);
            view.totals[kind] += count;
        }
    }
    return view;
}

/* Draw the curves of a group, or the curves of all sides in one chart. */
static void append_curves(mls_buffer *out, const curves_view *views, size_t count, across_kind kind)
{
    static const char *const titles[ACROSS_COUNT] = {"Evaluations by training progress", "Evaluations by time",
                                                     "Evaluations near the target"};
    const mls_target target = views->target;
    const bool brief = views->of->brief;
    const double bottom = brief ? 200 : 300;
    mls_extent values = {0};
    mls_extent across = {0};
    if (kind != NEAR_TARGET)
        mls_extent_add(&across, 0);
    for (const curves_view *view = views; view < views + count; view++) {
        double *all = mls_arena_array(view->of->scratch, view->totals[kind], sizeof *all);
        size_t at = 0;
        for (size_t i = 0, count_of = 0; i < view->of->group->run_count; i++) {
            const mls_chart_point *points = take_curve(view, kind, i, &count_of);
            for (size_t k = 0; k < count_of; k++) {
                mls_extent_add(&across, points[k].x);
                all[at++] = points[k].y;
            }
        }
        mls_sort_doubles(all, at);
        if (at == 0)
            continue;
        /* Leave a few extreme evaluations outside the chart, because all other values would look equal beside them. */
        const size_t far = at > MANY_VALUES ? (size_t)(FAR_SHARE * (double)at) : 0;
        mls_extent_add(&values, all[view->target.direction > 0 ? far : 0]);
        mls_extent_add(&values, all[at - 1 - (view->target.direction < 0 ? far : 0)]);
        if (view->target.direction != 0)
            mls_extent_add(&values, view->target.number);
    }
    mls_chart chart = {.title = titles[kind],
                       .x = mls_scale_of(&across, kind == NEAR_TARGET ? 0.02 : 0.0, MLS_CHART_LEFT, MLS_CHART_RIGHT),
                       .y = mls_scale_of(&values, 0.06, bottom, MLS_CHART_TOP),
                       .across = kind == OVER_TIME ? "minutes since run_start" : position_unit(views),
                       .up = metric_names[views->metric],
                       .whole = brief,
                       .target = target.number};
    if (target.direction != 0)
        chart.target_label = mls_html_text(views->of->scratch, "target %s", mls_words_trimmed(target.number, 6).text);
    for (const curves_view *view = views; view < views + count; view++) {
        const size_t runs = view->of->group->run_count;
        const size_t share = mls_html_share(view->of, POINTS_MOST, 4);
        const size_t limit = brief ? BRIEF_POINTS : RUN_POINTS;
        mls_buffer_printf(&chart.description, "%s%s of %s, from %s to %s", view > views ? "; " : "",
                          mls_words_plural(view->totals[OVER_TIME], "evaluation", "evaluations").text,
                          mls_words_plural(runs, "run", "runs").text, mls_words_trimmed(values.low, 5).text,
                          mls_words_trimmed(values.high, 5).text);
        if (view->target.direction != 0)
            mls_buffer_printf(&chart.description, "; the target is %s", mls_words_trimmed(view->target.number, 6).text);
        mls_buffer_append_text(&chart.marks, runs > CROWD ? "<g class=\"crowd\">" : "<g>");
        for (size_t i = 0; i < runs; i++) {
            const mls_html_class drawn_as = mls_html_drawn_as(view->of, i);
            size_t kept;
            mls_chart_point *points = take_curve(view, kind, i, &kept);
            kept = mls_chart_thin(points, kept, share < limit ? share : limit, true);
            if (kept > 0) {
                mls_html_run_begin(&chart.marks, i);
                mls_chart_line(&chart.marks, &chart, mls_html_looks[drawn_as], points, kept);
                mls_html_run_dot(&chart.marks, drawn_as, mls_scale_at(&chart.x, points[kept - 1].x),
                                 mls_scale_at(&chart.y, points[kept - 1].y));
                mls_html_run_end(&chart.marks);
            }
        }
        mls_buffer_append_text(&chart.marks, "</g>");
    }
    mls_chart_draw(out, &chart);
}

/* Check whether all views have points for a kind of chart, in the same unit. */
static bool have_kind(const curves_view *views, size_t count, across_kind kind)
{
    bool have = true;
    for (size_t i = 0; i < count; i++)
        have = have && views[i].totals[kind] > 0 && strcmp(position_unit(&views[i]), position_unit(views)) == 0;
    return have;
}

/* Append the charts of a metric as tabs, and their numbers.  All tabs are shown in print and without styles. */
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
                                         position_unit(views), metric_names[views->metric]));
    for (const curves_view *view = views; view < views + view_count; view++) {
        for (size_t i = 0; i < view->of->group->run_count; i++) {
            const mls_throughput *run = &view->of->timed->runs[i];
            mls_chart_point *points = scratch_points(view->of, run->curve_count); /* index and value */
            for (size_t k = 0; k < run->curve_count; k++)
                points[k] = (mls_chart_point){(double)k, value_in(view, &run->curve[k])};
            const size_t kept = mls_chart_thin(points, run->curve_count, most, false);
            thinned |= kept < run->curve_count;
            for (size_t k = 0; k < kept; k++) {
                const mls_curve_point *point = &run->curve[(size_t)points[k].x];
                if (isfinite(points[k].y)) {
                    mls_html_cells(out, "<sccmv>", view->of->side, (double)(i + 1), position_on(view, point),
                                   point->ms / 60000, points[k].y);
                }
            }
        }
    }
    mls_html_numbers_end(out);
    if (thinned)
        mls_html_note(out, "The table shows only the lowest and highest evaluation of each slice of a run.");
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
    /* Images are evaluated after the run, in any order: sort their evaluations by progress of training. */
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

void mls_html_convergence(mls_buffer *out, const mls_html_group *sides)
{
    static const mls_curve_kind order[] = {MLS_CURVE_BOX, MLS_CURVE_MASK, MLS_CURVE_ONE, MLS_CURVE_FID, MLS_CURVE_CLIP};
    const size_t count = sides->sides;
    curves_view *views = mls_arena_array(sides->scratch, count, sizeof *views);
    bool begun = false;
    bool after = false; /* a run has evaluations after its run_stop */
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        /* The first side determines the metrics.  Other metrics are drawn only if BBOX and SEGM are missing. */
        if (order[i] == MLS_CURVE_ONE && begun)
            break;
        size_t found = 0;
        for (size_t k = 0; k < count && (k == 0 || found > 0); k++) {
            views[found] = view_of(&sides[k], order[i]);
            found += views[found].totals[OVER_TIME] > 0;
        }
        if (found > 0 && !begun) {
            mls_html_card_begin(out, "Convergence");
            if (!sides->brief)
                mls_html_line_keys(out, sides);
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
        mls_html_note(out, "Evaluations after run_stop do not count as time.");
    if (begun)
        mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ times */

/* Dots that are closer than APART are drawn above each other, on at most LEVELS levels.  MARGIN is the space at both
 * ends of the scale.  APART and MARGIN are in units of the picture. */
enum { APART = 11, LEVELS = 12, MARGIN = 30 };

void mls_html_times(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const bool weak = mls_is_weak(&group->weak);
    const bool few = group->score.outcome == MLS_OLYMPIC_TOO_FEW_RUNS;
    const double mean = weak ? (double)NAN : group->score.score_minutes; /* weak scaling does not have a mean */
    mls_placed *dots =
        mls_arena_array(of->scratch, group->run_count, sizeof *dots); /* the minutes and the index of each run */
    unsigned *levels = mls_arena_array(of->scratch, group->run_count, sizeof *levels);
    double last[LEVELS]; /* x coordinate of the last dot of each level */
    unsigned highest = 0;
    mls_extent extent = {0};
    mls_extent counted = {0};
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        mls_extent_add(&extent, minutes);
        mls_extent_add(&counted, mls_html_run_class(group, i) == MLS_RUN_KEPT ? minutes : (double)NAN);
        if (isfinite(minutes))
            dots[count++] = (mls_placed){minutes, i};
    }
    if (count == 0)
        return;
    const double top = 24;
    mls_chart chart = {.title = "Minutes of each run",
                       .x = mls_scale_of(&extent, 0.05, MARGIN, MLS_CHART_WIDTH - MARGIN),
                       .across = "minutes"};
    mls_sort_placed(dots, count, sizeof *dots);
    for (size_t i = 0; i < LEVELS; i++)
        last[i] = -APART;
    for (size_t i = 0; i < count; i++) { /* put each dot on the lowest level where it does not touch another dot */
        const double at = mls_scale_at(&chart.x, dots[i].value);
        unsigned level = 0;
        while (level < LEVELS - 1 && at - last[level] < APART)
            level++;
        levels[i] = level;
        last[level] = at;
        highest = level > highest ? level : highest;
    }
    const double bottom = top + 22 + APART * (double)(highest + 1);
    chart.y = (mls_scale){0, 1, bottom, top, false};
    mls_buffer_printf(&chart.description, "%s from %s to %s minutes",
                      mls_words_plural(extent.count, "run", "runs").text, mls_words_grouped(extent.low, 3).text,
                      mls_words_grouped(extent.high, 3).text);
    if (counted.count > 1) { /* draw a band from the fastest to the slowest counted run */
        const double left = mls_scale_at(&chart.x, counted.low);
        mls_svg_rect(&chart.behind, "band", left, top, mls_scale_at(&chart.x, counted.high) - left, bottom - top);
    }
    if (isfinite(mean)) {
        const mls_words words = mls_words_grouped(mean, 3);
        const double at = mls_scale_at(&chart.x, mean);
        const bool left = at > (chart.x.from + chart.x.to) / 2;
        mls_buffer_printf(&chart.description, "; mean of the counted runs %s", words.text);
        mls_svg_line(&chart.behind, "mean", at, top, at, bottom);
        mls_svg_text(&chart.behind, "strong", left ? 'e' : 's', at + (left ? -6 : 6), top + 14,
                     mls_html_text(of->scratch, "%s %s", few ? "mean" : "olympic mean", words.text));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t run = dots[i].place;
        mls_html_run_begin(&chart.marks, run);
        mls_html_run_dot(&chart.marks, mls_html_run_class(group, run), mls_scale_at(&chart.x, dots[i].value),
                         bottom - 10 - APART * (double)levels[i]);
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

enum {
    BARS_MOST = 100,
    BARS_TOGETHER = 10, /* number of bars in one picture; a page break is possible after each picture */
    BAR_HEIGHT = 24,
    BARS_LEFT = 44,
    BARS_RIGHT = 70,
    MANY_STRETCHES = 400
};

/* An initialization longer than this share of the longest run is cut, to leave space for the runs. */
#define INIT_SHARE 0.22

/* Stretches are drawn as one if the gap between them is smaller than JOINED, in units of the picture.  JOINED_OF_MANY
 * is used for runs with more than MANY_STRETCHES stretches. */
#define JOINED 0.4
#define JOINED_OF_MANY 4

/* The kinds of lines in a bar, in the order in which they are drawn.  Their legend entries are in another order. */
typedef enum bar_kind { BAR_NEITHER, BAR_TRAINING, BAR_EVALUATION, BAR_OVERLAPPED, BAR_KINDS } bar_kind;
static const char *const bar_looks[BAR_KINDS] = {"neither", "training", "evaluation", "over"};
static const struct {
    bar_kind kind;
    const char *label;
} bar_keys[BAR_KINDS] = {{BAR_TRAINING, "training"},
                         {BAR_EVALUATION, "evaluation"},
                         {BAR_NEITHER, "startup, between, tail"},
                         {BAR_OVERLAPPED, "evaluation during training"}};

/* Return the set of kinds of lines that show a stretch, as bits. */
static unsigned kinds_of(const mls_stretch *stretch)
{
    const bar_kind kind = stretch->part == MLS_PART_TRAINING     ? BAR_TRAINING
                          : stretch->part == MLS_PART_EVALUATION ? BAR_EVALUATION
                                                                 : BAR_NEITHER;
    return 1U << kind | (unsigned)stretch->overlapped << BAR_OVERLAPPED;
}

/* Append the bar of a run.  Initialization, which is not part of the score, is to the left of run_start; a stroke marks
 * initialization that is cut. */
static void append_bar(mls_buffer *out, const mls_html_group *of, size_t at, const mls_scale *x, double y)
{
    const mls_throughput *run = &of->timed->runs[at];
    const double init = (run->run->run_start.time_ms - run->run->init_start.time_ms) / 60000;
    const double near = run->stretch_count > MANY_STRETCHES ? JOINED_OF_MANY : JOINED;
    mls_html_run_begin(out, at);
    mls_svg_text(out, mls_html_run_class(of->group, at) == MLS_RUN_BAD ? "red" : NULL, 'e', BARS_LEFT - 10, y + 4.5,
                 mls_html_text(of->scratch, "%zu", at + 1));
    if (init > 0) {
        const double from = mls_scale_at(x, -init);
        mls_svg_line(out, "init", from, y, mls_scale_at(x, 0), y);
        if (-init < x->low)
            mls_svg_line(out, "cut", from + 8, y + 7, from + 14, y - 7);
    }
    for (bar_kind kind = 0; kind < BAR_KINDS && run->has_parts; kind++) {
        const double height = kind == BAR_OVERLAPPED ? y + 9 : y;
        const size_t mark = out->len;
        double begun = NAN; /* x coordinate of the first of the stretches that are drawn as one */
        double ended = NAN;
        mls_svg_path_begin(out, bar_looks[kind]);
        const size_t empty = out->len;
        for (size_t i = 0; i <= run->stretch_count; i++) {
            const mls_stretch *stretch = i < run->stretch_count ? &run->stretches[i] : NULL;
            if (stretch != NULL && (kinds_of(stretch) >> kind & 1) == 0)
                continue;
            const double from = stretch != NULL ? mls_scale_at(x, stretch->from_ms / 60000) : (double)INFINITY;
            if (!isnan(begun) && from - ended > near) {
                mls_svg_path_point(out, begun, height, true);
                mls_svg_path_point(out, fmax(ended, begun + 0.5), height, false);
                begun = NAN;
            }
            if (stretch != NULL) {
                begun = isnan(begun) ? from : begun;
                ended = mls_scale_at(x, stretch->to_ms / 60000);
            }
        }
        if (out->len == empty)
            mls_buffer_cut(out, mark);
        else
            mls_svg_path_end(out);
    }
    if (isfinite(run->run_ms)) {
        mls_svg_text(out, "strong", 's', mls_scale_at(x, run->run_ms / 60000) + 8, y + 4.5,
                     mls_words_grouped(run->run_ms / 60000, 3).text);
    }
    mls_html_run_end(out);
}

void mls_html_parts(mls_buffer *out, const mls_html_group *of)
{
    const size_t runs = of->group->run_count;
    const size_t count = runs < BARS_MOST ? runs : BARS_MOST;
    double longest = 0;
    double init = 0;
    unsigned has = 0; /* the kinds of lines that occur, as bits */
    for (size_t i = 0; i < runs; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        longest = run->has_parts && run->run_ms > longest ? run->run_ms : longest;
        init = fmax(init, run->run->run_start.time_ms - run->run->init_start.time_ms);
        for (size_t k = 0; k < run->stretch_count; k++)
            has |= kinds_of(&run->stretches[k]);
    }
    if (!(longest > 0))
        return;
    mls_html_card_begin(out, "Where the time went");
    mls_html_key(out, MLS_MARK_BAR, "init", "initialization");
    for (size_t i = 0; i < BAR_KINDS; i++)
        if ((has >> bar_keys[i].kind & 1) != 0)
            mls_html_key(out, MLS_MARK_BAR, bar_looks[bar_keys[i].kind], bar_keys[i].label);
    mls_html_card_body(out);
    /* The scale is in minutes, from the cut initialization to the end of the longest run. */
    init = isfinite(init) ? fmin(init, INIT_SHARE * longest) : 0;
    const mls_scale x = {-init / 60000, longest / 60000, BARS_LEFT, MLS_CHART_WIDTH - BARS_RIGHT, false};
    for (size_t from = 0; from < count; from += BARS_TOGETHER) {
        /* The first picture has a margin at the top; the last picture has the axis at the bottom. */
        const size_t to = count - from > BARS_TOGETHER ? from + BARS_TOGETHER : count;
        const double top = from == 0 ? 8 : 0;
        const double bottom = top + BAR_HEIGHT * (double)(to - from);
        const double zero = mls_scale_at(&x, 0);
        const bool last = to == count;
        mls_chart chart = {.title = "Where the time of each run went",
                           .x = x,
                           .y = {0, 1, bottom, 4, false},
                           .across = last ? "minutes since run_start (before 0: initialization, not timed)" : NULL,
                           .continues = from > 0,
                           .continued = !last};
        if (from == 0)
            mls_overview_answers[MLS_OVERVIEW_INSIDE].append(&chart.description, of->of);
        else
            mls_buffer_printf(&chart.description, "Starting with run %zu.", from + 1);
        for (size_t i = from; i < to; i++)
            append_bar(&chart.marks, of, i, &x, top + BAR_HEIGHT * ((double)(i - from) + 0.5));
        mls_svg_line(&chart.marks, "zero", zero, top / 2, zero, bottom);
        mls_chart_draw(out, &chart);
    }
    if (count < runs)
        mls_html_note(out, "The chart shows the first %zu of %zu runs.", count, runs);
    mls_html_numbers_begin(out, "Parts of each run",
                           "#run|#init|#training|#evaluation|#startup|#between|#tail|#minutes");
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &of->timed->runs[i];
        mls_html_cells(out, "<ck", (double)(i + 1), mls_run_init_minutes(run->run));
        for (int part = 0; part < MLS_PART_COUNT; part++) {
            const bool known = run->has_parts &&
                               (part != MLS_PART_EVALUATION || run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING);
            mls_html_cells(out, "d", known ? run->parts.ms[part] : (double)NAN);
        }
        mls_html_cells(out, "m>", run->run_ms / 60000);
    }
    mls_html_numbers_end(out);
    if (of->timed->cost_count > 0)
        mls_html_table_begin(out, NULL, "What it cost the score", "cost|#lost|#score without|#of the score");
    for (size_t i = 0; i < of->timed->cost_count; i++) {
        const mls_cost *cost = &of->timed->costs[i];
        mls_buffer what = {0};
        if (i == 0)
            mls_html_rows(out);
        mls_cost_append_what(&what, of->timed, cost);
        mls_html_cells(out, "<wdm", what.ptr, cost->lost_ms, cost->score_without_minutes);
        mls_html_cells(out, "n>", cost->percent, mls_words_percent(cost->percent / 100, 1));
        mls_buffer_release(&what);
    }
    if (of->timed->cost_count > 0) {
        mls_html_table_end(out);
        mls_html_note(out, "The group was scored again without each loss. Costs overlap: do not add them up.");
    }
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ pace */

/* The maximum number of steps of all curves in the chart, and of rows in the table. */
enum { STEPS_MOST = 1800, ROWS_OF_PACE = 200 };

/* The axis covers all rates except this share of the lowest and of the highest rates. */
#define RATE_SHARE 0.01
#define RATES_ALIKE 0.03
#define TRAINED_MIN 0.1

/* Check whether a segment contains enough training for a rate: two evaluations may be only milliseconds apart. */
static bool is_trained(const mls_throughput *run, const mls_pace_segment *segment)
{
    return segment->training_ms >= TRAINED_MIN * run->steady_ms_per_sample * segment->delta;
}

/* Return the median of the runs' steady rates; NAN if no run has a steady rate.  *count is set to the number of runs
 * with a steady rate. */
static double steady_rate(const mls_html_group *of, size_t *count)
{
    return (mls_html_epochs(of) ? 60000 : 1000) / mls_html_steady_ms(of, count);
}

/* Return the rates of a run's segments, thinned out to at most `most` points.  The x of a point is the index of the
 * segment.  The y is the rate in samples per second or, if progress is in epochs, in epochs per minute. */
static mls_chart_point *rates_of(const mls_html_group *of, size_t at, size_t most, size_t *count)
{
    const mls_throughput *run = &of->timed->runs[at];
    mls_chart_point *rates = scratch_points(of, run->segment_count);
    for (size_t k = 0; k < run->segment_count; k++) {
        const double each = run->segments[k].delta / run->segments[k].training_ms;
        rates[k] = (mls_chart_point){(double)k, each * (mls_throughput_counts_epochs(run) ? 60000 : 1000)};
    }
    *count = mls_chart_thin(rates, run->segment_count, most, false);
    return rates;
}

void mls_html_pace(mls_buffer *out, const mls_html_group *sides)
{
    static const char *const sources[] = {[MLS_MARKS_FROM_NOTHING] = "Progress from tracked_stats",
                                          [MLS_MARKS_FROM_EVALUATIONS] = "Progress between evaluations",
                                          [MLS_MARKS_FROM_BLOCKS] = "Progress between blocks",
                                          [MLS_MARKS_FROM_RUN_STOP] = "Progress of the whole run",
                                          [MLS_MARKS_FROM_LATE_EVALUATIONS] =
                                              "Progress of the whole run, because all evaluations came at its end"};
    const size_t count = sides->sides;
    const bool epochs = mls_html_epochs(sides);
    const char *source = NULL; /* the text about the source of progress */
    mls_extent rates = {0};
    mls_extent minutes = {0};
    bool undelimited = false;
    bool slow = false;
    mls_extent_add(&minutes, 0);
    for (const mls_html_group *of = sides; of < sides + count; of++) {
        size_t segments = 0;
        size_t known = 0;
        if (mls_html_epochs(of) != epochs)
            return; /* epochs and samples do not have a common axis */
        for (size_t i = 0; i < of->group->run_count; i++) {
            const mls_throughput *run = &of->timed->runs[i];
            segments += run->segment_count;
            mls_extent_add(&minutes, run->segment_count > 0 ? run->run_ms / 60000 : (double)NAN);
            source = source == NULL && run->segment_count > 0 ? sources[run->marks_from] : source;
            undelimited |= mls_throughput_evaluations_are_training(run);
            slow |= run->slow_phase_count > 0 && of->side == NULL;
        }
        double *all = mls_arena_array(of->scratch, segments, sizeof *all);
        for (size_t i = 0, kept = 0; i < of->group->run_count; i++) {
            const mls_throughput *run = &of->timed->runs[i];
            const mls_chart_point *own = rates_of(of, i, SIZE_MAX, &kept);
            for (size_t k = 0; k < kept; k++)
                if (isfinite(own[k].y) && is_trained(run, &run->segments[k]))
                    all[known++] = own[k].y;
        }
        if (known > 0) {
            const size_t beyond = (size_t)(RATE_SHARE * (double)known);
            mls_sort_doubles(all, known);
            mls_extent_add(&rates, all[beyond]);
            mls_extent_add(&rates, all[known - 1 - beyond]);
            /* Extend the axis around the steady rate, so that small differences between runs look small. */
            const double steady = steady_rate(of, &known);
            mls_extent_add(&rates, steady * (1 - RATES_ALIKE));
            mls_extent_add(&rates, steady * (1 + RATES_ALIKE));
        }
    }
    if (rates.count == 0)
        return;
    mls_chart chart = {.title = "Throughput of each run over time",
                       .x = mls_scale_of(&minutes, 0, MLS_CHART_LEFT, MLS_CHART_RIGHT),
                       .y = mls_scale_of(&rates, 0.1, 220, MLS_CHART_TOP),
                       .across = "minutes since run_start",
                       .up = epochs ? "epochs / min" : "samples / s"};
    mls_html_card_begin(out, "Throughput while training");
    mls_html_line_keys(out, sides);
    if (slow)
        mls_html_key(out, MLS_MARK_BAR, "slow-key", "slow phase of a run");
    mls_html_card_body(out);
    mls_html_note(out, "%s, over the time spent training.%s", source != NULL ? source : sources[MLS_MARKS_FROM_NOTHING],
                  undelimited ? " Evaluations are not delimited: they count as training." : "");
    mls_buffer_printf(&chart.description, "%s from %s to %s", epochs ? "Epochs per minute" : "Samples per second",
                      mls_words_rate(rates.low).text, mls_words_rate(rates.high).text);
    /* Draw the medians as lines, and as text in the first line of the picture, at its end. */
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
    for (const mls_html_group *of = sides; of < sides + count; of++) {
        for (size_t i = 0; i < of->group->run_count; i++) {
            const mls_throughput *run = &of->timed->runs[i];
            size_t kept;
            const mls_chart_point *own = rates_of(of, i, mls_html_share(of, STEPS_MOST, 4), &kept);
            mls_chart_point *points = scratch_points(of, 2 * kept);
            size_t count_of = 0;
            if (run->segment_count == 0)
                continue;
            for (size_t k = 0; k < kept; k++) {
                const mls_pace_segment *segment = &run->segments[(size_t)own[k].x];
                if (is_trained(run, segment)) {
                    const double from = count_of > 0 ? points[count_of - 1].x : segment->from_ms / 60000;
                    points[count_of++] = (mls_chart_point){from, own[k].y};
                    points[count_of++] = (mls_chart_point){segment->to_ms / 60000, own[k].y};
                }
            }
            mls_html_run_begin(&chart.marks, i);
            for (size_t k = 0; k < run->slow_phase_count && of->side == NULL; k++) {
                const double from = mls_scale_at(&chart.x, run->slow_phases[k].from_ms / 60000);
                const double to = mls_scale_at(&chart.x, run->slow_phases[k].to_ms / 60000);
                mls_svg_rect(&chart.marks, "slow", from, chart.y.to, fmax(to - from, 2), chart.y.from - chart.y.to);
            }
            mls_chart_line(&chart.marks, &chart, mls_html_looks[mls_html_drawn_as(of, i)], points, count_of);
            mls_html_run_end(&chart.marks);
        }
    }
    mls_chart_draw(out, &chart);
    const size_t most = mls_html_share(sides, ROWS_OF_PACE, 2);
    bool thinned = false;
    mls_html_numbers_begin(out, "Throughput of each segment",
                           mls_html_text(sides->scratch, "%s|#from (min)|#to (min)|%s", run_headings(sides),
                                         epochs ? "#epochs|#epochs/min" : "#samples|#samples/s"));
    for (const mls_html_group *of = sides; of < sides + count; of++) {
        for (size_t i = 0; i < of->group->run_count; i++) {
            const mls_throughput *run = &of->timed->runs[i];
            size_t kept;
            const mls_chart_point *own = rates_of(of, i, most, &kept);
            thinned |= kept < run->segment_count;
            for (size_t k = 0; k < kept; k++) {
                const mls_pace_segment *segment = &run->segments[(size_t)own[k].x];
                if (is_trained(run, segment)) {
                    mls_html_cells(out, "<scmmcr>", of->side, (double)(i + 1), segment->from_ms / 60000,
                                   segment->to_ms / 60000, segment->delta, own[k].y);
                }
            }
        }
    }
    mls_html_numbers_end(out);
    if (thinned)
        mls_html_note(out, "The table shows only the slowest and fastest segment of each slice of a run.");
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ reference */

/* Reference points within a factor of FACTOR of the batch size are drawn, and the nearest point on each side. */
enum { FACTOR = 4, POINTS_IN_A_ROW = 12, REFERENCE_POINTS_MOST = 60, DOTS_APART = 4, LABELS_APART = 46 };
enum { OWN_APART = 10, OWN_ROOM = 200 };

/* Return the number of samples or epochs that a run took to converge; NAN if it did not converge or log the number. */
static double run_number(const mls_group *group, size_t run)
{
    const double number = mls_run_converge_number(group->runs[run], group->rules, group->edition, false);
    return number < MLS_RCP_NOT_CONVERGED ? number : (double)NAN;
}

void mls_html_reference(mls_buffer *out, const mls_html_group *of)
{
    const mls_group *group = of->group;
    const mls_rcp_outcome *rcp = &group->rcp;
    const mls_rcp_set *set = rcp->set;
    const double batch = group->global_batch_size;
    const bool made = rcp->check != MLS_CHECK_NA;
    const double mean = mls_html_rcp_mean(group);
    const mls_rcp_point *points[REFERENCE_POINTS_MOST];
    double limits[REFERENCE_POINTS_MOST];
    const mls_rcp_point *below = NULL;
    const mls_rcp_point *above = NULL;
    size_t count = 0;
    const size_t all = made && set != NULL && batch > 0 ? set->count : 0;
    for (size_t i = 0; i < all; i++) {
        const mls_rcp_point *point = &set->items[i];
        below = point->global_batch_size <= batch && !point->pruned ? point : below;
        above = point->global_batch_size >= batch && !point->pruned && above == NULL ? point : above;
    }
    for (size_t i = 0; i < all && count < REFERENCE_POINTS_MOST; i++) {
        const mls_rcp_point *point = &set->items[i];
        const double ratio = point->global_batch_size / batch;
        if (point->global_batch_size > 0 &&
            ((ratio <= FACTOR && ratio * FACTOR >= 1) || point == below || point == above)) {
            limits[count] = mls_rcp_set_limit(set, point->global_batch_size).bar.limit;
            points[count++] = point;
        }
    }
    mls_html_card_begin(out, "Reference convergence");
    if (count > 0) {
        mls_html_key(out, MLS_MARK_LINE, "reference", "reference mean");
        mls_html_key(out, MLS_MARK_LINE, "limit", "lowest mean that passes");
        mls_html_key(out, MLS_MARK_DOT, "point", "reference run");
        if (isfinite(mean))
            mls_html_key(out, MLS_MARK_DIAMOND, "diamond", "mean of these runs");
    }
    mls_html_card_body(out);
    if (made) {
        mls_buffer words = {0};
        mls_rcp_result_describe(&rcp->result, group->score.score_minutes, &words);
        mls_html_note(out, "%.*s", (int)words.len, words.len > 0 ? words.ptr : "");
        mls_buffer_release(&words);
    } else {
        mls_html_note(out, "%s",
                      group->division == MLS_DIVISION_OPEN ? "Not checked: the division is open."
                      : !group->rules->reference_points
                          ? "Not checked: the benchmark has no reference points."
                          : "Not checked: there are no reference points for the division or "
                            "round of the runs.");
    }
    if (count == 0) {
        mls_html_card_end(out);
        return;
    }
    const char *unit = rcp->result.limit.unit;
    const char *up = mls_html_text(of->scratch, "%s to converge", unit != NULL ? unit : "");
    mls_extent numbers = {0};
    mls_extent sizes = {0};
    bool crowded = false;
    mls_extent_add(&sizes, batch);
    for (size_t i = 0; i < count; i++) {
        mls_extent_add(&sizes, points[i]->global_batch_size);
        mls_extent_add(&numbers, points[i]->bar.mean);
        mls_extent_add(&numbers, limits[i]);
        for (size_t k = 0; k < points[i]->count; k++)
            mls_extent_add(&numbers, points[i]->to_converge[k]);
    }
    for (size_t i = 0; i < group->run_count; i++)
        mls_extent_add(&numbers, run_number(group, i));
    mls_extent_add(&numbers, mean);
    mls_extent_add(&numbers, rcp->result.limit.bar.limit);
    mls_chart chart = {.title = "Convergence against the reference",
                       .x = mls_scale_log(&sizes, 1.35, MLS_CHART_LEFT, MLS_CHART_WIDTH - 40),
                       .y = mls_scale_of(&numbers, 0.06, 300, MLS_CHART_TOP),
                       .across = "global batch size (log scale)",
                       .own_ticks = true,
                       .up = up};
    const double own = mls_scale_at(&chart.x, batch);
    const double bottom = chart.y.from;
    double last = -1e6; /* x coordinate of the last label */
    mls_rcp_result_describe(&rcp->result, (double)NAN, &chart.description);
    /* Draw the curve through the means of the points that are not pruned, the limit below the curve, and the band
     * between them.  The path of the band goes along the curve to the last point and back along the limit. */
    static const char *const looks[] = {"band", "reference", "limit"};
    size_t joined = 0;
    for (int pass = 0; pass < 3; pass++) {
        mls_svg_path_begin(&chart.marks, looks[pass]);
        joined = 0;
        for (size_t k = 0; k < count * (pass == 0 ? 2 : 1); k++) {
            const bool back = k >= count;
            const size_t i = back ? 2 * count - 1 - k : k;
            const double value = back || pass == 2 ? limits[i] : points[i]->bar.mean;
            if (!points[i]->pruned && isfinite(limits[i])) {
                mls_svg_path_point(&chart.marks, mls_scale_at(&chart.x, points[i]->global_batch_size),
                                   mls_scale_at(&chart.y, value), joined == 0);
                joined += !back;
            }
        }
        mls_svg_path_end(&chart.marks);
    }
    for (size_t i = 0; i < count; i++) {
        const double x = mls_scale_at(&chart.x, points[i]->global_batch_size);
        const double y = mls_scale_at(&chart.y, points[i]->bar.mean);
        if (points[i]->pruned || joined <= 1)
            mls_svg_line(&chart.marks, points[i]->pruned ? "pruned" : "reference", x - 14, y, x + 14, y);
    }
    for (size_t i = 0; i < count; i++) {
        const mls_rcp_point *point = points[i];
        const double x = mls_scale_at(&chart.x, point->global_batch_size);
        for (size_t k = 0, end; k < point->count; k = end) { /* draw similar values side by side */
            const double y = mls_scale_at(&chart.y, point->to_converge[k]);
            for (end = k + 1; end < point->count && fabs(mls_scale_at(&chart.y, point->to_converge[end]) - y) < 3;)
                end++;
            const size_t alike = end - k < POINTS_IN_A_ROW ? end - k : POINTS_IN_A_ROW;
            crowded |= alike < end - k;
            for (size_t d = 0; d < alike; d++)
                mls_svg_circle(&chart.marks, "point", x + DOTS_APART * ((double)d - (double)(alike - 1) / 2), y, 1.7);
        }
    }
    for (size_t i = 0; i < count; i++) { /* omit labels that would touch another label */
        const double x = mls_scale_at(&chart.x, points[i]->global_batch_size);
        mls_svg_line(&chart.marks, "base", x, bottom, x, bottom + 4);
        if (x - last >= LABELS_APART && fabs(x - own) >= LABELS_APART) {
            mls_svg_text(&chart.marks, NULL, 'm', x, bottom + 19, mls_words_count(points[i]->global_batch_size).text);
            last = x;
        }
    }
    mls_svg_line(&chart.marks, "base", own, bottom, own, bottom + 4);
    mls_svg_text(&chart.marks, "strong", 'm', own, bottom + 19, mls_words_count(batch).text);
    /* Draw the runs to the right of their batch size, similar runs side by side, and the limit and the mean.  The
     * numbers of the limit and the mean are above the picture, where there are no dots. */
    const double limit = rcp->result.limit.bar.limit;
    const double apart = fmin(OWN_APART, OWN_ROOM / (double)group->run_count);
    double *taken = mls_arena_array(of->scratch, group->run_count, sizeof *taken);
    mls_buffer words = {0};
    for (size_t i = 0, runs = 0; i < group->run_count; i++) {
        const double number = run_number(group, i);
        const double y = mls_scale_at(&chart.y, number);
        size_t beside = 0;
        if (!isfinite(number))
            continue;
        for (size_t k = 0; k < runs; k++)
            beside += fabs(taken[k] - y) < 9;
        taken[runs++] = y;
        mls_html_run_begin(&chart.marks, i);
        mls_html_run_dot(&chart.marks, mls_html_run_class(group, i), own + 18 + apart * (double)beside, y);
        mls_html_run_end(&chart.marks);
    }
    if (isfinite(limit)) {
        const double y = mls_scale_at(&chart.y, limit);
        mls_svg_line(&chart.marks, "limit-here", own - 22, y, own + 22, y);
    }
    if (isfinite(mean)) {
        mls_svg_diamond(&chart.marks, "diamond", own, mls_scale_at(&chart.y, mean), 7);
        mls_buffer_printf(&words, "mean of these runs %s", mls_html_converge_words(mean).text);
    }
    if (isfinite(limit))
        mls_buffer_printf(&words, "%slimit %s", words.len > 0 ? " · " : "", mls_html_converge_words(limit).text);
    mls_svg_text(&chart.marks, "strong", 'e', chart.x.to, chart.y.to - 10, words.len > 0 ? words.ptr : "");
    mls_buffer_release(&words);
    mls_chart_draw(out, &chart);
    if (count < set->count) {
        mls_html_note(out,
                      "The chart shows %zu of %zu reference points: those within a factor of %d of the batch size, and "
                      "the nearest.",
                      count, set->count, FACTOR);
    }
    if (crowded)
        mls_html_note(out, "At most %d dots are drawn for similar reference runs.", POINTS_IN_A_ROW);
    mls_html_numbers_begin(out, "Reference points",
                           mls_html_text(of->scratch, "#batch size|#runs|#%s|#lowest that passes|used", up));
    for (size_t i = 0; i < count; i++) {
        const bool pruned = points[i]->pruned;
        mls_html_cells(out, "<cccct>", points[i]->global_batch_size, (double)points[i]->count, points[i]->bar.mean,
                       pruned ? (double)NAN : limits[i], pruned ? "no, pruned" : "yes");
    }
    mls_html_numbers_end(out);
    mls_html_card_end(out);
}

/* ------------------------------------------------------------------------ published results */

enum { RESULT_ROWS_MOST = 150 };

void mls_html_published(mls_buffer *out, const mls_html_group *of)
{
    const mls_side_group *side = of->of->side;
    const bool placed = side->accelerators > 0 && side->scaled_minutes > 0;
    const mls_division own = of->group->division == MLS_DIVISION_NONE ? MLS_DIVISION_CLOSED : of->group->division;
    mls_extent accelerators = {0};
    mls_extent minutes = {0};
    size_t count = 0;
    if (of->of->nearest == NULL || mls_is_weak(&of->group->weak) || of->all->published == NULL ||
        side->benchmark == NULL)
        return;
    /* Draw the results of the same benchmark and division, in the edition of the nearest published result. */
    const mls_published *all = &of->all->published[of->group->usage];
    const mls_published_result **results = mls_arena_array(of->scratch, all->count + 1, sizeof *results);
    for (size_t i = 0; i < all->count; i++) {
        const mls_published_result *result = &all->results[i];
        const mls_published_system *system = result->system;
        const mls_division division = system->division == MLS_DIVISION_NONE ? MLS_DIVISION_CLOSED : system->division;
        if (result->edition == of->of->nearest->result->edition && division == own && isfinite(result->minutes) &&
            result->minutes > 0 && system->accelerators > 0 && strcmp(result->benchmark, side->benchmark) == 0)
            results[count++] = result;
    }
    if (count < 2)
        return;
    for (size_t i = 0; i < count; i++) {
        mls_extent_add(&accelerators, results[i]->system->accelerators);
        mls_extent_add(&minutes, results[i]->minutes);
    }
    mls_extent_add(&accelerators, placed ? side->accelerators : (double)NAN);
    mls_extent_add(&minutes, placed ? side->scaled_minutes : (double)NAN);
    mls_chart chart = {.title = "Published minutes by number of accelerators",
                       .x = mls_scale_log(&accelerators, 1.3, MLS_CHART_LEFT, MLS_CHART_RIGHT),
                       .y = mls_scale_log(&minutes, 1.2, 260, MLS_CHART_TOP),
                       .across = "accelerators (log scale)",
                       .up = "minutes (log scale)"};
    mls_overview_answers[MLS_OVERVIEW_PLACE].append(&chart.description, of->of);
    /* Draw the results on other accelerators first, so that the results on the same accelerator are in front. */
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
    mls_html_card_begin(out, "Comparison with published results");
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
        mls_html_cells(out, "<cmcttt>", (double)results[i]->rank, results[i]->minutes, system->accelerators,
                       system->model.text[0] != '\0' ? system->model.text : system->accelerator, system->submitter,
                       system->system_id);
    }
    mls_html_numbers_end(out);
    if (count > RESULT_ROWS_MOST)
        mls_html_note(out, "The table shows the first %d of %zu results.", RESULT_ROWS_MOST, count);
    mls_html_card_end(out);
}
