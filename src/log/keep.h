/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - store copies of records and malformed lines, and pass them to a sink later, when their run is known. */
#pragma once

#include "base/buffer.h"
#include "log/log.h"

/* Stored records and malformed lines.  Zero-initialize the struct for an empty store. */
typedef struct mls_kept_records {
    mls_buffer bytes; /* for each record or line: a kept_place (see keep.c) and the payload */
    size_t count;
} mls_kept_records;

/* Store a copy of a record, or of a malformed line. */
void mls_records_keep(mls_kept_records *kept, const mls_record *record);
void mls_records_keep_malformed(mls_kept_records *kept, const mls_malformed *malformed);

/* Pass the stored records and malformed lines to the sink in their order.  The records have no prefix.  If a callback
 * does not return MLS_OK, end the replay and return that status. */
mls_status mls_records_replay(const mls_kept_records *kept, const mls_sink *sink) MLS_MUST_USE;

/* Remove the records, but do not free the memory, which is reused. */
void mls_records_forget(mls_kept_records *kept);

void mls_records_release(mls_kept_records *kept);
