/* SPDX-License-Identifier: Apache-2.0 */
/* model_row.h - read one model from a JSON object; used by models.c, and for model files that users write. */
#pragma once

#include "explain/models.h"
#include "json/json_row.h"

/* Read a model from a JSON object with the same members as an object in src/data/models.json.  Texts are copied into
 * the arena.  Return MLS_ERROR_VALUE with a message that names the invalid member if there is one. */
mls_status mls_model_read(const cJSON *object, mls_arena *arena, mls_model *model, mls_error *error) MLS_MUST_USE;
