/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.h - an object of JSON (cJSON's) into a struct, by a table of its members. */
#pragma once

#include <cjson/cJSON.h>

#include "json/member.h"

/* Fills what the object has; what is absent or null stays as it is, members without a row are ignored.  A member
 * called "" is the name that the object itself has.
 * MLS_ERROR_VALUE with a message that names the member. */
mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena,
                             void *row, mls_error *error) MLS_MUST_USE;

/* Reads the objects that `name` of a data file holds, in a list or an object, into *rows of `size` bytes in the arena,
 * *row_count of them; what an object lacks is none.  MLS_ERROR_VALUE. */
mls_status mls_json_table_read(const cJSON *json, const char *name, const mls_row_member *members, size_t count,
                               mls_arena *arena, void **rows, size_t *row_count, size_t size,
                               mls_error *error) MLS_MUST_USE;

/* Parses an embedded data file, to be given to cJSON_Delete().  MLS_ERROR_VALUE with the place in the file, where that
 * is not JSON. */
mls_status mls_json_data(const char *name, cJSON **json, mls_error *error) MLS_MUST_USE;

/* Parses the items of the first list in an embedded data file, each when the one before it has been taken.  Returns as
 * mls_json_data() does, or what `take` returned of the item that is not MLS_OK. */
typedef mls_status (*mls_json_taker)(void *state, const cJSON *item, mls_error *error);
mls_status mls_json_data_each(const char *name, mls_json_taker take, void *state, mls_error *error) MLS_MUST_USE;
