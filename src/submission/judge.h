/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h - from the files of a tree to verdicts.
 *
 * Logs are read first, power files next, side by side: what belongs to one run
 * stands in it.  Results are judged afterwards, in order.
 */
#ifndef MLS_SUBMISSION_JUDGE_H
#define MLS_SUBMISSION_JUDGE_H

#include "submission/tree.h"

/*
 * Reads the power files of a run whose log was read, and tells its joules to
 * the result's group.  What they hold is judged with warnings and advice only.
 */
mls_status mls_power_read(const mls_submission *submission, mls_submission_result *result, size_t run) MLS_MUST_USE;

/*
 * Finds out which power files each run of a result has.  One that lacks some
 * that most runs have is not valid.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_power_check(mls_submission_result *result) MLS_MUST_USE;

/* Judges a result whose logs have been read.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_result_judge(const mls_submission *submission, const mls_submission_options *options,
                            const mls_submitter *submitter, mls_submission_result *result) MLS_MUST_USE;

/*
 * Decodes the configs of a submitter's implementations, or with
 * options->benchmark of that one's; with options->system none, since nothing
 * says which belong to a system.  What disagrees in them, and settings that
 * cost speed, is advice.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_configs_judge(const mls_submission *submission, const mls_submission_options *options,
                             mls_submitter *submitter) MLS_MUST_USE;

#endif
