/* SPDX-License-Identifier: Apache-2.0 */
/* inference.c - compute the memory for inference: weights, KV cache, and the bytes that could be in host memory. */

#include "base/number.h"
#include "explain/memory/sizes.h"

/* Return how many numbers all layers together store in the KV cache on one of t GPUs for `tokens` tokens.  A layer with
 * an attention window stores at most as many tokens as the window has. */
static uint64_t cached_numbers(const mls_model_shape *m, uint64_t t, uint64_t tokens)
{
    uint64_t numbers = 0;
    for (size_t i = 0; i < m->cache_kinds; i++) {
        const mls_layer_cache *of = &m->caches[i];
        const uint64_t heads = t > of->kv_heads ? 1 : of->kv_heads / t;
        const uint64_t entries = tokens / mls_bytes_max(of->tokens, 1);
        const uint64_t kept = of->window != 0 ? mls_bytes_min(entries, of->window) : entries;
        numbers = ADD(numbers, MUL(of->layers, heads, of->width, kept));
    }
    return numbers;
}

mls_status mls_inference_make(const mls_memory_ask *ask, const mls_weights *weights, mls_memory_estimate *to,
                              mls_error *error)
{
    const mls_model_shape *m = &ask->shape;
    const uint64_t t = VALUE(ask, TP);
    const uint64_t p = VALUE(ask, PP);
    const uint64_t context = VALUE(ask, CONTEXT);
    const uint64_t users = VALUE(ask, USERS);
    const mls_number_bytes kv = mls_number_bytes_of((int64_t)VALUE(ask, KV_PRECISION));
    const bool share = VALUE(ask, UTILIZATION) != 0;
    to->gpus = VALUE(ask, GPUS);
    if (share && to->capacity == 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--gpu-memory-utilization needs --gpu or --capacity");
    if (VALUE(ask, PRECISION) == MLS_AMP || VALUE(ask, PRECISION) == MLS_MIXED)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "amp and mixed are ways of training, with --train --framework torch");
    if (m->heads % t != 0)
        return mls_layout_error(error, "heads", m->heads, "tp", t);
    for (size_t i = 0; i < m->cache_kinds; i++) {
        const uint64_t heads = m->caches[i].kv_heads;
        if (m->caches[i].layers != 0 && heads % t != 0 && t % heads != 0)
            return mls_layout_error(error, "kv_heads", heads, "tp", t);
    }
    if (m->layers % p != 0)
        return mls_layout_error(error, "layers", m->layers, "pp", p);
    if (to->gpus % MUL(t, p) != 0)
        return mls_layout_error(error, "gpus", to->gpus, "tp x pp", MUL(t, p));
    const uint64_t user = MUL(kv.n, cached_numbers(m, t, context)); /* KV cache of one user: numerator of its bytes */
    /* A server measures its peak memory with the largest number of tokens that it may process at once. */
    const uint64_t most = share ? MLS_ABSURD - 1 : MUL(mls_bytes_max(context, 1), users);
    const uint64_t tokens = mls_bytes_min(VALUE(ask, PREFILL), most);
    ITEM(to, WEIGHTS) = mls_bytes_up(weights->n, MUL(weights->q, t, p));
    ITEM(to, KV_CACHE) = mls_bytes_per(MUL(user, users), MUL(kv.q, p));
    /* If the weights have less than 16 bits, the towers still have 16 bits. */
    const mls_number_bytes number = mls_number_bytes_of((int64_t)VALUE(ask, PRECISION));
    ITEM(to, TOWERS) =
        mls_bytes_up(MUL(mls_bytes_max(number.n, MUL(2, number.q)), m->tower_parameters), MUL(number.q, t));
    ITEM(to, STATE) = mls_bytes_up(MUL(m->state_bytes, users), MUL(t, p));
    ITEM(to, CUDA_GRAPHS) = VALUE(ask, CUDA_GRAPHS);
    ITEM(to, WORKING) = ADD(MUL(tokens, 2, ADD(mls_bytes_per(MUL(m->ffn_matrices, m->ffn), t), MUL(2, m->hidden))),
                            MUL(users, 4, mls_bytes_up(m->vocabulary, t)));
    const uint64_t rest = ADD(ITEM(to, WORKING), ITEM(to, RUNTIME));
    to->low = ADD(ITEM(to, WEIGHTS), ITEM(to, TOWERS), ITEM(to, KV_CACHE), ITEM(to, STATE), ITEM(to, CUDA_GRAPHS));
    to->estimate = ADD(to->low, rest);
    to->high = ADD(to->low, MUL(2, rest));
    to->kv_per_token = mls_bytes_up(MUL(kv.n, cached_numbers(m, 1, 1)), kv.q);
    /* Compute the remaining capacity and, if a server has a share of the memory, the size of the cache that fills it.
     */
    const uint64_t of_user = ADD(mls_bytes_per(user, MUL(kv.q, p)), mls_bytes_up(m->state_bytes, MUL(t, p)));
    const uint64_t of_token = mls_bytes_up(MUL(cached_numbers(m, t, 1), kv.n), MUL(kv.q, p));
    const uint64_t graphs = share ? 0 : ITEM(to, CUDA_GRAPHS);
    const uint64_t room = mls_bytes_less(to->budget, ADD(ITEM(to, WEIGHTS), ITEM(to, TOWERS), rest, graphs));
    const uint64_t left = mls_bytes_less(room, ITEM(to, STATE));
    bool one_kind = of_token != 0;
    for (size_t i = 0; i < m->cache_kinds; i++)
        one_kind &= m->caches[i].layers == 0 || (m->caches[i].window == 0 && m->caches[i].tokens == 0);
    if (to->capacity != 0) {
        to->max_tokens = room == 0 && context != 0 ? 0 : one_kind ? (int64_t)(left / of_token) : -1;
        to->max_users = of_user != 0 ? (int64_t)(room / of_user) : -1;
    }
    if (share) {
        to->cache_bytes = (int64_t)left;
        to->cache_blocks = one_kind ? (int64_t)(left / MUL(of_token, MLS_MEMORY_BLOCK_TOKENS)) : -1;
    }
    /* The bytes that do not fit could be read from host memory at the speed of one direction of the link. */
    const mls_link *link = ask->link != NULL ? ask->link : ask->gpu != NULL ? ask->gpu->link : NULL;
    if (link != NULL && to->capacity != 0 && to->estimate > to->capacity) {
        to->link = link;
        to->host_bytes = ask->gpu != NULL ? ask->gpu->host_bytes : 0;
        to->spill = to->estimate - to->capacity;
        to->read_ms = mls_number_round((double)to->spill / ((double)link->one_way_gb_s * 1e6), 3);
    }
    return MLS_OK;
}
