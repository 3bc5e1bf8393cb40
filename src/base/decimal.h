/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - parse exact decimal numbers that were printed in any locale.
 *
 * Programs print numbers in the locale of their machine: 1,234.5 and 1.234,5 are the same number.  1,234 alone is
 * ambiguous, but other numbers in the same file may show which mark is decimal.
 *
 * Use one mls_marks for all numbers of a file.  mls_decimal_parse_local() records the decimal mark of unambiguous
 * numbers in it, and returns ambiguous numbers as open.  Call mls_decimal_decide() for open numbers after the whole
 * file was read. */
#pragma once

#include "base/base.h"

/* Number of significant digits that are stored.  Any number with this many digits fits in a uint64_t. */
enum { MLS_DECIMAL_DIGITS = 19 };

/* Return 10^exponent, for exponents from 0 to MLS_POWER_MAX. */
enum { MLS_POWER_MAX = 19 };
uint64_t mls_power_of_ten(int exponent);

/* Parse eight digits at once; return false if one of the bytes is not a digit.  The steps combine bytes into numbers of
 * two digits, then of four, then of eight. */
static inline bool mls_eight_digits(const char *at, uint64_t *number)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    bytes ^= UINT64_C(0x3030303030303030);
    if (((bytes + UINT64_C(0x0606060606060606)) | bytes) & UINT64_C(0xf0f0f0f0f0f0f0f0))
        return false;
    bytes = bytes * 10 + (bytes >> 8);
    bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) * 100 + ((bytes >> 16) & UINT64_C(0x00ff00ff00ff00ff));
    *number = (bytes & UINT64_C(0xffff)) * 10000 + ((bytes >> 32) & UINT64_C(0xffff));
    return true;
}

/* A decimal number: digits × 10^exponent. */
typedef struct mls_decimal {
    uint64_t digits;
    int exponent;
    bool negative;
    uint8_t next; /* the digit after the last one kept, for rounding */
    char open; /* the only mark of an ambiguous number such as 1,234: ',' or '.'; '\0' if the number is unambiguous */
} mls_decimal;

/* The decimal marks seen in one file so far.  Zero-initialize the struct before reading the file. */
typedef struct mls_marks {
    bool point; /* some number certainly has a decimal point, or commas that group digits */
    bool comma; /* some number certainly has a decimal comma, or points that group digits */
} mls_marks;

/* Parse a whole text as a number of JSON or C: 12, -.5, 1e-3.  Only the first MLS_DECIMAL_DIGITS digits are kept.
 * Return false for any other text. */
bool mls_decimal_parse(mls_str text, mls_decimal *number);

/* Parse a whole text as a number of any locale.  Blanks, no-break spaces, ' and ’ inside the number are ignored. Return
 * false for any other text.
 *
 * If both ',' and '.' occur, the last one is the decimal mark.  If one of them occurs more than once, it groups digits.
 * A single mark is ambiguous if one to three digits, the first of which is not 0, precede it and exactly three digits
 * follow: the number is then open, and its value is that of a grouping mark.  Any other single mark is decimal. */
bool mls_decimal_parse_local(mls_str text, mls_marks *marks, mls_decimal *number);

/* Return whether the mark `open` of an open number is decimal; call this after the whole file was read.  If the other
 * numbers of the file show no decimal mark or two different ones, a point is decimal, and a comma is decimal only if
 * `comma_decimal`. */
bool mls_marks_decimal(mls_marks marks, char open, bool comma_decimal);

/* If the number is open, set its value according to mls_marks_decimal(); the number is then no longer open. */
void mls_decimal_decide(mls_decimal *number, mls_marks marks, bool comma_decimal);

/* Return the number as a double; the mark of an open number is interpreted as a grouping mark. */
double mls_decimal_double(const mls_decimal *number);

/* Compute the number × 10^power as an integer, rounded half up.  Return false if it is negative or greater than
 * INT64_MAX. */
bool mls_decimal_scale(const mls_decimal *number, int power, int64_t *scaled);
