/* SPDX-License-Identifier: Apache-2.0 */
/* wide.h - the columns that a table with a row for each run has for what the runs themselves name. */
#pragma once

#include "base/memory.h"
#include "run/settings.h"
#include "score/collect.h"

/* So many names of a kind are columns. */
#define MLS_WIDE_NAMES_MAX 512

typedef enum mls_wide_kind {
    MLS_WIDE_HYPERPARAMETERS,
    MLS_WIDE_TRACKED, /* of runs that were read with mls_tracked_observer */
    MLS_WIDE_PRINTED, /* known settings that a job printed, where these were read: in the order of their table */
    MLS_WIDE_KINDS
} mls_wide_kind;

typedef struct mls_wide_names {
    mls_str *items; /* by bytes; of several that print alike, once escaped, the first */
    size_t count, capacity;
    size_t left_out; /* names beyond these */
} mls_wide_names;

typedef struct mls_wide {
    const mls_collection *collection;
    mls_arena arena;
    mls_wide_names names[MLS_WIDE_KINDS];
    mls_known_settings known;
} mls_wide;

/* Finds the names of a collection, which must outlive them.  MLS_OK, or what loading the table of settings returned; to
 * be released in any case. */
mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error) MLS_MUST_USE;
void mls_wide_release(mls_wide *wide);
