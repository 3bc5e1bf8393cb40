/* SPDX-License-Identifier: Apache-2.0 */
/* carry.h - structs as JSON and back: one table of members serves both ways, so that writer and reader cannot disagree.
 *
 * A member that holds nothing of its kind (NULL, NAN, 0, false, no item) is left out, and what is left out is nothing
 * when it is read.  A number is written so that the same double is read back; one that is not finite is the text "inf",
 * "-inf" or "nan".  A text that is not UTF-8 goes as base64 under its name with "64" behind it.  What is read may be
 * hostile: it was validated as JSON, and a member without a row, of another type or beyond its limit is refused. */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "json/value.h"

typedef enum mls_carry_kind {
    MLS_CARRY_TEXT,     /* char *, to be given to free() */
    MLS_CARRY_KEPT,     /* const char *, of the room */
    MLS_CARRY_STR,      /* mls_str, in the arena */
    MLS_CARRY_KEPT_STR, /* mls_str, of the room */
    MLS_CARRY_PASSING,  /* const char *, in the room's scratch: until that is reset */
    MLS_CARRY_JSON,     /* const char *, in the arena: the text of a value of JSON, which is validated */
    MLS_CARRY_RAW,      /* mls_str: a value of JSON as it stands; what is read is a span of the text */
    MLS_CARRY_NUMBER,   /* double */
    MLS_CARRY_AMOUNT,   /* double of which 0 is nothing */
    MLS_CARRY_SIZE,     /* size_t, uint64_t */
    MLS_CARRY_U32,      /* uint32_t */
    MLS_CARRY_BOOL,
    MLS_CARRY_WORD,     /* an enumeration, below `limit` */
    MLS_CARRY_OBJECT,   /* a struct with the members `of` */
    MLS_CARRY_LIST,     /* MLS_LIST_OF() structs with the members `of`, `limit` of them at most, from malloc() */
    MLS_CARRY_ROWS,     /* the same, of members that are all SIZE: each struct is a list of their values, [[1,8]] */
    MLS_CARRY_TEXTS,    /* mls_names */
    MLS_CARRY_FINDINGS, /* mls_findings */
} mls_carry_kind;

typedef struct mls_carry_member {
    mls_str name;
    mls_carry_kind kind;
    size_t offset, limit;
    const struct mls_carry_table *of;
} mls_carry_member;

typedef struct mls_carry_table {
    const mls_carry_member *members;
    size_t count;
    size_t size; /* of the struct */
} mls_carry_table;

/* A row of the table of a type; one of an enumeration or a list, with what is beyond its limit; one of a struct. */
#define MLS_CARRY(type, name, kind, member)                                                                            \
    {                                                                                                                  \
        MLS_STR(name), MLS_CARRY_##kind, offsetof(type, member), 0, NULL                                               \
    }
#define MLS_CARRY_MOST(type, name, kind, member, limit, of)                                                            \
    {                                                                                                                  \
        MLS_STR(name), MLS_CARRY_##kind, offsetof(type, member), limit, of                                             \
    }
#define MLS_CARRY_IN(type, name, member, of)                                                                           \
    {                                                                                                                  \
        MLS_STR(name), MLS_CARRY_OBJECT, offsetof(type, member), 0, of                                                 \
    }
#define MLS_CARRY_TABLE(variable, type, members)                                                                       \
    static const mls_carry_table variable = {members, sizeof(members) / sizeof *(members), sizeof(type)}

/* Where what is read is put. */
typedef struct mls_carry_room {
    mls_arena *arena;  /* of texts of the struct */
    mls_map *texts;    /* each of the others once */
    mls_arena scratch; /* to be released */
    char wrong[96];    /* the name of what was refused */
} mls_carry_room;

/* Appends a struct as an object. */
void mls_carry_write(mls_buffer *to, const mls_carry_table *table, const void *row);

/* The same without its brackets, behind what stands there. */
void mls_carry_write_members(mls_buffer *to, const mls_carry_table *table, const void *row);

/* Makes a struct one that holds nothing, but for lists and owned texts, which it must not have. */
void mls_carry_clear(const mls_carry_table *table, void *row);

/* Reads the span of a validated object into a struct that holds nothing.  False: room->wrong says which member
 * is wrong; what was read by then is the caller's to free. */
bool mls_carry_read(const mls_carry_table *table, mls_str object, mls_carry_room *room, void *row) MLS_MUST_USE;

/* Frees the texts and lists that were read, and makes the struct one that holds nothing. */
void mls_carry_release(const mls_carry_table *table, void *row);
