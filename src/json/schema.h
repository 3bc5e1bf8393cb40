/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - tables that describe the members of a struct: their names, types and offsets.
 *
 * All reading and writing of structs uses such tables: json_row.h reads data files into structs, text_table.h reads
 * rows of text, and the functions below write structs as JSON and read them back, so that writer and reader cannot
 * disagree. mls_schema_write() omits members with the empty value of their kind (NULL, NAN, 0, false, no items), and
 * mls_schema_read() leaves missing members at this value.  Numbers are read back as the same double; infinite values
 * and NAN are written as "inf", "-inf" and "nan".  Texts that are not valid UTF-8 keep their bytes.
 *
 * The input of mls_schema_read() may be hostile: it must be validated JSON, and unknown members, wrong types and values
 * beyond a limit are refused. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "json/value.h"

typedef enum mls_member_kind {
    MLS_MEMBER_COUNT,  /* size_t, uint64_t; data files and tables: at most 2^53, which is exact as a double */
    MLS_MEMBER_NUMBER, /* double; NAN if missing */
    MLS_MEMBER_BOOL,   /* bool */
    MLS_MEMBER_TEXT,   /* const char *, in the arena; NULL if missing */
    /* An enumeration (unsigned).  In data files and tables, a text of `words`, stored as its position from 1; for
     * mls_schema_…(), a number that is less than `limit`. */
    MLS_MEMBER_WORD,
    /* Only for data files and tables: */
    MLS_MEMBER_SAID, /* unsigned: 0 for a missing value, 1 for false, 2 for true */
    MLS_MEMBER_SPAN, /* mls_str, borrowed from the input */
    /* Only for mls_schema_…(): */
    MLS_MEMBER_OWNED,    /* char *, released with free() */
    MLS_MEMBER_STR,      /* mls_str, in the arena */
    MLS_MEMBER_JSON,     /* const char *, in the arena: a validated JSON value as text */
    MLS_MEMBER_RAW,      /* mls_str: a JSON value as written; after reading, a span of the input */
    MLS_MEMBER_AMOUNT,   /* double whose empty value is 0 */
    MLS_MEMBER_U32,      /* uint32_t */
    MLS_MEMBER_OBJECT,   /* a struct with the members `of` */
    MLS_MEMBER_LIST,     /* MLS_LIST_OF() structs with the members `of`, at most `limit`, allocated with malloc() */
    MLS_MEMBER_ROWS,     /* like LIST, if all members are COUNT: each struct is written as a list of values, [[1,8]] */
    MLS_MEMBER_NAMES,    /* mls_names */
    MLS_MEMBER_FINDINGS, /* mls_findings */
} mls_member_kind;

/* Flag of a column that a table must have.  The caller may use the higher bits for flags of its own. */
enum { MLS_MEMBER_NEEDED = 1 };

typedef struct mls_row_member {
    const char *name; /* "flops.per_token" is the member per_token of the object `flops` */
    mls_member_kind kind;
    size_t offset;
    const char *words;           /* the allowed texts of a WORD, separated by blanks: "up down" */
    unsigned flags;              /* MLS_MEMBER_NEEDED, and flags of the caller */
    size_t limit;                /* a WORD is less than this; a LIST or ROWS has at most this many items */
    const struct mls_schema *of; /* the members of an OBJECT, or of each struct of a LIST or ROWS */
} mls_row_member;

typedef struct mls_schema {
    const mls_row_member *members;
    size_t count;
    size_t size; /* of the struct in bytes */
} mls_schema;

/* Define a row of a table of members:
 *   MLS_MEMBER_OF   for a member of an object in a data file
 *   MLS_COLUMN_OF   for a column of a table
 *   MLS_FIELD       for a member that mls_schema_…() read and write
 *   MLS_FIELD_IN    for a nested struct that mls_schema_…() read and write
 *   MLS_FIELD_MOST  for an enumeration or a list with a limit that mls_schema_…() read and write */
#define MLS_ROW_MEMBER(type, name, kind, member, words, flags, limit, of)                                              \
    {                                                                                                                  \
        name, MLS_MEMBER_##kind, offsetof(type, member), words, flags, limit, of                                       \
    }
#define MLS_MEMBER_OF(type, name, kind, member, words) MLS_ROW_MEMBER(type, name, kind, member, words, 0, 0, NULL)
#define MLS_COLUMN_OF(type, name, kind, flags) MLS_ROW_MEMBER(type, #name, kind, name, NULL, flags, 0, NULL)
#define MLS_FIELD(type, name, kind, member) MLS_ROW_MEMBER(type, name, kind, member, NULL, 0, 0, NULL)
#define MLS_FIELD_IN(type, name, member, of) MLS_ROW_MEMBER(type, name, OBJECT, member, NULL, 0, 0, of)
#define MLS_FIELD_MOST(type, name, kind, member, limit, of) MLS_ROW_MEMBER(type, name, kind, member, NULL, 0, limit, of)
#define MLS_SCHEMA_OF(type, members)                                                                                   \
    {                                                                                                                  \
        members, sizeof(members) / sizeof *(members), sizeof(type)                                                     \
    }

/* Where strings are stored while reading. */
typedef struct mls_schema_room {
    mls_map texts;     /* the texts that were read, each stored once in the map's arena */
    mls_arena scratch; /* temporary memory, which the caller releases */
    char wrong[96];    /* the name of the member that was refused; "" if none was */
} mls_schema_room;

/* Append a struct as a JSON object. */
void mls_schema_write(mls_buffer *to, const mls_schema *schema, const void *row);

/* Set all members to their empty values.  Lists and owned texts must be empty already, because they are not freed. */
void mls_schema_clear(const mls_schema *schema, void *row);

/* Read a validated object into a struct whose members are empty.  Return false if a member is refused; room->wrong is
 * then the name of the member, and the caller must call mls_schema_release(). */
bool mls_schema_read(const mls_schema *schema, mls_str object, mls_schema_room *room, void *row) MLS_MUST_USE;

/* Free all lists and owned texts of a struct, and set all its members to their empty values. */
void mls_schema_release(const mls_schema *schema, void *row);
