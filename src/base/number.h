/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - text to double and back, the same under every locale. */
#pragma once

#include "base/buffer.h"

/* Reads a whole text as a decimal number (12, -.5, 1e-3), correctly rounded; false when it is anything else. */
bool mls_number_parse(mls_str text, double *number);

/* The same as the compliance checker's float(): blanks around it, single underscores between digits, and inf, infinity
 * and nan in any case are fine. */
bool mls_number_parse_lenient(mls_str text, double *number);

/* Reads a whole text as an unsigned decimal number; false on anything else and on overflow. */
bool mls_size_parse(mls_str text, size_t *number);

/* The same of a signed one, with blanks around it. */
bool mls_integer_parse(mls_str text, int64_t *number);

/* Rounded to at most 15 decimals as the exact decimal expansion rounds, halves to even; numbers that are not finite
 * stay. */
double mls_number_round(double number, int decimals);

/* A number as text, to be printed with "%s" as mls_words_exact(n).text. */
typedef struct mls_words {
    char text[64];
} mls_words;

/* The shortest text that reads back as the same double; "null", as in JSON, when it is not finite. */
mls_words mls_words_exact(double number);
