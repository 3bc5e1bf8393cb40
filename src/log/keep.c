/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c - store copies of records and validate them again for replay. */
#include "log/keep.h"

#include "base/memory.h"

/* The facts stored before each payload. */
typedef struct kept_place {
    size_t length, line, column;
    const char *reason; /* why a line is malformed; NULL: it is a record */
    bool torn, quoted;
    size_t whole_before;
} kept_place;

static void keep(mls_kept_records *kept, kept_place place, mls_str payload)
{
    place.length = payload.len;
    mls_buffer_append(&kept->bytes, (mls_str){(const char *)&place, sizeof place});
    mls_buffer_append(&kept->bytes, payload);
    kept->count++;
}

void mls_records_keep(mls_kept_records *kept, const mls_record *record)
{
    keep(
        kept,
        (kept_place){
            .line = record->line, .column = record->column, .torn = record->torn, .whole_before = record->whole_before},
        record->payload);
}

void mls_records_keep_malformed(mls_kept_records *kept, const mls_malformed *malformed)
{
    keep(kept,
         (kept_place){.line = malformed->line,
                      .column = malformed->column,
                      .reason = malformed->reason,
                      .torn = malformed->torn,
                      .quoted = malformed->quoted},
         malformed->payload);
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
            /* The stored payload is valid, because it was valid when it was stored. */
        } else if (mls_record_validate(payload, &record, &scratch, &where) == NULL) {
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
