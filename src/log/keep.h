/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - records and malformed lines of which a copy is kept, to be replayed when it is known whose they are. */
#pragma once

#include "base/buffer.h"
#include "log/log.h"

/* Zero-initialised is empty. */
typedef struct mls_kept_records {
    mls_buffer bytes; /* of each its place and its payload */
    size_t count;
} mls_kept_records;

/* Keep a copy. */
void mls_records_keep(mls_kept_records *kept, const mls_record *record);
void mls_records_keep_malformed(mls_kept_records *kept, const mls_malformed *malformed);

/* Give the sink each record, without its prefix, and each malformed line, in their order.  MLS_OK, or what a
 * callback returned, which ends it. */
mls_status mls_records_replay(const mls_kept_records *kept, const mls_sink *sink) MLS_MUST_USE;

/* Forgets the records; the memory stays for the next ones. */
void mls_records_forget(mls_kept_records *kept);

void mls_records_release(mls_kept_records *kept);
