/* SPDX-License-Identifier: Apache-2.0 */
/* submission.h - check a whole submission before it is uploaded.
 *
 * A submission is the folder of one submitter, or a round's folder with many submitters.  mls_submission_new() checks
 * it; the functions below return the verdict, the findings and the results.
 *
 * Nothing in the folder is run or changed, and no symbolic link is followed out of the folder. */
#pragma once

#include "mlscore/group.h"

MLS_C_BEGIN

typedef struct mls_submission mls_submission;
typedef struct mls_submission_result mls_submission_result;

/** Check the submission in the folder `path`, as `mlscore verify` does.  If `rules` has a rule file, the edition that
 * the file extends applies.  Free the submission with mls_submission_free().
 *
 * Return MLS_OK even if the submission has errors.  On failure, set *submission to NULL and return MLS_ERROR_READ (the
 * folder cannot be read) or MLS_ERROR_VALUE (`path` is NULL). */
mls_status mls_submission_new(const mls_rules *rules, const char *path, mls_submission **submission,
                              mls_error *error) MLS_MUST_USE;

/** Free a submission with its results, groups and findings.  NULL is allowed. */
void mls_submission_free(mls_submission *submission);

/** Check whether the submission has no errors. */
bool mls_submission_is_valid(const mls_submission *submission);

/** Return the edition whose rules the submission was checked against, such as "5.1.0". */
const char *mls_submission_edition(const mls_submission *submission);

/** Return the number of findings of a severity in the whole submission, including those that were only counted. */
size_t mls_submission_total(const mls_submission *submission, mls_severity severity);

/** Return a finding by its index, from 0; NULL past the end.  Findings are grouped by submitter, the worst first.
 * Unless `path` is NULL, set *path to the file or folder that the finding is about, relative to the submission.  Each
 * call counts from the first finding. */
const mls_finding *mls_submission_finding(const mls_submission *submission, size_t index, const char **path);

/** Return a result by its index, from 0; NULL past the end.  A result is a folder with the logs of one system on one
 * benchmark. */
const mls_submission_result *mls_submission_result_at(const mls_submission *submission, size_t index);

/** Return the path of the result's folder, relative to the submission. */
const char *mls_submission_result_path(const mls_submission_result *result);

const char *mls_submission_result_system(const mls_submission_result *result);
const char *mls_submission_result_benchmark(const mls_submission_result *result);
bool mls_submission_result_is_valid(const mls_submission_result *result);

/** Return the runs of a result and their score; NULL if the edition does not have its benchmark. */
const mls_group *mls_submission_result_group(const mls_submission_result *result);

MLS_C_END
