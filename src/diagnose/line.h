/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - one line of a job's output: its prefixes peeled, its time and place known as far as they are.
 *
 * A time is milliseconds since 1970; NAN: none.  That of a prefix without a year is less than 0 until
 * mls_time_resolve() gives it one.
 */
#ifndef MLS_DIAGNOSE_LINE_H
#define MLS_DIAGNOSE_LINE_H

#include "mlscore/diagnose.h"

typedef struct mls_log_line {
    mls_str text;    /* without terminal escapes, of at most MLS_LINE_LOOKED_AT bytes */
    mls_str message; /* what of it stands behind the prefixes */
    double time_ms;
    int32_t rank, local_rank; /* -1: not known */
    mls_str node, gpu;        /* empty: not known */
} mls_log_line;

/*
 * Reads a line, without its ending.  `clean`: there are no control characters in it; else `scratch` takes it without
 * them, MLS_LINE_LOOKED_AT bytes.  The rest is borrowed.
 */
mls_log_line mls_log_line_read(mls_str raw, bool clean, char *scratch);

/* Without terminal escapes (CSI, OSC, of two bytes) and control characters but the tab. */
mls_str mls_log_line_clean(mls_str raw, char *scratch);

/* The time that a line begins with, behind other prefixes; else what a line of slurmstepd or torchrun says it was. */
double mls_log_line_time(const mls_log_line *line);

/* The year of a time without one is that which brings it nearest to `near_ms`; others stay.  near_ms NAN: NAN. */
double mls_time_resolve(double time_ms, double near_ms);

/* A time as text begins with it, 2026-04-19T13:28:01 with 'T', '_' or a blank, and the number of its bytes; or 0. */
size_t mls_time_parse(mls_str text, double *time_ms);

/* What mls_line_take() takes. */
typedef struct mls_line_parts {
    int year, month, day; /* 0: none */
    double clock_ms;
    int32_t rank, local_rank, number; /* -1: none */
    mls_str node, gpu;                /* empty: none */
} mls_line_parts;

/*
 * Moves behind what a format stands for; false, nothing moved: it is not there.  Bytes are themselves, and with '%':
 *   r l n g     a rank, a local rank, a number, the number of a GPU
 *   Y M D B E   a year, month and day in digits; "Apr "; a day that may have a blank for its first digit, or none
 *   G           a month and a day of glog; PyTorch puts no zero before the month
 *   C Z T W     a clock, a zone or none, what stands between date and clock, a day of the week
 *   h N P L     a host's name, any word for one, a word that ends with ':', glog's letter
 *   _ ? |       blanks or none, one blank or none, what is no more than a blank or the end
 */
bool mls_line_take(mls_str *text, const char *format, mls_line_parts *parts);

/* Moves behind a number, which is at most INT32_MAX.  False, nothing moved: there is none. */
bool mls_take_number(mls_str *text, int32_t *number);

#endif
