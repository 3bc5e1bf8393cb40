/* SPDX-License-Identifier: Apache-2.0 */
/* test_words.c - numbers as people read them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/words.h"

static void numbers_have_one_form(void **state)
{
    (void)state;
    assert_string_equal(mls_words_count(3024).text, "3,024");
    assert_string_equal(mls_words_count(0.12345).text, "0.1235");
    assert_string_equal(mls_words_grouped(1e15, 2).text, "1e+15");
    assert_string_equal(mls_words_rate(1234567.8).text, "1,234,568");
    assert_string_equal(mls_words_rate(45.163).text, "45.16");
    assert_string_equal(mls_words_rate(0.012341).text, "0.01234");
    assert_string_equal(mls_words_rate(0).text, "0");
    assert_string_equal(mls_words_signed(0.0031, 3).text, "+0.003");
    assert_string_equal(mls_words_signed(-0.0001, 3).text, "0.000");
    assert_string_equal(mls_words_signed(-1024, 3).text, "-1,024.000");
}

static void percents_and_quantities_have_a_unit(void **state)
{
    (void)state;
    assert_string_equal(mls_words_percent(0.0243, 1).text, "2.4 %");
    assert_string_equal(mls_words_percent(12.5, 0).text, "1,250 %");
    assert_string_equal(mls_words_change(0.0243).text, "+2.4 %");
    assert_string_equal(mls_words_change(0).text, "0.0 %");
    assert_string_equal(mls_words_quantity(417, "W").text, "417 W");
    assert_string_equal(mls_words_quantity(9999.4, "W").text, "9,999 W");
    assert_string_equal(mls_words_quantity(9999.5, "W").text, "10.0 kW");
    assert_string_equal(mls_words_quantity(15.2e15, "J").text, "15,200.0 TJ");
}

static void times_are_read_by_their_length(void **state)
{
    (void)state;
    assert_string_equal(mls_words_minutes(1.5236).text, "1.524");
    assert_string_equal(mls_words_minutes(209.652).text, "209.652 (3:29:39)");
    assert_string_equal(mls_words_clock(2.478).text, "2:28.7");
    assert_string_equal(mls_words_clock(60).text, "1:00:00");
    assert_string_equal(mls_words_clock(-1).text, "-");
    assert_string_equal(mls_words_seconds(40.6).text, "0:41");
    assert_string_equal(mls_words_seconds(1628).text, "27:08");
    assert_string_equal(mls_words_seconds(360000).text, "100:00:00");
    assert_string_equal(mls_words_seconds(-1).text, "-");
    assert_string_equal(mls_words_duration(36120).text, "36.1 s");
    assert_string_equal(mls_words_duration(999999).text, "1,000.0 s");
    assert_string_equal(mls_words_duration(1000e3).text, "16.67 min");
    assert_string_equal(mls_words_duration(3600e3).text, "1:00:00");
}

static void what_is_not_known_has_no_unit(void **state)
{
    (void)state;
    assert_string_equal(mls_words_count(NAN).text, "-");
    assert_string_equal(mls_words_rate(NAN).text, "-");
    assert_string_equal(mls_words_signed(NAN, 3).text, "-");
    assert_string_equal(mls_words_percent(NAN, 1).text, "-");
    assert_string_equal(mls_words_change(INFINITY).text, "-");
    assert_string_equal(mls_words_quantity(NAN, "J").text, "-");
    assert_string_equal(mls_words_minutes(NAN).text, "-");
    assert_string_equal(mls_words_clock(NAN).text, "-");
    assert_string_equal(mls_words_duration(NAN).text, "-");
    assert_string_equal(mls_words_seconds(NAN).text, "-");
}

static void a_list_says_what_it_leaves_out(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        size_t count;
        const char *noun, *hint, *line;
    } rows[] = {{"", 3, "device", "-v lists them", "and 3 more devices (-v lists them)"},
                {"", 1, "device", NULL, "and 1 more device"},
                {"a, b", 1234, NULL, NULL, "a, b and 1,234 more"},
                {"seeds: ", 2, NULL, "-v lists them", "seeds: and 2 more (-v lists them)"},
                {"a, b", 0, "device", "-v lists them", "a, b"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_buffer line = {0};
        mls_buffer_append_text(&line, rows[i].before);
        mls_words_append_more(&line, rows[i].count, rows[i].noun, rows[i].hint);
        assert_string_equal(line.ptr, rows[i].line);
        mls_buffer_release(&line);
    }
    assert_string_equal(mls_words_plural(1, "run", "runs").text, "1 run");
    assert_string_equal(mls_words_plural(3024, "run", "runs").text, "3,024 runs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_one_form),          cmocka_unit_test(percents_and_quantities_have_a_unit),
        cmocka_unit_test(times_are_read_by_their_length), cmocka_unit_test(what_is_not_known_has_no_unit),
        cmocka_unit_test(a_list_says_what_it_leaves_out),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
