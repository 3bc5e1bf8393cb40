/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/edition.h"

static int setup(void **state)
{
    mls_editions *editions;
    if (mls_editions_load(&editions, NULL) != MLS_OK)
        return -1;
    *state = editions;
    return 0;
}

static int teardown(void **state)
{
    mls_editions_free(*state);
    return 0;
}

static const char *find(const mls_editions *editions, mls_usage usage, const char *text)
{
    const mls_edition *edition;
    return mls_editions_find(editions, usage, mls_str_from(text), &edition, NULL) == MLS_OK ? edition->name : NULL;
}

static void test_short_names_are_normalised(void **state)
{
    assert_string_equal(find(*state, MLS_USAGE_TRAINING, "5.1"), "5.1.0");
    assert_string_equal(find(*state, MLS_USAGE_TRAINING, "5.1.0"), "5.1.0");
    assert_string_equal(find(*state, MLS_USAGE_TRAINING, "v0.7"), "0.7.0");
    assert_string_equal(find(*state, MLS_USAGE_HPC, "3.0"), "3.0.0");
    const char *const bad[] = {"",     "5",    "5.",   "5.1.",    "5.1.1",     "5.1.0.0",
                               "5.1 ", "-5.1", "5.1x", "99999.1", "1.0.0/../x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(find(*state, MLS_USAGE_TRAINING, bad[i]));
    assert_null(find(*state, MLS_USAGE_HPC, "5.1"));
}

static void test_errors_say_what_there_is(void **state)
{
    const mls_edition *edition;
    mls_error error;
    assert_int_equal(mls_editions_find(*state, MLS_USAGE_HPC, MLS_S("5.1"), &edition, &error), MLS_ERROR_UNKNOWN);
    assert_string_equal(error.message, "unknown round '5.1' of hpc; expected one of 1.0.0, 2.0.0, 3.0.0");
    assert_int_equal(mls_editions_find(*state, MLS_USAGE_TRAINING, MLS_S("0.6"), &edition, &error), MLS_ERROR_VALUE);
    assert_non_null(strstr(error.message, "log format differs"));
    assert_int_equal(mls_editions_find(*state, MLS_USAGE_TRAINING, MLS_S("0.6.0"), &edition, &error), MLS_ERROR_VALUE);
}

static void test_guess_follows_the_dates(void **state)
{
    const struct {
        mls_usage usage;
        double time_ms;
        const char *edition; /* NULL: the newest */
    } cases[] = {
        {MLS_USAGE_TRAINING, 0, NULL}, /* a clock that was never set */
        {MLS_USAGE_TRAINING, 1514764800000.0, "0.7.0"},
        {MLS_USAGE_TRAINING, 1596239999999.0, "0.7.0"}, /* 2020-07-31 23:59:59.999 UTC */
        {MLS_USAGE_TRAINING, 1596240000000.0, "1.0.0"},
        {MLS_USAGE_TRAINING, 1745066917961.0, "5.0.0"}, /* 2025-04-19 */
        {MLS_USAGE_TRAINING, 4e12, NULL},
        {MLS_USAGE_TRAINING, NAN, NULL},
        {MLS_USAGE_HPC, 1630000000000.0, "1.0.0"},
        {MLS_USAGE_HPC, 4e12, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t last = mls_editions_count(*state, cases[i].usage) - 1;
        const char *newest = mls_editions_get(*state, cases[i].usage, last)->name;
        assert_string_equal(mls_editions_guess(*state, cases[i].usage, cases[i].time_ms, MLS_S(""))->name,
                            cases[i].edition != NULL ? cases[i].edition : newest);
    }
}

static void test_guess_knows_the_benchmark(void **state)
{
    const double october_2024 = 1728000000000.0;
    const struct {
        const char *benchmark;
        const char *edition;
    } cases[] = {{"bert", "4.1.0"}, {"rgat", "5.0.0"}, {"flux1", "5.1.0"}, {"rnnt", "3.1.0"}, {"moon", "4.1.0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mls_edition *edition =
            mls_editions_guess(*state, MLS_USAGE_TRAINING, october_2024, mls_str_from(cases[i].benchmark));
        assert_string_equal(edition->name, cases[i].edition);
    }
}

static void test_a_tree_has_one_edition(void **state)
{
    const double april_2025 = 1745066917961.0; /* of 5.0 */
    const double july_2025 = 1751328000000.0;  /* of 5.1 */
    const struct {
        size_t early, late; /* results of the dates on a benchmark of both */
        double time_ms;     /* of one more */
        const char *benchmark, *edition;
        bool by_date;
    } cases[] = {
        {0, 3, april_2025, "rgat", "5.1.0", true},    /* the majority */
        {0, 1, april_2025, "rgat", "5.1.0", true},    /* a tie: the newest */
        {2, 0, july_2025, "rgat", "5.0.0", true},     /* the majority */
        {2, 0, NAN, "llama31_8b", "5.1.0", true},     /* has all benchmarks */
        {0, 2, NAN, "bert", "5.1.0", true},           /* a date is never too late */
        {0, 0, july_2025, "bert", "5.0.0", true},     /* unless no later edition has any */
        {0, 0, 0, "deepseekv3_671b", "6.1.0", false}, /* the newest */
        {0, 0, april_2025, "moon", "5.0.0", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mls_edition_poll poll = {0};
        bool by_date;
        for (size_t k = 0; k < cases[i].early + cases[i].late; k++) {
            mls_edition_poll_add(&poll, *state, MLS_USAGE_TRAINING, k < cases[i].early ? april_2025 : july_2025,
                                 MLS_S("rgat"));
        }
        mls_edition_poll_add(&poll, *state, MLS_USAGE_TRAINING, cases[i].time_ms, mls_str_from(cases[i].benchmark));
        assert_string_equal(mls_edition_poll_winner(&poll, *state, MLS_USAGE_TRAINING, &by_date)->name,
                            cases[i].edition);
        assert_int_equal(by_date, cases[i].by_date);
    }
}

static void test_benchmarks(void **state)
{
    const mls_editions *editions = *state;
    assert_int_equal(mls_benchmark_find(editions, MLS_USAGE_TRAINING, MLS_S("unet3d"))->runs_needed, 40);
    assert_int_equal(mls_benchmark_find(editions, MLS_USAGE_HPC, MLS_S("openfold"))->runs_needed, 10);
    assert_int_equal(mls_benchmark_find(editions, MLS_USAGE_HPC, MLS_S("unet3d"))->runs_needed, 0);
    const mls_edition *newest = mls_editions_newest_with(editions, MLS_USAGE_TRAINING, MLS_S("bert"));
    assert_string_equal(newest->name, "5.0.0");
    assert_true(mls_edition_has_benchmark(newest, MLS_S("bert")));
    assert_false(mls_edition_has_benchmark(newest, MLS_S("ber")));
    assert_null(mls_editions_newest_with(editions, MLS_USAGE_TRAINING, MLS_S("cosmoflow")));
    assert_null(mls_editions_get(editions, MLS_USAGE_HPC, mls_editions_count(editions, MLS_USAGE_HPC)));
}

static cJSON *read_json(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    static char text[1 << 16];
    const size_t length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    return cJSON_ParseWithLength(text, length);
}

static void compare_usage(const mls_editions *editions, mls_usage usage, const cJSON *facts)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(facts, "runs"))
    {
        assert_int_equal(mls_benchmark_find(editions, usage, mls_str_from(item->string))->runs_needed, item->valueint);
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(facts, "benchmarks"))
    {
        const mls_edition *edition;
        if (mls_editions_find(editions, usage, mls_str_from(item->string), &edition, NULL) != MLS_OK)
            continue; /* the facts also name rounds with another log format */
        assert_int_equal(edition->benchmark_count, cJSON_GetArraySize(item));
        for (size_t i = 0; i < edition->benchmark_count; i++)
            assert_string_equal(edition->benchmarks[i]->name, cJSON_GetArrayItem(item, (int)i)->valuestring);
    }
}

static void test_agrees_with_the_facts(void **state)
{
    cJSON *facts = read_json("../shared/facts/benchmarks.json");
    if (facts == NULL)
        skip();
    compare_usage(*state, MLS_USAGE_TRAINING, cJSON_GetObjectItem(facts, "training"));
    compare_usage(*state, MLS_USAGE_HPC, cJSON_GetObjectItem(facts, "hpc"));
    cJSON_Delete(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_names_are_normalised), cmocka_unit_test(test_errors_say_what_there_is),
        cmocka_unit_test(test_guess_follows_the_dates),    cmocka_unit_test(test_guess_knows_the_benchmark),
        cmocka_unit_test(test_a_tree_has_one_edition),     cmocka_unit_test(test_benchmarks),
        cmocka_unit_test(test_agrees_with_the_facts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
