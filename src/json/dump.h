/* SPDX-License-Identifier: Apache-2.0 */
/* dump.h - write texts and values as JSON, in three ways.
 *
 * mls_dump_…() write the same bytes as Python's json.dumps(): ", " and ": " as separators, ASCII only, numbers in the
 * format of repr(), and the bare words NaN, Infinity and -Infinity. mls_json_show_…() write for users and other
 * programs: valid UTF-8 without characters that control a terminal. mls_json_text_append() preserves every byte, for
 * files that mlscore reads again. */
#pragma once

#include "base/buffer.h"

/* Append a quoted text as Python writes it.  A byte that is not valid UTF-8 becomes one of \udc80 to \udcff, as in
 * Python's command line arguments. */
void mls_dump_text(mls_buffer *buffer, mls_str text);

/* Append a number as Python writes a float: 1.0, 1e-05, 1e+16. */
void mls_dump_number(mls_buffer *buffer, double number);

/* Append validated JSON, whose texts are UTF-8, as Python would write it after reading it.  Integers keep all their
 * digits, and duplicate members are all kept. */
void mls_dump_json(mls_buffer *buffer, mls_str json);

/* Append a quoted text for users.  NUL and bytes that are not valid UTF-8, which log text may contain, become U+FFFD.
 */
void mls_json_show_text(mls_buffer *buffer, mls_str text);

/* Append a validated span as standard JSON, for users. NaN, Infinity and -Infinity, which Python writes but JSON does
 * not allow, become null.  A byte that is not UTF-8 becomes the Latin-1 character that the compliance checker reads. */
void mls_json_show_span(mls_buffer *buffer, mls_str span);

/* Append a quoted text for files that mlscore reads again.  Bytes that are not valid UTF-8 are kept unchanged. */
void mls_json_text_append(mls_buffer *buffer, mls_str text);
