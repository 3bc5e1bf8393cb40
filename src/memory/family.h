/* SPDX-License-Identifier: Apache-2.0 */
/* family.h - private to the memory room: the family of a config.json. */
#pragma once

#include "memory/config_json.h"

/* Parts of a file not known or not counted; unsure: all of its figures may be wrong. */
typedef struct mls_memory_doubt {
    char words[MLS_MEMORY_DOUBT_MAX];
    bool unsure;
} mls_memory_doubt;

/* Finds the family in the table of src/data/models.json, which must outlive `of`, and refuses what is known to be
 * beyond what can be counted. */
void mls_family_find(config_json *of, const cJSON *table, mls_memory_doubt *doubt);
