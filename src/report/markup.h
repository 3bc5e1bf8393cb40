/* SPDX-License-Identifier: Apache-2.0 */
/* markup.h - text for HTML and SVG.  Logs may be hostile: all text except literals goes through mls_markup_text(), and
 * text of a log is never inside a tag, a script or a style. */
#pragma once

#include "base/words.h"

/* The maximum number of characters of a text.  Longer texts are truncated, and end with "…". */
enum { MLS_MARKUP_CHARACTERS_MAX = 500 };

/* Return the entity reference of a code point in HTML and XML, such as "&amp;"; NULL unless it is one of & < > ". */
const char *mls_markup_entity(int32_t code);

/* Append text, or formatted text.  The characters & < > " ' become references.  Control characters, characters that
 * reorder or hide text, and invalid UTF-8 become U+FFFD. */
void mls_markup_text(mls_buffer *out, mls_str text);
void mls_markup_vprintf(mls_buffer *out, const char *format, va_list args) MLS_PRINTF(2, 0);

/* Append markup with values: %s is text, appended by mls_markup_text(); %f is a coordinate, appended by
 * mls_markup_coordinate(); %zu and %d are integers. */
void mls_markup_put(mls_buffer *out, const char *markup, ...) MLS_PRINTF(2, 3);

/* Append a coordinate with at most one decimal, and with a decimal point in every locale.  Append 0 if it is not
 * finite. */
void mls_markup_coordinate(mls_buffer *out, double number);
