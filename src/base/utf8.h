/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - decode, encode, truncate and measure UTF-8, and escape it for display.
 *
 * Logs and file names are untrusted and may contain terminal commands.  Everything printed on a terminal or in a
 * message is escaped here. */
#pragma once

#include "base/buffer.h"

/* Append `text`.  Hostile characters (see mls_code_point_is_hostile()) and invalid UTF-8 are escaped as \n, \t, \r,
 * \x1b, \u202e … */
void mls_escape_append(mls_buffer *buffer, mls_str text);

/* Return whether a code point can control a terminal, or reorder or hide text. */
static inline bool mls_code_point_is_hostile(int32_t code)
{
    return code < 0x20 || (code >= 0x7f && (code <= 0x9f || code == 0x61c || code == 0x200e || code == 0x200f ||
                                            (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
                                            code == 0xfeff));
}

/* Decode the code point at text[*at] and advance *at.  At an invalid sequence, return -1 and advance by one byte. */
int32_t mls_utf8_next(mls_str text, size_t *at);

/* Encode a code point as UTF-8 and return the number of bytes.  Surrogates are encoded in the same way (generalized
 * UTF-8). */
size_t mls_utf8_encode(uint32_t code_point, char bytes[4]);

/* Return the longest prefix of at most `bytes` bytes that does not end inside a code point. */
mls_str mls_utf8_cut(mls_str text, size_t bytes);

/* Return the longest prefix that takes at most `columns` terminal columns. */
mls_str mls_utf8_fit(mls_str text, size_t columns);

/* Return the longest suffix that takes at most `columns` terminal columns. */
mls_str mls_utf8_fit_back(mls_str text, size_t columns);

/* Expand to two arguments for "%.*s" that print a byte string, truncated by mls_utf8_cut(). */
#define MLS_CUT(text, bytes) (int)mls_utf8_cut((text), (bytes)).len, (text).ptr

/* Expand to two arguments for "%.*s" that print a NUL-terminated string, truncated by mls_utf8_cut(). */
#define MLS_CUT_TEXT(text, bytes) (int)mls_utf8_cut(mls_str_from(text), (bytes)).len, (text)

/* Append `text`.  If it is longer than `bytes` bytes, truncate it with mls_utf8_cut() and append "…". */
void mls_utf8_append_cut(mls_buffer *buffer, mls_str text, size_t bytes);

/* Return the number of terminal columns that `text` takes: 0 for a combining mark, 2 for a wide East Asian character, 1
 * for any other code point. */
size_t mls_display_width(mls_str text);
