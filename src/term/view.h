/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what a person asked to see, and text on its way there: styles, lines broken or cut at the terminal's width,
 * items of Markdown lists.  Text from logs and names of files is escaped here.  Nothing returns success: a full disk is
 * reported when the output is closed. */
#pragma once

#include "base/output.h"
#include "base/words.h"

/* Every format: its name, and with mls_format_ before it the writer. */
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
    size_t width;                            /* columns to fit results into; 0: no limit */
    bool color;                              /* results may be coloured */
    bool ascii;                              /* the locale has no UTF-8: bars are drawn without it */
    bool quiet;                              /* say less */
    bool brief;                              /* a summary only, where a command stands for another one */
    unsigned verbose;                        /* 1: every finding on its own, every skipped file */
    bool strict;                             /* warnings and advice count as errors */
    const struct mls_metrics_labels *labels; /* of metrics, metrics.h; NULL: none but our own */
    const char *only;                        /* "errors", "warnings" or "advice": show no other findings; NULL: all */
} mls_view;

/* Write a buffer and release it; write text that is escaped on its way. */
void mls_output_buffer(mls_output *output, mls_buffer *buffer);
void mls_output_escaped(mls_output *output, mls_str text);

/* Return whether the format is one for people, not for programs. */
bool mls_view_is_for_people(const mls_view *view);

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

/* Print what goes before and after text in a style: nothing unless results are coloured. */
void mls_style_begin(mls_view *view, mls_style style);
void mls_style_end(mls_view *view, mls_style style);

/* The lines of a screen or table, appended to a buffer: text is escaped and cut at the width. */
typedef struct mls_sheet {
    mls_buffer *out;
    size_t width; /* 0: no limit */
    bool color;
    size_t used; /* columns of the open line */
} mls_sheet;

/* Add text to the open line; add blanks up to a column; end the line without blanks at its end; add text and end it. */
void mls_sheet_text(mls_sheet *sheet, mls_style style, mls_str text);
void mls_sheet_printf(mls_sheet *sheet, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);
void mls_sheet_pad(mls_sheet *sheet, size_t column);
void mls_sheet_end(mls_sheet *sheet);
void mls_sheet_line(mls_sheet *sheet, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Append escaped text in a style, not cut. */
void mls_style_append(mls_buffer *out, bool color, mls_style style, mls_str text);

/* How text is broken where a terminal is too narrow for it. */
typedef struct mls_wrap {
    size_t width;          /* columns of the terminal; 0: no limit */
    size_t used;           /* columns already used on the first line */
    size_t indent;         /* of the lines that follow */
    const char *separator; /* lines are broken at this, a blank or several */
    bool brackets;         /* but not between round brackets */
} mls_wrap;

/* Append or print text that has been escaped, on as many lines as it takes; a word wider than a line is not cut. */
void mls_wrap_append(mls_buffer *out, bool color, mls_str text, mls_wrap wrap, mls_style style);
void mls_view_wrapped(mls_view *view, mls_str text, mls_wrap wrap, mls_style style);

/* Print formatted text, escaped. */
void mls_view_text(mls_view *view, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Print the empty line that ends a table or a heading in Markdown. */
void mls_view_gap(mls_view *view);

/* Print a line with a title and the rest after it, broken at two blanks and continued at `hang`.  Releases the buffer.
 */
void mls_view_headline(mls_view *view, mls_str title, mls_buffer *rest, size_t hang);

/* Print a line, escaped, and indented and broken by `wrap`; or indented and continued at `hang` (0: not broken, so that
 * paths can be copied); in Markdown as an item of a list.  Releases the buffer.  The last one prints formatted text. */
void mls_view_item(mls_view *view, mls_buffer *line, mls_wrap wrap, mls_style style);
void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang);
void mls_view_printf(mls_view *view, mls_style style, size_t indent, size_t hang, const char *format, ...)
    MLS_PRINTF(5, 6);

/* For a list of which a screen has only some items: return how many at most (with -v all), return the hint that -v
 * lists the others, and print the line that counts those (mls_words_append_more()). */
size_t mls_view_limit(const mls_view *view, size_t limit);
const char *mls_view_hint(const mls_view *view);
void mls_view_more(mls_view *view, mls_style style, size_t indent, size_t count, const char *noun, const char *hint);
