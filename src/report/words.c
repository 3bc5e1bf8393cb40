/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mls_words_count(mls_buffer *buffer, double number)
{
    char digits[64];
    if (isnan(number)) {
        mls_buffer_append_char(buffer, '-');
        return;
    }
    if (fabs(number) >= 1e15) {
        mls_buffer_printf(buffer, "%.6g", number);
        return;
    }
    const int len = snprintf(digits, sizeof digits, "%.4f", fabs(number));
    size_t end = len > 0 ? (size_t)len : 0;
    while (end > 0 && digits[end - 1] == '0') {
        end--;
    }
    end -= end > 0 && digits[end - 1] == '.';
    const char *point = memchr(digits, '.', end);
    const size_t whole = point != NULL ? (size_t)(point - digits) : end;
    if (number < 0) {
        mls_buffer_append_char(buffer, '-');
    }
    for (size_t i = 0; i < end; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) {
            mls_buffer_append_char(buffer, ',');
        }
        mls_buffer_append_char(buffer, digits[i]);
    }
}

static void mls_words_hours(mls_buffer *buffer, double minutes)
{
    const double seconds = floor(minutes * 60 + 0.5);
    const double hours = floor(seconds / 3600);
    const double rest = seconds - hours * 3600;
    mls_buffer_printf(buffer, "%.0f:%02.0f:%02.0f", hours, floor(rest / 60), rest - floor(rest / 60) * 60);
}

void mls_words_minutes(mls_buffer *buffer, double minutes)
{
    if (!isfinite(minutes)) {
        mls_buffer_append_char(buffer, '-');
        return;
    }
    mls_buffer_printf(buffer, "%.3f", minutes);
    if (minutes >= 60) {
        mls_buffer_append_text(buffer, " (");
        mls_words_hours(buffer, minutes);
        mls_buffer_append_char(buffer, ')');
    }
}

void mls_words_clock(mls_buffer *buffer, double minutes)
{
    if (!isfinite(minutes) || minutes < 0) {
        mls_buffer_append_char(buffer, '-');
        return;
    }
    if (minutes >= 60) {
        mls_words_hours(buffer, minutes);
        return;
    }
    const double tenths = floor(minutes * 600 + 0.5);
    const double whole = floor(tenths / 600);
    mls_buffer_printf(buffer, "%.0f:%04.1f", whole, (tenths - whole * 600) / 10);
}

void mls_words_plural(mls_buffer *buffer, size_t count, const char *singular, const char *plural)
{
    mls_words_count(buffer, (double)count);
    mls_buffer_append_char(buffer, ' ');
    mls_buffer_append_text(buffer, count == 1 ? singular : plural);
}
