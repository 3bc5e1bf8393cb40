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
#include "report/csv.h"

typedef enum mls_check_format {
    MLS_CHECK_TABLE,
    MLS_CHECK_CSV,
    MLS_CHECK_JSON,
    MLS_CHECK_NDJSON,
    MLS_CHECK_MARKDOWN,
    MLS_CHECK_GITHUB,
    MLS_CHECK_JUNIT
} mls_check_format;

/* One judged log.  Texts are borrowed until mls_check_report_log() returns. */
typedef struct mls_check_log {
    const char *path;
    size_t line; /* of the file that the log starts at */
    bool part;   /* of a file, and so named file:line */
    mls_verdict verdict;
    bool valid; /* the verdict's, or stricter */
} mls_check_log;

typedef struct mls_check_report {
    mls_output *output;
    mls_check_format format;
    size_t path_width; /* of the longest path, for aligning */
    bool split;        /* every log is a part of a file */
    size_t width;      /* table: columns of the terminal; 0: no limit */
    bool color;
    bool quiet;       /* table: only what is not valid */
    unsigned verbose; /* table: every finding of every log */
    size_t logs;
    size_t valid;
    size_t findings; /* Markdown: rows of findings so far */
    mls_csv csv;
    mls_buffer held;
    bool failed; /* memory ran out */
} mls_check_report;

void mls_check_report_start(mls_check_report *report);
void mls_check_report_log(mls_check_report *report, const mls_check_log *log);

/* Writes what comes at the end and frees the report's memory; false when memory ran out on the way. */
bool mls_check_report_end(mls_check_report *report) MLS_MUST_USE;

/* ":line" for a log that is a part of a file. */
void mls_check_name_end(const mls_check_report *report, const mls_check_log *log, mls_buffer *name);

/* The finding; when it is at no line and its log is a part of a file, at the line that the log starts at. */
mls_finding mls_check_finding_place(const mls_check_report *report, const mls_check_log *log,
                                    const mls_finding *finding);

/* check_report_machine.c */
void mls_check_log_json(mls_check_report *report, const mls_check_log *log);
void mls_check_log_github(mls_check_report *report, const mls_check_log *log);
void mls_check_log_junit(mls_check_report *report, const mls_check_log *log);
void mls_check_junit_end(mls_check_report *report);

#endif
