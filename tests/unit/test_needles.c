/* SPDX-License-Identifier: Apache-2.0 */
/* Searching for many byte strings at once finds what searching for each of them finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/needles.h"
#include "draw.h"

enum { TEXT_MAX = 400, NEEDLES_MAX = 12 };

typedef struct finds {
    unsigned char at[NEEDLES_MAX][TEXT_MAX]; /* number of times each was found */
    size_t count, stop_after;
} finds;

static bool note(void *state, size_t needle, size_t at)
{
    finds *all = state;
    assert_true(needle < NEEDLES_MAX && at < TEXT_MAX);
    all->at[needle][at]++;
    return ++all->count != all->stop_after;
}

/* Letters, some of which differ in one bit, and digits. */
static char draw_letter(uint32_t *seed, uint32_t kinds)
{
    return "abc1A2 !"[draw(seed, kinds)];
}

/* Let the search adapt to text of the same letters, which takes some megabytes. */
static void learn(mls_needles *all, uint32_t seed, uint32_t kinds)
{
    enum { LEARNED = 40 * 1000, TIMES = 120 };
    static char text[LEARNED];
    for (size_t i = 0; i < LEARNED; i++)
        text[i] = draw_letter(&seed, kinds);
    for (size_t i = 0; i < TIMES; i++)
        mls_needles_learn(all, (mls_str){text, LEARNED});
}

static void same_as_one_by_one(uint32_t seed, size_t shortest, uint32_t kinds, bool learned)
{
    char text[TEXT_MAX];
    char store[NEEDLES_MAX][16];
    mls_str needles[NEEDLES_MAX];
    mls_needles *all;
    finds found = {0};
    const size_t count = 1 + draw(&seed, NEEDLES_MAX);
    const size_t length = draw(&seed, TEXT_MAX);
    for (size_t i = 0; i < length; i++)
        text[i] = draw_letter(&seed, kinds);
    for (size_t i = 0; i < count; i++) {
        const size_t len = shortest + draw(&seed, 8);
        for (size_t k = 0; k < len; k++)
            store[i][k] = draw_letter(&seed, kinds);
        needles[i] = (mls_str){store[i], len};
        const size_t at = draw(&seed, TEXT_MAX);
        memcpy(text + at, store[i], at + len <= length ? len : 0);
    }
    assert_int_equal(mls_needles_new(needles, count, &all), MLS_OK);
    if (learned)
        learn(all, seed, kinds);
    assert_true(mls_needles_find(all, (mls_str){text, length}, note, &found));
    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0; at < length; at++) {
            const bool there = needles[i].len <= length - at && memcmp(text + at, needles[i].ptr, needles[i].len) == 0;
            assert_int_equal(found.at[i][at], there);
        }
    }
    mls_needles_free(all);
}

static void test_random(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 600; seed++)
        same_as_one_by_one(seed, MLS_NEEDLE_MIN + seed % 4, seed % 3 == 0 ? 8 : 3, seed % 8 == 0);
}

/* At each distance from the positions that are looked at, and between bytes of each value. */
static void test_whatever_stands_beside(void **state)
{
    (void)state;
    enum { LENGTHS = 4, PLACES = 4, LONGEST = MLS_NEEDLE_MIN + LENGTHS - 1, BEFORE = 33, LENGTH = 80 };
    mls_str needles[LENGTHS];
    mls_needles *all;
    for (size_t i = 0; i < LENGTHS; i++)
        needles[i] = (mls_str){&"Oops12 7"[LENGTHS - 1 - i], MLS_NEEDLE_MIN + i};
    assert_int_equal(mls_needles_new(needles, LENGTHS, &all), MLS_OK);
    for (size_t place = 0; place < PLACES; place++) {
        for (int beside = 0; beside < 256; beside++) {
            char text[LENGTH];
            finds found = {0};
            memset(text, beside, LENGTH);
            memcpy(text + BEFORE + place, needles[LENGTHS - 1].ptr, LONGEST);
            assert_true(mls_needles_find(all, (mls_str){text, LENGTH}, note, &found));
            assert_int_equal(found.count, LENGTHS);
            for (size_t i = 0; i < LENGTHS; i++)
                assert_int_equal(found.at[i][BEFORE + place + LENGTHS - 1 - i], 1);
        }
    }
    mls_needles_free(all);
}

static void test_bytes_of_any_value(void **state)
{
    (void)state;
    const mls_str needles[] = {MLS_STR("\0\377\377\377\377"), MLS_STR("\377\377\377\377\377\377\377\377")};
    const mls_str text = MLS_S("x\0\377\0\377\377\377\377\377\377\377\377\377\0\377\0");
    mls_needles *all;
    finds found = {0};
    assert_int_equal(mls_needles_new(needles, 2, &all), MLS_OK);
    assert_true(mls_needles_find(all, text, note, &found));
    assert_int_equal(found.count, 3);
    assert_int_equal(found.at[0][3] + found.at[1][4] + found.at[1][5], 3);
    mls_needles_free(all);
}

static void test_ends_when_told(void **state)
{
    (void)state;
    const mls_str needles[] = {MLS_STR("CUDA error")};
    mls_needles *all;
    finds found = {.stop_after = 1};
    assert_int_equal(mls_needles_new(needles, 1, &all), MLS_OK);
    assert_false(
        mls_needles_find(all, MLS_S("a CUDA error, then another CUDA error, and the last CUDA error"), note, &found));
    assert_int_equal(found.count, 1);
    mls_needles_free(all);
}

static void test_refused(void **state)
{
    (void)state;
    const mls_str needles[] = {MLS_STR("long enough"), MLS_STR("no")};
    mls_needles *all;
    finds found = {0};
    assert_int_equal(mls_needles_new(needles, 2, &all), MLS_ERROR_VALUE);
    assert_null(all);
    assert_int_equal(mls_needles_new(needles, 0, &all), MLS_OK);
    assert_true(mls_needles_find(all, MLS_S("long enough"), note, &found));
    assert_int_equal(found.count, 0);
    mls_needles_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_whatever_stands_beside),
        cmocka_unit_test(test_bytes_of_any_value),
        cmocka_unit_test(test_ends_when_told),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
