/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - reading and writing of numbers.
 */
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/locale.h"

/* Numbers of a log are short; a longer one is read from the heap. */
enum { NUMBER_ON_STACK = 128 };

typedef struct decimal_text {
    uint64_t mantissa; /* meaningful while digits <= 19 */
    unsigned digits;   /* significant ones, leading zeros not counted */
    long scale;        /* value = mantissa * 10^scale */
} decimal_text;

static bool read_digits(const char **at, const char *end, decimal_text *decimal, bool fraction)
{
    const char *start = *at;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        if (decimal->digits > 0 || **at != '0') {
            decimal->digits += decimal->digits < 1000;
            decimal->mantissa = decimal->digits <= 19 ? decimal->mantissa * 10 + (uint64_t)(**at - '0') : 0;
        }
        decimal->scale -= fraction;
    }
    return *at > start;
}

static bool read_exponent(const char **at, const char *end, long *exponent)
{
    const char *p = *at;
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) {
        negative = *p++ == '-';
    }
    const char *start = p;
    long value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        value = value < 100000 ? value * 10 + (*p - '0') : value;
    }
    *at = p;
    *exponent = negative ? -value : value;
    return p > start;
}

/*
 * Up to 15 digits and a power of ten up to 22 are both exact doubles, so one
 * multiplication or division rounds once, which is correct (Clinger 1990).
 */
static bool decimal_exact(const decimal_text *decimal, double *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (decimal->digits > 15 || decimal->scale < -22 || decimal->scale > 22) {
        return false;
    }
    const double mantissa = (double)decimal->mantissa;
    *number = decimal->scale < 0 ? mantissa / powers[-decimal->scale] : mantissa * powers[decimal->scale];
    return true;
}

static bool read_slowly(mls_str text, double *number)
{
    char stack[NUMBER_ON_STACK];
    char *copy = text.len < sizeof stack ? stack : malloc(text.len + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *number = mls_text_double(copy);
    if (copy != stack) {
        free(copy);
    }
    return true;
}

bool mls_number_parse(mls_str text, double *number)
{
    const char *at = text.ptr;
    const char *end = text.ptr + text.len;
    decimal_text decimal = {0};
    bool negative = false;
    if (at < end && (*at == '-' || *at == '+')) {
        negative = *at++ == '-';
    }
    bool any = read_digits(&at, end, &decimal, false);
    if (at < end && *at == '.') {
        at++;
        any |= read_digits(&at, end, &decimal, true);
    }
    if (!any) {
        return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        long exponent;
        at++;
        if (!read_exponent(&at, end, &exponent)) {
            return false;
        }
        decimal.scale += exponent;
    }
    if (at != end) {
        return false;
    }
    if (decimal_exact(&decimal, number)) {
        *number = negative ? -*number : *number;
        return true;
    }
    return read_slowly(text, number);
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0;
}

static bool read_word(mls_str text, double *number)
{
    static const struct {
        mls_str word;
        bool nan;
    } words[] = {{MLS_STR("inf"), false}, {MLS_STR("infinity"), false}, {MLS_STR("nan"), true}};
    const bool sign = text.len > 0 && (*text.ptr == '-' || *text.ptr == '+');
    const mls_str bare = {text.ptr + sign, text.len - sign};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (bare.len == words[i].word.len && strncasecmp(bare.ptr, words[i].word.ptr, bare.len) == 0) {
            const double value = words[i].nan ? (double)NAN : (double)INFINITY;
            *number = sign && *text.ptr == '-' ? -value : value;
            return true;
        }
    }
    return false;
}

bool mls_number_parse_lenient(mls_str text, double *number)
{
    while (text.len > 0 && is_blank((unsigned char)text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_blank((unsigned char)text.ptr[text.len - 1])) {
        text.len--;
    }
    if (text.len == 0) {
        return false;
    }
    if (mls_number_parse(text, number) || read_word(text, number)) {
        return true;
    }
    /* Only underscores between two digits may be dropped. */
    mls_buffer plain = {0};
    bool ok = memchr(text.ptr, '_', text.len) != NULL;
    for (size_t i = 0; ok && i < text.len; i++) {
        if (text.ptr[i] != '_') {
            mls_buffer_append_char(&plain, text.ptr[i]);
        } else {
            ok = i > 0 && i + 1 < text.len && text.ptr[i - 1] >= '0' && text.ptr[i - 1] <= '9' &&
                 text.ptr[i + 1] >= '0' && text.ptr[i + 1] <= '9';
        }
    }
    ok = ok && !plain.failed && mls_number_parse(mls_buffer_str(&plain), number);
    mls_buffer_release(&plain);
    return ok;
}

bool mls_size_parse(mls_str text, size_t *number)
{
    size_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(value, (size_t)10, &value) ||
            __builtin_add_overflow(value, (size_t)(c - '0'), &value)) {
            return false;
        }
    }
    *number = value;
    return text.len > 0;
}

void mls_number_append(mls_buffer *buffer, double number)
{
    char text[40];
    if (!isfinite(number)) {
        mls_buffer_append_text(buffer, "null");
        return;
    }
    if (number == floor(number) && fabs(number) < 1e15) {
        (void)mls_text_printf(text, sizeof text, "%lld", (long long)number);
        mls_buffer_append_text(buffer, text);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        (void)mls_text_printf(text, sizeof text, "%.*g", digits, number);
        if (mls_text_double(text) == number) {
            break;
        }
    }
    mls_buffer_append_text(buffer, text);
}

/* The longest text of a double with decimals: 309 digits before the point. */
#define FIXED_TEXT_MAX 352

/* Writes a finite number with a fixed number of digits behind the point. */
static void write_fixed(double number, int decimals, char text[FIXED_TEXT_MAX])
{
    decimals = decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
    (void)mls_text_printf(text, FIXED_TEXT_MAX, "%.*f", decimals, number);
}

double mls_number_round(double number, int decimals)
{
    char text[FIXED_TEXT_MAX];
    if (!isfinite(number)) {
        return number;
    }
    write_fixed(number, decimals, text);
    return mls_text_double(text);
}

/* From here on a person counts powers of ten, not groups of digits. */
#define GROUPED_MAX 1e15

/* `trimmed`: without the zeros that end the decimals. */
static void append_for_people(mls_buffer *buffer, double number, int decimals, bool trimmed)
{
    char text[FIXED_TEXT_MAX];
    if (!isfinite(number)) {
        mls_buffer_append_char(buffer, '-');
        return;
    }
    if (fabs(number) >= GROUPED_MAX) {
        (void)mls_text_printf(text, sizeof text, "%.6g", number);
        mls_buffer_append_text(buffer, text);
        return;
    }
    write_fixed(number, decimals, text);
    if (trimmed && strchr(text, '.') != NULL) {
        size_t len = strlen(text);
        while (text[len - 1] == '0') {
            len--;
        }
        text[text[len - 1] == '.' ? len - 1 : len] = '\0';
    }
    size_t start = text[0] == '-';
    size_t digits = strspn(text + start, "0123456789");
    mls_buffer_append(buffer, (mls_str){text, start});
    for (size_t i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0) {
            mls_buffer_append_char(buffer, ',');
        }
        mls_buffer_append_char(buffer, text[start + i]);
    }
    mls_buffer_append_text(buffer, text + start + digits);
}

void mls_number_append_grouped(mls_buffer *buffer, double number, int decimals)
{
    append_for_people(buffer, number, decimals, false);
}

void mls_number_append_trimmed(mls_buffer *buffer, double number, int decimals)
{
    append_for_people(buffer, number, decimals, true);
}
