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

void mls_plot_axis_up(mls_buffer *out, const mls_plot *plot)
{
    const mls_scale *y = &plot->y;
    const double step = mls_tick_step(y->low, y->high, 5);
    const double first = first_tick(y->low, step);
    for (int i = 0; i < TICKS_MAX && (first + i) * step <= y->high + step * 1e-9; i++) {
        const double value = (first + i) * step;
        const double at = mls_scale_at(y, value);
        mls_svg_line(out, "grid", plot->x.from, at, plot->x.to, at);
        mls_svg_text(out, NULL, 'e', plot->x.from - 8, at + 4.5, mls_str_from(mls_tick_words(value, step).text));
    }
    mls_svg_text(out, "axis", 's', 4, fmin(y->from, y->to) - 12, mls_str_from(plot->up));
}

void mls_plot_axis_across(mls_buffer *out, const mls_plot *plot)
{
    const mls_scale *x = &plot->x;
    const double bottom = fmax(plot->y.from, plot->y.to);
    const double step = mls_tick_step(x->low, x->high, 7);
    const double first = first_tick(x->low, step);
    mls_svg_line(out, "base", x->from, bottom, x->to, bottom);
    for (int i = 0; i < TICKS_MAX && !x->logarithmic && (first + i) * step <= x->high + step * 1e-9; i++) {
        const double value = (first + i) * step;
        const double at = mls_scale_at(x, value);
        mls_svg_line(out, "base", at, bottom, at, bottom + 4);
        mls_svg_text(out, NULL, 'm', at, bottom + 19, mls_str_from(mls_tick_words(value, step).text));
    }
    mls_svg_text(out, "axis", 'm', (x->from + x->to) / 2, bottom + 39, mls_str_from(plot->across));
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
        const spot_of_line here = {unheld(&plot->x, x[i]), unheld(&plot->y, y[i])};
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
