/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - tables, for reports and for the live screen.
 *
 *     mls_table table = {.indent = 2};
 *     mls_table_row(&table);
 *     mls_table_text(&table, "run", MLS_COLUMN_KEEP, "a.log");
 *     mls_table_number(&table, "min", MLS_COLUMN_RIGHT, 1.68, 3);
 *     mls_table_finish(&table, view);
 *
 * Rows are never wrapped.  A table that is too wide is narrowed in these steps until it fits: notes move to lines of
 * their own, the CUT column is cut in its middle, columns are dropped from the right (DETAIL columns first), and
 * CUT_LAST columns are cut.  If the columns have ranks, columns are chosen by rank instead, the lowest rank first.  All
 * text is escaped. */
#pragma once

#include "base/memory.h"
#include "term/view.h"

enum {
    MLS_COLUMN_LEFT = 0,
    MLS_COLUMN_RIGHT = 1,
    MLS_COLUMN_DECIMAL = 2,   /* aligned on the decimal point */
    MLS_COLUMN_KEEP = 4,      /* never dropped */
    MLS_COLUMN_CUT = 8,       /* may be cut in the middle; at most one column */
    MLS_COLUMN_DETAIL = 16,   /* dropped before columns without this bit */
    MLS_COLUMN_CUT_LAST = 32, /* may be cut once all droppable columns are dropped */
    MLS_COLUMN_DIM = 1024     /* show unknown numbers dim; only for mls_table_members() */
};

/* Return the bits of a column's look that contain its rank, from 0 to 14.  If one column of a table has a rank, all
 * columns must have distinct ranks. */
#define MLS_COLUMN_RANK(rank) (((rank) + 1U) << 6)

enum { MLS_TABLE_COLUMNS_MAX = 16 };

typedef struct mls_column {
    const char *header;
    unsigned look;
    /* Width of the column in terminal columns, set by mls_table_layout(); 0: the column is dropped or empty. */
    size_t width;
    size_t fraction; /* width of the decimal point and the digits after it */
} mls_column;

typedef struct mls_cell {
    mls_str text;
    mls_style style;
} mls_cell;

typedef struct mls_row {
    mls_cell cells[MLS_TABLE_COLUMNS_MAX];
    mls_cell note; /* shown after the row, or below it if it does not fit */
    mls_cell lead; /* text before the note; only in headings */
} mls_row;

typedef struct mls_table {
    size_t indent;
    mls_column columns[MLS_TABLE_COLUMNS_MAX];
    size_t column_count;
    mls_row *rows;
    size_t count, capacity;
    size_t filled;   /* number of cells of the newest row */
    mls_style style; /* style of the next cells; mls_table_row() resets it to plain */
    mls_arena text;
    mls_buffer raw, clean; /* temporary memory for a cell */
} mls_table;

/* Begin a row.  The functions below add its cells, from left to right.  A row with a note but without cells is a
 * heading of any length for the rows after it. */
void mls_table_row(mls_table *table);

/* Add a cell with formatted text. */
void mls_table_cell(mls_table *table, const char *header, unsigned look, mls_style style, const char *format, ...)
    MLS_PRINTF(5, 6);

/* Add a cell with short text, such as a formatted number, in the style `table->style`. */
void mls_table_words(mls_table *table, const char *header, unsigned look, mls_words words);

/* Add a cell with a text ("-" if it is NULL) in the style `table->style`. */
void mls_table_text(mls_table *table, const char *header, unsigned look, const char *text);

/* Set the note of the newest row. */
void mls_table_note(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Set the text before the note of a heading, in its own style.  A heading with this text is indented like the rows. */
void mls_table_lead(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Add a cell with a number with `decimals` decimals, or "-" if the number is not finite. */
void mls_table_number(mls_table *table, const char *header, unsigned look, double number, int decimals);

/* A column that shows a member of a struct: a number with `digits` decimals, or a text of at most `digits` bytes (0: no
 * limit).  MLS_TABLE_MEMBER() derives the type from the member; MLS_TABLE_ROWS() adds all rows of an array. */
typedef struct mls_table_member {
    const char *header;
    unsigned look;
    enum { MLS_SHOWN_NUMBER, MLS_SHOWN_COUNT, MLS_SHOWN_STR, MLS_SHOWN_TEXT } type;
    size_t offset;
    int digits;
} mls_table_member;

/* clang-format off */
#define MLS_TABLE_MEMBER(header, look, of, member, digits)                                                             \
    {header, look, _Generic(&((of *)0)->member, double * : MLS_SHOWN_NUMBER, size_t * : MLS_SHOWN_COUNT,               \
                            mls_str * : MLS_SHOWN_STR, default : MLS_SHOWN_TEXT), offsetof(of, member), digits}
/* clang-format on */

/* Add cells for the members of the struct `of` to the newest row. */
void mls_table_members(mls_table *table, const mls_table_member *columns, size_t count, const void *of);

/* Add a row for each of the `rows` structs in the array `items`; each struct has `size` bytes. */
void mls_table_rows(mls_table *table, const mls_table_member *columns, size_t count, const void *items, size_t size,
                    size_t rows);

/* Call the functions above with the size of the array of columns. */
#define MLS_TABLE_MEMBERS(table, columns, of) mls_table_members(table, columns, sizeof(columns) / sizeof *(columns), of)
#define MLS_TABLE_ROWS(table, columns, items, rows)                                                                    \
    mls_table_rows(table, columns, sizeof(columns) / sizeof *(columns), items, sizeof *(items), rows)

/* Copy the text of a buffer into the table's arena and release the buffer.  Return the copy, which lives as long as the
 * table. */
const char *mls_table_take(mls_table *table, mls_buffer *text);

/* Print the rows, if any, as Markdown or fitted to the view's width, and release the table. */
void mls_table_finish(mls_table *table, mls_view *view);

/* The functions below print a table step by step, for a screen with other lines between the rows. */

/* Compute the widths of the columns.  Return whether notes must be drawn below their rows. */
bool mls_table_layout(mls_table *table, size_t width);

/* Append the header, or a row, with line ends to a sheet. */
void mls_table_draw_header(const mls_table *table, mls_sheet *sheet);
void mls_table_draw_row(const mls_table *table, const mls_row *row, bool notes_below, mls_sheet *sheet);

void mls_table_release(mls_table *table);
