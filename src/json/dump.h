/* SPDX-License-Identifier: Apache-2.0 */
/* dump.h - the one place that writes texts and values as JSON, in three ways.
 *
 * mls_dump_…() write as json.dumps() of Python does, byte for byte: ", " and ": " between parts, ASCII alone, numbers
 * as repr() has them, and the bare words NaN, Infinity and -Infinity.  mls_json_show_…() write what users and other
 * programs read: valid UTF-8 without characters that steer a terminal.  mls_json_text_append() keeps every byte, for
 * files that mlscore reads again. */
#pragma once

#include "base/buffer.h"

/* Appends a text in quotes.  A byte that is not UTF-8 becomes \udc80 to \udcff, as Python reads arguments. */
void mls_dump_text(mls_buffer *buffer, mls_str text);

/* Appends a number that is not whole to Python: 1.0, 1e-05, 1e+16. */
void mls_dump_number(mls_buffer *buffer, double number);

/* Appends validated JSON, whose texts are UTF-8, as Python would write what it reads there; whole numbers keep all of
 * their digits, and of duplicate members all stay. */
void mls_dump_json(mls_buffer *buffer, mls_str json);

/* Append a text in quotes.  A byte that is not UTF-8 (log text may be anything) and NUL become U+FFFD. */
void mls_json_show_text(mls_buffer *buffer, mls_str text);

/* Append a validated span as JSON that every reader takes: the bare words NaN, Infinity and -Infinity, which Python
 * writes and JSON does not know, become null; a byte that is not UTF-8 becomes the Latin-1 character that the
 * compliance checker reads it as. */
void mls_json_show_span(mls_buffer *buffer, mls_str span);

/* Append a text in quotes, of which bytes that are not UTF-8 stay as they are. */
void mls_json_text_append(mls_buffer *buffer, mls_str text);
