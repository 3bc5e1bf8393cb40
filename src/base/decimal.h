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
