/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_record.c - validate any bytes as the payload of a record.  It is refused with a position inside the bytes, or
 * its spans must be inside them and trees can be built. */
#include "log/log.h"

#include "base/memory.h"
#include "json/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(mls_str span, mls_str whole)
{
    if (span.ptr < whole.ptr || span.len > whole.len || (size_t)(span.ptr - whole.ptr) > whole.len - span.len)
        abort();
}

static void member_agrees(mls_str payload, const mls_value *tree, mls_str name, mls_str span, mls_arena *arena)
{
    const mls_value *member = mls_value_member(tree, name);
    mls_str found;

    inside(span, payload);
    if (member == NULL || !mls_json_member(payload, name, &found) || !mls_str_equal(found, span))
        abort();
    if (mls_json_kind_of(span) != member->kind || mls_value_build(span, arena) == NULL)
        abort();
}

static void same_member(const mls_record *record, mls_str name)
{
    mls_str walked = {NULL, 0};
    mls_str found = {NULL, 0};
    const bool there = mls_json_member(record->value, name, &walked);

    if (mls_record_value_member(record, name, &found) != there || found.ptr != walked.ptr || found.len != walked.len)
        abort();
}

/* Check that looking up a member by its noted position and by walking agree: for each name, and for the text from each
 * name to the end of the next one. */
static void places_agree(const mls_record *record)
{
    mls_json_walk walk = mls_json_walk_begin(record->value);
    mls_raw_member member;
    const char *last = NULL;

    while (walk.object && mls_json_walk_next(&walk, &member)) {
        same_member(record, member.name);
        if (last != NULL)
            same_member(record, (mls_str){last, (size_t)(member.name.ptr + member.name.len - last)});
        last = member.name.ptr;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mls_str payload = {(const char *)data, size};
    mls_arena arena = {0};
    mls_record record = {0};
    size_t where = 0;

    if (mls_record_validate(payload, &record, &arena, &where) != NULL) {
        if (where > size)
            abort();
    } else {
        const mls_value *tree = mls_value_build(record.payload, &arena);

        if (tree == NULL || tree->kind != MLS_JSON_OBJECT)
            abort();
        member_agrees(record.payload, tree, MLS_S("value"), record.value, &arena);
        member_agrees(record.payload, tree, MLS_S("metadata"), record.metadata, &arena);
        if (record.event_type.ptr != NULL)
            member_agrees(record.payload, tree, MLS_S("event_type"), record.event_type, &arena);
        places_agree(&record);
    }
    mls_arena_release(&arena);
    return 0;
}
