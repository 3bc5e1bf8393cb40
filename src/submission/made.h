/* SPDX-License-Identifier: Apache-2.0 */
/* made.h - files and folders that are made together, and that all go again when one of them cannot be.
 *
 * All return MLS_OK, MLS_ERROR_WRITE with an error that names the path. */
#pragma once

#include "base/walk.h"

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
