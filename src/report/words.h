/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - numbers the way a person reads them: values, to be printed with
 * "%s" as mls_words_count(n).text.  Numbers that are absent (NAN) are "-".
 */
#ifndef MLS_REPORT_WORDS_H
#define MLS_REPORT_WORDS_H

#include <stddef.h>

typedef struct mls_words {
    char text[64];
} mls_words;

/* The shortest text that reads back as the same number, for programs. */
mls_words mls_words_exact(double number);

/* Thousands grouped, fractions of up to 4 digits: 3,024.  Or with a fixed number of decimals: 3,061.25. */
mls_words mls_words_count(double number);
mls_words mls_words_grouped(double number, int decimals);

/* A fixed number of decimals, 0.92474; a number that is absurdly large with an exponent. */
mls_words mls_words_fixed(double number, int decimals);

/* Minutes with three decimals, and from an hour on h:mm:ss beside them: "209.652 (3:29:39)". */
mls_words mls_words_minutes(double minutes);

/* A short time as m:ss.s, from an hour on h:mm:ss. */
mls_words mls_words_clock(double minutes);

/* "1 run", "10 runs". */
mls_words mls_words_plural(size_t count, const char *singular, const char *plural);

#endif
