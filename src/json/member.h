/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - tables that map names to members of a struct, with the type of each. json_row.h uses them to read JSON
 * objects, text_table.h to read rows of text. */
#pragma once

#include "base/memory.h"

typedef enum mls_member_kind {
    MLS_MEMBER_COUNT,  /* uint64_t: an integer from 0 to 2^53; larger ones are not exact as a double */
    MLS_MEMBER_NUMBER, /* double; NAN if missing */
    MLS_MEMBER_BOOL,   /* bool */
    MLS_MEMBER_SAID,   /* unsigned: 1 false, 2 true, 0 missing */
    MLS_MEMBER_TEXT,   /* const char *, copied into the arena; NULL if missing */
    MLS_MEMBER_SPAN,   /* mls_str, borrowed from the input */
    MLS_MEMBER_WORD,   /* unsigned: the position of the text in `words`, from 1 */
} mls_member_kind;

/* Flag of a required column.  The higher bits are free for the caller. */
enum { MLS_MEMBER_NEEDED = 1 };

typedef struct mls_row_member {
    const char *name; /* "flops.per_token" is the member per_token of the object `flops` */
    mls_member_kind kind;
    size_t offset;
    const char *words; /* the allowed words: "up down" */
    unsigned flags;
} mls_row_member;

#define MLS_MEMBER_OF(type, name, kind, member, words)                                                                 \
    {                                                                                                                  \
        name, MLS_MEMBER_##kind, offsetof(type, member), words, 0                                                      \
    }

/* A value that was read. */
typedef struct mls_scalar {
    enum { MLS_SCALAR_NONE, MLS_SCALAR_TEXT, MLS_SCALAR_NUMBER, MLS_SCALAR_BOOL, MLS_SCALAR_OTHER } kind;
    mls_str text;
    double number; /* 0 or 1 for a bool */
} mls_scalar;

/* Parse a text as a value of the given kind. "" means missing. */
mls_scalar mls_scalar_of_text(mls_member_kind kind, mls_str text);

/* Set all members of a row of `size` bytes to missing: zero, or NAN for numbers. */
void mls_members_clear(const mls_row_member *members, size_t count, void *row, size_t size);

/* Format the error "class must be one of: …" from what mls_member_set() returned. */
typedef struct mls_member_refusal {
    char text[320];
} mls_member_refusal;
mls_member_refusal mls_member_refuse(const mls_row_member *member, const char *wanted);

/* Store a value in its member of a struct.  Return NULL, or what the value must be ("a number"). */
const char *mls_member_set(const mls_row_member *member, const mls_scalar *cell, mls_arena *arena,
                           void *row) MLS_MUST_USE;
