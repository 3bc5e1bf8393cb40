/* SPDX-License-Identifier: Apache-2.0 */
/* compare_show.h - comparisons for people, of three kinds, and what compare_report.c asks of them. */
#pragma once

#include "report/reports.h"

/* Sides against the baseline; groups beside published results; sizes. */
void mls_comparison_show(mls_printer *to, const void *what);
void mls_nearest_show(mls_printer *to, const void *what);
void mls_scaling_show(mls_printer *to, const void *what);

/* Append "b200 is slower"; and "+27.1 %   95 %: +0.047 … +0.864", as far as it is known. */
void mls_compare_append_verdict(mls_buffer *words, const mls_difference *difference);
void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference);

/* Means of the kept runs; NAN: not known.  Where evaluation is not delimited it counts as training. */
double mls_compare_part(const mls_side_group *group, mls_part part);

/* How many samples/s, or epochs/h, are trained where all that it takes is done in some milliseconds. */
bool mls_compare_epochs(const mls_side_group *group);

/* What a group converges in, or its rate: "samples to converge", "epochs/h in training". */
mls_words mls_compare_label(const mls_side_group *group, mls_share share);
double mls_compare_rate(const mls_side_group *group, double ms);

/* The round that a group's edition is of: "5.1" of "5.1.0".  Its bytes are the group's. */
mls_str mls_compare_round(const mls_side_group *group);
