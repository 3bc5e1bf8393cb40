/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "close.h"
#include "corpus.h"
#include "rounds.h"
#include "rules/edition.h"
#include "score/rcp.h"

#define FACTS "../shared/facts/rcp"
#define CONVERGE_MAX 4096

static mls_rcp_set *new_set(const char *usage, const char *edition, const char *benchmark)
{
    mls_usage which;
    assert_true(mls_usage_from_name(mls_str_from(usage), &which));
    mls_rcp_rules rules = {.editions = editions,
                           .benchmark = mls_benchmark_find(editions, which, mls_str_from(benchmark))};
    assert_int_equal(mls_editions_find(editions, which, mls_str_from(edition), &rules.edition, NULL), MLS_OK);
    mls_rcp_set *set;
    mls_error error;
    if (mls_rcp_set_new(&rules, MLS_S(""), NULL, &set, &error) != MLS_OK)
        fail_msg("%s %s %s: %s", usage, edition, benchmark, error.message);
    return set;
}

/* ---- compared with the RCP checker's output for published submissions */

static void check_row(const char *table, const cJSON *row, void *checked)
{
    (void)table;
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(row, "rcp");
    const cJSON *numbers = cJSON_GetObjectItemCaseSensitive(row, "to_converge");
    if (!cJSON_IsObject(expected) || !cJSON_IsArray(numbers))
        return;
    double to_converge[CONVERGE_MAX];
    size_t count = 0;
    const cJSON *number;
    cJSON_ArrayForEach(number, numbers)
    {
        assert_true(count < CONVERGE_MAX);
        to_converge[count++] = cJSON_GetNumberValue(number);
    }
    mls_rcp_set *set = new_set(corpus_text(row, "usage"), corpus_text(row, "edition"), corpus_text(row, "benchmark"));
    double batch = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(row, "global_batch_size"));
    const mls_rcp_result result = mls_rcp_check(set, batch, to_converge, count);
    double scale = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(expected, "scale"));
    bool pass = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(expected, "pass"));
    if (result.pass != pass || strcmp(result.message, corpus_text(expected, "message")) != 0 ||
        !(fabs(result.scale - scale) <= 1e-6 * scale)) {
        fail_msg("%s %s: %s, %s, %.9g; the reference says %s, %s, %.9g", corpus_text(row, "edition"),
                 corpus_text(row, "dir"), result.pass ? "pass" : "fail", result.message, result.scale,
                 pass ? "pass" : "fail", corpus_text(expected, "message"), scale);
    }
    assert_close(result.score_scale, pass ? result.scale : 1, 0);
    mls_rcp_set_free(set);
    ++*(size_t *)checked;
}

static void verdicts_agree_with_the_reference(void **state)
{
    (void)state;
    size_t checked = 0;
    if (!corpus_each_folder(check_row, &checked))
        skip();
    assert_true(checked > 250);
}

/* ---- the points */

static const mls_rcp_point *point_at(const mls_rcp_set *set, double global_batch_size)
{
    const mls_rcp_point *points = set->items;
    for (size_t i = 0; i < set->count; i++)
        if (fabs(points[i].global_batch_size - global_batch_size) < 0.5)
            return &points[i];
    fail_msg("no point of batch size %g", global_batch_size);
    return NULL;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void check_fact(const mls_rcp_set *set, const cJSON *fact)
{
    const mls_rcp_point *point =
        point_at(set, cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(fact, "global_batch_size")));
    assert_string_equal(point->name, corpus_text(fact, "name"));
    const char *const names[] = {"precision", "platform", "creator", "when"};
    const char *const texts[] = {point->precision, point->platform, point->creator, point->when};
    for (size_t i = 0; i < 4; i++) {
        /* The facts of a point in one edition apply to the others, too; "TBD" is unknown. */
        if (corpus_text(fact, names[i])[0] != '\0' && strcmp(corpus_text(fact, names[i]), "TBD") != 0)
            assert_string_equal(texts[i], corpus_text(fact, names[i]));
    }
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(fact, "to_converge");
    assert_int_equal(point->count, cJSON_GetArraySize(values));
    double *sorted = calloc(point->count, sizeof *sorted);
    assert_non_null(sorted);
    const cJSON *value;
    size_t i = 0;
    cJSON_ArrayForEach(value, values)
    {
        sorted[i++] = cJSON_GetNumberValue(value);
    }
    qsort(sorted, point->count, sizeof *sorted, compare_numbers);
    assert_memory_equal(sorted, point->to_converge, point->count * sizeof *sorted);
    free(sorted);
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, cJSON_GetObjectItemCaseSensitive(fact, "hyperparameters"))
    {
        char wanted[256];
        (void)snprintf(wanted, sizeof wanted, "%s=", parameter->string);
        if (strcmp(parameter->string, "global_batch_size") != 0 && strstr(point->hyperparameters, wanted) == NULL)
            fail_msg("%s lacks %s", point->name, parameter->string);
    }
}

static void check_facts_of_edition(const char *usage, const char *edition, const cJSON *facts)
{
    const cJSON *benchmark;
    cJSON_ArrayForEach(benchmark, facts)
    {
        mls_rcp_set *set = new_set(usage, edition, benchmark->string);
        assert_int_equal(set->count, cJSON_GetArraySize(benchmark));
        const cJSON *fact;
        cJSON_ArrayForEach(fact, benchmark)
        {
            check_fact(set, fact);
        }
        mls_rcp_set_free(set);
    }
}

static void points_are_those_of_every_edition(void **state)
{
    (void)state;
    size_t checked = 0;
    for (int u = 0; u < MLS_USAGE_COUNT; u++) {
        mls_usage usage = (mls_usage)u;
        for (size_t i = 0; i < mls_editions_count(editions, usage); i++) {
            const char *edition = mls_editions_get(editions, usage, i)->name;
            char path[256];
            (void)snprintf(path, sizeof path, FACTS "/%s-%s.json", mls_usage_name(usage), edition);
            FILE *file = fopen(path, "r");
            if (file == NULL)
                continue;
            static char text[1 << 20];
            size_t length = fread(text, 1, sizeof text - 1, file);
            assert_int_equal(fclose(file), 0);
            cJSON *facts = cJSON_ParseWithLength(text, length);
            assert_non_null(facts);
            check_facts_of_edition(mls_usage_name(usage), edition, facts);
            cJSON_Delete(facts);
            checked++;
        }
    }
    if (checked == 0)
        skip();
    assert_int_equal(checked, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_agree_with_the_reference),
        cmocka_unit_test(points_are_those_of_every_edition),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
