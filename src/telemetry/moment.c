/* SPDX-License-Identifier: Apache-2.0 */
/* moment.c - times as logs print them, and the hosts that names of files tell. */
#include <math.h>

#include "base/file.h"
#include "base/moment.h"
#include "base/number.h"
#include "telemetry/telemetry.h"

#define MINUTE_MS 60000.0

/* 2026/11/21, 2026-11-21, 20261121 */
static bool take_date(mls_str *text, double *time_ms)
{
    int year, month, day;
    if (!mls_take_digits(text, 4, &year)) {
        return false;
    }
    const char between[] = {text->len > 0 ? text->ptr[0] : '\0', '\0'};
    const bool parted = mls_take_char(text, "/-");
    if (!mls_take_digits(text, 2, &month) || (parted && !mls_take_char(text, between)) ||
        !mls_take_digits(text, 2, &day) || year < 1970 || month < 1 || month > 12) {
        return false;
    }
    const int first = mls_days_of(year, month, 1);
    *time_ms = (first + day - 1) * MLS_DAY_MS;
    return day >= 1 && (day <= 28 || day <= mls_days_of(month < 12 ? year : year + 1, month % 12 + 1, 1) - first);
}

bool mls_date_read(mls_str text, double *time_ms)
{
    return take_date(&text, time_ms) && text.len == 0;
}

bool mls_clock_read(mls_str text, double *time_ms)
{
    return mls_take_clock(&text, time_ms) && text.len == 0;
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
    if (!mls_take_char(&text, "+-") || !mls_take_digits(&text, 2, &hours)) {
        return false;
    }
    if (text.len > 0 && !(mls_take_char(&text, ":"), mls_take_digits(&text, 2, &rest))) {
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
    if (!take_date(&rest, &date) || !(mls_take_char(&rest, " T"), mls_take_clock(&rest, &clock))) {
        return false;
    }
    (void)mls_take_char(&rest, " ");
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
