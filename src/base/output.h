/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - write to standard output, or to a file that is replaced atomically.
 *
 * Open an output, write, then close it.  After an error, further writes are ignored, and mls_output_close() reports the
 * error.  A file is written under a temporary name in the same folder and renamed when it is closed; if the path is a
 * link, the target of the link is replaced.  A pipe or device is written directly.
 *
 * Root does not write where other users could redirect the output: in a folder that all users may write to, unless it
 * has the sticky bit, or through a link of another user. */
#pragma once

#include "base/buffer.h"

typedef struct mls_output {
    int fd;
    mls_buffer buffer;
    int failed_errno; /* errno of the first call that failed; 0 if none failed */
    char *path;       /* the path to write to; NULL: standard output */
    char *temporary;  /* the path of the temporary file; NULL: the output is written directly */
    bool lasting;     /* sync the file to disk before it is renamed */
} mls_output;

/* Return the reason why root does not write to a path (see above).  Return NULL if the path may be written, or if the
 * process does not run as root. */
const char *mls_output_refused(const char *path);

/* Open `path`; NULL or "-" is standard output.  Return MLS_OK, or MLS_ERROR_WRITE with `error` set. */
mls_status mls_output_open(mls_output *output, const char *path, mls_error *error) MLS_MUST_USE;

/* Open a file that must survive a crash, in a folder that other processes may read meanwhile.  Its temporary name is
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

/* Write the buffered bytes, close the output and rename the temporary file.  With `abandon`, discard the output
 * instead. Return MLS_OK; MLS_STOPPED if the reader of a pipe closed the pipe, which need not be reported to the user;
 * or MLS_ERROR_WRITE. After an error or with `abandon`, an existing regular file is unchanged. */
mls_status mls_output_close(mls_output *output, bool abandon, mls_error *error) MLS_MUST_USE;

/* Close the output after an operation that returned `status` and set *error.  Discard the output unless it succeeded.
 * Return `status`; if it is MLS_OK, return the status of closing. */
mls_status mls_output_close_after(mls_output *output, mls_status status, mls_error *error) MLS_MUST_USE;
