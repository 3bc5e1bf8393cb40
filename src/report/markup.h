/* SPDX-License-Identifier: Apache-2.0 */
/* markup.h - text on its way into HTML and SVG.  Logs are hostile: what is not written here as a literal goes through
 * mls_markup_text(), and no text of a log ever stands in a tag, a script or a style. */
#pragma once

#include "base/words.h"

/* Longer texts are cut, with "…" behind them. */
enum { MLS_MARKUP_CHARACTERS_MAX = 500 };

/* What stands for & < > " in HTML and XML; NULL of any other code point. */
const char *mls_markup_entity(int32_t code);

/* Appends text between tags: & < > " ' as references; control characters, what reorders or hides text, and bytes that
 * are no UTF-8 as U+FFFD. */
void mls_markup_text(mls_buffer *out, mls_str text);
void mls_markup_printf(mls_buffer *out, const char *format, ...) MLS_PRINTF(2, 3);
void mls_markup_vprintf(mls_buffer *out, const char *format, va_list args) MLS_PRINTF(2, 0);

/* Appends a coordinate: one decimal at most, a point whatever the locale is; 0 of what is not finite. */
void mls_markup_coordinate(mls_buffer *out, double number);
