/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score_report.h - what `mlscore score` prints of a collection.
 *
 * Nothing here computes a score; it only words what the groups hold.
 */
#ifndef MLS_REPORT_SCORE_REPORT_H
#define MLS_REPORT_SCORE_REPORT_H

#include "mlscore/collect.h"
#include "report/fields.h"

extern const mls_report mls_score_report; /* of an mls_collection */

/* score_table.c: table and Markdown. */
void mls_score_show(mls_printer *to, const void *collection);

/* Fields that score and verify share.  Of a verdict on convergence, but for the first, `pass`: */
#define MLS_VERDICT_FIELDS(F)                                                                                          \
    F(verdict, message, TEXT, 0, "", row->result.message)                                                              \
    F(verdict, scale, NUMBER, 0, "", row->result.scale)                                                                \
    F(verdict, mean, NUMBER_OR_NULL, 0, "", row->result.limit.mean)                                                    \
    F(verdict, limit, NUMBER_OR_NULL, 0, "", row->result.limit.limit)                                                  \
    F(verdict, submission_mean, NUMBER_OR_NULL, 0, "", row->result.submission_mean)

/* Of weak scaling. */
#define MLS_WEAK_FIELDS(F)                                                                                             \
    F(weak, models, NUMBER, 0, "", row->models)                                                                        \
    F(weak, instance_scale, NUMBER_OR_NULL, 0, "", row->instance_scale)                                                \
    F(weak, time_to_train_all_minutes, NUMBER_OR_NULL, 0, "minutes", row->minutes)

#endif
