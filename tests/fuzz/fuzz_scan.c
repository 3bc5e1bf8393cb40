/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_scan.c - scan any bytes as a log.  The scan must end, and its results must be within their limits and add up. */
#include "log/log.h"

#include "base/memory.h"
#include "json/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct counts {
    size_t records;
    size_t malformed;
    size_t last_line;
    mls_arena arena;
} counts;

static bool same_places(const mls_member_places *a, const mls_member_places *b)
{
    return a->known == b->known &&
           (!a->known || (a->count == b->count && memcmp(a->names, b->names, a->count * sizeof *a->names) == 0));
}

/* Check that validating a record alone gives the same result as after the records before it. */
static void is_alone(const mls_record *record, mls_arena *arena)
{
    mls_record alone = {0};
    size_t where;

    if (mls_record_validate(record->payload, &alone, arena, &where) != NULL || alone.key_id != record->key_id ||
        !mls_str_equal(alone.value, record->value) || !mls_str_equal(alone.metadata, record->metadata) ||
        !same_places(&alone.value_places, &record->value_places) ||
        !same_places(&alone.metadata_places, &record->metadata_places))
        abort();
}

static mls_status on_record(void *state, const mls_record *record)
{
    counts *c = state;

    c->records++;
    if (record->line < c->last_line || record->payload.len > MLS_RECORD_LENGTH_MAX || record->column == 0)
        abort();
    c->last_line = record->line;
    /* Spans are validated, so a tree can always be built. */
    if (mls_value_build(record->value, &c->arena) == NULL || mls_value_build(record->metadata, &c->arena) == NULL)
        abort();
    is_alone(record, &c->arena);
    mls_arena_reset(&c->arena);
    return MLS_OK;
}

static mls_status on_malformed(void *state, const mls_malformed *malformed)
{
    counts *c = state;
    mls_record alone = {0};
    size_t where;

    c->malformed++;
    if (mls_record_validate(malformed->payload, &alone, &c->arena, &where) == NULL)
        abort();
    mls_arena_reset(&c->arena);
    if (malformed->reason == NULL || malformed->line < c->last_line || malformed->column == 0)
        abort();
    c->last_line = malformed->line;
    return MLS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    counts c = {0};
    const mls_sink sink = {.state = &c, .record = on_record, .malformed = on_malformed};
    mls_log_totals totals = {0};

    if (mls_log_scan_bytes((mls_str){(const char *)data, size}, &sink, 1, &totals, NULL) != MLS_OK)
        abort();
    if (totals.records != c.records || totals.malformed != c.malformed || totals.bytes != size)
        abort();
    mls_arena_release(&c.arena);
    return 0;
}
