/* SPDX-License-Identifier: Apache-2.0 */
/* family.h - private to the memory room: the family of a config.json. */
#pragma once

#include "explain/memory/config_json.h"

/* Parts of a file not known or not counted; unsure: all of its figures may be wrong. */
typedef struct mls_memory_doubt {
    char words[MLS_MEMORY_DOUBT_MAX];
    bool unsure;
} mls_memory_doubt;

/* Add a sentence to a doubt, behind those that are there, unless it is there already. */
void mls_doubt_add(mls_memory_doubt *doubt, const char *format, ...) MLS_PRINTF(2, 3);

/* Return the model_type of a config.json's language part, else of the whole; "": it has none. */
const char *mls_family_type(const cJSON *outer);

/* Finds the family in the table of src/data/models.json, which must outlive `of`, and refuses what is known to be
 * beyond what can be counted. */
void mls_family_find(config_json *of, const cJSON *table, mls_memory_doubt *doubt);
