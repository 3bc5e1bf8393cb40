/* SPDX-License-Identifier: Apache-2.0 */
/* packing.h - the steps of packing a result.  Functions return MLS_OK or a status of mls_pack_make(), with its error.
 */
#pragma once

#include "submission/judge.h"
#include "submission/pack.h"

typedef struct mls_packing {
    const mls_pack_options *options;
    mls_pack *pack;
    const char *folder; /* parent of the result's folder, relative to the submission */
    const char *name;   /* name of the temporary folder; its last six bytes are replaced to make it unique */
    char *tree;         /* path of the temporary folder */
    mls_names inside;   /* files and folders created there */
    mls_names placed;   /* files and folders created in the submission */
    mls_error *error;
} mls_packing;

/* Create a folder and its parents, in the temporary folder or in the submission. */
mls_status mls_packing_folder(const mls_packing *self, mls_names *made, const char *root,
                              const char *folder) MLS_MUST_USE;

/* Write a text to a file of the temporary folder. */
mls_status mls_packing_lay(mls_packing *self, const char *file, mode_t mode, mls_str text) MLS_MUST_USE;

/* Copy a file, following links.  Fail if it changes while it is read. */
mls_status mls_packing_copy(mls_packing *self, const char *source, const char *file) MLS_MUST_USE;

/* Copy the logs of the chosen runs, or their part of a log, with the power files next to them. */
mls_status mls_packing_copy_logs(mls_packing *self) MLS_MUST_USE;

/* Copy the folder of code, keeping links as links.  If no code is given and the submission has an implementation of the
 * benchmark, create a placeholder for it. */
mls_status mls_packing_copy_code(mls_packing *self) MLS_MUST_USE;

/* Append a description of the system with all required fields that are known.  A field is taken from
 * options->described, else from the description that all runs log alike, else from the config's name and the records.
 * If a field is unknown, or runs disagree (which adds a finding), it is empty and listed in pack->lacks.  Return
 * MLS_ERROR_SYNTAX for a description that is not JSON. */
mls_status mls_packing_describe(const mls_packing *self, mls_buffer *text) MLS_MUST_USE;

/* Append the publishable part of a log or power file, and add the amounts left out to the pack. */
mls_status mls_packing_scrub(mls_pack *pack, mls_str text, mls_buffer *out, mls_error *error) MLS_MUST_USE;

/* ---- made.c: create files and folders as a transaction that can be undone.  Functions return MLS_OK or
 * MLS_ERROR_WRITE with an error that names the path. */

/* Create a folder and its parents; add the new ones to `made`. */
mls_status mls_made_folder(mls_names *made, const char *path, mls_error *error) MLS_MUST_USE;

/* Create a folder with a unique name: the last six bytes of the path are replaced. */
mls_status mls_made_own_folder(mls_names *made, char *path, mls_error *error) MLS_MUST_USE;

/* Write a new file and sync it to disk.  Fail if it exists. */
mls_status mls_made_file(mls_names *made, const char *path, mode_t mode, mls_str text, mls_error *error) MLS_MUST_USE;

/* Create a symbolic link. */
mls_status mls_made_link(mls_names *made, const char *path, const char *target, mls_error *error) MLS_MUST_USE;

/* Move a file or folder to a new path and add that to `made`. Return MLS_ERROR_VALUE if the new path exists. */
mls_status mls_made_move(mls_names *made, const char *from, const char *to, mls_error *error) MLS_MUST_USE;

/* Sync the entries of a folder to disk. */
mls_status mls_made_sync(const char *folder, mls_error *error) MLS_MUST_USE;

/* Remove everything in `made`, the newest first, and empty the list. */
void mls_made_undo(mls_names *made);
