/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - format numbers for people, in the same way in all tables and messages.  Print the result with "%s" as
 * mls_words_count(n).text.  NAN and infinite numbers are formatted as "-". */
#pragma once

#include "base/number.h"

/* Format with commas and `decimals` (at most 15) decimals: "3,061.250".  Numbers from 1e15 on have an exponent. */
mls_words mls_words_grouped(double number, int decimals);

/* Format like mls_words_grouped(), but without trailing zeros: "3,061.25". */
mls_words mls_words_trimmed(double number, int decimals);

/* Format like mls_words_trimmed() with 4 decimals: "3,024". */
mls_words mls_words_count(double number);

/* Format with four significant digits: "1,234", "45.16", "0.01234". */
mls_words mls_words_rate(double number);

/* Format a difference with its sign: "+0.003", "0.000", "-1,024.000". */
mls_words mls_words_signed(double number, int decimals);

/* Format a ratio as a percentage: 0.0243 as "2.4 %" with one decimal. */
mls_words mls_words_percent(double ratio, int decimals);

/* Format a relative change as a percentage with its sign and one decimal: 0.0243 as "+2.4 %". */
mls_words mls_words_change(double ratio);

/* Format a quantity with a unit prefix that leaves at most four digits before the point: "417 W", "15.2 kJ". */
mls_words mls_words_quantity(double number, const char *unit);

/* Format minutes with three decimals; from one hour on, append h:mm:ss: "209.652 (3:29:39)". */
mls_words mls_words_minutes(double minutes);

/* Format minutes as m:ss.s; from one hour on, as h:mm:ss. */
mls_words mls_words_clock(double minutes);

/* Format milliseconds with a unit, for sentences: "36.1 s"; from 1,000 seconds on, "19.74 min"; from one hour on,
 * h:mm:ss. */
mls_words mls_words_duration(double ms);

/* Format whole seconds like Slurm: "27:08", or "4:00:00" from one hour on. */
mls_words mls_words_seconds(double seconds);

/* Format a count with its noun: "1 run", "3,024 runs". */
mls_words mls_words_plural(size_t count, const char *singular, const char *plural);

/* Append a note about `count` omitted list items, with a blank before it if needed: "and 3 more devices (-v lists
 * them)". `noun` is the singular of the items ("device"), and `hint` is the text in parentheses; each is omitted if it
 * is NULL. If `count` is 0, append nothing. */
void mls_words_append_more(mls_buffer *line, size_t count, const char *noun, const char *hint);
