/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h - how results are printed: a format is an mls_format_writer, what a command prints is an mls_report. */
#pragma once

#include "base/walk.h"
#include "report/fields.h"
#include "term/view.h"

struct mls_printer;
struct mls_finding_list;

/* The report of a command.  `what` is the struct of the command; formats whose member is NULL are not offered. */
typedef struct mls_report {
    const char *name;    /* JUnit: of all that is printed, "mlscore check" */
    const char *section; /* of mlscore-formats(5) that has the tables */
    /* For people: writes the head (NULL: none), one `what`, the foot (NULL: none). */
    void (*begin)(struct mls_printer *to);
    void (*show)(struct mls_printer *to, const void *what);
    void (*end)(struct mls_printer *to);
    /* JSON: the members of one `what`; when many come one by one, the name of their list. */
    const mls_fields *object;
    const char *stream;
    const char *lines;   /* NDJSON: the lists and objects whose rows are lines; NULL: the object is one */
    mls_columns columns; /* CSV */
    /* GitHub: the findings; JUnit: calls mls_junit_case() for each case. */
    void (*findings)(struct mls_finding_list *found, const struct mls_printer *to, const void *what);
    void (*cases)(struct mls_printer *to, const void *what);
    /* OpenMetrics: writes all families; one line: appends it, of any text. */
    void (*metrics)(struct mls_printer *to, const void *what);
    void (*line)(mls_buffer *line, const void *what);
    /* HTML: writes the page. */
    void (*page)(struct mls_printer *to, const void *what);
} mls_report;

/* Printing in progress; the members below `state` belong to the format. */
typedef struct mls_printer {
    mls_view *view;
    const mls_report *report;
    void *state;  /* of the command: handed through */
    size_t count; /* items printed */
    size_t good;  /* of them, valid: set by the command */
    mls_emitter emitter;
    mls_walk walk;     /* CSV and NDJSON: to the rows */
    mls_buffer held;   /* JUnit: cases until their suite ends */
    mls_buffer suites; /* JUnit: suites that ended */
    size_t tests, failures;
} mls_printer;

/* A format: prints the start and the end (NULL: nothing), and each thing between them. */
typedef struct mls_format_writer {
    size_t needs; /* offset of the member that a report has when it offers the format */
    void (*begin)(mls_printer *to);
    void (*item)(mls_printer *to, const void *what);
    void (*end)(mls_printer *to);
} mls_format_writer;

/* "json" of MLS_FORMAT_JSON. */
const char *mls_format_name(mls_format format);
bool mls_format_from_name(mls_str name, mls_format *format);

/* Print objects one after the other in the format of the view, which the report must offer. */
bool mls_report_offers(const mls_report *report, mls_format format);
void mls_print_begin(mls_printer *to, mls_view *view, const mls_report *report, void *state);
void mls_print_item(mls_printer *to, const void *what);
void mls_print_end(mls_printer *to);

/* Labels that a user adds to metrics, or leaves out. */
typedef struct mls_metrics_labels {
    mls_names added; /* "site=north": names of our own and twice the same are refused before */
    bool no_path;
} mls_metrics_labels;

/* Return NULL, or the error in the added label of that number. */
const char *mls_metrics_label_wrong(const mls_metrics_labels *labels, size_t number);
