/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - numbers the way a person reads them.
 */
#include "report/words.h"

#include <math.h>

#include "base/number.h"

/* Decimals of a number that is most often whole. */
enum { COUNT_DECIMALS = 4 };

/* From here on neither digits behind the point nor seconds tell anybody anything. */
#define FIXED_MAX 1e12

void mls_words_count(mls_buffer *buffer, double number)
{
    mls_number_append_trimmed(buffer, number, COUNT_DECIMALS);
}

void mls_words_fixed(mls_buffer *buffer, double number, int decimals)
{
    if (!isfinite(number)) {
        mls_buffer_append_char(buffer, '-');
    } else {
        mls_buffer_printf(buffer, fabs(number) < FIXED_MAX ? "%.*f" : "%.*g", decimals, number);
    }
}

static void words_hours(mls_buffer *buffer, double minutes)
{
    const double seconds = floor(minutes * 60 + 0.5);
    const double hours = floor(seconds / 3600);
    const double rest = seconds - hours * 3600;
    mls_buffer_printf(buffer, "%.0f:%02.0f:%02.0f", hours, floor(rest / 60), rest - floor(rest / 60) * 60);
}

void mls_words_minutes(mls_buffer *buffer, double minutes)
{
    mls_words_fixed(buffer, minutes, 3);
    if (minutes >= 60 && minutes < FIXED_MAX) {
        mls_buffer_append_text(buffer, " (");
        words_hours(buffer, minutes);
        mls_buffer_append_char(buffer, ')');
    }
}

void mls_words_clock(mls_buffer *buffer, double minutes)
{
    if (!isfinite(minutes) || minutes < 0) {
        mls_buffer_append_char(buffer, '-');
        return;
    }
    if (minutes >= FIXED_MAX) {
        mls_words_minutes(buffer, minutes);
        return;
    }
    if (minutes >= 60) {
        words_hours(buffer, minutes);
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
