/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c - store copies of records and validate them again for replay. */
#include "log/keep.h"

#include "base/memory.h"

/* Stored before each payload. */
typedef struct kept_place {
    size_t length, line, column;
    const char *reason; /* for a malformed line; NULL: a record */
    bool torn, quoted;
    size_t whole_before;
} kept_place;

static void keep(mls_kept_records *kept, kept_place place, const char *payload)
{
    const size_t size = sizeof place + place.length;
    mls_buffer_reserve(&kept->bytes, size);
    char *end = kept->bytes.ptr + kept->bytes.len;
    memcpy(end, &place, sizeof place);
    if (place.length > 0)
        memcpy(end + sizeof place, payload, place.length);
    kept->bytes.len += size;
    kept->count++;
}

void mls_records_keep(mls_kept_records *kept, const mls_record *record)
{
    const kept_place place = {record->payload.len, record->line, record->column,      NULL,
                              record->torn,        false,        record->whole_before};
    keep(kept, place, record->payload.ptr);
}

void mls_records_keep_malformed(mls_kept_records *kept, const mls_malformed *malformed)
{
    const kept_place place = {malformed->payload.len,
                              malformed->line,
                              malformed->column,
                              malformed->reason,
                              malformed->torn,
                              malformed->quoted,
                              0};
    keep(kept, place, malformed->payload.ptr);
}

mls_status mls_records_replay(const mls_kept_records *kept, const mls_sink *sink)
{
    mls_arena scratch = {0};
    mls_status status = MLS_OK;
    for (size_t at = 0; at < kept->bytes.len && status == MLS_OK;) {
        kept_place place;
        size_t where;
        memcpy(&place, kept->bytes.ptr + at, sizeof place);
        const mls_str payload = {kept->bytes.ptr + at + sizeof place, place.length};
        mls_record record = {
            .line = place.line, .column = place.column, .torn = place.torn, .whole_before = place.whole_before};
        mls_arena_reset(&scratch);
        if (place.reason != NULL) {
            const mls_malformed malformed = {place.line, place.column, place.reason, payload, place.torn, place.quoted};
            status = sink->malformed != NULL ? sink->malformed(sink->state, &malformed) : MLS_OK;
        } else if (mls_record_validate(payload, &record, &scratch, &where) == NULL) { /* succeeds, as it did before */
            status = sink->record(sink->state, &record);
        }
        at += sizeof place + place.length;
    }
    mls_arena_release(&scratch);
    return status;
}

void mls_records_forget(mls_kept_records *kept)
{
    mls_buffer_clear(&kept->bytes);
    kept->count = 0;
}

void mls_records_release(mls_kept_records *kept)
{
    mls_buffer_release(&kept->bytes);
    *kept = (mls_kept_records){0};
}
