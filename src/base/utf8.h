/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - text as code points: read, written, cut, measured, made safe to show.
 *
 * Whoever wrote a log or named a file may have put terminal commands into it.  Everything that ends up on a terminal or
 * in a message goes through here. */
#pragma once

#include "base/buffer.h"

/* Appends `text`, hostile characters (see below) and bytes that are not valid UTF-8 as \n, \t, \r, \x1b, \u202e … */
void mls_escape_append(mls_buffer *buffer, mls_str text);

/* Whether a code point would steer a terminal, or reorder or hide the line it stands in. */
static inline bool mls_code_point_is_hostile(int32_t code)
{
    return code < 0x20 || (code >= 0x7f && (code <= 0x9f || code == 0x61c || code == 0x200e || code == 0x200f ||
                                            (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
                                            code == 0xfeff));
}

/* The code point at text[*at], which is moved past it; -1, one byte on, when no valid sequence starts there. */
int32_t mls_utf8_next(mls_str text, size_t *at);

/* Writes a code point as UTF-8, surrogates in the same pattern (generalised UTF-8); returns the number of bytes. */
size_t mls_utf8_encode(uint32_t code_point, char bytes[4]);

/* The longest beginning of at most `bytes` bytes, or `columns` columns, that does not split a code point. */
mls_str mls_utf8_cut(mls_str text, size_t bytes);
mls_str mls_utf8_fit(mls_str text, size_t columns);

/* The longest end of at most `columns` columns, likewise. */
mls_str mls_utf8_fit_back(mls_str text, size_t columns);

/* Two arguments for "%.*s": at most `bytes` bytes of a byte string, or of a C string, cut as above. */
#define MLS_CUT(text, bytes) (int)mls_utf8_cut((text), (bytes)).len, (text).ptr
#define MLS_CUT_TEXT(text, bytes) (int)mls_utf8_cut(mls_str_from(text), (bytes)).len, (text)

/* Appends `text`; when it has more than `bytes` bytes, cut there with "…" after it. */
void mls_utf8_append_cut(mls_buffer *buffer, mls_str text, size_t bytes);

/* Columns a terminal needs for `text`: 0 for combining marks, 2 for wide East Asian characters, else 1. */
size_t mls_display_width(mls_str text);
