/* SPDX-License-Identifier: Apache-2.0 */
/* compare_show.h - comparisons for people, of three kinds, and what compare_report.c asks of them. */
#ifndef MLS_REPORT_COMPARE_SHOW_H
#define MLS_REPORT_COMPARE_SHOW_H

#include "report/reports.h"

/* Sides against the baseline; groups beside published results; sizes. */
void mls_comparison_show(mls_printer *to, const void *what);
void mls_nearest_show(mls_printer *to, const void *what);
void mls_scaling_show(mls_printer *to, const void *what);

/* Of every comparison (compare_lines.c): what heads a block (`model`: with the accelerator of the first), the runs that
 * stand out and those that were dropped with their reason, and below all (`below`: there is something above) the groups
 * that met nothing and the files that were skipped. */
void mls_compare_show_heading(mls_view *view, const mls_side_group *const *groups, size_t count, bool model);
void mls_compare_show_odd_runs(mls_view *view, const mls_block *block);
void mls_compare_show_rest(mls_view *view, const mls_comparison *in, bool below);

/* Means of the kept runs; NAN: not known.  Where evaluation is not delimited it counts as training. */
double mls_compare_part(const mls_side_group *group, mls_part part);
double mls_compare_init_minutes(const mls_side_group *group);

/* How many samples/s, or epochs/h, are trained where all that it takes is done in some milliseconds. */
bool mls_compare_epochs(const mls_side_group *group);
double mls_compare_rate(const mls_side_group *group, double ms);

#endif
