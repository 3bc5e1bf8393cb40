/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_files.h - the files that a config on disk may source.
 *
 * A script from somebody else must not make us read whatever it likes, or
 * wait for a pipe: only regular files of a limited size are opened, and only
 * those whose path starts with the folder of the config.
 */
#ifndef MLS_CONFIG_SCRIPT_FILES_H
#define MLS_CONFIG_SCRIPT_FILES_H

#include "config/script.h"

typedef struct mls_script_disk {
    const char *path;     /* of the config; borrowed */
    size_t folder_length; /* how much of it is the folder, the last '/' included */
} mls_script_disk;

void mls_script_disk_init(mls_script_disk *disk, const char *path);
mls_script_files mls_script_disk_files(mls_script_disk *disk);

/* The bytes of a regular file, in `arena`. */
mls_status mls_script_disk_load(const char *path, mls_arena *arena, mls_str *bytes, mls_error *error) MLS_MUST_USE;

#endif
