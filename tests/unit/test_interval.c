/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/interval.h"
#include "draw.h"

typedef struct span {
    int64_t start, end;
    uint32_t set;
} span;

static size_t looked_at;

static uint64_t start_of(const void *item)
{
    looked_at++;
    return (uint64_t)((const span *)item)->start;
}

static void covers_are_what_counting_says(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 500; round++) {
        enum { SPANS = 40, LINE = 200 };
        span spans[SPANS];
        bool marked[LINE] = {false};
        const size_t count = draw(&seed, SPANS + 1);
        for (size_t i = 0; i < count; i++) {
            spans[i].start = draw(&seed, LINE);
            spans[i].end = spans[i].start + draw(&seed, 20) * draw(&seed, 2);
            spans[i].end = spans[i].end < LINE ? spans[i].end : LINE;
            for (int64_t at = spans[i].start; at < spans[i].end; at++)
                marked[at] = true;
        }
        mls_sort_in_place(spans, count, sizeof *spans, start_of);
        mls_cover cover = {0};
        int64_t last = -1;
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || spans[i - 1].start <= spans[i].start);
            mls_cover_add(&cover, spans[i].start, spans[i].end);
            last = spans[i].end > last ? spans[i].end : last;
        }
        int64_t length = 0;
        for (size_t at = 0; at < LINE; at++)
            length += marked[at];
        assert_int_equal(cover.length, length);
        assert_true(cover.begun == (count > 0));
        assert_true(count == 0 || (cover.first == spans[0].start && cover.reach == last));
    }
}

static void far_ends_do_not_overflow(void **state)
{
    (void)state;
    mls_cover cover = {0};
    mls_cover_add(&cover, 0, 5);
    mls_cover_add(&cover, INT64_MAX - 1, INT64_MAX);
    assert_int_equal(cover.length, 6);
    assert_int_equal(cover.reach, INT64_MAX);
}

/* A list of many items in any order takes n steps per bit, a sorted one n in all; so does finding one rank. */
static void sorting_is_never_quadratic(void **state)
{
    (void)state;
    enum { MANY = 1 << 14 };
    static span spans[MANY];
    uint32_t seed = 1;
    for (int order = 0; order < 4; order++) {
        for (size_t i = 0; i < MANY; i++) {
            const int64_t starts[] = {(int64_t)i, (int64_t)(MANY - i), draw(&seed, MANY), 5};
            spans[i] = (span){starts[order], starts[order], 0};
        }
        const size_t rank = draw(&seed, MANY);
        looked_at = 0;
        mls_select_in_place(spans, MANY, sizeof *spans, rank, start_of);
        assert_true(looked_at <= (order == 0 || order == 3 ? MANY : 3 * 14 * MANY));
        const int64_t selected = spans[rank].start;
        for (size_t i = 0; i < MANY; i++)
            assert_true(i < rank ? spans[i].start <= selected : spans[i].start >= selected);
        looked_at = 0;
        mls_sort_in_place(spans, MANY, sizeof *spans, start_of);
        assert_true(looked_at <= (order == 0 || order == 3 ? MANY : 3 * 14 * MANY));
        assert_int_equal(spans[rank].start, selected);
        for (size_t i = 1; i < MANY; i++)
            assert_true(spans[i - 1].start <= spans[i].start);
    }
}

/* Items of any size are moved. */
static uint64_t first_byte(const void *item)
{
    return *(const unsigned char *)item;
}

static void items_of_odd_size(void **state)
{
    (void)state;
    unsigned char items[26][3];
    for (unsigned char i = 0; i < 26; i++)
        memset(items[i], 'z' - i, 3);
    mls_sort_in_place(items, 26, 3, first_byte);
    for (unsigned char i = 0; i < 26; i++)
        assert_true(items[i][0] == 'a' + i && items[i][1] == 'a' + i && items[i][2] == 'a' + i);
    mls_sort_in_place(items, 0, 3, first_byte);
    mls_select_in_place(items, 1, 3, 0, first_byte);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_are_what_counting_says),
        cmocka_unit_test(far_ends_do_not_overflow),
        cmocka_unit_test(sorting_is_never_quadratic),
        cmocka_unit_test(items_of_odd_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
