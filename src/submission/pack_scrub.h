/* SPDX-License-Identifier: Apache-2.0 */
/* pack_scrub.h - what a pack replaces in its logs.  Functions return MLS_OK or a status of mls_pack_make(). */
#pragma once

#include "base/walk.h"
#include "submission/scrub.h"

typedef struct mls_pack_scrub {
    mls_scrub scrub;
    char *record;  /* the path of the table */
    bool recorded; /* it was there before */
} mls_pack_scrub;

/* Begins with the table that earlier packs have kept. */
mls_status mls_pack_scrub_begin(mls_pack_scrub *self, const mls_pack_options *options, mls_error *error) MLS_MUST_USE;

/* Scrubs the files among what was `made`, but for a description that was there before, and tells the pack how much. */
mls_status mls_pack_scrub_files(mls_pack_scrub *self, mls_pack *pack, mls_names *made, mls_error *error) MLS_MUST_USE;

/* Refuses what is judged otherwise than `before`: a verdict, findings, the score, convergence or seeds. */
mls_status mls_pack_compare(const mls_pack *pack, const mls_submission *before, mls_error *error) MLS_MUST_USE;

/* Keeps the table, for nobody else to read: a new one is added to `placed`, an old one has only more then. */
mls_status mls_pack_scrub_keep(const mls_pack_scrub *self, mls_names *placed, mls_error *error) MLS_MUST_USE;

void mls_pack_scrub_release(mls_pack_scrub *self);
