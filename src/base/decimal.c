/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c - exact decimal numbers in any locale. */
#include "base/decimal.h"

#include <math.h>

/* The number of powers of ten that fit in a uint64_t. */
enum { POWERS = MLS_POWER_MAX + 1 };

/* Exponents above this value, or below its negative, are replaced with it. */
#define EXPONENT_MAX 1000000000

uint64_t mls_power_of_ten(int exponent)
{
    uint64_t power = 1;
    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

/* The digits read so far, without leading zeros. */
typedef struct digit_run {
    uint64_t digits;
    size_t count; /* number of digits, of which the first MLS_DECIMAL_DIGITS are stored in `digits` */
    uint8_t next; /* the first digit that is not stored */
} digit_run;

static const char *add_digits(const char *at, const char *end, digit_run *run)
{
    uint64_t eight;
    while (run->count == 0 && at < end && *at == '0')
        at++;
    while (run->count + 8 <= MLS_DECIMAL_DIGITS && end - at >= 8 && mls_eight_digits(at, &eight)) {
        run->digits = run->digits * 100000000 + eight;
        run->count += 8;
        at += 8;
    }
    for (; at < end && mls_is_digit(*at); at++, run->count++)
        if (run->count < MLS_DECIMAL_DIGITS)
            run->digits = run->digits * 10 + (uint64_t)(*at - '0');
        else if (run->count == MLS_DECIMAL_DIGITS)
            run->next = (uint8_t)(*at - '0');
    return at;
}

/* Return how many of `count` digits are not stored. */
static long long unkept(size_t count)
{
    return count > MLS_DECIMAL_DIGITS ? (long long)(count - MLS_DECIMAL_DIGITS) : 0;
}

bool mls_decimal_parse(mls_str text, mls_decimal *number)
{
    const char *at = text.ptr;
    digit_run run = {0};
    if (text.len == 0)
        return false;
    const char *end = text.ptr + text.len;
    const bool negative = *at == '-';
    const char *begin = at + (negative || *at == '+');
    at = add_digits(begin, end, &run);
    long long exponent = unkept(run.count);
    bool any = at > begin;
    if (at < end && *at == '.') {
        const long long dropped = unkept(run.count);
        begin = at + 1;
        at = add_digits(begin, end, &run);
        exponent -= at - begin - (unkept(run.count) - dropped);
        any |= at > begin;
    }
    if (!any || (at < end && *at != 'e' && *at != 'E'))
        return false;
    if (at < end) {
        long long value = 0;
        const bool below = ++at < end && *at == '-';
        at += at < end && (below || *at == '+');
        begin = at;
        for (; at < end && mls_is_digit(*at); at++)
            value = value < 1000LL * EXPONENT_MAX ? value * 10 + (*at - '0') : value;
        exponent += below ? -value : value;
        if (at == begin || at < end)
            return false;
    }
    exponent = exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent < -EXPONENT_MAX ? -EXPONENT_MAX : exponent;
    *number = (mls_decimal){run.digits, (int)exponent, negative, run.next, '\0'};
    return true;
}

/* Maximum length of a number in bytes, without blanks and apostrophes.  Longer numbers do not occur in practice. */
enum { LOCAL_MAX = 80 };

/* Return whether the text consists of groups of digits that are separated by `mark`.  The first group has one to three
 * digits, the last has exactly three, and the others have two or three. */
static bool are_groups(mls_str text, char mark)
{
    size_t group = 0;
    bool grouped = false;
    for (size_t i = 0; i < text.len; i++) {
        if (!mls_is_digit(text.ptr[i]) && text.ptr[i] != mark)
            return false;
        if (text.ptr[i] == mark) {
            if (group == 0 || group > 3 || (grouped && group < 2))
                return false;
            grouped = true;
            group = 0;
        } else {
            group++;
        }
    }
    return grouped && group == 3;
}

/* The text of a number without blanks and apostrophes. */
typedef struct local_text {
    char text[LOCAL_MAX];
    size_t len;
} local_text;

/* Replace `mark` with a point if it is decimal; otherwise remove all occurrences of it. */
static void replace_mark(local_text *plain, char mark, bool decimal)
{
    size_t kept = 0;
    for (size_t i = 0; i < plain->len; i++)
        if (plain->text[i] != mark || decimal)
            plain->text[kept++] = plain->text[i] == mark ? '.' : plain->text[i];
    plain->len = kept;
}

bool mls_decimal_parse_local(mls_str text, mls_marks *marks, mls_decimal *number)
{
    local_text plain = {.len = 0};
    size_t points = 0;
    size_t commas = 0;
    char last = '\0';     /* the last mark */
    bool grouped = false; /* whether the last mark groups digits */
    bool open = false;
    for (size_t i = 0; i < text.len; i++) {
        const mls_str rest = mls_str_rest(text, i);
        const char c = text.ptr[i];
        /* Drop fillers: a blank, ' or ’, or a no-break space of Latin-1 or UTF-8. */
        if (c == ' ' || c == '\t' || c == '\'' || c == '\xa0')
            continue;
        if (mls_str_starts(rest, MLS_S("\xc2\xa0"))) {
            i++;
        } else if (mls_str_starts(rest, MLS_S("\xe2\x80\xaf")) || mls_str_starts(rest, MLS_S("\xe2\x80\x99"))) {
            i += 2;
        } else {
            if (plain.len == LOCAL_MAX || (!mls_is_digit(c) && (c == '\0' || strchr(".,-+eE", c) == NULL)))
                return false;
            plain.text[plain.len++] = c;
            points += c == '.';
            commas += c == ',';
            last = c == '.' || c == ',' ? c : last;
        }
    }
    if (last != '\0') {
        const size_t sign = plain.text[0] == '-' || plain.text[0] == '+';
        const size_t lasts = last == '.' ? points : commas;
        const char *begin = plain.text + sign;
        const size_t length = plain.len - sign;
        if (points > 0 && commas > 0) {
            const char other = last == '.' ? ',' : '.';
            const char *decimal_mark = memchr(begin, last, length);
            if (lasts > 1 || !are_groups((mls_str){begin, (size_t)(decimal_mark - begin)}, other))
                return false;
            replace_mark(&plain, other, false);
        } else {
            grouped = are_groups((mls_str){begin, length}, last);
            if (lasts > 1 && !grouped)
                return false;
            grouped = grouped && (lasts > 1 || *begin != '0');
            open = grouped && lasts == 1;
        }
        replace_mark(&plain, last, !grouped);
    }
    if (!mls_decimal_parse((mls_str){plain.text, plain.len}, number))
        return false;
    number->open = open ? last : '\0';
    if (last != '\0' && !open) {
        marks->point |= grouped == (last == ',');
        marks->comma |= grouped == (last == '.');
    }
    return true;
}

bool mls_marks_decimal(mls_marks marks, char open, bool comma_decimal)
{
    const bool decided = marks.point != marks.comma;
    return open == '.' ? !decided || marks.point : open == ',' && (decided ? marks.comma : comma_decimal);
}

void mls_decimal_decide(mls_decimal *number, mls_marks marks, bool comma_decimal)
{
    number->exponent -= mls_marks_decimal(marks, number->open, comma_decimal) ? 3 : 0;
    number->open = '\0';
}

double mls_decimal_double(const mls_decimal *number)
{
    const double digits = (double)number->digits;
    const int exponent = number->exponent;
    const double value = digits == 0                          ? 0
                         : exponent >= 0 && exponent < POWERS ? digits * (double)mls_power_of_ten(exponent)
                         : exponent < 0 && exponent > -POWERS ? digits / (double)mls_power_of_ten(-exponent)
                         : exponent < 0 && exponent > -2 * POWERS
                             ? digits / 1e19 / (double)mls_power_of_ten(-exponent - 19)
                             : digits * pow(10, exponent);
    return number->negative ? -value : value;
}

bool mls_decimal_scale(const mls_decimal *number, int power, int64_t *scaled)
{
    const int exponent = number->exponent + power;
    uint64_t value = number->digits;
    if (number->digits == 0 || exponent <= -POWERS) {
        *scaled = 0;
        return !number->negative || number->digits == 0;
    }
    if (exponent >= 0) {
        if (exponent >= POWERS || __builtin_mul_overflow(number->digits, mls_power_of_ten(exponent), &value))
            return false;
        value += exponent == 0 && number->next >= 5;
    } else {
        const uint64_t unit = mls_power_of_ten(-exponent);
        value = number->digits / unit;
        value += number->digits % unit >= unit / 2 + unit % 2;
    }
    *scaled = (int64_t)value;
    return !number->negative && value <= INT64_MAX;
}
