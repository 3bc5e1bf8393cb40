/* SPDX-License-Identifier: Apache-2.0 */
/* pack_record.h - what packs keep beside a submission, for nobody else to read: what was packed from what, and what
 * stands for what in it.  Functions return MLS_OK or a status of mls_pack_make(). */
#pragma once

#include <cjson/cJSON.h>

#include "base/walk.h"
#include "submission/scrub.h"

typedef struct mls_pack_record {
    char *path;       /* of the record, as the user would write it */
    char *submission; /* the name of the submission's folder */
    char *private_id; /* of the system, as a record has it; NULL: none has */
    cJSON *before;    /* what the record held; NULL: there was none */
} mls_pack_record;

/* The object of a record, to be given to cJSON_Delete(); NULL: it is none.  *status is MLS_OK, MLS_ERROR_READ with an
 * error, or MLS_ERROR_MEMORY. */
cJSON *mls_pack_record_read(const char *path, mls_status *status, mls_error *error) MLS_MUST_USE;

/* Finds the record, which lies outside of the submission, and takes the table (into `scrub`, if it is not NULL) and the
 * system's identifier from it and from the other records of the submission beside it.  To be released in any case. */
mls_status mls_pack_record_begin(mls_pack_record *self, const mls_pack_options *options, const char *benchmark,
                                 mls_scrub *scrub, mls_error *error) MLS_MUST_USE;

/* Gives the system an identifier, if it has none: 128 bits of chance, in the form of a UUID. */
mls_status mls_pack_record_identify(mls_pack_record *self, mls_error *error) MLS_MUST_USE;

/* Keeps the record of a pack that is about to be in its place, with mode 0600 and in one step.  A new one is added to
 * `placed`; of an old one what it says of other results stays. */
mls_status mls_pack_record_keep(const mls_pack_record *self, const mls_pack_options *options, const mls_pack *pack,
                                const mls_scrub *scrub, mls_names *placed, mls_error *error) MLS_MUST_USE;

void mls_pack_record_release(mls_pack_record *self);
