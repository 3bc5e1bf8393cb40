/* SPDX-License-Identifier: Apache-2.0 */
/* submission.h - a whole submission, judged before it is uploaded: a submitter's folder, or a round's with many.
 *
 * It is walked once and every log is read once; nothing in it is run or changed, and no link is followed out of it. */
#pragma once

#include "mlscore/group.h"

MLS_C_BEGIN

typedef struct mls_submission mls_submission;
typedef struct mls_submission_result mls_submission_result;

/** Judges the folder at `path` as `mlscore verify` does; with a rule file by the edition that the file extends. MLS_OK,
 * whatever the verdict; MLS_ERROR_READ: it cannot be read as a folder; MLS_ERROR_VALUE: `path` is NULL;
 * MLS_ERROR_MEMORY.  *submission is NULL but for MLS_OK. */
mls_status mls_submission_new(const mls_rules *rules, const char *path, mls_submission **submission,
                              mls_error *error) MLS_MUST_USE;
void mls_submission_free(mls_submission *submission);

/** Whether there is no error in it; the edition it was judged by; how much of a severity was found in all. */
bool mls_submission_is_valid(const mls_submission *submission);
const char *mls_submission_edition(const mls_submission *submission);
size_t mls_submission_total(const mls_submission *submission, mls_severity severity);

/** The findings that were kept, those of a submitter together and the worst first, with the path that each is about,
 * relative to the folder; NULL past the end.  It counts from the start: to walk them is for showing. */
const mls_finding *mls_submission_finding(const mls_submission *submission, size_t index, const char **path);

/** The results: a folder of logs of one system on one benchmark; NULL past the end. */
const mls_submission_result *mls_submission_result_at(const mls_submission *submission, size_t index);
const char *mls_submission_result_path(const mls_submission_result *result);
const char *mls_submission_result_system(const mls_submission_result *result);
const char *mls_submission_result_benchmark(const mls_submission_result *result);
bool mls_submission_result_is_valid(const mls_submission_result *result);

/** Its runs and their score; NULL: its benchmark is none of the edition. */
const mls_group *mls_submission_result_group(const mls_submission_result *result);

MLS_C_END
