/* SPDX-License-Identifier: Apache-2.0 */
/* moment.c - times as logs print them, and the hosts that names of files tell. */
#include <math.h>

#include "base/file.h"
#include "base/number.h"
#include "telemetry/telemetry.h"

#define MINUTE_MS 60000.0
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Takes a number of exactly `digits` digits from the front. */
static bool take_fixed(mls_str *text, size_t digits, int *number)
{
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (i >= text->len || !mls_is_digit(text->ptr[i])) {
            return false;
        }
        *number = *number * 10 + (text->ptr[i] - '0');
    }
    *text = (mls_str){text->ptr + digits, text->len - digits};
    return true;
}

static bool take_char(mls_str *text, const char *among)
{
    const bool taken = text->len > 0 && text->ptr[0] != '\0' && strchr(among, text->ptr[0]) != NULL;
    *text = taken ? (mls_str){text->ptr + 1, text->len - 1} : *text;
    return taken;
}

/* 2026/11/21, 2026-11-21, 20261121: days since 1970 by the civil calendar, whose years begin in March here. */
static bool take_date(mls_str *text, double *time_ms)
{
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year;
    int month;
    int day;
    if (!take_fixed(text, 4, &year)) {
        return false;
    }
    const char between[] = {text->len > 0 ? text->ptr[0] : '\0', '\0'};
    const bool parted = take_char(text, "/-");
    if (!take_fixed(text, 2, &month) || (parted && !take_char(text, between)) || !take_fixed(text, 2, &day) ||
        year < 1970 || month < 1 || month > 12 || day < 1 || day > lengths[month - 1] ||
        (month == 2 && day == 29 && (year % 4 != 0 || (year % 100 == 0 && year % 400 != 0)))) {
        return false;
    }
    const int from_march = year - (month <= 2);
    const int days_before = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int days = 365 * from_march + from_march / 4 - from_march / 100 + from_march / 400 + days_before - 719468;
    *time_ms = days * DAY_MS;
    return true;
}

/* 16:24:26, with decimals behind a point or a comma. */
static bool take_clock(mls_str *text, double *time_ms)
{
    int hour;
    int minute;
    int second;
    double unit = 1000;
    if (!take_fixed(text, 2, &hour) || !take_char(text, ":") || !take_fixed(text, 2, &minute) ||
        !take_char(text, ":") || !take_fixed(text, 2, &second) || hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    double milliseconds = second * 1000.0;
    if (text->len > 1 && mls_is_digit(text->ptr[1]) && take_char(text, ".,")) {
        double part = 0;
        double scale = 1;
        for (int digit; take_fixed(text, 1, &digit);) {
            part = scale < 1e9 ? part * 10 + digit : part;
            scale = scale < 1e9 ? scale * 10 : scale;
        }
        milliseconds += part * unit / scale;
    }
    *time_ms = hour * HOUR_MS + minute * MINUTE_MS + milliseconds;
    return true;
}

bool mls_date_read(mls_str text, double *time_ms)
{
    return take_date(&text, time_ms) && text.len == 0;
}

bool mls_clock_read(mls_str text, double *time_ms)
{
    return take_clock(&text, time_ms) && text.len == 0;
}

bool mls_timezone_parse(mls_str text, double *minutes)
{
    int hours;
    int rest = 0;
    *minutes = 0;
    if (mls_str_equal(text, MLS_S("UTC")) || mls_str_equal(text, MLS_S("Z"))) {
        return true;
    }
    const bool west = text.len > 0 && text.ptr[0] == '-';
    if (!take_char(&text, "+-") || !take_fixed(&text, 2, &hours)) {
        return false;
    }
    if (text.len > 0 && !(take_char(&text, ":"), take_fixed(&text, 2, &rest))) {
        return false;
    }
    *minutes = (west ? -1 : 1) * (hours * 60.0 + rest);
    return text.len == 0 && hours <= 14 && rest <= 59;
}

bool mls_moment_read(mls_str text, double *time_ms, bool *zoned)
{
    double date;
    double clock;
    double minutes = 0;
    mls_str rest = text;
    /* Seconds since 1970 have fewer digits: they are not taken for a day of that year. */
    size_t milliseconds;
    if (text.len >= 12 && text.len <= 15 && mls_size_parse(text, &milliseconds)) {
        *time_ms = (double)milliseconds;
        *zoned = true;
        return *time_ms >= 1e11;
    }
    if (!take_date(&rest, &date) || !(take_char(&rest, " T"), take_clock(&rest, &clock))) {
        return false;
    }
    (void)take_char(&rest, " ");
    *zoned = rest.len > 0;
    if (*zoned && !mls_timezone_parse(rest, &minutes)) {
        return false;
    }
    *time_ms = date + clock - minutes * MINUTE_MS;
    return true;
}

bool mls_moment_parse(mls_str text, double timezone_minutes, double *time_ms)
{
    bool zoned;
    const bool ok = mls_moment_read(text, time_ms, &zoned);
    *time_ms -= ok && !zoned ? timezone_minutes * MINUTE_MS : 0;
    return ok;
}

/* ------------------------------------------------------------------- hosts */

/* What a name says of the log, not of the host; longer ones before what they begin with. */
static const mls_str log_words[] = {
    MLS_STR("nvidia-smi"), MLS_STR("nvsmi"), MLS_STR("amd-smi"), MLS_STR("rocm-smi"),  MLS_STR("smi"),
    MLS_STR("gpus"),       MLS_STR("gpu"),   MLS_STR("dmon"),    MLS_STR("telemetry"), MLS_STR("power"),
    MLS_STR("pmon"),       MLS_STR("dcgmi"), MLS_STR("dcgm"),    MLS_STR("ipmi"),
};

static bool is_separator(char c)
{
    return c == '.' || c == '_' || c == '-';
}

/* Drops one such word from the begin or the end. */
static bool drop_word(mls_str *name)
{
    for (size_t i = 0; i < sizeof log_words / sizeof *log_words; i++) {
        const size_t len = log_words[i].len;
        const bool whole = name->len == len;
        if (mls_str_starts(*name, log_words[i]) && (whole || is_separator(name->ptr[len]))) {
            *name = (mls_str){name->ptr + len + !whole, name->len - len - !whole};
            return true;
        }
        if (mls_str_ends(*name, log_words[i]) && is_separator(name->ptr[name->len - len - 1])) {
            name->len -= len + 1;
            return true;
        }
    }
    return false;
}

mls_str mls_log_stem(const char *path)
{
    static const mls_str endings[] = {MLS_STR(".csv"), MLS_STR(".log"), MLS_STR(".txt"), MLS_STR(".out")};
    const mls_str name = mls_str_from(mls_path_name(path));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (mls_str_ends(name, endings[i])) {
            return (mls_str){name.ptr, name.len - endings[i].len};
        }
    }
    return (mls_str){NULL, 0};
}

mls_str mls_host_of(const char *path)
{
    mls_str name = mls_log_stem(path);
    while (name.len > 0 && drop_word(&name)) {
    }
    return name;
}
