/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed values and evaluation schedules: the tables demand what the facts say, for many batch sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "corpus.h"
#include "rules/demands.h"

static mls_editions *editions;

static cJSON *read_facts(const char *path)
{
    mls_buffer text = {0};
    cJSON *json = NULL;
    if (mls_file_read(path, true, SIZE_MAX, &text, NULL) == MLS_OK)
        json = cJSON_ParseWithLength(text.ptr, text.len);
    mls_buffer_release(&text);
    return json;
}

static double number_of(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

/* Return item `i` of the list `name`. */
static double item_of(const cJSON *object, const char *name, int i)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(object, name), i)->valuedouble;
}

static void check_range(double wanted_least, double wanted_most, const double got[2])
{
    assert_true(mls_same_number(wanted_least, got[0]));
    assert_true(mls_same_number(wanted_most, got[1]));
}

static void check_schedule(const cJSON *row, const mls_demands *demands, const mls_schedule *schedule, double batch)
{
    mls_schedule_range range;
    assert_true(mls_schedule_demand(demands, schedule, batch, &range));
    const double times = number_of(row, "times", 1);
    const double set = number_of(row, "set", NAN);
    double every = number_of(row, "every", NAN);
    if (cJSON_HasObjectItem(row, "every_bert"))
        every = floor(item_of(row, "every_bert", 0) *
                      (item_of(row, "every_bert", 1) * batch + item_of(row, "every_bert", 2)) /
                      item_of(row, "every_bert", 3)) *
                item_of(row, "every_bert", 3);
    if (!isnan(set)) {
        const double epoch = ceil(set / batch) * batch;
        const double first = ceil(number_of(row, "after", NAN) * set / epoch);
        every = ceil(every * set / epoch);
        check_range(first, first, range.first);
    }
    const double most = cJSON_HasObjectItem(row, "round_up") ? ceil(every / batch) * batch : every;
    check_range(every * times, most * times, range.interval);
    if (cJSON_HasObjectItem(row, "first")) {
        check_range(item_of(row, "first", 0), item_of(row, "first", 1), range.first);
    } else if (isnan(set)) {
        const double skipped =
            cJSON_HasObjectItem(row, "skip") ? floor(item_of(row, "skip", 0) * batch + item_of(row, "skip", 1)) : 0;
        check_range((skipped + 1) * every * times, (skipped + 1) * most * times, range.first);
    }
    assert_int_equal(schedule->samples, strcmp(corpus_text(row, "unit"), "samples") == 0);
    assert_int_equal(schedule->rounded, cJSON_HasObjectItem(row, "rounded"));
    assert_int_equal(schedule->unordered, cJSON_HasObjectItem(row, "free"));
    check_range(number_of(row, "least_first", 0), number_of(row, "first_tolerance", 0),
                (double[2]){isnan(schedule->least_first) ? 0 : schedule->least_first,
                            isnan(schedule->first_tolerance) ? 0 : schedule->first_tolerance});
}

/* What a made-up run logged. */
static double logged(void *state, mls_str key)
{
    return mls_str_equal(key, MLS_S("global_batch_size"))                ? *(double *)state
           : mls_str_equal(key, MLS_S("opt_base_learning_rate"))         ? 0.0004
           : mls_str_equal(key, MLS_S("opt_learning_rate_warmup_steps")) ? 100
                                                                         : (double)NAN;
}

static bool holds(const cJSON *range, double batch)
{
    return batch >= number_of(range, "from", 0) && batch > number_of(range, "above", 0) &&
           batch < number_of(range, "below", INFINITY) && batch <= number_of(range, "to", INFINITY);
}

/* Append the values of a form of the facts. */
static void add_forms(const cJSON *form, double batch, double *wanted, size_t *count)
{
    const cJSON *item;
    if (cJSON_HasObjectItem(form, "value"))
        wanted[(*count)++] = number_of(form, "value", NAN);
    if (cJSON_HasObjectItem(form, "factor"))
        wanted[(*count)++] = number_of(form, "factor", NAN) * logged(&batch, mls_str_from(corpus_text(form, "of")));
    if (cJSON_HasObjectItem(form, "scaled")) {
        double steps = ceil(item_of(form, "scaled", 0) * item_of(form, "scaled", 1) / batch);
        if (cJSON_HasObjectItem(form, "less_scaled"))
            steps -= ceil(item_of(form, "less_scaled", 0) * item_of(form, "less_scaled", 1) / batch);
        if (cJSON_HasObjectItem(form, "less_key"))
            steps -= logged(&batch, mls_str_from(corpus_text(form, "less_key")));
        wanted[(*count)++] = steps;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(form, "by_batch"))
    {
        if (holds(item, batch))
            wanted[(*count)++] = number_of(item, "value", NAN);
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(form, "also"))
    {
        add_forms(item, batch, wanted, count);
    }
}

static void check_fixed(const cJSON *row, const mls_demands *demands, const char *benchmark, double batch)
{
    const mls_fixed_value *fixed = NULL;
    for (size_t i = 0; i < demands->fixed.count; i++)
        if (strcmp(demands->fixed.items[i].benchmark, benchmark) == 0 &&
            strcmp(demands->fixed.items[i].key, corpus_text(row, "key")) == 0)
            fixed = &demands->fixed.items[i];
    assert_non_null(fixed);
    double wanted[8];
    size_t count = 0;
    double demanded[MLS_DEMANDED_MAX];
    add_forms(row, batch, wanted, &count);
    assert_int_equal(mls_fixed_value_demand(demands, fixed, logged, &batch, demanded), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(mls_same_number(wanted[i], demanded[i]));
        assert_true(mls_fixed_value_allows(fixed, demanded, count, demanded[i]));
        assert_int_equal(mls_fixed_value_allows(fixed, &demanded[i], 1, demanded[i] - 0.4),
                         cJSON_HasObjectItem(row, "tolerance"));
    }
}

static const double batches[] = {8, 9, 16, 48, 224, 1024, 1152, 1536, 2048, 3584, 4096, 8192, 65536};

static void test_tables_demand_what_the_facts_say(void **state)
{
    (void)state;
    cJSON *fixed = read_facts("../shared/facts/fixed_values.json");
    cJSON *schedules = read_facts("../shared/facts/evaluation_schedule.json");
    if (fixed == NULL || schedules == NULL)
        skip();
    size_t checked = 0;
    for (size_t e = 0; mls_editions_get(editions, MLS_USAGE_TRAINING, e) != NULL; e++) {
        const mls_edition *edition = mls_editions_get(editions, MLS_USAGE_TRAINING, e);
        mls_demands demands;
        const cJSON *benchmark;
        const cJSON *row;
        size_t counts[2] = {0};
        assert_int_equal(mls_demands_load(edition, &demands, NULL), MLS_OK);
        cJSON_ArrayForEach(benchmark, cJSON_GetObjectItem(cJSON_GetObjectItem(schedules, "training"), edition->name))
        {
            if (!cJSON_IsObject(benchmark))
                continue;
            const mls_schedule *schedule = mls_demands_schedule(&demands, mls_str_from(benchmark->string));
            assert_non_null(schedule);
            for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
                check_schedule(benchmark, &demands, schedule, batches[i]);
            counts[0]++;
        }
        cJSON_ArrayForEach(benchmark, cJSON_GetObjectItem(cJSON_GetObjectItem(fixed, "training"), edition->name))
        {
            cJSON_ArrayForEach(row, benchmark)
            {
                for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
                    check_fixed(row, &demands, benchmark->string, batches[i]);
                counts[1]++;
            }
        }
        assert_int_equal(counts[0], demands.schedules.count);
        assert_int_equal(counts[1], demands.fixed.count);
        checked += counts[0] + counts[1];
        mls_demands_release(&demands);
    }
    assert_true(checked > 100);
    cJSON_Delete(fixed);
    cJSON_Delete(schedules);
}

static double logged_nothing(void *state, mls_str key)
{
    (void)state;
    (void)key;
    return NAN;
}

static void test_unknown_numbers_demand_nothing(void **state)
{
    (void)state;
    const mls_edition *edition;
    mls_demands demands;
    double demanded[MLS_DEMANDED_MAX];
    mls_schedule_range range;
    assert_int_equal(mls_editions_find(editions, MLS_USAGE_TRAINING, MLS_S("4.1"), &edition, NULL), MLS_OK);
    assert_int_equal(mls_demands_load(edition, &demands, NULL), MLS_OK);
    for (size_t i = 0; i < demands.fixed.count; i++)
        assert_int_equal(mls_fixed_value_demand(&demands, &demands.fixed.items[i], logged_nothing, NULL, demanded),
                         mls_str_equal(demands.fixed.items[i].demanded.text, MLS_S("0.3")) ||
                             strncmp(demands.fixed.items[i].benchmark, "llama2", 6) == 0);
    assert_null(mls_demands_schedule(&demands, MLS_S("llama31_8b")));
    const mls_schedule *schedule = mls_demands_schedule(&demands, MLS_S("llama2_70b_lora"));
    const double none[] = {0, -8, NAN, INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(mls_schedule_demand(&demands, schedule, none[i], &range));
    mls_demands_release(&demands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_demand_what_the_facts_say),
                                       cmocka_unit_test(test_unknown_numbers_demand_nothing)};
    if (mls_editions_load(&editions, NULL) != MLS_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mls_editions_free(editions);
    return failed;
}
