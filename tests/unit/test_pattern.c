/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns for lines: matches, groups, and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pattern.h"

static void expect_group(const char *pattern, mls_str text, const char *group, const char *expected)
{
    mls_pattern self;
    mls_str match;
    assert_int_equal(mls_pattern_compile(&self, MLS_PATTERN_LINES, mls_str_from(pattern)), MLS_OK);
    assert_int_equal(mls_pattern_find(&self, text, 0, &match), MLS_OK);
    assert_non_null(match.ptr);
    const mls_str found = mls_pattern_group(&self, text, group);
    assert_true(mls_str_equal(found, mls_str_from(expected)) && (found.ptr != NULL) == (expected != NULL));
    mls_pattern_release(&self);
}

static void test_groups(void **state)
{
    (void)state;
    expect_group("rank (?P<rank>\\d{1,20})(?P<more> of \\d+)?", MLS_S("on rank 13, on rank 14"), "rank", "13");
    expect_group("rank (?P<rank>\\d{1,20})(?P<more> of \\d+)?", MLS_S("on rank 13, on rank 14"), "more", NULL);
    expect_group("(?:a|(?P<rank>\\d))", MLS_S("xa1"), "rank", NULL);
    expect_group("plain", MLS_S("plain"), "rank", NULL);
    expect_group("\\x00(?P<high>\xff)", MLS_S("a\0\xff"), "high", "\xff");
}

static void expect_refused(const char *pattern)
{
    mls_pattern self;
    assert_int_equal(mls_pattern_compile(&self, MLS_PATTERN_LINES, mls_str_from(pattern)), MLS_ERROR_SYNTAX);
}

static void test_refused(void **state)
{
    (void)state;
    char long_one[1100];
    memset(long_one, 'a', sizeof long_one);
    long_one[1025] = '\0';
    expect_refused("(open");
    expect_refused("(*UTF)a");
    expect_refused("\\C");
    expect_refused(long_one);
}

/* The number of steps doubles with each byte. */
static void test_limit(void **state)
{
    (void)state;
    mls_pattern self;
    mls_str match;
    assert_int_equal(mls_pattern_compile(&self, MLS_PATTERN_LINES, MLS_S("(?:a+)+b\\d")), MLS_OK);
    assert_int_equal(
        mls_pattern_find(&self, MLS_S("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabb"), 0, &match),
        MLS_ERROR_LIMIT);
    assert_null(match.ptr);
    mls_pattern_release(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
