/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/file.h"
#include "model_tables.h"
#include "json/json_row.h"

/* One published model per line: see testdata/README.md. */
#define TABLE "testdata/models/families.jsonl"

static cJSON *table, *rows;

static int setup(void **state)
{
    mls_buffer text = {0};
    if (load_tables(state) != 0 || mls_json_data("models.json", &table, NULL) != MLS_OK ||
        mls_file_read(TABLE, true, 1 << 20, &text, NULL) != MLS_OK)
        return 1;
    rows = cJSON_CreateArray();
    mls_str left = mls_buffer_str(&text);
    mls_str line;
    while (mls_str_cut(&left, '\n', &line)) {
        cJSON *row = cJSON_ParseWithLength(line.ptr, line.len);
        if (row == NULL || !cJSON_AddItemToArray(rows, row))
            fail_msg("line %d of " TABLE " is not JSON", cJSON_GetArraySize(rows) + 1);
    }
    mls_buffer_release(&text);
    return 0;
}

static int teardown(void **state)
{
    cJSON_Delete(table);
    cJSON_Delete(rows);
    return free_tables(state);
}

static double number_of(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text_of(const cJSON *row, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, name));
    return text != NULL ? text : "";
}

static mls_memory_ask ask_for(const cJSON *row)
{
    mls_memory_ask ask;
    mls_error error = {0};
    char *config = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(row, "config"));
    mls_memory_ask_init(&ask, models, accelerators);
    if (mls_memory_model_parse(&ask, mls_str_from(config), mls_str_from(text_of(row, "model")), &error) != MLS_OK)
        fail_msg("%s: %s", text_of(row, "model"), error.message);
    cJSON_free(config);
    return ask;
}

/* The parts of a model that quantizers know add up to the model: if all stay in 16 bits, they have two bytes per
 * parameter. */
static void test_parts_add_up(void **state)
{
    (void)state;
    for (const cJSON *row = rows->child; row != NULL; row = row->next) {
        cJSON *copy = cJSON_Duplicate(row, true);
        cJSON *config = cJSON_GetObjectItemCaseSensitive(copy, "config");
        assert_true(cJSON_AddItemToObject(
            config, "quantization_config",
            cJSON_Parse("{\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\", \"ignore\": [\"*\"]}")));
        mls_memory_ask ask = ask_for(copy);
        mls_memory_estimate estimate;
        mls_error error = {0};
        if (mls_memory_estimate_make(&ask, &estimate, &error) == MLS_OK) {
            const double apart = (double)ask.quantization.bytes / (2 * (double)estimate.parameters) - 1;
            if (fabs(apart) > 1e-4)
                fail_msg("%s: quantized parts have %.4f of the model's numbers", text_of(row, "model"), 1 + apart);
        }
        cJSON_Delete(copy);
    }
}

/* The number of parameters is exact, unless the row has a tolerance for a rounded one. */
static void test_models_have_the_parameters_that_are_published(void **state)
{
    (void)state;
    for (const cJSON *row = rows->child; row != NULL; row = row->next) {
        const mls_memory_ask ask = ask_for(row);
        mls_memory_estimate estimate;
        assert_int_equal(mls_memory_estimate_make(&ask, &estimate, NULL), MLS_OK);
        const double off = (double)estimate.parameters - number_of(row, "parameters");
        if (fabs(off) > number_of(row, "within") * number_of(row, "parameters"))
            fail_msg("%s: %.0f too many", text_of(row, "model"), off);
        if (ask.shape.tower_parameters != (uint64_t)number_of(row, "tower_parameters"))
            fail_msg("%s: %.0f of towers", text_of(row, "model"), (double)ask.shape.tower_parameters);
        assert_true(text_of(row, "source")[0] != '\0');
        assert_false(ask.unsure);
    }
}

/* Layers with their own keys and values per token. */
static void test_models_cache_tokens_in_the_layers_that_attend(void **state)
{
    (void)state;
    for (const cJSON *row = rows->child; row != NULL; row = row->next) {
        const mls_memory_ask ask = ask_for(row);
        uint64_t layers = 0;
        for (size_t i = 0; i < ask.shape.cache_kinds; i++)
            layers += ask.shape.caches[i].layers;
        if (layers != (uint64_t)number_of(row, "cached_layers"))
            fail_msg("%s: %d layers", text_of(row, "model"), (int)layers);
    }
}

static const char *type_of(const cJSON *row)
{
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(row, "config");
    const cJSON *inner = cJSON_GetObjectItemCaseSensitive(config, "text_config");
    return text_of(inner, "model_type")[0] != '\0' ? text_of(inner, "model_type") : text_of(config, "model_type");
}

static void test_each_family_has_a_model(void **state)
{
    (void)state;
    const cJSON *families = cJSON_GetObjectItemCaseSensitive(table, "families");
    for (const cJSON *family = families->child; family != NULL; family = family->next) {
        bool has = false;
        for (const cJSON *row = rows->child; row != NULL; row = row->next) {
            mls_str type = mls_str_from(type_of(row));
            static const char *const suffixes[] = {"", "_text", "_text_model"};
            for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
                const bool ends = mls_str_ends(type, mls_str_from(suffixes[i]));
                const mls_str name = {type.ptr, type.len - (ends ? strlen(suffixes[i]) : 0)};
                has |= mls_str_among(name, text_of(family, "types"));
            }
        }
        if (!has)
            fail_msg("no row of " TABLE " is of %s", family->string);
    }
}

/* The projector depends on the type of the whole model. */
static void test_each_projector_has_a_model(void **state)
{
    (void)state;
    const cJSON *projectors = cJSON_GetObjectItemCaseSensitive(table, "projectors");
    for (const cJSON *projector = projectors->child; projector != NULL; projector = projector->next) {
        bool has = false;
        for (const cJSON *row = rows->child; row != NULL; row = row->next) {
            const cJSON *config = cJSON_GetObjectItemCaseSensitive(row, "config");
            has |=
                strcmp(text_of(config, "model_type"), projector->string) == 0 && number_of(row, "tower_parameters") > 0;
        }
        if (!has)
            fail_msg("no row of " TABLE " has the towers of %s", projector->string);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_have_the_parameters_that_are_published),
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_models_cache_tokens_in_the_layers_that_attend),
        cmocka_unit_test(test_each_family_has_a_model),
        cmocka_unit_test(test_each_projector_has_a_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
