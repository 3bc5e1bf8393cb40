/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - read tables row by row, with line and column for error messages: CSV (strict, by libcsv), or fields
 * separated by bars without quoting.
 *
 * Blanks around unquoted cells of CSV, empty lines and a byte order mark are dropped. */
#pragma once

#include "base/base.h"

/* A table with more text, or a row with more cells, is refused. */
#define MLS_TABLE_TEXT_MAX ((size_t)1 << 30)
#define MLS_TABLE_CELLS_MAX 4096

/* One row.  Cells are decoded and live until the callback returns; those of a table with bars as long as the text. */
typedef struct mls_text_row {
    size_t line;   /* where the row starts, from 1 */
    size_t offset; /* of its first byte in the text */
    const mls_str *cells;
    size_t count;
} mls_text_row;

/* Returns MLS_OK to go on; anything else ends the reading and is its result. */
typedef mls_status (*mls_text_row_function)(void *state, const mls_text_row *row);

/* Calls `function` for each row of `text`.  MLS_ERROR_SYNTAX or _LIMIT with a place, or what it returned. */
mls_status mls_csv_read(mls_str text, mls_text_row_function function, void *state, mls_error *error) MLS_MUST_USE;
mls_status mls_bars_read(mls_str text, mls_text_row_function function, void *state, mls_error *error) MLS_MUST_USE;

/* Like mls_bars_read(), with another separator. */
mls_status mls_marked_read(mls_str text, char mark, mls_text_row_function function, void *state,
                           mls_error *error) MLS_MUST_USE;

/* Where cell number `cell` (from 0) of a row starts, after the quote if it has one: line and column. */
void mls_csv_place(mls_str text, const mls_text_row *row, size_t cell, size_t *line, size_t *column);
