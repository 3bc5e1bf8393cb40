/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.h - system descriptions: systems/<system>.json.
 */
#ifndef MLS_SUBMISSION_SYSTEM_H
#define MLS_SUBMISSION_SYSTEM_H

#include <cjson/cJSON.h>

#include "mlscore/submission.h"

/* Reads what descriptions must hold, src/data/systems.json; *rules is to be given to cJSON_Delete(). */
mls_status mls_system_rules_load(cJSON **rules, mls_error *error) MLS_MUST_USE;

/* Whether descriptions are judged at all: not for 0.7.0. */
bool mls_system_judged(const cJSON *rules, const mls_edition *edition);

/*
 * Judges the text of a description by the rules of an edition: one JSON object
 * in UTF-8, every required field there, and one of the statuses.  Fills the
 * texts of `system` (whose name and path are set) and adds what is wrong to
 * `findings`.  MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_system_judge(mls_system *system, const cJSON *rules, mls_str text, const mls_edition *edition,
                            mls_findings *findings) MLS_MUST_USE;

/* Reads the description, if there is one, and judges it. */
mls_status mls_system_read(mls_system *system, const cJSON *rules, const mls_submission *submission,
                           mls_findings *findings) MLS_MUST_USE;

void mls_system_release(mls_system *system);

#endif
