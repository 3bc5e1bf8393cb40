/* SPDX-License-Identifier: Apache-2.0 */
/* models.h - the table of models that benchmarks train or users name: their architecture and training costs.
 *
 * The table is embedded in the library (src/data/models.json, which cites its sources).  After loading it never
 * changes, so any number of threads may use it.  Unknown values are 0 for counts, NAN for numbers and NULL for texts.
 */
#pragma once

#include "base/base.h"

/** The linear layers with biases: query, key and value; these and the attention's output; all. */
typedef enum mls_biases {
    MLS_BIASES_NOT_SAID,
    MLS_BIASES_NONE,
    MLS_BIASES_QKV,
    MLS_BIASES_ATTENTION,
    MLS_BIASES_ALL
} mls_biases;

typedef enum mls_said { MLS_NOT_SAID, MLS_SAID_NO, MLS_SAID_YES } mls_said;

/** Layers with equal KV caches.  For each token they store a key and a value of `width` numbers per KV head; tensor
 * parallelism divides the heads. */
typedef struct mls_layer_cache {
    uint64_t layers, kv_heads, width;
    uint64_t window; /**< length of the attention window in tokens; 0: unlimited */
} mls_layer_cache;

enum { MLS_LAYER_CACHES_MAX = 8, MLS_LAYER_SET_MAX = 512 };

/** A set of layers: one bit for each of the first MLS_LAYER_SET_MAX layers. */
typedef struct mls_layer_set {
    uint64_t bits[MLS_LAYER_SET_MAX / 64];
} mls_layer_set;

/** The architecture of a transformer.  Values that the source does not contain are 0. */
typedef struct mls_model_shape {
    uint64_t layers, hidden, heads, kv_heads, head_dim;
    uint64_t ffn, ffn_matrices;                          /**< 3 matrices if the feed-forward is gated, else 2 */
    uint64_t experts, experts_per_token, shared_experts; /**< experts 0: all layers are dense */
    uint64_t expert_ffn, dense_layers;                   /**< number of dense layers at the start */
    uint64_t expert_hidden;                     /**< width of routed experts that work behind a projection; 0: hidden */
    uint64_t vocabulary, vocabulary_checkpoint; /**< rows of the embedding, and those in a checkpoint if they differ */
    uint64_t sequence, positions, sliding_window; /**< tokens; number of learned positions */
    uint64_t sliding_layers;                      /**< layers with an attention window of sliding_window tokens */
    uint64_t norm_vectors;                        /**< 1 RMSNorm, 2 LayerNorm */
    uint64_t layer_norms;                         /**< number of norms per layer; 0: two */
    uint64_t q_lora_rank, kv_lora_rank;           /**< kv_lora_rank 0: no latent attention (MLA) */
    uint64_t qk_nope_head_dim, qk_rope_head_dim, value_head_dim;
    uint64_t other_parameters; /**< parameters outside the transformer, such as a vision tower's */
    uint64_t
        tower_parameters; /**< parameters of vision or audio towers and their projections into the language model */
    mls_layer_cache caches[MLS_LAYER_CACHES_MAX];
    uint64_t cache_kinds; /**< number of `caches`; 0: derived from the other members */
    uint64_t state_bytes; /**< size of the fixed state per sequence, such as Mamba's, over all layers */
    uint64_t counted;     /**< parameter count if layers differ; 0: derived from the other members */
    /** Numbers of layers of each kind if layers differ; plain: with a feed-forward without experts. */
    uint64_t attention_layers, state_layers, expert_layers, plain_layers;
    /** The layers of each kind; empty if unknown. */
    mls_layer_set attention_set, state_set, expert_set, dense_set;
    mls_biases biases;
    mls_said dropout, tied_embeddings;
    bool expert_biases, router_biases; /**< biases in the experts, and one per expert in the router */
    bool sinks, qk_norms;              /**< one sink per head; norms of query and key */
} mls_model_shape;

typedef enum mls_epoch_meaning { MLS_EPOCH_IS_EPOCHS, MLS_EPOCH_IS_TOKENS, MLS_EPOCH_IS_SAMPLES } mls_epoch_meaning;

/** One model.  Strings end in NUL and live as long as the table. */
typedef struct mls_model {
    const char *key;  /**< name of the benchmark, if it is one: "llama31_405b" */
    const char *name; /**< "Llama 3.1 405B" */
    mls_model_shape shape;
    double parameters;
    /** Model FLOPs, forward and backward, without recomputation; causal: with half of the attention. */
    double flops_per_token, flops_per_sample, flops_per_sample_causal;
    double flops_per_sample_derived; /**< computed from the architecture, not checked against a published figure */
    double flops_per_sample_at_most; /**< upper bound if the length of samples varies */
    const char *note;                /**< caveats about these figures */
    double tokens_per_sample;
    mls_epoch_meaning epoch_num_is;   /**< unit of epoch_num in evaluations */
    bool epoch_num_may_start_at_1;    /**< most loggers count from 1 */
    double training_set;              /**< samples per epoch; see mls_model_training_set() */
    const char *training_set_edition; /**< first edition with this training set; NULL: all editions */
    double training_set_before;       /**< samples per epoch before that edition */
} mls_model;

typedef struct mls_models {
    struct mls_arena *arena; /**< owns all data */
    mls_model *items;
    size_t count;
} mls_models;

/** Load the table.  Free *models with mls_models_free() in any case.  Return MLS_ERROR_VALUE if the data are broken. */
mls_status mls_models_load(mls_models **models, mls_error *error) MLS_MUST_USE;
void mls_models_free(mls_models *models);

/** Return the model that a benchmark trains, or NULL. */
const mls_model *mls_models_of_benchmark(const mls_models *models, mls_str benchmark);

/** Return the model with this key or name, or NULL. Only letters and digits are compared, without case. */
const mls_model *mls_models_find(const mls_models *models, mls_str text);

/** Return the samples per epoch in an edition, given by its number (0: unknown edition).  Return NAN if unknown. */
double mls_model_training_set(const mls_model *model, unsigned edition);
