/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_report.h - what `mlscore check` prints, log by log.
 *
 * Logs are written as they come, so that nothing piles up however many there
 * are; only JUnit, whose counts stand at the top, is held back to the end.
 */
#ifndef MLS_REPORT_CHECK_REPORT_H
#define MLS_REPORT_CHECK_REPORT_H

#include "mlscore/rules.h"
#include "report/view.h"

/* How logs are named; the state of the printer. */
typedef struct mls_check_names {
    size_t width; /* of the longest path, for aligning */
    bool split;   /* every log is a part of a file */
} mls_check_names;

/* One judged log, of mls_check_report.  Texts are borrowed while it is printed. */
typedef struct mls_check_log {
    const char *path;
    size_t line; /* of the file that the log starts at */
    bool part;   /* of a file, and so named file:line */
    mls_verdict verdict;
    bool valid; /* the verdict's, or stricter */
} mls_check_log;

extern const mls_report mls_check_report;

#endif
