/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - how results are shown, and output of text: styles, wrapping at the terminal's width, Markdown lists.
 *
 * Text from logs and file names is escaped here.  Functions do not return errors: a full disk is reported when the
 * output is closed. */
#pragma once

#include "base/output.h"
#include "base/words.h"

/* All output formats: the suffix of MLS_FORMAT_, and the suffix of the function mls_format_… that writes it. */
#define MLS_FORMAT_LIST(F)                                                                                             \
    F(TABLE, table)                                                                                                    \
    F(CSV, csv)                                                                                                        \
    F(JSON, json)                                                                                                      \
    F(NDJSON, ndjson)                                                                                                  \
    F(MARKDOWN, markdown)                                                                                              \
    F(GITHUB, github)                                                                                                  \
    F(JUNIT, junit)                                                                                                    \
    F(OPENMETRICS, openmetrics)                                                                                        \
    F(ONELINE, oneline)                                                                                                \
    F(HTML, html)

#define MLS_FORMAT_ID(id, name) MLS_FORMAT_##id,
typedef enum mls_format { MLS_FORMAT_LIST(MLS_FORMAT_ID) MLS_FORMAT_COUNT } mls_format;
#undef MLS_FORMAT_ID

typedef struct mls_view {
    mls_output *output;
    mls_format format;
    size_t width;                            /* columns available; 0: no limit */
    bool color;                              /* results may use colours */
    bool ascii;                              /* the locale is not UTF-8: draw bars in ASCII */
    bool quiet;                              /* print less */
    bool brief;                              /* print only a summary, because the command is part of another one */
    unsigned verbose;                        /* 1: print every finding and every skipped file */
    bool strict;                             /* warnings and advice count as errors */
    const struct mls_metrics_labels *labels; /* labels given by the user (formats.h); NULL: none */
    const char *only; /* show only findings of this kind: "errors", "warnings" or "advice"; NULL: all */
} mls_view;

/* Write a buffer and release it. */
void mls_output_buffer(mls_output *output, mls_buffer *buffer);

/* Write a text after escaping it. */
void mls_output_escaped(mls_output *output, mls_str text);

/* Return whether the format is for people rather than programs. */
bool mls_view_is_for_people(const mls_view *view);

/* Append escaped text to a Markdown document so that no character in it has a special meaning. */
void mls_markdown_append(mls_buffer *out, mls_str text);

/* Styles highlight text; they never carry information that the text lacks. */
typedef enum mls_style {
    MLS_STYLE_PLAIN,
    MLS_STYLE_BAD,
    MLS_STYLE_GOOD,
    MLS_STYLE_WARN,
    MLS_STYLE_DIM,
    MLS_STYLE_BOLD
} mls_style;

/* Print the escape sequences before and after styled text, if results are coloured. */
void mls_style_begin(mls_view *view, mls_style style);
void mls_style_end(mls_view *view, mls_style style);

/* Lines of a screen or table that are appended to a buffer.  Text is escaped and cut at the width. */
typedef struct mls_sheet {
    mls_buffer *out;
    size_t width; /* 0: no limit */
    bool color;
    size_t used; /* width of the current line */
} mls_sheet;

/* Append text to the current line. */
void mls_sheet_text(mls_sheet *sheet, mls_style style, mls_str text);
void mls_sheet_printf(mls_sheet *sheet, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Pad the current line with blanks to a column. */
void mls_sheet_pad(mls_sheet *sheet, size_t column);

/* End the current line, without trailing blanks. */
void mls_sheet_end(mls_sheet *sheet);

/* Append formatted text to the current line and end the line. */
void mls_sheet_line(mls_sheet *sheet, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Append text that is escaped already, in a style, without cutting it. */
void mls_style_append(mls_buffer *out, bool color, mls_style style, mls_str text);

/* How to wrap text that is wider than the terminal. */
typedef struct mls_wrap {
    size_t width;          /* columns of the terminal; 0: no limit */
    size_t used;           /* columns already used on the first line */
    size_t indent;         /* indentation of the following lines */
    const char *separator; /* where lines may be broken: one or more blanks */
    bool brackets;         /* do not break inside round brackets */
} mls_wrap;

/* Append or print text that is escaped already, wrapped to the width.  A word longer than a line is not cut. */
void mls_wrap_append(mls_buffer *out, bool color, mls_str text, mls_wrap wrap, mls_style style);
void mls_view_wrapped(mls_view *view, mls_str text, mls_wrap wrap, mls_style style);

/* Escape formatted text and print it, without wrapping and without a line end. */
void mls_view_text(mls_view *view, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* In Markdown, print the empty line that ends a table or a heading; in other formats, print nothing. */
void mls_view_gap(mls_view *view);

/* Print a line: a bold title, then the text `rest`.  If the line is too wide, it is broken where `rest` contains two
 * blanks and continued at column `hang`.  Release the buffer. */
void mls_view_headline(mls_view *view, mls_str title, mls_buffer *rest, size_t hang);

/* Escape a line and print it, wrapped by `wrap`; in Markdown, print it as an item of a list.  Release the buffer. */
void mls_view_item(mls_view *view, mls_buffer *line, mls_wrap wrap, mls_style style);

/* Print a line like mls_view_item(), indented by `indent` and continued at column `hang`.  If `hang` is 0, the line is
 * not wrapped, so that paths in it can be copied.  The second function prints formatted text. */
void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang);
void mls_view_printf(mls_view *view, mls_style style, size_t indent, size_t hang, const char *format, ...)
    MLS_PRINTF(5, 6);

/* Return the maximum number of items of a list that are shown: `limit`, or all with -v. */
size_t mls_view_limit(const mls_view *view, size_t limit);

/* Return the hint that -v lists the omitted items; NULL if -v is set. */
const char *mls_view_hint(const mls_view *view);

/* Print a line with the number of omitted items, formatted by mls_words_append_more(), unless it is 0. */
void mls_view_more(mls_view *view, mls_style style, size_t indent, size_t count, const char *noun, const char *hint);
