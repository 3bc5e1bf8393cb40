/* SPDX-License-Identifier: Apache-2.0 */
/* training.h - internal functions of training.c and pytorch.c: a training job and one stage of its pipeline. */
#pragma once

#include "explain/memory/sizes.h"

/* The settings, named by the letters used in the formulas. */
typedef struct mls_training {
    const mls_memory_ask *ask;
    const mls_model_shape *m;
    const mls_pipeline_layout *layout; /* NULL: all stages have the same number of layers */
    uint64_t t, p, c, e, v;   /* tensor, pipeline, context and expert parallel sizes; number of chunks of a stage */
    uint64_t n;               /* GPUs that share the same parameters */
    uint64_t s, S, b, micro;  /* tokens of a sequence: s in all, S on one GPU; b sequences per micro-batch */
    uint64_t T, A;            /* tokens of a micro-batch on one GPU; A is t with sequence parallelism, else 1 */
    uint64_t w, wp, x, z;     /* bytes of a computed number, a parameter, an input of a linear layer, an input of the
                                 activation function */
    uint64_t y, low;          /* bytes of a number of query, key or value: the estimate and the lower bound */
    uint64_t V;               /* padded vocabulary */
    uint64_t zero, recompute; /* values of the settings ZERO and RECOMPUTE */
    uint64_t rank;            /* rank of the adapters; 0: all parameters are trained */
    uint64_t slots;           /* number of layers, plus parts that count as layers */
    bool torch;
    bool classes; /* PyTorch trains a model class of the transformers library, see pytorch.c */
    bool fsdp;    /* FSDP shards weights, gradients and optimizer; needs `classes` */
    bool amp, fp8, fp4, dropout, embed_slot, loss_slot;
} mls_training;

/* One stage of the pipeline. */
typedef struct mls_training_stage {
    bool first, last;
    uint64_t layers, experts; /* number of layers, and of layers with experts */
    uint64_t predictors;      /* number of layers that predict one more token */
    uint64_t linear, routed, parameters, adapters, trained;
    uint64_t words;             /* parameters of the embedding or of the head */
    uint64_t chunks;            /* number of chunks in flight */
    uint64_t flight, of_flight; /* fraction of the stage that is in flight, in chunks or layers */
} mls_training_stage;

/* Return the number of layers of a stage that keep all of their activations. */
uint64_t mls_stage_kept(const mls_training *j, const mls_training_stage *of);

/* Return the bytes of activations that one layer keeps for the backward pass. */
typedef uint64_t (*mls_layer_bytes)(const mls_training *j, bool experts);

/* Return the bytes that the layers of a stage keep for all micro-batches in flight, without embedding and head, where
 * `layer` computes those of one layer. */
uint64_t mls_stage_activations(const mls_training *j, const mls_training_stage *of, mls_layer_bytes layer);

/* Return the number of tokens whose logits exist at once.  A chunked loss computes as many logits as there are hidden
 * numbers at once, like the kernels of Liger. */
uint64_t mls_loss_tokens(const mls_training *j);

/* Set all items of a stage of a job with `classes`, and to->allocated, for the moment at which most memory is
 * allocated.  WEIGHTS and OPTIMIZER must be set. */
void mls_pytorch_fill(const mls_training *j, const mls_training_stage *of, mls_memory_estimate *to);
