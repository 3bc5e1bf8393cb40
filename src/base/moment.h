/* SPDX-License-Identifier: Apache-2.0 */
/* moment.h - parse dates, times of day and time zones as logs print them.
 *
 * A time is in milliseconds since 1970, UTC. A time without a year is negative until mls_time_resolve() adds the year.
 *
 * mls_take_…() read from the front of a text and advance the text.  They return false and leave it unchanged if the
 * text does not begin with what they read. */
#pragma once

#include "base/base.h"

#define MLS_DAY_MS 86400000.0
#define MLS_MINUTE_MS 60000.0

/* The year of times without a year: a leap year long before 1970. */
enum { MLS_NO_YEAR = 4 };

/* Read one character, which must be one of `among`.  mls_take_digits() reads exactly `count` digits, at most 9. */
static inline bool mls_take_char(mls_str *text, const char *among)
{
    while (text->len > 0 && *among != '\0' && *among != *text->ptr)
        among++;
    const bool taken = text->len > 0 && *among != '\0';
    *text = taken ? (mls_str){text->ptr + 1, text->len - 1} : *text;
    return taken;
}

static inline bool mls_take_digits(mls_str *text, size_t count, int *number)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= text->len || !mls_is_digit(text->ptr[i]))
            return false;
        value = value * 10 + (text->ptr[i] - '0');
    }
    *number = value;
    *text = (mls_str){text->ptr + count, text->len - count};
    return true;
}

/* Read all digits of a number that is at most INT32_MAX. */
bool mls_take_number(mls_str *text, int32_t *number);

/* Read a clock such as 16:24:26, with decimals after a point or a comma, in milliseconds.  A leap second is 60. */
bool mls_take_clock(mls_str *text, double *ms);

/* Read a date and a time: a date whose two separators are the same character of `between` (2026-11-21), or without
 * separators if `between` is "" (20261121); then 'T', '_' or a blank, a clock, and optionally a zone right after it
 * (default: UTC).  Only the format is checked: for a date or a zone that does not exist, such as 2026-02-29 or +15:00,
 * or a date before 1970, the time is NAN. mls_…_read() and mls_…_parse() refuse these. */
bool mls_take_moment(mls_str *text, const char *between, double *ms, bool *zoned);

/* Parse a whole text as a time in any format of the logs, or as milliseconds since 1970, and find out whether it
 * contains a zone. */
bool mls_moment_read(mls_str text, double *time_ms, bool *zoned);

/* Parse a whole text as a date, as a clock, or as a zone. */
bool mls_date_read(mls_str text, double *time_ms);
bool mls_clock_read(mls_str text, double *time_ms);
bool mls_timezone_parse(mls_str text, double *minutes);

/* Parse a whole text as a time, which is in the given zone if it does not contain one. */
bool mls_moment_parse(mls_str text, double timezone_minutes, double *time_ms);

/* Return the days from 1970-01-01 to a date of the Gregorian calendar, for years from 1 on. */
int mls_days_of(int year, int month, int day);

/* Add to a time without a year the year that brings it closest to `near_ms`.  Return other times unchanged.  If near_ms
 * is NAN, a time without a year becomes NAN. */
double mls_time_resolve(double time_ms, double near_ms);
