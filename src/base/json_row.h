/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.h - an object of JSON (cJSON's) into a struct, by a table of its members. */
#ifndef MLS_BASE_JSON_ROW_H
#define MLS_BASE_JSON_ROW_H

#include <cjson/cJSON.h>

#include "base/member.h"

/*
 * Fills what the object has; what is absent or null stays as it is, members without a row are ignored.
 * MLS_ERROR_VALUE with a message that names the member, or MLS_ERROR_MEMORY.
 */
mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena, void *row,
                             mls_error *error) MLS_MUST_USE;

/* Parses an embedded data file, to be given to cJSON_Delete(); NULL: no memory. */
cJSON *mls_json_data(const char *name) MLS_MUST_USE;

#endif
