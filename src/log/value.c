/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - trees and spans of JSON that has been validated before.
 *
 * Because the text is known to be well formed, nothing here looks for errors:
 * a value is skipped by its first byte, and the only failure is memory.
 */
#include "mlscore/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"

static bool mls_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *mls_skip_blanks(const char *at, const char *end)
{
    while (at < end && mls_is_blank(*at)) {
        at++;
    }
    return at;
}

/* The top bits of the bytes that are `c`; a carry may set further ones, but only above the lowest. */
static uint64_t mls_word_marks(uint64_t word, char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t other = word ^ (ones * (unsigned char)c);
    return (other - ones) & ~other & (ones << 7);
}

/* `at` is behind the opening quote; returns the closing one. */
static const char *mls_skip_string(const char *at, const char *end)
{
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        const uint64_t marks = mls_word_marks(word, '"') | mls_word_marks(word, '\\');
        if (marks != 0) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            at += __builtin_ctzll(marks) / 8; /* the lowest byte of the word is the first of the text */
#endif
            break;
        }
        at += 8;
    }
    while (at < end && *at != '"') {
        at += *at == '\\' ? 2 : 1;
    }
    return at < end ? at : end;
}

/* Behind a number or a bare word: at the first byte that can follow one. */
static const char *mls_skip_scalar(const char *at, const char *end)
{
    while (at < end && *at != ',' && *at != '}' && *at != ']' && !mls_is_blank(*at)) {
        at++;
    }
    return at;
}

/* The byte behind the value that starts at `at`; nesting needs a count only. */
static const char *mls_skip_value(const char *at, const char *end)
{
    size_t depth = 0;
    if (at < end && *at != '{' && *at != '[' && *at != '"') {
        return mls_skip_scalar(at, end);
    }
    while (at < end) {
        switch (*at) {
        case '"':
            at = mls_skip_string(at + 1, end);
            at += at < end;
            break;
        case '{':
        case '[':
            depth++;
            at++;
            break;
        case '}':
        case ']':
            depth--;
            at++;
            break;
        case ',':
        case ':':
            at++;
            break;
        default:
            if (mls_is_blank(*at)) {
                at++;
                break;
            }
            at = mls_skip_scalar(at, end);
        }
        if (depth == 0) {
            return at;
        }
    }
    return at;
}

mls_json_kind mls_json_kind_of(mls_str span)
{
    switch (span.len > 0 ? *span.ptr : 'n') {
    case '"':
        return MLS_JSON_STRING;
    case '{':
        return MLS_JSON_OBJECT;
    case '[':
        return MLS_JSON_LIST;
    case 't':
    case 'f':
        return MLS_JSON_BOOL;
    case 'n':
        return MLS_JSON_NULL;
    default:
        return MLS_JSON_NUMBER;
    }
}

bool mls_json_number(mls_str span, double *number)
{
    switch (mls_json_kind_of(span)) {
    case MLS_JSON_BOOL:
        *number = *span.ptr == 't';
        return true;
    case MLS_JSON_NUMBER:
        return *span.ptr == 'N' || *span.ptr == 'I' || (span.len > 1 && span.ptr[1] == 'I')
                   ? mls_number_parse_lenient(span, number)
                   : mls_number_parse(span, number);
    default:
        return false;
    }
}

static uint32_t mls_hex4(const char *text)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text[i];
        value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* Writes a code point as (generalised) UTF-8 and returns the number of bytes. */
static size_t mls_code_point_write(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0U | code >> 6);
        out[1] = (char)(0x80U | (code & 0x3fU));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0U | code >> 12);
        out[1] = (char)(0x80U | (code >> 6 & 0x3fU));
        out[2] = (char)(0x80U | (code & 0x3fU));
        return 3;
    }
    out[0] = (char)(0xf0U | code >> 18);
    out[1] = (char)(0x80U | (code >> 12 & 0x3fU));
    out[2] = (char)(0x80U | (code >> 6 & 0x3fU));
    out[3] = (char)(0x80U | (code & 0x3fU));
    return 4;
}

/* Reads the escape at text[*at] (a backslash) and moves behind it; surrogate pairs are joined. */
static uint32_t mls_escape_read(mls_str text, size_t *at)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    const char kind = text.ptr[*at + 1];
    if (kind != 'u') {
        *at += 2;
        return (uint32_t)(unsigned char)values[strchr(names, kind) - names];
    }
    uint32_t code = mls_hex4(text.ptr + *at + 2);
    *at += 6;
    if (code >= 0xd800 && code <= 0xdbff && *at + 6 <= text.len && text.ptr[*at] == '\\' && text.ptr[*at + 1] == 'u') {
        const uint32_t low = mls_hex4(text.ptr + *at + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *at += 6;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return code;
}

/*
 * Decodes what stands between the quotes.  `latin1`: bytes above 0x7f become
 * code points of their own (how a rule sees them); else they stay (how a
 * person wants them).  Each byte of text makes at most two.
 */
static bool mls_string_decode(mls_str quoted, bool latin1, mls_arena *arena, mls_str *result)
{
    const mls_str text = {quoted.ptr + 1, quoted.len - 2};
    size_t room;
    char *out = mls_size_mul(text.len, 2, &room) && mls_size_add(room, 1, &room) ? mls_arena_alloc(arena, room) : NULL;
    if (out == NULL) {
        return false;
    }
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\\') {
            len += mls_code_point_write(out + len, mls_escape_read(text, &i));
        } else {
            len += latin1 ? mls_code_point_write(out + len, c) : 1;
            if (!latin1) {
                out[len - 1] = (char)c;
            }
            i++;
        }
    }
    out[len] = '\0';
    *result = (mls_str){out, len};
    return true;
}

bool mls_json_string(mls_str span, struct mls_arena *arena, mls_str *text)
{
    return mls_json_kind_of(span) == MLS_JSON_STRING && span.len >= 2 && mls_string_decode(span, false, arena, text);
}

/* Whether the raw name between quotes is `wanted`; a name with escapes is decoded on the stack if it can match. */
static bool mls_name_matches(mls_str quoted, mls_str wanted)
{
    const mls_str raw = {quoted.ptr + 1, quoted.len - 2};
    /* An escape is longer than what it stands for, so only a longer name can be the wanted one in disguise. */
    if (raw.len <= wanted.len || memchr(raw.ptr, '\\', raw.len) == NULL) {
        return mls_str_equal(raw, wanted);
    }
    size_t matched = 0;
    for (size_t i = 0; i < raw.len;) {
        char bytes[4];
        size_t count = 1;
        if (raw.ptr[i] == '\\') {
            count = mls_code_point_write(bytes, mls_escape_read(raw, &i));
        } else {
            bytes[0] = raw.ptr[i++];
        }
        if (count > wanted.len - matched || memcmp(wanted.ptr + matched, bytes, count) != 0) {
            return false;
        }
        matched += count;
    }
    return matched == wanted.len;
}

/* One member of an object's text: *at is at its name's quote, and moves to the next name or the closing brace. */
static void mls_member_read(const char **at, const char *end, mls_str *name, mls_str *value)
{
    const char *p = mls_skip_string(*at + 1, end);
    *name = (mls_str){*at, (size_t)(p - *at) + 1};
    p = mls_skip_blanks(p + 1, end);
    p = mls_skip_blanks(p + 1, end); /* over the colon */
    const char *stop = mls_skip_value(p, end);
    *value = (mls_str){p, (size_t)(stop - p)};
    p = mls_skip_blanks(stop, end);
    if (p < end && *p == ',') {
        p = mls_skip_blanks(p + 1, end);
    }
    *at = p;
}

bool mls_json_member(mls_str json, mls_str name, mls_str *span)
{
    bool found = false;
    if (mls_json_kind_of(json) != MLS_JSON_OBJECT) {
        return false;
    }
    const char *end = json.ptr + json.len;
    const char *at = mls_skip_blanks(json.ptr + 1, end);
    while (at < end && *at == '"') {
        mls_str member;
        mls_str value;
        mls_member_read(&at, end, &member, &value);
        if (mls_name_matches(member, name)) {
            *span = value;
            found = true;
        }
    }
    return found;
}

size_t mls_json_members(mls_str json, mls_raw_member *members, size_t capacity)
{
    size_t count = 0;
    if (mls_json_kind_of(json) != MLS_JSON_OBJECT) {
        return 0;
    }
    const char *end = json.ptr + json.len;
    const char *at = mls_skip_blanks(json.ptr + 1, end);
    for (; at < end && *at == '"'; count++) {
        mls_raw_member member;
        mls_member_read(&at, end, &member.name, &member.value);
        member.name = (mls_str){member.name.ptr + 1, member.name.len - 2};
        if (count < capacity) {
            members[count] = member;
        }
    }
    return count;
}

/* ------------------------------------------------------------------ trees */

static bool mls_value_fill(mls_value *value, const char **at, const char *end, mls_arena *arena, unsigned depth);

/* Children are gathered in a list that doubles; the arena keeps the outgrown ones, half as much again in all. */
static bool mls_items_grow(void **items, size_t count, size_t *capacity, size_t size, mls_arena *arena)
{
    if (count < *capacity) {
        return true;
    }
    const size_t wanted = *capacity == 0 ? 4 : *capacity * 2;
    void *grown = mls_arena_array(arena, wanted, size);
    if (grown == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(grown, *items, count * size);
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool mls_list_fill(mls_value *value, const char **at, const char *end, mls_arena *arena, unsigned depth)
{
    mls_value *items = NULL;
    size_t count = 0;
    size_t capacity = 0;
    const char *p = mls_skip_blanks(*at + 1, end);
    while (p < end && *p != ']') {
        if (!mls_items_grow((void **)&items, count, &capacity, sizeof *items, arena) ||
            !mls_value_fill(&items[count], &p, end, arena, depth)) {
            return false;
        }
        count++;
        p = mls_skip_blanks(p, end);
        if (p < end && *p == ',') {
            p = mls_skip_blanks(p + 1, end);
        }
    }
    *at = p + (p < end);
    value->kind = MLS_JSON_LIST;
    value->as.list.items = items;
    value->as.list.count = count;
    return true;
}

/*
 * Places of members by name, so that an object of a million members is not
 * quadratic: an open-addressed table, used once an object outgrows a few.
 */
enum { MLS_OBJECT_LINEAR = 16 };

typedef struct mls_member_index {
    size_t *slots; /* position + 1; 0: free */
    size_t size;   /* a power of two */
} mls_member_index;

static uint64_t mls_name_hash(mls_str name)
{
    uint64_t hash = 0xcbf29ce484222325ULL; /* FNV-1a */
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.ptr[i]) * 0x100000001b3ULL;
    }
    return hash ^ hash >> 29;
}

static size_t *mls_index_slot(const mls_member_index *index, const mls_member *members, mls_str name)
{
    size_t i = mls_name_hash(name) & (index->size - 1);
    while (index->slots[i] != 0 && !mls_str_equal(members[index->slots[i] - 1].name, name)) {
        i = (i + 1) & (index->size - 1);
    }
    return &index->slots[i];
}

static bool mls_index_rebuild(mls_member_index *index, const mls_member *members, size_t count, mls_arena *arena)
{
    const size_t size = index->size == 0 ? (size_t)MLS_OBJECT_LINEAR * 8 : index->size * 4;
    size_t *slots = mls_arena_array(arena, size, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, size * sizeof *slots);
    *index = (mls_member_index){slots, size};
    for (size_t i = 0; i < count; i++) {
        *mls_index_slot(index, members, members[i].name) = i + 1;
    }
    return true;
}

/* The position of `name` among the members, or `count` when it is new; false when memory runs out. */
static bool mls_member_place(mls_member_index *index, const mls_member *members, size_t count, mls_str name,
                             mls_arena *arena, size_t *place)
{
    if (count < MLS_OBJECT_LINEAR) {
        size_t i = 0;
        while (i < count && !mls_str_equal(members[i].name, name)) {
            i++;
        }
        *place = i;
        return true;
    }
    if (count * 2 >= index->size && !mls_index_rebuild(index, members, count, arena)) {
        return false;
    }
    size_t *slot = mls_index_slot(index, members, name);
    if (*slot == 0) {
        *slot = count + 1;
        *place = count;
    } else {
        *place = *slot - 1;
    }
    return true;
}

static bool mls_object_fill(mls_value *value, const char **at, const char *end, mls_arena *arena, unsigned depth)
{
    mls_member *members = NULL;
    mls_member_index index = {0};
    size_t count = 0;
    size_t capacity = 0;
    const char *p = mls_skip_blanks(*at + 1, end);
    while (p < end && *p == '"') {
        const char *stop = mls_skip_string(p + 1, end);
        mls_str name;
        if (!mls_string_decode((mls_str){p, (size_t)(stop - p) + 1}, true, arena, &name)) {
            return false;
        }
        p = mls_skip_blanks(stop + 1, end);
        p = mls_skip_blanks(p + 1, end); /* over the colon */
        mls_value *member = mls_arena_alloc(arena, sizeof *member);
        size_t place;
        if (member == NULL || !mls_value_fill(member, &p, end, arena, depth) ||
            !mls_items_grow((void **)&members, count, &capacity, sizeof *members, arena) ||
            !mls_member_place(&index, members, count, name, arena, &place)) {
            return false;
        }
        if (place == count) {
            members[count++].name = name;
        }
        members[place].value = member;
        p = mls_skip_blanks(p, end);
        if (p < end && *p == ',') {
            p = mls_skip_blanks(p + 1, end);
        }
    }
    *at = p + (p < end);
    value->kind = MLS_JSON_OBJECT;
    value->as.object.members = members;
    value->as.object.count = count;
    return true;
}

/* Recursion is bounded by the validator's MLS_JSON_DEPTH_MAX, which is checked again here. */
static bool mls_value_fill(mls_value *value, const char **at, const char *end, mls_arena *arena, unsigned depth)
{
    *value = (mls_value){.kind = MLS_JSON_NULL};
    if (depth >= MLS_JSON_DEPTH_MAX) {
        return false;
    }
    if (*at < end && **at == '{') {
        return mls_object_fill(value, at, end, arena, depth + 1);
    }
    if (*at < end && **at == '[') {
        return mls_list_fill(value, at, end, arena, depth + 1);
    }
    const char *stop = mls_skip_value(*at, end);
    const mls_str span = {*at, (size_t)(stop - *at)};
    *at = stop;
    value->kind = mls_json_kind_of(span);
    switch (value->kind) {
    case MLS_JSON_BOOL:
        value->as.boolean = *span.ptr == 't';
        return true;
    case MLS_JSON_NUMBER:
        value->is_integer = memchr(span.ptr, '.', span.len) == NULL && memchr(span.ptr, 'e', span.len) == NULL &&
                            memchr(span.ptr, 'E', span.len) == NULL && memchr(span.ptr, 'N', span.len) == NULL &&
                            memchr(span.ptr, 'I', span.len) == NULL;
        return mls_json_number(span, &value->as.number);
    case MLS_JSON_STRING:
        return mls_string_decode(span, true, arena, &value->as.string);
    default:
        return true;
    }
}

const mls_value *mls_value_build(mls_str json, struct mls_arena *arena)
{
    const char *at = json.ptr;
    mls_value *value = mls_arena_alloc(arena, sizeof *value);
    return value != NULL && mls_value_fill(value, &at, json.ptr + json.len, arena, 0) ? value : NULL;
}

const mls_value *mls_value_member(const mls_value *value, mls_str name)
{
    if (value == NULL || value->kind != MLS_JSON_OBJECT) {
        return NULL;
    }
    for (size_t i = 0; i < value->as.object.count; i++) {
        if (mls_str_equal(value->as.object.members[i].name, name)) {
            return value->as.object.members[i].value;
        }
    }
    return NULL;
}

bool mls_value_number(const mls_value *value, double *number)
{
    if (value != NULL && value->kind == MLS_JSON_NUMBER) {
        *number = value->as.number;
        return true;
    }
    if (value != NULL && value->kind == MLS_JSON_BOOL) {
        *number = value->as.boolean;
        return true;
    }
    return false;
}

bool mls_value_string(const mls_value *value, mls_str *string)
{
    if (value == NULL || value->kind != MLS_JSON_STRING) {
        return false;
    }
    *string = value->as.string;
    return true;
}

static bool mls_value_equal_deep(const mls_value *a, const mls_value *b, unsigned depth);

static int mls_members_compare(const void *left, const void *right)
{
    const mls_member *const *a = left;
    const mls_member *const *b = right;
    return mls_str_compare((*a)->name, (*b)->name);
}

/* The members of an object by name; NULL when memory runs out.  To be given to free(). */
static const mls_member **mls_members_sorted(const mls_value *object)
{
    const size_t count = object->as.object.count;
    const mls_member **sorted = calloc(count + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < count; i++) {
        sorted[i] = &object->as.object.members[i];
    }
    if (sorted != NULL && count > 1) {
        qsort((void *)sorted, count, sizeof *sorted, mls_members_compare);
    }
    return sorted;
}

/* Few members are looked up one by one; many are sorted, unless there is no memory for that. */
static bool mls_members_equal(const mls_value *a, const mls_value *b, unsigned depth)
{
    const size_t count = a->as.object.count;
    const bool sort = count > MLS_OBJECT_LINEAR && count == b->as.object.count;
    const mls_member **left = sort ? mls_members_sorted(a) : NULL;
    const mls_member **right = sort ? mls_members_sorted(b) : NULL;
    const bool sorted = left != NULL && right != NULL;
    bool equal = count == b->as.object.count;
    for (size_t i = 0; i < count && equal; i++) {
        const mls_member *mine = sorted ? left[i] : &a->as.object.members[i];
        const mls_value *other = !sorted                                     ? mls_value_member(b, mine->name)
                                 : mls_str_equal(mine->name, right[i]->name) ? right[i]->value
                                                                             : NULL;
        equal = other != NULL && mls_value_equal_deep(mine->value, other, depth + 1);
    }
    free((void *)left);
    free((void *)right);
    return equal;
}

static bool mls_value_equal_deep(const mls_value *a, const mls_value *b, unsigned depth)
{
    double x;
    double y;
    if (depth > MLS_JSON_DEPTH_MAX) {
        return false;
    }
    if (mls_value_number(a, &x) && mls_value_number(b, &y)) {
        return x == y;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case MLS_JSON_STRING:
        return mls_str_equal(a->as.string, b->as.string);
    case MLS_JSON_LIST:
        if (a->as.list.count != b->as.list.count) {
            return false;
        }
        for (size_t i = 0; i < a->as.list.count; i++) {
            if (!mls_value_equal_deep(&a->as.list.items[i], &b->as.list.items[i], depth + 1)) {
                return false;
            }
        }
        return true;
    case MLS_JSON_OBJECT:
        return mls_members_equal(a, b, depth);
    default:
        return true;
    }
}

bool mls_value_equal(const mls_value *a, const mls_value *b)
{
    return a != NULL && b != NULL && mls_value_equal_deep(a, b, 0);
}
