/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_flow.c - a text that arrives in two blocks, cut anywhere, is valid if the validator of whole texts
 * accepts it. */
#include "json/json_flow.h"

#include "base/memory.h"
#include "json/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is_whole(mls_str text, size_t cut)
{
    mls_json_flow flow = {0};
    mls_json_flow_feed(&flow, (mls_str){text.ptr, cut});
    mls_json_flow_feed(&flow, mls_str_rest(text, cut));
    return mls_json_flow_whole(&flow);
}

static void blocks_say_what_the_whole_says(void **state)
{
    static const char *const texts[] = {
        "{}",
        " [ ] \r\n",
        "[1, -2.5e+3, 0, NaN, -Infinity, Infinity]",
        "{\"a\": {\"b\": [true, false, null]}}",
        "\xef\xbb\xbf{\"a\":\"\\\"\\\\\\u00e4\xc3\xa4\"}",
        "[[[[[]]]], {}, {\"\": \"\"}]",
        "{\"a\": 1}\n{\"a\": 2}",
        "[",
        "]",
        "[]]",
        "{]",
        "[}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\" 1}",
        "{\"a\": 1,}",
        "{1: 2}",
        "{\"a\":: 1}",
        "[01]",
        "[1.]",
        "[1e]",
        "[+1]",
        "[tru]",
        "[truex]",
        "[nul l]",
        "[\"a]",
        "[\"\\q\"]",
        "[\"a\tb\"]",
        "[INFO]",
        "[2025-04-19]",
        "text",
        "\xef\xbb[]",
        "[1]text",
        "",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const mls_str text = mls_str_from(texts[i]);
        mls_arena arena = {0};
        mls_str json;
        size_t where;
        const bool expected = mls_json_validate(text, &arena, &json, &where) == NULL;
        mls_arena_release(&arena);
        for (size_t cut = 0; cut <= text.len; cut++)
            if (is_whole(text, cut) != expected)
                fail_msg("'%s' cut at %zu", texts[i], cut);
    }
}

static void long_numbers_and_deep_lists_are_taken(void **state)
{
    enum { DIGITS = 1000 };
    char text[2 * MLS_JSON_DEPTH_MAX + 4];
    (void)state;
    memset(text, '7', sizeof text);
    text[0] = '[';
    text[DIGITS] = ']';
    assert_true(is_whole((mls_str){text, DIGITS + 1}, DIGITS / 2));
    for (size_t depth = MLS_JSON_DEPTH_MAX; depth <= MLS_JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(is_whole((mls_str){text, 2 * depth}, depth), depth == MLS_JSON_DEPTH_MAX);
    }
}

/* A number or a word alone is valid JSON, but could also be a log. */
static void it_is_a_list_or_an_object(void **state)
{
    (void)state;
    assert_false(is_whole(MLS_S("1"), 1));
    assert_false(is_whole(MLS_S("true"), 0));
    assert_false(is_whole(MLS_S("\"a\""), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_say_what_the_whole_says),
        cmocka_unit_test(long_numbers_and_deep_lists_are_taken),
        cmocka_unit_test(it_is_a_list_or_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
