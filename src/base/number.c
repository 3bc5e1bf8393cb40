/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - parse and format numbers. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"

/* Maximum number of digits that are converted.  A double, or the middle between two doubles, has fewer significant
 * digits than this, so it only matters whether all further digits are zero. */
enum { DIGITS_MAX = 800 };

/* Size in bytes of a number that is printed without an exponent: up to 309 digits precede the point. */
enum { FIXED_MAX = 352 };

__extension__ typedef unsigned __int128 wide_integer;

bool mls_number_parse(mls_str text, double *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    mls_decimal decimal;
    if (!mls_decimal_parse(text, &decimal))
        return false;
    const double digits = (double)decimal.digits;
    const int scale = decimal.exponent;
    if (decimal.digits <= UINT64_C(1) << DBL_MANT_DIG && scale >= -22 && scale <= 22) {
        /* The digits and the power of ten are both exact doubles, so a single multiplication or division rounds
         * correctly (Clinger 1990). */
        *number = scale < 0 ? digits / powers[-scale] : digits * powers[scale];
    } else if (decimal.digits == 0) {
        *number = 0;
    } else if (decimal.digits < UINT64_C(1000000000000000000) && scale < 0 && scale >= -MLS_POWER_MAX) {
        /* decimal.digits contains all digits, so divide it by the power of ten.  The quotient has more bits than a
         * double, and its lowest bit is set if any further bit is, so that rounding happens only once. */
        enum { BITS = 63 };
        const uint64_t power = mls_power_of_ten(-scale);
        const int shift = __builtin_clzll(decimal.digits);
        const int power_shift = __builtin_clzll(power);
        const wide_integer dividend = (wide_integer)(decimal.digits << shift) << BITS;
        const uint64_t divisor = power << power_shift;
        const uint64_t quotient = (uint64_t)(dividend / divisor);
        const bool rest = (wide_integer)quotient * divisor != dividend;
        *number = ldexp((double)(quotient | rest), power_shift - shift - BITS);
    } else {
        /* Convert all digits of the text with strtod(). */
        char all[DIGITS_MAX + 8];
        size_t count = 0; /* number of digits in `all`, without leading zeros */
        bool more = false;
        for (size_t i = 0; i < text.len && text.ptr[i] != 'e' && text.ptr[i] != 'E'; i++) {
            const char c = text.ptr[i];
            if (mls_is_digit(c) && count == DIGITS_MAX)
                more |= c != '0';
            else if (mls_is_digit(c) && (count > 0 || c != '0'))
                all[count++] = c;
        }
        const long long unkept = count > MLS_DECIMAL_DIGITS ? (long long)count - MLS_DECIMAL_DIGITS : 0;
        all[count] = '1'; /* represents all further digits, if there are any */
        /* Append "e-0017", without snprintf(), which would take as long as the parsing.  Exponents of more than four
         * digits always mean 0 or infinity. */
        const long long exponent = scale - unkept - more;
        long long rest = exponent < -9999 || exponent > 9999 ? 9999 : exponent < 0 ? -exponent : exponent;
        char *to = all + count + more;
        to[0] = 'e';
        to[1] = exponent < 0 ? '-' : '+';
        for (int i = 5; i > 1; i--, rest /= 10)
            to[i] = (char)('0' + rest % 10);
        to[6] = '\0';
        *number = mls_text_double(all);
    }
    *number = decimal.negative ? -*number : *number;
    return true;
}

bool mls_number_parse_lenient(mls_str text, double *number)
{
    text = mls_str_trim(text, mls_is_latin_space);
    if (text.len == 0)
        return false;
    if (mls_number_parse(text, number))
        return true;
    static const char *const words[] = {"inf", "infinity", "nan"};
    const bool negative = text.ptr[0] == '-';
    const mls_str word = mls_str_rest(text, negative || text.ptr[0] == '+');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (mls_str_alike(word, mls_str_from(words[i]))) {
            *number = i < 2 ? (double)INFINITY : (double)NAN;
            *number = negative ? -*number : *number;
            return true;
        }
    }
    /* Underscores are allowed only between two digits. */
    mls_buffer plain = {0};
    bool ok = memchr(text.ptr, '_', text.len) != NULL;
    for (size_t i = 0; ok && i < text.len; i++)
        if (text.ptr[i] != '_')
            mls_buffer_append_char(&plain, text.ptr[i]);
        else
            ok = i > 0 && i + 1 < text.len && mls_is_digit(text.ptr[i - 1]) && mls_is_digit(text.ptr[i + 1]);
    ok = ok && mls_number_parse(mls_buffer_str(&plain), number);
    mls_buffer_release(&plain);
    return ok;
}

bool mls_size_parse(mls_str text, size_t *number)
{
    size_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (!mls_is_digit(c) || __builtin_mul_overflow(value, (size_t)10, &value) ||
            __builtin_add_overflow(value, (size_t)(c - '0'), &value))
            return false;
    }
    *number = value;
    return text.len > 0;
}

bool mls_integer_parse(mls_str text, int64_t *number)
{
    while (text.len > 0 && mls_is_blank(text.ptr[0]))
        text = mls_str_rest(text, 1);
    while (text.len > 0 && mls_is_blank(text.ptr[text.len - 1]) && text.ptr[text.len - 1] != '\r')
        text.len--;
    const bool sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    size_t size;
    if (!mls_size_parse(mls_str_rest(text, sign), &size) || size > INT64_MAX)
        return false;
    *number = sign && text.ptr[0] == '-' ? -(int64_t)size : (int64_t)size;
    return true;
}

mls_words mls_words_exact(double number)
{
    mls_words words = {"null"};
    if (number == floor(number) && fabs(number) < 1e15) {
        (void)snprintf(words.text, sizeof words.text, "%lld", (long long)number);
    } else if (isfinite(number)) {
        int digits = 15;
        do {
            (void)mls_text_printf(words.text, sizeof words.text, "%.*g", digits, number);
        } while (digits++ < 17 && mls_text_double(words.text) != number);
    }
    return words;
}

double mls_number_round(double number, int decimals)
{
    char text[FIXED_MAX];
    if (!isfinite(number))
        return number;
    (void)mls_text_printf(text, sizeof text, "%.*f", decimals, number);
    return mls_text_double(text);
}
