/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - structs as JSON and back: one table of members serves both ways, so that writer and reader cannot
 * disagree.
 *
 * A member that holds nothing of its kind (NULL, NAN, 0, false, no item) is left out, and what is left out is nothing
 * when it is read.  A number is written so that the same double is read back; one that is not finite is the text "inf",
 * "-inf" or "nan".  A text that is not UTF-8 keeps its bytes.  What is read may be hostile: it was validated as JSON,
 * and a member without a row, of another type or beyond its limit is refused. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "json/value.h"

typedef enum mls_schema_kind {
    MLS_SCHEMA_TEXT,   /* char *, to be given to free() */
    MLS_SCHEMA_KEPT,   /* const char *, of the room */
    MLS_SCHEMA_STR,    /* mls_str, of the room */
    MLS_SCHEMA_JSON,   /* const char *, of the room: the text of a value of JSON, which is validated */
    MLS_SCHEMA_RAW,    /* mls_str: a value of JSON as it stands; what is read is a span of the text */
    MLS_SCHEMA_NUMBER, /* double */
    MLS_SCHEMA_AMOUNT, /* double of which 0 is nothing */
    MLS_SCHEMA_SIZE,   /* size_t, uint64_t */
    MLS_SCHEMA_U32,    /* uint32_t */
    MLS_SCHEMA_BOOL,
    MLS_SCHEMA_WORD,     /* an enumeration, below `limit` */
    MLS_SCHEMA_OBJECT,   /* a struct with the members `of` */
    MLS_SCHEMA_LIST,     /* MLS_LIST_OF() structs with the members `of`, `limit` of them at most, from malloc() */
    MLS_SCHEMA_ROWS,     /* the same, of members that are all SIZE: each struct is a list of their values, [[1,8]] */
    MLS_SCHEMA_TEXTS,    /* mls_names */
    MLS_SCHEMA_FINDINGS, /* mls_findings */
} mls_schema_kind;

typedef struct mls_schema_member {
    mls_str name;
    mls_schema_kind kind;
    size_t offset, limit;
    const struct mls_schema *of;
} mls_schema_member;

typedef struct mls_schema {
    const mls_schema_member *members;
    size_t count;
    size_t size; /* of the struct */
} mls_schema;

/* A row of the table of a type; one of an enumeration or a list, with what is beyond its limit; one of a struct. */
#define MLS_FIELD(type, name, kind, member) MLS_FIELD_MOST(type, name, kind, member, 0, NULL)
#define MLS_FIELD_IN(type, name, member, of) MLS_FIELD_MOST(type, name, OBJECT, member, 0, of)
#define MLS_FIELD_MOST(type, name, kind, member, limit, of)                                                            \
    {                                                                                                                  \
        MLS_STR(name), MLS_SCHEMA_##kind, offsetof(type, member), limit, of                                            \
    }
#define MLS_SCHEMA_OF(type, members)                                                                                   \
    {                                                                                                                  \
        members, sizeof(members) / sizeof *(members), sizeof(type)                                                     \
    }

/* Where what is read is put. */
typedef struct mls_schema_room {
    mls_map texts;     /* each text once, in the map's arena */
    mls_arena scratch; /* to be released */
    char wrong[96];    /* the name of what was refused */
} mls_schema_room;

/* Append a struct as an object. */
void mls_schema_write(mls_buffer *to, const mls_schema *schema, const void *row);

/* Make a struct one that holds nothing, but for lists and owned texts, which it must not have. */
void mls_schema_clear(const mls_schema *schema, void *row);

/* Read the span of a validated object into a struct that holds nothing.  False: room->wrong says which member is wrong;
 * what was read by then is the caller's to free. */
bool mls_schema_read(const mls_schema *schema, mls_str object, mls_schema_room *room, void *row) MLS_MUST_USE;

/* Free the texts and lists that were read, and make the struct one that holds nothing. */
void mls_schema_release(const mls_schema *schema, void *row);
