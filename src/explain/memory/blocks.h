/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.h - private to the memory room: block_configs of a config.json. */
#pragma once

#include "explain/memory/config_json.h"

/* Counts the layers one by one, and groups what they cache; refuses kinds that are not known. */
void mls_config_read_blocks(config_json *of, const cJSON *blocks, mls_model_shape *shape);
