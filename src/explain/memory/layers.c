/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - models as a stack of layers that need not be alike: which of them attend to all tokens, to a window, to
 * pictures or to none, which keep a state of fixed size, which have experts, and what they all have together. */
#include <string.h>

#include "explain/memory/blocks.h"
#include "explain/memory/formula.h"

/* The longest list that is searched for each layer. */
enum { LISTED_MAX = 1000 };

typedef struct layer_counts {
    uint64_t full, sliding, state, cross; /* how a layer mixes tokens; cross: it attends to what is beside them */
    uint64_t full_shares, sliding_shares; /* of these, those that use the keys and values of an earlier layer */
    uint64_t dense, experts;              /* its feed-forward */
    bool apart;                           /* they are not alike */
    mls_layer_set attends, keeps, expert, plain; /* which they are, as far as it is known */
} layer_counts;

/* Whether the family says so of all its models. */
static bool family_says(config_json *of, const char *name)
{
    return mls_formula_value(of, name, 0) != 0;
}

/* ---------------------------------------------------------------- how layers mix tokens */

/* shares: it has no keys and values of its own. */
static bool add_mixer(config_json *of, mls_str word, bool shares, uint64_t layer, layer_counts *to)
{
    const bool slides = mls_str_among(word, "sliding_attention chunked_attention") ||
                        (mls_str_among(word, "attention") && family_says(of, "slides"));
    if (!slides && mls_str_among(word, "full_attention attention *")) {
        to->full++;
        to->full_shares += shares;
        mls_layer_set_add(&to->attends, layer);
    } else if (slides) {
        to->sliding++;
        to->sliding_shares += shares;
        mls_layer_set_add(&to->attends, layer);
    } else if (mls_str_among(word, "linear_attention mamba M conv recurrent") && of->state != NULL) {
        to->state++;
        mls_layer_set_add(&to->keeps, layer);
    } else {
        return false;
    }
    return true;
}

static void read_layer_types(config_json *of, const cJSON *types, const mls_model_shape *shape, layer_counts *to)
{
    const uint64_t shared = mls_config_number(of, "num_kv_shared_layers", 0);
    uint64_t layer = 0;
    for (const cJSON *type = cJSON_IsArray(types) ? types->child : NULL; type != NULL; type = type->next) {
        const bool shares = layer >= mls_bytes_less(shape->layers, shared);
        if (!cJSON_IsString(type) || !add_mixer(of, mls_str_from(type->valuestring), shares, layer, to)) {
            mls_config_refuse(of, types->string, "has a kind of layer that is not known");
            return;
        }
        layer++;
    }
    to->apart |= to->full_shares + to->sliding_shares > 0;
}

/* A list of kinds that is repeated until each layer has one. */
static void read_repeated(config_json *of, const cJSON *kinds, const mls_model_shape *shape, layer_counts *to)
{
    const cJSON *kind = cJSON_IsArray(kinds) ? kinds->child : NULL;
    for (uint64_t i = 0; i < shape->layers; i++) {
        const char *word = kind != NULL ? cJSON_GetStringValue(kind) : NULL;
        if (word == NULL || !add_mixer(of, mls_str_from(word), false, i, to)) {
            mls_config_refuse(of, kinds->string, "has a kind of layer that is not known");
            return;
        }
        kind = kind->next != NULL ? kind->next : kinds->child;
    }
}

/* Nemotron-H: each layer is one thing, an attention, a state, a feed-forward or experts. */
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
            mls_layer_set_add(&to->plain, layers);
        } else if (mls_str_among(name, "E moe")) {
            to->experts++;
            mls_layer_set_add(&to->expert, layers);
        } else if (!add_mixer(of, name, false, layers, to)) {
            mls_config_refuse(of, "hybrid_override_pattern or layers_block_type", "has a layer that is not known");
            return;
        }
        item = pattern == NULL ? item->next : NULL;
    }
    shape->layers = shape->layers != 0 ? shape->layers : layers;
    if (layers == 0 || layers != shape->layers) {
        mls_config_refuse(of, "hybrid_override_pattern or layers_block_type", "does not name each layer");
    }
}

/* Lists of a number for each layer (1: it attends, or slides), or of the numbers of some layers, from 0 or 1 on. */
static uint64_t count_listed(config_json *of, const char *names, const mls_model_shape *shape, bool flags)
{
    const cJSON *list = mls_config_member(of, names);
    uint64_t count = 0;
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next) {
        count += cJSON_IsNumber(item) && (!flags || item->valuedouble > 0);
    }
    if (list != NULL && (!cJSON_IsArray(list) || count > shape->layers)) {
        mls_config_refuse(of, list->string, "does not say which layers are of its kind");
    }
    return count;
}

/* Layers of which each `period`-th, from `offset` on, is of its kind. */
static uint64_t layers_each(uint64_t layers, uint64_t period, uint64_t offset)
{
    return period == 0 || offset >= layers ? 0 : 1 + (layers - 1 - offset) / period;
}

static void read_windows(config_json *of, const mls_model_shape *shape, layer_counts *to)
{
    const uint64_t each = mls_formula_value(of, "full_each", 0);
    const uint64_t layers = shape->layers;
    if (mls_config_member(of, "use_sliding_window") != NULL) {
        const uint64_t first = mls_config_number(of, "max_window_layers", 0);
        to->sliding = mls_config_flag(of, "use_sliding_window", false) ? mls_bytes_less(layers, first) : 0;
    } else if (mls_config_member(of, "hybrid_layer_pattern") != NULL) {
        to->sliding = count_listed(of, "hybrid_layer_pattern", shape, true);
    } else if (each != 0) {
        to->sliding = layers - layers / each;
    } else if (family_says(of, "slides")) {
        to->sliding = layers;
    }
    to->full = layers - to->sliding;
}

/* Note the layers that a list of their numbers, from `from` on, or a list of a flag for each of them has. */
static void note_listed(const cJSON *list, bool flags, uint64_t from, mls_layer_set *set)
{
    uint64_t i = 0;
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next, i++) {
        if (cJSON_IsNumber(item) && item->valuedouble >= (double)(flags ? 1 : from) &&
            item->valuedouble < MLS_LAYER_SET_MAX) {
            mls_layer_set_add(set, flags ? i : (uint64_t)item->valuedouble - from);
        }
    }
}

/* Hybrids that say which layers attend; the others keep a state. */
static uint64_t attending(config_json *of, const mls_model_shape *shape, mls_layer_set *set)
{
    const char *const indices = "attn_layer_indices full_attn_idxs";
    const cJSON *linear = mls_config_member(of, "linear_attn_config");
    const cJSON *listed = linear != NULL ? cJSON_GetObjectItemCaseSensitive(linear, "full_attn_layers") : NULL;
    if (linear != NULL) {
        note_listed(listed, false, 1, set);
        return (uint64_t)cJSON_GetArraySize(listed);
    }
    if (mls_config_member(of, "attn_type_list") != NULL) {
        note_listed(mls_config_member(of, "attn_type_list"), true, 0, set);
        return count_listed(of, "attn_type_list", shape, true);
    }
    if (mls_config_member(of, indices) != NULL) {
        note_listed(mls_config_member(of, indices), false, 0, set);
        return count_listed(of, indices, shape, false);
    }
    const uint64_t period = mls_formula_value(of, "attends_each", 0);
    const uint64_t offset = mls_formula_value(of, "attends_from", 0);
    for (uint64_t i = offset; i < mls_bytes_min(shape->layers, MLS_LAYER_SET_MAX) && period != 0; i += period) {
        mls_layer_set_add(set, i);
    }
    return layers_each(shape->layers, period, offset);
}

static void read_mixers(config_json *of, mls_model_shape *shape, layer_counts *to)
{
    const cJSON *types = mls_config_member(of, "layer_types");
    const cJSON *repeated = mls_config_member(of, "block_types _block_types");
    if (family_says(of, "pattern")) {
        read_layer_blocks(of, shape, to);
        to->apart = true;
        return;
    }
    if (types != NULL) {
        read_layer_types(of, types, shape, to);
    } else if (repeated != NULL && of->state != NULL) {
        read_repeated(of, repeated, shape, to);
    } else if (of->state != NULL && !family_says(of, "both")) {
        to->full = attending(of, shape, &to->attends);
        for (uint64_t i = 0; i < mls_bytes_min(shape->layers, MLS_LAYER_SET_MAX); i++) {
            if (!mls_layer_set_has(&to->attends, i)) {
                mls_layer_set_add(&to->keeps, i);
            }
        }
        to->state = mls_bytes_less(shape->layers, to->full);
        if (to->full == 0 && !family_says(of, "only_states")) {
            mls_config_refuse(of, of->type, "does not say which of its layers attend");
        }
    } else {
        to->cross = count_listed(of, "cross_attention_layers", shape, false);
        read_windows(of, shape, to);
        to->full = mls_bytes_less(to->full, to->cross);
        to->apart |= to->cross > 0;
    }
    if (ADD(to->full, to->sliding, to->state, to->cross) != shape->layers) {
        mls_config_refuse(of, "layer_types", "does not name each layer");
    }
    to->state = family_says(of, "both") ? shape->layers : to->state;
    if (shape->sliding_window == 0) {
        to->full += to->sliding;
        to->full_shares += to->sliding_shares;
        to->sliding = to->sliding_shares = 0;
    }
}

/* ---------------------------------------------------------------- which have experts */

static bool is_listed(const cJSON *list, uint64_t layer)
{
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next) {
        if (cJSON_IsNumber(item) && item->valuedouble >= (double)layer && item->valuedouble <= (double)layer) {
            return true;
        }
    }
    return false;
}

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
        mls_config_refuse(of, plain->string, "is longer than that of any model");
        return;
    }
    for (uint64_t i = 0; i < shape->layers; i++) {
        const bool expert =
            shape->experts > 0 && i >= shape->dense_layers && i < last && step != 0 && (i + 1) % step == 0 &&
            period != 0 && i % period == offset && !is_listed(plain, i) &&
            (!cJSON_IsArray(frequency) || (flag != NULL && cJSON_IsNumber(flag) && flag->valuedouble > 0));
        to->experts += expert;
        mls_layer_set_add(expert ? &to->expert : &to->plain, i);
        flag = flag != NULL ? flag->next : NULL;
    }
    to->dense = shape->layers - to->experts;
    to->apart |= shape->experts > 0 && to->dense != shape->dense_layers;
}

/* ---------------------------------------------------------------- all of them together */

/* Parameters of a part of a layer: by the formula of its family, else as the shape has it. */
static uint64_t part(config_json *of, const char *name, uint64_t otherwise)
{
    return mls_formula_is_own(of, name) ? mls_formula_needed(of, name) : otherwise;
}

/* Attention in layers of a kind, whose heads may be of their own. */
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

static uint64_t count_all(config_json *of, const mls_model_shape *m, const mls_model_shape kinds[2],
                          const layer_counts *counts)
{
    const mls_layer_parameters layer = mls_shape_layer(m, 1, 1);
    const uint64_t attention = ADD(MUL(counts->full, counts->full == 0 ? 0 : attention_of(of, &kinds[0], true)),
                                   MUL(counts->sliding, counts->sliding == 0 ? 0 : attention_of(of, &kinds[1], false)));
    const struct config_given given[] = {{"plain_dense", layer.dense},
                                         {"plain_experts", ADD(layer.routed, layer.shared)},
                                         {"tied", m->tied_embeddings == MLS_SAID_YES},
                                         {"sliding_layers", counts->sliding},
                                         {"state_layers", counts->state},
                                         {"cross_layers", counts->cross},
                                         {"full_shares", counts->full_shares},
                                         {"sliding_shares", counts->sliding_shares}};
    of->shape = m;
    memcpy(of->given, given, sizeof given);
    of->given_count = sizeof given / sizeof *given;
    if (mls_formula_is_own(of, "parameters")) {
        return mls_formula_needed(of, "parameters");
    }
    return ADD(attention, MUL(counts->state, counts->state > 0 ? mls_formula_needed(of, "state_layer") : 0),
               MUL(counts->cross, counts->cross > 0 ? mls_formula_needed(of, "cross_layer") : 0),
               MUL(counts->dense, counts->dense > 0 ? part(of, "dense_layer", layer.dense) : 0),
               MUL(counts->experts, counts->experts > 0 ? part(of, "expert_layer", given[1].number) : 0),
               MUL(m->layers, layer.norms), mls_formula_needed(of, "ends"));
}

/* Whether its family counts a part in a way of its own. */
static bool has_own_parts(const config_json *of)
{
    static const char *const parts[] = {"parameters", "attention_layer", "dense_layer", "expert_layer", "ends"};
    bool has = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        has |= mls_formula_is_own(of, parts[i]);
    }
    return has;
}

static mls_layer_cache cache_of(config_json *of, const mls_model_shape *kind, uint64_t layers, uint64_t window)
{
    of->shape = kind;
    return (mls_layer_cache){.layers = layers,
                             .kv_heads = kind->kv_lora_rank != 0 ? 1 : kind->kv_heads,
                             .width = mls_formula_value(of, "cache_width", 0),
                             .window = window};
}

/* The layers of a complete shape, with all tokens and with a window; whether these have heads of their own. */
static bool read_kinds(config_json *of, const mls_model_shape *m, mls_model_shape kinds[2])
{
    kinds[0] = kinds[1] = *m;
    kinds[0].kv_heads = mls_formula_value(of, "full_kv_heads", 0);
    kinds[0].head_dim = mls_formula_value(of, "full_head_dim", 0);
    kinds[1].heads = mls_formula_value(of, "sliding_heads", 0);
    kinds[1].kv_heads = mls_formula_value(of, "sliding_kv_heads", 0);
    kinds[1].head_dim = mls_formula_value(of, "sliding_head_dim", 0);
    kinds[1].value_head_dim = mls_formula_value(of, "sliding_value_head_dim", 0);
    for (size_t i = 0; i < 2; i++) {
        kinds[i].heads = kinds[i].heads != 0 ? kinds[i].heads : m->heads;
        kinds[i].kv_heads = kinds[i].kv_heads != 0 ? kinds[i].kv_heads : m->kv_heads;
        kinds[i].head_dim = kinds[i].head_dim != 0 ? kinds[i].head_dim : m->head_dim;
        kinds[i].value_head_dim = kinds[i].value_head_dim != 0 ? kinds[i].value_head_dim : m->value_head_dim;
    }
    return kinds[0].heads != kinds[1].heads || kinds[0].kv_heads != kinds[1].kv_heads ||
           kinds[0].head_dim != kinds[1].head_dim;
}

void mls_config_read_layers(config_json *of, mls_model_shape *shape)
{
    enum { WALKED_MAX = 100000 };
    layer_counts counts = {0};
    if (shape->layers > WALKED_MAX || shape->heads == 0 || shape->hidden == 0) {
        return; /* refused later, by the name of what is missing or absurd */
    }
    if (family_says(of, "blocks")) {
        mls_config_read_blocks(of, mls_config_member(of, "block_configs"), shape);
        return;
    }
    read_mixers(of, shape, &counts);
    if (!family_says(of, "pattern") && !family_says(of, "bare")) {
        read_feed_forward(of, shape, &counts);
    }
    if (of->wrong || shape->layers > WALKED_MAX) {
        return;
    }
    mls_model_shape m = *shape;
    mls_model_shape kinds[2];
    mls_shape_complete(&m);
    counts.apart |= read_kinds(of, &m, kinds);
    shape->attention_set = counts.attends;
    shape->state_set = counts.keeps;
    shape->expert_set = counts.expert;
    shape->dense_set = counts.plain;
    shape->sliding_layers = counts.sliding;
    shape->caches[0] = cache_of(of, &kinds[0], counts.full - counts.full_shares, 0);
    shape->caches[1] = cache_of(of, &kinds[1], counts.sliding - counts.sliding_shares, shape->sliding_window);
    shape->cache_kinds = 2;
    if (family_says(of, "encoder")) {
        shape->caches[0].layers = shape->caches[1].layers = 0;
    }
    if (counts.apart || counts.state > 0 || family_says(of, "pattern") || has_own_parts(of)) {
        shape->counted = count_all(of, &m, kinds, &counts);
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
