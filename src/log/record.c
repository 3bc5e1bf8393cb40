/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - one pass over a payload: is it a record, and where is what.
 */
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "log/json_check.h"
#include "log/simd.h"
#include "mlscore/value.h"

enum { MEMBER_TIME = 1, MEMBER_KEY = 2, MEMBER_VALUE = 4, MEMBER_METADATA = 8, MEMBER_ALL = 15 };

/* Where a member's value stands in the payload. */
typedef struct mls_member_span {
    mls_str name; /* raw, without quotes */
    mls_str text;
} mls_member_span;

static bool mls_trimmed(unsigned char c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0;
}

mls_str mls_payload_trim(mls_str text)
{
    while (text.len > 0 && mls_trimmed((unsigned char)text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && mls_trimmed((unsigned char)text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

/* Nearly every time is 13 digits; up to 15 are exact in a double. */
static bool mls_time_digits(mls_str text, double *time_ms)
{
    uint64_t value = 0;
    if (text.len > 15) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const unsigned digit = (unsigned char)text.ptr[i] - (unsigned)'0';
        if (digit > 9) {
            return false;
        }
        value = value * 10 + digit;
    }
    *time_ms = (double)value;
    return true;
}

/* time_ms: a number, a boolean (1 or 0) or a string that holds a number. */
static bool mls_time_read(mls_str text, struct mls_arena *scratch, double *time_ms)
{
    mls_str inner;
    if (mls_time_digits(text, time_ms)) {
        return true;
    }
    switch (*text.ptr) {
    case '"':
        if (memchr(text.ptr, '\\', text.len) == NULL) {
            inner = (mls_str){text.ptr + 1, text.len - 2};
        } else if (!mls_json_string(text, scratch, &inner)) {
            return false;
        }
        return mls_number_parse_lenient(inner, time_ms);
    case 'N':
    case 'I':
        return mls_number_parse_lenient(text, time_ms);
    default:
        return mls_json_number(text, time_ms);
    }
}

/* Files the value of a top-level member; false when time_ms is no time. */
static bool mls_member_take(const mls_member_span *member, mls_record *record, unsigned *seen,
                            struct mls_arena *scratch)
{
    const mls_str name = member->name;
    switch (name.len) {
    case 3:
        if (memcmp(name.ptr, "key", 3) == 0) {
            *seen |= MEMBER_KEY;
            record->key =
                *member->text.ptr == '"' ? (mls_str){member->text.ptr + 1, member->text.len - 2} : (mls_str){NULL, 0};
        }
        break;
    case 5:
        if (memcmp(name.ptr, "value", 5) == 0) {
            *seen |= MEMBER_VALUE;
            record->value = member->text;
        }
        break;
    case 7:
        if (memcmp(name.ptr, "time_ms", 7) == 0) {
            *seen |= MEMBER_TIME;
            return mls_time_read(member->text, scratch, &record->time_ms);
        }
        break;
    case 8:
        if (memcmp(name.ptr, "metadata", 8) == 0) {
            *seen |= MEMBER_METADATA;
            record->metadata = member->text;
        }
        break;
    case 10:
        if (memcmp(name.ptr, "event_type", 10) == 0) {
            record->event_type = member->text;
        }
        break;
    default:
        break;
    }
    return true;
}

static const char *mls_missing(unsigned seen)
{
    if ((seen & MEMBER_TIME) == 0) {
        return "the record has no time_ms";
    }
    if ((seen & MEMBER_KEY) == 0) {
        return "the record has no key";
    }
    return (seen & MEMBER_VALUE) == 0 ? "the record has no value" : "the record has no metadata";
}

/* A key written with escapes ("\u0073eed") is decoded, so that rules find it. */
static bool mls_key_decode(mls_record *record, struct mls_arena *scratch)
{
    if (record->key.ptr == NULL || memchr(record->key.ptr, '\\', record->key.len) == NULL) {
        return true;
    }
    const mls_str quoted = {record->key.ptr - 1, record->key.len + 2};
    return mls_json_string(quoted, scratch, &record->key);
}

/* Whether the literal stands at `at`; its length is known to the compiler. */
#define MLS_AT(at, literal) (memcmp(at, literal, sizeof(literal) - 1) == 0)

/*
 * The layout that the benchmarks' own logging package writes, which nearly
 * every published record has:
 *
 *   {"namespace": "", "time_ms": 1, "event_type": "…", "key": "…", "value": …, "metadata": …}
 *
 * Known names need no looking up.  False means only that the record is not of
 * this layout (or is wrong); the general way then judges it from its start.
 */
static bool mls_record_check_usual(const char *begin, const char *end, mls_record *record)
{
    const char *wrong;
    const char *reason;
    bool escaped = false;
    const char *at = begin;
    if (!MLS_AT(at, "{\"namespace\": \"\", \"time_ms\": ")) {
        return false;
    }
    at += sizeof "{\"namespace\": \"\", \"time_ms\": " - 1;
    const char *start = at;
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    if (*start == '0' || at == start || !mls_time_digits((mls_str){start, (size_t)(at - start)}, &record->time_ms) ||
        !MLS_AT(at, ", \"event_type\": \"")) {
        return false;
    }
    start = at + sizeof ", \"event_type\": " - 1;
    at = mls_json_string_end(start + 1, &escaped, &wrong, &reason);
    if (at == NULL || !MLS_AT(at, "\", \"key\": \"")) {
        return false;
    }
    record->event_type = (mls_str){start, (size_t)(at - start) + 1};
    start = at + sizeof "\", \"key\": \"" - 1;
    at = mls_json_string_end(start, &escaped, &wrong, &reason);
    if (at == NULL || escaped || !MLS_AT(at, "\", \"value\": ")) {
        return false;
    }
    record->key = (mls_str){start, (size_t)(at - start)};
    start = at + sizeof "\", \"value\": " - 1;
    at = mls_json_check_value(start, &wrong, &reason);
    if (at == NULL || !MLS_AT(at, ", \"metadata\": ")) {
        return false;
    }
    record->value = (mls_str){start, (size_t)(at - start)};
    start = at + sizeof ", \"metadata\": " - 1;
    at = mls_json_check_value(start, &wrong, &reason);
    if (at == NULL || *at != '}' || at + 1 != end) {
        return false;
    }
    record->metadata = (mls_str){start, (size_t)(at - start)};
    record->payload = (mls_str){begin, (size_t)(end - begin)};
    return true;
}

/* Where the general way is in a record. */
typedef struct mls_record_scan {
    mls_record *record;
    struct mls_arena *scratch;
    unsigned seen;        /* MEMBER_… */
    const char *bad_time; /* the time_ms so far is none; NULL: it is, or there is none */
    const char *wrong;    /* set with `reason` when something is */
    const char *reason;
} mls_record_scan;

static const char *mls_record_fail(mls_record_scan *scan, const char *wrong, const char *reason)
{
    scan->wrong = wrong;
    scan->reason = reason;
    return NULL;
}

/*
 * One member, from its name's quote; returns the byte behind its value.  Of
 * duplicate members the last counts; a time_ms that is no time is only wrong
 * when no later one replaces it, so it is remembered until the end.
 */
static const char *mls_member_check(mls_record_scan *scan, const char *at)
{
    bool escaped = false;
    mls_member_span member;
    if (*at != '"') {
        return mls_record_fail(scan, at, "expected a member name in quotes");
    }
    member.name.ptr = ++at;
    if ((at = mls_json_check_string(at, &escaped, &scan->wrong, &scan->reason)) == NULL) {
        return NULL;
    }
    member.name.len = (size_t)(at - member.name.ptr);
    at = mls_json_skip_blanks(at + 1);
    if (*at != ':') {
        return mls_record_fail(scan, at, "expected ':'");
    }
    member.text.ptr = at = mls_json_skip_blanks(at + 1);
    if ((at = mls_json_check_value(at, &scan->wrong, &scan->reason)) == NULL) {
        return NULL;
    }
    member.text.len = (size_t)(at - member.text.ptr);
    if (escaped && !mls_json_string((mls_str){member.name.ptr - 1, member.name.len + 2}, scan->scratch, &member.name)) {
        return mls_record_fail(scan, member.text.ptr, "out of memory");
    }
    if (!mls_member_take(&member, scan->record, &scan->seen, scan->scratch)) {
        scan->bad_time = member.text.ptr;
    } else if (mls_str_equal(member.name, MLS_S("time_ms"))) {
        scan->bad_time = NULL;
    }
    return at;
}

/* The record's object, from its brace; returns the byte behind it. */
static const char *mls_members_check(mls_record_scan *scan, const char *at)
{
    at = mls_json_skip_blanks(at + 1);
    if (*at == '}') {
        return at + 1;
    }
    for (;;) {
        at = mls_member_check(scan, at);
        if (at == NULL) {
            return NULL;
        }
        at = mls_json_skip_blanks(at);
        if (*at == '}') {
            return at + 1;
        }
        if (*at != ',') {
            return mls_record_fail(scan, at, "expected ',' or '}'");
        }
        at = mls_json_skip_blanks(at + 1);
    }
}

/* A payload that is not an object may still be JSON, or break off. */
static const char *mls_not_an_object(const char *begin, const char *end, const char **wrong)
{
    const char *reason;
    *wrong = begin;
    if (begin == end) {
        return "nothing follows :::MLLOG";
    }
    return mls_json_check_value(begin, wrong, &reason) != NULL ? "the record is not a JSON object" : reason;
}

/* The cases and comparisons are the table's own, each with a length that the compiler knows. */
mls_key mls_key_of(mls_str text)
{
    switch (text.len) {
#define MLS_KEY_LENGTH(length)                                                                                         \
    break;                                                                                                             \
    case length:
#define MLS_KEY(id, name)                                                                                              \
    if (text.len == sizeof(name) - 1 && memcmp(text.ptr, name, sizeof(name) - 1) == 0) {                               \
        return MLS_KEY_##id;                                                                                           \
    }
#include "mlscore/key_table.h"
#undef MLS_KEY
    default:
        break;
    }
    return MLS_KEY_OTHER;
}

mls_str mls_key_text(mls_key key)
{
    static const mls_str texts[MLS_KEY_COUNT] = {
        MLS_STR(""),
#define MLS_KEY(id, text) MLS_STR(text),
#include "mlscore/key_table.h"
#undef MLS_KEY
    };
    return (unsigned)key < MLS_KEY_COUNT ? texts[key] : texts[MLS_KEY_OTHER];
}

const char *mls_record_check(const char *begin, const char *end, mls_record *record, struct mls_arena *scratch,
                             const char **wrong)
{
    mls_record_scan scan = {.record = record, .scratch = scratch};
    if (mls_record_check_usual(begin, end, record)) {
        record->key_id = mls_key_of(record->key);
        return NULL;
    }
    record->event_type = (mls_str){NULL, 0};
    if (begin == end || *begin != '{') {
        return mls_not_an_object(begin, end, wrong);
    }
    const char *stop = mls_members_check(&scan, begin);
    *wrong = begin;
    if (stop == NULL) {
        *wrong = scan.wrong;
        return scan.reason;
    }
    if (stop < end) {
        *wrong = mls_json_skip_blanks(stop);
        return "something follows the record's JSON object";
    }
    if (scan.seen != MEMBER_ALL) {
        return mls_missing(scan.seen);
    }
    if (scan.bad_time != NULL) {
        *wrong = scan.bad_time;
        return "time_ms is not a number";
    }
    record->payload = (mls_str){begin, (size_t)(end - begin)};
    if (!mls_key_decode(record, scratch)) {
        return "out of memory";
    }
    record->key_id = mls_key_of(record->key);
    return NULL;
}

const char *mls_record_validate(mls_str payload, mls_record *record, struct mls_arena *scratch, size_t *where)
{
    const mls_str text = mls_payload_trim(payload);
    char *copy = text.len <= MLS_RECORD_LENGTH_MAX ? mls_arena_alloc(scratch, text.len + MLS_SCAN_PADDING) : NULL;
    *where = 0;
    if (copy == NULL) {
        return text.len > MLS_RECORD_LENGTH_MAX ? "the record is longer than 16 MiB" : "out of memory";
    }
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    memset(copy + text.len, 0, MLS_SCAN_PADDING);
    const char *wrong = copy;
    const char *reason = mls_record_check(copy, copy + text.len, record, scratch, &wrong);
    *where = (size_t)(wrong - copy) + (size_t)(text.ptr - payload.ptr);
    return reason;
}
