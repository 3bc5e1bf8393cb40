/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locale.c - printing and reading of numbers in the C locale.
 */
#include "base/locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Makes the C locale this thread's own and returns the one it had. */
static locale_t enter_c_locale(void)
{
    (void)pthread_once(&c_locale_once, make_c_locale);
    return c_locale != (locale_t)0 ? uselocale(c_locale) : (locale_t)0;
}

static void leave_c_locale(locale_t before)
{
    if (before != (locale_t)0) {
        (void)uselocale(before);
    }
}

int mls_text_vprintf(char *text, size_t size, const char *format, va_list args)
{
    const locale_t before = enter_c_locale();
    const int length = vsnprintf(text, size, format, args);
    leave_c_locale(before);
    return length;
}

int mls_text_printf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = mls_text_vprintf(text, size, format, args);
    va_end(args);
    return length;
}

double mls_text_double(const char *text)
{
    const locale_t before = enter_c_locale();
    const double number = strtod(text, NULL);
    leave_c_locale(before);
    return number;
}
