/* SPDX-License-Identifier: Apache-2.0 */
/* packing.h - a pack in the making, and laying out what it is made of.  Functions return MLS_OK or a status of
 * mls_pack_make(), with its error. */
#pragma once

#include "submission/made.h"
#include "submission/pack.h"

typedef struct mls_packing {
    const mls_pack_options *options;
    mls_pack *pack;
    char *tree;       /* the folder in which it is laid out */
    mls_names inside; /* what was made there */
    mls_names placed; /* what was made in the submission */
    mls_error *error;
} mls_packing;

/* A text in the pack's arena, "<folder>/<name>", and where `end` is not NULL "<number><end>" behind it; NULL: no
 * memory. */
const char *mls_packing_path(const mls_pack *pack, const char *folder, const char *name, size_t number,
                             const char *end);

/* Makes a folder of the tree, or of the submission, and those above it. */
mls_status mls_packing_folder(const mls_packing *self, mls_names *made, const char *root,
                              const char *folder) MLS_MUST_USE;

/* Copies a file of which nobody has said that it must be looked at twice. */
mls_status mls_packing_copy(mls_packing *self, const char *source, const char *file) MLS_MUST_USE;

/* Copies the logs of the chosen runs, or cuts them out of theirs, with the power files beside them. */
mls_status mls_packing_copy_logs(mls_packing *self) MLS_MUST_USE;

/* Copies the folder of code, with its links as links; or, when none is given and the submission has one of the
 * benchmark, lays out something in its place. */
mls_status mls_packing_copy_code(mls_packing *self) MLS_MUST_USE;

/* Appends what of a log, or of a power file, others may read, and adds to the pack how much that leaves out. */
mls_status mls_packing_scrub(mls_pack *pack, mls_str text, mls_buffer *out, mls_error *error) MLS_MUST_USE;
