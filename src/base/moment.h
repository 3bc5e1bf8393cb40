/* SPDX-License-Identifier: Apache-2.0 */
/* moment.h - dates, times of day and zones as logs print them: the one place where they are read.
 *
 * A time is milliseconds since 1970, UTC.  That of a text without a year is less than 0 until mls_time_resolve() gives
 * it one.  mls_take_…() read from the front of a text and leave it after what they took; false: the text does not begin
 * with that, and stays as it is. */
#pragma once

#include "base/base.h"

#define MLS_DAY_MS 86400000.0
#define MLS_MINUTE_MS 60000.0

/* A leap year, long past, in which times without a year stand. */
enum { MLS_NO_YEAR = 4 };

/* One of some characters, of which '\0' is none; exactly `count` digits, at most 9. */
static inline bool mls_take_char(mls_str *text, const char *among)
{
    while (text->len > 0 && *among != '\0' && *among != *text->ptr) {
        among++;
    }
    const bool taken = text->len > 0 && *among != '\0';
    *text = taken ? (mls_str){text->ptr + 1, text->len - 1} : *text;
    return taken;
}

static inline bool mls_take_digits(mls_str *text, size_t count, int *number)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= text->len || !mls_is_digit(text->ptr[i])) {
            return false;
        }
        value = value * 10 + (text->ptr[i] - '0');
    }
    *number = value;
    *text = (mls_str){text->ptr + count, text->len - count};
    return true;
}

/* As many digits as there are, of a number that is at most INT32_MAX. */
bool mls_take_number(mls_str *text, int32_t *number);

/* 16:24:26, with decimals after a point or a comma, in milliseconds; a leap second is 60. */
bool mls_take_clock(mls_str *text, double *ms);

/* A date with one of the characters `between` its parts, twice the same (2026-11-21), or none of them where that is ""
 * (20261121); then 'T', '_' or a blank, a clock, and a zone right after it or none: UTC.  Only the shape counts: a date
 * that is none, or before 1970, and a zone that is none, as 2026-02-29 and +15:00, are taken as NAN.  mls_…_read() and
 * mls_…_parse() refuse them. */
bool mls_take_moment(mls_str *text, const char *between, double *ms, bool *zoned);

/* A whole text: a time as any of the logs has it, or its milliseconds since 1970, and whether it says its zone; a date;
 * a clock; a zone.  Then a time, which is in the given zone when it says none. */
bool mls_moment_read(mls_str text, double *time_ms, bool *zoned);
bool mls_date_read(mls_str text, double *time_ms);
bool mls_clock_read(mls_str text, double *time_ms);
bool mls_timezone_parse(mls_str text, double *minutes);
bool mls_moment_parse(mls_str text, double timezone_minutes, double *time_ms);

/* Days from 1970-01-01 to a date of the Gregorian calendar, for years from 1 on. */
int mls_days_of(int year, int month, int day);

/* The year of a time without one is that which brings it nearest to `near_ms`; others stay.  near_ms NAN: NAN. */
double mls_time_resolve(double time_ms, double near_ms);
