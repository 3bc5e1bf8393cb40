/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - read tables row by row, with line and column for error messages.  A table is CSV (strict, read by libcsv),
 * or has cells that are separated by bars ('|') and never quoted.
 *
 * Blanks around unquoted CSV cells, empty lines and a byte order mark are ignored. */
#pragma once

#include "base/base.h"

/* Maximum size of a table in bytes, and maximum number of cells in a row. */
#define MLS_TABLE_TEXT_MAX ((size_t)1 << 30)
#define MLS_TABLE_CELLS_MAX 4096

/* A row.  Cells of CSV are decoded and valid until the callback returns; cells of a table with bars are spans of the
 * text. */
typedef struct mls_text_row {
    size_t line;   /* number of the line in which the row starts, from 1 */
    size_t offset; /* offset of the first byte of the row in the text */
    const mls_str *cells;
    size_t count;
} mls_text_row;

/* Callback for a row.  Return MLS_OK to continue; any other status stops reading and is returned. */
typedef mls_status (*mls_text_row_function)(void *state, const mls_text_row *row);

/* Call `function` for each row of a CSV table.  Return MLS_OK; MLS_ERROR_SYNTAX or MLS_ERROR_LIMIT, with a position in
 * *error; or the status of `function` if it is not MLS_OK. */
mls_status mls_csv_read(mls_str text, mls_text_row_function function, void *state, mls_error *error) MLS_MUST_USE;

/* Read a table like mls_csv_read(), with cells that are separated by bars. */
mls_status mls_bars_read(mls_str text, mls_text_row_function function, void *state, mls_error *error) MLS_MUST_USE;

/* Read a table like mls_csv_read(), with cells that are separated by `mark`. */
mls_status mls_marked_read(mls_str text, char mark, mls_text_row_function function, void *state,
                           mls_error *error) MLS_MUST_USE;

/* Compute the line and column at which cell number `cell` (from 0) of a CSV row starts; if the cell is quoted, the
 * position is that of the byte after the quote. */
void mls_csv_place(mls_str text, const mls_text_row *row, size_t cell, size_t *line, size_t *column);
