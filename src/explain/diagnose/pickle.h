/* SPDX-License-Identifier: Apache-2.0 */
/* pickle.h - read the dumps of PyTorch's NCCL flight recorder, which are pickles or JSON, as a tree of values.
 *
 *     mls_pickle_value *root = mls_pickle_read(bytes, &arena);
 *     const mls_pickle_value *entries = mls_pickle_member(root, MLS_S("entries"));
 *
 * A pickle can call any function when Python reads it.  This reader knows only the opcodes that build dictionaries,
 * lists, tuples, numbers and texts, and refuses all others.  Its memory and time are limited by MLS_PICKLE_VALUES_MAX.
 */
#pragma once

#include "base/memory.h"

enum { MLS_PICKLE_BYTES_MAX = 64 << 20, MLS_PICKLE_VALUES_MAX = 2 << 20 };

typedef enum mls_pickle_type {
    MLS_PICKLE_NONE,
    MLS_PICKLE_NUMBER,
    MLS_PICKLE_TEXT,
    MLS_PICKLE_LIST,
    MLS_PICKLE_DICT
} mls_pickle_type;

/* The items of a list or dictionary.  A dictionary contains names and values in turn. */
typedef struct mls_pickle_items {
    struct mls_pickle_value *first, *last;
    size_t count;
} mls_pickle_items;

typedef struct mls_pickle_value {
    mls_pickle_type type;
    double number; /* true: 1, false: 0 */
    mls_str text;  /* in the bytes of the dump, or in the arena */
    mls_pickle_items *items;
    struct mls_pickle_value *next; /* the next item of the same list or dictionary */
} mls_pickle_value;

/* Read a dump.  Texts of the result may be part of `bytes`.  Return NULL if the bytes are not a dump: other data, an
 * opcode that is not allowed, or too many values. */
mls_pickle_value *mls_pickle_read(mls_str bytes, mls_arena *arena);

/* Return the member of a dictionary; NULL if `value` is NULL, is not a dictionary or lacks the member. */
const mls_pickle_value *mls_pickle_member(const mls_pickle_value *value, mls_str name);

/* Return the first item of a list or the first name of a dictionary; NULL if `value` is NULL or has no items. */
const mls_pickle_value *mls_pickle_first(const mls_pickle_value *value);

/* Return the number or text of a member, or NAN or an empty text if it is missing or has another type. */
double mls_pickle_number(const mls_pickle_value *value, mls_str name);
mls_str mls_pickle_text(const mls_pickle_value *value, mls_str name);
