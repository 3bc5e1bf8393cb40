/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h - output formats: a format is an mls_format_writer, the output of a command is an mls_report. */
#pragma once

#include "base/walk.h"
#include "report/fields.h"
#include "term/view.h"

struct mls_printer;
struct mls_finding_list;

/* The report of a command.  `what` is the struct of the command.  A format whose member is NULL is not offered. */
typedef struct mls_report {
    const char *name;    /* JUnit: name of all test suites, such as "mlscore check" */
    const char *section; /* of mlscore-formats(5) that has the tables */
    /* Tables and Markdown: print the head (NULL: none), one `what`, the foot (NULL: none). */
    void (*begin)(struct mls_printer *to);
    void (*show)(struct mls_printer *to, const void *what);
    void (*end)(struct mls_printer *to);
    /* JSON: the members of one `what`; if there are several, the name of their list. */
    const mls_fields *object;
    const char *stream;
    const char *lines;   /* NDJSON: the lists and objects whose rows are lines; NULL: the object is one line */
    mls_columns columns; /* CSV */
    /* GitHub: add the findings.  JUnit: call mls_junit_case() for each case. */
    void (*findings)(struct mls_finding_list *found, const struct mls_printer *to, const void *what);
    void (*cases)(struct mls_printer *to, const void *what);
    /* OpenMetrics: print all families.  Oneline: append the line. */
    void (*metrics)(struct mls_printer *to, const void *what);
    void (*line)(mls_buffer *line, const void *what);
    /* HTML: print the page. */
    void (*page)(struct mls_printer *to, const void *what);
} mls_report;

/* Printing in progress; the members below `state` belong to the format. */
typedef struct mls_printer {
    mls_view *view;
    const mls_report *report;
    void *state;  /* of the command */
    size_t count; /* items printed */
    size_t good;  /* valid items printed; set by the command */
    mls_emitter emitter;
    mls_walk walk;     /* CSV and NDJSON */
    mls_buffer held;   /* JUnit: the cases of the current suite */
    mls_buffer suites; /* JUnit: complete suites */
    size_t tests, failures;
} mls_printer;

/* A format: functions that print the start and the end (NULL: nothing), and each item between them (NULL: the required
 * member of the report does). */
typedef struct mls_format_writer {
    size_t needs; /* offset of the member of a report that the format requires */
    void (*begin)(mls_printer *to);
    void (*item)(mls_printer *to, const void *what);
    void (*end)(mls_printer *to);
} mls_format_writer;

/* Return the name of a format, such as "json"; find a format by its name. */
const char *mls_format_name(mls_format format);
bool mls_format_from_name(mls_str name, mls_format *format);

/* Check whether a report offers a format.  Print items, one after the other, in the format of the view. */
bool mls_report_offers(const mls_report *report, mls_format format);
void mls_print_begin(mls_printer *to, mls_view *view, const mls_report *report, void *state);
void mls_print_item(mls_printer *to, const void *what);
void mls_print_end(mls_printer *to);

/* Labels of metrics that a user adds or omits. */
typedef struct mls_metrics_labels {
    mls_names added; /* "site=north", checked by mls_metrics_label_wrong() */
    bool no_path;
} mls_metrics_labels;

/* Return the error in the added label with that index; NULL: none. */
const char *mls_metrics_label_wrong(const mls_metrics_labels *labels, size_t number);
