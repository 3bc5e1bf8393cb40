/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_report.h - what `mlscore verify` prints of a judged submission.
 */
#ifndef MLS_REPORT_VERIFY_REPORT_H
#define MLS_REPORT_VERIFY_REPORT_H

#include "mlscore/submission.h"
#include "report/findings.h"

extern const mls_report mls_verify_report; /* of an mls_submission */

/* verify_table.c: a tree of systems and results, the findings by severity, the verdict in one line. */
void mls_verify_show(mls_printer *to, const void *submission);

/* Findings of a submitter (NULL: of what belongs to none) as far as they are to be shown. */
void mls_verify_found(mls_found *found, const mls_view *view, const mls_submission *submission,
                      const mls_submitter *submitter);

#endif
