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

/* Check that a path given by the user is a file, a folder, a pipe, a terminal or /dev/null, and fill *about.  Return
 * MLS_ERROR_READ if the path does not exist, or is a socket or another device.  "-" is standard input, which may also
 * be a socket. */
mls_status mls_file_look(const char *path, struct stat *about, mls_error *error) MLS_MUST_USE;

/* Check that a descriptor is not a device; a terminal and /dev/null are allowed.  Return MLS_OK even if the descriptor
 * is not open, because read() will report this error. */
mls_status mls_file_check(int fd, mls_error *error) MLS_MUST_USE;

/* Return whether the process runs as root and another user owns the folder.  Links that lead out of such a folder must
 * not be followed. */
bool mls_folder_is_of_other_user(const char *path);

/* Open a path below a folder of another user; the first `root` bytes of the path are the path of the folder.  Return a
 * descriptor, or -1 with errno set.  Opening a link that leads out of the folder fails. */
int mls_file_open_below(const char *path, size_t root, int flags) MLS_MUST_USE;

/* Open the path `below`, relative to the open folder `folder`, on systems without openat2().  Return a descriptor, or
 * -1 with errno set.  This function opens one name at a time and refuses all links. */
int mls_file_walk_below(int folder, const char *below, int flags) MLS_MUST_USE;

/* Open a file that was found in a folder rather than named by the user.  If `root` is not 0, the file is below a
 * folder of another user, as for mls_file_open_below().  Return values and errors are those of mls_file_open(). */
int mls_file_open_again(const char *path, size_t root, mls_error *error) MLS_MUST_USE;

/* Return a description of a file that is not text, with the command that unpacks it, if any: "compressed by gzip; gzip
 * -dc FILE unpacks it".  `head` is the first 16 bytes of the file, or more.  Return NULL if the file may be text. */
const char *mls_file_magic_words(mls_str head);

/* Append the contents of a text file to `text`.  Return MLS_OK; or, with `error` (may be NULL) set, MLS_ERROR_READ,
 * MLS_ERROR_LIMIT if the file is larger than `limit` bytes, or MLS_ERROR_SYNTAX if it is compressed or binary. */
mls_status mls_file_read(const char *path, bool given, size_t limit, mls_buffer *text, mls_error *error) MLS_MUST_USE;

/* Read a file like mls_file_read(), but open it with mls_file_open_again(). */
mls_status mls_file_read_again(const char *path, size_t root, size_t limit, mls_buffer *text,
                               mls_error *error) MLS_MUST_USE;

/* Read a file like mls_file_read(), but also accept files that are not text. */
mls_status mls_file_read_bytes(const char *path, size_t limit, mls_buffer *bytes, mls_error *error) MLS_MUST_USE;

/* Return "named pipe", "socket", "device" or "folder", or NULL for a regular file. */
const char *mls_file_kind_words(mode_t mode);

/* Return "folder/name", or `name` alone if `folder` is empty.  The caller releases the result with free(). */
char *mls_path_join(const char *folder, const char *name) MLS_MUST_USE;

/* Return the folder of a path, up to and including the last '/', or an empty string. */
mls_str mls_path_folder(mls_str path);

/* Remove the last name from *path and return this name without slashes. *path keeps the slash before the name. */
mls_str mls_path_cut(mls_str *path);

/* Return whether `path` is equal to `folder` or below it.  Both must be absolute and without links.  Return false if
 * `folder` is empty. */
bool mls_path_is_below(mls_str path, mls_str folder);

/* Return the file name at the end of a path. */
const char *mls_path_name(const char *path);
