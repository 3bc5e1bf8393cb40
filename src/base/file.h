/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - opening files, reading small ones whole, and paths.
 *
 * A path may be anything: a pipe that nobody writes to, a device.  Such things are refused without waiting.
 * A path that a person named on the command line (`given`) may also be a pipe or a terminal, "-" being standard input;
 * other devices may have no end, and are refused but for /dev/null, which is empty.  Messages do not name the path: "is
 * a folder", "is larger than 64 MiB". */
#pragma once

#include <sys/stat.h>

#include "base/buffer.h"

/* A descriptor for reading, to be closed; -1 with `error` (may be NULL) set.  Folders are refused in any case. */
int mls_file_open(const char *path, bool given, mls_error *error) MLS_MUST_USE;

/* Looks whether what a person named can be read: a file, a folder, a pipe or a terminal.  MLS_ERROR_READ: it is not
 * there, or another device or a socket; standard input may be one. */
mls_status mls_file_look(const char *path, struct stat *about, mls_error *error) MLS_MUST_USE;

/* The same of a descriptor; MLS_OK also of one that is not open, of which read() says so. */
mls_status mls_file_check(int fd, mls_error *error) MLS_MUST_USE;

/* Whether root reads a folder that another user can change, and so must not be led out of it. */
bool mls_folder_is_foreign(const char *path);

/* open() of what stands below such a folder, the first `root` bytes of the path; no link leads out of it. */
int mls_file_open_below(const char *path, size_t root, int flags) MLS_MUST_USE;

/* The same below an open folder where the system has no openat2(): a name at a time, none of which may be a link. */
int mls_file_walk_below(int folder, const char *below, int flags) MLS_MUST_USE;

/* Opens a file that was found, not named, once more: below such a folder if `root` is more than 0.  As
 * mls_file_open(). */
int mls_file_open_again(const char *path, size_t root, mls_error *error) MLS_MUST_USE;

/* The kind of file that begins with these bytes (16 are enough), and what unpacks it; NULL: it may be a text. */
const char *mls_file_magic_words(mls_str head);

/* Appends a whole text of at most `limit` bytes.  MLS_ERROR_READ, _LIMIT, _SYNTAX (it is packed) with
 * `error` (may be NULL) set. */
mls_status mls_file_read(const char *path, bool given, size_t limit, mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* The same of a file that was found, opened by mls_file_open_again(). */
mls_status mls_file_read_again(const char *path, size_t root, size_t limit, mls_buffer *text,
                               mls_error *error) MLS_MUST_USE;

/* mls_file_read() of what need be no text. */
mls_status mls_file_read_bytes(const char *path, size_t limit, mls_buffer *bytes, mls_error *error) MLS_MUST_USE;

/* "named pipe", "socket", "device" or "folder"; NULL for what holds bytes of its own: a regular file. */
const char *mls_file_kind_words(mode_t mode);

/* "folder/name", or `name` alone when `folder` is empty; to be given to free(). */
char *mls_path_join(const char *folder, const char *name) MLS_MUST_USE;

/* The part of a path before a file's own name: up to the last '/', and with it; empty when there is none. */
mls_str mls_path_folder(mls_str path);

/* The last part of a path, without slashes around it, which is cut off: what stood before it is left. */
mls_str mls_path_cut(mls_str *path);

/* Whether a path, absolute and without links, is a folder or below it; an empty one holds nothing. */
bool mls_path_is_below(mls_str path, mls_str folder);

/* A file's own name, after that. */
const char *mls_path_name(const char *path);
