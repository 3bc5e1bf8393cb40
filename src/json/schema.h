/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - write structs as JSON and read them back.  One table of members is used for both, so that writer and
 * reader cannot disagree.
 *
 * Members with the empty value of their kind (NULL, NAN, 0, false, no items) are omitted when writing and default to it
 * when reading.  Numbers read back as the same double; infinite values and NAN are written as "inf", "-inf" and "nan".
 * Texts that are not UTF-8 keep their bytes.
 *
 * The input may be hostile: it must be validated JSON, and unknown members, wrong types and values beyond a limit are
 * refused. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "json/value.h"

typedef enum mls_schema_kind {
    MLS_SCHEMA_TEXT,   /* char *, released with free() */
    MLS_SCHEMA_KEPT,   /* const char *, in the room */
    MLS_SCHEMA_STR,    /* mls_str, in the room */
    MLS_SCHEMA_JSON,   /* const char *, in the room: a validated JSON value as text */
    MLS_SCHEMA_RAW,    /* mls_str: a JSON value as written; after reading, a span of the input */
    MLS_SCHEMA_NUMBER, /* double */
    MLS_SCHEMA_AMOUNT, /* double whose empty value is 0 */
    MLS_SCHEMA_SIZE,   /* size_t, uint64_t */
    MLS_SCHEMA_U32,    /* uint32_t */
    MLS_SCHEMA_BOOL,
    MLS_SCHEMA_WORD,     /* an enumeration, less than `limit` */
    MLS_SCHEMA_OBJECT,   /* a struct with the members `of` */
    MLS_SCHEMA_LIST,     /* MLS_LIST_OF() structs with the members `of`, at most `limit`, allocated with malloc() */
    MLS_SCHEMA_ROWS,     /* like LIST, if all members are SIZE: each struct is written as a list of values, [[1,8]] */
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
    size_t size; /* of the struct in bytes */
} mls_schema;

/* Define a row of a table of members.  MLS_FIELD_MOST is for enumerations and lists with a limit, MLS_FIELD_IN for a
 * nested struct. */
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

/* Where strings are stored while reading. */
typedef struct mls_schema_room {
    mls_map texts;     /* each text once, in the map's arena */
    mls_arena scratch; /* to be released by the caller */
    char wrong[96];    /* the name of the refused member */
} mls_schema_room;

/* Append a struct as a JSON object. */
void mls_schema_write(mls_buffer *to, const mls_schema *schema, const void *row);

/* Set all members to their empty values, except lists and owned texts, which must be empty already. */
void mls_schema_clear(const mls_schema *schema, void *row);

/* Read a validated object into a struct whose members are empty.  Return false if a member is refused; room->wrong is
 * then its name, and the caller releases what was read so far. */
bool mls_schema_read(const mls_schema *schema, mls_str object, mls_schema_room *room, void *row) MLS_MUST_USE;

/* Free the lists and owned texts, and set all members to their empty values. */
void mls_schema_release(const mls_schema *schema, void *row);
