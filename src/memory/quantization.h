/* SPDX-License-Identifier: Apache-2.0 */
/* quantization.h - private to the memory room: the quantization_config of a config.json. */
#pragma once

#include "memory/family.h"

/* Reads in which form the weights of a complete shape are kept, and counts their bytes; none where the file has no
 * quantization_config, or one of a method that is not known, which becomes a doubt.  MLS_ERROR_VALUE with what cannot
 * be, or MLS_ERROR_MEMORY. */
mls_status mls_quantization_read(const cJSON *json, const mls_model_shape *shape, mls_memory_form *to,
                                 mls_memory_doubt *doubt, mls_error *error) MLS_MUST_USE;
