/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "json/value.h"

static mls_arena arena;

static const mls_value *build(const char *json)
{
    const mls_value *value = mls_value_build(mls_str_from(json), &arena);
    assert_non_null(value);
    return value;
}

static int forget(void **state)
{
    (void)state;
    mls_arena_release(&arena);
    return 0;
}

static void assert_string(const char *json, const char *expected)
{
    mls_str text;
    assert_true(mls_value_string(build(json), &text));
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

static void strings_are_code_points_of_latin_1(void **state)
{
    (void)state;
    assert_string("\"\"", "");
    assert_string("\"a\xe9\"", "a\xc3\xa9");
    assert_string("\"\xc3\xa9\"", "\xc3\x83\xc2\xa9"); /* two bytes, two code points */
    assert_string("\"\\u00e9\"", "\xc3\xa9");
    assert_string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    assert_string("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
    assert_string("\"\\uD83D\\uDE00\\uffff\"", "\xf0\x9f\x98\x80\xef\xbf\xbf");
    assert_string("\"\\ude00\\ud83d\"", "\xed\xb8\x80\xed\xa0\xbd");
    assert_string("\"\\ud83dx\\ud83d\\u0041\\ud83d\\n\"", "\xed\xa0\xbdx\xed\xa0\xbd"
                                                          "A\xed\xa0\xbd\n");
    mls_str text;
    assert_true(mls_value_string(build("\"a\\u0000b\""), &text));
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.ptr, "a\0b", 3);
    /* Displayed bytes are unchanged. */
    assert_true(mls_json_string(MLS_S("\"\xc3\xa9\xff\\u00e9\""), &arena, &text));
    assert_int_equal(text.len, 5);
    assert_memory_equal(text.ptr, "\xc3\xa9\xff\xc3\xa9", 5);
    assert_false(mls_json_string(MLS_S("12"), &arena, &text));
}

static void numbers_know_how_they_were_written(void **state)
{
    static const struct {
        const char *json;
        double number;
        bool integer;
    } rows[] = {{"6", 6, true},
                {"6.0", 6, false},
                {"-6", -6, true},
                {"6e0", 6, false},
                {"6E1", 60, false},
                {"0", 0, true},
                {"-0", 0, true},
                {"9007199254740992", 0x1p53, true},
                {"1e400", INFINITY, false},
                {"-Infinity", -INFINITY, false},
                {"Infinity", INFINITY, false},
                {"0.1", 0.1, false}};
    double number;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_value *value = build(rows[i].json);
        assert_int_equal(value->kind, MLS_JSON_NUMBER);
        assert_int_equal(value->is_integer, rows[i].integer);
        assert_true(mls_value_number(value, &number) && number == rows[i].number);
        assert_true(mls_json_number(mls_str_from(rows[i].json), &number) && number == rows[i].number);
    }
    assert_true(mls_value_number(build("NaN"), &number) && isnan(number));
    assert_true(mls_value_number(build("true"), &number) && number == 1);
    assert_true(mls_value_number(build("false"), &number) && number == 0);
    assert_false(mls_value_number(build("\"1\""), &number));
    assert_false(mls_value_number(build("null"), &number));
    assert_false(mls_value_number(NULL, &number));
}

static void duplicates_keep_the_first_place_and_the_last_value(void **state)
{
    (void)state;
    const mls_value *value = build("{ \"a\" : 1 , \"b\" : [ ] , \"\\u0061\" : 2 , \"c\" : { } , \"b\" : 3 }");
    assert_int_equal(value->as.object.count, 3);
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++)
        assert_true(mls_str_equal(value->as.object.members[i].name, mls_str_from(names[i])));
    assert_true(value->as.object.members[0].value->as.number == 2);
    assert_true(mls_value_member(value, MLS_S("b"))->as.number == 3);
    assert_null(mls_value_member(value, MLS_S("d")));
    assert_null(mls_value_member(build("[]"), MLS_S("d")));
    assert_null(mls_value_member(NULL, MLS_S("d")));
}

static void members_are_found_without_a_tree(void **state)
{
    static const char json[] =
        "{ \"x\" : {\"a\":1} , \"s\":\"\\\"}{\\\\\" , \"a\" : [1,{\"a\":9}] ,\"\\u00e9\":5, \"\\u0061\" : -1.5 }";
    mls_str span;
    (void)state;
    assert_true(mls_json_member(mls_str_from(json), MLS_S("a"), &span));
    assert_true(mls_str_equal(span, MLS_S("-1.5")));
    assert_true(mls_json_member(mls_str_from(json), MLS_S("x"), &span));
    assert_true(mls_str_equal(span, MLS_S("{\"a\":1}")));
    assert_true(mls_json_member(mls_str_from(json), MLS_S("s"), &span));
    assert_true(mls_str_equal(span, MLS_S("\"\\\"}{\\\\\"")));
    assert_true(mls_json_member(mls_str_from(json), MLS_S("\xc3\xa9"), &span));
    assert_false(mls_json_member(mls_str_from(json), MLS_S("aa"), &span));
    assert_false(mls_json_member(mls_str_from(json), MLS_S(""), &span));
    assert_false(mls_json_member(MLS_S("{}"), MLS_S("a"), &span));
    assert_false(mls_json_member(MLS_S("[\"a\",1]"), MLS_S("a"), &span));
    assert_false(mls_json_member(MLS_S("null"), MLS_S("a"), &span));
}

static void equality_is_by_content(void **state)
{
    static const char *const same[][2] = {{"1", "1.0"},
                                          {"true", "1"},
                                          {"0", "false"},
                                          {"null", "null"},
                                          {"\"a\"", "\"\\u0061\""},
                                          {"[]", "[ ]"},
                                          {"[1,[2]]", "[1.0,[2]]"},
                                          {"{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":true}"},
                                          {"{\"a\":1,\"a\":2}", "{\"a\":2}"}};
    static const char *const different[][2] = {{"1", "\"1\""},
                                               {"null", "0"},
                                               {"NaN", "NaN"},
                                               {"[NaN]", "[NaN]"},
                                               {"[1]", "[1,1]"},
                                               {"[1,2]", "[2,1]"},
                                               {"{}", "[]"},
                                               {"{\"a\":1}", "{\"b\":1}"},
                                               {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
                                               {"\"a\"", "\"A\""}};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(mls_value_equal(build(same[i][0]), build(same[i][1])));
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        assert_false(mls_value_equal(build(different[i][0]), build(different[i][1])));
        assert_false(mls_value_equal(build(different[i][1]), build(different[i][0])));
    }
    assert_false(mls_value_equal(NULL, build("1")));
}

/* Processor time in seconds; a quadratic algorithm takes minutes for these sizes. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void big_objects_take_linear_time(void **state)
{
    enum { MEMBERS = 300000 };
    mls_buffer json = {0};
    mls_str span;
    (void)state;
    for (int i = 0; i < MEMBERS; i++)
        mls_buffer_printf(&json, "%c\"member %d\": [%d]", i == 0 ? '{' : ',', i % (MEMBERS / 2), i);
    mls_buffer_append_char(&json, '}');
    const double start = seconds();
    const mls_value *value = build(json.ptr);
    assert_int_equal(value->as.object.count, MEMBERS / 2);
    const int last_seventh = MEMBERS / 2 + 7;
    assert_true(mls_value_member(value, MLS_S("member 7"))->as.list.items[0].as.number == last_seventh);
    assert_true(mls_json_member(mls_buffer_str(&json), MLS_S("member 149999"), &span));
    assert_true(mls_str_equal(span, MLS_S("[299999]")));
    assert_true(mls_value_equal(value, build(json.ptr)));
    assert_true(seconds() - start < 20);
    mls_buffer_release(&json);
}

static void nesting_ends_where_the_validator_ends_it(void **state)
{
    mls_buffer json = {0};
    (void)state;
    for (size_t levels = 511; levels < 514; levels++) {
        mls_buffer_clear(&json);
        mls_buffer_append_repeated(&json, '[', levels);
        mls_buffer_append_repeated(&json, ']', levels);
        assert_true((mls_value_build(mls_buffer_str(&json), &arena) != NULL) == (levels <= MLS_JSON_DEPTH_MAX));
    }
    mls_buffer_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(strings_are_code_points_of_latin_1, forget),
        cmocka_unit_test_teardown(numbers_know_how_they_were_written, forget),
        cmocka_unit_test_teardown(duplicates_keep_the_first_place_and_the_last_value, forget),
        cmocka_unit_test_teardown(members_are_found_without_a_tree, forget),
        cmocka_unit_test_teardown(equality_is_by_content, forget),
        cmocka_unit_test_teardown(big_objects_take_linear_time, forget),
        cmocka_unit_test_teardown(nesting_ends_where_the_validator_ends_it, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
