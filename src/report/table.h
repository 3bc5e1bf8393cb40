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
#include "report/view.h"

typedef enum mls_align { MLS_ALIGN_LEFT, MLS_ALIGN_RIGHT, MLS_ALIGN_DECIMAL } mls_align;

enum {
    MLS_TABLE_COLUMNS_MAX = 24,
    MLS_TABLE_NOTE = MLS_TABLE_COLUMNS_MAX, /* stands behind the row, or below it where there is no room */
    MLS_TABLE_HEADING, /* alone in its row, over the ones that follow: a little to the left, as long as it likes */
    MLS_TABLE_CELLS
};

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
    mls_cell cells[MLS_TABLE_CELLS];
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

/* Fills a cell, the note or the heading of the newest row; the text is formatted and escaped. */
void mls_table_cell(mls_table *table, size_t column, mls_style style, const char *format, ...) MLS_PRINTF(4, 5);

/* Fills a cell with what a buffer holds, and frees that. */
void mls_table_text(mls_table *table, size_t column, mls_style style, mls_buffer *text);

/* Prints the table, fitted to the view's width, or as Markdown, notes in a last column where any row has one.  An
 * empty table prints nothing. */
void mls_table_print(const mls_table *table, mls_view *view);
void mls_table_release(mls_table *table);

/* Prints and releases it. */
void mls_table_finish(mls_table *table, mls_view *view);

#endif
