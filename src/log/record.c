/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - one pass over a payload: is it a record, and where is what.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "log/json_check.h"
#include "mlscore/value.h"

enum { MEMBER_TIME = 1, MEMBER_KEY = 2, MEMBER_VALUE = 4, MEMBER_METADATA = 8, MEMBER_ALL = 15 };

mls_str mls_payload_trim(mls_str text)
{
    while (text.len > 0 && text.ptr[0] != '\0' && strchr(" \t\n\r", text.ptr[0]) != NULL) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && text.ptr[text.len - 1] != '\0' &&
           strchr(" \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0", text.ptr[text.len - 1]) != NULL) {
        text.len--;
    }
    return text;
}

/* Nearly every time is 13 digits; up to 15 are exact in a double. */
static bool time_digits(mls_str text, double *time_ms)
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

/* Where the general way is in a record. */
typedef struct mls_record_scan {
    mls_record *record;
    struct mls_arena *scratch;
    unsigned seen;        /* MEMBER_… */
    const char *bad_time; /* the time_ms so far is none; NULL: it is, or there is none */
    mls_json_fault fault;
} mls_record_scan;

static const char *record_fail(mls_record_scan *scan, const char *wrong, const char *reason)
{
    scan->fault = (mls_json_fault){wrong, reason};
    return NULL;
}

/*
 * A string holds a number if Python's float() reads it: blanks of ASCII around
 * it are fine, next line and no-break space too, and separators are not.
 */
static bool time_of_text(mls_str text, double *time_ms)
{
    static const mls_str spaces[] = {MLS_STR("\xc2\x85"), MLS_STR("\xc2\xa0"), MLS_STR(" "),  MLS_STR("\t"),
                                     MLS_STR("\n"),       MLS_STR("\v"),       MLS_STR("\f"), MLS_STR("\r")};
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
            const bool front = mls_str_starts(text, spaces[i]);
            if (front || mls_str_ends(text, spaces[i])) {
                text = (mls_str){text.ptr + (front ? spaces[i].len : 0), text.len - spaces[i].len};
                again = true;
            }
        }
    }
    const bool separated = text.len > 0 && ((text.ptr[0] >= 0x1c && text.ptr[0] <= 0x1f) ||
                                            (text.ptr[text.len - 1] >= 0x1c && text.ptr[text.len - 1] <= 0x1f));
    return !separated && mls_number_parse_lenient(text, time_ms);
}

/* time_ms: a number, a boolean (1 or 0) or a string that holds a number; false for anything else, or without memory. */
static bool time_read(mls_record_scan *scan, mls_str text)
{
    double *time_ms = &scan->record->time_ms;
    mls_str inner;
    if (time_digits(text, time_ms)) {
        return true;
    }
    if (*text.ptr == '"') {
        if (mls_span_decode(text, true, scan->scratch, &inner)) {
            return time_of_text(inner, time_ms);
        }
        (void)record_fail(scan, text.ptr, mls_reason_memory);
        return false;
    }
    /* A whole number may be of any size to Python, but not as a double. */
    return mls_json_number(text, time_ms) && !(isinf(*time_ms) && mls_json_is_integer(text));
}

/* Files the value of a top-level member. */
static void member_take(mls_record_scan *scan, mls_str name, mls_str text)
{
    mls_record *record = scan->record;
    if (mls_str_equal(name, MLS_S("key"))) {
        scan->seen |= MEMBER_KEY;
        record->key = *text.ptr == '"' ? (mls_str){text.ptr + 1, text.len - 2} : (mls_str){NULL, 0};
    } else if (mls_str_equal(name, MLS_S("value"))) {
        scan->seen |= MEMBER_VALUE;
        record->value = text;
    } else if (mls_str_equal(name, MLS_S("time_ms"))) {
        scan->seen |= MEMBER_TIME;
        scan->bad_time = time_read(scan, text) ? NULL : text.ptr;
    } else if (mls_str_equal(name, MLS_S("metadata"))) {
        scan->seen |= MEMBER_METADATA;
        record->metadata = text;
    } else if (mls_str_equal(name, MLS_S("event_type"))) {
        record->event_type = text;
    }
}

static const char *missing(unsigned seen)
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
static bool key_decode(mls_record *record, struct mls_arena *scratch)
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
static bool record_check_usual(const char *begin, const char *end, mls_record *record)
{
    mls_json_fault fault;
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
    if (*start == '0' || at == start || !time_digits((mls_str){start, (size_t)(at - start)}, &record->time_ms) ||
        !MLS_AT(at, ", \"event_type\": \"")) {
        return false;
    }
    start = at + sizeof ", \"event_type\": " - 1;
    at = mls_json_string_end(start + 1, &escaped, &fault);
    if (at == NULL || !MLS_AT(at, "\", \"key\": \"")) {
        return false;
    }
    record->event_type = (mls_str){start, (size_t)(at - start) + 1};
    start = at + sizeof "\", \"key\": \"" - 1;
    at = mls_json_string_end(start, &escaped, &fault);
    if (at == NULL || escaped || !MLS_AT(at, "\", \"value\": ")) {
        return false;
    }
    record->key = (mls_str){start, (size_t)(at - start)};
    start = at + sizeof "\", \"value\": " - 1;
    at = mls_json_check_value(start, &fault);
    if (at == NULL || !MLS_AT(at, ", \"metadata\": ")) {
        return false;
    }
    record->value = (mls_str){start, (size_t)(at - start)};
    start = at + sizeof ", \"metadata\": " - 1;
    at = mls_json_check_value(start, &fault);
    if (at == NULL || *at != '}' || at + 1 != end) {
        return false;
    }
    record->metadata = (mls_str){start, (size_t)(at - start)};
    record->payload = (mls_str){begin, (size_t)(end - begin)};
    return true;
}

/*
 * One member, from its name's quote; returns the byte behind its value.  Of
 * duplicate members the last counts; a time_ms that is no time is only wrong
 * when no later one replaces it, so it is remembered until the end.
 */
static const char *member_check(mls_record_scan *scan, const char *at)
{
    bool escaped = false;
    if (*at != '"') {
        return record_fail(scan, at, "expected a member name in quotes");
    }
    const char *start = ++at;
    if ((at = mls_json_check_string(at, &escaped, &scan->fault)) == NULL) {
        return NULL;
    }
    mls_str name = {start, (size_t)(at - start)};
    at = mls_json_blanks(at + 1, false);
    if (*at != ':') {
        return record_fail(scan, at, "expected ':'");
    }
    start = mls_json_blanks(at + 1, false);
    if ((at = mls_json_check_value(start, &scan->fault)) == NULL) {
        return NULL;
    }
    if (escaped && !mls_json_string((mls_str){name.ptr - 1, name.len + 2}, scan->scratch, &name)) {
        return record_fail(scan, start, mls_reason_memory);
    }
    member_take(scan, name, (mls_str){start, (size_t)(at - start)});
    return scan->fault.reason == NULL ? at : NULL;
}

/* The record's object, from its brace; returns the byte behind it. */
static const char *members_check(mls_record_scan *scan, const char *at)
{
    at = mls_json_blanks(at + 1, false);
    if (*at == '}') {
        return at + 1;
    }
    while ((at = member_check(scan, at)) != NULL) {
        at = mls_json_blanks(at, false);
        if (*at == '}') {
            return at + 1;
        }
        if (*at != ',') {
            return record_fail(scan, at, "expected ',' or '}'");
        }
        at = mls_json_blanks(at + 1, false);
    }
    return NULL;
}

/* A payload that is not an object may still be JSON, or break off. */
static const char *not_an_object(const char *begin, const char *end, const char **wrong)
{
    mls_json_fault fault = {begin, "nothing follows :::MLLOG"};
    if (begin < end && mls_json_check_value(begin, &fault) != NULL) {
        fault.reason = "the record is not a JSON object";
    }
    *wrong = fault.at;
    return fault.reason;
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
    if (record_check_usual(begin, end, record)) {
        record->key_id = mls_key_of(record->key);
        return NULL;
    }
    record->event_type = (mls_str){NULL, 0};
    if (begin == end || *begin != '{') {
        return not_an_object(begin, end, wrong);
    }
    const char *stop = members_check(&scan, begin);
    *wrong = begin;
    if (stop == NULL) {
        *wrong = scan.fault.at;
        return scan.fault.reason;
    }
    if (stop < end) {
        *wrong = mls_json_blanks(stop, false);
        return "something follows the record's JSON object";
    }
    if (scan.seen != MEMBER_ALL) {
        return missing(scan.seen);
    }
    if (scan.bad_time != NULL) {
        *wrong = scan.bad_time;
        return "time_ms is not a number";
    }
    record->payload = (mls_str){begin, (size_t)(end - begin)};
    if (!key_decode(record, scratch)) {
        return mls_reason_memory;
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
        return text.len > MLS_RECORD_LENGTH_MAX ? "the record is longer than 16 MiB" : mls_reason_memory;
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
