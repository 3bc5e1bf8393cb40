/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - write to standard output, or to a file that is replaced atomically.
 *
 * Open an output, write, then close it.  The first error is remembered, later writes are dropped, and
 * mls_output_close() reports the error.  A file is written under a temporary name beside it, following links, and
 * renamed at the end; a pipe or device is written directly.
 *
 * Root does not write where other users could redirect the output: in a folder that all users may write to, unless it
 * has the sticky bit, or through a link of another user. */
#pragma once

#include "base/buffer.h"

typedef struct mls_output {
    int fd;
    mls_buffer buffer;
    int failed_errno; /* of the first call that failed; 0: none */
    char *path;       /* NULL: standard output */
    char *temporary;  /* NULL: written directly */
    bool lasting;     /* synced to disk before it is renamed */
} mls_output;

/* Return the reason why root does not write to a path, or NULL if it does. */
const char *mls_output_refused(const char *path);

/* Open `path` (NULL or "-": standard output).  Return MLS_OK, or MLS_ERROR_WRITE with `error` set. */
mls_status mls_output_open(mls_output *output, const char *path, mls_error *error) MLS_MUST_USE;

/* Open a file that other processes may look for meanwhile, and that must survive a crash.  Its temporary name is
 * hidden (.mlscore-<name>.…), and it is synced to disk before it is renamed.  Temporary files for the same path that
 * killed processes left more than a day ago are removed. */
mls_status mls_output_open_lasting(mls_output *output, const char *path, mls_error *error) MLS_MUST_USE;

void mls_output_write(mls_output *output, mls_str text);
void mls_output_text(mls_output *output, const char *text);
void mls_output_printf(mls_output *output, const char *format, ...) MLS_PRINTF(2, 3);

/* Write the buffered bytes now, so that the reader of a pipe sees them. */
void mls_output_flush(mls_output *output);

/* Return whether the reader of a pipe has closed it, so that writing more is useless. */
bool mls_output_is_closed(const mls_output *output);

/* Write the rest, close and rename.  With `abandon`, discard the output.  Return MLS_STOPPED if the reader of a pipe
 * closed it, which is not an error to report, or MLS_ERROR_WRITE. After an error or with `abandon`, an existing regular
 * file is unchanged. */
mls_status mls_output_close(mls_output *output, bool abandon, mls_error *error) MLS_MUST_USE;

/* Close the output after an operation that returned `status` and set *error, and discard it unless `status` is MLS_OK.
 * Return `status`; if it is MLS_OK, return the status of closing. */
mls_status mls_output_close_after(mls_output *output, mls_status status, mls_error *error) MLS_MUST_USE;
