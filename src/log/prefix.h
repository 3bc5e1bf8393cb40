/* SPDX-License-Identifier: Apache-2.0 */
/* prefix.h - parse a line of a job's output: remove the prefixes of launchers, loggers and kernels from the message.
 *
 * The rank, local rank, node, GPU and time of a line are determined only here.  Times are in the format of
 * base/moment.h, NAN if unknown. */
#pragma once

#include "log/log.h"

/* Number of bytes of a line that are examined. */
enum { MLS_LINE_EXAMINED = 16384 };

typedef struct mls_log_line {
    mls_str text;    /* without terminal escapes, at most MLS_LINE_EXAMINED bytes */
    mls_str message; /* the part of `text` after the prefixes */
    double time_ms;
    int32_t rank, local_rank; /* from the prefixes; -1: unknown */
    int32_t task;             /* the launcher's number of the process, used as `rank` if that is unknown */
    mls_str node, gpu;        /* from the prefixes; empty: unknown */
} mls_log_line;

/* Parse a line without its ending.  `clean`: the line has no control characters; otherwise a copy without them is
 * written to `scratch`, which has MLS_LINE_EXAMINED bytes.  The texts of the result are borrowed. */
mls_log_line mls_log_line_read(mls_str raw, bool clean, char *scratch);

/* Return the rank at the start of a line, or -1 if the line does not begin with a rank.  This is faster than
 * mls_log_line_read().  The line must end with a control character. */
int32_t mls_log_line_first_rank(const char *line);

/* Parse line `i` of a block. */
mls_log_line mls_log_line_of(const mls_lines *lines, size_t i, char *scratch);

/* Return the offset of line `i` in a block. */
static inline size_t mls_lines_begin(const mls_lines *lines, size_t i)
{
    return lines->starts[i] & ~MLS_LINE_ODD;
}

/* Return whether line `i` has control characters other than tabs. */
static inline bool mls_lines_odd(const mls_lines *lines, size_t i)
{
    return (lines->starts[i] & MLS_LINE_ODD) != 0;
}

/* Return the text of line `i` without its ending. */
mls_str mls_lines_text(const mls_lines *lines, size_t i);

/* Return the line without terminal escapes (CSI, OSC, two-byte ones) and without control characters other than tabs. */
mls_str mls_log_line_clean(mls_str raw, char *scratch);

/* Return the time at the start of a line, after other prefixes, or the time in a line of slurmstepd or torchrun. */
double mls_log_line_time(const mls_log_line *line);

/* Return the rank from the prefixes, or from "[rankN]:", "rank N" or "Rank N" in the message, unless that is a local
 * rank; -1: unknown. "[rankN]:" takes precedence over a launcher's task number. */
int32_t mls_log_line_rank(const mls_log_line *line);

/* Return the node from the prefixes, or from "node: NAME" or "node NAME" in the message, if the name has a digit and a
 * letter; otherwise empty. */
mls_str mls_log_line_node(const mls_log_line *line);

/* The parts found by mls_line_take(). */
typedef struct mls_line_parts {
    int year, month, day; /* 0: none */
    double clock_ms;
    double moment_ms;                       /* NAN: none */
    int32_t rank, task, local_rank, number; /* -1: none */
    mls_str node, gpu;                      /* empty: none */
} mls_line_parts;

/* Advance `text` past what a format describes.  Return false, with `text` unchanged, if the text does not match the
 * format. Other bytes stand for themselves; after a '%': r k l n g   a rank, a launcher's task, a local rank, a number,
 * a GPU number t C         2026-04-19T13:28:01.123+02:00 and the like (mls_take_moment), a clock Y B E W     a year,
 * "Apr ", a day of the month (possibly with a blank or no first digit), a day of the week G           a month and a day
 * in glog's format; PyTorch omits a leading zero of the month h N P L     a host name, any word as one, a word that
 * ends with ':', glog's severity letter _ ? |       optional blanks, one optional blank, a blank or the end */
bool mls_line_take(mls_str *text, const char *format, mls_line_parts *parts);
