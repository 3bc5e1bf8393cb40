/* SPDX-License-Identifier: Apache-2.0 */
/* moment.h - parse dates, times of day and time zones as logs print them.
 *
 * A time is in milliseconds since 1970, UTC. A time without a year is negative until mls_time_resolve() adds the year.
 *
 * mls_take_…() read from the front of *text and advance *text past the characters read.  If *text does not begin with
 * the expected format, they return false and leave *text unchanged. */
#pragma once

#include "base/base.h"

#define MLS_DAY_MS 86400000.0
#define MLS_MINUTE_MS 60000.0

/* The year that is used for times without a year: a leap year long before 1970. */
enum { MLS_NO_YEAR = 4 };

/* Read one character, which must be one of `among`. */
static inline bool mls_take_char(mls_str *text, const char *among)
{
    while (text->len > 0 && *among != '\0' && *among != *text->ptr)
        among++;
    const bool taken = text->len > 0 && *among != '\0';
    *text = taken ? (mls_str){text->ptr + 1, text->len - 1} : *text;
    return taken;
}

/* Read exactly `count` digits; `count` is at most 9. */
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

/* Read a number of one or more digits.  Return false if the number is greater than INT32_MAX. */
bool mls_take_number(mls_str *text, int32_t *number);

/* Read a time of day such as 16:24:26, optionally with decimals after a point or a comma.  Store the milliseconds since
 * midnight in *ms.  The seconds may be 60, for a leap second. */
bool mls_take_clock(mls_str *text, double *ms);

/* Read a date; then 'T', '_' or a blank; then a time of day; and optionally a zone directly after the time (default:
 * UTC).  The two separators of the date are the same character, one of `between` (2026-11-21); if `between` is "", the
 * date has no separators (20261121). *zoned is set to whether the text contains a zone.
 *
 * Only the format is checked: for a date or a zone that does not exist, such as 2026-02-29 or +15:00, or a date before
 * 1970, *ms is NAN. mls_…_read() and mls_…_parse() return false for such dates and zones. */
bool mls_take_moment(mls_str *text, const char *between, double *ms, bool *zoned);

/* Parse a whole text as a time in any format that logs use, or as a number of milliseconds since 1970. *zoned is set to
 * whether the text contains a zone; it is true for a number. */
bool mls_moment_read(mls_str text, double *time_ms, bool *zoned);

/* Parse a whole text as a date, in milliseconds since 1970. */
bool mls_date_read(mls_str text, double *time_ms);

/* Parse a whole text as a time of day, in milliseconds since midnight. */
bool mls_clock_read(mls_str text, double *time_ms);

/* Parse a whole text as a zone such as +05:30 or UTC, in minutes east of UTC. */
bool mls_timezone_parse(mls_str text, double *minutes);

/* Parse a whole text as a time.  If the text does not contain a zone, the time is in the zone `timezone_minutes` east
 * of UTC. */
bool mls_moment_parse(mls_str text, double timezone_minutes, double *time_ms);

/* Return the number of days from 1970-01-01 to a date of the Gregorian calendar; `year` is at least 1. */
int mls_days_of(int year, int month, int day);

/* Return a time without a year (negative) in the year in which it is closest to `near_ms`, or NAN if `near_ms` is NAN.
 * Return other times unchanged. */
double mls_time_resolve(double time_ms, double near_ms);
