/* SPDX-License-Identifier: Apache-2.0 */
/* inference.c - weights and the KV cache, and what may lie in the host's memory. */

#include "base/number.h"
#include "memory/sizes.h"

static mls_status check_layout(const mls_model_shape *m, uint64_t t, uint64_t p, uint64_t gpus, mls_error *error)
{
    if (m->heads % t != 0) {
        return mls_layout_error(error, "heads", m->heads, "tp", t);
    }
    if (m->kv_lora_rank == 0 && m->kv_heads % t != 0 && t % m->kv_heads != 0) {
        return mls_layout_error(error, "kv_heads", m->kv_heads, "tp", t);
    }
    if (m->layers % p != 0) {
        return mls_layout_error(error, "layers", m->layers, "pp", p);
    }
    return gpus % MUL(t, p) != 0 ? mls_layout_error(error, "gpus", gpus, "tp x pp", MUL(t, p)) : MLS_OK;
}

/* Notes what does not fit, which could be read from the host's memory at the speed of one direction of the link. */
static void spill_over(const mls_memory_ask *ask, mls_memory_estimate *to)
{
    const mls_link *link = ask->link != NULL ? ask->link : ask->gpu != NULL ? ask->gpu->link : NULL;
    if (link != NULL && to->capacity != 0 && to->estimate > to->capacity) {
        to->link = link;
        to->host_bytes = ask->gpu != NULL ? ask->gpu->host_bytes : 0;
        to->spill = to->estimate - to->capacity;
        to->read_ms = mls_number_round((double)to->spill / ((double)link->one_way_gb_s * 1e6), 3);
    }
}

mls_status mls_inference_make(const mls_memory_ask *ask, mls_memory_estimate *to, mls_error *error)
{
    const mls_model_shape *m = &ask->shape;
    const uint64_t t = VALUE(ask, TP);
    const uint64_t p = VALUE(ask, PP);
    const uint64_t context = VALUE(ask, CONTEXT);
    const uint64_t users = VALUE(ask, USERS);
    const mls_number_bytes weight = mls_number_bytes_of((int64_t)VALUE(ask, PRECISION));
    const mls_number_bytes kv = mls_number_bytes_of((int64_t)VALUE(ask, KV_PRECISION));
    to->gpus = VALUE(ask, GPUS);
    if (VALUE(ask, PRECISION) == MLS_AMP) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "amp is a way of training, with --train --framework torch");
    }
    const mls_status status = check_layout(m, t, p, to->gpus, error);
    if (status != MLS_OK) {
        return status;
    }
    /* Numerators of bytes a token and layer: MLA keeps one latent vector for all heads. */
    const uint64_t latent = ADD(m->kv_lora_rank, m->qk_rope_head_dim);
    const uint64_t whole = m->kv_lora_rank != 0 ? MUL(latent, kv.n) : MUL(2, m->kv_heads, m->head_dim, kv.n);
    const uint64_t split = m->kv_lora_rank != 0 ? whole : MUL(2, mls_shape_kv_heads(m, t), m->head_dim, kv.n);
    const uint64_t layer_tokens = ADD(MUL(m->layers - m->sliding_layers, context),
                                      MUL(m->sliding_layers, mls_bytes_min(context, m->sliding_window)));
    const uint64_t tokens = mls_bytes_min(VALUE(ask, PREFILL), MUL(mls_bytes_max(context, 1), users));
    ITEM(to, WEIGHTS) = mls_bytes_up(MUL(weight.n, to->parameters), MUL(weight.q, t, p));
    ITEM(to, KV_CACHE) = mls_bytes_per(MUL(split, layer_tokens, users), MUL(kv.q, p));
    ITEM(to, WORKING) = ADD(MUL(tokens, 2, ADD(mls_bytes_per(MUL(m->ffn_matrices, m->ffn), t), MUL(2, m->hidden))),
                            MUL(users, 4, mls_bytes_up(m->vocabulary, t)));
    const uint64_t rest = ADD(ITEM(to, WORKING), ITEM(to, RUNTIME));
    to->low = ADD(ITEM(to, WEIGHTS), ITEM(to, KV_CACHE));
    to->estimate = ADD(to->low, rest);
    to->high = ADD(to->low, MUL(2, rest));
    to->kv_per_token = mls_bytes_up(MUL(whole, m->layers), kv.q);
    if (to->capacity != 0) {
        const uint64_t room = mls_bytes_less(to->capacity, ADD(ITEM(to, WEIGHTS), rest));
        const uint64_t token = mls_bytes_up(MUL(split, m->layers), MUL(kv.q, p));
        const uint64_t user = mls_bytes_per(MUL(split, layer_tokens), MUL(kv.q, p));
        to->max_tokens = m->sliding_layers == 0 && token != 0 ? (int64_t)(room / token) : -1;
        to->max_users = user != 0 ? (int64_t)(room / user) : -1;
    }
    spill_over(ask, to);
    return MLS_OK;
}
