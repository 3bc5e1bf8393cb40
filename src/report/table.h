/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - rows and columns for a person.
 *
 * Cells are laid out in columns, left, right or on their decimal point.  A
 * table wider than the terminal moves its notes to lines of their own, then
 * cuts the one column that may be cut in its middle, then drops columns from
 * the right; a row is never wrapped.  All text is escaped on its way in.
 */
#ifndef MLS_REPORT_TABLE_H
#define MLS_REPORT_TABLE_H

#include "base/arena.h"
#include "base/output.h"

typedef enum mls_align { MLS_ALIGN_LEFT, MLS_ALIGN_RIGHT, MLS_ALIGN_DECIMAL } mls_align;

/* Colours mark what needs the eye; they carry no information alone. */
typedef enum mls_style {
    MLS_STYLE_PLAIN,
    MLS_STYLE_BAD,
    MLS_STYLE_GOOD,
    MLS_STYLE_WARN,
    MLS_STYLE_DIM,
    MLS_STYLE_BOLD
} mls_style;

enum { MLS_TABLE_COLUMNS_MAX = 24 };

typedef struct mls_column {
    const char *header;
    mls_align align;
    bool keep; /* never dropped */
    bool cut;  /* may be cut in the middle; at most one column */
} mls_column;

typedef struct mls_cell {
    mls_str text;
    mls_style style;
} mls_cell;

typedef struct mls_row {
    mls_cell cells[MLS_TABLE_COLUMNS_MAX];
    mls_cell note;    /* stands behind the row, or below it where there is no room */
    mls_cell heading; /* stands alone in its row, over the ones that follow */
} mls_row;

typedef struct mls_table {
    const mls_column *columns;
    size_t column_count;
    size_t indent;
    mls_row *rows;
    size_t count;
    size_t capacity;
    mls_arena text;
    bool failed; /* memory ran out: the table is not complete */
} mls_table;

/* `columns` must outlive the table. */
void mls_table_init(mls_table *table, const mls_column *columns, size_t column_count, size_t indent);

/* A new, empty row; NULL when memory runs out. */
mls_row *mls_table_row(mls_table *table);

/* Fills a cell of the newest row; the text is formatted and escaped. */
void mls_table_cell(mls_table *table, size_t column, mls_style style, const char *format, ...) MLS_PRINTF(4, 5);
void mls_table_note(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* A row that is a heading of those that follow: it stands a little to the left and may be as long as it likes. */
void mls_table_heading(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Prints the table; width 0: no limit.  An empty table prints nothing. */
void mls_table_print(const mls_table *table, mls_output *output, size_t width, bool color);

/* The same as a Markdown table, notes in a last column where any row has one. */
void mls_table_print_markdown(const mls_table *table, mls_output *output);

void mls_table_release(mls_table *table);

/* Text in a style: the codes are printed only with `color`. */
void mls_style_begin(mls_output *output, mls_style style, bool color);
void mls_style_end(mls_output *output, mls_style style, bool color);

/* Where text may go on when a terminal is too narrow for it. */
typedef struct mls_wrap {
    size_t width;          /* columns of the terminal; 0: no limit */
    size_t used;           /* columns of the first line that stand there already */
    size_t indent;         /* of the lines that follow */
    const char *separator; /* lines are broken at this, a blank or several */
} mls_wrap;

/* Prints text that has been escaped, over as many lines as it takes; a word wider than a line is not cut. */
void mls_output_wrapped(mls_output *output, mls_str text, mls_wrap wrap, mls_style style, bool color);

/* Prints text that has been escaped as text of a Markdown document: nothing in it formats. */
void mls_output_markdown(mls_output *output, mls_str text);

/* Prints log text safely. */
void mls_output_escaped(mls_output *output, mls_str text);

#endif
