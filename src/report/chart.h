/* SPDX-License-Identifier: Apache-2.0 */
/* chart.h - charts in SVG: marks, scales, axes with ticks.
 *
 *     mls_chart chart = {.title = "Minutes of each run", .height = 300, .x = mls_scale_of(&minutes, 0, 64, 1024), …};
 *     mls_svg_circle(&chart.marks, "kept", mls_scale_at(&chart.x, 1.5), 20, 4);
 *     mls_chart_draw(out, &chart);
 *
 * Coordinates are units of the picture, from its upper left corner.  `look` is a class of report.css. */
#pragma once

#include "report/markup.h"

/* Append a mark.  A cross and a diamond extend by `radius` from their center (x, y), like a circle. */
void mls_svg_line(mls_buffer *out, const char *look, double x1, double y1, double x2, double y2);
void mls_svg_rect(mls_buffer *out, const char *look, double x, double y, double width, double height);
void mls_svg_circle(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_cross(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_diamond(mls_buffer *out, const char *look, double x, double y, double radius);

/* Append text that starts at x (`anchor` 's'), is centred there ('m'), or ends there ('e'). */
void mls_svg_text(mls_buffer *out, const char *look, char anchor, double x, double y, const char *text);

/* Begin a path, which consists of lines between points. */
void mls_svg_path_begin(mls_buffer *out, const char *look);

/* Append a line from the previous point to this one.  For the first point, and to leave a gap, set `apart`: no line is
 * drawn. */
void mls_svg_path_point(mls_buffer *out, double x, double y, bool apart);

/* End a path. */
void mls_svg_path_end(mls_buffer *out);

/* A mapping from a range of values to a range of coordinates.  The values of a logarithmic scale must be above 0. */
typedef struct mls_scale {
    double low, high; /* range of values */
    double from, to;  /* coordinates of `low` and `high` */
    bool logarithmic;
} mls_scale;

/* The minimum, the maximum and the number of some values.  Zero-initialise it. */
typedef struct mls_extent {
    double low, high;
    size_t count;
} mls_extent;

/* Add a value to an extent, unless the value is not finite. */
void mls_extent_add(mls_extent *extent, double value);

/* Return a linear scale for an extent, widened at each end by `share` of its size.  If the minimum and the maximum are
 * equal, the range is widened by 5 % of their absolute value. */
mls_scale mls_scale_of(const mls_extent *extent, double share, double from, double to);

/* Return a logarithmic scale for an extent, widened at each end by `factor`. */
mls_scale mls_scale_log(const mls_extent *extent, double factor, double from, double to);

/* Return the coordinate of a value, clamped to the range from `from` to `to`. */
double mls_scale_at(const mls_scale *scale, double value);

/* Return the distance between ticks: 1, 2, 5 or 10 times a power of ten, so that there are about `wanted` ticks (d3's
 * rule).  It is always above 0. */
double mls_tick_step(double low, double high, unsigned wanted);

/* Return the label of a tick, with as many decimals as `step` has.  Values from 10,000 on are in thousands ("10 k"),
 * values from 1,000,000 on in millions ("1 M"). */
mls_words mls_tick_words(double value, double step);

enum { MLS_CHART_WIDTH = 1040, MLS_CHART_LEFT = 64, MLS_CHART_RIGHT = MLS_CHART_WIDTH - 16, MLS_CHART_TOP = 26 };

typedef struct mls_chart {
    const char *title; /* the title and the description are for screen readers */
    mls_buffer description;
    mls_scale x, y;            /* y.from is the coordinate of the bottom, so it is greater than y.to */
    const char *across, *up;   /* titles of the axis below and of the axis at the left; NULL: no axis */
    bool own_ticks;            /* the caller appends the ticks of the axis below to the marks */
    bool whole;                /* round the coordinates of the points of lines to integers */
    double target;             /* value on the y axis with a horizontal line, if target_label is set */
    const char *target_label;  /* NULL: no line */
    mls_buffer behind;         /* marks behind the axes */
    mls_buffer marks;          /* marks in front of the axes */
    bool continues, continued; /* the chart shares its frame with the previous chart, or with the next one */
} mls_chart;

typedef struct mls_chart_point {
    double x, y;
} mls_chart_point;

/* Append a line through those of the points whose x and y are finite, clipped to the picture.  The scales of the chart
 * must be linear. */
void mls_chart_line(mls_buffer *out, const mls_chart *chart, const char *look, const mls_chart_point *points,
                    size_t count);

/* Draw a chart in a scrollable frame, and release its buffers. */
void mls_chart_draw(mls_buffer *out, mls_chart *chart);

/* Thin out the points of a line, and return the number of remaining points.  If there are more than `most` points, cut
 * the line into most / 2 equal slices and keep the minimum and the maximum of each slice.  If `last` is set, keep the
 * last point, too. */
size_t mls_chart_thin(mls_chart_point *points, size_t count, size_t most, bool last);
