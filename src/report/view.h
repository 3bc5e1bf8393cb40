/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - how results are to be printed, for every command and every format.
 *
 * A format is one file that defines an mls_format_writer, and one row of
 * MLS_FORMAT_LIST.  What a command prints is one mls_report: what the formats
 * may want to know of it.  Nothing in this floor returns success: lack of
 * memory is remembered by the output, like a full disk, and told when it is
 * closed.
 */
#ifndef MLS_REPORT_VIEW_H
#define MLS_REPORT_VIEW_H

#include "report/fields.h"

/* Every format: its name, and with mls_format_ before it the writer. */
#define MLS_FORMAT_LIST(F)                                                                                             \
    F(TABLE, table)                                                                                                    \
    F(CSV, csv)                                                                                                        \
    F(JSON, json)                                                                                                      \
    F(NDJSON, ndjson)                                                                                                  \
    F(MARKDOWN, markdown)                                                                                              \
    F(GITHUB, github)                                                                                                  \
    F(JUNIT, junit)

#define MLS_FORMAT_ID(id, name) MLS_FORMAT_##id,
typedef enum mls_format { MLS_FORMAT_LIST(MLS_FORMAT_ID) MLS_FORMAT_COUNT } mls_format;
#undef MLS_FORMAT_ID

typedef struct mls_view {
    mls_output *output;
    mls_format format;
    size_t width;     /* columns to fit results into; 0: no limit */
    bool color;       /* results may be coloured */
    bool quiet;       /* say less */
    unsigned verbose; /* 1: every finding on its own, every skipped file */
    bool strict;      /* warnings and advice count as errors */
    bool only;        /* show findings of one severity only */
    mls_severity only_severity;
} mls_view;

/* Whether a finding is to be shown: all, but for --only, and with -q errors. */
bool mls_view_shows(const mls_view *view, mls_severity severity);

struct mls_printer;
struct mls_found;

/* What a command prints.  `what` is the command's own struct; what stands for a format that is not offered is NULL. */
typedef struct mls_report {
    const char *name;    /* JUnit: of all that is printed, "mlscore check" */
    const char *section; /* of mlscore-formats(5) that has the tables */
    /* For people: what stands over all (NULL: nothing), one `what`, what stands below. */
    void (*begin)(struct mls_printer *to);
    void (*show)(struct mls_printer *to, const void *what);
    void (*end)(struct mls_printer *to);
    /* JSON: the members of one `what`; when many come one by one, the name of their list; NULL behind all tables. */
    const mls_fields *object;
    const mls_fields *const *tables;
    const char *stream;
    /* NDJSON: the lines of one `what`; NULL: the object is one. */
    void (*lines)(mls_emitter *to, const void *what);
    /* CSV: the columns, and the rows of one `what`; NULL: it is one. */
    const mls_columns *columns;
    void (*rows)(mls_emitter *to, const void *what);
    /* GitHub: the findings; JUnit: calls mls_junit_case() for each case. */
    void (*findings)(struct mls_found *found, const struct mls_printer *to, const void *what);
    void (*cases)(struct mls_printer *to, const void *what);
} mls_report;

/* Printing in progress; the members below `state` belong to the format. */
typedef struct mls_printer {
    mls_view *view;
    const mls_report *report;
    void *state;  /* of the command: handed through */
    size_t count; /* items printed */
    size_t good;  /* of them, valid: set by the command */
    mls_emitter emitter;
    mls_buffer held;   /* JUnit: cases until their suite ends */
    mls_buffer suites; /* JUnit: suites that ended */
    size_t tests, failures;
} mls_printer;

/* What a format prints at the start and at the end (NULL: nothing), and for each thing. */
typedef struct mls_format_writer {
    size_t needs; /* offset of the member that a report has when it offers the format */
    void (*begin)(mls_printer *to);
    void (*item)(mls_printer *to, const void *what);
    void (*end)(mls_printer *to);
} mls_format_writer;

/* "json" of MLS_FORMAT_JSON; "" of no format. */
const char *mls_format_name(mls_format format);
bool mls_format_from_name(mls_str name, mls_format *format);

/* Whether a report can be printed in a format.  What follows is not to be called where it cannot. */
bool mls_report_offers(const mls_report *report, mls_format format);

/* Prints one thing after the other. */
void mls_print_begin(mls_printer *to, mls_view *view, const mls_report *report, void *state);
void mls_print_item(mls_printer *to, const void *what);
void mls_print_end(mls_printer *to);

/* Remembers that memory ran out: what was printed is not complete. */
void mls_output_short(mls_output *output);

/* Frees a buffer, or writes what it holds before; that it ran out of memory is an error of the output. */
void mls_output_drop(mls_output *output, mls_buffer *buffer);
void mls_output_buffer(mls_output *output, mls_buffer *buffer);

/* Prints log text safely. */
void mls_output_escaped(mls_output *output, mls_str text);

/* Appends text that has been escaped as text of a Markdown document: nothing in it formats. */
void mls_markdown_append(mls_buffer *out, mls_str text);

/* Colours mark what needs the eye; they carry no information alone. */
typedef enum mls_style {
    MLS_STYLE_PLAIN,
    MLS_STYLE_BAD,
    MLS_STYLE_GOOD,
    MLS_STYLE_WARN,
    MLS_STYLE_DIM,
    MLS_STYLE_BOLD
} mls_style;

/* Around text in a style: the codes are printed only in colour. */
void mls_style_begin(mls_view *view, mls_style style);
void mls_style_end(mls_view *view, mls_style style);

/* Where text may go on when a terminal is too narrow for it. */
typedef struct mls_wrap {
    size_t width;          /* columns of the terminal; 0: no limit */
    size_t used;           /* columns of the first line that stand there already */
    size_t indent;         /* of the lines that follow */
    const char *separator; /* lines are broken at this, a blank or several */
    bool brackets;         /* but not inside of these */
} mls_wrap;

/* Prints text that has been escaped, over as many lines as it takes; a word wider than a line is not cut. */
void mls_view_wrapped(mls_view *view, mls_str text, mls_wrap wrap, mls_style style);

/* Text that may come from a log or be a file's name, so that it reads as itself and changes nothing else. */
void mls_view_text(mls_view *view, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* A line with a title and what stands behind it, gone on with at `hang` where two blanks are.  Frees the buffer. */
void mls_view_headline(mls_view *view, mls_str title, mls_buffer *behind, size_t hang);

/*
 * A line of its own, escaped, indented and, where the terminal is too narrow,
 * gone on with at `hang` (0: it is not broken, so that paths can be copied);
 * in Markdown an item of a list.  Frees the buffer.  Or the same of formatted text.
 */
void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang);
void mls_view_printf(mls_view *view, mls_style style, size_t indent, size_t hang, const char *format, ...)
    MLS_PRINTF(5, 6);

/*
 * Numbers the way a person reads them: values, to be printed with "%s" as
 * mls_words_count(n).text.  Numbers that are absent (NAN) are "-".
 */
typedef struct mls_words {
    char text[64];
} mls_words;

/* The shortest text that reads back as the same number, for programs. */
mls_words mls_words_exact(double number);

/* Thousands grouped, fractions of up to 4 digits: 3,024.  Or with a fixed number of decimals: 3,061.25. */
mls_words mls_words_count(double number);
mls_words mls_words_grouped(double number, int decimals);

/* A fixed number of decimals, 0.92474; a number that is absurdly large with an exponent. */
mls_words mls_words_fixed(double number, int decimals);

/* Minutes with three decimals, and from an hour on h:mm:ss beside them: "209.652 (3:29:39)". */
mls_words mls_words_minutes(double minutes);

/* A short time as m:ss.s, from an hour on h:mm:ss. */
mls_words mls_words_clock(double minutes);

/* "1 run", "10 runs". */
mls_words mls_words_plural(size_t count, const char *singular, const char *plural);

#endif
