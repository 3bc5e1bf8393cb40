/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - exact decimal numbers, read in any locale.
 *
 * Programs print numbers in the locale of their machine: 1,234.5 and 1.234,5 are the same number, and 1,234 alone is
 * ambiguous.  The other numbers of the file may settle it.  So use one mls_marks for all numbers of a file: unambiguous
 * numbers record their decimal mark there, and an ambiguous number stays open until mls_decimal_decide() is called
 * after the whole file was read. */
#pragma once

#include "base/base.h"

/* Number of digits kept.  Any number of so many digits fits in a uint64_t. */
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
    char open; /* ',' or '.' before the last three digits, if that may be a decimal or a grouping mark; '\0': decided */
} mls_decimal;

/* The decimal marks seen in one file so far.  Zero-initialized: none. */
typedef struct mls_marks {
    bool point; /* some number certainly has a decimal point, or commas that group digits */
    bool comma; /* some number certainly has a decimal comma, or points that group digits */
} mls_marks;

/* Parse a whole text as a number of JSON or C: 12, -.5, 1e-3.  Only the first MLS_DECIMAL_DIGITS digits are kept.
 * Return false for any other text. */
bool mls_decimal_parse(mls_str text, mls_decimal *number);

/* Parse a whole text as a number of any locale.  Blanks, no-break spaces, ' and ’ inside it are dropped.  If both marks
 * occur, the last one is decimal.  A mark that occurs twice groups digits.  A single mark that cannot group digits is
 * decimal; it can if one to three digits, not starting with 0, precede it and exactly three follow.  Any other number
 * is open: `digits` is then its value if the mark groups digits. */
bool mls_decimal_parse_local(mls_str text, mls_marks *marks, mls_decimal *number);

/* Return whether an open mark is decimal, after the whole file was read.  If the file shows neither mark, or both, a
 * point is decimal, and a comma is decimal if `comma_decimal`. */
bool mls_marks_decimal(mls_marks marks, char open, bool comma_decimal);

/* Decide an open number in the same way. */
void mls_decimal_decide(mls_decimal *number, mls_marks marks, bool comma_decimal);

/* Return the number as a double; an open mark counts as grouping. */
double mls_decimal_double(const mls_decimal *number);

/* Compute the number × 10^power as an integer, rounded half up.  Return false if it is negative or greater than
 * INT64_MAX. */
bool mls_decimal_scale(const mls_decimal *number, int power, int64_t *scaled);
