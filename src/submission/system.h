/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.h - system descriptions: systems/<system>.json.
 */
#ifndef MLS_SUBMISSION_SYSTEM_H
#define MLS_SUBMISSION_SYSTEM_H

#include "mlscore/submission.h"
#include "submission/tree.h"

/* Whether descriptions are judged at all: not for 0.7.0. */
bool mls_system_judged(const mls_edition *edition);

/*
 * Judges the text of a description by the rules of an edition: one JSON object
 * in UTF-8, every required field there, and from 4.0.0 on one of four
 * statuses.  Fills the texts of `system` (whose name and path are set) and
 * adds what is wrong to `findings`.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_system_judge(mls_system *system, mls_str text, const mls_edition *edition,
                            mls_findings *findings) MLS_MUST_USE;

/* Reads systems/<system>.json and judges it. */
mls_status mls_system_read(mls_system *system, const mls_tree *tree, const mls_tree_file *file,
                           const mls_edition *edition, mls_findings *findings) MLS_MUST_USE;

void mls_system_release(mls_system *system);

#endif
