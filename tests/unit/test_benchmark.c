/* SPDX-License-Identifier: Apache-2.0 */
/* The table of benchmarks: rows for each edition, and rows that are rejected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "base/data.h"
#include "rounds.h"

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

/* A row with a misspelt member is rejected; it must not be scored by the default rules. */
static void rows_make_sense(void **state)
{
    static const char known[] = " runs left_out counts counted_before.edition counted_before.counts images.fid_most"
                                " images.clip_least evaluation_interval.since evaluation_interval.samples"
                                " train_samples reference_points ";
    cJSON *json = cJSON_Parse(mls_data_find("benchmarks.json").ptr);
    const cJSON *usage;
    const cJSON *row;
    const cJSON *member;
    const cJSON *part;
    char name[128];
    unsigned number;
    (void)state;
    cJSON_ArrayForEach(usage, cJSON_GetObjectItemCaseSensitive(json, "usages"))
    {
        cJSON_ArrayForEach(row, usage)
        {
            cJSON_ArrayForEach(member, row)
            {
                assert_true(!cJSON_IsObject(member) || cJSON_GetArraySize(member) == 2);
                cJSON_ArrayForEach(part, member)
                {
                    (void)snprintf(name, sizeof name, "%s.%s", member->string, part->string);
                    assert_true(mls_str_among(mls_str_from(name), known));
                    assert_true(!cJSON_IsString(part) || strcmp(part->string, "counts") == 0 ||
                                mls_edition_number(mls_str_from(part->valuestring), &number));
                }
                assert_true(cJSON_IsObject(member) || mls_str_among(mls_str_from(member->string), known));
            }
            const cJSON *left_out = cJSON_GetObjectItemCaseSensitive(row, "left_out");
            const int out = left_out != NULL ? left_out->valueint : 1;
            const int runs = cJSON_GetObjectItemCaseSensitive(row, "runs")->valueint;
            assert_true(out >= 1 && runs > 2 * out && runs <= 1000);
        }
    }
    cJSON_Delete(json);
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
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(mls_edition_number(mls_str_from(none[i]), &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_is_special),
        cmocka_unit_test(unknown_benchmarks_have_a_row_too),
        cmocka_unit_test(rows_make_sense),
        cmocka_unit_test(editions_are_comparable),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
