/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - open files, read small files whole, and split paths.
 *
 * Pipes, devices and sockets are refused without waiting, because reading them may never end.  A path that the user
 * gave on the command line (`given`) may also be a pipe or a terminal, and "-" is standard input; other devices are
 * refused except for /dev/null, which counts as empty.
 *
 * Error messages do not contain the path: "is a folder", "is larger than 64 MiB". */
#pragma once

#include <sys/stat.h>

#include "base/buffer.h"

/* Open a file for reading.  Return a descriptor, which the caller closes, or -1 with `error` (may be NULL) set.
 * Folders are always refused. */
int mls_file_open(const char *path, bool given, mls_error *error) MLS_MUST_USE;

/* Check whether the user's path can be read: a file, a folder, a pipe or a terminal.  Return MLS_ERROR_READ if it does
 * not exist, or is a socket or another device.  Standard input may be a socket. */
mls_status mls_file_look(const char *path, struct stat *about, mls_error *error) MLS_MUST_USE;

/* Check a descriptor in the same way.  Return MLS_OK also if it is not open, because read() reports that. */
mls_status mls_file_check(int fd, mls_error *error) MLS_MUST_USE;

/* Return whether the process runs as root and reads a folder that another user can change.  Links in such a folder must
 * not lead out of it. */
bool mls_folder_is_foreign(const char *path);

/* Open a path below a foreign folder, which is the first `root` bytes of the path.  Links that lead out of it fail. */
int mls_file_open_below(const char *path, size_t root, int flags) MLS_MUST_USE;

/* The same below an open folder, for systems without openat2(): opens one name at a time and refuses all links. */
int mls_file_walk_below(int folder, const char *below, int flags) MLS_MUST_USE;

/* Open again a file that was found in a folder rather than named by the user; if `root` is not 0, below a foreign
 * folder.  Errors are those of mls_file_open(). */
int mls_file_open_again(const char *path, size_t root, mls_error *error) MLS_MUST_USE;

/* Return what kind of file begins with these bytes (16 are enough) and how to unpack it, or NULL if it may be text. */
const char *mls_file_magic_words(mls_str head);

/* Append the contents of a text file of at most `limit` bytes.  Return MLS_ERROR_READ, _LIMIT or _SYNTAX (a packed
 * file) with `error` (may be NULL) set. */
mls_status mls_file_read(const char *path, bool given, size_t limit, mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* The same for a file that was found in a folder, opened by mls_file_open_again(). */
mls_status mls_file_read_again(const char *path, size_t root, size_t limit, mls_buffer *text,
                               mls_error *error) MLS_MUST_USE;

/* Read a file like mls_file_read(), but also accept files that are not text. */
mls_status mls_file_read_bytes(const char *path, size_t limit, mls_buffer *bytes, mls_error *error) MLS_MUST_USE;

/* Return "named pipe", "socket", "device" or "folder", or NULL for a regular file. */
const char *mls_file_kind_words(mode_t mode);

/* Return "folder/name", or `name` alone if `folder` is empty.  The caller releases it with free(). */
char *mls_path_join(const char *folder, const char *name) MLS_MUST_USE;

/* Return the folder of a path, up to and including the last '/', or an empty string. */
mls_str mls_path_folder(mls_str path);

/* Remove the last part from a path and return it without slashes around it. *path becomes what precedes it. */
mls_str mls_path_cut(mls_str *path);

/* Return whether a path is a folder or is below it.  Both must be absolute and without links; nothing is below an empty
 * folder. */
bool mls_path_is_below(mls_str path, mls_str folder);

/* Return the file name at the end of a path. */
const char *mls_path_name(const char *path);
