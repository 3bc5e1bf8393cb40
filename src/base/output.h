/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - where results go: standard output, or a file written whole or not at all.
 *
 * An error is remembered, what is written after it is dropped, and mls_output_close() reports it.  A file, also at the
 * end of a link, is written under a temporary name beside it and renamed at the end; a pipe or device is written
 * directly.  Root writes nowhere that other users could have led to: neither into a folder that all may write to,
 * unless it has the sticky bit, nor through a link of another user. */
#pragma once

#include "base/buffer.h"

typedef struct mls_output {
    int fd;
    mls_buffer buffer;
    int failed_errno; /* of the first call that failed; 0: none */
    char *path;       /* NULL: standard output */
    char *temporary;  /* NULL: written directly */
    bool lasting;     /* on the disk before it gets its name */
} mls_output;

/* Why root does not write to a path, where other users could have it write somewhere else; NULL: it does. */
const char *mls_output_refused(const char *path);

/* Opens `path` (NULL or "-": standard output).  MLS_OK, or MLS_ERROR_WRITE with `error` set. */
mls_status mls_output_open(mls_output *output, const char *path, mls_error *error) MLS_MUST_USE;

/* The same for a file that others may look for meanwhile, and that must be whole whatever happens: its temporary name
 * is hidden, .mlscore-<name>.…, and it is renamed when all of it is on the disk.  What tasks that were killed have left
 * of that file, and is older than a day, is removed. */
mls_status mls_output_open_lasting(mls_output *output, const char *path, mls_error *error) MLS_MUST_USE;

void mls_output_write(mls_output *output, mls_str text);
void mls_output_text(mls_output *output, const char *text);
void mls_output_printf(mls_output *output, const char *format, ...) MLS_PRINTF(2, 3);

/* Sends what is buffered on its way; a reader at the other end of a pipe sees it now. */
void mls_output_flush(mls_output *output);

/* Whether whoever reads the output has gone away (a closed pipe): no use going on. */
bool mls_output_is_closed(const mls_output *output);

/* Writes what is left, closes and renames; `abandon` throws it away, and a file of that path stays as it was.
 * MLS_STOPPED: the reader of a pipe went away, which is to end quietly; MLS_ERROR_WRITE: the file is as it was. */
mls_status mls_output_close(mls_output *output, bool abandon, mls_error *error) MLS_MUST_USE;

/* Closes it after what was to be written came to `status`, with *error: nothing is left of it unless that is MLS_OK.
 * Returns it, or what closing came to. */
mls_status mls_output_close_after(mls_output *output, mls_status status, mls_error *error) MLS_MUST_USE;
