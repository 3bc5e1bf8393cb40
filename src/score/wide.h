/* SPDX-License-Identifier: Apache-2.0 */
/* wide.h - find the columns of `mlscore score --wide` whose names come from the runs: hyperparameters, tracked metrics
 * and printed settings.  The table has a row per run. */
#pragma once

#include "base/memory.h"
#include "run/settings.h"
#include "score/collect.h"

/* The maximum number of columns of hyperparameters, and of tracked metrics. */
#define MLS_WIDE_NAMES_MAX 512

typedef enum mls_wide_kind {
    MLS_WIDE_HYPERPARAMETERS,
    MLS_WIDE_TRACKED, /* metrics in the notes of mls_tracked_observer, with which runs must have been read */
    MLS_WIDE_PRINTED, /* known settings that a job printed, if printed settings were read */
    MLS_WIDE_KINDS
} mls_wide_kind;

typedef struct mls_wide_names {
    mls_str *items; /* sorted by bytes, printed settings in the order of mls_known_settings; without duplicates */
    size_t count, capacity;
    size_t left_out; /* number of names beyond MLS_WIDE_NAMES_MAX */
} mls_wide_names;

typedef struct mls_wide {
    const mls_collection *collection;
    mls_arena arena;
    mls_wide_names names[MLS_WIDE_KINDS];
    mls_known_settings known;
} mls_wide;

/* Find the names of the columns of a collection, which must outlive *wide.  Return MLS_OK, or the error of
 * mls_known_settings_load().  Always release *wide. */
mls_status mls_wide_find(const mls_collection *collection, mls_wide *wide, mls_error *error) MLS_MUST_USE;
void mls_wide_release(mls_wide *wide);
