/* SPDX-License-Identifier: Apache-2.0 */
/* text_table.h - read a table with a heading, row by row into a struct, using a table of members.
 *
 * The first row contains the names of the columns.  A member without a column, or with an empty cell, gets its empty
 * value. */
#pragma once

#include "base/rows.h"
#include "json/json_row.h"

enum { MLS_TABLE_MEMBERS_MAX = 48 };

/* Options of a table. */
enum {
    MLS_TABLE_EXACT = 1,  /* refuse columns without a member */
    MLS_TABLE_RAGGED = 2, /* allow rows with more or fewer cells than the heading, if required columns are present */
    /* Remove a ' at the start of a cell, which prevents spreadsheets from treating the cell as a formula. */
    MLS_TABLE_MARKED = 4
};

typedef struct mls_text_table {
    const char *what; /* a description of the table for messages: "a table of reference points" */
    const mls_row_member *members;
    size_t count; /* number of members */
    unsigned options;
    bool bars;        /* whether cells are separated by bars; otherwise the table is CSV */
    mls_str text;     /* the whole text, to compute positions for messages */
    mls_arena *arena; /* memory for the texts of the structs */
    mls_error *error;
    /* take_heading (may be NULL) is called for the heading; take_row for each row, after its cells were stored in
     * `into`. */
    mls_text_row_function take_heading, take_row;
    /* Called with the error of a wrong row; if it returns MLS_OK, the row is skipped.  If leave_out is NULL, the first
     * wrong row ends reading. */
    mls_status (*leave_out)(void *state, const mls_error *wrong);
    void *state; /* passed to the callbacks */
    void *into;  /* the struct in which the cells of each row are stored */
    /* The following members are set when the heading is read. */
    size_t columns;                   /* number of columns; 0 if the heading was not read yet */
    size_t at[MLS_TABLE_MEMBERS_MAX]; /* column of each member, from 1; 0 if the table has no such column */
} mls_text_table;

/* Read all rows.  Return MLS_OK; MLS_ERROR_SYNTAX or MLS_ERROR_VALUE, with a position; MLS_ERROR_LIMIT; or the status
 * of a callback if it is not MLS_OK. An empty text is an error. */
mls_status mls_text_table_read(mls_text_table *table) MLS_MUST_USE;

/* Read a heading: set table->at and table->columns.  Only tables with several headings need this function and
 * mls_text_table_row(); for others, mls_text_table_read() calls them. */
mls_status mls_text_table_heading(mls_text_table *table, const mls_text_row *row) MLS_MUST_USE;

/* Store the cells of a row in the struct `into`. */
mls_status mls_text_table_row(const mls_text_table *table, const mls_text_row *row, void *into) MLS_MUST_USE;

/* Return the text of the cell in a column (from 1), or "" if the row does not have this column.  With MLS_TABLE_MARKED,
 * the text does not include a leading '. */
mls_str mls_text_table_cell(const mls_text_table *table, const mls_text_row *row, size_t column);

/* Set the error "what: 'text'", or only `what` if the text is empty, and return MLS_ERROR_VALUE. The position of the
 * error is byte `offset` of the cell in a column (from 1). */
mls_status mls_text_table_refuse(const mls_text_table *table, const mls_text_row *row, size_t column, size_t offset,
                                 const char *what, mls_str text);
