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

/* A buffer that never has to grow: no number is as long as the words have room. */
#define WRITE_TO(words) (&(mls_buffer){.ptr = (words).text, .capacity = sizeof(words).text})

mls_words mls_words_exact(double number)
{
    mls_words words = {""};
    mls_number_append(WRITE_TO(words), number);
    return words;
}

mls_words mls_words_count(double number)
{
    mls_words words = {""};
    mls_number_append_trimmed(WRITE_TO(words), number, COUNT_DECIMALS);
    return words;
}

mls_words mls_words_grouped(double number, int decimals)
{
    mls_words words = {""};
    mls_number_append_grouped(WRITE_TO(words), number, decimals);
    return words;
}

mls_words mls_words_fixed(double number, int decimals)
{
    mls_words words = {"-"};
    if (isfinite(number)) {
        (void)mls_text_printf(words.text, sizeof words.text, fabs(number) < FIXED_MAX ? "%.*f" : "%.*g", decimals,
                              number);
    }
    return words;
}

static mls_words words_hours(double minutes)
{
    const double seconds = floor(minutes * 60 + 0.5);
    const double hours = floor(seconds / 3600);
    const double rest = seconds - hours * 3600;
    mls_words words;
    (void)mls_text_printf(words.text, sizeof words.text, "%.0f:%02.0f:%02.0f", hours, floor(rest / 60),
                          rest - floor(rest / 60) * 60);
    return words;
}

mls_words mls_words_minutes(double minutes)
{
    mls_words words = mls_words_fixed(minutes, 3);
    if (minutes >= 60 && minutes < FIXED_MAX) {
        const size_t len = strlen(words.text);
        (void)mls_text_printf(words.text + len, sizeof words.text - len, " (%s)", words_hours(minutes).text);
    }
    return words;
}

mls_words mls_words_clock(double minutes)
{
    mls_words words = {"-"};
    if (!isfinite(minutes) || minutes < 0) {
        return words;
    }
    if (minutes >= 60) {
        return minutes < FIXED_MAX ? words_hours(minutes) : mls_words_minutes(minutes);
    }
    const double tenths = floor(minutes * 600 + 0.5);
    const double whole = floor(tenths / 600);
    (void)mls_text_printf(words.text, sizeof words.text, "%.0f:%04.1f", whole, (tenths - whole * 600) / 10);
    return words;
}

mls_words mls_words_plural(size_t count, const char *singular, const char *plural)
{
    mls_words words;
    (void)mls_text_printf(words.text, sizeof words.text, "%s %s", mls_words_count((double)count).text,
                          count == 1 ? singular : plural);
    return words;
}
