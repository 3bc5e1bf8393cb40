/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_file.c - the scan of a log recognizes files that are a JSON list or object. */
#include "base/buffer.h"
#include "base/memory.h"
#include "log/input.h"
#include "log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is_json(mls_str text)
{
    mls_log_totals totals;
    assert_int_equal(mls_log_scan_bytes(text, NULL, 0, &totals, NULL), MLS_OK);
    return totals.json;
}

static void the_validator_decides_about_small_files(void **state)
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
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\": 1,}",
        "{1: 2}",
        "[01]",
        "[tru]",
        "[\"a]",
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
        if (is_json(text) != expected)
            fail_msg("'%s'", texts[i]);
    }
}

/* A number or a word alone is valid JSON, but could also be a log. */
static void it_is_a_list_or_an_object(void **state)
{
    (void)state;
    assert_false(is_json(MLS_S("1")));
    assert_false(is_json(MLS_S("true")));
    assert_false(is_json(MLS_S("\"a\"")));
}

/* The first block of a larger file may end inside any token. */
static void large_files_are_recognized_by_their_first_block_and_their_end(void **state)
{
    static const char items[] = "\"a\\u00e4\\n\", -Infinity, -1.5e+3, false, {\"b\": [null, NaN]}]\n\n";
    (void)state;
    for (size_t cut = 0; cut < sizeof items - 1; cut++) {
        mls_buffer text = {0};
        mls_buffer_append_char(&text, '[');
        mls_buffer_append_repeated(&text, ' ', MLS_BLOCK_SIZE - 1 - cut);
        mls_buffer_append_text(&text, items);
        if (!is_json(mls_buffer_str(&text)))
            fail_msg("cut at %zu", cut);
        text.len -= 3;
        assert_false(is_json(mls_buffer_str(&text)));
        text.len += 3;
        text.ptr[9] = 'x';
        assert_false(is_json(mls_buffer_str(&text)));
        mls_buffer_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_validator_decides_about_small_files),
        cmocka_unit_test(it_is_a_list_or_an_object),
        cmocka_unit_test(large_files_are_recognized_by_their_first_block_and_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
