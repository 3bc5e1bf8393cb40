/* SPDX-License-Identifier: Apache-2.0 */
/* model_row.h - one model of JSON, for models.c and for files of the user's own. */
#pragma once

#include "explain/models.h"
#include "json/json_row.h"

/* Fills a model with what an object with the members of src/data/models.json says, texts copied into the arena.
 * MLS_ERROR_VALUE with a message that names the member. */
mls_status mls_model_read(const cJSON *object, mls_arena *arena, mls_model *model, mls_error *error) MLS_MUST_USE;
