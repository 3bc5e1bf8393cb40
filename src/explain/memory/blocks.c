/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - block_configs: a list that says of each layer what it attends with and how wide its feed-forward is, or
 * that it has none, as a search for architectures has found it. */
#include "explain/memory/blocks.h"

#include "explain/memory/formula.h"

static bool is_true(const cJSON *block, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(block, name));
}

/* A number of a block, 0 where it has none; with its fraction, as ffn_mult has one. */
static double block_number(config_json *of, const cJSON *block, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(block, name);
    if (item == NULL || cJSON_IsNull(item)) {
        return 0;
    }
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1e6)) {
        mls_config_refuse(of, name, "of block_configs is no number that a model can have");
        return 0;
    }
    return item->valuedouble;
}

/* Adds a layer to those that are alike in what they cache. */
static void add_cache(config_json *of, mls_model_shape *shape, uint64_t kv_heads, uint64_t head_dim)
{
    for (size_t i = 0; i < shape->cache_kinds; i++) {
        if (shape->caches[i].kv_heads == kv_heads) {
            shape->caches[i].layers++;
            return;
        }
    }
    if (shape->cache_kinds == MLS_LAYER_CACHES_MAX) {
        mls_config_refuse(of, "block_configs", "has more kinds of attention than any model");
        return;
    }
    shape->caches[shape->cache_kinds++] = (mls_layer_cache){1, kv_heads, MUL(2, head_dim), 0};
}

/* Parameters of a layer's attention, with the norm before it. */
static uint64_t block_attention(config_json *of, const cJSON *block, mls_model_shape *shape)
{
    const uint64_t head_dim = shape->head_dim != 0 ? shape->head_dim : shape->hidden / shape->heads;
    const uint64_t group = (uint64_t)block_number(of, block, "n_heads_in_group");
    const uint64_t said = (uint64_t)block_number(of, block, "num_key_value_heads");
    const uint64_t kv_heads = said != 0 ? said : group != 0 ? shape->heads / group : 0;
    if (is_true(block, "no_op")) {
        return 0;
    }
    if (is_true(block, "replace_with_linear")) {
        return MUL(shape->hidden, ADD(shape->hidden, 1));
    }
    if (kv_heads == 0 || block_number(of, block, "window_length") > 0 ||
        block_number(of, block, "num_sink_tokens") > 0) {
        mls_config_refuse(of, "block_configs", "has a kind of attention that is not known");
        return 0;
    }
    add_cache(of, shape, kv_heads, head_dim);
    return ADD(MUL(2, shape->hidden, ADD(shape->heads, kv_heads), head_dim), shape->hidden);
}

/* The width that two thirds of ffn_mult come to, filled up to a multiple of 256. */
static uint64_t block_feed_forward(config_json *of, const cJSON *block, const mls_model_shape *shape)
{
    const double multiple = block_number(of, block, "ffn_mult");
    const uint64_t said = (uint64_t)block_number(of, block, "intermediate_size");
    const uint64_t two_thirds = (uint64_t)(2 * multiple * (double)mls_bytes_min(shape->hidden, MLS_BYTES_MAX) / 3);
    const uint64_t width = said != 0 ? said : MUL(256, mls_bytes_up(two_thirds, 256));
    if (is_true(block, "no_op")) {
        return 0;
    }
    if (is_true(block, "replace_with_linear")) {
        return MUL(shape->hidden, ADD(shape->hidden, 1));
    }
    if (width == 0 || cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(block, "moe"))) {
        mls_config_refuse(of, "block_configs", "has a kind of feed-forward that is not known");
    }
    return MUL(shape->hidden, ADD(MUL(3, width), 1));
}

void mls_config_read_blocks(config_json *of, const cJSON *blocks, mls_model_shape *shape)
{
    const cJSON *block = cJSON_IsArray(blocks) ? blocks->child : NULL;
    uint64_t layers = 0;
    shape->counted =
        ADD(shape->hidden, MUL(shape->hidden, shape->vocabulary, shape->tied_embeddings == MLS_SAID_YES ? 1 : 2));
    for (; block != NULL && !of->wrong; block = block->next) {
        const cJSON *attention = cJSON_GetObjectItemCaseSensitive(block, "attention");
        const cJSON *feed_forward = cJSON_GetObjectItemCaseSensitive(block, "ffn");
        if (!cJSON_IsObject(attention) || !cJSON_IsObject(feed_forward)) {
            mls_config_refuse(of, "block_configs", "has a block without attention or ffn");
            return;
        }
        shape->counted =
            ADD(shape->counted, block_attention(of, attention, shape), block_feed_forward(of, feed_forward, shape));
        layers++;
    }
    if (layers != shape->layers) {
        mls_config_refuse(of, "block_configs", "does not name each layer");
    }
    if (shape->cache_kinds == 0) {
        shape->cache_kinds = 1; /* of no layers */
        shape->caches[0].kv_heads = 1;
    }
}
