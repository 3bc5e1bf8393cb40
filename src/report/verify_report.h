/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_report.h - what `mlscore verify` prints of a judged submission.
 *
 * Every function returns false when memory ran out and the output is not
 * complete.
 */
#ifndef MLS_REPORT_VERIFY_REPORT_H
#define MLS_REPORT_VERIFY_REPORT_H

#include "base/output.h"
#include "mlscore/submission.h"

typedef struct mls_verify_style {
    size_t width; /* columns of the terminal; 0: no limit */
    bool color;
    bool strict;
    bool quiet;       /* no summary and no advice */
    unsigned verbose; /* 1: every finding on its own, and why forgiven logs are not valid */
    bool only;        /* findings of one severity only */
    mls_severity only_severity;
} mls_verify_style;

/* Whether a finding is to be shown. */
bool mls_verify_shows(const mls_verify_style *style, mls_severity severity);

/* A tree of systems and results, the findings by severity, the verdict in one line. */
bool mls_report_verify_table(const mls_submission *submission, const mls_verify_style *style,
                             mls_output *output) MLS_MUST_USE;
bool mls_report_verify_markdown(const mls_submission *submission, const mls_verify_style *style,
                                mls_output *output) MLS_MUST_USE;

/* One row a finding. */
bool mls_report_verify_csv(const mls_submission *submission, const mls_verify_style *style,
                           mls_output *output) MLS_MUST_USE;
bool mls_report_verify_json(const mls_submission *submission, const mls_verify_style *style,
                            mls_output *output) MLS_MUST_USE;

/* Annotations for GitHub workflows; paths as the user would open them. */
bool mls_report_verify_github(const mls_submission *submission, const mls_verify_style *style,
                              mls_output *output) MLS_MUST_USE;

/* A suite a submitter; every description and every result is a test case, and the tree around them one more. */
bool mls_report_verify_junit(const mls_submission *submission, const mls_verify_style *style,
                             mls_output *output) MLS_MUST_USE;

#endif
