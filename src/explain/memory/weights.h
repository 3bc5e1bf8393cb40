/* SPDX-License-Identifier: Apache-2.0 */
/* weights.h - private to the memory room: the bytes of a model's weights, where not all of them are kept alike. */
#pragma once

#include <cjson/cJSON.h>

#include "explain/memory/sizes.h"

/* The parts of a model, in the order of their names in src/data/quantization.json. */
typedef enum mls_weight_part {
    MLS_WEIGHT_EMBEDDING,
    MLS_WEIGHT_HEAD,
    MLS_WEIGHT_QUERY,
    MLS_WEIGHT_KEY,
    MLS_WEIGHT_VALUE,
    MLS_WEIGHT_OUTPUT,
    MLS_WEIGHT_GATE,
    MLS_WEIGHT_UP,
    MLS_WEIGHT_DOWN,
    MLS_WEIGHT_EXPERTS,
    MLS_WEIGHT_EXPERTS_DOWN,
    MLS_WEIGHT_SHARED,
    MLS_WEIGHT_SHARED_DOWN,
    MLS_WEIGHT_ROUTER,
    MLS_WEIGHT_STATE,
    MLS_WEIGHT_COUNT
} mls_weight_part;

/* "embedding", "head" … */
extern const char *const mls_weight_names[MLS_WEIGHT_COUNT];

/* How numbers are kept, in thousandths of a bit: each, and what a group of so many has beside, such as a scale.  group
 * 0: a row of their matrix. */
typedef struct mls_number_form {
    uint64_t group, each, beside;
} mls_number_form;

/* Which part of which layer is kept in which form.  Begins as {0} and is released in any case. */
enum { MLS_FORMS_MAX = 16 };
typedef struct mls_weights_plan {
    mls_number_form forms[MLS_FORMS_MAX];
    size_t form_count;
    unsigned rest; /* the form of norms, biases and all that is no part */
    uint64_t layers;
    unsigned char *marks; /* the form of each layer of each part; the embedding and the head have one */
    unsigned char usual[MLS_WEIGHT_COUNT]; /* the form that all layers of a part were marked with at once, last */
} mls_weights_plan;

/* Makes a plan in which everything is kept in 16 bits, its form 0.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_weights_plan_new(mls_weights_plan *plan, const mls_model_shape *shape, mls_error *error) MLS_MUST_USE;
void mls_weights_plan_release(mls_weights_plan *plan);

/* Adds a form; its place. */
unsigned mls_weights_plan_add(mls_weights_plan *plan, mls_number_form form);

/* Marks all layers of a part. */
void mls_weights_plan_mark(mls_weights_plan *plan, mls_weight_part part, unsigned form);

static inline uint64_t mls_weights_layers(const mls_weights_plan *plan, mls_weight_part part)
{
    return part <= MLS_WEIGHT_HEAD ? 1 : plan->layers;
}

static inline unsigned char *mls_weights_marks(const mls_weights_plan *plan, mls_weight_part part)
{
    return plan->marks + (size_t)part * (size_t)plan->layers;
}

/* The length of the rows of a part's matrices. */
uint64_t mls_weights_row(const mls_model_shape *shape, mls_weight_part part);

/* Return the bytes of all weights, and in numbers (NULL: nobody asks) how many numbers each form has. */
uint64_t mls_weights_bytes(const mls_weights_plan *plan, const mls_model_shape *shape, uint64_t numbers[MLS_FORMS_MAX]);

/* Marks what quantizers take by default in this form: the linear layers, or the routed experts alone, but for the head
 * and the router. */
void mls_weights_plan_quantize(mls_weights_plan *plan, mls_number_form form, bool experts_alone);

/* The bytes of a plan and what is to be said of it: who quantizes so, and the form of most parts; NULL: there is none.
 */
void mls_weights_describe(const mls_weights_plan *plan, const mls_model_shape *shape, const char *name,
                          const mls_number_form *form, mls_memory_form *to);

/* The weights of the whole model in a precision: n / q bytes; those that published checkpoints hold, where these are
 * others and known, else 0; and how they are kept, where they are not alike. */
typedef struct mls_weights {
    uint64_t n, q, published;
    bool decides; /* the verdict is of the published ones */
    mls_memory_form form;
} mls_weights;

/* MLS_OK, or MLS_ERROR_MEMORY. */
mls_status mls_weights_of(const mls_memory_ask *ask, uint64_t parameters, mls_weights *weights,
                          mls_error *error) MLS_MUST_USE;

/* Whether the quantization of the model's file counts: nobody asks for another precision. */
static inline bool mls_memory_is_quantized(const mls_memory_ask *ask)
{
    return ask->quantization.bytes != 0 && ask->values[MLS_MEMORY_PRECISION] == MLS_MEMORY_NOT_SET;
}

/* The memory of one GPU with these weights, n / q bytes of them.  MLS_ERROR_VALUE with what does not divide. */
mls_status mls_inference_make(const mls_memory_ask *ask, const mls_weights *weights, mls_memory_estimate *to,
                              mls_error *error) MLS_MUST_USE;
