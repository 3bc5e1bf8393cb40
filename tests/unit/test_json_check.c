/* SPDX-License-Identifier: Apache-2.0 */
/* The validator, built for the line of a record, for a text of many lines and for the rest of an object, gives the
 * same result for a value in all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/json_check.h"

typedef const char *check_function(const char *at, unsigned outer, mls_json_fault *fault);

/* A context of a value: the text before it, of which `skipped` bytes are not validated, and the text after it. */
typedef struct place {
    check_function *check;
    const char *before, *behind;
    size_t skipped;
} place;

static const place places[] = {
    {mls_json_check_value, "", "", 0},
    {mls_json_check_value, "[0, ", "]", 0},
    {mls_json_check_value, "{\"a\":", "}", 0},
    {mls_json_check_lines, "", "", 0},
    {mls_json_check_lines, "[\n0,\r\n", "\n]", 0},
    {mls_json_check_lines, "{\"a\"\t:\n", "\r\n}", 0},
    {mls_json_check_members, "1, \"a\": ", "}", 1},
    {mls_json_check_members, "1\n,\n\"a\"\n:\n[", "\n]\n}", 1},
};

/* Validate a value in a context. Return NULL if it is valid, else the reason, with *at counted from the value. */
static const char *reason_of(const place *where, const char *value, size_t *at)
{
    char text[1024];
    mls_json_fault fault = {NULL, NULL};
    const int len = snprintf(text, sizeof text - MLS_SCAN_PADDING - 1, "%s%s%s", where->before, value, where->behind);
    assert_in_range(len, 1, sizeof text - MLS_SCAN_PADDING - 2);
    memset(text + len, 0, MLS_SCAN_PADDING + 1);
    const char *end = where->check(text + where->skipped, 0, &fault);
    if (end != NULL) {
        assert_ptr_equal(end, text + len);
        return NULL;
    }
    *at = (size_t)(fault.at - text) - strlen(where->before);
    return fault.reason;
}

static void values_that_are_right_are_so_everywhere(void **state)
{
    static const char *const values[] = {"0",
                                         "-0",
                                         "10",
                                         "7.25",
                                         "-7.5",
                                         "1e5",
                                         "-1e5",
                                         "1.5E+3",
                                         "-1.5e-3",
                                         "0e0",
                                         "true",
                                         "null",
                                         "false",
                                         "NaN",
                                         "Infinity",
                                         "-Infinity",
                                         "\"\"",
                                         "\"a\\\"b\"",
                                         "[]",
                                         "[ ]",
                                         "{}",
                                         "{ }",
                                         "[1,2]",
                                         "[1 , [2], {}]",
                                         "{\"a\":1}",
                                         "[[[]]]",
                                         "[[1]]",
                                         "[{}]",
                                         "{\"b\": [-1]}",
                                         "[-1]",
                                         "{\"b\" : \"\"}",
                                         "{\"b\":1 , \"c\":-2}",
                                         "12345678901234567890.12345678901234567890123456789012345"};
    size_t at;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            const char *reason = reason_of(&places[p], values[i], &at);
            if (reason != NULL)
                fail_msg("%s, place %zu: %s", values[i], p, reason);
        }
    }
}

static void values_that_are_wrong_are_so_everywhere_for_the_same_reason(void **state)
{
    static const struct {
        const char *value;
        size_t at;
        const char *reason;
    } rows[] = {
        {"-", 0, "expected a value"},
        {"-x", 0, "expected a value"},
        {"-Inf", 0, "expected a value"},
        {"+1", 0, "expected a value"},
        {".5", 0, "expected a value"},
        {"tru", 0, "expected a value"},
        {"fals", 0, "expected a value"},
        {"nul", 0, "expected a value"},
        {"Nan", 0, "expected a value"},
        {"Inf", 0, "expected a value"},
        {"01", 0, "a number may not start with 0"},
        {"-01", 0, "a number may not start with 0"},
        {"1.", 2, "expected a digit after the decimal point"},
        {"-1.e5", 3, "expected a digit after the decimal point"},
        {"1e", 2, "expected a digit in the exponent"},
        {"-1E+", 4, "expected a digit in the exponent"},
        {"1e-x", 3, "expected a digit in the exponent"},
        {"\"\\q\"", 1, "unknown escape in a string"},
        {"\"\x1f\"", 1, "control character inside a string"},
        {"[1,]", 3, "expected a value"},
        {"[1 2]", 3, "expected ',' or ']'"},
        {"[1}", 2, "expected ',' or ']'"},
        {"[\"\\q\"]", 2, "unknown escape in a string"},
        {"[-]", 1, "expected a value"},
        {"{a}", 1, "expected a member name in quotes"},
        {"{\"\\q\":1}", 2, "unknown escape in a string"},
        {"{\"a\" 1}", 5, "expected ':'"},
        {"{\"a\":1 2}", 7, "expected ',' or '}'"},
        {"{\"a\":1]", 6, "expected ',' or '}'"},
        {"{\"a\":1,}", 7, "expected a member name in quotes"},
        {"{\"a\": 1, \"\\q\": 2}", 10, "unknown escape in a string"},
        {"{\"a\": 1, \"b\"; 2}", 12, "expected ':'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            size_t at = 0;
            const char *reason = reason_of(&places[p], rows[i].value, &at);
            if (reason == NULL || strcmp(reason, rows[i].reason) != 0 || at != rows[i].at)
                fail_msg("%s, place %zu: %s at %zu", rows[i].value, p, reason != NULL ? reason : "right", at);
        }
    }
}

/* The maximum depth of a value, and one level more; levels around it count. */
static void depth_has_an_end(void **state)
{
    check_function *const checks[] = {mls_json_check_value, mls_json_check_lines, mls_json_check_members};
    (void)state;
    for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) {
        const bool rest = checks[c] == mls_json_check_members;
        for (unsigned outer = 0; outer < 3; outer++) {
            for (unsigned more = 0; more < 2; more++) {
                static char text[2 * MLS_JSON_DEPTH_MAX + MLS_SCAN_PADDING + 8];
                mls_json_fault fault = {NULL, NULL};
                const size_t levels = MLS_JSON_DEPTH_MAX - outer - rest + more;
                memset(text, 0, sizeof text);
                (void)snprintf(text, sizeof text, "%s", rest ? ",\"a\":" : "");
                char *at = text + strlen(text);
                memset(at, '[', levels);
                memset(at + levels, ']', levels);
                at[2 * levels] = rest ? '}' : '\0';
                const char *end = checks[c](text, outer, &fault);
                if (more == 0) {
                    assert_ptr_equal(end, at + 2 * levels + rest);
                } else {
                    assert_null(end);
                    assert_string_equal(fault.reason, "nested too deeply");
                    assert_ptr_equal(fault.at, at + levels - 1);
                }
            }
        }
    }
}

/* What is known of the previous object is used for the next one and must not change its result. */
static void a_front_changes_nothing(void **state)
{
#define FRONT "{\"file\": \"a.py\", \"lineno\": 27"
    static const char *const texts[] = {FRONT "}",
                                        FRONT "2}",
                                        FRONT ", \"step\": 1}",
                                        FRONT ", \"step\": 2, \"file\": 3}",
                                        FRONT ", \"step\": 01}",
                                        FRONT " , \"step\": 1}",
                                        FRONT ",\"step\": 1}",
                                        FRONT ",}",
                                        FRONT ", }",
                                        FRONT,
                                        FRONT ".5}",
                                        FRONT "}}",
                                        FRONT ", \"step\": {\"lineno\": 1}}",
                                        FRONT ", \"st\\u0065p\": 1}",
                                        "{\"file\": \"b.py\", \"lineno\": 27}",
                                        "{\"file\": \"a.py\", \"lineno\": 2x}",
                                        "{\"file\": \"a.py\"}",
                                        "{\"lineno\": 27, \"file\": \"a.py\", \"step\": null}",
                                        "{}",
                                        "{\"file\": {\"a\": 1}, \"lineno\": [1, 2]}",
                                        "{\"file\": {\"a\": 1}, \"lineno\": [1, 2], \"step\": [3,4]}",
                                        "{\"file\": {\"a\": 1}, \"lineno\": [1, 2], \"step\": [3,4}]",
                                        "[" FRONT "}]",
                                        "27"};
    enum { COUNT = sizeof texts / sizeof *texts };
    (void)state;

    for (size_t i = 0; i < COUNT * COUNT; i++) {
        char first[256] = "";
        char second[256] = "";
        mls_json_front front = {NULL, 0, {0}};
        mls_member_places alone;
        mls_member_places behind;
        memset(&alone, 0xff, sizeof alone);
        memset(&behind, 0xff, sizeof behind);
        (void)snprintf(first, sizeof first, "%s", texts[i / COUNT]);
        (void)snprintf(second, sizeof second, "%s", texts[i % COUNT]);
        (void)mls_json_check_part(first, first + strlen(first) + 1, &front, &behind);
        memset(&behind, 0xff, sizeof behind);
        const char *stop = mls_json_check_part(second, second + strlen(second) + 1, NULL, &alone);
        assert_ptr_equal(mls_json_check_part(second, second + strlen(second) + 1, &front, &behind), stop);
        assert_int_equal(behind.known, alone.known);
        assert_true(!alone.known || memcmp(&behind, &alone, sizeof alone) == 0);
    }
}

/* Validate a text of exactly this length, and the padding after it, after a text with the same beginning. */
static void same_behind(mls_json_front *front, mls_str text)
{
    char *copy = malloc(text.len + MLS_SCAN_PADDING);
    mls_member_places alone;
    mls_member_places behind;
    assert_non_null(copy);
    memcpy(copy, text.ptr, text.len);
    memset(copy + text.len, 0, MLS_SCAN_PADDING);
    const char *stop = mls_json_check_part(copy, copy + text.len, NULL, &alone);
    assert_true(stop == NULL || stop == copy + text.len);
    assert_ptr_equal(mls_json_check_part(copy, copy + text.len, front, &behind), stop);
    assert_int_equal(behind.known, alone.known);
    free(copy);
}

/* Positions have 16 bits: a member further back has no position, is not part of the common beginning, and is not
 * compared with earlier ones. */
static void what_is_long_is_no_front(void **state)
{
    enum { FAR = UINT16_MAX + 1 };
    static const char front_text[] = "{\"a\": \"";
    static char text[2 * FAR];
    (void)state;
    for (size_t len = FAR - 40; len < FAR + 100; len++) {
        mls_json_front front = {NULL, 0, {0}};
        mls_member_places noted = {0};
        memset(text, '}', sizeof text);
        for (size_t i = 0; front_text[i] != '\0'; i++)
            text[i] = front_text[i];
        memcpy(text + len, "\", \"b\": 1, \"c\": 2}", sizeof "\", \"b\": 1, \"c\": 2}");
        const size_t whole = strlen(text);
        assert_ptr_equal(mls_json_check_part(text, text + whole, &front, &noted), text + whole);
        assert_int_equal(noted.known, whole - 1 <= UINT16_MAX);
        same_behind(&front, (mls_str){text, whole});
        same_behind(&front, (mls_str){text, len / 2});
        same_behind(&front, (mls_str){text, 20});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_are_right_are_so_everywhere),
        cmocka_unit_test(values_that_are_wrong_are_so_everywhere_for_the_same_reason),
        cmocka_unit_test(depth_has_an_end),
        cmocka_unit_test(a_front_changes_nothing),
        cmocka_unit_test(what_is_long_is_no_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
