/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/decimal.h"
#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void digits_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int power;
        int64_t scaled; /* -1: none */
    } table[] = {
        {"1712195495505583.928", 3, 1712195495505583928}, /* a double loses the last digits */
        {"1712195495505583.9285", 3, 1712195495505583929},
        {"1712195495505583.92849", 3, 1712195495505583928},
        {"2.0005", 3, 2001},
        {"2.00049999999999999999999", 3, 2000},
        {"1e1", 3, 10000},
        {"0.2e2", 3, 20000},
        {"12E-3", 3, 12},
        {"-1", 3, -1},
        {"-0.0", 3, 0},
        {"0", 0, 0},
        {"9223372036854775807", 0, INT64_MAX},
        {"9223372036854775808", 0, -1},
        {"18446744073709551615.5", 0, -1},
        {"92233720368547758.075", 2, -1},
        {"123456789012345678901234567890", 0, -1},
        {"123456789012345678901234567890e-20", 0, 1234567890},
        {"1e99999999999999999999", 0, -1},
        {"1e-99999999999999999999", 0, 0},
        {"0.00000000000000000000000000000000000001e38", 0, 1},
        {"-1e-99", 0, -1},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        mls_decimal number;
        int64_t scaled = -1;
        assert_true(mls_decimal_parse(mls_str_from(table[i].text), &number));
        assert_int_equal(mls_decimal_scale(&number, table[i].power, &scaled), table[i].scaled >= 0);
        assert_true(table[i].scaled < 0 || scaled == table[i].scaled);
        const double value = strtod(table[i].text, NULL);
        assert_true(isinf(value) || fabs(mls_decimal_double(&number) - value) <= 1e-15 * fabs(value));
    }
}

static void what_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "-", ".", "1.2.3", "1e", "1e+", "1x", "0x10", "nan", "1 2", "--1", "1,5"};
    static const char *const locals[] = {"",          "-",       ",",          "1,2,3", "1.2.3",    "9.0.1",
                                         "1,234.5.6", "1.5,234", "1,2345.678", "12 MB", "[N/A]",    "1e",
                                         "nan",       "1,,234",  ",234,567",   "1,5e",  "(1, 1, 1)"};
    mls_decimal number;
    mls_marks marks = {false, false};
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_false(mls_decimal_parse(mls_str_from(texts[i]), &number));
    for (size_t i = 0; i < COUNT(locals); i++)
        assert_false(mls_decimal_parse_local(mls_str_from(locals[i]), &marks, &number));
    char huge[200];
    memset(huge, '1', sizeof huge);
    assert_false(mls_decimal_parse_local((mls_str){huge, sizeof huge}, &marks, &number));
    assert_false(marks.point || marks.comma);
}

static void a_number_of_any_locale(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value; /* if the mark is ambiguous: the value if it groups digits */
        char open, known;
    } table[] = {
        {"1234", 1234, 0, 0},
        {"1,234", 1234, ',', 0},
        {"1.234", 1234, '.', 0},
        {"-12.345", -12345, '.', 0},
        {"1,234,567", 1234567, 0, '.'},
        {"1.234.567", 1234567, 0, ','},
        {"12,34,567", 1234567, 0, '.'}, /* as in India */
        {"1,234.5", 1234.5, 0, '.'},
        {"1.234,5", 1234.5, 0, ','},
        {"1,234,567.891", 1234567.891, 0, '.'},
        {"0,5", 0.5, 0, ','},
        {"482.33", 482.33, 0, '.'},
        {"2036.4254", 2036.4254, 0, '.'},
        {"26447,371", 26447.371, 0, ','}, /* a group does not have five digits */
        {"0.000", 0, 0, '.'},             /* a number with grouped digits does not begin with 0 */
        {"-0,125", -0.125, 0, ','},
        {",5", 0.5, 0, ','},
        {"1 234 567", 1234567, 0, 0},
        {"1'234'567.5", 1234567.5, 0, '.'},
        {"1\xc2\xa0"
         "234,5",
         1234.5, 0, ','},
        {"1\xe2\x80\xaf"
         "234,567",
         1234.567, 0, ','}, /* the blank groups digits */
        {"1\xe2\x80\x99"
         "234\xe2\x80\x99"
         "567",
         1234567, 0, 0}, /* as in Switzerland */
        {"1,5E+03", 1500, 0, ','},
        {"1.5e3", 1500, 0, '.'},
        {" 7 ", 7, 0, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        mls_decimal number;
        mls_marks marks = {false, false};
        assert_true(mls_decimal_parse_local(mls_str_from(table[i].text), &marks, &number));
        assert_close(mls_decimal_double(&number), table[i].value, 1e-15);
        assert_int_equal(number.open, table[i].open);
        assert_int_equal(marks.point, table[i].known == '.');
        assert_int_equal(marks.comma, table[i].known == ',');
    }
}

static void the_file_settles_what_is_open(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mls_marks marks;
        bool comma_decimal;
        double value;
    } table[] = {
        {"1,234", {false, false}, false, 1234},  {"1,234", {false, false}, true, 1.234},
        {"1,234", {true, false}, true, 1234},    {"1,234", {false, true}, false, 1.234},
        {"1,234", {true, true}, false, 1234},    {"1,234", {true, true}, true, 1.234},
        {"1.234", {false, false}, false, 1.234}, {"1.234", {true, false}, false, 1.234},
        {"1.234", {false, true}, false, 1234},   {"1.234", {true, true}, true, 1.234},
        {"1234", {false, true}, true, 1234},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        mls_decimal number;
        mls_marks marks = {false, false};
        assert_true(mls_decimal_parse_local(mls_str_from(table[i].text), &marks, &number));
        mls_decimal_decide(&number, table[i].marks, table[i].comma_decimal);
        assert_close(mls_decimal_double(&number), table[i].value, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_exact),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(a_number_of_any_locale),
        cmocka_unit_test(the_file_settles_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
