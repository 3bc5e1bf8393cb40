/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "close.h"
#include "rounds.h"
#include "run/run.h"
#include "score/rcp.h"

#define HEADING "benchmark,global_batch_size,to_converge\n"

static mls_rcp_rules rules; /* of the current set */

static mls_rcp_set *new_set(const char *edition, const char *benchmark, unsigned runs_needed)
{
    static mls_benchmark made_up;
    made_up = *mls_benchmark_find(editions, MLS_USAGE_TRAINING, MLS_S(""));
    made_up.name = benchmark;
    made_up.runs_needed = runs_needed;
    const mls_benchmark *known = benchmark_named(benchmark);
    rules = (mls_rcp_rules){editions, edition_named(edition), known->runs_needed > 0 ? known : &made_up};
    mls_rcp_set *set;
    assert_int_equal(mls_rcp_set_new(&rules, MLS_S(""), NULL, &set, NULL), MLS_OK);
    return set;
}

/* Replace the current set by one with the points of a table. */
static void add(mls_rcp_set **set, const char *table)
{
    mls_error error = {0};
    mls_rcp_set_free(*set);
    if (mls_rcp_set_new(&rules, mls_str_from(table), "mine.csv", set, &error) != MLS_OK)
        fail_msg("%zu:%zu: %s", error.line, error.column, error.message);
}

static mls_rcp_result check(const mls_rcp_set *set, double batch, double each, size_t runs, size_t failed)
{
    double to_converge[64];
    assert_true(runs <= 64);
    for (size_t i = 0; i < runs; i++)
        to_converge[i] = i < failed ? MLS_RCP_NOT_CONVERGED : each;
    return mls_rcp_check(set, batch, to_converge, runs);
}

static void least_mean_is_where_the_t_test_turns(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.1.0", "made_up", 3);
    add(&set, HEADING "made_up,8,102 98 99 100 101\n");
    const mls_rcp_point *point = set->items;
    assert_int_equal(set->count, 1);
    mls_rcp_set_bars(set);
    assert_close(point->bar.mean, 100, 0);
    assert_close(point->bar.stdev, sqrt(2), 1e-15);
    /* Three averaged values against one: two degrees of freedom, whose 5 % point is 2.91998558. */
    assert_close(point->bar.min_mean, 100 - 2.9199855803537 * sqrt(2) * sqrt(1.0 / 3 + 1), 1e-4);
    /* The middle of the final bracket of the bisection, computed independently. */
    assert_close(point->bar.min_mean, 95.23167610168457, 1e-11);
    assert_close(point->bar.limit, point->bar.min_mean, 1e-9);
    assert_string_equal(point->source, "mine.csv");
    assert_string_equal(point->unit, "");
    /* Halfway to 10, the same mean and half the deviation; twice 3 values against 1: five degrees of freedom. */
    add(&set, HEADING "made_up,8,102 98 99 100 101\nmade_up,10,100 100 100\n");
    mls_rcp_limit limit = mls_rcp_set_limit(set, 9);
    assert_close(limit.bar.mean, 100, 0);
    assert_close(limit.bar.stdev, sqrt(0.5), 1e-15);
    assert_close(limit.bar.min_mean, 100 - 2.0150483733330 * sqrt(0.5) * sqrt(1.0 / 6 + 1), 1e-4);
    assert_close(limit.bar.min_mean, 98.46100807189941, 1e-11);
    mls_rcp_set_free(set);
}

/* The line from 8 to 24 passes 16 at 12.5; the one from 8 to 32 passes 24 at 14. */
#define PRUNING_TABLE                                                                                                  \
    HEADING "made_up,64,40 40 40\nmade_up,4,15 15 15\nmade_up,8,10 10 10\nmade_up,16,14 14 14\n"                       \
            "made_up,24,15 15 15\nmade_up,32,16 16 16\n"

static void points_out_of_line_are_pruned(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.1.0", "made_up", 10);
    add(&set, PRUNING_TABLE);
    static const struct {
        double batch;
        bool pruned;
    } wanted[] = {{4, true}, {8, false}, {16, true}, {24, true}, {32, false}, {64, false}};
    const mls_rcp_point *points = set->items;
    assert_int_equal(set->count, 6);
    for (size_t i = 0; i < set->count; i++) {
        assert_close(points[i].global_batch_size, wanted[i].batch, 0);
        assert_int_equal(points[i].pruned, wanted[i].pruned);
    }
    mls_rcp_limit limit = mls_rcp_set_limit(set, 20);
    assert_int_equal(limit.match, MLS_RCP_INTERPOLATED);
    assert_close(limit.lower_batch_size, 8, 0);
    assert_close(limit.upper_batch_size, 32, 0);
    assert_close(limit.bar.mean, 13, 1e-12);
    mls_rcp_set_free(set);
}

/* If the reference runs do not vary, the bisection ends slightly below their mean, as in the reference. */
static void limit_without_variance_is_the_middle_of_the_bracket(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.1.0", "made_up", 10);
    add(&set, HEADING "made_up,8,0.597 0.597 0.597 0.597 0.597 0.597 0.597 0.597 0.597 0.597 "
                      "0.597 0.597 0.597 0.597 0.597 0.597 0.597 0.597 0.597 0.597\n");
    mls_rcp_set_bars(set);
    assert_close(set->items[0].bar.mean, 0.597, 1e-15);
    assert_close(set->items[0].bar.min_mean, 0.5969635620117187, 1e-15); /* 0.597 (1 - 2^-14) */
    assert_close(set->items[0].bar.limit, 0.5969635620117187, 1e-15);
    assert_true(check(set, 8, 0.59697, 10, 0).pass);
    assert_false(check(set, 8, 0.59696, 10, 0).pass);
    mls_rcp_set_free(set);
}

static void every_kind_of_match(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.1.0", "made_up", 10);
    assert_string_equal(check(set, 8, 10, 10, 0).message, "Cannot find any RCPs");
    add(&set, PRUNING_TABLE);

    mls_rcp_result result = check(set, 32, 16, 10, 0);
    assert_true(result.pass);
    assert_string_equal(result.message, "RCP found");
    assert_close(result.scale, 1, 0);
    result = check(set, 32, 15.5, 10, 0);
    assert_false(result.pass);
    assert_close(result.scale, 16 / 15.5, 1e-15);
    assert_close(result.score_scale, 1, 0);

    result = check(set, 20, 13.5, 10, 1);
    assert_true(result.pass);
    assert_string_equal(result.message, "RCP Interpolation");
    assert_close(result.submission_mean, 13.5, 0);

    result = check(set, 5, 10, 10, 0);
    assert_true(result.pass);
    assert_string_equal(result.message, "RCP not found but slower convergence on smaller batch size");
    result = check(set, 5, 9, 10, 0);
    assert_false(result.pass);
    assert_string_equal(result.message, "Missing RCP, please submit RCP with BS = 5");
    result = check(set, 65, 900, 10, 0);
    assert_false(result.pass);
    assert_string_equal(result.message, "Missing RCP, please submit RCP with BS = 65");
    assert_close(result.scale, 1, 0);

    assert_string_equal(check(set, 32, 16, 10, 2).message, "Insufficient convergence");
    assert_string_equal(check(set, 32, 16, 2, 0).message, "Too few runs");
    assert_string_equal(check(set, 32, 16, 0, 0).message, "Too few runs");
    assert_false(check(set, 32, 16, 2, 0).pass);
    assert_string_equal(check(set, NAN, 16, 10, 0).message, "Could not detect global_batch_size");
    assert_false(check(set, NAN, 16, 10, 0).pass);
    assert_int_equal(check(set, MLS_RCP_BATCH_SIZE_DIFFERS, 16, 10, 0).match, MLS_RCP_BATCH_SIZES_DIFFER);
    mls_rcp_set_free(set);
}

static void unet3d_leaves_out_four(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("4.0.0", "unet3d", 40);
    assert_int_not_equal(check(set, 84, 1, 40, 4).match, MLS_RCP_NO_CONVERGENCE);
    assert_int_equal(check(set, 84, 1, 40, 5).match, MLS_RCP_NO_CONVERGENCE);
    assert_int_equal(check(set, 84, 1, 8, 0).match, MLS_RCP_TOO_FEW_RUNS);
    /* Points of other benchmarks do not need more than three values. */
    add(&set, HEADING "bert,8,1 2 3\n");
    mls_rcp_set_free(set);
}

static void llama31_405b_may_be_one_evaluation_earlier(void **state)
{
    (void)state;
    const char *table = "benchmark,global_batch_size,to_converge,unit\n"
                        "llama31_405b,8,460800 460800 460800,samples\nllama31_405b,7,40000 40000 40000,samples\n";
    mls_rcp_set *set = new_set("9.0.0", "llama31_405b", 3);
    add(&set, table);
    mls_rcp_limit limit = mls_rcp_set_limit(set, 8);
    assert_close(limit.bar.min_mean, 460800, 1e-4);
    assert_close(limit.bar.limit, 414720, 1e-4);
    assert_string_equal(limit.unit, "samples");
    limit = mls_rcp_set_limit(set, 7);
    assert_true(isinf(limit.bar.max_speedup));
    assert_close(limit.bar.limit, 0, 0);
    mls_rcp_set_free(set);
    set = new_set("4.1.0", "llama31_405b", 3);
    add(&set, table);
    assert_close(mls_rcp_set_limit(set, 8).bar.limit, 460800, 1e-4);
    mls_rcp_set_free(set);
}

static void own_points_replace_those_of_the_rules(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.1.0", "llama2_70b_lora", 10);
    const size_t before = set->count;
    assert_int_equal(before, 4);
    add(&set, "\xef\xbb\xbfname,to_converge,global_batch_size,benchmark,first_edition,last_edition\r\n"
              "\"ours, 8\", \"3000 3000\n3000\" ,8,llama2_70b_lora,,\r\n"
              "\r\n"
              "later,1 1 1,9,llama2_70b_lora,6.0.0,\r\n"
              "earlier,1 1 1,9,llama2_70b_lora,,5.0\r\n"
              "other,1 1 1,9,bert,,\r\n"
              "ours_9,3100 3100 3100.5,9,llama2_70b_lora,5.1,5.1.0\r\n");
    const mls_rcp_point *points = set->items;
    assert_int_equal(set->count, before + 1);
    assert_int_equal(set->own, 2);
    assert_string_equal(points[0].name, "ours, 8");
    assert_close(points[0].bar.mean, 3000, 0);
    assert_string_equal(points[1].name, "ours_9");
    assert_close(points[1].bar.mean, 3100, 0);
    assert_string_equal(points[2].source, "");
    assert_int_equal(mls_rcp_set_limit(set, 9).match, MLS_RCP_FOUND);
    mls_rcp_set_free(set);
}

static void errors_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        mls_status status;
        size_t line, column;
        const char *words;
    } wrong[] = {
        {"", MLS_ERROR_SYNTAX, 1, 1, "empty"},
        {"benchmark,to_converge\n", MLS_ERROR_VALUE, 1, 1, "global_batch_size"},
        {"benchmark,global_batch_size,to_convergence\n", MLS_ERROR_VALUE, 1, 29, "to_convergence"},
        {"benchmark,global_batch_size,benchmark\n", MLS_ERROR_VALUE, 1, 29, "duplicate"},
        {HEADING "made_up,eight,1 2 3\n", MLS_ERROR_VALUE, 2, 9, "eight"},
        {HEADING "made_up,-8,1 2 3\n", MLS_ERROR_VALUE, 2, 9, "-8"},
        {HEADING "\n\nmade_up,8,\"1 2 x3\"\n", MLS_ERROR_VALUE, 4, 16, "'x3'"},
        {HEADING "made_up,8,  1 nan 3\n", MLS_ERROR_VALUE, 2, 15, "nan"},
        {HEADING "made_up,8,1 2\n", MLS_ERROR_VALUE, 2, 11, "1 2"},
        {HEADING "unet3d,8,1 2 3 4 5 6 7 8\n", MLS_ERROR_VALUE, 2, 10,
         "to_converge has 8 values; expected 9 to 100000"},
        {HEADING "made_up,8\n", MLS_ERROR_VALUE, 2, 9, "fields"},
        {HEADING "made_up,8,1 2 3,\n", MLS_ERROR_VALUE, 2, 17, "fields"},
        {HEADING "\"made\n_up\",8,1\n", MLS_ERROR_VALUE, 3, 8, "1"},
        {HEADING "made_up,8,1 2 3\nmade_up,8.0,1 2 3\n", MLS_ERROR_VALUE, 3, 9, "duplicate"},
        {HEADING "made_up,8,1 2 3\nmade_up,8,\"1 2 3\" 4\n", MLS_ERROR_SYNTAX, 3, 19, "quote"},
        {HEADING "made_up,8,1 2 3\nmade_up,8,\"1 2 3\n", MLS_ERROR_SYNTAX, 3, 0, "not closed"},
        {"benchmark,global_batch_size,to_converge,first_edition\nbert,8,1 2 3,next\n", MLS_ERROR_VALUE, 2, 14, "next"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        mls_rcp_set *set = new_set("5.1.0", "made_up", 10);
        mls_error error = {0};
        mls_rcp_set_free(set);
        mls_status status = mls_rcp_set_new(&rules, mls_str_from(wrong[i].table), "other.csv", &set, &error);
        if (status != wrong[i].status || error.line != wrong[i].line || error.column != wrong[i].column ||
            strstr(error.message, wrong[i].words) == NULL)
            fail_msg("table %zu: status %d at %zu:%zu: %s", i, (int)status, error.line, error.column, error.message);
        assert_null(set);
    }
}

static void assert_words(const mls_rcp_result *result, double score_minutes, const char *expected)
{
    mls_buffer words = {0};
    mls_rcp_result_describe(result, score_minutes, &words);
    assert_string_equal(words.ptr, expected);
    mls_buffer_release(&words);
}

#define NEXT(batch)                                                                                                    \
    "; the rules allow new reference points, made with the reference code at batch " batch                             \
    " (try them with mlscore score --rcp FILE), or a bypass that the review committee agrees to (rcp-bypass in "       \
    "package_checker_params)"

static void verdicts_in_words(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.0.0", "llama2_70b_lora", 10);
    mls_rcp_result result = check(set, 9, 3260, 10, 0);
    assert_words(
        &result, 1.6632,
        "pass: mean 3,260 samples reaches the limit of 3,061 at batch 9 (interpolated between batch 8 and 16); "
        "faster than the reference mean 3,285, so the score is scaled by 1.0078 to 1.676 min");
    assert_words(
        &result, NAN,
        "pass: mean 3,260 samples reaches the limit of 3,061 at batch 9 (interpolated between batch 8 and 16); "
        "faster than the reference mean 3,285, so the score is scaled by 1.0078");
    result = check(set, 8, 3400, 10, 0);
    assert_words(
        &result, 1,
        "pass: mean 3,400 samples reaches the limit of 2,961 at batch 8; not faster than the reference mean 3,179, "
        "so the score is not scaled");
    result = check(set, 9, 3010, 10, 0);
    assert_words(
        &result, 1,
        "fail: mean 3,010 samples is 51 below the limit of 3,061 at batch 9 (interpolated between batch 8 and 16): "
        "converges faster than the reference allows" NEXT("9"));
    /* The points are all 4,608, and the limit is 4607.999966 by rounding. */
    mls_rcp_set_free(set);
    set = new_set("6.1.0", "qwen35_397b_grpo", 3);
    result = check(set, 256, 4608, 3, 0);
    assert_words(
        &result, 1,
        "pass: mean 4,608 samples reaches the limit of 4,608 at batch 256; not faster than the reference mean 4,608, "
        "so the score is not scaled");
    mls_rcp_set_free(set);
    set = new_set("5.0.0", "llama2_70b_lora", 10);
    /* The limit is 3061.39…: whole numbers would read "3,061 is 0 below 3,061". */
    result = check(set, 9, 3061.2, 10, 0);
    assert_words(
        &result, 1,
        "fail: mean 3,061.2 samples is 0.2 below the limit of 3,061.4 at batch 9 (interpolated between batch 8 "
        "and 16): converges faster than the reference allows" NEXT("9"));
    result = check(set, 1024, 3010, 10, 0);
    assert_words(&result, 1, "fail: no reference point reaches batch 1,024, the largest is 128" NEXT("1,024"));
    result = check(set, 4, 3500, 10, 0);
    assert_words(
        &result, 1,
        "pass: mean 3,500 samples reaches the limit of 2,961 at the smallest reference batch 8 (no point is as "
        "small as 4); not faster than the reference mean 3,179, so the score is not scaled");
    result = check(set, 4, 2900, 10, 0);
    assert_words(&result, 1,
                 "fail: mean 2,900 samples is 61 below the limit of 2,961 at the smallest reference batch 8 (no "
                 "point is as small as 4): converges faster than the reference allows" NEXT("4"));
    result = check(set, 9, 3010, 10, 2);
    assert_words(&result, 1, "fail: 2 of 10 runs did not converge, only 1 may be left out");
    result = check(set, NAN, 3010, 10, 0);
    assert_words(&result, 1, "fail: the logs have no global_batch_size, so no reference point applies");
    result = check(set, 9, 3010, 2, 0);
    assert_words(&result, 1, "not judged: 2 of at least 3 runs");
    mls_rcp_set_free(set);
    set = new_set("5.0.0", "dlrm_dcnv2", 10);
    result = check(set, 65536, 0.7, 10, 0);
    assert_words(&result, 1,
                 "fail: mean 0.7 epochs is 0.0474 below the limit of 0.7474 at batch 65,536 (interpolated between "
                 "batch 55,296 and 135,168): converges faster than the reference allows" NEXT("65,536"));
    mls_rcp_set_free(set);
}

static void assert_limit_words(const mls_rcp_set *set, double batch, const char *expected)
{
    mls_buffer words = {0};
    mls_rcp_limit limit = mls_rcp_set_limit(set, batch);
    mls_rcp_limit_describe(&limit, &words);
    assert_string_equal(words.ptr, expected);
    mls_buffer_release(&words);
}

static void limits_in_words(void **state)
{
    (void)state;
    mls_rcp_set *set = new_set("5.0.0", "llama2_70b_lora", 10);
    assert_limit_words(set, 8, "batch 8: a mean of 2,961 samples or more passes; below 3,179 the score is scaled up");
    assert_limit_words(set, 9,
                       "batch 9: a mean of 3,061 samples or more passes (interpolated between batch 8 and 16); below "
                       "3,285 the score is scaled up");
    assert_limit_words(set, 4,
                       "batch 4: a mean of 2,961 samples or more passes (that of the smallest reference batch 8; no "
                       "point is as small); below 3,179 the score is scaled up");
    assert_limit_words(set, 129, "batch 129: no reference point reaches it, the largest is 128" NEXT("129"));
    mls_rcp_set_free(set);
    set = new_set("5.0.0", "made_up", 10);
    assert_limit_words(set, 9, "batch 9: no reference points exist for this benchmark" NEXT("9"));
    mls_rcp_set_free(set);
}

/* The points of a benchmark and edition are read once for any number of groups. */
static void sets_are_made_once(void **state)
{
    (void)state;
    mls_rcp_sets sets = {0};
    mls_rcp_set *found[3][2];
    const mls_edition *edition = edition_named("5.1.0");
    const char *const names[] = {"bert", "llama2_70b_lora"};
    for (size_t asked = 0; asked < 3; asked++) {
        for (size_t i = 0; i < 2; i++) {
            const mls_rcp_rules asks = {editions, edition, benchmark_named(names[i])};
            assert_int_equal(mls_rcp_sets_find(&sets, &asks, MLS_S(""), NULL, &found[asked][i], NULL), MLS_OK);
            assert_ptr_equal(found[asked][i], found[0][i]);
            assert_ptr_equal(found[asked][i]->rules.benchmark, asks.benchmark);
        }
    }
    const mls_rcp_rules other = {editions, edition_named("5.0.0"), benchmark_named("bert")};
    assert_int_equal(sets.count, 2);
    assert_int_equal(mls_rcp_sets_find(&sets, &other, MLS_S(""), NULL, &found[0][0], NULL), MLS_OK);
    assert_int_equal(sets.count, 3);
    assert_int_equal(mls_rcp_sets_find(&sets, &other, MLS_S("nonsense"), "own.csv", &found[0][0], NULL), MLS_OK);
    mls_rcp_sets_release(&sets);
    assert_int_equal(mls_rcp_sets_find(&sets, &other, MLS_S("nonsense"), "own.csv", &found[0][0], NULL),
                     MLS_ERROR_VALUE);
    assert_int_equal(sets.count, 0);
    mls_rcp_sets_release(&sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_mean_is_where_the_t_test_turns),
        cmocka_unit_test(points_out_of_line_are_pruned),
        cmocka_unit_test(limit_without_variance_is_the_middle_of_the_bracket),
        cmocka_unit_test(every_kind_of_match),
        cmocka_unit_test(unet3d_leaves_out_four),
        cmocka_unit_test(llama31_405b_may_be_one_evaluation_earlier),
        cmocka_unit_test(own_points_replace_those_of_the_rules),
        cmocka_unit_test(errors_have_a_place),
        cmocka_unit_test(verdicts_in_words),
        cmocka_unit_test(limits_in_words),
        cmocka_unit_test(sets_are_made_once),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
