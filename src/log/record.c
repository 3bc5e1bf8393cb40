/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - validate the payload of a record and find its members, in one pass. */
#include <math.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/number.h"
#include "log/reader.h"

mls_str mls_payload_trim(mls_str text)
{
    while (text.len > 0 && mls_is_blank(*text.ptr)) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && mls_is_latin_space(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

/* Parse a time of 1 to 15 digits, which a double represents exactly; most times have 13.  Return the position after the
 * digits, or NULL if there are no digits, more digits, or a leading 0. */
static const char *time_digits(const char *at, double *time_ms)
{
    const char *start = at;
    uint64_t value = 0;
    at += mls_eight_digits(at, &value) ? 8 : 0;
    /* One comparison per digit, because the subtraction wraps around. */
    for (unsigned digit = 0; (digit = (unsigned)*at - '0') < 10; at++)
        value = value * 10 + digit;
    *time_ms = (double)value;
    return at > start && at - start <= 15 && *start != '0' ? at : NULL;
}

/* Parse a string as Python's float() does.  It may be surrounded by ASCII white space, U+0085 (next line) and U+00A0
 * (no-break space), but not by other separators. */
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

/* If the text at *at begins with a string literal, skip it; evaluate to false if it does not. */
#define SKIP(at, literal) (memcmp(*(at), literal, sizeof(literal) - 1) == 0 && (*(at) += sizeof(literal) - 1) != NULL)

/* Read a JSON string at *at, and set *text to its contents.  Return false if there is no string, or if it contains an
 * escape. */
static inline bool plain_string(const char **at, mls_str *text)
{
    const char *start = *at + 1;
    if (**at != '"')
        return false;
    *at = mls_json_string_stop(start);
    *text = (mls_str){start, (size_t)(*at - start)};
    return *(*at)++ == '"';
}

static inline bool take_value(const char **at, const char *end, mls_json_front *front, mls_str *value,
                              mls_member_places *places)
{
    const char *start = *at;
    *at = mls_json_check_part(start, end, front, places);
    *value = (mls_str){start, *at != NULL ? (size_t)(*at - start) : 0};
    return *at != NULL;
}

/* Parse a record in the format of MLCommons' logging package, which wrote most published records:
 *
 * {"namespace": "…", "time_ms": 1, "event_type": "…", "key": "…", "value": …, "metadata": …}
 *
 * Because the order of the members is known, their names need not be looked up.  Return false if the record is
 * malformed or has another format; the general parser then parses it from the start. */
static bool record_check_usual(const char *at, const char *end, mls_json_front *fronts, mls_record *record)
{
    mls_str space;
    mls_str type;
    const bool usual = SKIP(&at, "{\"namespace\": \"\", \"time_ms\": ") ||
                       (SKIP(&at, "{\"namespace\": ") && plain_string(&at, &space) && SKIP(&at, ", \"time_ms\": "));
    if (!usual || (at = time_digits(at, &record->time_ms)) == NULL || !SKIP(&at, ", \"event_type\": ") ||
        !plain_string(&at, &type) || !SKIP(&at, ", \"key\": ") || !plain_string(&at, &record->key) ||
        !SKIP(&at, ", \"value\": ") || !take_value(&at, end, NULL, &record->value, &record->value_places) ||
        !SKIP(&at, ", \"metadata\": "))
        return false;
    record->key_id = mls_key_of(record->key);
    if (!take_value(&at, end, fronts != NULL ? &fronts[record->key_id] : NULL, &record->metadata,
                    &record->metadata_places) ||
        *at != '}' || at + 1 != end)
        return false;
    record->event_type = (mls_str){type.ptr - 1, type.len + 2};
    return true;
}

/* Parse a record in any format, whose JSON was already validated.  If a member occurs several times, the last one is
 * used, even if it is a wrong time_ms.  Return NULL, or the reason why the record is malformed. */
static const char *record_take_members(mls_str payload, mls_record *record, mls_arena *scratch, const char **wrong)
{
    mls_str time = {NULL, 0};
    mls_str key = {NULL, 0};
    mls_json_walk walk = mls_json_walk_begin(payload);
    record->value = record->metadata = record->event_type = record->key = time;
    record->value_places = record->metadata_places = (mls_member_places){0};
    for (mls_raw_member member; mls_json_walk_next(&walk, &member);) {
        struct {
            mls_str name;
            mls_str *value;
        } const known[] = {{MLS_STR("key"), &key},
                           {MLS_STR("value"), &record->value},
                           {MLS_STR("time_ms"), &time},
                           {MLS_STR("metadata"), &record->metadata},
                           {MLS_STR("event_type"), &record->event_type}};
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (mls_span_name_is(member.name, known[i].name))
                *known[i].value = member.value;
    }
    if (time.ptr == NULL || key.ptr == NULL || record->value.ptr == NULL || record->metadata.ptr == NULL) {
        return time.ptr == NULL            ? "the record has no time_ms"
               : key.ptr == NULL           ? "the record has no key"
               : record->value.ptr == NULL ? "the record has no value"
                                           : "the record has no metadata";
    }
    /* time_ms is a number, a boolean (1 or 0), or a string that contains a number.  Python integers may have any size,
     * but must not overflow a double. */
    const bool timed = *time.ptr == '"' ? time_of_text(mls_span_decode(time, true, scratch), &record->time_ms)
                                        : mls_json_number(time, &record->time_ms) &&
                                              !(isinf(record->time_ms) && mls_json_is_integer(time));
    if (!timed) {
        *wrong = time.ptr;
        return "time_ms is not a number";
    }
    if (*key.ptr == '"') {
        /* Decode the escapes in a key ("\u0073eed"), so that rules match it. */
        record->key = (mls_str){key.ptr + 1, key.len - 2};
        if (memchr(key.ptr, '\\', key.len) != NULL)
            record->key = mls_span_decode(key, false, scratch);
    }
    return NULL;
}

/* The cases of the switch and their comparisons are generated from key_table.h, so all lengths are known at compile
 * time. */
mls_key mls_key_of(mls_str text)
{
    switch (text.len) {
#define MLS_KEY_LENGTH(length)                                                                                         \
    break;                                                                                                             \
    case length:
#define MLS_KEY(id, name)                                                                                              \
    if (memcmp(text.ptr, name, sizeof(name) - 1) == 0)                                                                 \
        return MLS_KEY_##id;
#include "log/key_table.h"
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
#include "log/key_table.h"
#undef MLS_KEY
    };
    return (unsigned)key < MLS_KEY_COUNT ? texts[key] : texts[MLS_KEY_OTHER];
}

/* Keys, and environment variables that set them: the spelling of the rules, then AMD's spelling. */
static const mls_str spellings[][2] = {
    {MLS_STR("lowest_numerical_precision_in_linear"), MLS_STR("lowest_numerical_precision_linear")},
    {MLS_STR("MLLOG_LOWEST_NUMERICAL_PRECISION_IN_LINEAR"), MLS_STR("MLLOG_LOWEST_NUMERICAL_PRECISION_LINEAR")}};

mls_str mls_key_meant(mls_str text)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (mls_str_equal(text, spellings[i][1]))
            return spellings[i][0];
    return text;
}

mls_str mls_key_also_spelt(mls_str key)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (mls_str_equal(key, spellings[i][0]))
            return spellings[i][1];
    return (mls_str){NULL, 0};
}

const char *mls_record_check(mls_str payload, mls_json_front *fronts, mls_record *record, struct mls_arena *scratch,
                             const char **wrong)
{
    const char *begin = payload.ptr;
    const char *end = begin + payload.len;
    const char *reason = NULL;
    if (!record_check_usual(begin, end, fronts, record)) {
        mls_json_fault fault = {begin, "nothing follows :::MLLOG"};
        const char *stop = begin < end ? mls_json_check_value(begin, 0, &fault) : NULL;
        if (stop == NULL) {
            reason = fault.reason;
            *wrong = fault.at;
        } else if (*begin != '{') {
            reason = "the record is not a JSON object";
            *wrong = begin;
        } else if (stop < end) {
            reason = "something follows the record's JSON object";
            *wrong = mls_json_blanks(stop, false);
        } else {
            *wrong = begin;
            reason = record_take_members(payload, record, scratch, wrong);
        }
        record->key_id = reason == NULL && record->key.ptr != NULL ? mls_key_of(record->key) : MLS_KEY_OTHER;
    }
    record->payload = payload;
    return reason;
}

const char *mls_record_validate(mls_str payload, mls_record *record, struct mls_arena *scratch, size_t *where)
{
    const mls_str text = mls_payload_trim(payload);
    *where = 0;
    if (text.len > MLS_RECORD_LENGTH_MAX)
        return "the record is longer than 16 MiB";
    char *copy = mls_arena_alloc(scratch, text.len + MLS_SCAN_PADDING);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    memset(copy + text.len, 0, MLS_SCAN_PADDING);
    const char *wrong = copy;
    const char *reason = mls_record_check((mls_str){copy, text.len}, NULL, record, scratch, &wrong);
    *where = (size_t)(wrong - copy) + (size_t)(text.ptr - payload.ptr);
    return reason;
}

bool mls_record_value_member(const mls_record *record, mls_str name, mls_str *span)
{
    return mls_json_member_at(record->value, &record->value_places, name, span);
}

bool mls_record_metadata_member(const mls_record *record, mls_str name, mls_str *span)
{
    return mls_json_member_at(record->metadata, &record->metadata_places, name, span);
}
