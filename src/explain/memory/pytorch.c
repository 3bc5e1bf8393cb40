/* SPDX-License-Identifier: Apache-2.0 */
/* pytorch.c - compute the memory for training a model class of the transformers library with PyTorch, under DDP or FSDP
 * (fully_shard).
 *
 * The peak is the largest of several moments of a step.  What is allocated at each moment was derived from the sources
 * of PyTorch 2.11 and transformers 5.17, and agrees with allocations recorded on GPUs. */
#include "explain/memory/training.h"

/* Two workspaces of cuBLAS, for forward and backward, as measured on H100 and H200 GPUs. */
static const uint64_t workspace = UINT64_C(64) << 20;

/* ------------------------------------------------------------- activations */

/* Return the bytes of a number of the residual stream: autocast keeps it in FP32. */
static uint64_t residual(const mls_training *j)
{
    return j->amp ? 4 : j->w;
}

/* Return the bytes that a norm keeps for each number of its input.  RMSNorm is computed in FP32 step by step: it keeps
 * its input in FP32 and the normalised numbers in their own precision.  LayerNorm is fused and keeps only its input. */
static uint64_t norm_bytes(const mls_training *j)
{
    return j->m->norm_vectors == 1 ? 4 + residual(j) : residual(j);
}

static uint64_t class_layer_bytes(const mls_training *j, bool experts)
{
    const mls_model_shape *m = j->m;
    const bool lora = j->rank != 0;
    const bool gated = m->ffn_matrices == 3;
    const bool latent = m->kv_lora_rank != 0;
    const uint64_t w = j->w;
    const uint64_t heads = m->heads / j->t;
    const uint64_t kk = mls_shape_kv_heads(m, j->t);
    const uint64_t hT = MUL(m->hidden, j->T);
    const uint64_t norm = norm_bytes(j);
    /* Autocast casts the input of each linear layer: query, key and value, or gate and up, have copies of their own. */
    const uint64_t copies = j->amp && gated ? 3 : 1;
    const uint64_t value_dim = latent ? m->value_head_dim : m->head_dim;
    const uint64_t qkv = latent ? MUL(heads, ADD(MUL(2, ADD(m->qk_nope_head_dim, m->qk_rope_head_dim)), value_dim))
                                : MUL(ADD(heads, MUL(2, kk)), m->head_dim);
    const uint64_t low_rank = latent ? ADD(m->q_lora_rank, m->kv_lora_rank) : 0;
    const uint64_t core = VALUE(j->ask, ATTENTION) != MLS_ATTENTION_UNFUSED ? MUL(4, heads, j->T)
                          : j->recompute == MLS_RECOMPUTE_SELECTIVE
                              ? 0
                              : MUL(heads, j->S, j->s, j->b, j->dropout ? 2 * w + 1 : w);
    /* Tokens are copied once for each of their experts.  The matrix products of experts ignore autocast. */
    const uint64_t wide = residual(j);
    const uint64_t routed = experts ? MUL(m->experts_per_token, j->T) : 0;
    const uint64_t plain = mls_bytes_per(experts ? MUL(m->shared_experts, m->expert_ffn) : m->ffn, j->t);
    const uint64_t matrices = gated ? 4 : 2; /* gate and up, activation, product; or up, activation */
    const bool dense = !experts || m->shared_experts > 0;
    return ADD(
        mls_bytes_per(MUL(m->layer_norms, norm, hT), j->A), MUL(norm + w, low_rank, j->T),
        m->qk_norms ? MUL(norm, ADD(heads, kk), m->head_dim, j->T) : 0,
        mls_bytes_per(MUL(lora ? w + 1 : MUL(copies, w), hT), j->A),                /* input of query, key and value */
        MUL(w, qkv, j->T), core, MUL(lora ? 2 * w + 1 : w, heads, value_dim, j->T), /* input of the projection */
        !lora && dense ? mls_bytes_per(MUL(j->amp && gated ? 2 : !experts, w, hT), j->A) : 0,
        experts ? mls_bytes_per(MUL(w, hT), j->A) : 0, /* input of the router */
        MUL(w, lora ? matrices - 1 : matrices, plain, j->T),
        MUL(wide, routed, ADD(MUL(2, mls_shape_expert_hidden(m)), mls_bytes_per(MUL(matrices, m->expert_ffn), j->t))),
        experts ? mls_bytes_per(MUL(4, m->experts, j->T), j->A) : 0, /* router */
        j->dropout ? mls_bytes_per(MUL(2, hT), j->A) : 0);
}

/* ------------------------------------------------------------- moments */

/* A moment of a step, and the bytes that are allocated then in addition to weights and optimizer. */
typedef struct moment {
    const char *when;
    uint64_t gradients;
    uint64_t reduced; /* buffers in which FSDP reduces gradients */
    uint64_t
        gathered; /* DDP's buckets; or weights that FSDP has gathered, and their gradients before they are reduced */
    uint64_t activations, recompute, logits, working, step;
} moment;

/* The sizes from which moments are computed. */
typedef struct sizes {
    uint64_t layers; /* number of layers, at least 1 */
    /* Numbers of parameters: outside of the layers, of all layers, and of the largest layer. */
    uint64_t root, body, layer;
    /* Numbers of trained parameters: of the same parts, of the embedding or the head, and of the last matrix of a
     * feed-forward. */
    uint64_t g_root, g_body, g_layer, g_words, g_down;
    uint64_t gathered; /* bytes of a gathered weight, and of a gradient before it is reduced */
    /* Sizes in bytes. */
    uint64_t buckets; /* DDP's buckets, which have room for all gradients */
    uint64_t cast;    /* the weights of a layer after autocast has cast them; 0: without autocast */
    uint64_t kept;    /* activations and cast weights that all layers keep */
    uint64_t again;   /* activations of the layer that is computed again; 0: no layer is */
    uint64_t after;   /* activations and cast weights kept after the last layer */
    bool tied;        /* embedding and head share their parameters */
} sizes;

/* Return the bytes on one GPU of the gradients of `parameters` parameters. */
static uint64_t gradient_bytes(const mls_training *j, uint64_t parameters)
{
    return j->fsdp                                       ? mls_bytes_up(MUL(j->wp, parameters), j->n)
           : j->n > 1 && VALUE(j->ask, BUCKET_VIEW) != 0 ? 0 /* the buckets contain them */
                                                         : MUL(j->wp, parameters);
}

/* Return the moment at which most memory is allocated in the backward pass of layer `i`: in the feed-forward, when the
 * layer still has all of its activations, or at its end, if `end` is true, when it has all of its gradients. */
static moment backward_moment(const mls_training *j, const sizes *of, uint64_t i, bool end)
{
    const mls_model_shape *m = j->m;
    const uint64_t hT = MUL(m->hidden, j->T);
    const uint64_t done = of->layers - 1 - i;
    const uint64_t finished = mls_bytes_per(MUL(of->g_body, done), of->layers);
    const uint64_t ahead = mls_bytes_per(MUL(of->body, i), of->layers);
    const uint64_t current = end ? of->g_layer : of->g_down;
    const bool accumulated = j->micro > 1;
    const uint64_t all = gradient_bytes(j, ADD(of->g_body, of->g_root));
    const uint64_t inside = m->experts > 0 ? MUL(residual(j), m->experts_per_token, j->T,
                                                 mls_bytes_less(mls_bytes_per(MUL(2, m->expert_ffn), j->t), m->hidden))
                                           : mls_bytes_per(MUL(2, j->w, m->ffn, j->T), j->t);
    moment at = {.when = "the backward pass of a layer"};
    at.activations = mls_bytes_per(MUL(of->kept, of->again == 0 && end ? i : i + 1), of->layers);
    at.recompute = end ? 0 : of->again;
    /* The backward pass of RMSNorm has five intermediate results in FP32. */
    at.working =
        end ? MUL(ADD(norm_bytes(j), m->norm_vectors == 1 ? 20 : 4, 3 * j->w), hT) : ADD(inside, MUL(residual(j), hT));
    if (j->fsdp) {
        const uint64_t weights = ADD(of->root, of->layer, j->zero == 3 ? (i > 0 ? of->layer : 0) : ahead);
        at.gathered = MUL(of->gathered, ADD(weights, of->g_words, current));
        at.reduced = done > 0 ? MUL(j->wp, of->g_layer) : 0;
        at.gradients = accumulated ? all : gradient_bytes(j, finished);
    } else {
        at.gathered = of->buckets;
        at.gradients = ADD(accumulated ? all : gradient_bytes(j, ADD(finished, of->g_words)), MUL(j->wp, current));
    }
    return at;
}

static sizes sizes_of(const mls_training *j, const mls_training_stage *stage)
{
    const mls_model_shape *m = j->m;
    const mls_layer_parameters parts = mls_shape_layer(m, j->t, j->e);
    const bool experts = stage->experts > 0;
    const bool lora = j->rank != 0;
    const bool again = j->recompute == MLS_RECOMPUTE_FULL || VALUE(j->ask, OFFLOAD_LAYERS) > 0;
    const uint64_t cast = ADD(parts.attention, experts ? parts.shared : parts.dense); /* numbers that autocast casts */
    const uint64_t hT = MUL(m->hidden, j->T);
    const uint64_t root = mls_bytes_less(stage->parameters, ADD(stage->linear, MUL(stage->layers, parts.norms)));
    sizes of = {.layers = mls_bytes_max(stage->layers, 1),
                .root = root,
                .body = mls_bytes_less(stage->parameters, root),
                .layer = ADD(parts.attention, parts.norms, experts ? ADD(parts.routed, parts.shared) : parts.dense),
                .gathered = j->wp == 4 && !j->amp && j->w == 2 ? j->w : j->wp,
                .cast = j->amp ? MUL(j->w, cast) : 0,
                .after = stage->last ? ADD(MUL(norm_bytes(j), hT), MUL(j->w, ADD(hT, j->amp ? stage->words : 0))) : 0,
                .tied = stage->first && stage->last && m->tied_embeddings == MLS_SAID_YES};
    of.g_root = lora ? 0 : root;
    of.g_body = lora ? stage->adapters : of.body;
    of.g_layer = lora ? mls_bytes_per(stage->adapters, of.layers) : of.layer;
    of.g_words = lora || !stage->last ? 0 : stage->words;
    of.g_down = lora      ? 0
                : experts ? mls_bytes_per(parts.routed, m->ffn_matrices)
                          : mls_bytes_per(MUL(m->hidden, m->ffn), j->t);
    of.again = again ? ADD(class_layer_bytes(j, experts), of.cast) : 0;
    of.kept = ADD(mls_stage_activations(j, stage, class_layer_bytes), MUL(of.cast, mls_stage_kept(j, stage)));
    of.buckets = !j->fsdp && j->n > 1 ? MUL(j->wp, stage->trained) : 0;
    return of;
}

void mls_pytorch_fill(const mls_training *j, const mls_training_stage *stage, mls_memory_estimate *to)
{
    const sizes of = sizes_of(j, stage);
    /* The logits: computed with w bytes and copied to FP32; log-softmax and, in the backward pass, two gradients have
     * FP32, too.  The copy is freed before the backward pass. */
    const uint64_t logits = stage->last ? mls_bytes_per(MUL(j->V, mls_loss_tokens(j)), j->t) : 0;
    const bool fused = VALUE(j->ask, LOSS) == MLS_LOSS_FUSED;
    const uint64_t held = j->fsdp ? MUL(of.gathered, ADD(of.root, j->zero == 3 ? 0 : of.body)) : of.buckets;
    const uint64_t next = j->fsdp ? MUL(of.gathered, of.layer) : 0;
    const uint64_t before = j->micro > 1 ? gradient_bytes(j, stage->trained) : 0;
    const uint64_t all = gradient_bytes(j, stage->trained);
    const uint64_t kept = ADD(of.kept, of.after);
    const moment moments[] = {
        {.when = "the loss",
         .gradients = before,
         .gathered = ADD(held, next),
         .activations = ADD(kept, MUL(of.cast, mls_bytes_less(stage->layers, mls_stage_kept(j, stage)))),
         .logits = MUL(fused || j->w == 4 ? j->w + 4 : j->w + 8, logits)},
        {.when = "the gradient of the loss",
         .gradients = before,
         .gathered = ADD(held, j->zero == 3 ? next : 0),
         .activations = kept,
         .logits = MUL(fused ? j->w + 4 : 12, logits)},
        backward_moment(j, &of, of.layers - 1, false),
        backward_moment(j, &of, of.layers - 1, true),
        backward_moment(j, &of, mls_bytes_min(1, of.layers - 1), false),
        backward_moment(j, &of, mls_bytes_min(1, of.layers - 1), true),
        backward_moment(j, &of, 0, false),
        backward_moment(j, &of, 0, true),
        {.when = "the backward pass of the embedding",
         .gradients = j->fsdp ? (j->micro > 1 ? all : gradient_bytes(j, of.g_body))
                              : ADD(all, of.tied ? MUL(j->wp, of.g_words) : 0),
         .reduced = j->fsdp ? MUL(j->wp, of.g_layer) : 0,
         .gathered = j->fsdp ? MUL(of.gathered, ADD(of.root, of.tied ? MUL(3, of.g_words) : of.g_root)) : of.buckets},
        {.when = "the reduction of the embedding's gradients",
         .gradients = all,
         .reduced = j->fsdp ? MUL(j->wp, of.g_root) : 0,
         .gathered = j->fsdp ? MUL(of.gathered, of.g_words) : of.buckets},
        {.when = "the optimizer's step",
         .gradients = all,
         .gathered = of.buckets,
         .step = VALUE(j->ask, STEP_COPY) != 0 ? all : 0},
    };
    to->allocated = 0;
    uint64_t computed = 0; /* the most in the pool of the stream that computes, and of the one that reduces gradients */
    uint64_t reduced = 0;
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        const moment *at = &moments[i];
        const uint64_t compute =
            ADD(at->gathered, at->activations, at->recompute, at->logits, at->working, at->step, workspace);
        const uint64_t reduce = ADD(at->gradients, at->reduced);
        const uint64_t sum = ADD(ITEM(to, WEIGHTS), ITEM(to, OPTIMIZER), compute, reduce);
        computed = mls_bytes_max(computed, compute);
        reduced = mls_bytes_max(reduced, reduce);
        if (sum <= to->allocated)
            continue;
        to->allocated = sum;
        to->peak = at->when;
        ITEM(to, GRADIENTS) = at->gradients;
        ITEM(to, GATHERED) = ADD(at->gathered, at->reduced);
        ITEM(to, ACTIVATIONS) = at->activations;
        ITEM(to, RECOMPUTE) = at->recompute;
        ITEM(to, LOGITS) = at->logits;
        ITEM(to, WORKING) = ADD(at->working, workspace);
        ITEM(to, STEP) = at->step;
    }
    to->estimate = ADD(to->allocated, ITEM(to, RUNTIME));
    /* The allocator keeps freed memory for the stream that used it, and in pieces.  FSDP gathers, computes and reduces
     * in three streams, so the largest amounts of all three are reserved.  With the factors for pieces, these sums are
     * at least what was reserved in all measured settings. */
    const uint64_t gathering = MUL(of.gathered, ADD(of.root, MUL(2, of.layer)));
    const uint64_t streams = ADD(ITEM(to, WEIGHTS), ITEM(to, OPTIMIZER), gathering, computed, reduced);
    const uint64_t reserved = j->fsdp ? mls_bytes_per(MUL(9, streams), 8) : mls_bytes_per(MUL(13, to->allocated), 10);
    to->high = ADD(reserved, ITEM(to, RUNTIME));
}
