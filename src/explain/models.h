/* SPDX-License-Identifier: Apache-2.0 */
/* models.h - the table of models: the architecture and the training costs of the models that benchmarks train, and of
 * other models that users may name.
 *
 * The table is embedded in the library (src/data/models.json, which cites its sources).  After loading it never
 * changes, so any number of threads may use it.  An unknown value is 0 if it is an integer, NAN if it is a double, and
 * NULL if it is a text.
 */
#pragma once

#include "base/base.h"

/** The linear layers that have biases. */
typedef enum mls_biases {
    MLS_BIASES_NOT_SAID, /**< unknown */
    MLS_BIASES_NONE,
    MLS_BIASES_QKV,       /**< query, key and value */
    MLS_BIASES_ATTENTION, /**< query, key, value and the output of attention */
    MLS_BIASES_ALL        /**< all linear layers */

} mls_biases;

/** A flag that may be unknown (MLS_NOT_SAID). */
typedef enum mls_said { MLS_NOT_SAID, MLS_SAID_NO, MLS_SAID_YES } mls_said;

/** `layers` layers with equal KV caches.  For each token, each layer stores a key and a value per KV head;
 * the two have `width` numbers together.  Tensor parallelism divides the KV heads among GPUs. */
typedef struct mls_layer_cache {
    uint64_t layers, kv_heads, width;
    uint64_t window; /**< length of the attention window in tokens; 0: unlimited */
    uint64_t tokens; /**< number of tokens that are compressed into one entry; 0: each token has an entry */
} mls_layer_cache;

enum { MLS_LAYER_CACHES_MAX = 8, MLS_LAYER_SET_MAX = 512 };

/** A set of layers: one bit for each of the first MLS_LAYER_SET_MAX layers. */
typedef struct mls_layer_set {
    uint64_t bits[MLS_LAYER_SET_MAX / 64];
} mls_layer_set;

/** The architecture of a transformer.  A size is 0 if the table or the model's file does not contain it. */
typedef struct mls_model_shape {
    uint64_t layers, hidden, heads, kv_heads, head_dim;
    uint64_t ffn, ffn_matrices; /**< width of a feed-forward layer; number of its matrices: 3 if it is gated, else 2 */
    uint64_t experts, experts_per_token, shared_experts; /**< numbers of routed experts, of those used per token, and of
                                                            shared experts; experts is 0 if all layers are dense */
    uint64_t expert_ffn, dense_layers; /**< feed-forward width of an expert; number of dense layers at the start */
    uint64_t expert_hidden;            /**< width of the vectors that routed experts work on; 0: `hidden`.
                                        *   If it differs from `hidden`, projections connect the two. */
    uint64_t vocabulary, vocabulary_checkpoint;   /**< rows of the embedding; rows in a checkpoint (0: the same) */
    uint64_t sequence, positions, sliding_window; /**< tokens per sequence; learned positions; tokens in the window */
    uint64_t sliding_layers;                      /**< layers with an attention window of sliding_window tokens */
    uint64_t norm_vectors;                        /**< vectors of a norm: 1 for RMSNorm, 2 for LayerNorm */
    uint64_t layer_norms;                         /**< number of norms per layer; 0: two */
    uint64_t q_lora_rank, kv_lora_rank;           /**< of latent attention (MLA); kv_lora_rank is 0 without it */
    uint64_t qk_nope_head_dim, qk_rope_head_dim, value_head_dim;
    uint64_t other_parameters; /**< number of parameters outside the transformer, such as those of a vision tower */
    uint64_t tower_parameters; /**< number of parameters of vision or audio towers and their projections */
    mls_layer_cache caches[MLS_LAYER_CACHES_MAX];
    uint64_t cache_kinds; /**< number of `caches`; 0: derived from the other members */
    uint64_t state_bytes; /**< size of the fixed state (such as that of Mamba) per sequence, in all layers */
    uint64_t counted;     /**< number of parameters if layers differ; 0: derive it from the other members */
    /** If layers differ: the number of layers with attention, with a fixed state, with experts, and with a feed-forward
     * without experts. */
    uint64_t attention_layers, state_layers, expert_layers, plain_layers;
    /** The layers with attention, with a fixed state, with experts, and without experts.  An empty set is unknown. */
    mls_layer_set attention_set, state_set, expert_set, dense_set;
    mls_biases biases;
    mls_said dropout, tied_embeddings;
    bool expert_biases, router_biases; /**< the experts have biases; the router has one bias per expert */
    bool sinks, qk_norms;              /**< attention has one sink per head; queries and keys have norms */
} mls_model_shape;

/** The unit of epoch_num in a log. */
typedef enum mls_epoch_meaning { MLS_EPOCH_IS_EPOCHS, MLS_EPOCH_IS_TOKENS, MLS_EPOCH_IS_SAMPLES } mls_epoch_meaning;

/** One model.  Its strings end in NUL and are valid until the table is freed. */
typedef struct mls_model {
    const char *key;  /**< name of the benchmark that trains the model, if any: "llama31_405b" */
    const char *name; /**< "Llama 3.1 405B" */
    mls_model_shape shape;
    double parameters;
    /** FLOPs of the forward and backward pass, without recomputation, as a published source counts them.
     * flops_per_sample_causal counts only half of the attention. */
    double flops_per_token, flops_per_sample, flops_per_sample_causal;
    double flops_per_sample_derived; /**< the same, computed from the architecture instead */
    double flops_per_sample_at_most; /**< upper bound of FLOPs per sample, if the length of samples varies */
    const char *note;                /**< caveats about the FLOPs */
    double tokens_per_sample;
    mls_epoch_meaning epoch_num_is;   /**< unit of epoch_num in evaluations */
    bool epoch_num_may_start_at_1;    /**< the first epoch_num may be 1 instead of 0 */
    double training_set;              /**< samples per epoch; see mls_model_training_set() */
    const char *training_set_edition; /**< first edition with this training set; NULL: all editions */
    double training_set_before;       /**< samples per epoch before training_set_edition */
} mls_model;

typedef struct mls_models {
    struct mls_arena *arena; /**< owns all data */
    mls_model *items;
    size_t count;
} mls_models;

/** Load the table.  Call mls_models_free() even if loading fails.  Return MLS_ERROR_VALUE if the embedded data are
 * invalid. */
mls_status mls_models_load(mls_models **models, mls_error *error) MLS_MUST_USE;
void mls_models_free(mls_models *models);

/** Return the model that a benchmark trains, or NULL if the table does not contain it. */
const mls_model *mls_models_of_benchmark(const mls_models *models, mls_str benchmark);

/** Return the model whose key or name is `text`, or NULL if the table does not contain it.  Case, and characters other
 * than letters and digits, are ignored. */
const mls_model *mls_models_find(const mls_models *models, mls_str text);

/** Return the number of samples per epoch in an edition, or NAN if it is unknown.  `edition` is the number that
 * mls_edition_number() returns; 0: the edition is unknown. */
double mls_model_training_set(const mls_model *model, unsigned edition);
