/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_files.h - the files that a config on disk may source.
 *
 * A script from somebody else must not make us read whatever it likes, or
 * wait for a pipe: only regular files of a limited size are opened, and only
 * those that stand, all links and ".." resolved, below a root: the folder of
 * the config (as it is named, and where a link to the config leads), or the
 * one that the caller gives.
 */
#ifndef MLS_SHELL_SCRIPT_FILES_H
#define MLS_SHELL_SCRIPT_FILES_H

#include "shell/script.h"

enum { MLS_SCRIPT_ROOTS = 2 };

typedef struct mls_script_disk {
    const char *path;              /* of the config; borrowed */
    size_t folder_length;          /* how much of it is the folder, the last '/' included */
    char *roots[MLS_SCRIPT_ROOTS]; /* resolved; NULL: nothing is below it */
} mls_script_disk;

/* `root` NULL: the folder of the config.  To be released. */
void mls_script_disk_init(mls_script_disk *disk, const char *path, const char *root);
void mls_script_disk_release(mls_script_disk *disk);
mls_script_files mls_script_disk_files(mls_script_disk *disk);

/* The bytes of a regular file, in `arena`. */
mls_status mls_script_disk_load(const char *path, mls_arena *arena, mls_str *bytes, mls_error *error) MLS_MUST_USE;

#endif
