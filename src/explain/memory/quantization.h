/* SPDX-License-Identifier: Apache-2.0 */
/* quantization.h - private to the memory room: the quantization_config of a config.json. */
#pragma once

#include "explain/memory/family.h"

/* The quantization_config of a model: in which form its numbers are kept. */
typedef struct mls_quantized {
    mls_memory_form form; /* no bytes: nothing, or nothing that is known */
    int64_t kv_precision; /* MLS_MEMORY_NOT_SET: it says nothing of the KV cache */
} mls_quantized;

/* Read in which form the weights of a complete shape and its KV cache are kept, and count the bytes of the weights.
 * `type` is the model_type.  A method that is not known becomes a doubt.  Return MLS_ERROR_VALUE with what cannot be,
 * or MLS_ERROR_MEMORY. */
mls_status mls_quantization_read(const cJSON *json, const char *type, const mls_model_shape *shape, mls_quantized *to,
                                 mls_memory_doubt *doubt, mls_error *error) MLS_MUST_USE;
