/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/expr.h"

static const char payload[] =
    "{\"time_ms\": 1000, \"key\": \"k\", \"value\": {\"BBOX\": 0.4, \"list\": [1, 2.0, \"x\"], \"s\": \"Ab\", \"n\": "
    "null},"
    " \"metadata\": {\"epoch_num\": 3, \"zero\": 0, \"name\": \"\\u00e9t\", \"inf\": Infinity, \"big\": 1e300}}";

typedef struct fixture {
    mls_arena rules;
    mls_arena scratch;
    mls_map symbols;
    mls_variable variables[MLS_VARIABLES_PER_SCOPE_MAX];
    mls_record record;
    mls_expr_input input;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    size_t where;
    if (f == NULL || mls_record_validate(mls_str_from(payload), &f->record, &f->scratch, &where) != NULL) {
        free(f);
        return -1;
    }
    f->symbols = (mls_map){.arena = &f->rules};
    assert_non_null(mls_map_put(&f->symbols, MLS_S("three"), NULL));
    f->variables[0] =
        (mls_variable){.set = true, .value = {.kind = MLS_JSON_NUMBER, .is_integer = true, .as.number = 3}};
    f->input = (mls_expr_input){.variables = f->variables, .arena = &f->scratch};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    mls_arena_release(&f->rules);
    mls_arena_release(&f->scratch);
    free(f);
    return 0;
}

static mls_outcome test(fixture *f, const char *text)
{
    mls_expr expr;
    mls_error error;
    if (mls_expr_compile(mls_str_from(text), &f->symbols, &f->rules, &expr, &error) != MLS_OK)
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    mls_expr_input_begin(&f->input, &f->record);
    return mls_expr_test(&expr, &f->input);
}

static void test_true(void **state)
{
    static const char *const texts[] = {
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "2 ^ 3 ^ 2 == 512",
        "-2 ^ 2 == 4",
        "2 ^ -1 == 0.5",
        "10 - 2 - 3 == 5",
        "100 / 10 / 2 == 5",
        "7 % 3 == 1",
        "-7 % 3 == 2",
        "7 % -3 == -2",
        "true == 1",
        "true + true == 2",
        "!false",
        "1 < 2 && 2 < 3",
        "false || 1",
        "null == null",
        "null != 0",
        "1 != \"1\"",
        "\"a\" < \"b\"",
        "\"a\" + \"b\" == \"ab\"",
        "[1] + [2] == [1, 2.0]",
        "len([1, 2]) == 2",
        "len(\"\\u00e9\") == 1",
        "len(value) == 4",
        "1 in [1, 2]",
        "!(3 in [1, 2])",
        "\"b\" in \"abc\"",
        "\"BBOX\" in value",
        "!has(value, \"SEGM\")",
        "has(metadata, \"zero\")",
        "has([1, 2], 2)",
        "has(record, \"value\")",
        "value.BBOX == 0.4",
        "value[\"BBOX\"] == 0.4",
        "value.list[0] == 1",
        "value.list[-1] == \"x\"",
        "value.list[true] == 2",
        "metadata.epoch_num == $three",
        "metadata.name == \"\\u00e9t\"",
        "time_ms == 1000",
        "inf > 1e308",
        "metadata.inf == inf",
        "metadata.inf in [1, inf]",
        "1 ? 2 == 2 : 1 / 0",
        "true || 1 / 0",
        "!(false && 1 / 0)",
        "(0 || 5) == 5",
        "(3 && 4) == 4",
        "abs(-2) == 2",
        "ceil(1.2) == 2",
        "floor(-1.2) == -2",
        "int(\" 12 \") == 12",
        "int(2.9) == 2",
        "int(-2.9) == -2",
        "log2(8) == 3",
        "min(3, 1, 2) == 1",
        "max([1, 5]) == 5",
        "lower(\"AbC\") == \"abc\"",
        "lower(value.s) == \"ab\"",
        "sorted([\"b\", \"a\"]) == [\"a\", \"b\"]",
        "is_integer(2.000001)",
        "!is_integer(2.1)",
        "is_int(2)",
        "!is_int(2.0)",
        "is_int(true)",
        "!is_int(\"2\")",
        "is_int(value.list[0])",
        "!is_int(value.list[1])",
        "is_int(6 * 2)",
        "!is_int(6 / 2)",
        "is_bool(1 < 2)",
        "!is_bool(1)",
        "isclose(1, 1 + 1e-10)",
        "!isclose(1, 1.00001)",
        "isclose(inf, inf)",
        "[]  == []",
        "![]",
        "!\"\"",
        "!null",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const mls_outcome outcome = test(*state, texts[i]);
        if (outcome != MLS_OUTCOME_TRUE)
            fail_msg("%s: %s", texts[i], outcome == MLS_OUTCOME_FALSE ? "false" : ((fixture *)*state)->input.reason);
    }
}

static void test_cannot_be_evaluated(void **state)
{
    static const struct {
        const char *text;
        const char *reason;
    } cases[] = {
        {"metadata.samples_count > 0", "metadata has no samples_count"},
        {"value.SEGM < 1", "value has no SEGM"},
        {"value > 0",
         "value is an object ({\"BBOX\": 0.4, \"list\": [1, 2, \"x\"], \"s\": \"Ab\", \"n\": null}), not a number"},
        {"value.n >= 1", "value.n is null, not a number"},
        {"value.s >= 1", "value.s is a string (\"Ab\"), not a number"},
        {"value.s.t", "value.s is a string (\"Ab\"), not an object"},
        {"value.list[3] == 1", "value.list has only 3 items"},
        {"value.list[0.5] == 1", "0.5 is a number (0.5), not a whole number"},
        {"$nothing", "$nothing has not been set"},
        {"1 / metadata.zero", "division by zero"},
        {"1 % 0", "division by zero"},
        {"0 ^ -1", "division by zero"},
        {"metadata.big ^ 2", "the result of the power is too large"},
        {"(-1) ^ 0.5", "a negative number cannot be raised to a fractional power"},
        {"log2(0)", "log2 of 0, which is not above 0"},
        {"abs(\"x\")", "\"x\" is a string (\"x\"), not a number"},
        {"ceil(\"x\")", "\"x\" is a string (\"x\"), not a number"},
        {"floor(\"x\")", "\"x\" is a string (\"x\"), not a number"},
        {"isclose(\"x\", 1)", "\"x\" is a string (\"x\"), not a number"},
        {"max(\"x\")", "\"x\" is a string (\"x\"), not a number"},
        {"lower(1)", "1 is a number (1), not a string"},
        {"len(5)", "5 is a number (5), not a string, list or object"},
        {"has(value.n, \"x\")", "value.n is null, not an object, list or string"},
        {"5 in \"abc\"", "only a string can be searched for in a string"},
        {"[1] in value", "a list or object cannot be the name of a member"},
        {"int(\"1.5\")", "\"1.5\" is a string (\"1.5\"), not a whole number"},
        {"int(metadata.inf)", "metadata.inf is a number (inf), not a finite number"},
        {"is_integer(\"x\")", "\"x\" is a string (\"x\"), not a number"},
        {"sorted([1])", "only strings can be sorted"},
        {"min([])", "min of an empty list"},
        {"\"a\" < 1", "\"a\" is a string (\"a\"), not a number"},
        {"[1] < [2]", "[1] is a list ([1]), not a number"},
        {"true && 1 / 0", "division by zero"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(test(f, cases[i].text), MLS_OUTCOME_UNKNOWN);
        assert_string_equal(f->input.reason, cases[i].reason);
    }
}

static void test_syntax_errors_have_a_column(void **state)
{
    static const struct {
        const char *text;
        size_t column;
        const char *message;
    } cases[] = {
        {"", 1, "the expression ends where a value is expected"},
        {"value >", 8, "the expression ends where a value is expected"},
        {"value = 1", 7, "unexpected '='; to compare, write '=='"},
        {"1 < 2 < 3", 7, "comparisons cannot be chained; join them with '&&'"},
        {"(1", 3, "expected ')'"},
        {"[1, 2", 6, "expected ',' or ']'"},
        {"1 2", 3, "an operator or the end is expected here"},
        {"foo(1)", 1, "unknown function 'foo'"},
        {"len()", 1, "len takes 1 argument"},
        {"value.", 7, "a name must follow '.'"},
        {"valu > 1", 1,
         "unknown name 'valu'; expected value, metadata, time_ms, record, a $variable, a \"string\" or a "
         "function"},
        {"\"abc", 1, "the string has no closing quote"},
        {"\"\\q\"", 2, "unknown escape; valid are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"},
        {"01", 1, "a number does not start with 0"},
        {"1. + 2", 3, "a digit must follow the decimal point"},
        {"1e", 3, "the exponent has no digits"},
        {"1x", 2, "a name cannot follow a number directly"},
        {"true ? 1", 9, "expected ':' of '… ? … : …'"},
        {"value & 1", 7, "unexpected '&'; write '&&'"},
        {"$ > 1", 1, "a name must follow '$'"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mls_expr expr;
        mls_error error;
        assert_int_not_equal(mls_expr_compile(mls_str_from(cases[i].text), &f->symbols, &f->rules, &expr, &error),
                             MLS_OK);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.column, cases[i].column);
    }
}

static mls_status compile_repeated(fixture *f, const char *head, const char *unit, size_t count, const char *tail)
{
    mls_buffer text = {0};
    mls_buffer_append_text(&text, head);
    for (size_t i = 0; i < count; i++)
        mls_buffer_append_text(&text, unit);
    mls_buffer_append_text(&text, tail);
    mls_expr expr;
    const mls_status status = mls_expr_compile(mls_buffer_str(&text), &f->symbols, &f->rules, &expr, NULL);
    mls_buffer_release(&text);
    return status;
}

static void test_nesting_is_bounded(void **state)
{
    assert_int_equal(compile_repeated(*state, "1", "+1", MLS_EXPR_DEPTH_MAX - 1, ""), MLS_OK);
    assert_int_equal(compile_repeated(*state, "1", "+1", MLS_EXPR_DEPTH_MAX, ""), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "", "(", 100000, "1"), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "", "!", 100000, "1"), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "", "[", 100000, "1"), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "", "1?1:", 100000, "1"), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "1", "^1", 100000, ""), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "value", ".a", 100000, ""), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "", "1", MLS_EXPR_LENGTH_MAX + 1, ""), MLS_ERROR_LIMIT);
    assert_int_equal(compile_repeated(*state, "value in [1", ", 1", 5000, "]"), MLS_OK);
}

static void test_end_has_no_record(void **state)
{
    fixture *f = *state;
    mls_expr expr;
    assert_int_equal(mls_expr_compile(MLS_S("value == 1"), &f->symbols, &f->rules, &expr, NULL), MLS_OK);
    assert_true(mls_expr_uses(&expr, MLS_EXPR_VALUE));
    mls_expr_input_begin(&f->input, NULL);
    assert_int_equal(mls_expr_test(&expr, &f->input), MLS_OUTCOME_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true),
        cmocka_unit_test(test_cannot_be_evaluated),
        cmocka_unit_test(test_syntax_errors_have_a_column),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_end_has_no_record),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
