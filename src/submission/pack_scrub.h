/* SPDX-License-Identifier: Apache-2.0 */
/* pack_scrub.h - what a pack replaces in its logs.  Functions return MLS_OK or a status of mls_pack_make(). */
#pragma once

#include "base/walk.h"
#include "submission/scrub.h"

/* Scrubs the files among what was `made` below `tree`, but for a description that was there before and the code, and
 * tells the pack how much. */
mls_status mls_pack_scrub_files(mls_scrub *scrub, mls_pack *pack, const char *tree, mls_names *made,
                                mls_error *error) MLS_MUST_USE;

/* Refuses what is judged otherwise than `before`: a verdict, findings, the score, convergence or seeds. */
mls_status mls_pack_compare(const mls_pack *pack, const mls_submission *before, mls_error *error) MLS_MUST_USE;
