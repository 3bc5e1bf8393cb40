/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what a person asked to see, and text on its way to that person.  Nothing here returns success: lack of
 * memory is remembered by the output, like a full disk, and reported at its close. */
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

/* Remembers that memory ran out where it did, also of a buffer that is freed, or of one that is written and freed;
 * prints log text. */
void mls_output_short(mls_output *output, bool failed);
void mls_output_drop(mls_output *output, mls_buffer *buffer);
void mls_output_buffer(mls_output *output, mls_buffer *buffer);
void mls_output_escaped(mls_output *output, mls_str text);

/* Whether what is printed is read by people, not by programs. */
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

/* The empty line that ends a table or a heading in Markdown. */
void mls_view_gap(mls_view *view);

/* A line with a title and the rest after it, gone on with at `hang` where two blanks are.  Frees the buffer. */
void mls_view_headline(mls_view *view, mls_str title, mls_buffer *rest, size_t hang);

/* A line of its own, escaped, indented and broken as `wrap` says, or gone on with at `hang` (0: it is not broken, so
 * that paths can be copied); in Markdown an item of a list.  Frees the buffer.  Or the same of formatted text. */
void mls_view_item(mls_view *view, mls_buffer *line, mls_wrap wrap, mls_style style);
void mls_view_line(mls_view *view, mls_buffer *line, mls_style style, size_t indent, size_t hang);
void mls_view_printf(mls_view *view, mls_style style, size_t indent, size_t hang, const char *format, ...)
    MLS_PRINTF(5, 6);

/* A list of which only some stand on a screen: at most `limit`, with -v all; and below them the line that says how many
 * more there are (mls_words_append_more()), with the hint that -v has where it lists them. */
size_t mls_view_limit(const mls_view *view, size_t limit);
const char *mls_view_hint(const mls_view *view);
void mls_view_more(mls_view *view, mls_style style, size_t indent, size_t count, const char *noun, const char *hint);
