/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"
#include "score/weak_scaling.h"

static void valid_models_are_counted_from_first_start_to_last_stop(void **state)
{
    (void)state;
    const mls_weak_run runs[] = {
        {true, 120000, 600000, 4, 8}, {false, 0, 9900000, 4, 8}, {true, 60000, 540000, 4, 8},
        {true, 180000, 660000, 4, 8}, {true, NAN, 660000, 4, 8},
    };
    mls_weak_scaling result = mls_weak_scaling_of(runs, 5, 3);
    assert_int_equal(result.number_of_models, 3);
    assert_close(result.time_to_train_all_ms, 600000, 0);
    assert_close(result.time_to_train_all_minutes, 10, 0);
    assert_close(result.instance_scale, 32, 0);
    assert_false(result.instances_differ);
    assert_true(result.enough);
    assert_false(mls_weak_scaling_of(runs, 5, 4).enough);
}

static void nodes_without_accelerators_count_themselves(void **state)
{
    (void)state;
    const mls_weak_run runs[] = {{true, 0, 1, 128, 0}, {true, 0, 1, 128, NAN}, {true, 0, 1, 64, 0}};
    assert_close(mls_weak_scaling_of(runs, 2, 1).instance_scale, 128, 0);
    assert_false(mls_weak_scaling_of(runs, 2, 1).instances_differ);
    assert_true(mls_weak_scaling_of(runs, 3, 1).instances_differ);
}

static void nothing_valid_gives_nothing(void **state)
{
    (void)state;
    const mls_weak_run run = {false, 0, 1, 1, 1};
    mls_weak_scaling result = mls_weak_scaling_of(&run, 1, 0);
    assert_int_equal(result.number_of_models, 0);
    assert_true(isnan(result.time_to_train_all_ms));
    assert_true(isnan(result.instance_scale));
    assert_false(result.enough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_models_are_counted_from_first_start_to_last_stop),
        cmocka_unit_test(nodes_without_accelerators_count_themselves),
        cmocka_unit_test(nothing_valid_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
