/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is wider than the terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "term/table.h"

/* The text is short enough to stay in the output's buffer. */
static void assert_wrapped(const char *text, mls_wrap wrap, const char *expected)
{
    mls_output output;
    mls_error error = {0};
    assert_int_equal(mls_output_open(&output, NULL, &error), MLS_OK);
    mls_view view = {.output = &output};
    mls_view_wrapped(&view, mls_str_from(text), wrap, MLS_STYLE_PLAIN);
    assert_int_equal(output.buffer.len, strlen(expected));
    assert_true(mls_str_equal(mls_buffer_str(&output.buffer), mls_str_from(expected)));
    assert_int_equal(mls_output_close(&output, true, NULL), MLS_ERROR_WRITE);
}

static void test_no_limit(void **state)
{
    (void)state;
    assert_wrapped("one two three", (mls_wrap){0, 2, 4, " ", false}, "one two three");
    assert_wrapped("", (mls_wrap){10, 2, 4, " ", false}, "");
}

static void test_breaks_where_it_must(void **state)
{
    (void)state;
    assert_wrapped("one two three", (mls_wrap){13, 0, 4, " ", false}, "one two three");
    assert_wrapped("one two three", (mls_wrap){12, 0, 4, " ", false}, "one two\n    three");
    assert_wrapped("one two three", (mls_wrap){13, 1, 4, " ", false}, "one two\n    three");
    assert_wrapped("one two three", (mls_wrap){9, 0, 4, " ", false}, "one two\n    three");
    assert_wrapped("one two three", (mls_wrap){9, 4, 2, " ", false}, "one\n  two\n  three");
}

static void test_long_words_stay_whole(void **state)
{
    (void)state;
    assert_wrapped("a incomprehensibilities b", (mls_wrap){8, 0, 2, " ", false}, "a\n  incomprehensibilities\n  b");
    assert_wrapped("incomprehensibilities", (mls_wrap){8, 20, 2, " ", false}, "incomprehensibilities");
}

static void test_separators(void **state)
{
    (void)state;
    assert_wrapped("one two   three four", (mls_wrap){12, 0, 2, "  ", false}, "one two\n  three four");
    assert_wrapped("a b \xc2\xb7 c d \xc2\xb7 e", (mls_wrap){6, 0, 1, " \xc2\xb7 ", false},
                   "a b\n \xc2\xb7 c d\n \xc2\xb7 e");
}

static void test_counts_columns(void **state)
{
    (void)state;
    /* Two bytes and one column each; then three bytes and two columns each. */
    assert_wrapped("\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9", (mls_wrap){5, 0, 0, " ", false},
                   "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9");
    assert_wrapped("\xe4\xb8\xad\xe4\xb8\xad a", (mls_wrap){5, 0, 0, " ", false}, "\xe4\xb8\xad\xe4\xb8\xad\na");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_breaks_where_it_must),
        cmocka_unit_test(test_long_words_stay_whole),
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_counts_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
