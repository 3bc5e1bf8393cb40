/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - the part of a file that is read, block by block: what is left of the blocks before stands before the
 * next one, so that a line is found whole.  Private to the library. */
#pragma once

#include "log/input.h"

/* From `at` to `end`, after which stand MLS_SCAN_PADDING bytes of NUL.  Whoever is done with bytes moves `at`. */
typedef struct mls_window {
    mls_input *input;
    char *room;
    char *at, *end;
} mls_window;

/* Empty, before the first block. */
bool mls_window_init(mls_window *window, mls_input *input);
void mls_window_release(mls_window *window);

/* Adds the next block to what is left, which is no more than this. */
enum { MLS_WINDOW_KEPT = 1 << 20 };
bool mls_window_fill(mls_window *window);

/* The line that begins `from` bytes after `at`, up to its line feed.  False: that is not in the window yet, and the
 * line is what there is of it. */
bool mls_window_line(const mls_window *window, size_t from, mls_str *line);
