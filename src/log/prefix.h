/* SPDX-License-Identifier: Apache-2.0 */
/* prefix.h - one line of a job's output: what launchers, loggers and kernels put in front of a message, taken off it.
 *
 * The one place where a line's rank, local rank, node, GPU and time are known.  A time is as base/moment.h has it; NAN:
 * none. */
#pragma once

#include "log/log.h"

/* Bytes of a line that are examined; the rest is not. */
enum { MLS_LINE_EXAMINED = 16384 };

typedef struct mls_log_line {
    mls_str text;    /* without terminal escapes, of at most MLS_LINE_EXAMINED bytes */
    mls_str message; /* the part of it after the prefixes */
    double time_ms;
    int32_t rank, local_rank; /* of the prefixes; -1: not known */
    int32_t task;             /* a launcher's number for the process, which is `rank` where nothing surer is known */
    mls_str node, gpu;        /* likewise; empty: not known */
} mls_log_line;

/* Reads a line, without its ending.  `clean`: there are no control characters in it; else `scratch` takes it without
 * them, MLS_LINE_EXAMINED bytes.  The rest is borrowed. */
mls_log_line mls_log_line_read(mls_str raw, bool clean, char *scratch);

/* The rank that a line, which ends with a control character, begins with, found quickly; -1: it begins with none. */
int32_t mls_log_line_first_rank(const char *line);

/* Line `i` of a block, likewise. */
mls_log_line mls_log_line_of(const mls_lines *lines, size_t i, char *scratch);

/* The offset of a line of a block; whether it has control characters; its text, without its ending. */
static inline size_t mls_lines_begin(const mls_lines *lines, size_t i)
{
    return lines->starts[i] & ~MLS_LINE_ODD;
}

static inline bool mls_lines_odd(const mls_lines *lines, size_t i)
{
    return (lines->starts[i] & MLS_LINE_ODD) != 0;
}

mls_str mls_lines_text(const mls_lines *lines, size_t i);

/* Without terminal escapes (CSI, OSC, of two bytes) and control characters but the tab. */
mls_str mls_log_line_clean(mls_str raw, char *scratch);

/* The time that a line begins with, after other prefixes; else the one in a line of slurmstepd or torchrun. */
double mls_log_line_time(const mls_log_line *line);

/* The rank of the prefixes, of which a launcher's task yields to "[rankN]:" in the message; else that, "rank N" or
 * "Rank N" there, where it is not a local rank; -1: not known. */
int32_t mls_log_line_rank(const mls_log_line *line);

/* The node of the prefixes, else "node: NAME" or "node NAME", with a digit and a letter, in the message; or empty. */
mls_str mls_log_line_node(const mls_log_line *line);

/* The parts that mls_line_take() found. */
typedef struct mls_line_parts {
    int year, month, day; /* 0: none */
    double clock_ms;
    double moment_ms;                       /* NAN: none */
    int32_t rank, task, local_rank, number; /* -1: none */
    mls_str node, gpu;                      /* empty: none */
} mls_line_parts;

/* Moves `text` to after what a format stands for; false, nothing moved: it does not begin so.  Bytes are themselves,
 * and with '%':
 *   r k l n g   a rank, a launcher's task, a local rank, a number, the number of a GPU
 *   t C         2026-04-19T13:28:01.123+02:00 and the like (mls_take_moment), a clock
 *   Y B E W     a year; "Apr "; a day that may have a blank for its first digit, or none; a day of the week
 *   G           a month and a day of glog; PyTorch puts no zero before the month
 *   h N P L     a host's name, any word for one, a word that ends with ':', glog's letter
 *   _ ? |       blanks or none, one blank or none, no more than a blank or the end */
bool mls_line_take(mls_str *text, const char *format, mls_line_parts *parts);
