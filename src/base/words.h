/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - numbers as people read them, in one form each wherever they stand: in tables, lines and messages.  Each is
 * a text to be printed with "%s" as mls_words_count(n).text; of what is not known or not finite it is "-". */
#pragma once

#include "base/number.h"

/* With commas and at most 15 decimals, "3,061.25", or without the zeros that end these; from 1e15 on with exponent. */
mls_words mls_words_grouped(double number, int decimals);
mls_words mls_words_trimmed(double number, int decimals);
mls_words mls_words_count(double number); /* trimmed to 4 decimals: 3,024 */

/* As many decimals as make four digits that count: "1,234", "45.16", "0.01234". */
mls_words mls_words_rate(double number);

/* A difference: "+0.003", "0.000", "-1,024.000". */
mls_words mls_words_signed(double number, int decimals);

/* Of a ratio, 0.0243: "2.4 %" with one decimal, and by how much something changed, "+2.4 %". */
mls_words mls_words_percent(double ratio, int decimals);
mls_words mls_words_change(double ratio);

/* With the prefix that leaves four digits at most before the point: "417 W", "15.2 kJ". */
mls_words mls_words_quantity(double number, const char *unit);

/* Lengths of time.  Minutes that are compared have three decimals, and from an hour on h:mm:ss beside: "209.652
 * (3:29:39)".  A clock's are m:ss.s, from an hour on h:mm:ss.  In a sentence milliseconds are "36.1 s", from a thousand
 * seconds on "19.74 min", and from an hour on h:mm:ss. */
mls_words mls_words_minutes(double minutes);
mls_words mls_words_clock(double minutes);
mls_words mls_words_duration(double ms);

/* Whole seconds as Slurm writes them: "27:08", from an hour on "4:00:00". */
mls_words mls_words_seconds(double seconds);

/* "1 run", "3,024 runs". */
mls_words mls_words_plural(size_t count, const char *singular, const char *plural);

/* Appends what a list leaves out: "and 3 more devices (-v lists them)", where `noun` is one of them (NULL: they are not
 * named) and `hint` says how to see them (NULL: they cannot be seen), after a blank where something stands before it.
 * Nothing where it leaves out nothing. */
void mls_words_append_more(mls_buffer *line, size_t count, const char *noun, const char *hint);
