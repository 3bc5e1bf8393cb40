/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - read models whose layers may differ: which layers have full, window, cross or no attention, a fixed-size
 * state, or experts, and the total size of the layers.  Also count the towers of multimodal models. */
#include <string.h>

#include "base/utf8.h"
#include "explain/memory/config_json.h"

/* Maximum length of a list that is searched once per layer. */
enum { LISTED_MAX = 1000 };

typedef struct layer_counts {
    uint64_t full, sliding, state, cross; /* numbers of layers by kind; cross: attending to another input */
    uint64_t full_shares,
        sliding_shares;      /* numbers of full and sliding layers that use the KV cache of an earlier layer */
    uint64_t dense, experts; /* numbers of layers with a dense feed-forward, and with experts */
    bool apart;              /* layers differ */
    mls_layer_set attends, keeps, expert, plain; /* sets of layers with attention, with a state, with experts and with a
                                                    dense feed-forward; empty if unknown */
} layer_counts;

static void layer_set_add(mls_layer_set *set, uint64_t layer)
{
    if (layer < MLS_LAYER_SET_MAX)
        set->bits[layer / 64] |= UINT64_C(1) << layer % 64;
}

/* Return whether the row of the family has the flag `name`, which applies to all models of the family. */
static bool family_says(config_json *of, const char *name)
{
    return mls_formula_value(of, name, 0) != 0;
}

/* ---------------------------------------------------------------- how layers mix tokens */

/* Count layer number `layer`, whose kind has the name `word`, in *to.  `shares` is true if the layer uses the keys and
 * values of an earlier layer.  Return false if the name is unknown. */
static bool add_mixer(config_json *of, mls_str word, bool shares, uint64_t layer, layer_counts *to)
{
    const bool slides =
        mls_str_among(word, "sliding_attention chunked_attention sliding_window sliding local_attention "
                            "local swa") ||
        (mls_str_among(word, "attention") && family_says(of, "slides"));
    const bool keeps = of->state != NULL && mls_str_among(word, "linear_attention mamba M conv recurrent");
    bool attends = slides || mls_str_among(word, "full_attention attention global_attention full global *");
    if (!attends && !keeps) {
        /* Attention of an unknown kind has the usual weights, except linear attention. */
        if (!mls_str_ends(word, MLS_S("attention")) || mls_str_contains(word, MLS_S("linear")))
            return false;
        of->cache_unknown = "layer_types";
        attends = true;
    }
    layer_set_add(attends ? &to->attends : &to->keeps, layer);
    *(slides ? &to->sliding : attends ? &to->full : &to->state) += 1;
    to->sliding_shares += slides && shares;
    to->full_shares += attends && !slides && shares;
    return true;
}

/* Count the layers of Nemotron-H: each layer contains only attention, a state, a feed-forward or experts. */
static void read_layer_blocks(config_json *of, mls_model_shape *shape, layer_counts *to)
{
    const cJSON *list = mls_config_member(of, "layers_block_type");
    const char *pattern = cJSON_GetStringValue(mls_config_member(of, "hybrid_override_pattern"));
    const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
    uint64_t layers = 0;
    for (; pattern != NULL ? pattern[layers] != '\0' : item != NULL; layers++) {
        const char *word = pattern == NULL && cJSON_IsString(item) ? item->valuestring : "";
        const mls_str name = pattern != NULL ? (mls_str){pattern + layers, 1} : mls_str_from(word);
        if (mls_str_among(name, "- mlp")) {
            to->dense++;
            layer_set_add(&to->plain, layers);
        } else if (mls_str_among(name, "E moe")) {
            to->experts++;
            layer_set_add(&to->expert, layers);
        } else if (!add_mixer(of, name, false, layers, to)) {
            mls_config_refuse(of, "hybrid_override_pattern or layers_block_type", "contains an unknown kind of layer");
            return;
        }
        item = pattern == NULL ? item->next : NULL;
    }
    shape->layers = shape->layers != 0 ? shape->layers : layers;
    if (layers == 0 || layers != shape->layers)
        mls_config_refuse(of, "hybrid_override_pattern or layers_block_type", "does not list every layer");
}

/* Return the number of layers that a list selects.  The list has a flag for each layer if `flags` is true, else the
 * indexes of layers.  Add the layers to *set unless `set` is NULL. */
static uint64_t count_listed(config_json *of, const char *names, const mls_model_shape *shape, bool flags,
                             mls_layer_set *set)
{
    const cJSON *list = mls_config_member(of, names);
    uint64_t count = 0;
    uint64_t i = 0;
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next, i++) {
        const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
        count += cJSON_IsNumber(item) && (!flags || number > 0);
        if (set != NULL && number >= flags && number < MLS_LAYER_SET_MAX)
            layer_set_add(set, flags ? i : (uint64_t)number);
    }
    if (list != NULL && (!cJSON_IsArray(list) || count > shape->layers))
        mls_config_refuse(of, list->string, "does not select valid layers");
    return count;
}

static void read_mixers(config_json *of, mls_model_shape *shape, layer_counts *to)
{
    const cJSON *types = mls_config_member(of, "layer_types");
    const cJSON *repeated = mls_config_member(of, "block_types _block_types");
    const uint64_t layers = shape->layers;
    if (family_says(of, "pattern")) {
        read_layer_blocks(of, shape, to);
        to->apart = true;
        return;
    }
    if (family_says(of, "compressed")) {
        to->full = layers;
    } else if (types != NULL || (repeated != NULL && of->state != NULL)) {
        /* The list has the kinds of all layers, or is repeated until it covers all layers. */
        const bool repeats = types == NULL;
        const cJSON *list = repeats ? repeated : types;
        const uint64_t shared = repeats ? 0 : mls_config_number(of, "num_kv_shared_layers", 0);
        const cJSON *type = cJSON_IsArray(list) ? list->child : NULL;
        for (uint64_t layer = 0; repeats ? layer < layers : type != NULL; layer++) {
            const bool shares = layer >= mls_bytes_less(layers, shared);
            const char *word = cJSON_GetStringValue(type);
            if (type == NULL || word == NULL || !add_mixer(of, mls_str_from(word), shares, layer, to)) {
                mls_config_refuse(of, list->string, "contains an unknown kind of layer");
                break;
            }
            type = repeats && type->next == NULL ? list->child : type->next;
        }
        to->apart |= to->full_shares + to->sliding_shares > 0;
    } else if (of->state != NULL && !family_says(of, "both")) {
        /* In a hybrid model, count the layers with attention; all other layers keep a state. */
        const cJSON *linear = mls_config_member(of, "linear_attn_config");
        if (linear != NULL) {
            const cJSON *list = mls_item(linear, "full_attn_layers"); /* numbers of layers, from 1 */
            for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next)
                if (cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble < MLS_LAYER_SET_MAX)
                    layer_set_add(&to->attends, (uint64_t)item->valuedouble - 1);
            to->full = (uint64_t)cJSON_GetArraySize(list);
        } else if (mls_config_member(of, "attn_type_list") != NULL) {
            to->full = count_listed(of, "attn_type_list", shape, true, &to->attends);
        } else if (mls_config_member(of, "attn_layer_indices full_attn_idxs") != NULL) {
            to->full = count_listed(of, "attn_layer_indices full_attn_idxs", shape, false, &to->attends);
        } else {
            const uint64_t period = mls_formula_value(of, "attends_each", 0);
            for (uint64_t i = mls_formula_value(of, "attends_from", 0); i < layers && period != 0; i += period) {
                layer_set_add(&to->attends, i);
                to->full++;
            }
        }
        for (uint64_t i = 0; i < mls_bytes_min(shape->layers, MLS_LAYER_SET_MAX); i++)
            if (!mls_layer_set_has(&to->attends, i))
                layer_set_add(&to->keeps, i);
        to->state = mls_bytes_less(shape->layers, to->full);
        if (to->full == 0 && !family_says(of, "only_states"))
            mls_config_refuse(of, of->type, "needs a member that selects the layers with attention");
    } else {
        const uint64_t each = mls_formula_value(of, "full_each", 0);
        to->cross = count_listed(of, "cross_attention_layers", shape, false, NULL);
        if (mls_config_member(of, "use_sliding_window") != NULL) {
            const uint64_t first = mls_config_number(of, "max_window_layers", 0);
            to->sliding = mls_config_flag(of, "use_sliding_window", false) ? mls_bytes_less(layers, first) : 0;
        } else if (mls_config_member(of, "hybrid_layer_pattern") != NULL) {
            to->sliding = count_listed(of, "hybrid_layer_pattern", shape, true, NULL);
        } else if (each != 0) {
            to->sliding = layers - layers / each;
        } else if (family_says(of, "slides")) {
            to->sliding = layers;
        }
        to->full = mls_bytes_less(layers - to->sliding, to->cross);
        to->apart |= to->cross > 0;
    }
    if (ADD(to->full, to->sliding, to->state, to->cross) != shape->layers)
        mls_config_refuse(of, "layer_types", "does not list every layer");
    to->state = family_says(of, "both") ? shape->layers : to->state;
    if (shape->sliding_window == 0) {
        to->full += to->sliding;
        to->full_shares += to->sliding_shares;
        to->sliding = to->sliding_shares = 0;
    }
}

/* ---------------------------------------------------------------- which layers have experts */

static void read_feed_forward(config_json *of, const mls_model_shape *shape, layer_counts *to)
{
    const cJSON *frequency = mls_config_member(of, "moe_layer_freq");
    const cJSON *flag = cJSON_IsArray(frequency) ? frequency->child : NULL;
    const uint64_t step = mls_formula_value(of, "expert_each", 1);
    const uint64_t period = cJSON_IsArray(frequency) ? 1 : mls_formula_value(of, "expert_period", 1);
    const uint64_t offset = mls_formula_value(of, "expert_layer_offset", 0);
    const uint64_t last = mls_formula_value(of, "last_expert", shape->layers);
    const cJSON *plain = mls_config_member(of, "mlp_only_layers");
    if (cJSON_GetArraySize(plain) > LISTED_MAX) {
        mls_config_refuse(of, plain->string, "is too long");
        return;
    }
    for (uint64_t i = 0; i < shape->layers; i++) {
        bool listed = false;
        for (const cJSON *item = cJSON_IsArray(plain) ? plain->child : NULL; item != NULL && !listed; item = item->next)
            listed = cJSON_IsNumber(item) && item->valuedouble >= (double)i && item->valuedouble <= (double)i;
        const bool expert =
            shape->experts > 0 && i >= shape->dense_layers && i < last && step != 0 && (i + 1) % step == 0 &&
            period != 0 && i % period == offset && !listed &&
            (!cJSON_IsArray(frequency) || (flag != NULL && cJSON_IsNumber(flag) && flag->valuedouble > 0));
        to->experts += expert;
        layer_set_add(expert ? &to->expert : &to->plain, i);
        flag = flag != NULL ? flag->next : NULL;
    }
    to->dense = shape->layers - to->experts;
    to->apart |= shape->experts > 0 && to->dense != shape->dense_layers;
}

/* ---------------------------------------------------------------- layers one by one
 *
 * block_configs, the result of an architecture search, lists for each layer its attention and the width of its
 * feed-forward.  A layer may lack either part. */

/* Return the member `name` of a block, or 0 if the block does not have it.  The number may have a fraction, such as
 * ffn_mult. */
static double block_number(config_json *of, const cJSON *block, const char *name)
{
    const cJSON *item = mls_item(block, name);
    if (item == NULL || cJSON_IsNull(item))
        return 0;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1e6)) {
        mls_config_refuse(of, name, "in block_configs is not a valid number");
        return 0;
    }
    return item->valuedouble;
}

static void read_blocks(config_json *of, const cJSON *blocks, mls_model_shape *shape)
{
    const uint64_t head_dim = shape->head_dim != 0 ? shape->head_dim : shape->hidden / shape->heads;
    const uint64_t linear =
        MUL(shape->hidden, ADD(shape->hidden, 1)); /* a linear layer that replaces a part, with its norm */
    const cJSON *block = cJSON_IsArray(blocks) ? blocks->child : NULL;
    uint64_t layers = 0;
    shape->counted =
        ADD(shape->hidden, MUL(shape->hidden, shape->vocabulary, shape->tied_embeddings == MLS_SAID_YES ? 1 : 2));
    for (; block != NULL && !of->wrong; block = block->next, layers++) {
        const cJSON *attention = mls_item(block, "attention");
        const cJSON *ffn = mls_item(block, "ffn");
        if (!cJSON_IsObject(attention) || !cJSON_IsObject(ffn)) {
            mls_config_refuse(of, "block_configs", "has a block without attention or ffn");
            return;
        }
        const uint64_t group = (uint64_t)block_number(of, attention, "n_heads_in_group");
        uint64_t kv_heads = (uint64_t)block_number(of, attention, "num_key_value_heads");
        kv_heads = kv_heads != 0 ? kv_heads : group != 0 ? shape->heads / group : 0;
        if (cJSON_IsTrue(mls_item(attention, "replace_with_linear")) && !cJSON_IsTrue(mls_item(attention, "no_op"))) {
            shape->counted = ADD(shape->counted, linear);
        } else if (!cJSON_IsTrue(mls_item(attention, "no_op"))) {
            size_t i = 0;
            if (kv_heads == 0 || block_number(of, attention, "window_length") > 0 ||
                block_number(of, attention, "num_sink_tokens") > 0)
                mls_config_refuse(of, "block_configs", "contains an unknown kind of attention");
            while (i < shape->cache_kinds && shape->caches[i].kv_heads != kv_heads)
                i++;
            if (i == MLS_LAYER_CACHES_MAX)
                mls_config_refuse(of, "block_configs", "contains too many kinds of attention");
            else if (i == shape->cache_kinds)
                shape->caches[shape->cache_kinds++] = (mls_layer_cache){1, kv_heads, MUL(2, head_dim), 0, 0};
            else
                shape->caches[i].layers++;
            shape->counted =
                ADD(shape->counted, MUL(2, shape->hidden, ADD(shape->heads, kv_heads), head_dim), shape->hidden);
        }
        /* The width of a feed-forward is two thirds of ffn_mult, rounded up to a multiple of 256. */
        const double multiple = block_number(of, ffn, "ffn_mult");
        uint64_t width = (uint64_t)block_number(of, ffn, "intermediate_size");
        const uint64_t two_thirds = (uint64_t)(2 * multiple * (double)mls_bytes_min(shape->hidden, MLS_BYTES_MAX) / 3);
        width = width != 0 ? width : MUL(256, mls_bytes_up(two_thirds, 256));
        if (cJSON_IsTrue(mls_item(ffn, "no_op")))
            continue;
        const bool replaced = cJSON_IsTrue(mls_item(ffn, "replace_with_linear"));
        if (!replaced && (width == 0 || cJSON_IsObject(mls_item(ffn, "moe"))))
            mls_config_refuse(of, "block_configs", "contains an unknown kind of feed-forward layer");
        shape->counted = ADD(shape->counted, replaced ? linear : MUL(shape->hidden, ADD(MUL(3, width), 1)));
    }
    if (layers != shape->layers)
        mls_config_refuse(of, "block_configs", "does not list every layer");
    if (shape->cache_kinds == 0) {
        shape->cache_kinds = 1; /* an entry for 0 layers: no layer has a KV cache */
        shape->caches[0].kv_heads = 1;
    }
}

/* ---------------------------------------------------------------- the whole model */

/* Return the number of parameters of a part of a layer: the value of the family's formula `name`, else `otherwise`. */
static uint64_t part(config_json *of, const char *name, uint64_t otherwise)
{
    return mls_formula_is_own(of, name) ? mls_formula_needed(of, name) : otherwise;
}

/* Return the number of parameters of attention in one layer of a kind of layers, which may have its own number of
 * heads. `full` is true for layers that attend to all tokens. */
static uint64_t attention_of(config_json *of, const mls_model_shape *kind, bool full)
{
    const mls_layer_parameters layer = mls_shape_layer(kind, 1, 1);
    of->shape = kind;
    of->given[0] = (struct config_given){"plain_attention", layer.attention};
    of->given[1] = (struct config_given){"is_full", full};
    of->given_count = 2;
    const uint64_t parameters = part(of, "attention_layer", layer.attention);
    of->given_count = 0;
    return parameters;
}

static mls_layer_cache cache_of(config_json *of, const mls_model_shape *kind, uint64_t layers, uint64_t window)
{
    of->shape = kind;
    return (mls_layer_cache){.layers = layers,
                             .kv_heads = kind->kv_lora_rank != 0 ? 1 : kind->kv_heads,
                             .width = mls_formula_value(of, "cache_width", 0),
                             .window = window};
}

/* The layers of a model whose KV cache has a window of uncompressed tokens, and entries for groups of tokens. */
typedef struct compressed_layers {
    uint64_t indexed; /* number of layers that select entries with an index; they compress four tokens */
    uint64_t others;  /* number of further layers with compressed entries */
    uint64_t tokens;  /* sum over these layers of the number of tokens that are compressed into one entry */
} compressed_layers;

/* Set the caches of a model of DeepSeek V4.  compress_ratios has the number of tokens per entry of each layer, and may
 * have further numbers for layers that predict tokens; 0: the layer has only the window. */
static compressed_layers read_compressed(config_json *of, const mls_model_shape *kind, mls_model_shape *shape)
{
    enum { INDEXED = 4 };
    compressed_layers counts = {0};
    const cJSON *list = mls_config_member(of, "compress_ratios");
    const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
    shape->caches[0] = cache_of(of, kind, shape->layers, shape->sliding_window);
    shape->cache_kinds = 1;
    for (uint64_t layer = 0; layer < shape->layers; layer++, item = item != NULL ? item->next : NULL) {
        const double ratio = cJSON_IsNumber(item) ? item->valuedouble : -1;
        const uint64_t tokens = ratio >= 0 && ratio <= UINT32_MAX ? (uint64_t)ratio : 0;
        size_t place = 1;
        while (place < shape->cache_kinds && shape->caches[place].tokens != tokens)
            place++;
        if (ratio < 0 || place == MLS_LAYER_CACHES_MAX) {
            mls_config_refuse(of, "compress_ratios", "does not list the number of tokens per entry of every layer");
            break;
        }
        if (tokens == 0)
            continue;
        if (place == shape->cache_kinds) {
            shape->caches[shape->cache_kinds] = cache_of(of, kind, 0, 0);
            shape->caches[shape->cache_kinds].tokens = tokens;
            shape->caches[shape->cache_kinds++].width +=
                tokens == INDEXED ? mls_formula_value(of, "index_head_dim", 0) : 0;
        }
        shape->caches[place].layers++;
        counts.indexed += tokens == INDEXED;
        counts.others += tokens != INDEXED;
        counts.tokens += tokens != INDEXED ? tokens : 0;
    }
    return counts;
}

/* Return the value of the formula `name`, a size of only one kind of layers; if it does not exist, return `usual`. */
static uint64_t own_size(config_json *of, const char *name, uint64_t usual)
{
    const uint64_t size = mls_formula_value(of, name, 0);
    return size != 0 ? size : usual;
}

void mls_config_read_layers(config_json *of, mls_model_shape *shape)
{
    enum { WALKED_MAX = 100000 };
    layer_counts counts = {0};
    if (shape->layers > WALKED_MAX || shape->heads == 0 || shape->hidden == 0)
        return; /* the missing value is reported later, with its name */
    if (family_says(of, "blocks")) {
        read_blocks(of, mls_config_member(of, "block_configs"), shape);
        return;
    }
    read_mixers(of, shape, &counts);
    if (!family_says(of, "pattern") && !family_says(of, "bare"))
        read_feed_forward(of, shape, &counts);
    if (of->wrong || shape->layers > WALKED_MAX)
        return;
    mls_model_shape m = *shape;
    mls_shape_complete(&m);
    mls_model_shape kinds[] = {m, m}; /* [0]: layers that attend to all tokens; [1]: to a window */
    kinds[0].kv_heads = own_size(of, "full_kv_heads", m.kv_heads);
    kinds[0].head_dim = own_size(of, "full_head_dim", m.head_dim);
    kinds[1].heads = own_size(of, "sliding_heads", m.heads);
    kinds[1].kv_heads = own_size(of, "sliding_kv_heads", m.kv_heads);
    kinds[1].head_dim = own_size(of, "sliding_head_dim", m.head_dim);
    kinds[1].value_head_dim = own_size(of, "sliding_value_head_dim", m.value_head_dim);
    counts.apart |= kinds[0].heads != kinds[1].heads || kinds[0].kv_heads != kinds[1].kv_heads ||
                    kinds[0].head_dim != kinds[1].head_dim;
    shape->attention_set = counts.attends;
    shape->state_set = counts.keeps;
    shape->expert_set = counts.expert;
    shape->dense_set = counts.plain;
    shape->sliding_layers = counts.sliding;
    shape->caches[0] = cache_of(of, &kinds[0], counts.full - counts.full_shares, 0);
    shape->caches[1] = cache_of(of, &kinds[1], counts.sliding - counts.sliding_shares, shape->sliding_window);
    shape->cache_kinds = 2;
    compressed_layers compressed = {0};
    if (family_says(of, "compressed"))
        compressed = read_compressed(of, &m, shape);
    if (family_says(of, "encoder"))
        shape->caches[0].layers = shape->caches[1].layers = 0;
    static const char *const parts[] = {"parameters", "attention_layer", "dense_layer", "expert_layer", "ends"};
    bool own = false; /* the family has a formula of its own for a part */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        own |= mls_formula_is_own(of, parts[i]);
    if (counts.apart || counts.state > 0 || family_says(of, "pattern") || own) {
        const mls_layer_parameters layer = mls_shape_layer(&m, 1, 1);
        const uint64_t attention =
            ADD(MUL(counts.full, counts.full == 0 ? 0 : attention_of(of, &kinds[0], true)),
                MUL(counts.sliding, counts.sliding == 0 ? 0 : attention_of(of, &kinds[1], false)));
        const struct config_given given[] = {{"plain_dense", layer.dense},
                                             {"plain_experts", ADD(layer.routed, layer.shared)},
                                             {"tied", m.tied_embeddings == MLS_SAID_YES},
                                             {"sliding_layers", counts.sliding},
                                             {"state_layers", counts.state},
                                             {"cross_layers", counts.cross},
                                             {"full_shares", counts.full_shares},
                                             {"sliding_shares", counts.sliding_shares},
                                             {"indexed_layers", compressed.indexed},
                                             {"compressed_layers", compressed.others},
                                             {"compressed_tokens", compressed.tokens}};
        of->shape = &m;
        memcpy(of->given, given, sizeof given);
        of->given_count = sizeof given / sizeof *given;
        shape->counted =
            mls_formula_is_own(of, "parameters")
                ? mls_formula_needed(of, "parameters")
                : ADD(attention, MUL(counts.state, counts.state > 0 ? mls_formula_needed(of, "state_layer") : 0),
                      MUL(counts.cross, counts.cross > 0 ? mls_formula_needed(of, "cross_layer") : 0),
                      MUL(counts.dense, counts.dense > 0 ? part(of, "dense_layer", layer.dense) : 0),
                      MUL(counts.experts, counts.experts > 0 ? part(of, "expert_layer", given[1].number) : 0),
                      MUL(m.layers, layer.norms), mls_formula_needed(of, "ends"));
        shape->attention_layers = counts.full + counts.sliding;
        shape->state_layers = counts.state;
        shape->expert_layers = counts.experts;
        shape->plain_layers = counts.dense;
        shape->counted =
            counts.apart || counts.state > 0 || shape->counted != mls_shape_parameters(&m) ? shape->counted : 0;
        shape->state_bytes = ADD(MUL(counts.state, counts.state > 0 ? mls_formula_needed(of, "state_bytes") : 0),
                                 mls_formula_value(of, "fixed_bytes", 0));
    }
    of->shape = NULL;
    of->given_count = 0;
}

/* ---------------------------------------------------------------- towers */

void mls_towers_read(config_json *of, const cJSON *table, mls_model_shape *shape, mls_memory_doubt *doubt)
{
    static const char *const parts[] = {"vision_config",   "audio_config", "img_processor",   "visual",
                                        "audio_processor", "embd_layer",   "mm_vision_tower", "speech_config"};
    static const char *const depths[] = {"model_type", "model_name",     "num_hidden_layers",
                                         "depth",      "encoder_layers", "layers"};
    const char *whole = cJSON_GetStringValue(mls_item(of->outer, "model_type"));
    const cJSON *projectors = mls_item(table, "projectors");
    mls_model_shape language = *shape;
    if (shape->heads == 0 || of->family == NULL || of->wrong || mls_formula_value(of, "whole", 0) != 0)
        return;
    mls_shape_complete(&language);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const cJSON *part = mls_item(of->outer, parts[i]);
        if (!cJSON_IsObject(part) && !cJSON_IsString(part))
            continue;
        /* The kind of a tower is its model_type or, if that is missing, the name of a published model. */
        const char *kind = cJSON_GetStringValue(mls_item(part, "model_type"));
        kind = kind != NULL ? kind : cJSON_GetStringValue(mls_item(part, "model_name"));
        kind = kind != NULL ? kind : whole != NULL ? whole : "";
        /* Do not apply the defaults of the class if the file contains only the width of the tower. */
        bool enough = false;
        for (size_t k = 0; k < sizeof depths / sizeof *depths; k++)
            enough |= cJSON_HasObjectItem(part, depths[k]);
        config_json tower = {.outer = part, .formulas = of->formulas, .error = of->error};
        tower.family = mls_row_of_type(mls_item(table, "towers"), mls_str_from(kind));
        if (!enough || tower.family == NULL || whole == NULL || !cJSON_HasObjectItem(projectors, whole)) {
            mls_doubt_add(doubt, "the language part alone is counted: %s has parameters that come on top", parts[i]);
            continue;
        }
        tower.defaults = mls_item(tower.family, "defaults");
        config_json join = *of;
        join.family = projectors;
        join.shape = &language;
        join.given[0] = (struct config_given){"tower_out", mls_formula_needed(&tower, "out")};
        join.given[1] = (struct config_given){"tower_ffn", mls_formula_value(&tower, "ffn", 0)};
        join.given_count = 2;
        shape->tower_parameters =
            ADD(shape->tower_parameters, mls_formula_needed(&tower, "parameters"), mls_formula_needed(&join, whole));
        of->wrong |= tower.wrong || join.wrong;
    }
}
