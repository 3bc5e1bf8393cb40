/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - convert text to numbers and back, independently of the locale. */
#pragma once

#include "base/buffer.h"

/* Parse a whole text as a decimal number (12, -.5, 1e-3), correctly rounded.  Return false for any other text. */
bool mls_number_parse(mls_str text, double *number);

/* Parse a number like Python's float(), which the compliance checker uses: also accept white space around the number,
 * single underscores between digits, and the words inf, infinity and nan in any case. */
bool mls_number_parse_lenient(mls_str text, double *number);

/* Parse a whole text as an unsigned decimal number.  Return false for any other text and on overflow. */
bool mls_size_parse(mls_str text, size_t *number);

/* Parse a whole text as an integer with an optional sign and optional blanks around it.  Return false for any other
 * text and on overflow. */
bool mls_integer_parse(mls_str text, int64_t *number);

/* Round the exact value of a double to `decimals` (at most 15) decimals, with ties to even.  Infinite values and NAN
 * are returned unchanged. */
double mls_number_round(double number, int decimals);

/* A formatted number, to be printed with "%s" as mls_words_exact(n).text. */
typedef struct mls_words {
    char text[64];
} mls_words;

/* Return the shortest text that reads back as the same double, or "null", as in JSON, if the number is not finite. */
mls_words mls_words_exact(double number);
