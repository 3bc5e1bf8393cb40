/* SPDX-License-Identifier: Apache-2.0 */
/* prefix.h - parse a line of a job's output: separate the message from the prefixes of launchers, loggers and kernels.
 *
 * The rank, local rank, node, GPU and time of a line are determined only here.  Times are in the format of
 * base/moment.h, NAN if unknown. */
#pragma once

#include "log/log.h"

/* Maximum number of bytes of a line that are examined; the rest of the line is ignored. */
enum { MLS_LINE_EXAMINED = 16384 };

typedef struct mls_log_line {
    mls_str text;             /* the line without terminal escapes and its ending, at most MLS_LINE_EXAMINED bytes */
    mls_str message;          /* the part of `text` after the prefixes */
    double time_ms;           /* from the prefixes; NAN: unknown */
    int32_t rank, local_rank; /* from the prefixes; -1: unknown */
    /* The launcher's number of the process; -1: unknown.  If `rank` is unknown, it is set to `task`. */
    int32_t task;
    mls_str node, gpu; /* from the prefixes; empty: unknown */
} mls_log_line;

/* Parse a line, which is given without its line ending.  `clean`: the line does not contain control characters;
 * otherwise, a copy without them is written to `scratch`, a buffer of MLS_LINE_EXAMINED bytes.  The texts of the result
 * are in `raw` or `scratch`. */
mls_log_line mls_log_line_read(mls_str raw, bool clean, char *scratch);

/* Return the rank at the start of a line, or -1 if the line does not begin with a rank.  This is faster than
 * mls_log_line_read().  The line must end with a control character, such as its line feed. */
int32_t mls_log_line_first_rank(const char *line);

/* Parse line `i` of a block with mls_log_line_read(), to which `scratch` is passed. */
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

/* Copy a line to `scratch` without terminal escapes (CSI, OSC and escapes of two bytes) and without control characters
 * other than tabs.  Return the copy. */
mls_str mls_log_line_clean(mls_str raw, char *scratch);

/* Return the time in the prefixes of a line, or the time in a message of slurmstepd or torchrun; NAN if there is no
 * time. */
double mls_log_line_time(const mls_log_line *line);

/* Return the rank from the prefixes, or from "[rankN]:", "rank N" or "Rank N" in the message; -1: unknown.  "local rank
 * N" is ignored, and "[rankN]:" takes precedence over a launcher's number of the process. */
int32_t mls_log_line_rank(const mls_log_line *line);

/* Return the node from the prefixes, or from "node: NAME" or "node NAME" in the message.  A NAME without a digit or
 * without a letter is ignored.  The result is empty if the node is unknown. */
mls_str mls_log_line_node(const mls_log_line *line);

/* The parts found by mls_line_take(). */
typedef struct mls_line_parts {
    int year, month, day; /* 0: not found */
    double clock_ms;
    double moment_ms;                       /* NAN: not found */
    int32_t rank, task, local_rank, number; /* -1: not found */
    mls_str node, gpu;                      /* empty: not found */
} mls_line_parts;

/* Match the start of `text` with a format, store the parts found, and advance `text` past the match.  Return false,
 * with `text` unchanged, if the text does not match the format.
 *
 * A byte of the format matches itself, except for '%' and the letter after it:
 *   %r %k %l %n  a number: the rank, the launcher's number of the process, the local rank, any other number
 *   %g           the number of a GPU
 *   %t %C        a time such as 2026-04-19T13:28:01.123+02:00 (see mls_take_moment()), a time of day
 *   %Y %B %W     a year, the name of a month and a blank ("Apr "), a day of the week ("Sun")
 *   %E           a day of the month, which may have one digit
 *   %G           month and day as two numbers in glog's format ("0419"); PyTorch omits the leading zero of the month
 *   %h %N        the name of a host, any word as the name of a host
 *   %w %c        a name that does not begin with a digit, the name of a container, which ends with a number
 *   %m %P %V     any word, a word that ends with ':', a level such as INFO
 *   %L           a severity letter of glog: I, W, E or F
 *   %q           numbers of kinds of parallelism, as in " DP1 TP3"
 *   %_ %? %|     any number of blanks, an optional blank, a blank or the end of the text (which is not skipped)
 *   %[           a '[', which is not skipped. */
bool mls_line_take(mls_str *text, const char *format, mls_line_parts *parts);
