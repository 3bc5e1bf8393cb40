/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of two samples compared with values of scipy 1.10.1 and numpy 1.24.2: stats.t.ppf,
 * stats.ttest_ind(equal_var=False, trim=0.1), stats.mannwhitneyu, stats.mstats.winsorize, numpy.quantile. Exact rank
 * tests with ties were counted with itertools.combinations over stats.rankdata in fractions.Fraction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/statistics.h"
#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Sorted samples; tests that need another order shuffle them. */
static const double ten_a[] = {1.512, 1.524, 1.559, 1.571, 1.587, 1.598, 1.601, 1.603, 1.62, 1.655};
static const double ten_b[] = {1.388, 1.39, 1.401, 1.404, 1.41, 1.43, 1.455, 1.47, 1.52, 1.6};
static const double three[] = {2.9, 3.1, 3.4};

static void quantiles_of_t(void **state)
{
    (void)state;
    static const struct {
        double p, degrees, t;
    } table[] = {
        {.975, 1, 12.706204736432095},  {.975, 2, 4.302652729911275},        {.975, 3.7, 2.8675207071912086},
        {.8, 4.25, 0.9345813021831442}, {.975, 18, 2.10092204024096},        {.8, 18, 0.8620486679895988},
        {.995, 0.5, 4113.964590639511}, {.6, 1e5, 0.2533477771571799},       {.025, 7.5, -2.3330396265553763},
        {1e-9, 3, -1033.1096745041743}, {.999999, 250.5, 4.867695168669511},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const double t = mls_student_t_quantile(table[i].p, table[i].degrees);
        assert_close(t, table[i].t, fabs(table[i].t) * 1e-9);
    }
    assert_close(mls_student_t_quantile(.5, 3), 0, 0);
    assert_true(isinf(mls_student_t_quantile(1, 3)) && mls_student_t_quantile(0, 3) < -1e300);
    assert_true(isnan(mls_student_t_quantile(.9, 0)) && isnan(mls_student_t_quantile(1.1, 3)));
    assert_true(isnan(mls_student_t_quantile(NAN, 3)) && isnan(mls_student_t_quantile(.9, NAN)));
}

/* The variance from which the error of a trimmed mean is computed: s2 of (n - 1) s2 / (h (h - 1)). */
static double winsorized(const double *sorted, size_t count, size_t trim)
{
    const double kept = (double)count - 2 * (double)trim;
    const double error_squared = mls_mean_estimate_trimmed(sorted, count, trim).error_squared;
    return error_squared * kept * (kept - 1) / ((double)count - 1);
}

static void variances(void **state)
{
    (void)state;
    assert_close(mls_stdev_sample(ten_a, 10), sqrt(0.0018622222222222234), 1e-17);
    assert_close(winsorized(ten_a, 10, 1), 0.001259122222222224, 1e-17);
    assert_close(winsorized(ten_b, 10, 1), 0.0025257777777777817, 1e-17);
    assert_close(winsorized(ten_a, 10, 0), 0.0018622222222222234, 1e-17);
    const double dropped[] = {1, 2, 4, INFINITY};
    assert_close(winsorized(dropped, 4, 1), 4.0 / 3, 1e-15);
    assert_true(isnan(mls_stdev_sample(ten_a, 1)) && isnan(mls_stdev_sample(ten_a, 0)));
    assert_true(isnan(winsorized(ten_a, 4, 2)) && isnan(winsorized(NULL, 0, 0)));
}

static void intervals(void **state)
{
    (void)state;
    mls_mean_estimate a = mls_mean_estimate_trimmed(ten_a, 10, 1);
    mls_mean_estimate b = mls_mean_estimate_trimmed(ten_b, 10, 1);
    assert_close(a.mean, 1.582875, 1e-15);
    assert_close(a.error_squared, 0.00020235892857142887, 1e-17);
    assert_close(a.degrees, 7, 0);
    mls_interval yuen = mls_interval_of_difference(a, b, 0.95);
    assert_close(yuen.difference, -0.147875, 1e-15);
    assert_close(yuen.low, -0.20133416295362033, 1e-11);
    assert_close(yuen.high, -0.09441583704637961, 1e-11);
    assert_close(yuen.degrees, 12.589956604968911, 1e-11);
    assert_close(yuen.p, 5.120795403821991e-05, 1e-15);
    mls_interval one_sided = mls_interval_of_difference(a, mls_mean_estimate_trimmed(three, 3, 0), 0.95);
    assert_close(one_sided.low, 0.9335332363165699, 1e-9);
    assert_close(one_sided.high, 2.1673834303500965, 1e-9);
    assert_close(one_sided.degrees, 2.03847193940057, 1e-11);
    assert_close(one_sided.p, 0.008190441282121496, 1e-12);
    mls_interval welch = mls_interval_of_difference(mls_mean_estimate_trimmed(ten_a, 10, 0),
                                                    mls_mean_estimate_trimmed(ten_b, 10, 0), 0.95);
    assert_close(welch.low, -0.19044390451564128, 1e-11);
    assert_close(welch.high, -0.08195609548435892, 1e-11);
    assert_close(welch.degrees, 15.230173982204017, 1e-11);
    assert_close(welch.p, 7.76786762573568e-05, 1e-15);
    mls_interval turned = mls_interval_of_difference(b, a, 0.95);
    assert_true(turned.low == -yuen.high && turned.high == -yuen.low && turned.p == yuen.p);
}

static void without_a_spread_the_interval_is_the_difference(void **state)
{
    (void)state;
    const double same[] = {0.1 + 0.2, 0.3, 0.3};
    const double other[] = {7, 7};
    mls_interval none =
        mls_interval_of_difference(mls_mean_estimate_trimmed(same, 3, 0), mls_mean_estimate_trimmed(other, 2, 0), 0.95);
    assert_true(none.low == none.difference && none.high == none.difference && none.error == 0);
    assert_true(isnan(none.degrees) && isnan(none.p));
    assert_true(isnan(mls_mean_estimate_trimmed(three, 3, 1).error_squared));
    assert_true(isnan(mls_mean_estimate_trimmed(three, 1, 0).mean) &&
                isnan(mls_mean_estimate_trimmed(three, 0, 1).mean));
}

static double rank_p(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double p;
    double turned;
    mls_rank_test_exact(a, a_count, b, b_count, &p);
    mls_rank_test_exact(b, b_count, a, a_count, &turned);
    assert_true(p == turned || (isnan(p) && isnan(turned)));
    return p;
}

static void exact_ranks(void **state)
{
    (void)state;
    static const double one[] = {1, 2, 2, 3}, two[] = {2, 3, 3, 4, 5};
    static const double low[] = {1, 2, 3}, high[] = {4, 5, 6}, same[] = {1, 1, 1};
    static const double seven[] = {1.5, 2, 2, 7, 7, 7, 8}, six[] = {2, 3, 7, 9, 9, 10};
    double far[30], near[30], many[101] = {0}, most[50], more[50];
    for (int k = 0; k < 30; k++) {
        far[k] = (k * 37) % 101;
        near[k] = (k * 53 + 7) % 101 + 15.5;
    }
    assert_close(rank_p(ten_a, 10, ten_b, 10), 45.0 / 92378, 0);
    assert_close(rank_p(one, 4, two, 5), 1.0 / 9, 0);
    assert_close(rank_p(low, 3, high, 3), 0.1, 0);
    assert_close(rank_p(same, 3, same, 3), 1, 0);
    assert_close(rank_p(high, 1, low, 3), 0.5, 0);
    assert_close(rank_p(seven, 7, six, 6), 313.0 / 1716, 0);
    assert_close(rank_p(far, 30, near, 30), 0.0611159664544681, 1e-14);
    for (int k = 0; k < 50; k++) {
        most[k] = (k * 37) % 101;
        more[k] = (k * 53 + 7) % 101 + 10;
    }
    assert_close(rank_p(most, 50, more, 50), 0.14678125405679543, 1e-13);
    assert_close(rank_p(most, 40, many, 40), 7.627395498974868e-22, 1e-34);
    assert_true(isnan(rank_p(many, 98, low, 3)));
    assert_true(isnan(rank_p(many, 101, low, 1)));
    assert_true(isnan(rank_p(many, 0, low, 3)));
}

static void medians(void **state)
{
    (void)state;
    double scratch[10];
    assert_close(mls_median_distance(ten_a, 10, 1.5925, scratch), 0.0245, 1e-15);
    assert_true(isnan(mls_median_distance(ten_a, 0, 1, scratch)));
    mls_weighted items[] = {{5, 1}, {1, 3}, {3, 2}, {2, 1}};
    assert_close(mls_median_weighted(items, 4), 2, 0); /* 3 at 1, 4 at 2: half of 7 is reached there */
    assert_close(items[3].value, 5, 0);
    mls_weighted half[] = {{9, 2}, {4, 2}};
    assert_close(mls_median_weighted(half, 2), 4, 0);
    assert_true(isnan(mls_median_weighted(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_t), cmocka_unit_test(variances),
        cmocka_unit_test(intervals),      cmocka_unit_test(without_a_spread_the_interval_is_the_difference),
        cmocka_unit_test(exact_ranks),    cmocka_unit_test(medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
