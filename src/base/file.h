/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - small files that are wanted whole: tables and rule files, not logs.
 */
#ifndef MLS_BASE_FILE_H
#define MLS_BASE_FILE_H

#include "base/buffer.h"

/*
 * Appends the bytes of a file ("-": standard input) to `text`.  MLS_OK,
 * MLS_ERROR_READ, MLS_ERROR_LIMIT when it holds more than `most` bytes, or
 * MLS_ERROR_MEMORY; the message does not repeat the path.
 */
mls_status mls_file_read(const char *path, size_t most, mls_buffer *text, mls_error *error) MLS_MUST_USE;

#endif
