/* SPDX-License-Identifier: Apache-2.0 */
/* model_file.c - a model from a file: a Hugging Face config.json, or an object with the members of
 * src/data/models.json.
 *
 * The file may hold anything.  What it does not say about its architecture follows from model_type, as the classes of
 * the transformers library have it. */
#include <math.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "memory/sizes.h"
#include "mlscore/value.h"
#include "score/models.h"

/* A config.json on its way into a shape; text_config, the language part of larger models, overrides what is outside. */
typedef struct config_json {
    const cJSON *outer, *inner;
    const char *type; /* "": none */
    mls_error *error;
    bool wrong; /* a number was none; the error says which */
} config_json;

/* A member by the first of its names that is there and not null. */
static const cJSON *config_member(const config_json *of, const char *names)
{
    const cJSON *objects[] = {of->inner, of->outer};
    for (size_t i = 0; i < 2; i++) {
        mls_str left = mls_str_from(names);
        for (mls_str name = mls_str_word(&left); name.len > 0; name = mls_str_word(&left)) {
            for (const cJSON *item = objects[i] != NULL ? objects[i]->child : NULL; item != NULL; item = item->next) {
                if (mls_str_equal(mls_str_from(item->string), name) && !cJSON_IsNull(item)) {
                    return item;
                }
            }
        }
    }
    return NULL;
}

static void config_wrong(config_json *of, const cJSON *item, const char *why)
{
    if (!of->wrong) {
        (void)mls_error_set(of->error, MLS_ERROR_VALUE, 0, 0, "%s %s", item->string, why);
    }
    of->wrong = true;
}

static uint64_t config_number(config_json *of, const char *names, uint64_t otherwise)
{
    const cJSON *item = config_member(of, names);
    const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (item == NULL) {
        return otherwise;
    }
    if (number >= 0 && number <= (double)MLS_BYTES_MAX && floor(number) >= number) {
        return (uint64_t)number;
    }
    config_wrong(of, item, "is not a whole number from 0 on that a model can have");
    return otherwise;
}

static bool config_flag(config_json *of, const char *name, bool otherwise)
{
    const cJSON *item = config_member(of, name);
    if (item != NULL && !cJSON_IsBool(item)) {
        config_wrong(of, item, "is neither true nor false");
    }
    return item != NULL ? cJSON_IsTrue(item) : otherwise;
}

static bool type_among(const config_json *of, const char *types)
{
    return mls_str_among(mls_str_from(of->type), types);
}

/* Layers that look back a window only: those that are listed as such, or all of a Mistral. */
static void read_window(config_json *of, mls_model_shape *shape)
{
    const cJSON *types = config_member(of, "layer_types");
    shape->sliding_window = config_number(of, "sliding_window", 0);
    for (const cJSON *type = cJSON_IsArray(types) ? types->child : NULL; type != NULL; type = type->next) {
        shape->sliding_layers += cJSON_IsString(type) && strcmp(type->valuestring, "sliding_attention") == 0;
    }
    if (shape->sliding_window == 0) {
        shape->sliding_layers = 0;
    } else if (types == NULL && type_among(of, "mistral")) {
        shape->sliding_layers = shape->layers;
    }
}

static void read_experts(config_json *of, mls_model_shape *shape)
{
    const bool llama4 = type_among(of, "llama4 llama4_text");
    const bool gpt_oss = type_among(of, "gpt_oss");
    shape->experts = config_number(of, "num_local_experts n_routed_experts num_experts", 0);
    shape->experts_per_token = config_number(of, "num_experts_per_tok experts_per_token", 1);
    shape->expert_ffn = config_number(of, "moe_intermediate_size", 0);
    shape->shared_experts = config_number(of, "n_shared_experts", llama4);
    shape->dense_layers = config_number(of, "first_k_dense_replace", 0);
    if (llama4) {
        shape->expert_ffn = shape->ffn;
        shape->ffn = config_number(of, "intermediate_size_mlp", shape->ffn);
    }
    shape->expert_biases = gpt_oss;
    shape->sinks = gpt_oss;
    shape->router_biases = type_among(of, "deepseek_v3");
}

static void read_config_json(config_json *of, mls_model_shape *shape)
{
    static const char older[] = "gpt2 gpt_neox opt bloom gptj falcon bert phi";
    const bool opt = type_among(of, "opt");
    *shape =
        (mls_model_shape){.layers = config_number(of, "num_hidden_layers n_layer num_layers", 0),
                          .hidden = config_number(of, "hidden_size n_embd d_model", 0),
                          .heads = config_number(of, "num_attention_heads n_head", 0),
                          .kv_heads = config_number(of, "num_key_value_heads num_kv_heads", 0),
                          .head_dim = config_number(of, "head_dim", 0),
                          .ffn = config_number(of, opt ? "ffn_dim" : "intermediate_size n_inner ffn_hidden_size", 0),
                          .ffn_matrices = type_among(of, older) ? 2 : 3,
                          .vocabulary = config_number(of, "vocab_size", 0),
                          .kv_lora_rank = config_number(of, "kv_lora_rank", 0),
                          .q_lora_rank = config_number(of, "q_lora_rank", 0),
                          .qk_nope_head_dim = config_number(of, "qk_nope_head_dim", 0),
                          .qk_rope_head_dim = config_number(of, "qk_rope_head_dim", 0),
                          .value_head_dim = config_number(of, "v_head_dim", 0),
                          .qk_norms = type_among(of, "qwen3 qwen3_moe"),
                          .tied_embeddings = config_flag(of, "tie_word_embeddings",
                                                         type_among(of, "gpt2 opt bloom gemma gemma2 gemma3 bert"))
                                                 ? MLS_SAID_YES
                                                 : MLS_SAID_NO};
    if (type_among(of, "gpt2")) {
        shape->positions = config_number(of, "n_positions", 1024);
    } else if (opt) {
        shape->positions = config_number(of, "max_position_embeddings", 0) + 2;
    }
    if (type_among(of, older)) {
        shape->biases = MLS_BIASES_ALL;
    } else if (config_flag(of, "attention_bias", type_among(of, "gpt_oss"))) {
        shape->biases = MLS_BIASES_ATTENTION;
    } else if (type_among(of, "qwen2 qwen2_moe")) {
        shape->biases = MLS_BIASES_QKV;
    }
    read_experts(of, shape);
    read_window(of, shape);
}

void mls_memory_take_model(mls_memory_ask *ask, const mls_model_shape *shape, const char *benchmark, mls_str name)
{
    ask->shape = *shape;
    ask->benchmark = benchmark;
    mls_shape_complete(&ask->shape);
    (void)mls_text_printf(ask->model, sizeof ask->model, "%.*s", MLS_CUT(name, 100));
}

mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error)
{
    mls_model model = {.name = NULL};
    mls_arena arena = {0};
    cJSON *json;
    mls_status status = mls_json_tree(text, &json, error);
    if (status == MLS_OK && !cJSON_IsObject(json)) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "it is not an object of JSON, so not a model");
    } else if (status == MLS_OK && cJSON_HasObjectItem(json, "layers") && cJSON_HasObjectItem(json, "hidden")) {
        status = mls_model_read(json, &arena, &model, error);
    } else if (status == MLS_OK) {
        const cJSON *inner = cJSON_GetObjectItemCaseSensitive(json, "text_config");
        config_json of = {.outer = json, .inner = cJSON_IsObject(inner) ? inner : NULL, .error = error};
        const char *type = cJSON_GetStringValue(config_member(&of, "model_type"));
        of.type = type != NULL ? type : "";
        read_config_json(&of, &model.shape);
        status = of.wrong ? MLS_ERROR_VALUE : MLS_OK;
    }
    status = status == MLS_OK ? mls_shape_check(&model.shape, error) : status;
    if (status == MLS_OK) {
        mls_memory_take_model(ask, &model.shape, NULL, model.name != NULL ? mls_str_from(model.name) : name);
    }
    mls_arena_release(&arena);
    cJSON_Delete(json);
    return status;
}
