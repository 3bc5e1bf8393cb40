/* SPDX-License-Identifier: Apache-2.0 */
/* chart.h - charts in SVG: marks, scales, axes with ticks, and the one function that draws a chart.  It knows nothing
 * of MLPerf.
 *
 *     mls_chart chart = {.title = "Minutes of each run", .height = 300, .x = mls_scale_of(&minutes, 0, 64, 1024), …};
 *     mls_svg_circle(&chart.marks, "kept", mls_scale_at(&chart.x, 1.5), 20, 4);
 *     mls_chart_draw(out, &chart);
 *
 * Coordinates are units of the picture, from its upper left corner; `look` is a class of report.css, a literal.  Values
 * that are not finite have no place: mls_chart_has() returns false, and whoever draws leaves them out. */
#pragma once

#include "report/markup.h"

/* ---- marks */

void mls_svg_line(mls_buffer *out, const char *look, double x1, double y1, double x2, double y2);
void mls_svg_rect(mls_buffer *out, const char *look, double x, double y, double width, double height);
void mls_svg_circle(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_cross(mls_buffer *out, const char *look, double x, double y, double radius);
void mls_svg_diamond(mls_buffer *out, const char *look, double x, double y, double radius);

/* Append text that starts at x (`anchor` 's'), has it in the middle ('m') or ends there ('e'). */
void mls_svg_text(mls_buffer *out, const char *look, char anchor, double x, double y, const char *text);

/* Append a path: begin it, add points, of which one that is `apart` (as the first must be) is moved to, and end it. */
void mls_svg_path_begin(mls_buffer *out, const char *look);
void mls_svg_path_point(mls_buffer *out, double x, double y, bool apart);
void mls_svg_path_end(mls_buffer *out);

/* ---- scales */

/* A range of values along a stretch of the picture; `logarithmic` only of values above 0. */
typedef struct mls_scale {
    double low, high; /* of the values; equal ones are widened by mls_scale_of() */
    double from, to;  /* of the picture */
    bool logarithmic;
} mls_scale;

/* The range of values as they come; zero-initialised it has none. */
typedef struct mls_extent {
    double low, high;
    size_t count;
} mls_extent;
void mls_extent_add(mls_extent *extent, double value); /* not finite: left out */

/* Return a scale for an extent, wider than it by a share of it, or by a factor. */
mls_scale mls_scale_of(const mls_extent *extent, double share, double from, double to);
mls_scale mls_scale_log(const mls_extent *extent, double factor, double from, double to);

/* Return the place of a value, held within the picture's stretch. */
double mls_scale_at(const mls_scale *scale, double value);

/* Return the distance of ticks: 1, 2, 5 or 10 times a power of ten, the one whose number of ticks is nearest to
 * `wanted` by d3's rule; always above 0. */
double mls_tick_step(double low, double high, unsigned wanted);

/* Return a tick's label: as many decimals as its step has, grouped; from 10,000 on k, from 1,000,000 on M. */
mls_words mls_tick_words(double value, double step);

/* ---- charts */

enum { MLS_CHART_WIDTH = 1040, MLS_CHART_LEFT = 64, MLS_CHART_RIGHT = MLS_CHART_WIDTH - 16, MLS_CHART_TOP = 26 };

typedef struct mls_chart {
    const char *title; /* read out, as is the description */
    mls_buffer description;
    mls_scale x, y;          /* y.from is the bottom */
    const char *across, *up; /* titles of the axis below and of the one at the left; NULL: it has none */
    bool own_ticks;          /* the ticks of the axis below are among the marks */
    bool whole;              /* lines go through whole units */
    double target;           /* a line across, if it has a label */
    const char *target_label;
    mls_buffer behind;         /* marks behind the axes */
    mls_buffer marks;          /* the series, lines by mls_chart_line() */
    bool continues, continued; /* it is a further picture in the frame of the one before, or has one itself */
} mls_chart;

bool mls_chart_has(const mls_chart *chart, double x, double y);

/* Append a line through points, without those that have no place, cut where it leaves the picture. */
void mls_chart_line(mls_buffer *out, const mls_chart *chart, const char *look, const double *x, const double *y,
                    size_t count);

/* Draw a chart in a frame that may scroll in a narrow window, and release its buffers. */
void mls_chart_draw(mls_buffer *out, mls_chart *chart);

/* Thin points of a line in the order of x: of more than `most` only the least and the greatest of each of half as many
 * equal slices stay, in their order.  keep[i] is whether a point stays.  Return whether some do not. */
enum { MLS_THIN_MAX = 1800 };
bool mls_chart_thin(const double *values, size_t count, size_t most, bool *keep);
