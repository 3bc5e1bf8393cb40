/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/statistics.h"
#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void plain_statistics(void **state)
{
    (void)state;
    double values[] = {5, 2, 9, 4, 4, 7, 5, 4};
    mls_sort_doubles(values, COUNT(values));
    assert_close(values[0], 2, 0);
    assert_close(values[7], 9, 0);
    assert_close(mls_mean(values, 8), 5, 0);
    assert_close(mls_stdev_population(values, 8), 2, 0);
    assert_close(mls_median(values, 8), 4.5, 0);
    assert_close(mls_median(values, 7), 4, 0);
    assert_close(mls_median_lower(values, 8), 4, 0);
    assert_close(mls_median_lower(values, 7), 4, 0);
    assert_close(mls_mean_trimmed(values, 8, 1), 29.0 / 6, 1e-15);
    assert_close(mls_mean_trimmed(values, 8, 3), 4.5, 0);
}

static void too_few_values_are_nan(void **state)
{
    (void)state;
    const double values[] = {1, -1};
    assert_true(isnan(mls_mean(NULL, 0)));
    assert_true(isnan(mls_median(NULL, 0)));
    assert_true(isnan(mls_median_lower(NULL, 0)));
    assert_true(isnan(mls_stdev_population(NULL, 0)));
    assert_true(isnan(mls_mean_trimmed(values, 2, 1)));
    assert_true(isnan(mls_mean_trimmed(values, 2, 2)));
    assert_close(mls_stdev_population(values, 1), 0, 0);
}

static void infinite_and_large_values(void **state)
{
    (void)state;
    double values[] = {INFINITY, 1, INFINITY, 2};
    mls_sort_doubles(values, 4);
    assert_true(isinf(mls_median(values, 4)));
    assert_close(mls_median(values, 3), 2, 0);
    assert_true(isinf(mls_mean(values, 4)));
    const double large[] = {1e16, 1, -1e16, 1};
    assert_close(mls_mean(large, 4), 0.5, 0);
    double mixed[] = {NAN, 3, -INFINITY};
    mls_sort_doubles(mixed, 3);
    assert_true(isinf(mixed[0]) && isnan(mixed[2]));
}

static void student_t_agrees_with_tabulated_values(void **state)
{
    (void)state;
    static const struct {
        double t, degrees, value;
    } table[] = {
        {-1, 1, 0.25},
        {-1, 2, 0.211324865405187118},
        {2.5, 3, 0.956146676495967226},
        {-1.7, 26, 0.050532623904841839},
        {-1.7056179197592727, 26, 0.05},
        {-0.001, 8, 0.499613301051544658},
        {-40, 5, 9.20598108588647718e-8},
        {6, 40, 0.999999763677243361},
        {-1.6448536, 100000, 0.0500015743272556481},
        {1e-9, 17, 0.50000000039312173},
        {-3, 76, 0.00182470573288944402},
        {0, 7, 0.5},
        {-1e200, 5, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        assert_close(mls_student_t_lower_tail(table[i].t, table[i].degrees), table[i].value, 1e-10);
    /* Two degrees of freedom have the closed form 1/2 + t / (2 sqrt(2 + t²)). */
    for (int i = -135; i < 135; i++) {
        double t = 0.37 * i;
        assert_close(mls_student_t_lower_tail(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-14);
    }
    assert_close(mls_student_t_lower_tail(-INFINITY, 3), 0, 0);
    assert_close(mls_student_t_lower_tail(INFINITY, 3), 1, 0);
    assert_true(isnan(mls_student_t_lower_tail(1, 0)));
    assert_true(isnan(mls_student_t_lower_tail(NAN, 3)));
}

static void two_samples_are_pooled(void **state)
{
    (void)state;
    /* Means 3 and 5, both variances 2.5, 5 values each: t = -2 / sqrt(2.5 * 2/5) = -2 with 8 degrees of freedom. */
    double lower = mls_t_test_lower_tail((mls_test_sample){3, sqrt(2.5), 5}, (mls_test_sample){5, sqrt(2.5), 5});
    assert_close(lower, 0.08051623795726257 / 2, 1e-12);
    lower = mls_t_test_lower_tail((mls_test_sample){5, 3, 4}, (mls_test_sample){3, 1, 8});
    const double t = 2 / sqrt((27.0 + 7) / 10 * (1.0 / 4 + 1.0 / 8));
    assert_close(lower, mls_student_t_lower_tail(t, 10), 1e-15);
    assert_true(isnan(mls_t_test_lower_tail((mls_test_sample){5, 3, 1}, (mls_test_sample){3, 1, 1})));
    assert_true(isnan(mls_t_test_lower_tail((mls_test_sample){5, 3, 4}, (mls_test_sample){3, 1, 0})));
}

/* Long lists with ascending indexes use a radix sort, others a comparison sort: the order is the same. */
static void many_are_sorted_as_few(void **state)
{
    enum { MANY = 3000 };
    static struct {
        mls_placed at;
        size_t payload;
    } items[MANY];
    static const double odd[] = {NAN, -0.0, 0, -1.5, 1e300, -1e300, INFINITY, -INFINITY, 5e-324};
    (void)state;
    for (size_t ascending = 0; ascending < 2; ascending++) {
        for (size_t i = 0; i < MANY; i++) {
            const double value = i % 3 == 0 ? odd[i / 3 % COUNT(odd)] : (double)(i * 7919 % 500) - 250;
            items[i].at = (mls_placed){value, ascending != 0 ? i : MANY - i};
            items[i].payload = items[i].at.place;
        }
        mls_sort_placed(items, MANY, sizeof *items);
        for (size_t i = 1; i < MANY; i++) {
            const int order = mls_compare_doubles(items[i - 1].at.value, items[i].at.value);
            assert_true(order < 0 || (order == 0 && items[i - 1].at.place < items[i].at.place));
            assert_int_equal(items[i].payload, items[i].at.place);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_statistics),          cmocka_unit_test(too_few_values_are_nan),
        cmocka_unit_test(infinite_and_large_values), cmocka_unit_test(student_t_agrees_with_tabulated_values),
        cmocka_unit_test(two_samples_are_pooled),    cmocka_unit_test(many_are_sorted_as_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
