/* SPDX-License-Identifier: Apache-2.0 */
/* Valid and malformed records: the grammar and the members of a payload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "log/log.h"
#include "json/value.h"

/* Validate a copy that ends where its block ends, so that sanitizers detect reads past its end. */
static const char *validate(mls_str payload, mls_record *record, size_t *where)
{
    static mls_arena arena;
    static char *copy;
    const char *reason;

    free(copy);
    mls_arena_release(&arena);
    copy = malloc(payload.len > 0 ? payload.len : 1);
    assert_non_null(copy);
    memcpy(copy, payload.ptr, payload.len);
    *record = (mls_record){0};
    *where = 0;
    reason = mls_record_validate((mls_str){copy, payload.len}, record, &arena, where);
    if (reason != NULL && *where > payload.len)
        fail_msg("'%.*s': place %zu is outside", (int)payload.len, payload.ptr, *where);
    return reason;
}

#define WITH_VALUE(text) "{\"time_ms\": 5, \"key\": \"k\", \"value\": " text ", \"metadata\": {}}"
#define ZEROS                                                                                                          \
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" \
    "0000"
#define WITH_TIME(text) "{\"time_ms\": " text ", \"key\": \"k\", \"value\": 1, \"metadata\": {}}"

static void accept(mls_str payload)
{
    mls_record record;
    size_t where;
    const char *reason = validate(payload, &record, &where);

    if (reason != NULL)
        fail_msg("'%.*s' is refused: %s at %zu", (int)payload.len, payload.ptr, reason, where);
}

static void refuse(mls_str payload)
{
    mls_record record;
    size_t where;

    if (validate(payload, &record, &where) == NULL)
        fail_msg("'%.*s' is accepted", (int)payload.len, payload.ptr);
}

static void values_that_are_json_to_python(void **state)
{
    static const mls_str good[] = {
        MLS_STR(WITH_VALUE("null")),
        MLS_STR(WITH_VALUE("true")),
        MLS_STR(WITH_VALUE("false")),
        MLS_STR(WITH_VALUE("NaN")),
        MLS_STR(WITH_VALUE("Infinity")),
        MLS_STR(WITH_VALUE("-Infinity")),
        MLS_STR(WITH_VALUE("0")),
        MLS_STR(WITH_VALUE("-0")),
        MLS_STR(WITH_VALUE("-0.0e-0")),
        MLS_STR(WITH_VALUE("10E+20")),
        MLS_STR(WITH_VALUE("1e400")),
        MLS_STR(WITH_VALUE("123456789012345678901234567890")),
        MLS_STR(WITH_VALUE("\"\"")),
        MLS_STR(WITH_VALUE("\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\uD834\\uDD1E\"")),
        MLS_STR(WITH_VALUE("\"\\ud800\"")),
        MLS_STR(WITH_VALUE("\"\\udc00\\ud800\"")),
        MLS_STR(WITH_VALUE("\"\\u0000\"")),
        MLS_STR(WITH_VALUE("\"\x7f \x80\xff\"")),
        MLS_STR(WITH_VALUE("[]")),
        MLS_STR(WITH_VALUE("[1,[2,[3]], {}]")),
        MLS_STR(WITH_VALUE("{\"a\": {\"a\": [NaN]}, \"a\": 1}")),
        MLS_STR(WITH_VALUE("\t \t1 \t ")),
        MLS_STR("{\"time_ms\":1,\"key\":\"\",\"value\":1,\"metadata\":null}"),
        MLS_STR("{\"metadata\":7,\"value\":1,\"key\":\"k\",\"time_ms\":1,\"more\":[1]}"),
    };
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        accept(good[i]);
}

static void values_that_are_not(void **state)
{
    static const char *const bad[] = {"",         "True",      "None",        "nan",         "inf",
                                      "Inf",      "+Infinity", "-NaN",        "-Inf",        "nul",
                                      "nulll",    "tru",       "+1",          "-",           "--1",
                                      ".5",       "1.",        "1.e5",        "1e",          "1e+",
                                      "01",       "-01",       "00",          "0x10",        "1_000",
                                      "1 2",      "'a'",       "\"",          "\"a",         "\"\\\"",
                                      "\"\\q\"",  "\"\\u12\"", "\"\\u12g4\"", "\"\\U0041\"", "\"\\",
                                      "\"a\nb\"", "\"\t\"",    "\"\x01\"",    "\"\x1f\"",    "[",
                                      "]",        "[1",        "[1,",         "[1,]",        "[,1]",
                                      "[1 2]",    "{",         "{\"a\"}",     "{\"a\":}",    "{\"a\":1,}",
                                      "{,}",      "{a:1}",     "{1:1}",       "{\"a\" 1}",   "{\"a\":1 \"b\":2}",
                                      "\f1",      "\v1",       "\2401",       "//x\n1",      "/**/1"};
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        const int length = snprintf(text, sizeof text, WITH_VALUE("%s"), bad[i]);

        assert_in_range(length, 1, sizeof text - 1);
        refuse((mls_str){text, (size_t)length});
    }
    /* NUL is a control character like the others. */
    refuse(MLS_S(WITH_VALUE("\"a\0b\"")));
    refuse(MLS_S(WITH_VALUE("1\0")));
}

static void members_that_must_be_there(void **state)
{
    static const mls_str bad[] = {
        MLS_STR(""),
        MLS_STR("   "),
        MLS_STR("null"),
        MLS_STR("\"time_ms\""),
        MLS_STR("[]"),
        MLS_STR("{}"),
        MLS_STR("{\"key\": \"k\", \"value\": 1, \"metadata\": {}}"),
        MLS_STR("{\"time_ms\": 1, \"value\": 1, \"metadata\": {}}"),
        MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"metadata\": {}}"),
        MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"value\": 1}"),
        MLS_STR("{\"time_ms\": 1, \"Key\": \"k\", \"value\": 1, \"metadata\": {}}"),
        MLS_STR("{\"x\": {\"time_ms\": 1, \"key\": \"k\", \"value\": 1, \"metadata\": {}}}"),
        MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"value\": 1, \"metadata\": {}} x"),
        MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"value\": 1, \"metadata\": {}}{}"),
        MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"value\": 1, \"metadata\": {}"),
    };
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i]);
}

/* A record cut anywhere is not valid, and nothing is read after the cut. */
static void every_cut_is_refused(void **state)
{
    const mls_str whole = MLS_S(
        "{\"time_ms\": 1e3, \"key\": \"k\\u00e9\", \"value\": [true, null, -1.5, {\"a\": \"b\"}], \"metadata\": {}}");
    (void)state;

    accept(whole);
    for (size_t len = 0; len < whole.len; len++)
        refuse((mls_str){whole.ptr, len});
}

static void times(void **state)
{
    static const struct {
        mls_str payload;
        double time_ms;
    } good[] = {
        {MLS_STR(WITH_TIME("1745066917961")), 1745066917961.0},
        {MLS_STR(WITH_TIME("1745066917961.25")), 1745066917961.25},
        {MLS_STR(WITH_TIME("-5")), -5},
        {MLS_STR(WITH_TIME("true")), 1},
        {MLS_STR(WITH_TIME("false")), 0},
        {MLS_STR(WITH_TIME("\"12\"")), 12},
        {MLS_STR(WITH_TIME("\" \\t12.5e1\\n \"")), 125},
        {MLS_STR(WITH_TIME("\"1_000\"")), 1000},
        {MLS_STR(WITH_TIME("\"+7\"")), 7},
        {MLS_STR(WITH_TIME("\".5\"")), 0.5},
        {MLS_STR(WITH_TIME("1, \"time_ms\": 2")), 2},
        {MLS_STR(WITH_TIME("\"\\u00a0\\u0085 7\\u0085\\u00a0\"")), 7},
        {MLS_STR(WITH_TIME("\"\x85"
                           "7\xa0\"")),
         7},
    };
    static const mls_str bad[] = {
        MLS_STR(WITH_TIME("null")),
        MLS_STR(WITH_TIME("[]")),
        MLS_STR(WITH_TIME("{}")),
        MLS_STR(WITH_TIME("\"\"")),
        MLS_STR(WITH_TIME("\"soon\"")),
        MLS_STR(WITH_TIME("\"1 2\"")),
        MLS_STR(WITH_TIME("\"0x10\"")),
        MLS_STR(WITH_TIME("\"1__0\"")),
        MLS_STR(WITH_TIME("\"1\\u0000\"")),
        MLS_STR(WITH_TIME("1, \"time_ms\": null")),
        MLS_STR(WITH_TIME("\"\\u001c1\"")),
        MLS_STR(WITH_TIME("\"1\\u001f\"")),
        MLS_STR(WITH_TIME("\"\\u00a01\\u001e\"")),
        MLS_STR(WITH_TIME("1" ZEROS ZEROS ZEROS)),
    };
    mls_record record;
    size_t where;
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        accept(good[i].payload);
        (void)validate(good[i].payload, &record, &where);
        assert_true(record.time_ms == good[i].time_ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i]);
    /* A whole number too large for a double is not a time, unless it is a string. */
    assert_null(validate(MLS_S(WITH_TIME("\"1" ZEROS ZEROS ZEROS "\"")), &record, &where));
    assert_true(isinf(record.time_ms));
    assert_null(validate(MLS_S(WITH_TIME("1e999")), &record, &where));
    assert_true(isinf(record.time_ms));
    assert_null(validate(MLS_S(WITH_TIME("NaN")), &record, &where));
    assert_true(isnan(record.time_ms));
    assert_null(validate(MLS_S(WITH_TIME("\"-inf\"")), &record, &where));
    assert_true(isinf(record.time_ms) && record.time_ms < 0);
}

static void spans(void **state)
{
    mls_record record;
    size_t where;
    (void)state;

    assert_null(validate(MLS_S(" \t{\"value\": [1, 2] , \"time_ms\": 3, \"event_type\": \"X\", \"value\": {\"a\": 1}, "
                               "\"k\\u0065y\": \"a\\u00e9\\n\", \"metadata\":{ } } \x1c\x85\xa0"),
                         &record, &where));
    assert_true(mls_str_equal(record.value, MLS_S("{\"a\": 1}")));
    assert_true(mls_str_equal(record.metadata, MLS_S("{ }")));
    assert_true(mls_str_equal(record.event_type, MLS_S("\"X\"")));
    assert_true(mls_str_equal(record.key, MLS_S("a\xc3\xa9\n")));
    assert_true(mls_str_starts(record.payload, MLS_S("{\"value\"")) && mls_str_ends(record.payload, MLS_S("} }")));

    assert_null(
        validate(MLS_S("{\"time_ms\": 3, \"value\": 1, \"key\": [\"run_stop\"], \"metadata\": 1}"), &record, &where));
    assert_null(record.key.ptr);
    assert_null(record.event_type.ptr);
    /* The last of duplicate keys counts, even if it is not a string. */
    assert_null(validate(MLS_S("{\"time_ms\": 3, \"value\": 1, \"key\": \"k\", \"key\": 1, \"metadata\": 1}"), &record,
                         &where));
    assert_null(record.key.ptr);
}

/* Write `depth` nested lists inside the record's object. */
static mls_str nested(char *text, size_t depth)
{
    static const mls_str head = MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"metadata\": {}, \"value\": ");
    char *at = text;

    memcpy(at, head.ptr, head.len);
    at += head.len;
    memset(at, '[', depth);
    memset(at + depth, ']', depth);
    at += 2 * depth;
    *at++ = '}';
    return (mls_str){text, (size_t)(at - text)};
}

static void nesting(void **state)
{
    const size_t deepest = MLS_JSON_DEPTH_MAX - 1; /* the object is a level too */
    char *text = malloc(3000000);
    (void)state;

    assert_non_null(text);
    accept(nested(text, deepest));
    refuse(nested(text, deepest + 1));
    refuse(nested(text, 1000000));
    free(text);
}

static void where_it_breaks(void **state)
{
    static const struct {
        mls_str payload;
        size_t where;
    } rows[] = {
        {MLS_STR("hello"), 0},
        {MLS_STR("{\"time_ms\": 1, \"key\": \"k\", \"value\": 1, \"metadata\": {}} x"), 55},
        {MLS_STR("{\"time_ms\": 1 \"key\""), 14},
        {MLS_STR("{\"time_ms\": 1, key"), 15},
        {MLS_STR("{\"time_ms\": 1, \"key\": \"a\tb\""), 24},
        {MLS_STR("{\"time_ms\": +1"), 12},
    };
    mls_record record;
    size_t where;
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_non_null(validate(rows[i].payload, &record, &where));
        assert_int_equal(where, rows[i].where);
    }
}

/* Strings of each length up to several vectors, with each byte that may end or break them at each position. */
static void strings_of_every_length(void **state)
{
    (void)state;

    for (size_t len = 0; len < 70; len++) {
        char text[200];
        const int head = snprintf(text, sizeof text, "{\"time_ms\": 1, \"key\": \"");

        memset(text + head, 'x', len);
        const int tail =
            snprintf(text + head + len, sizeof text - (size_t)head - len, "\", \"value\": 1, \"metadata\": {}}");
        const mls_str payload = {text, (size_t)head + len + (size_t)tail};

        accept(payload);
        for (size_t i = 0; i < len; i++) {
            static const char bad[] = {'"', '\\', '\n', '\0', 0x1f, 1};

            for (size_t b = 0; b < sizeof bad; b++) {
                text[(size_t)head + i] = bad[b];
                refuse(payload);
            }
            text[(size_t)head + i] = ' ';
            accept(payload);
            text[(size_t)head + i] = '\x7f';
            accept(payload);
            text[(size_t)head + i] = '\xff';
            accept(payload);
            text[(size_t)head + i] = 'x';
        }
    }
}

/* Each row of the table is found however the key is written, and similar keys are not found. */
static void keys_by_number(void **state)
{
    size_t where;
    (void)state;

    assert_int_equal(mls_key_text(MLS_KEY_OTHER).len, 0);
    for (mls_key key = 1; key < MLS_KEY_COUNT; key++) {
        const mls_str text = mls_key_text(key);
        mls_buffer payload = {0};
        mls_record record;
        assert_int_equal(mls_key_of(text), key);
        assert_int_equal(mls_key_of((mls_str){text.ptr, text.len - 1}), MLS_KEY_OTHER);
        assert_int_equal(mls_key_of((mls_str){text.ptr + 1, text.len - 1}), MLS_KEY_OTHER);
        for (size_t i = 0; i < text.len; i++) {
            char other[64];
            assert_in_range(text.len, 1, sizeof other);
            memcpy(other, text.ptr, text.len);
            other[i] ^= 1;
            assert_int_equal(mls_key_of((mls_str){other, text.len}), MLS_KEY_OTHER);
        }

        mls_buffer_printf(&payload,
                          "{\"namespace\": \"\", \"time_ms\": 5, \"event_type\": \"\", \"key\": \"%s\", "
                          "\"value\": 1, \"metadata\": {}}",
                          text.ptr);
        assert_null(validate(mls_buffer_str(&payload), &record, &where));
        assert_int_equal(record.key_id, key);

        mls_buffer_clear(&payload);
        mls_buffer_printf(&payload,
                          "{\"key\": \"x\", \"time_ms\": 5, \"key\": \"\\u%04x%s\", \"value\": 1, "
                          "\"metadata\": {}}",
                          (unsigned)text.ptr[0], text.ptr + 1);
        assert_null(validate(mls_buffer_str(&payload), &record, &where));
        assert_int_equal(record.key_id, key);
        mls_buffer_release(&payload);
    }
    mls_record record = {.key_id = MLS_KEY_SEED};
    assert_null(validate(MLS_S("{\"key\": 4, \"time_ms\": 5, \"value\": 1, \"metadata\": {}}"), &record, &where));
    assert_int_equal(record.key_id, MLS_KEY_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_are_json_to_python),
        cmocka_unit_test(values_that_are_not),
        cmocka_unit_test(members_that_must_be_there),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(times),
        cmocka_unit_test(spans),
        cmocka_unit_test(nesting),
        cmocka_unit_test(where_it_breaks),
        cmocka_unit_test(strings_of_every_length),
        cmocka_unit_test(keys_by_number),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
