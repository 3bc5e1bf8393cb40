/* SPDX-License-Identifier: Apache-2.0 */
/* plot.h - scales, ticks, axes and thinning: what plots have in common.  It knows nothing of MLPerf.  Values that are
 * not finite have no place: mls_plot_has() says so, and whoever draws leaves them out. */
#pragma once

#include "report/svg.h"

/* A range of values along a stretch of the picture; `logarithmic` only of values above 0. */
typedef struct mls_scale {
    double low, high; /* of the values; equal ones are widened by mls_scale_of() */
    double from, to;  /* of the picture */
    bool logarithmic;
} mls_scale;

/* The range of values as they come; zero-initialised is of none. */
typedef struct mls_extent {
    double low, high;
    size_t count;
} mls_extent;
void mls_extent_add(mls_extent *extent, double value); /* not finite: left out */

/* A scale for an extent, a little wider than it by a share of it (0: just so). */
mls_scale mls_scale_of(const mls_extent *extent, double share, double from, double to);
mls_scale mls_scale_log(const mls_extent *extent, double factor, double from, double to);
bool mls_scale_has(const mls_scale *scale, double value);
double mls_scale_at(const mls_scale *scale, double value); /* held within the picture's stretch */

/* The distance of ticks: 1, 2, 5 or 10 times a power of ten, the one whose number of ticks is nearest to `wanted` by
 * d3's rule; always above 0. */
double mls_tick_step(double low, double high, unsigned wanted);

/* A tick's label: as many decimals as its step has, grouped; from 10,000 on k, from 1,000,000 on M. */
mls_words mls_tick_words(double value, double step);

enum { MLS_PLOT_WIDTH = 1040 };

/* Gridlines and labels of an axis of values at the left, of one below, and what they are of. */
typedef struct mls_plot {
    mls_scale x, y;
    const char *across, *up;
    bool whole; /* lines go through whole units */
} mls_plot;
void mls_plot_axis_up(mls_buffer *out, const mls_plot *plot);
void mls_plot_axis_across(mls_buffer *out, const mls_plot *plot);

/* The same of a logarithmic axis below, 1, 2 and 5 times each power of ten as far as there is room; the other one has
 * no ticks there, for those who have better ones. */
void mls_plot_log_across(mls_buffer *out, const mls_plot *plot);
bool mls_plot_has(const mls_plot *plot, double x, double y);

/* A line through points, those without a place left out, cut where it leaves the picture. */
void mls_plot_line(mls_buffer *out, const mls_plot *plot, const char *look, const double *x, const double *y,
                   size_t count);

/* Points of a line in the order of x.  Of more than `most` only the least and the greatest of each of half as many
 * equal slices stay, in their order: `keep` says whether a point does; true where some were left out. */
enum { MLS_THIN_MAX = 1800 };
bool mls_plot_thin(const double *values, size_t count, size_t most, bool *keep);
