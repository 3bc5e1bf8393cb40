/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - the members of a struct that are read: a table says which name goes to which member, and what it may be.
 * json_row.h reads objects of JSON by it, text_table.h rows of text. */
#pragma once

#include "base/memory.h"

typedef enum mls_member_kind {
    MLS_MEMBER_COUNT,  /* uint64_t: a whole number from 0 to 2^53, beyond which a double is no longer exact */
    MLS_MEMBER_NUMBER, /* double; none: NAN */
    MLS_MEMBER_BOOL,   /* bool */
    MLS_MEMBER_SAID,   /* unsigned: 1 false, 2 true, so that 0 is "not said" */
    MLS_MEMBER_TEXT,   /* const char *, copied into the arena; none: NULL */
    MLS_MEMBER_SPAN,   /* mls_str, borrowed from where it is read */
    MLS_MEMBER_WORD,   /* unsigned: the place of a text in `words`, from 1 on */
} mls_member_kind;

/* A column without which a table is refused; bits above are the caller's. */
enum { MLS_MEMBER_NEEDED = 1 };

typedef struct mls_row_member {
    const char *name; /* "flops.per_token" is of the object `flops` */
    mls_member_kind kind;
    size_t offset;
    const char *words; /* "up down" */
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
    double number; /* 0 or 1 of a bool */
} mls_scalar;

/* The value that a text stands for where this kind is expected: "" is none. */
mls_scalar mls_scalar_of_text(mls_member_kind kind, mls_str text);

/* Makes a row of `size` bytes one that has nothing: zeroed, its numbers NAN. */
void mls_members_clear(const mls_row_member *members, size_t count, void *row, size_t size);

/* "class must be one of: …", of what mls_member_set() says that a member must be. */
typedef struct mls_member_refusal {
    char text[320];
} mls_member_refusal;
mls_member_refusal mls_member_refuse(const mls_row_member *member, const char *wanted);

/* Puts a value into its member of a struct.  Return NULL, or what it must be ("a number"). */
const char *mls_member_set(const mls_row_member *member, const mls_scalar *cell, mls_arena *arena,
                           void *row) MLS_MUST_USE;
