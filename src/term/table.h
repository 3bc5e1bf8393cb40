/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - rows and columns, for reports and for the live screen.
 *
 *     mls_table table = {.indent = 2};
 *     mls_table_row(&table);
 *     mls_table_text(&table, "log", MLS_COLUMN_KEEP | MLS_COLUMN_CUT, name);
 *     mls_table_finish(&table, view);
 *
 * A row is never wrapped.  A table that is wider than the terminal moves its notes to lines of their own, then cuts the
 * column that may be cut, in its middle, then drops columns from the right, those of detail first, then cuts those that
 * are cut last.  If columns have ranks, those that fit are shown instead, the ones of low rank first.  All text is
 * escaped on its way in. */
#pragma once

#include "base/memory.h"
#include "term/view.h"

enum {
    MLS_COLUMN_LEFT = 0,
    MLS_COLUMN_RIGHT = 1,
    MLS_COLUMN_DECIMAL = 2,   /* on the decimal point */
    MLS_COLUMN_KEEP = 4,      /* never dropped */
    MLS_COLUMN_CUT = 8,       /* may be cut in the middle; at most one column */
    MLS_COLUMN_DETAIL = 16,   /* dropped before all others */
    MLS_COLUMN_CUT_LAST = 32, /* may be cut when all others are dropped */
    MLS_COLUMN_DIM = 1024     /* numbers that are not known are dim; only for mls_table_members() */
};

/* A column's rank, from 0 to 14, as bits of its look; all columns of a table have one of their own, or none has. */
#define MLS_COLUMN_RANK(rank) (((rank) + 1U) << 6)

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
    mls_cell note; /* after the row, or below it where there is no room */
    mls_cell lead; /* of a heading: before its note */
} mls_row;

typedef struct mls_table {
    size_t indent;
    mls_column columns[MLS_TABLE_COLUMNS_MAX];
    size_t column_count;
    mls_row *rows;
    size_t count, capacity;
    size_t filled;   /* cells of the newest row */
    mls_style style; /* of the cells that follow: plain until it is set after mls_table_row() */
    mls_arena text;
    mls_buffer raw, clean; /* scratch */
} mls_table;

/* Add a row, and then its cells from left to right: formatted, a number in words, or a text (NULL: "-"), the last two
 * in the style of their row.  A row with a note and no cells is a heading, of any length, over the rows that follow. */
void mls_table_row(mls_table *table);
void mls_table_cell(mls_table *table, const char *header, unsigned look, mls_style style, const char *format, ...)
    MLS_PRINTF(5, 6);
void mls_table_words(mls_table *table, const char *header, unsigned look, mls_words words);
void mls_table_text(mls_table *table, const char *header, unsigned look, const char *text);
void mls_table_note(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Set the first words of a heading, in a style of their own; such a heading is indented like the rows. */
void mls_table_lead(mls_table *table, mls_style style, const char *format, ...) MLS_PRINTF(3, 4);

/* Add a number with so many decimals, "-" if it is not finite. */
void mls_table_number(mls_table *table, const char *header, unsigned look, double number, int decimals);

/* A column that shows a member of a struct: a number with `digits` decimals, or a text of at most `digits` bytes (0: of
 * any length).  MLS_TABLE_MEMBER() makes one from the type of the member.
 *
 *     static const mls_table_member columns[] = {MLS_TABLE_MEMBER("step", RIGHT, mls_profile_step, number, 0)};
 *     MLS_TABLE_ROWS(&table, columns, steps, count); */
typedef struct mls_table_member {
    const char *header;
    unsigned look;
    enum { MLS_SHOWN_NUMBER, MLS_SHOWN_COUNT, MLS_SHOWN_STR, MLS_SHOWN_TEXT } type;
    size_t offset;
    int digits;
} mls_table_member;

/* clang-format off */
#define MLS_TABLE_MEMBER(header, look, of, member, digits)                                                             \
    {header, look, _Generic(((of *)NULL)->member, double : MLS_SHOWN_NUMBER, size_t : MLS_SHOWN_COUNT,               \
                            mls_str : MLS_SHOWN_STR, default : MLS_SHOWN_TEXT), offsetof(of, member), digits}
/* clang-format on */

/* Add the cells of columns to the newest row, from the struct `of`; or a row for each item of an array of structs. */
void mls_table_members(mls_table *table, const mls_table_member *columns, size_t count, const void *of);
void mls_table_rows(mls_table *table, const mls_table_member *columns, size_t count, const void *items, size_t size,
                    size_t rows);
#define MLS_TABLE_MEMBERS(table, columns, of) mls_table_members(table, columns, sizeof columns / sizeof *columns, of)
#define MLS_TABLE_ROWS(table, columns, items, rows)                                                                    \
    mls_table_rows(table, columns, sizeof columns / sizeof *columns, items, sizeof *(items), rows)

/* Return the text of a buffer as one that the table owns.  Releases the buffer. */
const char *mls_table_take(mls_table *table, mls_buffer *text);

/* Print the rows (if there are any) fitted to the view's width, or as Markdown, and release the table. */
void mls_table_finish(mls_table *table, mls_view *view);

/* The same step by step, for a screen with other lines between the rows: lay the columns out (and return whether notes
 * must be below their rows), append the header or a row to a sheet, each with its end of line, and release. */
bool mls_table_layout(mls_table *table, size_t width);
void mls_table_draw_header(const mls_table *table, mls_sheet *sheet);
void mls_table_draw_row(const mls_table *table, const mls_row *row, bool notes_below, mls_sheet *sheet);
void mls_table_release(mls_table *table);
