/* SPDX-License-Identifier: Apache-2.0 */
/* towers.h - private to the memory room: the parts of a model that read pictures or hear sound. */
#pragma once

#include "explain/memory/family.h"

/* Counts them by the towers and projectors of src/data/models.json into the shape; a part that is not known there is a
 * doubt. */
void mls_towers_read(config_json *of, const cJSON *table, mls_model_shape *shape, mls_memory_doubt *doubt);
