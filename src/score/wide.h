/* SPDX-License-Identifier: Apache-2.0 */
/* wide.h - the columns of wide tables, with a row per run, whose names come from the runs themselves. */
#pragma once

#include "base/memory.h"
#include "run/settings.h"
#include "score/collect.h"

/* The maximum number of columns of a kind. */
#define MLS_WIDE_NAMES_MAX 512

typedef enum mls_wide_kind {
    MLS_WIDE_HYPERPARAMETERS,
    MLS_WIDE_TRACKED, /* runs must have been read with mls_tracked_observer */
    MLS_WIDE_PRINTED, /* known settings that a job printed, if these were read; in the order of their table */
    MLS_WIDE_KINDS
} mls_wide_kind;

typedef struct mls_wide_names {
    mls_str *items; /* sorted by bytes; the first one if several are equal once escaped */
    size_t count, capacity;
    size_t left_out; /* number of further names */
} mls_wide_names;

typedef struct mls_wide {
    const mls_collection *collection;
    mls_arena arena;
    mls_wide_names names[MLS_WIDE_KINDS];
    mls_known_settings known;
} mls_wide;

/* Find the names in a collection, which must outlive them.  Return MLS_OK, or the error of loading the table of
 * settings.  Always release *wide. */
mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error) MLS_MUST_USE;
void mls_wide_release(mls_wide *wide);
