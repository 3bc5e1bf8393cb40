/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - lines of a screen: text cut to its width, and rows whose columns stand below each other.  All text is
 * escaped on its way in. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"

typedef enum mls_ink { MLS_INK_PLAIN, MLS_INK_BAD, MLS_INK_GOOD, MLS_INK_WARN, MLS_INK_DIM, MLS_INK_BOLD } mls_ink;

typedef struct mls_sheet {
    mls_buffer *out;
    size_t width; /* 0: no limit */
    bool color;
    size_t used; /* columns of the line that is open */
} mls_sheet;

/* Adds to the open line; ends it. */
void mls_sheet_text(mls_sheet *sheet, mls_ink ink, mls_str text);
void mls_sheet_printf(mls_sheet *sheet, mls_ink ink, const char *format, ...) MLS_PRINTF(3, 4);
void mls_sheet_pad(mls_sheet *sheet, size_t column);
void mls_sheet_end(mls_sheet *sheet);

enum { MLS_GRID_COLUMNS = 12 };

typedef struct mls_grid_row {
    char *cells[MLS_GRID_COLUMNS]; /* of the arena; NULL: empty */
    mls_ink ink;
} mls_grid_row;

/* Rows with a heading; of the columns those are shown that fit, the ones of low rank first. */
typedef struct mls_grid {
    mls_arena arena;
    const char *headers[MLS_GRID_COLUMNS];
    bool right[MLS_GRID_COLUMNS];
    unsigned rank[MLS_GRID_COLUMNS]; /* each its own, below MLS_GRID_COLUMNS */
    size_t columns;
    MLS_LIST_OF(mls_grid_row) rows;
    size_t width[MLS_GRID_COLUMNS]; /* of the widest cell */
    bool failed;
} mls_grid;

/* A new row, and a cell of the newest. */
void mls_grid_row_add(mls_grid *grid, mls_ink ink);
void mls_grid_cell(mls_grid *grid, size_t column, const char *format, ...) MLS_PRINTF(3, 4);

/* Draws the heading (`row` SIZE_MAX) or a row. */
void mls_grid_draw(const mls_grid *grid, size_t row, mls_sheet *sheet);
void mls_grid_release(mls_grid *grid);
