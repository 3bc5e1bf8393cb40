/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - rows and columns for a person: start with a zeroed table and its indent, add rows, fill each from left to
 * right.  What is wider than the terminal moves its notes to lines of their own, then cuts the column that may be cut
 * in its middle, then drops columns from the right, those of detail first, then cuts those that are cut last; a row is
 * never wrapped.  All text is escaped on its way in. */
#pragma once

#include "base/memory.h"
#include "term/view.h"

enum {
    MLS_COLUMN_LEFT = 0,
    MLS_COLUMN_RIGHT = 1,
    MLS_COLUMN_DECIMAL = 2,  /* on the decimal point */
    MLS_COLUMN_KEEP = 4,     /* never dropped */
    MLS_COLUMN_CUT = 8,      /* may be cut in the middle; at most one column */
    MLS_COLUMN_DETAIL = 16,  /* dropped before all others */
    MLS_COLUMN_CUT_LAST = 32 /* may be cut when all others are dropped */
};

enum { MLS_TABLE_COLUMNS_MAX = 16 };

typedef struct mls_column {
    const char *header;
    unsigned look;
    size_t width;    /* while it is printed; 0: dropped or empty */
    size_t fraction; /* columns from the decimal point on */
} mls_column;

typedef struct mls_cell {
    mls_str text;
    mls_style style;
} mls_cell;

typedef struct mls_row {
    mls_cell cells[MLS_TABLE_COLUMNS_MAX];
    mls_cell note; /* stands after the row, or below it where there is no room */
    mls_cell lead; /* of a heading: stands before its note, at the table's own indent */
} mls_row;

typedef struct mls_table {
    size_t indent;
    mls_column columns[MLS_TABLE_COLUMNS_MAX];
    size_t column_count;
    mls_row *rows;
    size_t count, capacity;
    size_t filled;   /* cells of the newest row */
    mls_style style; /* of what it holds: plain until it is set after mls_table_row() */
    mls_arena text;
    mls_buffer raw, clean; /* scratch */
    bool failed;           /* memory ran out: the table is not complete */
} mls_table;

/* A new row, its next cell, its note.  What most cells hold is a number in words, or a text (NULL: not known, "-"), in
 * the style of their row.  A note without cells is a heading, of any length, over the rows that follow, gone on with on
 * further lines. */
void mls_table_row(mls_table *table);
void mls_table_cell(mls_table *table, const char *header, unsigned look, mls_style style, const char *format, ...)
    MLS_PRINTF(5, 6);
void mls_table_words(mls_table *table, const char *header, unsigned look, mls_words words);
void mls_table_text(mls_table *table, const char *header, unsigned look, const char *text);
void mls_table_note(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* The first words of a heading, in a style of their own; such a heading stands where rows do, others before them. */
void mls_table_lead(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Returns what a buffer holds as a text that the table owns.  Empties the buffer and frees it. */
const char *mls_table_take(mls_table *table, mls_buffer *text);

/* Prints the rows (if there are any) fitted to the view's width, or as Markdown, and releases them. */
void mls_table_finish(mls_table *table, mls_view *view);
