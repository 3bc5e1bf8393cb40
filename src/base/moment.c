/* SPDX-License-Identifier: Apache-2.0 */
/* moment.c - times of day, and days. */
#include "base/moment.h"

bool mls_take_clock(mls_str *text, double *ms)
{
    mls_str rest = *text;
    int hour, minute, second, digit;
    if (!mls_take_digits(&rest, 2, &hour) || !mls_take_char(&rest, ":") || !mls_take_digits(&rest, 2, &minute) ||
        !mls_take_char(&rest, ":") || !mls_take_digits(&rest, 2, &second) || hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    *ms = ((hour * 60 + minute) * 60 + second) * 1000.0;
    if (rest.len > 1 && mls_is_digit(rest.ptr[1]) && mls_take_char(&rest, ".,")) {
        double part = 0;
        double scale = 1;
        while (mls_take_digits(&rest, 1, &digit)) {
            part = scale < 1e9 ? part * 10 + digit : part;
            scale = scale < 1e9 ? scale * 10 : scale;
        }
        *ms += part * 1000 / scale;
    }
    *text = rest;
    return true;
}

/* Hinnant's algorithm: its years begin in March. */
int mls_days_of(int year, int month, int day)
{
    const int y = year - (month <= 2);
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}
