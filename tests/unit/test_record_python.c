/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "json_table.h"
#include "log/log.h"

/* Validate a text. The spans live as long as the arena. */
static const char *validate(const mls_buffer *text, mls_record *record, mls_arena *arena)
{
    size_t where = SIZE_MAX;
    *record = (mls_record){0};
    const char *reason = mls_record_validate(mls_buffer_str(text), record, arena, &where);
    assert_true(where <= text->len);
    return reason;
}

static bool is_valid(mls_str before, mls_str text, mls_str behind)
{
    mls_buffer payload = {0};
    mls_arena arena = {0};
    mls_record record;
    mls_buffer_append(&payload, before);
    mls_buffer_append(&payload, text);
    mls_buffer_append(&payload, behind);
    const bool good = validate(&payload, &record, &arena) == NULL;
    mls_arena_release(&arena);
    mls_buffer_release(&payload);
    return good;
}

static void values_as_python_judges_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof json_values / sizeof *json_values; i++) {
        const mls_str text = json_values[i].text;
        const bool good = json_values[i].good;
        /* The general path, and the path for the usual layout. */
        if (is_valid(MLS_S("{\"time_ms\":1,\"key\":\"k\",\"value\":"), text, MLS_S(",\"metadata\":null}")) != good ||
            is_valid(MLS_S("{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"e\", \"key\": \"k\", \"value\": "),
                     text, MLS_S(", \"metadata\": null}")) != good ||
            is_valid(MLS_S("{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"e\", \"key\": \"k\", \"value\": 1, "
                           "\"metadata\": "),
                     text, MLS_S("}")) != good)
            fail_msg("row %zu: %.*s is %s", i, (int)text.len, text.ptr, good ? "good" : "bad");
    }
}

static void times_as_python_reads_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof json_times / sizeof *json_times; i++) {
        mls_buffer text = {0};
        mls_arena arena = {0};
        mls_record record;
        mls_buffer_append_text(&text, "{\"key\":\"k\",\"time_ms\":");
        mls_buffer_append(&text, json_times[i].text);
        mls_buffer_append_text(&text, ",\"value\":0,\"metadata\":0}");
        const char *reason = validate(&text, &record, &arena);
        if ((reason == NULL) != json_times[i].good)
            fail_msg("row %zu: %s: %s", i, text.ptr, reason != NULL ? reason : "good");
        if (reason == NULL && isnan(json_times[i].time_ms))
            assert_true(isnan(record.time_ms));
        else if (reason == NULL)
            assert_true(record.time_ms == json_times[i].time_ms);
        mls_arena_release(&arena);
        mls_buffer_release(&text);
    }
}

static void nested(mls_buffer *text, size_t levels, char open, char close, const char *inner)
{
    mls_buffer_append_text(text, "{\"time_ms\":1,\"key\":1,\"metadata\":1,\"value\":");
    for (size_t i = 1; i < levels; i++)
        mls_buffer_append_text(text, open == '[' || (open == 'm' && i % 2 != 0) ? "[" : "{\"a\":");
    mls_buffer_append_text(text, inner);
    for (size_t i = levels; i-- > 1;)
        mls_buffer_append_text(text, close == ']' || (close == 'm' && i % 2 != 0) ? "]" : "}");
    mls_buffer_append_char(text, '}');
}

static void nesting_has_a_limit(void **state)
{
    static const char kinds[][2] = {{'[', ']'}, {'{', '}'}, {'m', 'm'}};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        for (size_t levels = 1; levels < 1200; levels += levels < 60 || (levels > 500 && levels < 520) ? 1 : 37) {
            for (int empty = 0; empty < 3; empty++) {
                mls_buffer text = {0};
                mls_arena arena = {0};
                mls_record record;
                const size_t deepest = levels + (empty > 0);
                nested(&text, levels, kinds[k][0], kinds[k][1], empty == 0 ? "1" : empty == 1 ? "[]" : "{}");
                const char *reason = validate(&text, &record, &arena);
                if (deepest <= MLS_JSON_DEPTH_MAX)
                    assert_null(reason);
                else
                    assert_string_equal(reason, "nested too deeply");
                mls_arena_release(&arena);
                mls_buffer_release(&text);
            }
        }
    }
    mls_buffer open = {0};
    mls_arena arena = {0};
    mls_record record;
    mls_buffer_append_repeated(&open, '[', 1000000);
    assert_string_equal(validate(&open, &record, &arena), "nested too deeply");
    mls_arena_release(&arena);
    mls_buffer_release(&open);
}

static void assert_spans(const char *payload, const char *key, const char *value, const char *metadata,
                         const char *event_type, double time_ms)
{
    mls_buffer text = {0};
    mls_arena arena = {0};
    mls_record record;
    mls_buffer_append_text(&text, payload);
    assert_null(validate(&text, &record, &arena));
    const char *expected[] = {key, value, metadata, event_type};
    const mls_str got[] = {record.key, record.value, record.metadata, record.event_type};
    for (size_t i = 0; i < 4; i++) {
        if (expected[i] == NULL) {
            assert_null(got[i].ptr);
        } else {
            assert_int_equal(got[i].len, strlen(expected[i]));
            assert_memory_equal(got[i].ptr, expected[i], got[i].len);
        }
    }
    assert_true(record.time_ms == time_ms);
    mls_arena_release(&arena);
    mls_buffer_release(&text);
}

static void members_are_found_wherever_they_stand(void **state)
{
    (void)state;
    assert_spans("{\"namespace\": \"\", \"time_ms\": 17, \"event_type\": \"E\", \"key\": \"seed\", \"value\": [1, {}], "
                 "\"metadata\": {\"a\": 1}}",
                 "seed", "[1, {}]", "{\"a\": 1}", "\"E\"", 17);
    assert_spans(" { \"metadata\" : null , \"x\" : [ ] ,\t\"value\" : \"v\" , \"key\" : \"k\" , \"time_ms\" : \"5\" } ",
                 "k", "\"v\"", "null", NULL, 5);
    /* The usual layout with one deviation each. */
    assert_spans("{\"namespace\": \"\", \"time_ms\": 17.5, \"event_type\": \"E\", \"key\": \"k\", \"value\": 1, "
                 "\"metadata\": 2}",
                 "k", "1", "2", "\"E\"", 17.5);
    assert_spans("{\"namespace\": \"\", \"time_ms\": 1234567890123456, \"event_type\": \"E\", \"key\": \"k\", "
                 "\"value\": 1, \"metadata\": 2}",
                 "k", "1", "2", "\"E\"", 1234567890123456);
    assert_spans("{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": null, \"key\": \"k\", \"value\": 1, "
                 "\"metadata\": 2}",
                 "k", "1", "2", "null", 1);
    assert_spans("{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"E\\n\", \"key\": \"\\u006b\", \"value\": 1, "
                 "\"metadata\": 2 , \"key\": 3.0 }",
                 NULL, "1", "2", "\"E\\n\"", 1);
}

static void the_last_of_duplicate_members_counts(void **state)
{
    (void)state;
    assert_spans("{\"time_ms\":1,\"key\":\"a\",\"value\":1,\"metadata\":1,\"key\":\"b\",\"value\":2,\"metadata\":3,"
                 "\"time_ms\":4,\"event_type\":5,\"event_type\":6}",
                 "b", "2", "3", "6", 4);
    assert_spans("{\"time_ms\":\"x\",\"key\":\"a\",\"value\":1,\"metadata\":1,\"time_ms\":2,\"key\":null}", NULL, "1",
                 "1", NULL, 2);
    assert_spans("{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"E\", \"key\": \"k\", \"value\": 1, "
                 "\"metadata\": 2, \"value\": 3}",
                 "k", "3", "2", "\"E\"", 1);
    assert_false(
        is_valid(MLS_S("{\"time_ms\":1,\"key\":1,\"value\":1,\"metadata\":1,\"time_ms\":null}"), MLS_S(""), MLS_S("")));
}

static void names_and_keys_may_be_escaped(void **state)
{
    (void)state;
    assert_spans("{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"E\", \"key\": \"s\\u0065ed\", \"value\": 1, "
                 "\"metadata\": 2}",
                 "seed", "1", "2", "\"E\"", 1);
    assert_spans("{\"\\u0074ime_ms\":1,\"ke\\u0079\":\"\\u0073eed\\/\",\"v\\u0061lue\":1,\"metadat\\u0061\":2,"
                 "\"event\\u005ftype\":3}",
                 "seed/", "1", "2", "3", 1);
    assert_spans("{\"time_ms\":1,\"key\":\"\\u00e9\\ud83d\\ude00\\ud800\",\"value\":1,\"metadata\":2}",
                 "\xc3\xa9\xf0\x9f\x98\x80\xed\xa0\x80", "1", "2", NULL, 1);
    assert_spans("{\"time_ms\":1,\"key\":\"k\",\"value\":1,\"metadata\":2,\"Key\":1,\"keys\":1,\"\\u0000ey\":1}", "k",
                 "1", "2", NULL, 1);
}

static void all_four_members_must_be_there(void **state)
{
    static const char *const members[] = {"\"time_ms\":1", "\"key\":null", "\"value\":null", "\"metadata\":null"};
    static const char *const reasons[] = {"the record has no time_ms", "the record has no key",
                                          "the record has no value", "the record has no metadata"};
    (void)state;
    for (unsigned without = 0; without < 16; without++) {
        mls_buffer text = {0};
        mls_arena arena = {0};
        mls_record record;
        const char *expected = NULL;
        for (unsigned i = 0; i < 4; i++) {
            if ((without >> i & 1) == 0) {
                mls_buffer_append_text(&text, text.len > 0 ? "," : "{");
                mls_buffer_append_text(&text, members[i]);
            } else if (expected == NULL) {
                expected = reasons[i];
            }
        }
        mls_buffer_append_text(&text, text.len > 0 ? "}" : "{}");
        const char *reason = validate(&text, &record, &arena);
        if (expected == NULL)
            assert_null(reason);
        else
            assert_string_equal(reason, expected);
        mls_arena_release(&arena);
        mls_buffer_release(&text);
    }
}

static void payloads_of_any_length(void **state)
{
    (void)state;
    assert_false(is_valid(MLS_S(""), MLS_S(""), MLS_S("")));
    assert_false(is_valid(MLS_S(" \x85\xa0"), MLS_S("\x1c"), MLS_S("\t")));
    for (size_t more = 0; more < 2; more++) {
        mls_buffer text = {0};
        mls_arena arena = {0};
        mls_record record;
        static const char tail[] = "\",\"value\":1,\"metadata\":2}";
        mls_buffer_append_text(&text, "{\"time_ms\":1,\"key\":\"");
        mls_buffer_append_repeated(&text, 'k', MLS_RECORD_LENGTH_MAX - text.len - (sizeof tail - 1) + more);
        mls_buffer_append_text(&text, tail);
        const char *reason = validate(&text, &record, &arena);
        if (more == 0)
            assert_null(reason);
        else
            assert_string_equal(reason, "the record is longer than 16 MiB");
        mls_arena_release(&arena);
        mls_buffer_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_as_python_judges_them),
        cmocka_unit_test(times_as_python_reads_them),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(members_are_found_wherever_they_stand),
        cmocka_unit_test(the_last_of_duplicate_members_counts),
        cmocka_unit_test(names_and_keys_may_be_escaped),
        cmocka_unit_test(all_four_members_must_be_there),
        cmocka_unit_test(payloads_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
