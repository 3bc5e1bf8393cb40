/* SPDX-License-Identifier: Apache-2.0 */
/* dump.h - JSON as json.dumps() of Python writes it, byte for byte: ", " and ": " between its parts, ASCII alone,
 * numbers as repr() has them, and the bare words NaN, Infinity and -Infinity. */
#pragma once

#include "base/buffer.h"

/* Appends a text in quotes.  A byte that is not UTF-8 becomes \udc80 to \udcff, as Python reads arguments. */
void mls_dump_text(mls_buffer *buffer, mls_str text);

/* Appends a number that is not whole to Python: 1.0, 1e-05, 1e+16. */
void mls_dump_number(mls_buffer *buffer, double number);

/* Appends validated JSON, whose texts are UTF-8, as Python would write what it reads there; whole numbers keep all of
 * their digits, and of duplicate members all stay. */
void mls_dump_json(mls_buffer *buffer, mls_str json);
