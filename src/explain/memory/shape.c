/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - complete the sizes of a model and compute its parameters. */
#include <inttypes.h>

#include "base/buffer.h"
#include "explain/memory/sizes.h"

/* Limits far beyond any real model that bound the running time. */
enum { LAYERS_MAX = 100000 };
static const uint64_t size_max = 100000000;
static const uint64_t other_max = UINT64_C(1) << 50;

/* Fill in missing sizes.  A model whose feed-forward is not gated is assumed to be of an older kind: GPT-2, GPT-3,
 * BERT. */
void mls_shape_complete(mls_model_shape *shape)
{
    const bool gated = shape->ffn_matrices != 2;
    const mls_model_shape was = *shape;
    shape->kv_heads = was.kv_heads != 0 ? was.kv_heads : was.heads;
    shape->head_dim = was.head_dim != 0 ? was.head_dim : was.hidden / was.heads;
    shape->ffn = was.ffn != 0 ? was.ffn : 4 * was.hidden;
    shape->ffn_matrices = gated ? 3 : 2;
    shape->expert_ffn = was.expert_ffn != 0 ? was.expert_ffn : shape->ffn;
    shape->experts_per_token = was.experts_per_token != 0 ? was.experts_per_token : 1;
    shape->vocabulary = was.vocabulary_checkpoint != 0 ? was.vocabulary_checkpoint : was.vocabulary;
    shape->norm_vectors = was.norm_vectors != 0 ? was.norm_vectors : gated ? 1 : 2;
    shape->biases = was.biases != MLS_BIASES_NOT_SAID ? was.biases : gated ? MLS_BIASES_NONE : MLS_BIASES_ALL;
    shape->dropout = was.dropout != MLS_NOT_SAID ? was.dropout : gated ? MLS_SAID_NO : MLS_SAID_YES;
    shape->dense_layers = was.experts == 0 ? was.layers : mls_bytes_min(was.dense_layers, was.layers);
    shape->sliding_layers = mls_bytes_min(was.sliding_layers, was.layers);
    shape->layer_norms = was.layer_norms != 0 ? was.layer_norms : 2;
    if (was.cache_kinds == 0) {
        const bool latent = was.kv_lora_rank != 0;
        const uint64_t heads = latent ? 1 : shape->kv_heads;
        const uint64_t width = latent ? ADD(was.kv_lora_rank, was.qk_rope_head_dim) : MUL(2, shape->head_dim);
        shape->caches[0] = (mls_layer_cache){was.layers - shape->sliding_layers, heads, width, 0, 0};
        shape->caches[1] = (mls_layer_cache){shape->sliding_layers, heads, width, was.sliding_window, 0};
        shape->cache_kinds = 2;
    }
}

mls_status mls_shape_check(const mls_model_shape *shape, mls_error *error)
{
    const bool latent = shape->kv_lora_rank != 0;
    const struct {
        const char *name, *alias;
        uint64_t number, max;
        bool needed;
    } sizes[] = {{"layers", " (num_hidden_layers)", shape->layers, LAYERS_MAX, true},
                 {"hidden", " (hidden_size)", shape->hidden, size_max, true},
                 {"heads", " (num_attention_heads)", shape->heads, size_max, true},
                 {"vocabulary", " (vocab_size)", shape->vocabulary, size_max, true},
                 {"vocabulary_checkpoint", "", shape->vocabulary_checkpoint, size_max, false},
                 {"kv_heads", "", shape->kv_heads, size_max, false},
                 {"head_dim", "", shape->head_dim, size_max, false},
                 {"ffn", "", shape->ffn, size_max, false},
                 {"experts", "", shape->experts, size_max, false},
                 {"experts_per_token", "", shape->experts_per_token, size_max, false},
                 {"shared_experts", "", shape->shared_experts, size_max, false},
                 {"expert_ffn", "", shape->expert_ffn, size_max, false},
                 {"expert_hidden", "", shape->expert_hidden, size_max, false},
                 {"q_lora_rank", "", shape->q_lora_rank, size_max, false},
                 {"kv_lora_rank", "", shape->kv_lora_rank, size_max, false},
                 {"qk_nope_head_dim", "", shape->qk_nope_head_dim, size_max, false},
                 {"qk_rope_head_dim", "", shape->qk_rope_head_dim, size_max, latent},
                 {"value_head_dim", " (v_head_dim)", shape->value_head_dim, size_max, latent},
                 {"positions", "", shape->positions, other_max, false},
                 {"sequence", "", shape->sequence, other_max, false},
                 {"sliding_window", "", shape->sliding_window, other_max, false},
                 {"other_parameters", "", shape->other_parameters, other_max, false}};
    const char *absurd = NULL;
    uint64_t number = 0;
    char missing[240] = "";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t len = strlen(missing);
        if (sizes[i].needed && sizes[i].number == 0) {
            (void)mls_text_printf(missing + len, sizeof missing - len, "%s%s%s", len > 0 ? ", " : "", sizes[i].name,
                                  sizes[i].alias);
        } else if (sizes[i].number > sizes[i].max && absurd == NULL) {
            absurd = sizes[i].name;
            number = sizes[i].number;
        }
    }
    if (missing[0] != '\0')
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "not a model: missing or 0: %s", missing);
    if (absurd != NULL)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s is %" PRIu64 ", which no model has", absurd, number);
    if (shape->ffn_matrices == 1 || shape->ffn_matrices > 3)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "ffn_matrices is 2 or 3");
    if (shape->norm_vectors > 2)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "norm_vectors is 1 or 2");
    if (shape->head_dim == 0 && !latent && shape->hidden % shape->heads != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "hidden (hidden_size) %" PRIu64
                             " is not a multiple of heads (num_attention_heads) %" PRIu64
                             ", and no head_dim gives the size of a head",
                             shape->hidden, shape->heads);
    }
    return MLS_OK;
}

/* Return the parameters of the linear layers of query and key-value heads; with latent attention (MLA), each is
 * factored into two smaller layers. */
static uint64_t attention_matrices(const mls_model_shape *m, uint64_t t, uint64_t kk)
{
    const uint64_t heads = m->heads / t;
    if (m->kv_lora_rank == 0)
        return ADD(MUL(m->hidden, ADD(heads, MUL(2, kk)), m->head_dim), MUL(heads, m->head_dim, m->hidden));
    const uint64_t query = MUL(m->heads, ADD(m->qk_nope_head_dim, m->qk_rope_head_dim));
    const uint64_t key_value = MUL(m->kv_lora_rank, m->heads, ADD(m->qk_nope_head_dim, m->value_head_dim));
    const uint64_t queries = m->q_lora_rank != 0 ? ADD(MUL(m->hidden, m->q_lora_rank), m->q_lora_rank,
                                                       mls_bytes_per(MUL(m->q_lora_rank, query), t))
                                                 : mls_bytes_per(MUL(m->hidden, query), t);
    return ADD(queries, MUL(m->hidden, ADD(m->kv_lora_rank, m->qk_rope_head_dim)), m->kv_lora_rank,
               mls_bytes_per(key_value, t), mls_bytes_per(MUL(m->heads, m->value_head_dim, m->hidden), t));
}

mls_layer_parameters mls_shape_layer(const mls_model_shape *m, uint64_t t, uint64_t e)
{
    const uint64_t h = m->hidden;
    const uint64_t g = m->ffn_matrices;
    const uint64_t kk = mls_shape_kv_heads(m, t);
    mls_layer_parameters layer = {.attention = attention_matrices(m, t, kk),
                                  .norms = MUL(m->layer_norms, m->norm_vectors, h)};
    if (m->biases >= MLS_BIASES_QKV) {
        layer.attention = ADD(layer.attention, MUL(ADD(m->heads / t, MUL(2, kk)), m->head_dim),
                              m->biases >= MLS_BIASES_ATTENTION ? h : 0);
    }
    layer.attention = ADD(layer.attention, m->sinks ? m->heads / t : 0, m->qk_norms ? MUL(2, m->head_dim) : 0);
    layer.dense = mls_bytes_per(MUL(g, h, m->ffn), t);
    if (m->biases == MLS_BIASES_ALL)
        layer.dense = ADD(layer.dense, mls_bytes_per(MUL(g - 1, m->ffn), t), h);
    const uint64_t width = mls_shape_expert_hidden(m);
    const uint64_t expert =
        ADD(MUL(g, width, m->expert_ffn), m->expert_biases ? ADD(MUL(g - 1, m->expert_ffn), width) : 0);
    layer.routed = mls_bytes_per(MUL(m->experts / e, expert), e == 1 ? t : 1);
    layer.shared = ADD(mls_bytes_per(MUL(m->shared_experts, g, h, m->expert_ffn), t), MUL(h, m->experts),
                       width != h ? MUL(2, h, width) : 0, /* projections to the experts and back */
                       m->expert_biases ? m->experts : 0, m->router_biases ? m->experts : 0);
    return layer;
}

uint64_t mls_shape_parameters(const mls_model_shape *m)
{
    if (m->counted != 0)
        return ADD(m->counted, m->other_parameters);
    const mls_layer_parameters layer = mls_shape_layer(m, 1, 1);
    const uint64_t expert_layers = m->layers - m->dense_layers;
    return ADD(MUL(m->layers, ADD(layer.attention, layer.norms)), MUL(m->dense_layers, layer.dense),
               MUL(expert_layers, ADD(layer.routed, layer.shared)), MUL(m->norm_vectors, m->hidden),
               MUL(m->hidden, m->vocabulary, m->tied_embeddings == MLS_SAID_YES ? 1 : 2), MUL(m->positions, m->hidden),
               m->other_parameters);
}

mls_status mls_layout_error(mls_error *error, const char *what, uint64_t number, const char *by, uint64_t divisor)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s: %" PRIu64 " is not divisible by %s %" PRIu64, what, number,
                         by, divisor);
}
