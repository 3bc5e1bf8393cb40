/* SPDX-License-Identifier: Apache-2.0 */
/* The remaining time of a run, compared with a table computed by another program; and thinned curves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "estimate_table.h"
#include "explain/watch/live.h"

static mls_curve curve_of(const mls_value_point *points, size_t count)
{
    mls_curve curve = {0};
    for (size_t i = 0; i < count; i++)
        mls_curve_add(&curve, points[i]);
    return curve;
}

static void assert_minutes(size_t row, const char *what, double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-6) && !(isnan(got) && isnan(wanted)))
        fail_msg("row %zu: %s is %.17g, not %.17g", row, what, got, wanted);
}

static void the_table_holds(void **state)
{
    size_t by[4] = {0};
    (void)state;
    for (size_t row = 0; row < sizeof estimate_table / sizeof *estimate_table; row++) {
        mls_curve curves[6];
        mls_past_run runs[6];
        mls_curve curve = curve_of(estimate_table[row].curve, estimate_table[row].count);
        for (size_t i = 0; i < estimate_table[row].run_count; i++) {
            curves[i] = curve_of(estimate_table[row].runs[i].curve, estimate_table[row].runs[i].count);
            runs[i] =
                (mls_past_run){&curves[i], estimate_table[row].runs[i].minutes, estimate_table[row].runs[i].needed};
        }
        const mls_estimate_basis basis = {runs,
                                          estimate_table[row].run_count,
                                          estimate_table[row].reference,
                                          estimate_table[row].reference_count,
                                          estimate_table[row].scale,
                                          0};
        const mls_estimate got = mls_estimate_left(&curve, estimate_table[row].now, &basis);
        const char *from = mls_estimate_from_name(got.from);
        by[got.from]++;
        if (from == NULL ? estimate_table[row].from != NULL
                         : estimate_table[row].from == NULL || strcmp(from, estimate_table[row].from) != 0)
            fail_msg("row %zu: from %s", row, from != NULL ? from : "nothing");
        assert_minutes(row, "left", got.left, estimate_table[row].left);
        assert_minutes(row, "low", got.low, estimate_table[row].low);
        assert_minutes(row, "high", got.high, estimate_table[row].high);
        for (size_t i = 0; i < estimate_table[row].run_count; i++)
            mls_curve_release(&curves[i]);
        mls_curve_release(&curve);
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(by[i] > 0);
}

/* The first and the last evaluation and the last distance are always kept. */
static void a_long_curve_is_thinned(void **state)
{
    mls_curve curve = {0};
    (void)state;
    for (size_t i = 1; i <= 100000; i++) {
        mls_curve_add(&curve, (mls_value_point){(double)i, (double)i * 2, 0.5});
        assert_true(curve.count <= MLS_CURVE_POINTS_MAX);
        assert_true(curve.items[curve.count - 1].at >= (double)i && curve.items[0].at <= 1);
    }
    assert_true(curve.before >= 99999 && curve.before <= 99999);
    mls_curve_add(&curve, (mls_value_point){7, 1, 0.5});
    mls_curve_add(&curve, (mls_value_point){INFINITY, 1, 0.5});
    assert_true(curve.items[curve.count - 1].at >= 100000);
    mls_curve_release(&curve);
}

static void a_run_past_all_others_is_beyond(void **state)
{
    const mls_value_point points[] = {{10, 1, 0.1}, {20, 2, 0.2}, {30, 3, 0.3}};
    (void)state;
    mls_curve past = curve_of(points, 1);
    mls_curve curve = curve_of(points, 3);
    const mls_past_run run = {&past, 1, 10};
    const mls_estimate_basis basis = {&run, 1, NULL, 0, 1, 0};
    assert_true(mls_estimate_left(&curve, 3, &basis).beyond);
    assert_false(mls_estimate_left(&past, 3, &basis).beyond);
    /* At 30 the next evaluation is at 40, so nothing is left of a run that ends before. */
    const mls_past_run far = {&past, 1, 90};
    mls_estimate_basis limited = {&far, 1, NULL, 0, 1, .limit = 39};
    assert_true(mls_estimate_left(&curve, 3, &limited).beyond);
    limited.limit = 40;
    assert_false(mls_estimate_left(&curve, 3, &limited).beyond);
    mls_curve_release(&curve);
    mls_curve_release(&past);
}

/* Evaluations before the first sample, or with clocks that run backwards. */
static void without_a_pace_there_is_no_estimate(void **state)
{
    const mls_value_point at_once[] = {{0, 1, 0.1}};
    const mls_value_point back[] = {{10, 2, 0.1}, {20, 1, 0.2}};
    const double reference[] = {30, 40, 50};
    const mls_estimate_basis basis = {NULL, 0, reference, 3, 1, 0};
    mls_curve one = curve_of(at_once, 1);
    mls_curve two = curve_of(back, 2);
    (void)state;
    assert_int_equal(mls_estimate_left(&one, 1, &basis).from, MLS_ESTIMATE_NONE);
    assert_int_equal(mls_estimate_left(&two, 2, &basis).from, MLS_ESTIMATE_NONE);
    mls_curve_release(&two);
    mls_curve_release(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_holds), cmocka_unit_test(a_long_curve_is_thinned),
                                       cmocka_unit_test(a_run_past_all_others_is_beyond),
                                       cmocka_unit_test(without_a_pace_there_is_no_estimate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
