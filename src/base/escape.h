/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h - log text made safe to show.
 *
 * Whoever wrote a log or named a file may have put terminal commands into it.
 * Everything that ends up on a terminal or in a message goes through here.
 */
#ifndef MLS_BASE_ESCAPE_H
#define MLS_BASE_ESCAPE_H

#include "base/buffer.h"

/*
 * Appends `text` with every control character (C0, DEL, C1, bidirectional
 * overrides and line separators) and every byte that is not part of valid
 * UTF-8 written as \n, \t, \r, \x1b … ; everything else as it is.
 */
void mls_escape_append(mls_buffer *buffer, mls_str text);

/*
 * Whether a code point would steer a terminal or reorder or hide the line it
 * stands in: controls, direction marks and overrides, line separators,
 * invisible operators.
 */
bool mls_code_point_is_hostile(int32_t code);

/*
 * Reads one code point of UTF-8 at text[*at] and moves *at behind it.
 * Returns -1 for a byte that starts no valid sequence (and moves one byte).
 * Surrogates and overlong forms are not valid.
 */
int32_t mls_utf8_next(mls_str text, size_t *at);

/* Appends a code point as UTF-8; surrogates are written in the same pattern (generalised UTF-8). */
void mls_utf8_append(mls_buffer *buffer, uint32_t code_point);

/* Columns a terminal needs for `text`: 0 for combining marks, 2 for wide East Asian characters, else 1. */
size_t mls_display_width(mls_str text);

#endif
