/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment.h - times as logs print them, taken piece by piece from the front of a text.  False: it does not begin with
 * that, and stays as it is.
 */
#ifndef MLS_BASE_MOMENT_H
#define MLS_BASE_MOMENT_H

#include "mlscore/base.h"

#define MLS_DAY_MS 86400000.0

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

/* 16:24:26, with decimals behind a point or a comma, in milliseconds; a leap second is 60. */
bool mls_take_clock(mls_str *text, double *ms);

/* Days from 1970-01-01 to a date of the Gregorian calendar, for years from 1 on. */
int mls_days_of(int year, int month, int day);

#endif
