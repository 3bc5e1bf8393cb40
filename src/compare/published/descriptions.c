/* SPDX-License-Identifier: Apache-2.0 */
/* descriptions.c - compare system descriptions with those of published rounds by their digests.
 *
 * The digest of a JSON value is the start of the SHA-256 of its canonical form: keys sorted by bytes, no blanks,
 * numbers as written, UTF-8 with the shortest escapes.  The cell `description` of a system in src/data/published
 * contains digits of base 64: two for the number of systems back in the table to the description that it resembles (0:
 * none), four for the digest of the whole, then for each field that differs from that description its letter and two
 * digits ("--": the field is missing). */
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/number.h"
#include "compare/published/published.h"
#include "json/json_check.h"

enum { WHOLE_DIGITS = 4, FIELD_DIGITS = 2, DIGIT_BITS = 6 };

static int base64_digit(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = digit != '\0' ? strchr(digits, digit) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Cut a number of `count` digits from the start of a cell.  Return -1 if it is too short or contains another byte. */
static int cut_base64(mls_str *cell, size_t count)
{
    int number = cell->len >= count ? 0 : -1;
    for (size_t i = 0; i < count && number >= 0; i++) {
        const int digit = base64_digit(cell->ptr[i]);
        number = digit >= 0 ? number << DIGIT_BITS | digit : -1;
    }
    if (number >= 0)
        *cell = mls_str_rest(*cell, count);
    return number;
}

mls_status mls_published_description_read(const mls_published_description *const *earlier, size_t count, mls_str cell,
                                          mls_published_description *description)
{
    const int back = cut_base64(&cell, 2);
    if (back < 0 || (size_t)back > count || (back > 0 && earlier[count - (size_t)back] == NULL))
        return MLS_ERROR_VALUE;
    if (back > 0)
        *description = *earlier[count - (size_t)back];
    else
        for (size_t i = 0; i < MLS_DESCRIPTION_FIELDS; i++)
            description->fields[i] = MLS_FIELD_MISSING;
    description->whole = cut_base64(&cell, WHOLE_DIGITS);
    if (description->whole < 0)
        return MLS_ERROR_VALUE;
    while (cell.len > 0) {
        const int field = cut_base64(&cell, 1);
        const bool missing = mls_str_starts(cell, MLS_S("--"));
        if (field < 0 || field >= MLS_DESCRIPTION_FIELDS)
            return MLS_ERROR_VALUE;
        cell = mls_str_rest(cell, missing ? FIELD_DIGITS : 0);
        const int digest = missing ? MLS_FIELD_MISSING : cut_base64(&cell, FIELD_DIGITS);
        if (digest < 0 && !missing)
            return MLS_ERROR_VALUE;
        description->fields[field] = (int16_t)digest;
    }
    return MLS_OK;
}

/* ------------------------------------------------------------------------------------------------ canonical form */

typedef struct canonical_member {
    mls_str name; /* decoded */
    mls_str value;
} canonical_member;

/* Order members by name.  A later one of two with the same name comes first, because it replaces the other. */
static int compare_canonical(const void *left, const void *right)
{
    const canonical_member *a = left;
    const canonical_member *b = right;
    const int order = mls_str_compare(a->name, b->name);
    return order != 0 ? order : (a->value.ptr < b->value.ptr) - (a->value.ptr > b->value.ptr);
}

static void append_canonical_text(mls_buffer *to, mls_str text)
{
    static const char names[] = "\"\\bfnrt";
    static const char values[] = "\"\\\b\f\n\r\t";
    mls_buffer_append_char(to, '"');
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const char *named = byte != '\0' ? strchr(values, byte) : NULL;
        if (named != NULL) {
            mls_buffer_append_char(to, '\\');
            mls_buffer_append_char(to, names[named - values]);
        } else if ((unsigned char)byte < ' ') {
            mls_buffer_printf(to, "\\u%04x", (unsigned char)byte);
        } else {
            mls_buffer_append_char(to, byte);
        }
    }
    mls_buffer_append_char(to, '"');
}

/* Append the canonical form of a validated span, which is at most MLS_JSON_DEPTH_MAX levels deep. */
static void append_canonical(mls_buffer *to, mls_str span, mls_arena *arena)
{
    const mls_json_kind kind = mls_json_kind_of(span);
    if (kind == MLS_JSON_STRING) {
        append_canonical_text(to, mls_span_decode(span, false, arena));
        return;
    }
    if (kind != MLS_JSON_OBJECT && kind != MLS_JSON_LIST) {
        mls_buffer_append(to, span);
        return;
    }
    MLS_LIST_OF(canonical_member) members = {0};
    mls_raw_member raw;
    for (mls_json_walk walk = mls_json_walk_begin(span); mls_json_walk_next(&walk, &raw);) {
        canonical_member member = {.value = raw.value};
        if (kind == MLS_JSON_OBJECT)
            member.name = mls_span_decode((mls_str){raw.name.ptr - 1, raw.name.len + 2}, false, arena);
        MLS_GROW(&members, items);
        members.items[members.count++] = member;
    }
    if (kind == MLS_JSON_OBJECT && members.count > 1)
        qsort(members.items, members.count, sizeof *members.items, compare_canonical);
    mls_buffer_append_char(to, kind == MLS_JSON_OBJECT ? '{' : '[');
    for (size_t i = 0; i < members.count; i++) {
        const canonical_member *member = &members.items[i];
        if (kind == MLS_JSON_OBJECT && i > 0 && mls_str_equal(member->name, member[-1].name))
            continue;
        mls_buffer_append_text(to, i > 0 ? "," : "");
        if (kind == MLS_JSON_OBJECT) {
            append_canonical_text(to, member->name);
            mls_buffer_append_char(to, ':');
        }
        append_canonical(to, member->value, arena);
    }
    mls_buffer_append_char(to, kind == MLS_JSON_OBJECT ? '}' : ']');
    free(members.items);
}

/* Return the first `digits` base-64 digits of the SHA-256 of the canonical form. */
static int digest_canonical(mls_str span, unsigned digits, mls_buffer *scratch, mls_arena *arena)
{
    char hex[MLS_DIGEST_BYTES];
    scratch->len = 0;
    append_canonical(scratch, span, arena);
    mls_digest(mls_buffer_str(scratch), hex);
    hex[digits * DIGIT_BITS / 4] = '\0'; /* 12 or 24 bits are whole hexadecimal digits */
    return (int)strtol(hex, NULL, 16);
}

void mls_published_description_make(mls_str object, const cJSON *required, mls_published_description *description)
{
    mls_arena arena = {0};
    mls_buffer scratch = {0};
    const cJSON *field = required != NULL ? required->child : NULL;
    description->whole = digest_canonical(object, WHOLE_DIGITS, &scratch, &arena);
    for (size_t i = 0; i < MLS_DESCRIPTION_FIELDS; i++, field = field != NULL ? field->next : NULL) {
        mls_str value;
        description->fields[i] = MLS_FIELD_MISSING;
        if (field != NULL && mls_json_member(object, mls_str_from(field->valuestring), &value))
            description->fields[i] = (int16_t)digest_canonical(value, FIELD_DIGITS, &scratch, &arena);
    }
    mls_buffer_release(&scratch);
    mls_arena_release(&arena);
}
