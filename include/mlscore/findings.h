/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what is wrong with a log, a group or a submission, and what is worth knowing.
 *
 * A list of findings belongs to what it is about, and lives as long; so do the texts of a finding.  Of one kind a list
 * keeps at most 100, and counts all.  Kinds are texts ("torn-line"; mlscore-findings(7) explains each), of which later
 * versions may have more. */
#pragma once

#include "mlscore/error.h"

MLS_C_BEGIN

typedef struct mls_finding mls_finding;
typedef struct mls_findings mls_findings;

/** How bad a finding is; its name: "error", "warning" or "advice", NULL of any other number.  Only errors make a log or
 * a submission invalid. */
typedef enum mls_severity { MLS_SEVERITY_ERROR = 0, MLS_SEVERITY_WARNING = 1, MLS_SEVERITY_ADVICE = 2 } mls_severity;
const char *mls_severity_name(mls_severity severity);

/** How many findings a list keeps, and one of them, in the order of their lines; NULL past the end. */
size_t mls_findings_kept(const mls_findings *findings);
const mls_finding *mls_findings_at(const mls_findings *findings, size_t index);

/** How many of a severity were found, kept or not; 0 of any other number.  Verdicts are made of these. */
size_t mls_findings_total(const mls_findings *findings, mls_severity severity);

/** The kind: "torn-line"; how bad it is; what is said, for a person, in one line safe to print. */
const char *mls_finding_kind(const mls_finding *finding);
mls_severity mls_finding_severity(const mls_finding *finding);
const char *mls_finding_message(const mls_finding *finding);

/** Where it is: line and column in bytes, from 1 (0: none); the file or folder, NULL: the one that the list is about;
 * the key of the record, "a|b" for several, NULL: none. */
size_t mls_finding_line(const mls_finding *finding);
size_t mls_finding_column(const mls_finding *finding);
const char *mls_finding_path(const mls_finding *finding);
const char *mls_finding_key(const mls_finding *finding);

MLS_C_END
