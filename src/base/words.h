/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - format numbers for people, the same way in tables, lines and messages.  Print the result with "%s" as
 * mls_words_count(n).text.  An unknown or infinite number becomes "-". */
#pragma once

#include "base/number.h"

/* Format with commas and at most 15 decimals, "3,061.25", optionally without trailing zeros.  From 1e15 on, with an
 * exponent. */
mls_words mls_words_grouped(double number, int decimals);
mls_words mls_words_trimmed(double number, int decimals);
mls_words mls_words_count(double number); /* trimmed, 4 decimals: 3,024 */

/* Format with four significant digits: "1,234", "45.16", "0.01234". */
mls_words mls_words_rate(double number);

/* Format a difference with its sign: "+0.003", "0.000", "-1,024.000". */
mls_words mls_words_signed(double number, int decimals);

/* Format a ratio as a percentage: 0.0243 as "2.4 %" with one decimal; or a change as "+2.4 %". */
mls_words mls_words_percent(double ratio, int decimals);
mls_words mls_words_change(double ratio);

/* Format a quantity with a unit prefix that leaves at most four digits before the point: "417 W", "15.2 kJ". */
mls_words mls_words_quantity(double number, const char *unit);

/* Format durations. mls_words_minutes: three decimals, and from one hour on also h:mm:ss: "209.652 (3:29:39)".
 * mls_words_clock: m:ss.s, or h:mm:ss from one hour on. mls_words_duration takes milliseconds, for sentences: "36.1 s",
 * "19.74 min" from 1,000 seconds on, and h:mm:ss from one hour on. */
mls_words mls_words_minutes(double minutes);
mls_words mls_words_clock(double minutes);
mls_words mls_words_duration(double ms);

/* Format whole seconds like Slurm: "27:08", or "4:00:00" from one hour on. */
mls_words mls_words_seconds(double seconds);

/* Format a count with its noun: "1 run", "3,024 runs". */
mls_words mls_words_plural(size_t count, const char *singular, const char *plural);

/* Append a note about omitted list items: "and 3 more devices (-v lists them)".  `noun` is the singular of the items,
 * or NULL to omit it; `hint` is how to see them, or NULL. Adds a blank before it if needed.  Appends nothing if `count`
 * is 0. */
void mls_words_append_more(mls_buffer *line, size_t count, const char *noun, const char *hint);
