/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.h - read JSON objects (cJSON) and texts into structs, using a table of members. */
#pragma once

#include <cjson/cJSON.h>

#include "json/schema.h"

/* Read the members of an object into the struct at `row`, using a table of `count` members.  Members that are missing
 * or null leave the struct unchanged, and members that are not in the table are ignored.  If the table has a member
 * with the name "", it is set to the name of the object itself.  Return MLS_OK, or MLS_ERROR_VALUE with a message that
 * names the member. */
mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena,
                             void *row, mls_error *error) MLS_MUST_USE;

/* Read the objects in the list or object `name` of a data file into the array *rows, allocated in the arena, with
 * *row_count rows of `size` bytes.  Missing members get their empty value.  Return MLS_OK or MLS_ERROR_VALUE. */
mls_status mls_json_table_read(const cJSON *json, const char *name, const mls_row_member *members, size_t count,
                               mls_arena *arena, void **rows, size_t *row_count, size_t size,
                               mls_error *error) MLS_MUST_USE;

/* Parse an embedded data file; release it with cJSON_Delete().  Return MLS_OK, or MLS_ERROR_VALUE with the position of
 * the syntax error. */
mls_status mls_json_data(const char *name, cJSON **json, mls_error *error) MLS_MUST_USE;

/* Parse the items of the first list in an embedded data file one at a time, calling `take` for each.  Return the status
 * of `take` if it is not MLS_OK, which ends reading; otherwise a status like mls_json_data(). */
typedef mls_status (*mls_json_taker)(void *state, const cJSON *item, mls_error *error);
mls_status mls_json_data_each(const char *name, mls_json_taker take, void *state, mls_error *error) MLS_MUST_USE;

/* A value from a JSON file or a table cell, before it is stored in a struct. */
typedef struct mls_scalar {
    enum { MLS_SCALAR_NONE, MLS_SCALAR_TEXT, MLS_SCALAR_NUMBER, MLS_SCALAR_BOOL, MLS_SCALAR_OTHER } kind;
    mls_str text;
    double number; /* the value of a number; 0 or 1 for a boolean */
} mls_scalar;

/* Parse a text as a value for a member of the given kind.  For an empty text, the result is MLS_SCALAR_NONE, a missing
 * value; for a text that cannot be parsed, MLS_SCALAR_TEXT. */
mls_scalar mls_scalar_of_text(mls_member_kind kind, mls_str text);

/* An error message such as "class must be one of: …". */
typedef struct mls_member_refusal {
    char text[320];
} mls_member_refusal;

/* Format the error message for a member that mls_member_set() refused; `wanted` is the text that it returned. */
mls_member_refusal mls_member_refuse(const mls_row_member *member, const char *wanted);

/* Store a value in a member of the struct at `row`.  Return NULL, or, if the value is refused, a description of the
 * allowed values such as "a number". */
const char *mls_member_set(const mls_row_member *member, const mls_scalar *cell, mls_arena *arena,
                           void *row) MLS_MUST_USE;
