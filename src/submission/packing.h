/* SPDX-License-Identifier: Apache-2.0 */
/* packing.h - a pack in the making, and laying out what it is made of.  Functions return MLS_OK or a status of
 * mls_pack_make(), with its error. */
#pragma once

#include "submission/judge.h"
#include "submission/pack.h"

typedef struct mls_packing {
    const mls_pack_options *options;
    mls_pack *pack;
    const char *folder; /* of the result's folder, below the submission */
    const char *name;   /* of the folder in which it is laid out, of which the last six bytes are replaced */
    char *tree;         /* that folder */
    mls_names inside;   /* what was made there */
    mls_names placed;   /* what was made in the submission */
    mls_error *error;
} mls_packing;

/* Makes a folder of the tree, or of the submission, and those above it. */
mls_status mls_packing_folder(const mls_packing *self, mls_names *made, const char *root,
                              const char *folder) MLS_MUST_USE;

/* Lays out a text as a file of the tree. */
mls_status mls_packing_lay(mls_packing *self, const char *file, mode_t mode, mls_str text) MLS_MUST_USE;

/* Copies a file of which nobody has said that it must be looked at twice. */
mls_status mls_packing_copy(mls_packing *self, const char *source, const char *file) MLS_MUST_USE;

/* Copies the logs of the chosen runs, or cuts them out of theirs, with the power files beside them. */
mls_status mls_packing_copy_logs(mls_packing *self) MLS_MUST_USE;

/* Copies the folder of code, with its links as links; or, when none is given and the submission has one of the
 * benchmark, lays out something in its place. */
mls_status mls_packing_copy_code(mls_packing *self) MLS_MUST_USE;

/* Appends a description of the system: all fields that are required, as far as they are known.  A field is taken from
 * options->described, else from what all runs that log a description log alike, else from the config's name and the
 * records; what nothing says, or runs say differently, which is a finding, is empty and listed in pack->lacks.
 * MLS_ERROR_SYNTAX for a description that is not JSON. */
mls_status mls_packing_describe(const mls_packing *self, mls_buffer *text) MLS_MUST_USE;

/* Appends what of a log, or of a power file, others may read, and adds to the pack how much that leaves out. */
mls_status mls_packing_scrub(mls_pack *pack, mls_str text, mls_buffer *out, mls_error *error) MLS_MUST_USE;

/* ---- made.c: files and folders that are made together, and that all go again when one of them cannot be.  All return
 * MLS_OK or MLS_ERROR_WRITE with an error that names the path. */

/* Makes a folder and those above it; the ones that were not there are added to `made`. */
mls_status mls_made_folder(mls_names *made, const char *path, mls_error *error) MLS_MUST_USE;

/* Makes a folder with a name of its own: the last six bytes of the path are replaced. */
mls_status mls_made_own_folder(mls_names *made, char *path, mls_error *error) MLS_MUST_USE;

/* Writes a file that must not be there, to the disk. */
mls_status mls_made_file(mls_names *made, const char *path, mode_t mode, mls_str text, mls_error *error) MLS_MUST_USE;

/* Makes a symbolic link. */
mls_status mls_made_link(mls_names *made, const char *path, const char *target, mls_error *error) MLS_MUST_USE;

/* Moves a file or folder to where nothing is, and adds it there.  MLS_ERROR_VALUE: something is. */
mls_status mls_made_move(mls_names *made, const char *from, const char *to, mls_error *error) MLS_MUST_USE;

/* Sees that the names in a folder are on the disk. */
mls_status mls_made_sync(const char *folder, mls_error *error) MLS_MUST_USE;

/* Removes what was made, the newest first, and empties the list. */
void mls_made_undo(mls_names *made);
