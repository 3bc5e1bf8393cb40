/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score_report.h - what `mlscore score` prints of a collection.
 *
 * Nothing here computes a score; it only words what the groups hold.  Every
 * function returns false when memory ran out and the output is not complete.
 */
#ifndef MLS_REPORT_SCORE_REPORT_H
#define MLS_REPORT_SCORE_REPORT_H

#include "base/output.h"
#include "mlscore/collect.h"

typedef struct mls_report_style {
    size_t width; /* columns of the terminal; 0: no limit */
    bool color;
    unsigned verbose; /* 1: every finding and every skipped file */
    bool quiet;       /* no skipped files at all */
    bool list;        /* lines below a table are items of a Markdown list */
} mls_report_style;

bool mls_report_score_table(const mls_collection *collection, mls_report_style style, mls_output *output) MLS_MUST_USE;
bool mls_report_score_markdown(const mls_collection *collection, mls_report_style style,
                               mls_output *output) MLS_MUST_USE;
bool mls_report_score_csv(const mls_collection *collection, mls_output *output) MLS_MUST_USE;

/* One object with groups and skipped files. */
bool mls_report_score_json(const mls_collection *collection, mls_output *output) MLS_MUST_USE;

/* One object a group and line. */
bool mls_report_score_ndjson(const mls_collection *collection, mls_output *output) MLS_MUST_USE;

#endif
