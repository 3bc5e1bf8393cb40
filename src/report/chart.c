/* SPDX-License-Identifier: Apache-2.0 */
/* chart.c - elements of SVG, scales and their ticks, and charts. */
#include "report/chart.h"

#include <math.h>

/* ------------------------------------------------------------------------ marks */

void mls_svg_line(mls_buffer *out, const char *look, double x1, double y1, double x2, double y2)
{
    mls_markup_put(out, "<path class=\"%s\" d=\"M%f %fL%f %f\"/>", look, x1, y1, x2, y2);
}

void mls_svg_rect(mls_buffer *out, const char *look, double x, double y, double width, double height)
{
    mls_markup_put(out, "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>", look, x, y,
                   width > 0 ? width : 0, height > 0 ? height : 0);
}

void mls_svg_circle(mls_buffer *out, const char *look, double x, double y, double radius)
{
    mls_markup_put(out, "<circle class=\"%s\" cx=\"%f\" cy=\"%f\" r=\"%f\"/>", look, x, y, radius);
}

void mls_svg_cross(mls_buffer *out, const char *look, double x, double y, double r)
{
    mls_markup_put(out, "<path class=\"%s\" d=\"M%f %fL%f %fM%f %fL%f %f\"/>", look, x - r, y - r, x + r, y + r, x - r,
                   y + r, x + r, y - r);
}

void mls_svg_diamond(mls_buffer *out, const char *look, double x, double y, double r)
{
    mls_markup_put(out, "<path class=\"%s\" d=\"M%f %fL%f %fL%f %fL%f %fL%f %f\"/>", look, x, y - r, x + r, y, x, y + r,
                   x - r, y, x, y - r);
}

void mls_svg_text(mls_buffer *out, const char *look, char anchor, double x, double y, const char *text)
{
    mls_buffer_append_text(out, "<text");
    if (look != NULL)
        mls_markup_put(out, " class=\"%s\"", look);
    mls_markup_put(out, " x=\"%f\" y=\"%f\"", x, y);
    mls_buffer_append_text(out, anchor == 'm'   ? " text-anchor=\"middle\""
                                : anchor == 'e' ? " text-anchor=\"end\""
                                                : "");
    mls_markup_put(out, ">%s</text>", text);
}

void mls_svg_path_begin(mls_buffer *out, const char *look)
{
    mls_markup_put(out, "<path class=\"%s\" d=\"", look);
}

void mls_svg_path_point(mls_buffer *out, double x, double y, bool apart)
{
    mls_markup_put(out, apart ? "M%f %f" : "L%f %f", x, y);
}

void mls_svg_path_end(mls_buffer *out)
{
    mls_buffer_append_text(out, "\"/>");
}

/* ------------------------------------------------------------------------ scales and ticks */

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
    if (!(extent->high - extent->low > size * 1e-9))
        around = size > 0 ? size * 0.05 : 1;
    return (mls_scale){extent->low - around, extent->high + around, from, to, false};
}

mls_scale mls_scale_log(const mls_extent *extent, double factor, double from, double to)
{
    return (mls_scale){extent->low / factor, extent->high * factor, from, to, true};
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
    if (!(raw > 0) || !isfinite(raw))
        return 1;
    const double power = pow(10, floor(log10(raw)));
    const double e = raw / power;
    return power * (e >= sqrt(50) ? 10 : e >= sqrt(10) ? 5 : e >= sqrt(2) ? 2 : 1);
}

mls_words mls_tick_words(double value, double step)
{
    const double size = fabs(value);
    const double unit = size >= 1e6 ? 1e6 : size >= 1e4 ? 1e3 : 1;
    const double places = -floor(log10(step / unit) + 1e-9); /* number of decimals of the step: 2 for 0.05 */
    mls_words words = mls_words_grouped(value / unit, places > 0 ? (int)fmin(places, 12) : 0);
    const size_t len = strlen(words.text);
    if (unit > 1 && len + 3 < sizeof words.text)
        (void)mls_text_printf(words.text + len, sizeof words.text - len, " %s", unit > 1e3 ? "M" : "k");
    return words;
}

/* The minimum distances between labels on the axis at the left (UP) and below (ACROSS), and the height of the axis
 * below. */
enum { TICK_ROOM_UP = 24, TICK_ROOM_ACROSS = 46, AXIS_HEIGHT = 46 };

typedef struct tick_list {
    double at[TICKS_MAX];
    mls_words words[TICKS_MAX];
    size_t count;
} tick_list;

/* Find the ticks of a scale.  On a logarithmic scale, ticks are at 1, 2 and 5 times each power of ten, except where
 * their distance would be less than `room`. */
static tick_list find_ticks(const mls_scale *scale, unsigned wanted, double room)
{
    static const double factors[] = {1, 2, 5};
    tick_list ticks = {.count = 0};
    const double step = mls_tick_step(scale->low, scale->high, wanted);
    const double first = ceil(scale->low / step - 1e-9);
    double power = scale->logarithmic ? pow(10, floor(log10(scale->low) + 1e-9)) : 0;
    for (int i = 0; i < TICKS_MAX; i++) {
        const double value = scale->logarithmic ? power * factors[i % 3] : (first + i) * step;
        const double at = mls_scale_at(scale, value);
        if (value > scale->high + (scale->logarithmic ? 0 : step * 1e-9))
            break;
        power *= i % 3 == 2 ? 10 : 1;
        if (scale->logarithmic &&
            (value < scale->low * (1 - 1e-9) || (ticks.count > 0 && fabs(at - ticks.at[ticks.count - 1]) < room)))
            continue;
        ticks.at[ticks.count] = at;
        ticks.words[ticks.count++] = scale->logarithmic ? mls_words_count(value) : mls_tick_words(value, step);
    }
    return ticks;
}

/* ------------------------------------------------------------------------ charts */

static double scale_unclamped(const mls_scale *scale, double value)
{
    return scale->from + (scale->to - scale->from) * (value - scale->low) / (scale->high - scale->low);
}

/* Move an end of a line segment to the point where the segment crosses the border of the picture.  Return false if the
 * whole segment is outside the picture. */
static bool cut_end(mls_chart_point *end, const mls_chart_point *other, const mls_scale *scale, bool up)
{
    const double least = fmin(scale->from, scale->to);
    const double most = fmax(scale->from, scale->to);
    const double at = up ? end->y : end->x;
    const double from = up ? other->y : other->x;
    const double border = at < least ? least : most;
    if (at >= least && at <= most)
        return true;
    if ((from < least && border <= least) || (from > most && border >= most))
        return false;
    const double part = (border - from) / (at - from);
    *end = (mls_chart_point){other->x + (end->x - other->x) * part, other->y + (end->y - other->y) * part};
    return true;
}

void mls_chart_line(mls_buffer *out, const mls_chart *chart, const char *look, const mls_chart_point *points,
                    size_t count)
{
    mls_chart_point before = {0};
    mls_chart_point drawn = {-1, -1};
    bool has_before = false;
    mls_svg_path_begin(out, look);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y))
            continue;
        const mls_chart_point exact = {scale_unclamped(&chart->x, points[i].x),
                                       scale_unclamped(&chart->y, points[i].y)};
        const mls_chart_point here =
            chart->whole ? (mls_chart_point){floor(exact.x + 0.5), floor(exact.y + 0.5)} : exact;
        mls_chart_point from = before;
        mls_chart_point to = here;
        if (has_before && cut_end(&from, &to, &chart->x, false) && cut_end(&to, &from, &chart->x, false) &&
            cut_end(&from, &to, &chart->y, true) && cut_end(&to, &from, &chart->y, true)) {
            if (fabs(from.x - drawn.x) + fabs(from.y - drawn.y) > 1e-9)
                mls_svg_path_point(out, from.x, from.y, true);
            mls_svg_path_point(out, to.x, to.y, false);
            drawn = to;
        }
        before = here;
        has_before = true;
    }
    mls_svg_path_end(out);
}

void mls_chart_draw(mls_buffer *out, mls_chart *chart)
{
    if (!chart->continues)
        mls_buffer_append_text(out, "<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"plot\">");
    mls_markup_put(out, "<svg role=\"img\" viewBox=\"0 0 %f %f\"><title>%s</title><desc>", (double)MLS_CHART_WIDTH,
                   chart->y.from + (chart->across != NULL ? AXIS_HEIGHT : 0), chart->title);
    mls_markup_text(out, mls_buffer_str(&chart->description));
    mls_buffer_append_text(out, chart->continues ? "</desc>" : "</desc>\n");
    mls_buffer_append(out, mls_buffer_str(&chart->behind));
    if (chart->up != NULL) {
        const tick_list ticks = find_ticks(&chart->y, 5, TICK_ROOM_UP);
        mls_svg_path_begin(out, "grid");
        for (size_t i = 0; i < ticks.count; i++) {
            mls_svg_path_point(out, chart->x.from, ticks.at[i], true);
            mls_svg_path_point(out, chart->x.to, ticks.at[i], false);
        }
        mls_svg_path_end(out);
        mls_buffer_append_text(out, "<g text-anchor=\"end\">");
        for (size_t i = 0; i < ticks.count; i++)
            mls_svg_text(out, NULL, 's', chart->x.from - 8, ticks.at[i] + 4.5, ticks.words[i].text);
        mls_buffer_append_text(out, "</g>");
        mls_svg_text(out, "axis", 's', 4, chart->y.to - 12, chart->up);
    }
    if (chart->across != NULL) {
        const double bottom = chart->y.from;
        tick_list ticks = {.count = 0};
        if (!chart->own_ticks)
            ticks = find_ticks(&chart->x, 7, TICK_ROOM_ACROSS);
        mls_svg_path_begin(out, "base");
        mls_svg_path_point(out, chart->x.from, bottom, true);
        mls_svg_path_point(out, chart->x.to, bottom, false);
        for (size_t i = 0; i < ticks.count; i++) {
            mls_svg_path_point(out, ticks.at[i], bottom, true);
            mls_svg_path_point(out, ticks.at[i], bottom + 4, false);
        }
        mls_svg_path_end(out);
        mls_buffer_append_text(out, "<g text-anchor=\"middle\">");
        for (size_t i = 0; i < ticks.count; i++)
            mls_svg_text(out, NULL, 's', ticks.at[i], bottom + 19, ticks.words[i].text);
        mls_svg_text(out, "axis", 's', (chart->x.from + chart->x.to) / 2, bottom + 39, chart->across);
        mls_buffer_append_text(out, "</g>");
    }
    if (chart->target_label != NULL) {
        const double at = mls_scale_at(&chart->y, chart->target);
        mls_svg_line(out, "target", chart->x.from, at, chart->x.to, at);
        mls_svg_text(out, "strong", 's', chart->x.from + 6, at - 6, chart->target_label);
    }
    mls_buffer_append(out, mls_buffer_str(&chart->marks));
    mls_buffer_append_text(out, chart->continued ? "</svg>\n" : "</svg>\n</div>\n");
    mls_buffer_release(&chart->description);
    mls_buffer_release(&chart->behind);
    mls_buffer_release(&chart->marks);
}

size_t mls_chart_thin(mls_chart_point *points, size_t count, size_t most, bool last)
{
    const size_t slices = most / 2;
    size_t kept = 0;
    size_t greater = 0; /* index of the last point that was kept */
    if (count <= most)
        return count;
    for (size_t slice = 0; slice < slices; slice++) {
        const size_t begin = slice * count / slices;
        const size_t end = (slice + 1) * count / slices;
        size_t least = begin;
        size_t greatest = begin;
        for (size_t i = begin; i < end; i++) {
            least = points[i].y < points[least].y || isnan(points[least].y) ? i : least;
            greatest = points[i].y > points[greatest].y || isnan(points[greatest].y) ? i : greatest;
        }
        const size_t smaller = least < greatest ? least : greatest;
        greater = least < greatest ? greatest : least;
        points[kept++] = points[smaller];
        if (greater > smaller)
            points[kept++] = points[greater];
    }
    if (last && greater + 1 < count)
        points[kept++] = points[count - 1];
    return kept;
}
