/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report.h - a comparison for people (compare_report.c) and for programs (compare_fields.c). */
#ifndef MLS_REPORT_COMPARE_REPORT_H
#define MLS_REPORT_COMPARE_REPORT_H

#include "report/reports.h"

extern const mls_fields mls_comparison_fields;
extern const mls_fields *const mls_comparison_tables[];
extern const mls_columns mls_difference_columns, mls_scaling_columns;
void mls_comparison_lines(mls_emitter *to, const void *what);
void mls_difference_rows(mls_emitter *to, const void *what);
void mls_scaling_lines(mls_emitter *to, const void *what);
void mls_scaling_rows(mls_emitter *to, const void *what);

/* Groups beside published results: an array, and the tables of what is in it. */
extern const mls_fields mls_beside_fields, mls_near_fields;
void mls_emit_beside(mls_emitter *to, const mls_comparison *in);

/* Runs that stand out, and those that were dropped with their reason. */
void mls_compare_show_odd_runs(mls_view *view, const mls_comparison *in, const mls_block *block);

/* What heads a block (`model`: with the accelerator of the first); and below all, what met nothing (`below`: something
 * else) and what was skipped. */
void mls_compare_show_heading(mls_view *view, const mls_side_group *const *groups, size_t count, bool model);
void mls_compare_show_rest(mls_view *view, const mls_comparison *in, bool below);
mls_words mls_compare_decimals(double number); /* three of them */

/* Means of the kept runs; NAN: not known.  Where evaluation is not delimited it counts as training. */
double mls_compare_part(const mls_side_group *group, mls_part part);
double mls_compare_evaluations(const mls_side_group *group);
double mls_compare_init_minutes(const mls_side_group *group);
double mls_compare_throughput(const mls_side_group *group); /* samples/s, or epochs/h, while training */

#endif
