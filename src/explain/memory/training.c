/* SPDX-License-Identifier: Apache-2.0 */
/* training.c - compute the memory for training: weights, gradients, optimizer and activations of each pipeline stage.
 *
 * Activations follow Korthikanti et al. 2022 (arXiv:2205.05198), item by item, so that each effect of a format or a
 * framework is in one place.  For GPT the items add up exactly to the paper's formulas. */
#include <inttypes.h>

#include "explain/memory/training.h"

/* --------------------------------------------------------------- the layout */

/* Return MLS_ERROR_VALUE if the layout, the layers or the precision do not allow the job. */
static mls_status check_job(const mls_training *j, uint64_t gpus, mls_error *error)
{
    const mls_model_shape *m = j->m;
    const mls_pipeline_layout *layout = j->layout;
    const uint64_t kind = VALUE(j->ask, PRECISION);
    if (j->s == 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the sequence length is unknown: use --sequence N");
    if (m->counted != 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "training is only supported for models whose layers are all alike");
    }
    if (j->v > 1 && j->p == 1)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "vp %" PRIu64 " needs a pipeline, pp is 1", j->v);
    if (j->e > 1 && m->experts == 0)
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "ep %" PRIu64 ", but the model has no experts", j->e);
    const struct {
        const char *what;
        uint64_t number;
        const char *by;
        uint64_t divisor;
    } rules[] = {{"gpus", gpus, "tp x pp x cp", MUL(j->t, j->p, j->c)},
                 {"heads", m->heads, "tp", j->t},
                 {"ffn", m->ffn, "tp", j->t},
                 {"sequence", j->s, "cp", j->c},
                 {"the sequence on one GPU", j->S, "tp, with sequence parallel", j->A},
                 {j->layout != NULL      ? "chunks of the layout"
                  : j->slots > m->layers ? "layers with their slots"
                                         : "layers",
                  j->layout != NULL ? j->layout->count : j->slots, "pp x vp", MUL(j->p, j->v)},
                 {"experts", m->experts, "ep", j->e},
                 {"data x context x tensor parallel", MUL(gpus / MUL(j->t, j->p), j->t), "ep", j->e}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].number % rules[i].divisor != 0)
            return mls_layout_error(error, rules[i].what, rules[i].number, rules[i].by, rules[i].divisor);
    if (layout != NULL && layout->layers != m->layers) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the layout has %" PRIu64 " layers, the model %" PRIu64,
                             layout->layers, m->layers);
    }
    if (layout != NULL && (j->embed_slot || j->loss_slot)) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "slots cannot be combined with a layout, which places embedding and loss");
    }
    if (layout != NULL && layout->count != MUL(j->p, j->v)) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the layout has %zu chunks, pp x vp are %" PRIu64,
                             layout->count, MUL(j->p, j->v));
    }
    static const struct {
        mls_memory_setting setting;
        const char *what;
    } counts[] = {{MLS_MEMORY_OFFLOAD_LAYERS, "offload"}, {MLS_MEMORY_RECOMPUTE_LAYERS, "recompute"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int64_t layers = j->ask->values[counts[i].setting];
        if (layers > (int64_t)m->layers) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%" PRId64 " layers to %s, the model has %" PRIu64,
                                 layers, counts[i].what, m->layers);
        }
    }
    const mls_str word = mls_memory_setting_word(MLS_MEMORY_PRECISION, (int64_t)kind);
    if (kind == MLS_MIXED && !j->fsdp) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "mixed is a precision of FSDP: use --framework torch with --fsdp full_shard or "
                             "shard_grad_op, or --precision amp");
    }
    return kind <= MLS_BF16 || kind == MLS_MIXED || (j->amp && j->torch)
               ? MLS_OK
               : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "training is in bf16, fp16 or fp32%s, not %.*s",
                               j->torch ? ", or amp or mixed" : " (or amp or mixed, with --framework torch)",
                               (int)word.len, word.ptr);
}

/* ---------------------------------------------------------------- parameters */

static mls_training_stage stage_of(const mls_training *j, uint64_t i)
{
    const mls_model_shape *m = j->m;
    const mls_layer_parameters layer = mls_shape_layer(m, j->t, j->e);
    mls_training_stage of = {.first = i == 0, .last = i + 1 == j->p};
    of.chunks = j->v == 1 ? mls_bytes_min(j->micro, j->p - i)
                          : mls_bytes_min(MUL(j->micro, j->v), ADD(MUL(2, j->p - i - 1), MUL(j->v - 1, j->p), 1));
    /* Each stage has an equal share of the layers, or the chunks that the layout assigns to it.  p micro-batches of
     * each chunk are in flight, one chunk after the other. */
    const uint64_t slots = j->slots / j->p;
    uint64_t before = j->layout == NULL ? mls_bytes_less(MUL(i, slots), j->embed_slot) : 0;
    of.flight = j->layout == NULL ? of.chunks : 0;
    if (j->layout == NULL) {
        of.layers = mls_bytes_less(slots, (uint64_t)(of.first && j->embed_slot) + (of.last && j->loss_slot));
        of.experts = of.layers - mls_bytes_min(of.layers, mls_bytes_less(m->dense_layers, before));
    }
    for (size_t k = 0; j->layout != NULL && k < j->layout->count; k++) {
        const mls_pipeline_chunk *chunk = &j->layout->chunks[k];
        if (k % j->p == i) {
            const uint64_t dense = mls_bytes_min(chunk->layers, mls_bytes_less(m->dense_layers, before));
            const uint64_t all = ADD(chunk->layers, chunk->predictors);
            const uint64_t place = k / j->p;
            const uint64_t full = of.chunks / MUL(j->p, j->v);
            const uint64_t rest = mls_bytes_less(of.chunks % MUL(j->p, j->v), MUL(place, j->p));
            of.layers = ADD(of.layers, all);
            of.experts = ADD(of.experts, m->experts > 0 ? all - dense : 0);
            of.predictors = ADD(of.predictors, chunk->predictors);
            of.flight = ADD(of.flight, MUL(all, ADD(MUL(full, j->p), mls_bytes_min(rest, j->p))));
        }
        before = ADD(before, chunk->layers);
    }
    of.of_flight = j->layout == NULL ? j->v : mls_bytes_max(of.layers, 1);
    /* A prediction layer concatenates its input with that of the previous token, and has a copy of the embedding. */
    const uint64_t joins = MUL(of.predictors, 2, m->hidden, m->hidden) / j->t;
    of.routed = MUL(of.experts, layer.routed);
    of.linear = ADD(MUL(of.layers, layer.attention), MUL(of.layers - of.experts, layer.dense), of.routed,
                    MUL(of.experts, layer.shared), joins);
    of.words = mls_bytes_per(MUL(j->V, m->hidden), j->t);
    const bool head = of.last && !(m->tied_embeddings == MLS_SAID_YES && j->p == 1);
    of.parameters = ADD(of.linear, MUL(of.layers, layer.norms), of.last ? MUL(m->norm_vectors, m->hidden) : 0,
                        of.first ? MUL(m->positions, m->hidden) : 0, of.first || of.predictors > 0 ? of.words : 0,
                        head ? of.words : 0);
    /* An adapter has one matrix for the input of its target and one for the output. */
    const uint64_t query = MUL(m->heads / j->t, m->head_dim);
    const uint64_t key = MUL(mls_shape_kv_heads(m, j->t), m->head_dim);
    const uint64_t ffn = m->ffn / j->t;
    const struct {
        uint64_t target, in_and_out;
    } kinds[] = {{MLS_LORA_Q, ADD(m->hidden, query)}, {MLS_LORA_K, ADD(m->hidden, key)},
                 {MLS_LORA_V, ADD(m->hidden, key)},   {MLS_LORA_QKV, ADD(m->hidden, query, key, key)},
                 {MLS_LORA_O, ADD(query, m->hidden)}, {MLS_LORA_GATE, ADD(m->hidden, ffn)},
                 {MLS_LORA_UP, ADD(m->hidden, ffn)},  {MLS_LORA_DOWN, ADD(ffn, m->hidden)}};
    uint64_t both = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        both = ADD(both, (VALUE(j->ask, LORA_TARGETS) & kinds[k].target) != 0 ? kinds[k].in_and_out : 0);
    of.adapters = j->rank != 0 ? MUL(of.layers, j->rank, both) : 0;
    of.trained = j->rank != 0 ? of.adapters : of.parameters;
    return of;
}

/* Return the share of one GPU in parameters that are sharded among data parallel GPUs.  Routed experts have fewer
 * copies than all other parameters. */
static uint64_t shared_part(const mls_training *j, uint64_t all, uint64_t routed)
{
    routed = j->e > 1 ? routed : 0;
    return ADD(mls_bytes_up(mls_bytes_less(all, routed), j->n),
               mls_bytes_up(routed, mls_bytes_max(MUL(j->n, j->t) / j->e, 1)));
}

/* --------------------------------------------------------------- activations */

/* Return the total width of the feed-forward that one token passes through in a layer. */
static uint64_t ffn_of(const mls_model_shape *m, bool experts)
{
    return experts ? MUL(m->expert_ffn, m->experts_per_token + m->shared_experts) : m->ffn;
}

/* Return the bytes of activations that a layer keeps for the backward pass; if `low` is true, the lower bound. */
static uint64_t kept_bytes(const mls_training *j, bool experts, bool low)
{
    const mls_model_shape *m = j->m;
    const bool lora = j->rank != 0;
    const uint64_t w = j->w;
    const uint64_t y = low ? j->low : j->y;
    const uint64_t heads = m->heads / j->t;
    const uint64_t hT = MUL(m->hidden, j->T);
    const uint64_t FT = MUL(ffn_of(m, experts), j->T);
    const uint64_t inputs = experts ? m->experts_per_token + (m->shared_experts > 0) : 1;
    const uint64_t value_dim = m->kv_lora_rank != 0 ? m->value_head_dim : m->head_dim;
    const uint64_t qkv = m->kv_lora_rank != 0
                             ? MUL(heads, ADD(MUL(2, ADD(m->qk_nope_head_dim, m->qk_rope_head_dim)), m->value_head_dim))
                             : MUL(ADD(heads, MUL(2, mls_shape_kv_heads(m, j->t))), m->head_dim);
    /* The softmax of attention.  Fused attention stores one number per row; unfused attention stores the whole matrix
     * unless the matrix is recomputed. */
    const uint64_t core = VALUE(j->ask, ATTENTION) != MLS_ATTENTION_UNFUSED ? MUL(4, heads, j->T)
                          : j->recompute == MLS_RECOMPUTE_SELECTIVE
                              ? 0
                              : MUL(heads, j->S, j->s, j->b, j->dropout ? 2 * j->w + 1 : j->w);
    /* Additional bytes for each input of the projection: for an adapter, or for a copy in FP8. */
    const uint64_t copy = low ? 0 : lora ? j->w + 1 : j->x != j->w ? j->x : 0;
    const uint64_t input = lora ? w + !low : j->x;
    return ADD(mls_bytes_per(MUL(j->amp ? 12 : 2 * w, hT), j->A),                      /* norm_inputs */
               mls_bytes_per(MUL(input, hT), j->A),                                    /* qkv_input */
               MUL(y, qkv, j->T),                                                      /* qkv */
               core,                                                                   /* attention_core */
               MUL(y + copy, heads, value_dim, j->T),                                  /* projection_input */
               lora ? 0 : mls_bytes_per(MUL(j->x, hT, inputs), j->A),                  /* fc1_input */
               mls_bytes_per(MUL(j->z, m->ffn_matrices - 1, FT), j->t),                /* fc1_output */
               lora ? 0 : mls_bytes_per(MUL(j->x, FT), j->t),                          /* fc2_input */
               j->torch && m->ffn_matrices == 3 ? mls_bytes_per(MUL(w, FT), j->t) : 0, /* gate_product */
               experts ? mls_bytes_per(MUL(4, m->experts, j->T), j->A) : 0,            /* router */
               j->dropout ? mls_bytes_per(MUL(2, hT), j->A) : 0);                      /* dropout_masks */
}

static uint64_t layer_bytes(const mls_training *j, bool experts)
{
    return kept_bytes(j, experts, false);
}

static uint64_t layer_low(const mls_training *j, bool experts)
{
    return kept_bytes(j, experts, true);
}

uint64_t mls_loss_tokens(const mls_training *j)
{
    const uint64_t chunk = mls_bytes_up(MUL(j->T, j->m->hidden), j->V);
    return VALUE(j->ask, LOSS) == MLS_LOSS_CHUNKED ? mls_bytes_min(chunk, j->T) : j->T;
}

static uint64_t recomputed_layers(const mls_training *j, const mls_training_stage *of)
{
    return j->recompute == MLS_RECOMPUTE_FULL ? mls_bytes_min(VALUE(j->ask, RECOMPUTE_LAYERS), of->layers) : 0;
}

uint64_t mls_stage_kept(const mls_training *j, const mls_training_stage *of)
{
    return mls_bytes_less(of->layers - recomputed_layers(j, of), VALUE(j->ask, OFFLOAD_LAYERS));
}

/* If only some layers keep activations, layers with experts are counted first, because they keep more. */
uint64_t mls_stage_activations(const mls_training *j, const mls_training_stage *of, mls_layer_bytes layer)
{
    const uint64_t recomputed = recomputed_layers(j, of);
    const uint64_t kept = mls_stage_kept(j, of);
    const uint64_t experts = mls_bytes_min(kept, of->experts);
    const uint64_t input = mls_bytes_per(MUL(j->amp ? 4 : j->w, j->m->hidden, j->T), j->A);
    const uint64_t one =
        ADD(MUL(experts, layer(j, true)), MUL(kept - experts, layer(j, false)), MUL(recomputed, input));
    return mls_bytes_per(MUL(of->flight, one), of->of_flight);
}

/* ------------------------------------------------------------------- a stage */

/* Set the items for weights, gradients and optimizer, and to->low to their minimum.  Return the bytes of the weights
 * before sharding. */
static uint64_t fill_model_state(const mls_training *j, const mls_training_stage *of, mls_memory_estimate *to)
{
    const bool lora = j->rank != 0;
    const bool bf16_gradients = VALUE(j->ask, GRAD_PRECISION) == MLS_GRADIENTS_BF16;
    const bool kept_in_fp8 = VALUE(j->ask, FP8_PARAMS) != 0 || (j->fp8 && lora);
    const mls_number_bytes rate =
        j->fp4 && lora ? mls_number_bytes_of(MLS_NVFP4) : (mls_number_bytes){kept_in_fp8 ? 1 : j->wp, 1};
    const uint64_t gradient = j->torch ? j->wp : bf16_gradients ? 2 : 4;
    /* Bytes of the optimizer per parameter: the moments and the master weight. */
    const uint64_t master = VALUE(j->ask, MASTER);
    const uint64_t moments = VALUE(j->ask, OPTIMIZER) == MLS_OPTIMIZER_SGD ? 1 : 2;
    const bool alone = j->w == 4 || master == MLS_MASTER_NONE;
    const uint64_t state = VALUE(j->ask, OPTIMIZER) == MLS_OPTIMIZER_NONE ? 0
                           : j->torch                                     ? moments * j->wp
                                                                          : 4 * moments + (alone                            ? 0
                                                                                           : master == MLS_MASTER_REMAINDER ? 2
                                                                                                                            : 4);
    const uint64_t routed = lora ? 0 : of->routed;
    const uint64_t weights = ADD(mls_bytes_up(MUL(rate.n, of->linear), rate.q),
                                 MUL(j->wp, mls_bytes_less(of->parameters, of->linear)), MUL(j->wp, of->adapters));
    const uint64_t gradients = MUL(gradient, of->trained);
    const uint64_t optimizer = MUL(state, of->trained);
    ITEM(to, WEIGHTS) =
        j->zero < 3 && !j->fsdp ? weights : shared_part(j, weights, mls_bytes_up(MUL(rate.n, of->routed), rate.q));
    ITEM(to, GRADIENTS) = j->zero < 2 ? gradients : shared_part(j, gradients, MUL(gradient, routed));
    ITEM(to, OPTIMIZER) = j->zero < 1 ? optimizer : shared_part(j, optimizer, MUL(state, routed));
    const uint64_t half = gradient == 4 && !lora ? mls_bytes_per(ITEM(to, GRADIENTS), 2) : ITEM(to, GRADIENTS);
    to->low = ADD(ITEM(to, WEIGHTS), j->torch ? 0 : half,
                  state == 12 ? mls_bytes_per(MUL(ITEM(to, OPTIMIZER), 10), 12) : ITEM(to, OPTIMIZER));
    return weights;
}

/* Set the estimate of a stage: the larger peak of the backward pass and the optimizer's step. */
static void fill_stage(const mls_training *j, uint64_t i, mls_memory_estimate *to)
{
    const mls_model_shape *m = j->m;
    const mls_training_stage of = stage_of(j, i);
    const uint64_t whole = fill_model_state(j, &of, to);
    const uint64_t words =
        of.last && VALUE(j->ask, LOSS) != MLS_LOSS_CHUNKED ? MUL(j->w, mls_bytes_per(MUL(j->V, j->T), j->t)) : 0;
    const uint64_t least = ADD(to->low, mls_stage_activations(j, &of, layer_low), words);
    to->stage = i;
    to->layers = of.layers;
    to->in_flight = of.chunks;
    if (j->classes) {
        mls_pytorch_fill(j, &of, to);
        to->low = mls_bytes_min(least, to->allocated);
        return;
    }
    const bool again = VALUE(j->ask, OFFLOAD_LAYERS) > 0 || j->recompute == MLS_RECOMPUTE_FULL;
    const uint64_t hT = MUL(m->hidden, j->T);
    const uint64_t layers[] = {of.experts < of.layers ? kept_bytes(j, false, false) : 0,
                               of.experts > 0 ? kept_bytes(j, true, false) : 0};
    const uint64_t F = mls_bytes_max(m->ffn, m->experts > 0 ? ffn_of(m, true) : 0);
    const uint64_t share = mls_bytes_per(MUL(m->hidden, j->T), j->A);
    const uint64_t begin = MUL(mls_bytes_up(of.chunks, j->v), ADD(MUL(8, j->T), j->dropout ? share : 0));
    const uint64_t cast = ADD(MUL(2, of.linear), of.last ? mls_bytes_per(MUL(2, j->V, m->hidden), j->t) : 0);
    ITEM(to, ACTIVATIONS) = ADD(mls_stage_activations(j, &of, layer_bytes), !j->torch && of.first ? begin : 0,
                                j->torch && of.last ? MUL(j->wp, share) : 0, j->amp ? cast /* weights */ : 0);
    ITEM(to, RECOMPUTE) = again ? mls_bytes_max(layers[0], layers[1]) : 0;
    const uint64_t losses = of.last ? ADD(1, j->layout != NULL ? j->layout->predictors : 0) : 0;
    const uint64_t logit = VALUE(j->ask, LOSS) == MLS_LOSS_FUSED ? j->w + 4 : j->amp ? 10 : 3 * j->w;
    ITEM(to, LOGITS) = MUL(
        losses, ADD(mls_bytes_per(MUL(logit, j->V, mls_loss_tokens(j)), j->t), mls_bytes_per(MUL(2, j->w, hT), j->A)));
    ITEM(to, WORKING) = ADD(mls_bytes_per(MUL(j->w, m->ffn_matrices, F, j->T), j->t), MUL(2, j->w, hT),
                            j->zero == 3 ? mls_bytes_per(MUL(2, whole), mls_bytes_max(of.layers, 1)) : 0);
    /* The bytes of the copy on which the optimizer's step works. */
    const uint64_t copy =
        j->torch ? MUL(j->wp, of.trained) : mls_bytes_per(MUL(4, of.trained), j->zero >= 1 ? j->n : 1);
    ITEM(to, STEP) = VALUE(j->ask, STEP_COPY) != 0 ? copy : 0;
    /* The peak of the backward pass.  PyTorch allocates gradients while it frees activations and logits. */
    const uint64_t forward = ADD(ITEM(to, ACTIVATIONS), ITEM(to, LOGITS));
    const uint64_t backward =
        j->torch
            ? mls_bytes_max(mls_bytes_less(forward, ITEM(to, GRADIENTS)), ADD(ITEM(to, RECOMPUTE), ITEM(to, WORKING)))
            : ADD(ITEM(to, ACTIVATIONS), ITEM(to, RECOMPUTE), mls_bytes_max(ITEM(to, LOGITS), ITEM(to, WORKING)));
    to->allocated =
        ADD(ITEM(to, WEIGHTS), ITEM(to, GRADIENTS), ITEM(to, OPTIMIZER), mls_bytes_max(backward, ITEM(to, STEP)));
    to->estimate = ADD(to->allocated, ITEM(to, RUNTIME));
    to->low = mls_bytes_min(least, to->allocated);
    /* The upper bound includes copies of the weights in FP8 or FP4. */
    const uint64_t narrow = j->fp4 ? mls_bytes_per(MUL(9, of.linear), 8) : j->fp8 ? of.linear : 0;
    to->high = ADD(mls_bytes_per(MUL(to->allocated, 11), 10), narrow, ITEM(to, RUNTIME));
}

mls_status mls_training_make(const mls_memory_ask *ask, mls_memory_estimate *to, mls_error *error)
{
    const mls_model_shape *m = &ask->shape;
    const uint64_t kind = VALUE(ask, PRECISION);
    mls_training j = {.ask = ask,
                      .m = m,
                      .t = VALUE(ask, TP),
                      .p = VALUE(ask, PP),
                      .c = VALUE(ask, CP),
                      .e = VALUE(ask, EP),
                      .v = VALUE(ask, VP),
                      .s = VALUE(ask, SEQUENCE),
                      .b = VALUE(ask, MICRO_BATCH),
                      .micro = VALUE(ask, ACCUMULATION),
                      .zero = VALUE(ask, ZERO),
                      .recompute = VALUE(ask, RECOMPUTE),
                      .rank = VALUE(ask, LORA),
                      .torch = VALUE(ask, FRAMEWORK) == MLS_FRAMEWORK_TORCH,
                      .amp = kind == MLS_AMP,
                      .fp8 = VALUE(ask, FP8) != 0,
                      .fp4 = VALUE(ask, FP4) != 0,
                      .dropout = VALUE(ask, DROPOUT) != 0,
                      .embed_slot = VALUE(ask, EMBED_SLOT) != 0,
                      .loss_slot = VALUE(ask, LOSS_SLOT) != 0};
    j.layout = ask->layout.count > 0 ? &ask->layout : NULL;
    j.classes = j.torch && (ask->model_type[0] != '\0' || ask->values[MLS_MEMORY_FSDP] != MLS_MEMORY_NOT_SET);
    j.fsdp = j.classes && j.zero >= 2;
    const bool narrow = j.fp8 || j.fp4;
    j.slots = ADD(m->layers, j.embed_slot, j.loss_slot);
    j.w = kind == MLS_FP32 ? 4 : 2;
    j.wp = kind == MLS_FP32 || kind == MLS_MIXED || j.amp ? 4 : 2;
    j.x = narrow ? 1 : j.w;
    j.z = VALUE(ask, FP8_ACTIVATIONS) != 0 ? 1 : j.w;
    j.low = VALUE(ask, FP8_ATTENTION) != 0 ? 1 : j.w;
    j.y = narrow ? j.low : j.w;
    j.A = VALUE(ask, SEQUENCE_PARALLEL) != 0 ? j.t : 1;
    j.S = j.s / j.c;
    j.T = MUL(j.S, j.b);
    const uint64_t multiple = MUL(VALUE(ask, VOCAB_MULTIPLE), j.t);
    j.V = MUL(mls_bytes_up(m->vocabulary, multiple), multiple);
    to->gpus = VALUE(ask, GPUS);
    const mls_status status = check_job(&j, to->gpus, error);
    if (status != MLS_OK)
        return status;
    to->data_parallel = to->gpus / MUL(j.t, j.p, j.c);
    to->global_batch = MUL(to->data_parallel, j.micro, j.b);
    j.n = MUL(to->data_parallel, j.c);
    if (ask->values[MLS_MEMORY_FSDP] == MLS_FSDP_HYBRID_SHARD) {
        const uint64_t of_node = mls_bytes_max(VALUE(ask, GPUS_PER_NODE) / j.t, 1);
        if (j.n > of_node && j.n % of_node != 0)
            return mls_layout_error(error, "data x context parallel", j.n, "GPUs of a node that share", of_node);
        j.n = mls_bytes_min(j.n, of_node);
    }
    to->shared_by = j.zero != 0 ? j.n : 1;
    /* As measured: the CUDA context of PyTorch and, with several GPUs, buffers of NCCL. */
    if (j.classes && ask->values[MLS_MEMORY_RUNTIME] == MLS_MEMORY_NOT_SET)
        ITEM(to, RUNTIME) = to->gpus > 1 ? UINT64_C(1700000000) : UINT64_C(900000000);
    mls_memory_estimate fullest = *to;
    for (uint64_t i = 0; i < j.p; i++) {
        mls_memory_estimate one = *to;
        fill_stage(&j, i, &one);
        const uint64_t low = mls_bytes_max(fullest.low, one.low);
        const uint64_t high = mls_bytes_max(fullest.high, one.high);
        fullest = i == 0 || one.estimate > fullest.estimate ? one : fullest;
        fullest.low = low;
        fullest.high = high;
    }
    *to = fullest;
    return MLS_OK;
}
