/* SPDX-License-Identifier: Apache-2.0 */
/* models.h - the models that benchmarks train and people ask for: what they are made of, what is known of their
 * training.
 *
 * The table is embedded in the library (src/data/models.json, which names its sources); once loaded it never changes
 * and any number of threads may look at it.  What is not known is said to be: 0 of a count, NAN of a number, NULL of a
 * text. */
#pragma once

#include "base/base.h"

/** Which linear layers have biases: query, key and value; these and the attention's output; all. */
typedef enum mls_biases {
    MLS_BIASES_NOT_SAID,
    MLS_BIASES_NONE,
    MLS_BIASES_QKV,
    MLS_BIASES_ATTENTION,
    MLS_BIASES_ALL
} mls_biases;

typedef enum mls_said { MLS_NOT_SAID, MLS_SAID_NO, MLS_SAID_YES } mls_said;

/** Layers that are alike in what they keep of a token: for each of kv_heads, which tensor parallelism shares out,
 * `width` numbers, key and value. */
typedef struct mls_layer_cache {
    uint64_t layers, kv_heads, width;
    uint64_t window; /**< tokens that they look back; 0: all */
} mls_layer_cache;

enum { MLS_LAYER_CACHES_MAX = 8, MLS_LAYER_SET_MAX = 512 };

/** Which layers are of a kind: a bit for each of the first MLS_LAYER_SET_MAX. */
typedef struct mls_layer_set {
    uint64_t bits[MLS_LAYER_SET_MAX / 64];
} mls_layer_set;

/** The architecture of a transformer.  Nothing is filled in that was not said: 0 stands for what is absent. */
typedef struct mls_model_shape {
    uint64_t layers, hidden, heads, kv_heads, head_dim;
    uint64_t ffn, ffn_matrices;                          /**< 3 matrices where the feed-forward is gated, else 2 */
    uint64_t experts, experts_per_token, shared_experts; /**< experts 0: all layers are dense */
    uint64_t expert_ffn, dense_layers;                   /**< the first layers are dense ones */
    uint64_t expert_hidden; /**< the width that routed experts work on behind a projection; 0: hidden */
    uint64_t vocabulary, vocabulary_checkpoint;   /**< rows of the embedding, where a checkpoint has others */
    uint64_t sequence, positions, sliding_window; /**< tokens; positions that are learned */
    uint64_t sliding_layers;                      /**< layers that look back sliding_window tokens only */
    uint64_t norm_vectors;                        /**< 1 RMSNorm, 2 LayerNorm */
    uint64_t layer_norms;                         /**< of a layer; 0: two */
    uint64_t q_lora_rank, kv_lora_rank;           /**< kv_lora_rank 0: no latent attention (MLA) */
    uint64_t qk_nope_head_dim, qk_rope_head_dim, value_head_dim;
    uint64_t other_parameters; /**< beside the transformer, such as a vision tower's */
    uint64_t tower_parameters; /**< of what reads pictures or hears sound, and joins it to the language part */
    mls_layer_cache caches[MLS_LAYER_CACHES_MAX];
    uint64_t cache_kinds; /**< how many of them; 0: they follow from the rest */
    uint64_t state_bytes; /**< of fixed size, that layers such as Mamba's keep for each user, in all of them */
    uint64_t counted;     /**< parameters, where layers are not alike; 0: they follow from the rest */
    /** Of those, where they are not alike; plain: with a feed-forward without experts. */
    uint64_t attention_layers, state_layers, expert_layers, plain_layers;
    /** Which layers these are; empty where it is not known. */
    mls_layer_set attention_set, state_set, expert_set, dense_set;
    mls_biases biases;
    mls_said dropout, tied_embeddings;
    bool expert_biases, router_biases; /**< of experts and router; one an expert in the router */
    bool sinks, qk_norms;              /**< a sink a head; norms of query and key */
} mls_model_shape;

typedef enum mls_epoch_meaning { MLS_EPOCH_IS_EPOCHS, MLS_EPOCH_IS_TOKENS, MLS_EPOCH_IS_SAMPLES } mls_epoch_meaning;

/** One model.  The strings end in NUL and live as long as the table. */
typedef struct mls_model {
    const char *key;  /**< the benchmark's name, where it is one: "llama31_405b" */
    const char *name; /**< "Llama 3.1 405B" */
    mls_model_shape shape;
    double parameters;
    /** FLOPs of the model, forward and backward, nothing recomputed; causal: half of the attention. */
    double flops_per_token, flops_per_sample, flops_per_sample_causal;
    double flops_per_sample_derived; /**< counted from its architecture, held against nobody's figure */
    double flops_per_sample_at_most; /**< a bound, where the length of a sample is not fixed */
    const char *note;                /**< what one has to know of these figures */
    double tokens_per_sample;
    mls_epoch_meaning epoch_num_is;   /**< what epoch_num of an evaluation counts */
    bool epoch_num_may_start_at_1;    /**< most loggers begin at 1 */
    double training_set;              /**< samples of one epoch; see mls_model_training_set() */
    const char *training_set_edition; /**< from which on it counts; NULL: in all of them */
    double training_set_before;       /**< what counted before that one */
} mls_model;

typedef struct mls_models {
    struct mls_arena *arena; /**< of everything */
    mls_model *items;
    size_t count;
} mls_models;

/** Reads the table, to be given to mls_models_free() in any case.  MLS_ERROR_VALUE for broken data. */
mls_status mls_models_load(mls_models **models, mls_error *error) MLS_MUST_USE;
void mls_models_free(mls_models *models);

/** The model of a benchmark's name, NULL when there is none. */
const mls_model *mls_models_of_benchmark(const mls_models *models, mls_str benchmark);

/** The model that a person names by its key or name; only letters and digits count, their case does not.  Or NULL. */
const mls_model *mls_models_find(const mls_models *models, mls_str text);

/** Samples of one epoch as of an edition's number (0: not known), NAN when that is not known. */
double mls_model_training_set(const mls_model *model, unsigned edition);
