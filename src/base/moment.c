/* SPDX-License-Identifier: Apache-2.0 */
/* moment.c - parse dates, times of day and zones into milliseconds. */
#include "base/moment.h"

#include <math.h>

#include "base/number.h"

bool mls_take_number(mls_str *text, int32_t *number)
{
    int64_t value = 0;
    size_t digits = 0;
    while (digits < text->len && mls_is_digit(text->ptr[digits]) && value <= INT32_MAX)
        value = value * 10 + (text->ptr[digits++] - '0');
    if (digits == 0 || value > INT32_MAX)
        return false;
    *number = (int32_t)value;
    *text = (mls_str){text->ptr + digits, text->len - digits};
    return true;
}

bool mls_take_clock(mls_str *text, double *ms)
{
    mls_str rest = *text;
    int hour, minute, second, digit;
    if (!mls_take_digits(&rest, 2, &hour) || !mls_take_char(&rest, ":") || !mls_take_digits(&rest, 2, &minute) ||
        !mls_take_char(&rest, ":") || !mls_take_digits(&rest, 2, &second) || hour > 23 || minute > 59 || second > 60)
        return false;
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

/* Read a date such as 2026-11-21, whose separators are one of the characters `between`; or 20261121 if `between` is "".
 * *ms is NAN if the day does not exist or is before 1970. */
static bool take_date(mls_str *text, const char *between, double *ms)
{
    mls_str rest = *text;
    int year, month, day;
    if (!mls_take_digits(&rest, 4, &year))
        return false;
    const char mark[] = {rest.len > 0 ? rest.ptr[0] : '\0', '\0'};
    const bool split = *between != '\0';
    if ((split && !mls_take_char(&rest, between)) || !mls_take_digits(&rest, 2, &month) ||
        (split && !mls_take_char(&rest, mark)) || !mls_take_digits(&rest, 2, &day))
        return false;
    const bool exists =
        year >= 1970 && month >= 1 && month <= 12 && day >= 1 &&
        (day <= 28 || mls_days_of(year, month, day) < mls_days_of(year + month / 12, month % 12 + 1, 1));
    *ms = exists ? mls_days_of(year, month, day) * MLS_DAY_MS : (double)NAN;
    *text = rest;
    return true;
}

/* Read a zone: UTC, Z, +05:30, -0800 or +02, in minutes east of UTC. *minutes is NAN if the zone does not exist. */
static bool take_zone(mls_str *text, double *minutes)
{
    mls_str rest = *text;
    int hours;
    int part = 0;
    if (mls_str_starts(rest, MLS_S("UTC")) || mls_str_starts(rest, MLS_S("Z"))) {
        *minutes = 0;
        *text = mls_str_rest(rest, *rest.ptr == 'Z' ? 1 : 3);
        return true;
    }
    const bool west = rest.len > 0 && rest.ptr[0] == '-';
    if (!mls_take_char(&rest, "+-") || !mls_take_digits(&rest, 2, &hours))
        return false;
    mls_str after = rest;
    (void)mls_take_char(&after, ":");
    rest = mls_take_digits(&after, 2, &part) ? after : rest;
    *minutes = hours <= 14 && part <= 59 ? (west ? -1 : 1) * (hours * 60.0 + part) : (double)NAN;
    *text = rest;
    return true;
}

bool mls_take_moment(mls_str *text, const char *between, double *ms, bool *zoned)
{
    mls_str rest = *text;
    double date, clock;
    double minutes = 0;
    if (!take_date(&rest, between, &date) || !mls_take_char(&rest, "T _") || !mls_take_clock(&rest, &clock))
        return false;
    *zoned = take_zone(&rest, &minutes);
    *ms = date + clock - minutes * MLS_MINUTE_MS;
    *text = rest;
    return true;
}

bool mls_date_read(mls_str text, double *time_ms)
{
    return (take_date(&text, "/-", time_ms) || take_date(&text, "", time_ms)) && text.len == 0 && !isnan(*time_ms);
}

bool mls_clock_read(mls_str text, double *time_ms)
{
    return mls_take_clock(&text, time_ms) && text.len == 0;
}

bool mls_timezone_parse(mls_str text, double *minutes)
{
    return take_zone(&text, minutes) && text.len == 0 && !isnan(*minutes);
}

bool mls_moment_read(mls_str text, double *time_ms, bool *zoned)
{
    double minutes = 0;
    size_t milliseconds;
    /* Refuse numbers with fewer digits, which are probably in seconds: in milliseconds, they are times before 1974. */
    if (text.len >= 12 && text.len <= 15 && mls_size_parse(text, &milliseconds)) {
        *time_ms = (double)milliseconds;
        *zoned = true;
        return *time_ms >= 1e11;
    }
    if (!mls_take_moment(&text, "/-", time_ms, zoned) && !mls_take_moment(&text, "", time_ms, zoned))
        return false;
    if (!*zoned && mls_take_char(&text, " ") && text.len > 0) {
        *zoned = take_zone(&text, &minutes);
        *time_ms -= minutes * MLS_MINUTE_MS;
    }
    return text.len == 0 && !isnan(*time_ms);
}

bool mls_moment_parse(mls_str text, double timezone_minutes, double *time_ms)
{
    bool zoned;
    const bool ok = mls_moment_read(text, time_ms, &zoned);
    *time_ms -= ok && !zoned ? timezone_minutes * MLS_MINUTE_MS : 0;
    return ok;
}

double mls_time_resolve(double time_ms, double near_ms)
{
    double best = NAN;
    if (!(time_ms < 0))
        return time_ms;
    const double of_year = time_ms - mls_days_of(MLS_NO_YEAR, 1, 1) * MLS_DAY_MS;
    const double year_10000 = 253402300800000.0; /* a record may contain any number */
    const int near_year = fabs(near_ms) < year_10000 ? 1970 + (int)(near_ms / (365.2425 * MLS_DAY_MS)) : 0;
    for (int year = near_year - 1; near_year > 0 && year <= near_year + 1; year++) {
        const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        const bool late = !leap && of_year >= 60 * MLS_DAY_MS; /* after 29 February */
        const double time = mls_days_of(year, 1, 1) * MLS_DAY_MS + of_year - (late ? MLS_DAY_MS : 0);
        best = !isnan(best) && fabs(best - near_ms) <= fabs(time - near_ms) ? best : time;
    }
    return best;
}

double mls_clock_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

/* Uses Hinnant's algorithm, whose years begin in March. */
int mls_days_of(int year, int month, int day)
{
    const int y = year - (month <= 2);
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}
