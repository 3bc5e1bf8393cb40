/* SPDX-License-Identifier: Apache-2.0 */
/* span.c - find values in validated JSON without building a tree.
 *
 * The text is known to be valid, so nothing is checked here: a value can be skipped by looking at its first byte. */
#include "json/json_check.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

/* Return the first byte after blanks and line endings. */
static const char *span_blanks(const char *at, const char *end)
{
    while (at < end && mls_is_blank(*at))
        at++;
    return at;
}

/* Return the closing quote of a string; `at` is after the opening quote. *escaped is set to whether the string contains
 * a backslash. */
static inline const char *span_string_end(const char *at, const char *end, bool *escaped)
{
    *escaped = false;
    for (;; at += 2, *escaped = true) {
        for (uint64_t mask = 0; mask == 0 && end - at >= 16; at += mask != 0 ? __builtin_ctzll(mask) : 16) {
            const mls_bytes16 x = mls_load16(at);
            mask = mls_mask16((mls_bytes16)((x == '"') | (x == '\\')));
        }
        while (at < end && *at != '"' && *at != '\\')
            at++;
        if (at >= end || *at == '"')
            return at < end ? at : end;
    }
}

/* Return the first byte after a number or a bare word. */
static inline const char *skip_scalar(const char *at, const char *end)
{
    for (; end - at >= 16; at += 16) {
        const mls_bytes16 x = mls_load16(at);
        const uint64_t mask = mls_mask16((mls_bytes16)((x == ',') | (x == '}') | (x == ']') | (x <= ' ')));
        if (mask != 0)
            return at + __builtin_ctzll(mask);
    }
    while (at < end && *at != ',' && *at != '}' && *at != ']' && !mls_is_blank(*at))
        at++;
    return at;
}

/* Return the byte after a list or an object, which is found by counting brackets: they are known to match. */
static const char *skip_container(const char *at, const char *end)
{
    size_t depth = 0;
    bool escaped;
    while (at < end) {
        switch (*at) {
        case '"':
            at = span_string_end(at + 1, end, &escaped);
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
            at = mls_is_blank(*at) ? span_blanks(at + 1, end) : skip_scalar(at, end);
        }
        if (depth == 0)
            return at;
    }
    return at;
}

static inline const char *skip_value(const char *at, const char *end)
{
    bool escaped;
    if (at < end && *at == '"') {
        at = span_string_end(at + 1, end, &escaped);
        return at + (at < end);
    }
    return at < end && *at != '{' && *at != '[' ? skip_scalar(at, end) : skip_container(at, end);
}

const char *mls_span_skip_value(const char *at, const char *end)
{
    return skip_value(at, end);
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

bool mls_json_is_integer(mls_str span)
{
    for (size_t i = 0; i < span.len; i++)
        if (span.ptr[i] != '-' && !mls_is_digit(span.ptr[i]))
            return false;
    return span.len > 0;
}

static uint32_t hex4(const char *text)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text[i];
        value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

uint32_t mls_json_escape_read(mls_str text, size_t *at)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    const char kind = text.ptr[*at + 1];
    if (kind != 'u') {
        *at += 2;
        return (uint32_t)(unsigned char)values[strchr(names, kind) - names];
    }
    uint32_t code = hex4(text.ptr + *at + 2);
    *at += 6;
    if (code >= 0xd800 && code <= 0xdbff && *at + 6 <= text.len && text.ptr[*at] == '\\' && text.ptr[*at + 1] == 'u') {
        const uint32_t low = hex4(text.ptr + *at + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *at += 6;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return code;
}

mls_str mls_span_decode(mls_str quoted, bool latin1, mls_arena *arena)
{
    const mls_str text = {quoted.ptr + 1, quoted.len - 2};
    char *out = mls_arena_array(arena, text.len + 1, 2); /* each byte becomes at most two */
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\\') {
            len += mls_utf8_encode(mls_json_escape_read(text, &i), out + len);
        } else {
            len += latin1 ? mls_utf8_encode(c, out + len) : 1;
            if (!latin1)
                out[len - 1] = (char)c;
            i++;
        }
    }
    out[len] = '\0';
    return (mls_str){out, len};
}

bool mls_json_string(mls_str span, struct mls_arena *arena, mls_str *text)
{
    const bool is_string = mls_json_kind_of(span) == MLS_JSON_STRING && span.len >= 2;
    if (is_string)
        *text = mls_span_decode(span, false, arena);
    return is_string;
}

bool mls_span_name_is(mls_str raw, mls_str wanted)
{
    /* An escape is longer than the character it represents, so only a longer name can be an escaped form of `wanted`.
     */
    if (raw.len <= wanted.len || memchr(raw.ptr, '\\', raw.len) == NULL)
        return mls_str_equal(raw, wanted);
    size_t matched = 0;
    for (size_t i = 0; i < raw.len;) {
        char bytes[4];
        size_t count = 1;
        if (raw.ptr[i] == '\\')
            count = mls_utf8_encode(mls_json_escape_read(raw, &i), bytes);
        else
            bytes[0] = raw.ptr[i++];
        if (count > wanted.len - matched || memcmp(wanted.ptr + matched, bytes, count) != 0)
            return false;
        matched += count;
    }
    return matched == wanted.len;
}

mls_json_walk mls_json_walk_begin(mls_str json)
{
    const mls_json_kind kind = mls_json_kind_of(json);
    const char *end = json.len > 0 ? json.ptr + json.len : json.ptr; /* NULL for an empty span */
    if (kind != MLS_JSON_OBJECT && kind != MLS_JSON_LIST)
        return (mls_json_walk){end, end, false};
    return (mls_json_walk){span_blanks(json.ptr + 1, end), end, kind == MLS_JSON_OBJECT};
}

/* Advance to the next value and set *name to its name.  Most text was written by Python's json module, with one blank
 * after each colon and comma; no byte of such text is examined twice. */
static inline bool walk_enter(mls_json_walk *walk, mls_str *name, bool *escaped)
{
    const char *end = walk->end;
    const char *at = walk->at;
    *name = (mls_str){NULL, 0};
    if (at >= end || *at == ']' || *at == '}')
        return false;
    if (walk->object) {
        const char *stop = span_string_end(at + 1, end, escaped);
        *name = (mls_str){at + 1, (size_t)(stop - at) - 1};
        if (end - stop > 3 && stop[1] == ':' && stop[2] == ' ' && !mls_is_blank(stop[3])) {
            walk->at = stop + 3;
        } else {
            at = span_blanks(stop + 1, end);
            walk->at = span_blanks(at + 1, end); /* skip the colon */
        }
    }
    return true;
}

static inline void walk_leave(mls_json_walk *walk, const char *stop)
{
    const char *end = walk->end;
    if (end - stop > 2 && stop[0] == ',' && stop[1] == ' ' && !mls_is_blank(stop[2])) {
        walk->at = stop + 2;
        return;
    }
    stop = span_blanks(stop, end);
    walk->at = stop < end && *stop == ',' ? span_blanks(stop + 1, end) : stop;
}

static inline bool walk_next(mls_json_walk *walk, mls_raw_member *member, bool *escaped)
{
    if (!walk_enter(walk, &member->name, escaped))
        return false;
    const char *stop = skip_value(walk->at, walk->end);
    member->value = (mls_str){walk->at, (size_t)(stop - walk->at)};
    walk_leave(walk, stop);
    return true;
}

bool mls_walk_enter(mls_json_walk *walk, mls_str *name)
{
    bool escaped;
    return walk_enter(walk, name, &escaped);
}

void mls_walk_leave(mls_json_walk *walk, const char *stop)
{
    walk_leave(walk, stop);
}

bool mls_json_walk_next(mls_json_walk *walk, mls_raw_member *member)
{
    bool escaped;
    return walk_next(walk, member, &escaped);
}

bool mls_json_member(mls_str json, mls_str name, mls_str *span)
{
    mls_raw_member member;
    bool escaped;
    bool found = false;
    mls_json_walk walk = mls_json_walk_begin(json);
    while (walk.object && walk_next(&walk, &member, &escaped)) {
        if (escaped ? mls_span_name_is(member.name, name) : mls_str_equal(member.name, name)) {
            *span = member.value;
            found = true;
        }
    }
    return found;
}

bool mls_json_member_at(mls_str json, const mls_member_places *places, mls_str name, mls_str *span)
{
    if (!places->known)
        return mls_json_member(json, name, span);
    const char *end = json.ptr + json.len;
    for (unsigned i = places->count; i > 0; i--) { /* the last one of duplicate names counts */
        const char *at = json.ptr + places->names[i - 1];
        if ((size_t)(end - at) > name.len && at[name.len] == '"' && memcmp(at, name.ptr, name.len) == 0 &&
            memchr(at, '"', name.len) == NULL) {
            at = span_blanks(at + name.len + 1, end);
            at = span_blanks(at + 1, end); /* skip the colon */
            *span = (mls_str){at, (size_t)(skip_value(at, end) - at)};
            return true;
        }
    }
    return false;
}
