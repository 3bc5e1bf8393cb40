/* SPDX-License-Identifier: Apache-2.0 */
/* The score so far, its bounds, and the time that the remaining runs must reach. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explain/watch/live.h"

static const mls_benchmark ten = {.runs_needed = 10, .left_out = 1};

static void assert_near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart))
        fail_msg("%.17g is not %.17g", got, wanted);
}

static mls_outlook outlook_of(const mls_so_far *so_far)
{
    return mls_outlook_make(so_far);
}

static void the_mean_of_few_is_not_official(void **state)
{
    const double minutes[] = {1.5, 1.8};
    const mls_outlook outlook = outlook_of(&(mls_so_far){&ten, minutes, 2, 0, 1});
    (void)state;
    assert_true(outlook.finished == 2 && outlook.to_come == 8 && !outlook.official && !outlook.impossible);
    assert_near(outlook.now, 1.65, 1e-12);
    assert_near(outlook.best, 1.5, 1e-12);  /* without 1.8 and one of 1.5 */
    assert_near(outlook.worst, 1.8, 1e-12); /* without 1.5 */
}

static void one_that_is_not_valid_counts_as_the_slowest(void **state)
{
    const double minutes[] = {1, 2, 3};
    const mls_outlook outlook = outlook_of(&(mls_so_far){&ten, minutes, 3, 1, 1});
    (void)state;
    assert_near(outlook.best, (6 * 1 + 2 + 3) / 8.0, 1e-12);
    assert_near(outlook.worst, (7 * 3 + 2) / 8.0, 1e-12);
    assert_true(outlook_of(&(mls_so_far){&ten, minutes, 3, 2, 1}).impossible);
}

static void all_runs_are_the_score(void **state)
{
    const double minutes[] = {1, 2, 2, 2, 2, 2, 2, 2, 2, 9};
    const mls_outlook outlook = outlook_of(&(mls_so_far){&ten, minutes, 10, 0, 1});
    (void)state;
    assert_true(outlook.official && outlook.to_come == 0);
    assert_near(outlook.now, 2, 1e-12);
}

static void assert_beat(const mls_so_far *so_far, double minutes, mls_beat wanted, double mean)
{
    double got;
    assert_int_equal(mls_outlook_beat(so_far, minutes, &got), wanted);
    if (wanted == MLS_BEAT_IF)
        assert_near(got, mean, 0.001);
}

static void what_is_to_beat(void **state)
{
    const double minutes[] = {1.5, 1.8};
    const mls_so_far two = {&ten, minutes, 2, 0, 1};
    const mls_so_far scaled = {&ten, minutes, 2, 0, 1.1};
    const double all[] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
    const mls_so_far last = {&ten, all, 9, 0, 1};
    (void)state;
    assert_beat(&two, 1.6, MLS_BEAT_IF, 1.6); /* only these count: 1.5 and 1.8 are dropped */
    assert_beat(&scaled, 1.65, MLS_BEAT_IF, 1.5);
    assert_beat(&last, 2.1, MLS_BEAT_CERTAIN, 0); /* in the worst case the last one is dropped */
    assert_beat(&last, 1.9, MLS_BEAT_CANNOT, 0);
    assert_beat(&(mls_so_far){&ten, all, 9, 2, 1}, 2.1, MLS_BEAT_CANNOT, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_of_few_is_not_official),
        cmocka_unit_test(one_that_is_not_valid_counts_as_the_slowest),
        cmocka_unit_test(all_runs_are_the_score),
        cmocka_unit_test(what_is_to_beat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
