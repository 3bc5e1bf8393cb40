/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - records of which a copy is kept, to be replayed when it is known whose they are. */
#pragma once

#include "base/buffer.h"
#include "log/log.h"

/* Zero-initialised is empty. */
typedef struct mls_kept_records {
    mls_buffer bytes; /* of each record its place and its payload */
    size_t count;
} mls_kept_records;

/* False when memory runs out. */
bool mls_records_keep(mls_kept_records *kept, const mls_record *record) MLS_MUST_USE;

/* Gives `take` each record, from its payload, until it returns anything but MLS_OK; or MLS_ERROR_MEMORY. */
mls_status mls_records_replay(const mls_kept_records *kept, mls_status (*take)(void *state, const mls_record *record),
                              void *state) MLS_MUST_USE;

/* Forgets the records; the memory stays for the next ones. */
void mls_records_forget(mls_kept_records *kept);

void mls_records_release(mls_kept_records *kept);
