/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - problems found in a log, a group of runs or a submission, and advice about it.
 *
 * Get a list from mls_run_findings() or mls_group_findings(), and visit each finding:
 *
 *     for (size_t i = 0; i < mls_findings_kept(findings); i++) {
 *         puts(mls_finding_message(mls_findings_at(findings, i)));
 *     }
 *
 * A list keeps at most 100 findings of a kind, but counts all of them.  Findings and their texts belong to the list;
 * the list belongs to its run, group or submission.  The kind of a finding is a text such as "torn-line".
 * mlscore-findings(7) explains all kinds; later versions may add more. */
#pragma once

#include "mlscore/error.h"

MLS_C_BEGIN

typedef struct mls_finding mls_finding;
typedef struct mls_findings mls_findings;

/** The severity of a finding.  Only errors make a log or a submission invalid. */
typedef enum mls_severity { MLS_SEVERITY_ERROR = 0, MLS_SEVERITY_WARNING = 1, MLS_SEVERITY_ADVICE = 2 } mls_severity;

/** Return "error", "warning" or "advice"; NULL for any other number. */
const char *mls_severity_name(mls_severity severity);

/** Return the number of findings in the list.  Findings that were only counted are not included. */
size_t mls_findings_kept(const mls_findings *findings);

/** Return a finding by its index, from 0, in the order of lines; NULL past the end. */
const mls_finding *mls_findings_at(const mls_findings *findings, size_t index);

/** Return the number of findings of a severity, including those that the list did not keep; 0 for an unknown severity.
 * Verdicts are based on these totals. */
size_t mls_findings_total(const mls_findings *findings, mls_severity severity);

/** Return the kind of a finding, such as "torn-line". */
const char *mls_finding_kind(const mls_finding *finding);

mls_severity mls_finding_severity(const mls_finding *finding);

/** Return the message for people: one line without control characters. */
const char *mls_finding_message(const mls_finding *finding);

/** Return the line in the file, from 1; 0 if the finding is not about a line. */
size_t mls_finding_line(const mls_finding *finding);

/** Return the column of the line in bytes, from 1; 0 if the finding is not about a column. */
size_t mls_finding_column(const mls_finding *finding);

/** Return the path of the file or folder that the finding is about; NULL if it is the file or folder that the whole
 * list is about. */
const char *mls_finding_path(const mls_finding *finding);

/** Return the key of the record, or several keys as "a|b"; NULL if the finding is not about a key. */
const char *mls_finding_key(const mls_finding *finding);

MLS_C_END
