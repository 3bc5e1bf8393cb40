/* SPDX-License-Identifier: Apache-2.0 */
/* json_row.h - an object of JSON (cJSON's) into a struct: a table says which member goes where, and what it may be. */
#ifndef MLS_BASE_JSON_ROW_H
#define MLS_BASE_JSON_ROW_H

#include <cjson/cJSON.h>

#include "base/memory.h"

typedef enum mls_member_kind {
    MLS_MEMBER_COUNT,  /* uint64_t: a whole number from 0 to 2^53, beyond which a double is no longer exact */
    MLS_MEMBER_NUMBER, /* double */
    MLS_MEMBER_BOOL,   /* bool */
    MLS_MEMBER_SAID,   /* unsigned: 1 false, 2 true, so that 0 is "not said" */
    MLS_MEMBER_TEXT,   /* const char *, copied into the arena */
    MLS_MEMBER_WORD,   /* unsigned: the place of a text in `words`, from 1 on */
} mls_member_kind;

typedef struct mls_row_member {
    const char *name; /* "flops.per_token" is of the object `flops` */
    mls_member_kind kind;
    size_t offset;
    const char *words; /* "up down" */
} mls_row_member;

#define MLS_MEMBER_OF(type, name, kind, member, words)                                                                 \
    {                                                                                                                  \
        name, MLS_MEMBER_##kind, offsetof(type, member), words                                                         \
    }

/*
 * Fills what the object has; what is absent or null stays as it is, members without a row are ignored.
 * MLS_ERROR_VALUE with a message that names the member, or MLS_ERROR_MEMORY.
 */
mls_status mls_json_row_read(const cJSON *object, const mls_row_member *members, size_t count, mls_arena *arena,
                             void *row, mls_error *error) MLS_MUST_USE;

/* Parses an embedded data file, to be given to cJSON_Delete(); NULL: no memory. */
cJSON *mls_json_data(const char *name) MLS_MUST_USE;

#endif
