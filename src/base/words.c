/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - format numbers for people. */
#include "base/words.h"

#include <math.h>

/* Numbers from this value on are printed with an exponent. */
#define GROUPED_MAX 1e15

/* Durations from this number of minutes on are printed only as a number, without h:mm:ss. */
#define HOURS_MAX 1e12

/* Format a number with commas and `decimals` decimals.  If `trimmed`, omit trailing zeros of the decimals. */
static mls_words for_people(double number, int decimals, bool trimmed)
{
    mls_words words = {"-"};
    char text[sizeof words.text];
    char *end = words.text; /* at most 16 digits and 15 decimals */
    if (!isfinite(number))
        return words;
    if (fabs(number) >= GROUPED_MAX) {
        (void)mls_text_printf(words.text, sizeof words.text, "%.6g", number);
        return words;
    }
    size_t len = (size_t)mls_text_printf(text, sizeof text, "%.*f", decimals < 15 ? decimals : 15, number);
    const size_t whole = strcspn(text, ".");
    while (trimmed && len > whole && (text[len - 1] == '0' || text[len - 1] == '.'))
        len--;
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && text[i - 1] != '-')
            *end++ = ',';
        *end++ = text[i];
    }
    *end = '\0';
    return words;
}

mls_words mls_words_grouped(double number, int decimals)
{
    return for_people(number, decimals, false);
}

mls_words mls_words_trimmed(double number, int decimals)
{
    return for_people(number, decimals, true);
}

mls_words mls_words_count(double number)
{
    return mls_words_trimmed(number, 4);
}

mls_words mls_words_rate(double number)
{
    const double tens = floor(log10(number));
    return mls_words_grouped(number, !isfinite(tens) || tens >= 3 ? 0 : tens < -9 ? 12 : 3 - (int)tens);
}

mls_words mls_words_signed(double number, int decimals)
{
    mls_words words = mls_words_grouped(number, decimals);
    if (isfinite(number) && strpbrk(words.text, "123456789") == NULL) {
        words = mls_words_grouped(0, decimals);
    } else if (number > 0 && isfinite(number)) {
        memmove(words.text + 1, words.text, sizeof words.text - 1);
        words.text[sizeof words.text - 1] = '\0';
        words.text[0] = '+';
    }
    return words;
}

/* Append a unit, unless the number is unknown. */
static mls_words with_unit(mls_words words, const char *prefix, const char *unit)
{
    const size_t len = strlen(words.text);
    if (strcmp(words.text, "-") != 0)
        (void)mls_text_printf(words.text + len, sizeof words.text - len, " %s%s", prefix, unit);
    return words;
}

mls_words mls_words_percent(double ratio, int decimals)
{
    return with_unit(mls_words_grouped(ratio * 100, decimals), "", "%");
}

mls_words mls_words_change(double ratio)
{
    return with_unit(mls_words_signed(ratio * 100, 1), "", "%");
}

mls_words mls_words_quantity(double number, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    size_t prefix = 0;
    while (prefix + 1 < sizeof prefixes / sizeof *prefixes && fabs(number) >= 9999.5) {
        number /= 1000;
        prefix++;
    }
    return with_unit(mls_words_grouped(number, prefix > 0), prefixes[prefix], unit);
}

static mls_words words_hours(double minutes)
{
    const double seconds = floor(minutes * 60 + 0.5);
    const double hours = floor(seconds / 3600);
    const double rest = seconds - hours * 3600;
    mls_words words = {""};
    (void)mls_text_printf(words.text, sizeof words.text, "%.0f:%02.0f:%02.0f", hours, floor(rest / 60),
                          rest - floor(rest / 60) * 60);
    return words;
}

mls_words mls_words_minutes(double minutes)
{
    mls_words words = mls_words_grouped(minutes, 3);
    if (minutes >= 60 && minutes < HOURS_MAX) {
        const size_t len = strlen(words.text);
        (void)mls_text_printf(words.text + len, sizeof words.text - len, " (%s)", words_hours(minutes).text);
    }
    return words;
}

mls_words mls_words_clock(double minutes)
{
    mls_words words = {"-"};
    if (!isfinite(minutes) || minutes < 0)
        return words;
    if (minutes >= 60)
        return minutes < HOURS_MAX ? words_hours(minutes) : mls_words_minutes(minutes);
    const double tenths = floor(minutes * 600 + 0.5);
    const double whole = floor(tenths / 600);
    (void)mls_text_printf(words.text, sizeof words.text, "%.0f:%04.1f", whole, (tenths - whole * 600) / 10);
    return words;
}

mls_words mls_words_duration(double ms)
{
    return ms >= 3600e3   ? mls_words_clock(ms / 60000)
           : ms >= 1000e3 ? with_unit(mls_words_grouped(ms / 60000, 2), "", "min")
                          : with_unit(mls_words_grouped(ms / 1000, 1), "", "s");
}

mls_words mls_words_seconds(double seconds)
{
    mls_words words = {"-"};
    const double whole = floor(seconds + 0.5);
    if (whole >= 3600 && whole < HOURS_MAX * 60)
        return words_hours(whole / 60);
    if (whole >= 0 && whole < 3600)
        (void)mls_text_printf(words.text, sizeof words.text, "%.0f:%02.0f", floor(whole / 60), fmod(whole, 60));
    return words;
}

mls_words mls_words_plural(size_t count, const char *singular, const char *plural)
{
    mls_words words = {""};
    (void)mls_text_printf(words.text, sizeof words.text, "%s %s", mls_words_count((double)count).text,
                          count == 1 ? singular : plural);
    return words;
}

void mls_words_append_more(mls_buffer *line, size_t count, const char *noun, const char *hint)
{
    if (count > 0) {
        const bool inside = line->len > 0 && line->ptr[line->len - 1] != ' ';
        mls_buffer_printf(line, "%sand %s more", inside ? " " : "", mls_words_count((double)count).text);
        if (noun != NULL)
            mls_buffer_printf(line, " %s%s", noun, count == 1 ? "" : "s");
        if (hint != NULL)
            mls_buffer_printf(line, " (%s)", hint);
    }
}
