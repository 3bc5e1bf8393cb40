/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - how results and findings are printed: a format is an mls_format_writer, what a command prints an mls_report.
 * Nothing here returns success: lack of memory is remembered by the output, like a full disk, and told at its close.
 */
#ifndef MLS_REPORT_VIEW_H
#define MLS_REPORT_VIEW_H

#include "base/words.h"
#include "report/columns.h"

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
    bool ascii;       /* the locale has no UTF-8: bars are drawn without it */
    bool quiet;       /* say less */
    unsigned verbose; /* 1: every finding on its own, every skipped file */
    bool strict;      /* warnings and advice count as errors */
    const char *only; /* "errors", "warnings" or "advice": show no other findings; NULL: all */
} mls_view;

/* Whether a finding is to be shown: all, but for --only, and with -q those that count as errors. */
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
    /* JSON: the members of one `what`; when many come one by one, the name of their list. */
    const mls_fields *object;
    const char *stream;
    const char *lines;   /* NDJSON: the lists and objects whose rows are lines; NULL: the object is one */
    mls_columns columns; /* CSV */
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
    mls_walk walk;     /* CSV and NDJSON: to the rows */
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

/* "json" of MLS_FORMAT_JSON. */
const char *mls_format_name(mls_format format);
bool mls_format_from_name(mls_str name, mls_format *format);

/* Prints one thing after the other, where the report can be printed in the view's format. */
bool mls_report_offers(const mls_report *report, mls_format format);
void mls_print_begin(mls_printer *to, mls_view *view, const mls_report *report, void *state);
void mls_print_item(mls_printer *to, const void *what);
void mls_print_end(mls_printer *to);

/* Remembers that memory ran out, of a buffer that is freed, or of one that is written and freed; prints log text. */
void mls_output_short(mls_output *output);
void mls_output_drop(mls_output *output, mls_buffer *buffer);
void mls_output_buffer(mls_output *output, mls_buffer *buffer);
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
 * A line of its own, escaped, indented and broken as `wrap` says, or gone on with at `hang` (0: it is not broken, so
 * that paths can be copied); in Markdown an item of a list.  Frees the buffer.  Or the same of formatted text.
 */
void mls_view_item(mls_view *view, mls_buffer *line, mls_wrap wrap, mls_style style);
void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang);
void mls_view_printf(mls_view *view, mls_style style, size_t indent, size_t hang, const char *format, ...)
    MLS_PRINTF(5, 6);

/*
 * A list of which only some stand on a screen: at most `limit`, with -v all; and below them the line that says how many
 * more there are (mls_words_append_more()), with the hint that -v has where it lists them.
 */
size_t mls_view_limit(const mls_view *view, size_t limit);
const char *mls_view_hint(const mls_view *view);
void mls_view_more(mls_view *view, mls_style style, size_t indent, size_t count, const char *noun, const char *hint);

/* Whose findings, gathered in the order in which they are to be reported, they are; zeroed members mean "none". */
typedef struct mls_owner {
    const char *path; /* of findings without a path */
    size_t line;      /* of findings without a line */
    const char *name; /* of the submitter */
    mls_str result;   /* what is alike in several runs of one result is one line; ptr NULL: of none */
    size_t run;       /* which of its runs; 0: the path says it */
    size_t runs;      /* how many it has; 0: not known, or it is about no run */
} mls_owner;

typedef struct mls_noted {
    mls_finding finding; /* with the owner's path and line where it has none itself */
    mls_owner owner;
    size_t first, last; /* in the list: of what is reported together */
    size_t runs;        /* that have it alike */
    size_t reported;    /* findings that its line reports; 0: another line reports it */
} mls_noted;

typedef struct mls_found {
    mls_noted *items;
    size_t count, capacity;
    size_t unkept;    /* more that were counted but not kept */
    const char *root; /* GitHub: of paths; NULL: they are as the user would open them */
    bool failed;      /* memory ran out */
} mls_found;

/* Adds a finding, or all of a list with what it counted but did not keep; `view` not NULL: only if it shows them. */
void mls_found_add_one(mls_found *found, const mls_finding *finding, mls_owner owner, const mls_view *view);
void mls_found_add(mls_found *found, const mls_findings *findings, mls_owner owner, const mls_view *view);
void mls_found_add_unkept(mls_found *found, const mls_findings *findings, const mls_view *view);

/* Frees the list; that it lacked memory is an error of the output. */
void mls_found_finish(mls_found *found, mls_output *output);

typedef struct mls_found_look {
    size_t indent, hang; /* as of mls_view_line() */
    bool named;          /* "warning: " before what is none */
    bool together;       /* what is alike in several runs of a result is one line, unless -v lists them */
    bool sorted;         /* what is worst comes first, so that the limit never hides it */
    size_t limit;        /* lines at most; 0: no limit */
} mls_found_look;

/* Prints `path:line:column: severity: message  [code]` for each, and how many more there are.  Frees the list. */
void mls_found_show(mls_view *view, mls_found *found, mls_found_look look);
mls_words mls_found_words(size_t count, mls_severity severity); /* "2 errors" */
/* ": 2 errors, 1 warning", nothing when there are none. */
void mls_found_append_counts(mls_buffer *line, const char *before, const mls_finding_counts *counts);

/* The table of a finding, whose row is an mls_noted.  Beside it what only CSV has. */
extern const mls_fields mls_finding_fields, mls_finding_csv_fields;

/* The value of a field of findings, a statement that adds to `found`: rows with these fields. */
#define MLS_FIELD_FINDINGS MLS_FIELD_ARRAY, .child = &mls_finding_fields
#define MLS_EMIT_FINDINGS(value)                                                                                       \
    mls_found found = {0};                                                                                             \
    value;                                                                                                             \
    mls_emit_found(to, &found)

/* A list of findings as an array of JSON, those with a known path with it.  Frees the list. */
void mls_emit_found(mls_emitter *to, mls_found *found);

/* JUnit: a test case, what was found in it (freed), and why it failed (NULL: it did not); or a suite of those. */
void mls_junit_case(mls_printer *to, const char *class_name, const char *name, const char *failure, mls_found *found);
void mls_junit_suite(mls_printer *to, const char *name);

#endif
