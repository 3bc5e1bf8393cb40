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

bool mls_plot_thin(const double *values, size_t count, bool *keep)
{
    for (size_t i = 0; i < count; i++) {
        keep[i] = count <= MLS_THIN_MAX;
    }
    for (size_t slice = 0; slice < MLS_THIN_SLICES && count > MLS_THIN_MAX; slice++) {
        const size_t begin = slice * count / MLS_THIN_SLICES;
        const size_t end = (slice + 1) * count / MLS_THIN_SLICES;
        size_t least = begin;
        size_t greatest = begin;
        for (size_t i = begin; i < end; i++) {
            least = values[i] < values[least] || isnan(values[least]) ? i : least;
            greatest = values[i] > values[greatest] || isnan(values[greatest]) ? i : greatest;
        }
        keep[least] = true;
        keep[greatest] = true;
    }
    return count > MLS_THIN_MAX;
}
