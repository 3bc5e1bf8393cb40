/* SPDX-License-Identifier: Apache-2.0 */
/* plot.c - where values lie in a picture, and what is written beside it. */
#include "report/plot.h"

#include <math.h>

/* No more ticks than these, whatever the values are. */
enum { TICKS_MAX = 40 };

void mls_extent_add(mls_extent *extent, double value)
{
    if (isfinite(value)) {
        extent->low = extent->count == 0 || value < extent->low ? value : extent->low;
        extent->high = extent->count == 0 || value > extent->high ? value : extent->high;
        extent->count++;
    }
}

mls_scale mls_scale_of(const mls_extent *extent, double share, double from, double to)
{
    const double size = fmax(fabs(extent->low), fabs(extent->high));
    double around = (extent->high - extent->low) * share;
    if (!(extent->high - extent->low > size * 1e-9)) {
        around = size > 0 ? size * 0.05 : 1;
    }
    return (mls_scale){extent->low - around, extent->high + around, from, to, false};
}

mls_scale mls_scale_log(const mls_extent *extent, double factor, double from, double to)
{
    return (mls_scale){extent->low / factor, extent->high * factor, from, to, true};
}

bool mls_scale_has(const mls_scale *scale, double value)
{
    return isfinite(value) && (!scale->logarithmic || value > 0);
}

double mls_scale_at(const mls_scale *scale, double value)
{
    const double part = scale->logarithmic ? log(value / scale->low) / log(scale->high / scale->low)
                                           : (value - scale->low) / (scale->high - scale->low);
    return scale->from + (scale->to - scale->from) * (isfinite(part) ? fmin(fmax(part, 0), 1) : 0);
}

double mls_tick_step(double low, double high, unsigned wanted)
{
    const double raw = (high - low) / wanted;
    if (!(raw > 0) || !isfinite(raw)) {
        return 1;
    }
    const double power = pow(10, floor(log10(raw)));
    const double e = raw / power;
    return power * (e >= sqrt(50) ? 10 : e >= sqrt(10) ? 5 : e >= sqrt(2) ? 2 : 1);
}

/* Decimals of a step: 0.05 has two. */
static int step_decimals(double step)
{
    const double places = -floor(log10(step) + 1e-9);
    return places > 0 ? (int)fmin(places, 12) : 0;
}

mls_words mls_tick_words(double value, double step)
{
    const double size = fabs(value);
    const double unit = size >= 1e6 ? 1e6 : size >= 1e4 ? 1e3 : 1;
    mls_words words = mls_words_grouped(value / unit, step_decimals(step / unit));
    const size_t len = strlen(words.text);
    if (unit > 1 && len + 3 < sizeof words.text) {
        (void)mls_text_printf(words.text + len, sizeof words.text - len, " %s", unit > 1e3 ? "M" : "k");
    }
    return words;
}

/* The first multiple of a step that is not below. */
static double first_tick(double low, double step)
{
    return ceil(low / step - 1e-9);
}

/* The next of 1, 2 and 5 times a power of ten, from the last one on (0: the first that is not below `low`). */
static double log_tick(double last, double low)
{
    const double power = pow(10, floor(log10(last > 0 ? last : low) + 1e-9));
    for (int i = 0; i < 4; i++) {
        const double tick = power * (i == 0 ? 1 : i == 1 ? 2 : i == 2 ? 5 : 10);
        if (last > 0 ? tick > last * (1 + 1e-9) : tick >= low * (1 - 1e-9)) {
            return tick;
        }
    }
    return 20 * power;
}

/* Labels keep so far apart. */
enum { TICK_ROOM_UP = 24, TICK_ROOM_ACROSS = 46 };

typedef struct tick_list {
    double values[TICKS_MAX], at[TICKS_MAX];
    double step; /* 0: of a logarithmic axis */
    size_t count;
} tick_list;

static tick_list linear_ticks(const mls_scale *scale, unsigned wanted)
{
    tick_list ticks = {.step = mls_tick_step(scale->low, scale->high, wanted)};
    const double first = first_tick(scale->low, ticks.step);
    for (int i = 0; i < TICKS_MAX && (first + i) * ticks.step <= scale->high + ticks.step * 1e-9; i++) {
        ticks.values[i] = (first + i) * ticks.step;
        ticks.at[i] = mls_scale_at(scale, ticks.values[i]);
        ticks.count++;
    }
    return ticks;
}

static tick_list log_ticks(const mls_scale *scale, double room)
{
    tick_list ticks = {0};
    double tick = log_tick(0, scale->low);
    for (int i = 0; i < TICKS_MAX && tick <= scale->high; i++, tick = log_tick(tick, scale->low)) {
        const double at = mls_scale_at(scale, tick);
        if (ticks.count == 0 || fabs(at - ticks.at[ticks.count - 1]) >= room) {
            ticks.values[ticks.count] = tick;
            ticks.at[ticks.count++] = at;
        }
    }
    return ticks;
}

static mls_words words_of_tick(const tick_list *ticks, size_t at)
{
    return ticks->step > 0 ? mls_tick_words(ticks->values[at], ticks->step) : mls_words_count(ticks->values[at]);
}

void mls_plot_axis_up(mls_buffer *out, const mls_plot *plot)
{
    const mls_scale *y = &plot->y;
    const tick_list ticks = y->logarithmic ? log_ticks(y, TICK_ROOM_UP) : linear_ticks(y, 5);
    mls_svg_path_begin(out, "grid");
    for (size_t i = 0; i < ticks.count; i++) {
        mls_svg_path_point(out, plot->x.from, ticks.at[i], true);
        mls_svg_path_point(out, plot->x.to, ticks.at[i], false);
    }
    mls_svg_path_end(out);
    mls_buffer_append_text(out, "<g text-anchor=\"end\">");
    for (size_t i = 0; i < ticks.count; i++) {
        mls_svg_text(out, NULL, 's', plot->x.from - 8, ticks.at[i] + 4.5, mls_str_from(words_of_tick(&ticks, i).text));
    }
    mls_buffer_append_text(out, "</g>");
    mls_svg_text(out, "axis", 's', 4, fmin(y->from, y->to) - 12, mls_str_from(plot->up));
}

static void append_ticks_across(mls_buffer *out, const mls_plot *plot, const tick_list *ticks)
{
    const double bottom = fmax(plot->y.from, plot->y.to);
    mls_svg_path_begin(out, "base");
    mls_svg_path_point(out, plot->x.from, bottom, true);
    mls_svg_path_point(out, plot->x.to, bottom, false);
    for (size_t i = 0; i < ticks->count; i++) {
        mls_svg_path_point(out, ticks->at[i], bottom, true);
        mls_svg_path_point(out, ticks->at[i], bottom + 4, false);
    }
    mls_svg_path_end(out);
    mls_buffer_append_text(out, "<g text-anchor=\"middle\">");
    for (size_t i = 0; i < ticks->count; i++) {
        mls_svg_text(out, NULL, 's', ticks->at[i], bottom + 19, mls_str_from(words_of_tick(ticks, i).text));
    }
    mls_svg_text(out, "axis", 's', (plot->x.from + plot->x.to) / 2, bottom + 39, mls_str_from(plot->across));
    mls_buffer_append_text(out, "</g>");
}

void mls_plot_axis_across(mls_buffer *out, const mls_plot *plot)
{
    tick_list ticks = {0};
    if (!plot->x.logarithmic) {
        ticks = linear_ticks(&plot->x, 7);
    }
    append_ticks_across(out, plot, &ticks);
}

void mls_plot_log_across(mls_buffer *out, const mls_plot *plot)
{
    const tick_list ticks = log_ticks(&plot->x, TICK_ROOM_ACROSS);
    append_ticks_across(out, plot, &ticks);
}

bool mls_plot_has(const mls_plot *plot, double x, double y)
{
    return mls_scale_has(&plot->x, x) && mls_scale_has(&plot->y, y);
}

/* A point in the picture that need not lie within it. */
typedef struct spot_of_line {
    double x, y;
} spot_of_line;

static double unheld(const mls_scale *scale, double value)
{
    return scale->from + (scale->to - scale->from) * (value - scale->low) / (scale->high - scale->low);
}

/* Moves an end of a stretch to where it crosses a border of the picture; false: all of it lies beyond. */
static bool cut_end(spot_of_line *end, const spot_of_line *other, double least, double most, bool up)
{
    const double at = up ? end->y : end->x;
    const double from = up ? other->y : other->x;
    const double border = at < least ? least : most;
    if (at >= least && at <= most) {
        return true;
    }
    if ((from < least && border <= least) || (from > most && border >= most)) {
        return false;
    }
    const double part = (border - from) / (at - from);
    *end = (spot_of_line){other->x + (end->x - other->x) * part, other->y + (end->y - other->y) * part};
    return true;
}

static bool cut_stretch(const mls_plot *plot, spot_of_line *a, spot_of_line *b)
{
    const double left = fmin(plot->x.from, plot->x.to);
    const double right = fmax(plot->x.from, plot->x.to);
    const double top = fmin(plot->y.from, plot->y.to);
    const double bottom = fmax(plot->y.from, plot->y.to);
    return cut_end(a, b, left, right, false) && cut_end(b, a, left, right, false) && cut_end(a, b, top, bottom, true) &&
           cut_end(b, a, top, bottom, true);
}

void mls_plot_line(mls_buffer *out, const mls_plot *plot, const char *look, const double *x, const double *y,
                   size_t count)
{
    spot_of_line before = {0};
    spot_of_line drawn = {-1, -1};
    bool has_before = false;
    mls_svg_path_begin(out, look);
    for (size_t i = 0; i < count; i++) {
        if (!mls_plot_has(plot, x[i], y[i])) {
            continue;
        }
        const spot_of_line exact = {unheld(&plot->x, x[i]), unheld(&plot->y, y[i])};
        const spot_of_line here = plot->whole ? (spot_of_line){floor(exact.x + 0.5), floor(exact.y + 0.5)} : exact;
        spot_of_line from = before;
        spot_of_line to = here;
        if (has_before && cut_stretch(plot, &from, &to)) {
            if (fabs(from.x - drawn.x) + fabs(from.y - drawn.y) > 1e-9) {
                mls_svg_path_point(out, from.x, from.y, true);
            }
            mls_svg_path_point(out, to.x, to.y, false);
            drawn = to;
        }
        before = here;
        has_before = true;
    }
    mls_svg_path_end(out);
}

bool mls_plot_thin(const double *values, size_t count, size_t most, bool *keep)
{
    const size_t slices = most / 2;
    for (size_t i = 0; i < count; i++) {
        keep[i] = count <= most;
    }
    for (size_t slice = 0; slice < slices && count > most; slice++) {
        const size_t begin = slice * count / slices;
        const size_t end = (slice + 1) * count / slices;
        size_t least = begin;
        size_t greatest = begin;
        for (size_t i = begin; i < end; i++) {
            least = values[i] < values[least] || isnan(values[least]) ? i : least;
            greatest = values[i] > values[greatest] || isnan(values[greatest]) ? i : greatest;
        }
        keep[least] = true;
        keep[greatest] = true;
    }
    return count > most;
}
