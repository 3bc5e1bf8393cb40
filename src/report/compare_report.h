/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report.h - words and numbers of comparisons that several reports print. */
#pragma once

#include "report/reports.h"

/* Append "b200 is slower"; append "+27.1 %   95 %: +0.047 … +0.864" as far as it is known. */
void mls_compare_append_verdict(mls_buffer *words, const mls_difference *difference);
void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference);

/* Return the mean of a part over the kept runs; NAN: not known.  Evaluations that are not delimited count as training.
 */
double mls_compare_part(const mls_side_group *group, mls_part part);

/* Return whether a group converges in epochs. */
bool mls_compare_epochs(const mls_side_group *group);

/* Return "samples to converge" or "epochs/h in training"; return samples/s or epochs/h if training takes `ms`. */
mls_words mls_compare_label(const mls_side_group *group, mls_share share);
double mls_compare_rate(const mls_side_group *group, double ms);

/* Return the round of a group's edition: "5.1" of "5.1.0".  The bytes belong to the group. */
mls_str mls_compare_round(const mls_side_group *group);
