/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - numbers the way a person reads them.
 *
 * Each function appends to a buffer; absent numbers (NAN) become "-".
 */
#ifndef MLS_REPORT_WORDS_H
#define MLS_REPORT_WORDS_H

#include "base/buffer.h"

/* A whole number with its thousands grouped: 3,024.  Fractions are kept, up to 4 digits. */
void mls_words_count(mls_buffer *buffer, double number);

/* A number with a fixed number of decimals, 0.92474; one that is absurdly large with an exponent. */
void mls_words_fixed(mls_buffer *buffer, double number, int decimals);

/* Minutes with three decimals, and from an hour on h:mm:ss beside them: "209.652 (3:29:39)". */
void mls_words_minutes(mls_buffer *buffer, double minutes);

/* A short time as m:ss.s, from an hour on h:mm:ss. */
void mls_words_clock(mls_buffer *buffer, double minutes);

/* "1 run", "10 runs". */
void mls_words_plural(mls_buffer *buffer, size_t count, const char *singular, const char *plural);

#endif
