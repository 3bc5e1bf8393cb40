/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - text to double and back, the same under every locale.
 *
 * A program that uses the library may have set a locale with a decimal comma.
 * All printing goes through mls_text_vprintf(), which buffers, errors, findings
 * and outputs do for themselves.
 */
#ifndef MLS_BASE_NUMBER_H
#define MLS_BASE_NUMBER_H

#include "base/buffer.h"

/* vsnprintf() and snprintf() that write numbers with a point whatever the locale has. */
int mls_text_vprintf(char *text, size_t size, const char *format, va_list args) MLS_PRINTF(3, 0);
int mls_text_printf(char *text, size_t size, const char *format, ...) MLS_PRINTF(3, 4);

/*
 * Reads a whole text as a decimal number: optional sign, digits with an
 * optional '.', optional exponent.  Correctly rounded.  False when anything
 * else stands in it (blanks too) or it is empty.
 */
bool mls_number_parse(mls_str text, double *number);

/*
 * Reads a string the way the compliance checker turns one into a number:
 * blanks around it are dropped, single underscores may stand between digits,
 * and the words inf, infinity and nan are numbers in any case.
 */
bool mls_number_parse_lenient(mls_str text, double *number);

/* Reads a whole text as an unsigned decimal number; false on anything else and on overflow. */
bool mls_size_parse(mls_str text, size_t *number);

/*
 * Appends the shortest decimal text that reads back as the same double:
 * 9, 0.925, 1.5243166666666668.  NaN and the infinities, which JSON has no
 * words for, come out as "null".
 */
void mls_number_append(mls_buffer *buffer, double number);

/*
 * `number` rounded to `decimals` digits behind the point (at most 15), as its
 * exact decimal expansion rounds, halves to even.  NaN and the infinities stay.
 */
double mls_number_round(double number, int decimals);

/*
 * Appends `number` with `decimals` digits behind the point (at most 15) and a
 * comma between thousands, for people: 1,048,576 or 3,061.25.  From 1e15 on six
 * digits and an exponent; "-" when it is not finite.
 */
void mls_number_append_grouped(mls_buffer *buffer, double number, int decimals);

/* The same without the zeros that end the decimals: 3,061.25 with four of them, 9 with any. */
void mls_number_append_trimmed(mls_buffer *buffer, double number, int decimals);

#endif
