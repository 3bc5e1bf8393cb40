/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h - output formats.  Each format is an mls_format_writer, and the output of each command is an mls_report.
 *
 *     mls_print_begin(&printer, view, &mls_score_report, NULL);
 *     mls_print_item(&printer, collection);
 *     mls_print_end(&printer); */
#pragma once

#include "base/walk.h"
#include "report/fields.h"
#include "term/view.h"

struct mls_printer;
struct mls_finding_list;

/* The report of a command.  `what` is the printed struct, whose type depends on the report (reports.h).  A format is
 * not offered if the member that it requires is NULL. */
typedef struct mls_report {
    const char *name;    /* JUnit: name of all test suites, such as "mlscore check" */
    const char *section; /* section of mlscore-formats(5) that documents the fields */
    /* Tables and Markdown: print the head (NULL: no head), one `what`, and the foot (NULL: no foot). */
    void (*begin)(struct mls_printer *to);
    void (*show)(struct mls_printer *to, const void *what);
    void (*end)(struct mls_printer *to);
    /* JSON: the fields of one `what`. */
    const mls_fields *object;
    const char *stream;  /* JSON: the name of the list of all `what`; NULL: there is only one `what` */
    const char *lines;   /* NDJSON: names of the lists and objects whose rows are lines; NULL: `what` is one line */
    mls_columns columns; /* CSV */
    /* GitHub: add the findings to `found`. */
    void (*findings)(struct mls_finding_list *found, const struct mls_printer *to, const void *what);
    /* JUnit: call mls_junit_case() for each case. */
    void (*cases)(struct mls_printer *to, const void *what);
    /* OpenMetrics: print all metrics. */
    void (*metrics)(struct mls_printer *to, const void *what);
    /* Oneline: append the line. */
    void (*line)(mls_buffer *line, const void *what);
    /* HTML: print the page. */
    void (*page)(struct mls_printer *to, const void *what);
} mls_report;

/* The state of printing a report. */
typedef struct mls_printer {
    mls_view *view;
    const mls_report *report;
    void *state;  /* further data that the report prints (reports.h) */
    size_t count; /* items printed */
    size_t good;  /* valid items printed; set by the command */
    mls_emitter emitter;
    mls_walk walk;          /* CSV and NDJSON */
    mls_buffer held;        /* JUnit: the cases of the current suite */
    mls_buffer suites;      /* JUnit: complete suites */
    size_t tests, failures; /* JUnit: numbers of cases and of failed cases in the current suite */
} mls_printer;

/* A format: functions that print the start (NULL: nothing), each item, and the end (NULL: nothing).  If `item` is NULL,
 * the function in the member `needs` of the report prints the items. */
typedef struct mls_format_writer {
    size_t needs; /* offset of the member of a report that the format requires */
    void (*begin)(mls_printer *to);
    void (*item)(mls_printer *to, const void *what);
    void (*end)(mls_printer *to);
} mls_format_writer;

/* Return the name of a format, such as "json". */
const char *mls_format_name(mls_format format);

/* Find a format by its name.  Return false if no format has the name. */
bool mls_format_from_name(mls_str name, mls_format *format);

/* Check whether a report offers a format. */
bool mls_report_offers(const mls_report *report, mls_format format);

/* Begin a report in the format of the view, print one item after the other, and end the report. */
void mls_print_begin(mls_printer *to, mls_view *view, const mls_report *report, void *state);
void mls_print_item(mls_printer *to, const void *what);
void mls_print_end(mls_printer *to);

/* The labels of metrics that a user adds with --label, or omits with --no-path. */
typedef struct mls_metrics_labels {
    mls_names added; /* "site=north", checked by mls_metrics_label_wrong() */
    bool no_path;    /* omit the label `path` */
} mls_metrics_labels;

/* Return the message about what is wrong with the added label of index `number`; NULL if the label is valid. */
const char *mls_metrics_label_wrong(const mls_metrics_labels *labels, size_t number);
