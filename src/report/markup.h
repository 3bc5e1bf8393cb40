/* SPDX-License-Identifier: Apache-2.0 */
/* markup.h - text for HTML and SVG.  Logs may be hostile: all text except literals goes through mls_markup_text(), and
 * text of a log is never inside a tag, a script or a style. */
#pragma once

#include "base/words.h"

/* Longer texts are truncated, and end with "…". */
enum { MLS_MARKUP_CHARACTERS_MAX = 500 };

/* Return the reference for & < > " in HTML and XML; NULL for any other code point. */
const char *mls_markup_entity(int32_t code);

/* Append text, with references for & < > " ', and U+FFFD for control characters, characters that reorder or hide text,
 * and invalid UTF-8.  The second appends formatted text. */
void mls_markup_text(mls_buffer *out, mls_str text);
void mls_markup_vprintf(mls_buffer *out, const char *format, va_list args) MLS_PRINTF(2, 0);

/* Append markup with values: %s is text as above, %f a coordinate as below; %zu and %d are numbers. */
void mls_markup_put(mls_buffer *out, const char *markup, ...) MLS_PRINTF(2, 3);

/* Append a coordinate: one decimal at most, with a point in every locale; 0 if it is not finite. */
void mls_markup_coordinate(mls_buffer *out, double number);
