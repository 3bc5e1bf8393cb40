/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - numbers by their digits: exact where a double is not, and read whichever locale they were written in.
 *
 * Tools print by the locale of their machine: 1,234.5 and 1.234,5 are one number.  What 1,234 is nobody knows from
 * it alone; the other numbers of its file may.  So a file is read with one mls_marks, in which every number that can be
 * read in one way only leaves its mark, and a number that can be read in two stays open until all have been seen. */
#pragma once

#include "base/base.h"

/* As many digits as any uint64_t can hold. */
enum { MLS_DECIMAL_DIGITS = 19 };

/* 10^exponent, of an exponent from 0 to MLS_POWER_MAX. */
enum { MLS_POWER_MAX = 19 };
uint64_t mls_power_of_ten(int exponent);

/* Eight digits at once, as a number; false when one of the bytes is none.  The steps make two digits of each byte, four
 * of each pair, eight of all. */
static inline bool mls_eight_digits(const char *at, uint64_t *number)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    bytes ^= UINT64_C(0x3030303030303030);
    if (((bytes + UINT64_C(0x0606060606060606)) | bytes) & UINT64_C(0xf0f0f0f0f0f0f0f0)) {
        return false;
    }
    bytes = bytes * 10 + (bytes >> 8);
    bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) * 100 + ((bytes >> 16) & UINT64_C(0x00ff00ff00ff00ff));
    *number = (bytes & UINT64_C(0xffff)) * 10000 + ((bytes >> 32) & UINT64_C(0xffff));
    return true;
}

/* The number is digits × 10^exponent. */
typedef struct mls_decimal {
    uint64_t digits;
    int exponent;
    bool negative;
    uint8_t next; /* the digit after the last one kept, by which it is rounded */
    char open;    /* ',' or '.': it stands before the last three digits and may be decimal or group; '\0': decided */
} mls_decimal;

/* The marks that the numbers of one file had so far; zero-initialised: none. */
typedef struct mls_marks {
    bool point; /* one has a decimal point for certain, or commas that group */
    bool comma; /* one has a decimal comma, or points that group */
} mls_marks;

/* Reads a whole text as JSON and C write numbers: 12, -.5, 1e-3.  Of its digits the first MLS_DECIMAL_DIGITS are kept.
 * False when it is anything else. */
bool mls_decimal_parse(mls_str text, mls_decimal *number);

/* The same of any locale.  Blanks, no-break spaces, ' and ’ inside of it are dropped.  Both marks: the last one is
 * decimal.  One mark twice: it groups.  One mark once that cannot group (it does not stand between one to three
 * digits, no 0 first, and exactly three): decimal.  Else the number is open, and `digits` is what it is when the mark
 * groups. */
bool mls_decimal_parse_local(mls_str text, mls_marks *marks, mls_decimal *number);

/* Whether an open mark is decimal, now that the whole file was read.  Where the file shows neither, or both, a
 * point is, and a comma where the caller says so. */
bool mls_marks_decimal(mls_marks marks, char open, bool comma_decimal);

/* Decides what an open number is, so. */
void mls_decimal_decide(mls_decimal *number, mls_marks marks, bool comma_decimal);

/* The number itself (an open one: its mark groups). */
double mls_decimal_double(const mls_decimal *number);

/* The number × 10^power as a whole one, rounded half up; false when it is negative or more than INT64_MAX. */
bool mls_decimal_scale(const mls_decimal *number, int power, int64_t *scaled);
