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

void mls_svg_line(mls_buffer *out, const char *look, double x1, double y1, double x2, double y2);
void mls_svg_rect(mls_buffer *out, const char *look, double x, double y, double width, double height);
void mls_svg_circle(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_cross(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_diamond(mls_buffer *out, const char *look, double x, double y, double radius);

/* Append text that starts at x (`anchor` 's'), is centred there ('m'), or ends there ('e'). */
void mls_svg_text(mls_buffer *out, const char *look, char anchor, double x, double y, const char *text);

/* Append a path: begin it, draw a line to each point (or with `apart`, as for the first one, only move there), end it.
 */
void mls_svg_path_begin(mls_buffer *out, const char *look);
void mls_svg_path_point(mls_buffer *out, double x, double y, bool apart);
void mls_svg_path_end(mls_buffer *out);

/* A range of values along a stretch of the picture.  A logarithmic one has only values above 0. */
typedef struct mls_scale {
    double low, high; /* of the values; equal ones are widened by mls_scale_of() */
    double from, to;  /* of the picture */
    bool logarithmic;
} mls_scale;

/* The range of some values.  Zero-initialise it. */
typedef struct mls_extent {
    double low, high;
    size_t count;
} mls_extent;
void mls_extent_add(mls_extent *extent, double value); /* not finite: left out */

/* Return a scale for an extent, widened by a share of it, or by a factor. */
mls_scale mls_scale_of(const mls_extent *extent, double share, double from, double to);
mls_scale mls_scale_log(const mls_extent *extent, double factor, double from, double to);

/* Return the place of a value, clamped to the stretch. */
double mls_scale_at(const mls_scale *scale, double value);

/* Return the distance of ticks: 1, 2, 5 or 10 times a power of ten, so that there are about `wanted` ticks (d3's rule).
 * It is always above 0. */
double mls_tick_step(double low, double high, unsigned wanted);

/* Return the label of a tick, with as many decimals as its step; from 10,000 on in k, from 1,000,000 on in M. */
mls_words mls_tick_words(double value, double step);

enum { MLS_CHART_WIDTH = 1040, MLS_CHART_LEFT = 64, MLS_CHART_RIGHT = MLS_CHART_WIDTH - 16, MLS_CHART_TOP = 26 };

typedef struct mls_chart {
    const char *title; /* the title and the description are for screen readers */
    mls_buffer description;
    mls_scale x, y;          /* y.from is the bottom */
    const char *across, *up; /* titles of the axes below and at the left; NULL: no axis */
    bool own_ticks;          /* the ticks of the axis below are among the marks */
    bool whole;              /* round the points of lines to whole units */
    double target;           /* a line across, if it has a label */
    const char *target_label;
    mls_buffer behind;         /* marks behind the axes */
    mls_buffer marks;          /* all other marks */
    bool continues, continued; /* in one frame with the picture before, or after */
} mls_chart;

typedef struct mls_chart_point {
    double x, y;
} mls_chart_point;

/* Append a line through the points that are finite, clipped to the picture.  The scales are linear. */
void mls_chart_line(mls_buffer *out, const mls_chart *chart, const char *look, const mls_chart_point *points,
                    size_t count);

/* Draw a chart in a scrollable frame, and release its buffers. */
void mls_chart_draw(mls_buffer *out, mls_chart *chart);

/* Thin out the points of a line, and return how many stay.  If there are more than `most`, cut it into half as many
 * equal slices and keep the minimum and the maximum of each; with `last`, keep the last point too. */
size_t mls_chart_thin(mls_chart_point *points, size_t count, size_t most, bool last);
