/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - models whose layers are not alike: which of them attend to all tokens, to a window or to none, which keep
 * a state of fixed size, which have experts, and what they all have together. */
#include <string.h>

#include "memory/config_json.h"

/* The longest list that is searched for each layer. */
enum { LISTED_MAX = 1000 };

typedef struct layer_counts {
    uint64_t full, sliding, state; /* how a layer mixes tokens */
    uint64_t dense, experts;       /* its feed-forward */
    uint64_t norms;
    bool apart; /* they are not alike */
} layer_counts;

/* What a layer that keeps a state is made of, and the bytes that it keeps for each user. */
typedef struct state_layer {
    uint64_t parameters, bytes;
} state_layer;

static const char *state_kind(const config_json *of)
{
    return mls_config_words(of, "state");
}

static bool kind_is(const config_json *of, const char *kind)
{
    return strcmp(state_kind(of), kind) == 0;
}

/* Bytes of a number of a state: those that the file names, else 2. */
static uint64_t state_width(const config_json *of)
{
    const char *type = cJSON_GetStringValue(mls_config_member(of, "mamba_ssm_cache_dtype mamba_ssm_dtype"));
    return type != NULL && strcmp(type, "float32") == 0 ? 4 : 2;
}

static state_layer mamba2_layer(config_json *of, uint64_t hidden)
{
    const uint64_t heads = mls_config_number(of, "mamba_num_heads mamba_n_heads num_heads", 0);
    const uint64_t width = MUL(heads, mls_config_number(of, "mamba_head_dim mamba_d_head head_dim", 0));
    const uint64_t size = mls_config_number(of, "ssm_state_size mamba_d_state state_size", 0);
    const uint64_t groups = MUL(2, mls_config_number(of, "mamba_n_groups n_groups", 1), size);
    const uint64_t kernel = mls_config_number(of, "conv_kernel mamba_d_conv", 4);
    const uint64_t convolved = ADD(width, groups);
    if (width == 0 || size == 0) {
        mls_config_refuse(of, of->type, "needs the heads of its Mamba layers, their width and their state's size");
    }
    return (state_layer){.parameters = ADD(MUL(hidden, ADD(MUL(2, width), groups, heads)),
                                           MUL(convolved, ADD(kernel, 1)), MUL(3, heads), width, MUL(width, hidden)),
                         .bytes = ADD(MUL(width, size, state_width(of)), MUL(convolved, mls_bytes_less(kernel, 1), 2))};
}

static state_layer mamba1_layer(config_json *of, uint64_t hidden)
{
    const uint64_t width = MUL(hidden, mls_config_number(of, "mamba_expand expand", 2));
    const uint64_t size = mls_config_number(of, "mamba_d_state state_size", 16);
    const uint64_t kernel = mls_config_number(of, "mamba_d_conv conv_kernel", 4);
    const uint64_t rank = mls_config_number(of, "mamba_dt_rank time_step_rank", mls_bytes_up(hidden, 16));
    const uint64_t inner = ADD(rank, MUL(2, size));
    return (state_layer){.parameters = ADD(MUL(3, hidden, width), MUL(width, ADD(kernel, 1)), MUL(width, inner),
                                           MUL(ADD(rank, 1), width), MUL(ADD(size, 1), width), inner),
                         .bytes = ADD(MUL(width, size, state_width(of)), MUL(width, mls_bytes_less(kernel, 1), 2))};
}

/* The gated delta rule of Qwen3-Next and Qwen3.5. */
static state_layer delta_layer(config_json *of, uint64_t hidden)
{
    const uint64_t heads = mls_config_number(of, "linear_num_value_heads", 32);
    const uint64_t key_dim = mls_config_number(of, "linear_key_head_dim", 128);
    const uint64_t value_dim = mls_config_number(of, "linear_value_head_dim", 128);
    const uint64_t kernel = mls_config_number(of, "linear_conv_kernel_dim", 4);
    const uint64_t value = MUL(heads, value_dim);
    const uint64_t convolved = ADD(MUL(2, mls_config_number(of, "linear_num_key_heads", 16), key_dim), value);
    return (state_layer){
        .parameters = ADD(MUL(hidden, ADD(convolved, value, MUL(2, heads))), MUL(convolved, kernel), MUL(2, heads),
                          value_dim, MUL(value, hidden)),
        .bytes = ADD(MUL(heads, key_dim, value_dim, state_width(of)), MUL(convolved, mls_bytes_less(kernel, 1), 2))};
}

/* Kimi's delta attention, of the members of linear_attn_config. */
static state_layer kimi_layer(config_json *of, uint64_t hidden)
{
    config_json linear = {.outer = mls_config_member(of, "linear_attn_config"), .error = of->error};
    const uint64_t heads = mls_config_number(&linear, "num_heads", 0);
    const uint64_t dim = mls_config_number(&linear, "head_dim", 0);
    const uint64_t kernel = mls_config_number(&linear, "short_conv_kernel_size", 4);
    const uint64_t width = MUL(heads, dim);
    of->wrong |= linear.wrong;
    if (width == 0) {
        mls_config_refuse(of, "linear_attn_config", "does not say what its layers are made of");
    }
    return (state_layer){.parameters = ADD(MUL(4, hidden, width), MUL(3, width, kernel), MUL(2, hidden, dim),
                                           MUL(2, dim, width), MUL(hidden, heads), heads, width, dim),
                         .bytes = ADD(MUL(width, dim, 4), MUL(3, width, mls_bytes_less(kernel, 1), 2))};
}

/* Lightning attention of MiniMax: queries, keys, values, a gate, the output. */
static state_layer lightning_layer(const mls_model_shape *m)
{
    const uint64_t dim = m->head_dim != 0 ? m->head_dim : m->heads != 0 ? m->hidden / m->heads : 0;
    const uint64_t width = MUL(m->heads, dim);
    return (state_layer){.parameters = ADD(MUL(5, m->hidden, width), width), .bytes = MUL(width, dim, 4)};
}

static state_layer state_layer_of(config_json *of, const mls_model_shape *m)
{
    return kind_is(of, "mamba2")      ? mamba2_layer(of, m->hidden)
           : kind_is(of, "mamba1")    ? mamba1_layer(of, m->hidden)
           : kind_is(of, "delta")     ? delta_layer(of, m->hidden)
           : kind_is(of, "kimi")      ? kimi_layer(of, m->hidden)
           : kind_is(of, "lightning") ? lightning_layer(m)
                                      : (state_layer){0};
}

/* ---------------------------------------------------------------- how layers mix tokens */

static bool add_mixer(config_json *of, mls_str word, layer_counts *to)
{
    if (mls_str_among(word, "full_attention attention *")) {
        to->full++;
    } else if (mls_str_among(word, "sliding_attention chunked_attention")) {
        to->sliding++;
    } else if (mls_str_among(word, "linear_attention mamba M") && state_kind(of)[0] != '\0') {
        to->state++;
    } else {
        return false;
    }
    return true;
}

static void read_layer_types(config_json *of, const cJSON *types, layer_counts *to)
{
    for (const cJSON *type = cJSON_IsArray(types) ? types->child : NULL; type != NULL; type = type->next) {
        if (!cJSON_IsString(type) || !add_mixer(of, mls_str_from(type->valuestring), to)) {
            mls_config_refuse(of, types->string, "has a kind of layer that is not known");
            return;
        }
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
        } else if (mls_str_among(name, "E moe")) {
            to->experts++;
        } else if (!add_mixer(of, name, to)) {
            mls_config_refuse(of, "hybrid_override_pattern or layers_block_type", "has a layer that is not known");
            return;
        }
        item = pattern == NULL ? item->next : NULL;
    }
    shape->layers = shape->layers != 0 ? shape->layers : layers;
    to->norms = layers;
    if (layers == 0 || layers != shape->layers) {
        mls_config_refuse(of, "hybrid_override_pattern or layers_block_type", "does not name each layer");
    }
}

/* MiniMax's list of 0 and 1, and Kimi's list of the layers that attend. */
static void read_attending(config_json *of, const mls_model_shape *shape, layer_counts *to)
{
    const cJSON *linear = mls_config_member(of, "linear_attn_config");
    const cJSON *list = linear != NULL ? cJSON_GetObjectItemCaseSensitive(linear, "full_attn_layers")
                                       : mls_config_member(of, "attn_type_list");
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next) {
        to->full += cJSON_IsNumber(item) && (linear != NULL || item->valuedouble > 0);
    }
    if (to->full == 0 || to->full > shape->layers) {
        mls_config_refuse(of, of->type, "does not say which of its layers attend");
    }
    to->state = mls_bytes_less(shape->layers, to->full);
}

/* Layers of which each `period`-th, from `offset` on, is of its kind. */
static uint64_t layers_each(uint64_t layers, uint64_t period, uint64_t offset)
{
    return period == 0 || offset >= layers ? 0 : 1 + (layers - 1 - offset) / period;
}

static void read_windows(config_json *of, const mls_model_shape *shape, layer_counts *to)
{
    const uint64_t each =
        mls_config_number(of, mls_config_words(of, "full_each_key"), mls_config_trait(of, "full_each", 0));
    const uint64_t layers = shape->layers;
    if (mls_config_member(of, "use_sliding_window") != NULL) {
        const uint64_t first = mls_config_number(of, "max_window_layers", 0);
        to->sliding = mls_config_flag(of, "use_sliding_window", false) ? mls_bytes_less(layers, first) : 0;
    } else if (each != 0) {
        to->sliding = layers - layers / each;
    } else if (mls_config_trait(of, "slides", 0) != 0) {
        to->sliding = layers;
    }
    to->full = layers - to->sliding;
}

static void read_mixers(config_json *of, mls_model_shape *shape, layer_counts *to)
{
    const cJSON *types = mls_config_member(of, "layer_types");
    if (mls_config_trait(of, "pattern", 0) != 0) {
        read_layer_blocks(of, shape, to);
    } else if (types != NULL) {
        read_layer_types(of, types, to);
    } else if (kind_is(of, "delta")) {
        const uint64_t each = mls_config_number(of, "full_attention_interval", 4);
        to->full = each != 0 ? shape->layers / each : 0;
        to->state = shape->layers - to->full;
    } else if (kind_is(of, "mamba1")) {
        to->full = layers_each(shape->layers, mls_config_number(of, "attn_layer_period", 8),
                               mls_config_number(of, "attn_layer_offset", 4));
        to->state = shape->layers - to->full;
    } else if (kind_is(of, "kimi") || kind_is(of, "lightning")) {
        read_attending(of, shape, to);
    } else if (kind_is(of, "mamba2") && mls_config_trait(of, "both", 0) == 0) {
        to->state = shape->layers;
    } else {
        read_windows(of, shape, to);
    }
    if (mls_config_trait(of, "pattern", 0) == 0 && ADD(to->full, to->sliding, to->state) != shape->layers) {
        mls_config_refuse(of, "layer_types", "does not name each layer");
    }
    to->state = mls_config_trait(of, "both", 0) != 0 ? shape->layers : to->state;
    if (shape->sliding_window == 0) {
        to->full += to->sliding;
        to->sliding = 0;
    }
}

/* ---------------------------------------------------------------- which have experts */

/* Layers whose index is in a list that the file has of those that are dense. */
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
    const uint64_t step = mls_config_number(of, "interleave_moe_layer_step decoder_sparse_step moe_layer_interval", 1);
    const uint64_t period =
        cJSON_IsArray(frequency) ? 1 : mls_config_number(of, "moe_layer_freq expert_layer_period", 1);
    const uint64_t offset = mls_config_number(of, "expert_layer_offset", 0);
    const cJSON *plain = mls_config_member(of, "mlp_only_layers");
    if (cJSON_GetArraySize(plain) > LISTED_MAX) {
        mls_config_refuse(of, plain->string, "is longer than that of any model");
        return;
    }
    for (uint64_t i = 0; i < shape->layers; i++) {
        const bool expert =
            shape->experts > 0 && i >= shape->dense_layers && step != 0 && (i + 1) % step == 0 && period != 0 &&
            i % period == offset && !is_listed(plain, i) &&
            (!cJSON_IsArray(frequency) || (flag != NULL && cJSON_IsNumber(flag) && flag->valuedouble > 0));
        to->experts += expert;
        flag = flag != NULL ? flag->next : NULL;
    }
    to->dense = shape->layers - to->experts;
    to->apart |= shape->experts > 0 && to->dense != shape->dense_layers;
}

/* ---------------------------------------------------------------- all of them together */

/* Layers without a feed-forward, such as Mamba's. */
static bool is_bare(const config_json *of)
{
    return mls_config_trait(of, "bare", 0) != 0;
}

static uint64_t expert_layer(config_json *of, const mls_model_shape *m, const mls_layer_parameters *layer)
{
    const uint64_t width = mls_config_number(of, "moe_latent_size", 0);
    const uint64_t shared = mls_config_number(of, "moe_shared_expert_intermediate_size", 0);
    if (width == 0) {
        return ADD(layer->routed, layer->shared, MUL(m->ffn_matrices, m->hidden, shared));
    }
    return ADD(MUL(m->experts, m->ffn_matrices, width, m->expert_ffn), MUL(2, m->hidden, width),
               MUL(m->ffn_matrices, m->hidden, shared), MUL(ADD(m->hidden, 1), m->experts));
}

static uint64_t count_all(config_json *of, const mls_model_shape *shape, const layer_counts *counts)
{
    mls_model_shape m = *shape;
    state_layer state = state_layer_of(of, shape);
    mls_shape_complete(&m);
    const mls_layer_parameters sliding = mls_shape_layer(&m, 1, 1);
    mls_model_shape other = m;
    other.kv_heads = m.full_kv_heads != 0 ? m.full_kv_heads : m.kv_heads;
    other.head_dim = m.full_head_dim != 0 ? m.full_head_dim : m.head_dim;
    const mls_layer_parameters full = mls_shape_layer(&other, 1, 1);
    const uint64_t query = mls_config_trait(of, "gated_query", 0) != 0 ? MUL(m.hidden, m.heads, m.head_dim) : 0;
    const bool alike = mls_config_flag(of, "attention_k_eq_v", false);
    const uint64_t once = alike ? MUL(other.hidden, other.kv_heads, other.head_dim) : 0;
    const uint64_t both = mls_config_trait(of, "dense_too", 0) != 0 ? counts->experts : 0;
    return ADD(MUL(counts->full, ADD(mls_bytes_less(full.attention, once), query)),
               MUL(counts->sliding, sliding.attention), MUL(counts->state, state.parameters),
               MUL(ADD(counts->dense, both), sliding.dense), MUL(counts->experts, expert_layer(of, &m, &sliding)),
               MUL(counts->norms, m.norm_vectors, m.hidden), MUL(m.norm_vectors, m.hidden),
               MUL(m.hidden, m.vocabulary, m.tied_embeddings == MLS_SAID_YES ? 1 : 2), MUL(m.positions, m.hidden));
}

void mls_config_read_layers(config_json *of, mls_model_shape *shape)
{
    enum { WALKED_MAX = 100000 };
    layer_counts counts = {.norms = MUL(2, shape->layers)};
    if (shape->layers > WALKED_MAX || shape->heads == 0 || shape->hidden == 0) {
        return; /* refused later, by the name of what is missing or absurd */
    }
    read_mixers(of, shape, &counts);
    if (is_bare(of)) {
        counts.norms = shape->layers;
    } else if (mls_config_trait(of, "pattern", 0) == 0) {
        read_feed_forward(of, shape, &counts);
    }
    if (of->wrong || shape->layers > WALKED_MAX) {
        return;
    }
    shape->sliding_layers = counts.sliding;
    shape->uncached_layers = shape->layers - counts.full - counts.sliding;
    shape->uncached_layers = mls_config_trait(of, "encoder", 0) != 0 ? shape->layers : shape->uncached_layers;
    counts.apart |= counts.state > 0 || shape->full_head_dim != 0 || mls_config_trait(of, "pattern", 0) != 0 ||
                    mls_config_trait(of, "dense_too", 0) != 0;
    if (counts.apart) {
        shape->counted = count_all(of, shape, &counts);
        shape->state_bytes = MUL(counts.state, state_layer_of(of, shape).bytes);
    }
}
