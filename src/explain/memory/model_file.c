/* SPDX-License-Identifier: Apache-2.0 */
/* model_file.c - a model from a file: a Hugging Face config.json, or an object with the members of
 * src/data/models.json.
 *
 * The file may hold anything.  What it does not say about its architecture follows from its family, as the classes of
 * the transformers library have it. */
#include "base/buffer.h"
#include "base/map.h"
#include "base/utf8.h"
#include "explain/memory/quantization.h"
#include "explain/memory/towers.h"
#include "score/model_row.h"
#include "json/json_row.h"
#include "json/value.h"

void mls_memory_take_model(mls_memory_ask *ask, const mls_model_shape *shape, const char *benchmark, mls_str name)
{
    ask->shape = *shape;
    ask->benchmark = benchmark;
    ask->doubt[0] = '\0';
    ask->unsure = false;
    ask->quantization = (mls_memory_form){.bytes = 0};
    ask->kv_precision = MLS_MEMORY_NOT_SET;
    ask->model_type[0] = '\0';
    mls_shape_complete(&ask->shape);
    (void)mls_text_printf(ask->model, sizeof ask->model, "%.*s", MLS_CUT(name, 100));
}

/* The text with what Python writes for numbers that are none, NaN and Infinity, as null; and without a byte order mark.
 * No architecture is known by such a number. */
static mls_status plain_json(mls_str text, mls_buffer *to, mls_error *error)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    bool quoted = false;
    for (size_t i = mls_text_mark(text); i < text.len;) {
        size_t len = 1;
        const char *put = text.ptr + i;
        for (size_t w = 0; w < sizeof words / sizeof *words && !quoted; w++) {
            const mls_str word = mls_str_from(words[w]);
            if (text.len - i >= word.len && memcmp(text.ptr + i, word.ptr, word.len) == 0) {
                len = word.len;
                put = "null     ";
                break;
            }
        }
        if (text.ptr[i] == '\\' && quoted && i + 1 < text.len) {
            len = 2;
        } else if (text.ptr[i] == '"') {
            quoted = !quoted;
        }
        /* Three letters become four: the column of what is wrong behind them is one off. */
        mls_buffer_append(to, (mls_str){put, len == 3 ? 4 : len});
        i += len;
    }
    return to->failed ? mls_error_memory(error) : MLS_OK;
}

/* All are searched for each name. */
enum { MEMBERS_MAX = 20000 };

/* Refuses an object in which a name stands twice: one reader takes the first, another the last. */
static mls_status refuse_repeated(config_json *of, const cJSON *object)
{
    mls_arena arena = {0};
    mls_map names = {.arena = &arena};
    const cJSON *item = object != NULL ? object->child : NULL;
    mls_status status = MLS_OK;
    for (bool added; item != NULL && status == MLS_OK; item = item->next) {
        if (mls_map_put(&names, mls_str_from(item->string), &added) == NULL) {
            status = mls_error_memory(of->error);
        } else if (!added) {
            mls_config_refuse(of, item->string, "stands twice");
        }
    }
    mls_arena_release(&arena);
    return status;
}

static mls_status read_hugging_face(mls_memory_doubt *doubt, const cJSON *json, mls_model_shape *shape,
                                    mls_error *error)
{
    config_json of = {.outer = json, .error = error};
    cJSON *table = NULL;
    mls_status status = mls_json_data("models.json", &table, error);
    if (status == MLS_OK) {
        mls_family_find(&of, table, doubt);
        status = refuse_repeated(&of, json);
    }
    if (status == MLS_OK && of.inner != json) {
        status = refuse_repeated(&of, of.inner);
    }
    if (cJSON_GetArraySize(json) > MEMBERS_MAX || cJSON_GetArraySize(of.inner) > MEMBERS_MAX) {
        mls_config_refuse(&of, "it", "has more members than the config.json of any model");
    }
    if (status == MLS_OK && !of.wrong) {
        mls_config_read_shape(&of, shape);
        mls_towers_read(&of, table, shape, doubt);
    }
    cJSON_Delete(table);
    return status == MLS_OK && of.wrong ? MLS_ERROR_VALUE : status;
}

mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error)
{
    mls_model model = {.name = NULL};
    mls_memory_doubt doubt = {.unsure = false};
    mls_arena arena = {0};
    mls_buffer plain = {0};
    cJSON *json = NULL;
    mls_status status = plain_json(text, &plain, error);
    status = status == MLS_OK ? mls_json_tree(mls_buffer_str(&plain), &json, error) : status;
    if (status == MLS_OK && !cJSON_IsObject(json)) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "it is not an object of JSON, so not a model");
    } else if (status == MLS_OK && cJSON_HasObjectItem(json, "layers") && cJSON_HasObjectItem(json, "hidden")) {
        status = mls_model_read(json, &arena, &model, error);
    } else if (status == MLS_OK) {
        status = read_hugging_face(&doubt, json, &model.shape, error);
    }
    status = status == MLS_OK ? mls_shape_check(&model.shape, error) : status;
    if (status == MLS_OK) {
        mls_quantized quantized = {.kv_precision = MLS_MEMORY_NOT_SET};
        mls_memory_take_model(ask, &model.shape, NULL, model.name != NULL ? mls_str_from(model.name) : name);
        (void)mls_text_printf(ask->model_type, sizeof ask->model_type, "%.60s", mls_family_type(json));
        ask->doubt_apart = strlen(doubt.words);
        ask->unsure_apart = doubt.unsure;
        status = model.name == NULL
                     ? mls_quantization_read(json, ask->model_type, &ask->shape, &quantized, &doubt, error)
                     : MLS_OK;
        ask->quantization = quantized.form;
        ask->kv_precision = quantized.kv_precision;
        memcpy(ask->doubt, doubt.words, sizeof ask->doubt);
        ask->unsure = doubt.unsure;
    }
    mls_buffer_release(&plain);
    mls_arena_release(&arena);
    cJSON_Delete(json);
    return status;
}

mls_status mls_memory_quantization_parse(mls_memory_ask *ask, mls_str text, mls_error *error)
{
    mls_memory_doubt doubt = {.unsure = ask->unsure_apart};
    mls_quantized quantized;
    mls_buffer plain = {0};
    cJSON *json = NULL;
    cJSON *config = cJSON_CreateObject();
    mls_status status = plain_json(text, &plain, error);
    status = status == MLS_OK ? mls_json_tree(mls_buffer_str(&plain), &json, error) : status;
    if (status == MLS_OK && (config == NULL || !cJSON_AddItemToObject(config, "quantization_config", json))) {
        cJSON_Delete(json);
        status = mls_error_memory(error);
    }
    memcpy(doubt.words, ask->doubt, ask->doubt_apart); /* what config.json says of the weights is said once more */
    if (status == MLS_OK) {
        status = mls_quantization_read(config, ask->model_type, &ask->shape, &quantized, &doubt, error);
    }
    if (status == MLS_OK && ask->quantization.bytes == 0) {
        ask->quantization = quantized.form;
        memcpy(ask->doubt, doubt.words, sizeof ask->doubt);
        ask->unsure = doubt.unsure;
    }
    if (status == MLS_OK && ask->kv_precision == MLS_MEMORY_NOT_SET) {
        ask->kv_precision = quantized.kv_precision;
    }
    mls_buffer_release(&plain);
    cJSON_Delete(config);
    return status;
}
