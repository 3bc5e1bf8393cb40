/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - build and compare trees of validated JSON. span.c does the scanning. */
#include "json/value.h"

#include "base/map.h"
#include "json/json_check.h"

/* Set *text to the text of a quoted string, with each byte decoded as Latin-1.  Most strings contain only ASCII without
 * escapes; *text is then a part of `quoted`. */
static void string_fill(mls_str *text, mls_str quoted, mls_arena *arena)
{
    bool plain = true;
    for (size_t i = 1; i + 1 < quoted.len && plain; i++)
        plain = quoted.ptr[i] != '\\' && (unsigned char)quoted.ptr[i] < 0x80;
    *text = plain ? (mls_str){quoted.ptr + 1, quoted.len - 2} : mls_span_decode(quoted, true, arena);
}

/* In objects with at least this many members, names are looked up in a map, so that a million members do not take
 * quadratic time. */
enum { MLS_OBJECT_LINEAR = 16 };

/* Return the position of `name` among the members, or `count` if it is new. */
static size_t member_place(mls_map *places, const mls_member *members, size_t count, mls_str name)
{
    if (count < MLS_OBJECT_LINEAR) {
        size_t place = 0;
        while (place < count && !mls_str_equal(members[place].name, name))
            place++;
        return place;
    }
    for (size_t i = places->count; i < count; i++)
        (void)mls_map_put(places, members[i].name, NULL);
    return (size_t)(mls_map_put(places, name, NULL) - places->entries);
}

/* Build `value` from the text at *at and advance *at past it, so that no text is read again for each level of nesting.
 * The depth of the recursion is limited to MLS_JSON_DEPTH_MAX, which is checked again here. */
static bool value_fill(mls_value *value, const char **at, const char *end, mls_arena *arena, unsigned depth)
{
    const mls_str rest = {*at, (size_t)(end - *at)};
    mls_json_walk walk = mls_json_walk_begin(rest);
    *value = (mls_value){.kind = mls_json_kind_of(rest)};
    if (value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT) {
        mls_value *items = NULL;
        mls_member *members = NULL;
        mls_map places = {.arena = arena};
        size_t count = 0;
        size_t capacity = 0;
        bool filled = depth < MLS_JSON_DEPTH_MAX;
        for (mls_str name; filled && mls_walk_enter(&walk, &name);) {
            const char *next = walk.at;
            if (walk.object) {
                mls_value *member = mls_arena_alloc(arena, sizeof *member);
                filled = value_fill(member, &next, end, arena, depth + 1);
                string_fill(&name, (mls_str){name.ptr - 1, name.len + 2}, arena);
                mls_arena_grow(arena, (void **)&members, count, &capacity, sizeof *members);
                const size_t place = member_place(&places, members, count, name);
                if (place == count)
                    members[count++].name = name;
                members[place].value = member;
            } else {
                mls_arena_grow(arena, (void **)&items, count, &capacity, sizeof *items);
                filled = value_fill(&items[count++], &next, end, arena, depth + 1);
            }
            if (filled)
                mls_walk_leave(&walk, next);
        }
        if (walk.object) {
            value->as.object.members = members;
            value->as.object.count = count;
        } else {
            value->as.list.items = items;
            value->as.list.count = count;
        }
        *at = walk.at + (walk.at < end);
        return filled;
    }
    *at = mls_span_skip_value(*at, end);
    const mls_str span = {rest.ptr, (size_t)(*at - rest.ptr)};
    switch (value->kind) {
    case MLS_JSON_BOOL:
        value->as.boolean = *span.ptr == 't';
        return true;
    case MLS_JSON_NUMBER:
        value->is_integer = mls_json_is_integer(span);
        return mls_json_number(span, &value->as.number);
    case MLS_JSON_STRING:
        string_fill(&value->as.string, span, arena);
        return true;
    default:
        return true;
    }
}

const mls_value *mls_value_build(mls_str json, struct mls_arena *arena)
{
    mls_value *value = mls_arena_alloc(arena, sizeof *value);
    const char *at = json.ptr;
    return value_fill(value, &at, json.ptr + json.len, arena, 0) ? value : NULL;
}

const mls_value *mls_value_member(const mls_value *value, mls_str name)
{
    if (value == NULL || value->kind != MLS_JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < value->as.object.count; i++)
        if (mls_str_equal(value->as.object.members[i].name, name))
            return value->as.object.members[i].value;
    return NULL;
}

bool mls_value_number(const mls_value *value, double *number)
{
    if (value == NULL || (value->kind != MLS_JSON_NUMBER && value->kind != MLS_JSON_BOOL))
        return false;
    *number = value->kind == MLS_JSON_NUMBER ? value->as.number : value->as.boolean;
    return true;
}

bool mls_value_string(const mls_value *value, mls_str *string)
{
    if (value == NULL || value->kind != MLS_JSON_STRING)
        return false;
    *string = value->as.string;
    return true;
}

/* The depth of the recursion is that of the trees, at most MLS_JSON_DEPTH_MAX. */
bool mls_value_equal(const mls_value *a, const mls_value *b)
{
    double x;
    double y;
    if (mls_value_number(a, &x) && mls_value_number(b, &y))
        return x == y;
    if (a == NULL || b == NULL || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case MLS_JSON_STRING:
        return mls_str_equal(a->as.string, b->as.string);
    case MLS_JSON_LIST:
        if (a->as.list.count != b->as.list.count)
            return false;
        for (size_t i = 0; i < a->as.list.count; i++)
            if (!mls_value_equal(&a->as.list.items[i], &b->as.list.items[i]))
                return false;
        return true;
    case MLS_JSON_OBJECT: {
        const size_t count = a->as.object.count;
        const mls_member *members = b->as.object.members;
        mls_arena arena = {0};
        mls_map places = {.arena = &arena};
        bool equal = count == b->as.object.count;
        for (size_t i = 0; i < count && equal; i++) {
            const mls_member *mine = &a->as.object.members[i];
            const size_t place = member_place(&places, members, count, mine->name);
            equal = place < count && mls_value_equal(mine->value, members[place].value);
        }
        mls_arena_release(&arena);
        return equal;
    }
    default:
        return true;
    }
}
