/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_read.h - comma-separated tables, row by row, with places for error messages.  Reading is libcsv's, strictly;
 * blanks around unquoted fields, empty lines and a byte order mark are dropped.
 */
#ifndef MLS_BASE_CSV_READ_H
#define MLS_BASE_CSV_READ_H

#include "mlscore/base.h"

/* A table with more text, or a row with more fields, is refused. */
#define MLS_CSV_TEXT_MAX ((size_t)64 << 20)
#define MLS_CSV_FIELDS_MAX 4096

/* One row.  Fields are decoded and live until the callback returns. */
typedef struct mls_csv_row {
    size_t line;   /* where the row starts, from 1 */
    size_t offset; /* of its first byte in the text */
    const mls_str *fields;
    size_t count;
} mls_csv_row;

/* Returns MLS_OK to go on; anything else ends the reading and is its result. */
typedef mls_status (*mls_csv_row_function)(void *state, const mls_csv_row *row);

/* Calls `function` for each row of `text`.  MLS_ERROR_SYNTAX, _LIMIT or _MEMORY with a place, or what it returned. */
mls_status mls_csv_read(mls_str text, mls_csv_row_function function, void *state, mls_error *error) MLS_MUST_USE;

/* Where field number `field` (from 0) of a row starts in the text, behind the quote if it has one: line and column. */
void mls_csv_place(mls_str text, const mls_csv_row *row, size_t field, size_t *line, size_t *column);

#endif
