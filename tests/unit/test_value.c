/* SPDX-License-Identifier: Apache-2.0 */
/* Values as trees and as spans, compared with Python's JSON module. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/memory.h"
#include "log/log.h"
#include "json/value.h"

static mls_arena arena;

static const mls_value *build(const char *json)
{
    const mls_value *value = mls_value_build(mls_str_from(json), &arena);

    assert_non_null(value);
    return value;
}

static int release(void **state)
{
    (void)state;
    mls_arena_release(&arena);
    return 0;
}

static void kinds(void **state)
{
    (void)state;

    assert_int_equal(build("null")->kind, MLS_JSON_NULL);
    assert_int_equal(build("true")->kind, MLS_JSON_BOOL);
    assert_true(build("true")->as.boolean && !build("false")->as.boolean);
    assert_int_equal(build("[]")->kind, MLS_JSON_LIST);
    assert_int_equal(build("{}")->kind, MLS_JSON_OBJECT);
    assert_true(build("6")->is_integer && build("-0")->is_integer &&
                build("123456789012345678901234567890")->is_integer);
    assert_false(build("6.0")->is_integer || build("6e0")->is_integer || build("6E0")->is_integer);
    assert_true(isnan(build("NaN")->as.number));
    assert_true(isinf(build("-Infinity")->as.number) && build("-Infinity")->as.number < 0);
    assert_true(isinf(build("1e400")->as.number));
    assert_true(build("0.92474365234375")->as.number == 0.92474365234375);
}

static void string_is(const char *json, mls_str expected)
{
    mls_str text;

    assert_true(mls_value_string(build(json), &text));
    if (!mls_str_equal(text, expected))
        fail_msg("%s is read as '%.*s'", json, (int)text.len, text.ptr);
}

static void texts(void **state)
{
    (void)state;

    string_is("\"\"", MLS_S(""));
    string_is("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", MLS_S("a\"\\/\b\f\n\r\t"));
    string_is("\"\\u0041\\u00e9\\u20ac\"", MLS_S("A\xc3\xa9\xe2\x82\xac"));
    string_is("\"\\u0000\"", MLS_S("\0"));
    /* A surrogate pair is one code point; half a pair is unchanged. */
    string_is("\"\\ud83d\\ude42\"", MLS_S("\xf0\x9f\x99\x82"));
    string_is("\"\\ud83d\"", MLS_S("\xed\xa0\xbd"));
    string_is("\"\\ude42\\ud83d\"", MLS_S("\xed\xb9\x82\xed\xa0\xbd"));
    /* The bytes of a log are Latin-1: each byte from 0x80 up is a code point. */
    string_is("\"\xe9\"", MLS_S("\xc3\xa9"));
    string_is("\"\xc3\xa9\"", MLS_S("\xc3\x83\xc2\xa9"));
}

static void members(void **state)
{
    const mls_value *object = build("{\"a\": 1, \"b\": [1, {\"c\": 2}], \"a\": 3, \"\\u0064\": 4, \"\": 5}");
    double number;
    (void)state;

    assert_int_equal(object->as.object.count, 4);
    assert_true(mls_str_equal(object->as.object.members[0].name, MLS_S("a")));
    assert_true(mls_value_number(mls_value_member(object, MLS_S("a")), &number) && number == 3);
    assert_true(mls_value_number(mls_value_member(object, MLS_S("d")), &number) && number == 4);
    assert_true(mls_value_number(mls_value_member(object, MLS_S("")), &number) && number == 5);
    assert_null(mls_value_member(object, MLS_S("c")));
    assert_null(mls_value_member(NULL, MLS_S("a")));
    assert_null(mls_value_member(build("[1]"), MLS_S("a")));
    assert_int_equal(mls_value_member(object, MLS_S("b"))->as.list.count, 2);
}

static void spans_of_members(void **state)
{
    const mls_str json = MLS_S("{ \"a\" : {\"b\": \"}\\\"\"} , \"b\":[1, 2] ,\"a\": 7.50 , \"\\u0063\": null }");
    double number;
    mls_str span;
    (void)state;

    assert_true(mls_json_member(json, MLS_S("a"), &span) && mls_str_equal(span, MLS_S("7.50")));
    assert_true(mls_json_number(span, &number) && number == 7.5);
    assert_true(mls_json_member(json, MLS_S("b"), &span) && mls_str_equal(span, MLS_S("[1, 2]")));
    assert_true(mls_json_member(json, MLS_S("c"), &span) && mls_str_equal(span, MLS_S("null")));
    assert_false(mls_json_member(json, MLS_S("d"), &span));
    assert_false(mls_json_member(MLS_S("[\"a\", 1]"), MLS_S("a"), &span));
    assert_false(mls_json_member(MLS_S("{}"), MLS_S("a"), &span));
    assert_true(mls_json_number(MLS_S("true"), &number) && number == 1);
    assert_false(mls_json_number(MLS_S("\"1\""), &number));
    assert_int_equal(mls_json_kind_of(MLS_S("-1")), MLS_JSON_NUMBER);
    assert_int_equal(mls_json_kind_of(MLS_S("NaN")), MLS_JSON_NUMBER);
    assert_int_equal(mls_json_kind_of(MLS_S("\"x\"")), MLS_JSON_STRING);
}

/* A member is found by its position noted during validation, or by a walk, with the same result. */
static void members_of_a_record_are_those_of_its_texts(void **state)
{
    static const struct {
        const char *text;
        bool known;
    } values[] = {{"{\"a\": 1, \"b\": \"x\", \"a\": 2.5}", true},
                  {"{\"a\": \"b\", \"ab\": \"\\\"a\\\": 3\", \"b\": null}", true},
                  {"{\"p\": 1, \"q\": 2, \"r\": 3, \"s\": 4, \"a\": 5, \"b\": 6}", true},
                  {"{\"p\": 1, \"q\": 2, \"r\": 3, \"s\": 4, \"t\": 5, \"a\": 6, \"b\": 7}", false},
                  {"{\"a\": {\"b\": 1, \"x\": [2]}, \"c\": 2}", true},
                  {"{\"a\": [{\"b\": 1},2], \"c\": {}}", true},
                  {"{\"c\": 1, \"a\":2, \"b\": 3}", false},
                  {"{\"\\u0061\": 1, \"b\": 2}", false},
                  {"{}", false},
                  {"[1, {\"a\": 1}]", false},
                  {"\"a\"", false}};
    static const mls_str names[] = {MLS_STR("a"), MLS_STR("b"),  MLS_STR("c"),
                                    MLS_STR("x"), MLS_STR("ab"), MLS_STR("a\": 1, \"b")};
    (void)state;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[256];
        size_t where;
        mls_record record;
        (void)snprintf(text, sizeof text,
                       "{\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"\", \"key\": \"k\", \"value\": %s, "
                       "\"metadata\": %s}",
                       values[i].text, values[i].text);
        assert_null(mls_record_validate(mls_str_from(text), &record, &arena, &where));
        assert_int_equal(record.value_places.known, values[i].known);
        assert_int_equal(record.metadata_places.known, values[i].known);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            mls_str walked = {NULL, 0};
            mls_str found = {NULL, 0};
            const bool there = mls_json_member(record.value, names[n], &walked);
            assert_int_equal(mls_record_value_member(&record, names[n], &found), there);
            assert_true(found.ptr == walked.ptr && found.len == walked.len);
            found = (mls_str){NULL, 0};
            assert_int_equal(mls_record_metadata_member(&record, names[n], &found), there);
            assert_true(!there || mls_str_equal(found, walked));
        }
    }
}

/* Displayed bytes are unchanged, as most logs are UTF-8. */
static void texts_to_show(void **state)
{
    mls_str text;
    (void)state;

    assert_true(mls_json_string(MLS_S("\"caf\xc3\xa9 \\u00e9\\n\""), &arena, &text));
    assert_true(mls_str_equal(text, MLS_S("caf\xc3\xa9 \xc3\xa9\n")));
    assert_false(mls_json_string(MLS_S("1"), &arena, &text));
}

static void equality(void **state)
{
    static const char *const same[][2] = {{"1", "1.0"},
                                          {"true", "1"},
                                          {"0", "false"},
                                          {"\"a\"", "\"\\u0061\""},
                                          {"[1, 2]", "[1.0, 2]"},
                                          {"null", "null"},
                                          {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":true}"},
                                          {"-0.0", "0"},
                                          {"[]", "[]"}};
    static const char *const other[][2] = {{"1", "2"},
                                           {"1", "\"1\""},
                                           {"null", "false"},
                                           {"null", "0"},
                                           {"[1, 2]", "[2, 1]"},
                                           {"[1]", "[1, 1]"},
                                           {"NaN", "NaN"},
                                           {"{\"a\":1}", "{}"},
                                           {"[]", "{}"},
                                           {"\"a\"", "\"A\""},
                                           {"{\"a\":1}", "{\"b\":1}"}};
    (void)state;

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!mls_value_equal(build(same[i][0]), build(same[i][1])) ||
            !mls_value_equal(build(same[i][1]), build(same[i][0])))
            fail_msg("%s and %s differ", same[i][0], same[i][1]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (mls_value_equal(build(other[i][0]), build(other[i][1])) ||
            mls_value_equal(build(other[i][1]), build(other[i][0])))
            fail_msg("%s and %s are the same", other[i][0], other[i][1]);
}

static void wide_and_deep(void **state)
{
    char text[3000];
    size_t len = 0;
    (void)state;

    for (int i = 0; i < 500; i++)
        text[len++] = '[';
    for (int i = 0; i < 500; i++)
        text[len++] = ']';
    text[len] = '\0';
    assert_true(mls_value_equal(build(text), build(text)));
    len = 0;
    text[len++] = '[';
    for (int i = 0; i < 1000; i++) {
        text[len++] = '1';
        text[len++] = i == 999 ? ']' : ',';
    }
    text[len] = '\0';
    assert_int_equal(build(text)->as.list.count, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(kinds, release),
        cmocka_unit_test_teardown(texts, release),
        cmocka_unit_test_teardown(members, release),
        cmocka_unit_test_teardown(spans_of_members, release),
        cmocka_unit_test_teardown(members_of_a_record_are_those_of_its_texts, release),
        cmocka_unit_test_teardown(texts_to_show, release),
        cmocka_unit_test_teardown(equality, release),
        cmocka_unit_test_teardown(wide_and_deep, release),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
