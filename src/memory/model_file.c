/* SPDX-License-Identifier: Apache-2.0 */
/* model_file.c - a model from a file: a Hugging Face config.json, or an object with the members of
 * src/data/models.json.
 *
 * The file may hold anything.  What it does not say about its architecture follows from its family, as the classes of
 * the transformers library have it. */
#include "base/buffer.h"
#include "base/json_row.h"
#include "base/utf8.h"
#include "memory/family.h"
#include "mlscore/value.h"
#include "score/models.h"

static void read_experts(config_json *of, mls_model_shape *shape)
{
    const uint64_t shared = mls_config_number(of, "shared_expert_intermediate_size", 0);
    const uint64_t shared_wide = mls_config_number(of, "shared_intermediate_size", 0);
    shape->experts = mls_config_number(of, "num_local_experts n_routed_experts num_experts moe_num_experts", 0);
    shape->experts_per_token = mls_config_number(
        of, "num_experts_per_tok experts_per_token num_experts_per_token top_k_experts moe_k moe_topk", 1);
    shape->expert_ffn = mls_config_number(of, "moe_intermediate_size", 0);
    shape->shared_experts = mls_config_number(of, "n_shared_experts num_shared_experts moe_num_shared_experts",
                                              mls_config_trait(of, "shared", 0));
    shape->dense_layers = mls_config_number(of, "first_k_dense_replace moe_layer_start_index", 0);
    if (mls_config_trait(of, "ffn_of_experts", 0) != 0) {
        shape->expert_ffn = shape->ffn;
        shape->ffn = mls_config_number(of, "intermediate_size_mlp", shape->ffn);
    }
    if (mls_config_trait(of, "pattern", 0) != 0) {
        shape->shared_experts = 0; /* of a width of their own */
    } else if (shape->experts > 0 && (shared | shared_wide) != 0) {
        /* Shared experts that are as wide as several: one of those, and a gate. */
        const uint64_t width = shape->expert_ffn != 0 ? shape->expert_ffn : shape->ffn;
        if (width == 0 || (shared | shared_wide) % width != 0) {
            shape->other_parameters =
                ADD(shape->other_parameters, MUL(shape->layers, 3, shape->hidden, shared != 0 ? shared : shared_wide));
        } else {
            shape->shared_experts = (shared != 0 ? shared : shared_wide) / width;
        }
        shape->other_parameters = ADD(shape->other_parameters, shared != 0 ? MUL(shape->layers, shape->hidden) : 0);
    } else if (shape->experts == 0 && shared_wide != 0) {
        shape->ffn = shared_wide;
    }
    shape->expert_biases = mls_config_trait(of, "sinks", 0) != 0;
    shape->sinks = shape->expert_biases;
    shape->router_biases = mls_config_trait(of, "router_biases", 0) != 0;
}

/* Keys and values of one head, of groups, or of every head, by what the family calls it. */
static uint64_t key_value_heads(config_json *of)
{
    static const char grouped[] = "num_key_value_heads num_kv_heads n_head_kv";
    const uint64_t queries = mls_config_trait(of, "multi_query", 0);
    if (queries == 0) {
        return mls_config_number(of, grouped, 0);
    }
    if (mls_config_flag(of, "new_decoder_architecture", false)) {
        return mls_config_number(of, grouped, 0);
    }
    if (mls_config_member(of, "multi_query_attention") != NULL) {
        return mls_config_flag(of, "multi_query_attention", false) ? mls_config_number(of, "multi_query_group_num", 1)
                                                                   : 0;
    }
    return mls_config_flag(of, "multi_query", queries == 1) ? 1 : 0;
}

static mls_biases read_biases(config_json *of)
{
    const char *words = mls_config_words(of, "biases");
    if (strcmp(words, "all") == 0) {
        return MLS_BIASES_ALL;
    }
    if (mls_config_flag(of, "attention_bias", strcmp(words, "attention") == 0)) {
        return MLS_BIASES_ATTENTION;
    }
    return strcmp(words, "qkv") == 0 || mls_config_flag(of, "add_qkv_bias", false) ||
                   mls_config_flag(of, "use_qkv_bias", false)
               ? MLS_BIASES_QKV
               : MLS_BIASES_NOT_SAID;
}

/* What stands beside the transformer: token types and a pooler, an indexer of sparse attention. */
static void read_others(config_json *of, mls_model_shape *shape)
{
    const uint64_t h = shape->hidden;
    const uint64_t heads = mls_config_number(of, "index_n_heads", 0);
    const uint64_t width = mls_config_number(of, "index_head_dim", 0);
    if (mls_config_trait(of, "encoder", 0) != 0) {
        shape->other_parameters = ADD(MUL(h, mls_config_number(of, "type_vocab_size", 2)), MUL(2, h), MUL(h, h), h);
    }
    shape->other_parameters =
        ADD(shape->other_parameters,
            MUL(shape->layers, ADD(MUL(h, width), MUL(shape->q_lora_rank, heads, width), MUL(h, heads))));
}

static void read_config_json(config_json *of, mls_model_shape *shape)
{
    const char *positions = mls_config_words(of, "positions");
    *shape = (mls_model_shape){
        .layers = mls_config_number(of, "num_hidden_layers n_layer num_layers n_layers", 0),
        .hidden = mls_config_number(of, "hidden_size n_embd n_embed d_model", 0),
        .heads = mls_config_number(of, "num_attention_heads n_head n_heads num_heads", 0),
        .kv_heads = key_value_heads(of),
        .head_dim = mls_config_number(of, "head_dim attention_head_dim kv_channels", 0),
        .ffn = mls_config_number(of, "intermediate_size n_inner ffn_hidden_size ffn_dim", 0),
        .ffn_matrices = mls_config_trait(of, "matrices", 3),
        .norm_vectors = mls_config_trait(of, "norm_vectors", 0),
        .vocabulary = mls_config_number(of, "padded_vocab_size vocab_size", 0),
        .sliding_window = mls_config_number(of, "sliding_window attention_chunk_size", 0),
        .full_head_dim = mls_config_number(of, "global_head_dim", 0),
        .full_kv_heads = mls_config_number(of, "num_global_key_value_heads", 0),
        .kv_lora_rank = mls_config_number(of, "kv_lora_rank", 0),
        .q_lora_rank = mls_config_number(of, "q_lora_rank", 0),
        .qk_nope_head_dim = mls_config_number(of, "qk_nope_head_dim", 0),
        .qk_rope_head_dim = mls_config_number(of, "qk_rope_head_dim", 0),
        .value_head_dim = mls_config_number(of, "v_head_dim", 0),
        .qk_norms = mls_config_trait(of, "qk_norms", 0) != 0,
        .positions = positions[0] != '\0'
                         ? ADD(mls_config_number(of, positions, 0), mls_config_trait(of, "positions_more", 0))
                         : 0,
        .biases = read_biases(of),
        .tied_embeddings = mls_config_flag(of, "tie_word_embeddings", mls_config_trait(of, "tied", 0) != 0)
                               ? MLS_SAID_YES
                               : MLS_SAID_NO};
    shape->ffn /= mls_config_trait(of, "ffn_halved", 0) != 0 ? 2 : 1;
    read_others(of, shape);
    read_experts(of, shape);
    mls_config_read_layers(of, shape);
}

void mls_memory_take_model(mls_memory_ask *ask, const mls_model_shape *shape, const char *benchmark, mls_str name)
{
    ask->shape = *shape;
    ask->benchmark = benchmark;
    ask->doubt[0] = '\0';
    ask->unsure = false;
    mls_shape_complete(&ask->shape);
    (void)mls_text_printf(ask->model, sizeof ask->model, "%.*s", MLS_CUT(name, 100));
}

/* The text with what Python writes for numbers that are none, NaN and Infinity, as null; and without a byte order mark.
 * No architecture is told by such a number. */
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

static mls_status read_hugging_face(mls_memory_doubt *doubt, const cJSON *json, mls_model_shape *shape,
                                    mls_error *error)
{
    const cJSON *inner = cJSON_GetObjectItemCaseSensitive(json, "text_config");
    config_json of = {.outer = json, .inner = cJSON_IsObject(inner) ? inner : NULL, .error = error};
    cJSON *table = NULL;
    if (cJSON_GetArraySize(json) > MEMBERS_MAX || cJSON_GetArraySize(of.inner) > MEMBERS_MAX) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "it has more members than the config.json of any model");
    }
    const mls_status status = mls_json_data("models.json", &table, error);
    if (status == MLS_OK) {
        mls_family_find(&of, table, doubt);
    }
    if (status == MLS_OK && !of.wrong) {
        read_config_json(&of, shape);
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
        mls_memory_take_model(ask, &model.shape, NULL, model.name != NULL ? mls_str_from(model.name) : name);
        memcpy(ask->doubt, doubt.words, sizeof ask->doubt);
        ask->unsure = doubt.unsure;
    }
    mls_buffer_release(&plain);
    mls_arena_release(&arena);
    cJSON_Delete(json);
    return status;
}
