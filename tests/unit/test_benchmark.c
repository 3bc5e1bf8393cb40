/* SPDX-License-Identifier: Apache-2.0 */
/* The table of benchmarks: what a row says in which edition, and rows that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rounds.h"
#include "rules/benchmark.h"

static void rows_say_what_is_special(void **state)
{
    (void)state;
    const mls_benchmark *unet3d = benchmark_named("unet3d");
    assert_int_equal(unet3d->runs_needed, 40);
    assert_int_equal(unet3d->left_out, 4);
    assert_int_equal(mls_benchmark_counts(unet3d, edition_named("4.0.0")), MLS_PROGRESS_EPOCHS);
    const mls_benchmark *images = benchmark_named("stable_diffusion");
    assert_int_equal(mls_benchmark_counts(images, edition_named("3.1.0")), MLS_PROGRESS_STEPS);
    assert_int_equal(mls_benchmark_counts(images, edition_named("4.0.0")), MLS_PROGRESS_SAMPLES);
    assert_true(images->fid_max == 90 && images->clip_min == 0.15);
    const mls_benchmark *llama = benchmark_named("llama31_405b");
    assert_true(mls_benchmark_evaluation_interval(llama, edition_named("5.0.0")) == 46080);
    assert_true(mls_benchmark_evaluation_interval(llama, edition_named("4.1.0")) == 0);
    assert_true(mls_benchmark_evaluation_interval(unet3d, edition_named("5.0.0")) == 0);
    assert_true(benchmark_named("bert")->train_samples && !unet3d->train_samples);
    assert_true(unet3d->reference_points && !benchmark_named("minigo")->reference_points);
}

static void unknown_benchmarks_have_a_row_too(void **state)
{
    (void)state;
    const mls_benchmark *unknown = benchmark_named("unet3");
    assert_string_equal(unknown->name, "");
    assert_int_equal(unknown->runs_needed, 0);
    assert_int_equal(unknown->left_out, 1);
    assert_true(isnan(unknown->fid_max));
}

static void rows_that_make_no_sense_are_refused(void **state)
{
    static const char *const broken[] = {
        "{}",
        "{\"runs\": 0}",
        "{\"runs\": 2.5}",
        "{\"runs\": 8, \"left_out\": 4}",
        "{\"runs\": 10, \"run\": 10}",
        "{\"runs\": 10, \"counts\": \"samples\"}",
        "{\"runs\": 10, \"counted_before\": {\"edition\": \"next\", \"counts\": \"step_num\"}}",
        "{\"runs\": 10, \"images\": {\"fid_most\": 90}}",
        "{\"runs\": 10, \"evaluation_interval\": {\"samples\": 46080}}",
        "{\"runs\": 10, \"reference_points\": 0}",
        "{\"runs\": 10, \"train_samples\": \"yes\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        mls_arena arena = {0};
        mls_benchmark_list list = {0};
        mls_error error = {0};
        cJSON *json = cJSON_CreateObject();
        cJSON_AddItemToObject(json, "made_up", cJSON_Parse(broken[i]));
        if (mls_benchmark_list_read(&list, MLS_USAGE_TRAINING, json, &arena, &error) != MLS_ERROR_VALUE) {
            fail_msg("accepted: %s", broken[i]);
        }
        assert_non_null(strstr(error.message, "made_up"));
        cJSON_Delete(json);
        mls_arena_release(&arena);
    }
}

static void editions_are_comparable(void **state)
{
    static const struct {
        const char *text;
        unsigned number;
    } rows[] = {{"5.1", 50100}, {"v5.1", 50100}, {"5.1.0", 50100}, {"10.0.2", 100002}, {"0.7.0", 700}};
    static const char *const none[] = {"", "5", "5.", "5.1.", "5.1.0.0", "5.1x", "v", "5.100", "next", "-5.1"};
    unsigned number;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(mls_edition_number(mls_str_from(rows[i].text), &number));
        assert_int_equal(number, rows[i].number);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_false(mls_edition_number(mls_str_from(none[i]), &number));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_is_special),
        cmocka_unit_test(unknown_benchmarks_have_a_row_too),
        cmocka_unit_test(rows_that_make_no_sense_are_refused),
        cmocka_unit_test(editions_are_comparable),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
