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
    MLS_TABLE_MARKED = 4  /* drop a ' before a cell, which keeps spreadsheets from reading it as a formula */
};

typedef struct mls_text_table {
    const char *what; /* "a table of reference points", for messages */
    const mls_row_member *members;
    size_t count; /* number of members */
    unsigned options;
    bool bars;        /* cells are separated by bars instead of CSV */
    mls_str text;     /* the whole text, to compute positions for messages */
    mls_arena *arena; /* for texts */
    mls_error *error;
    /* take_heading (may be NULL) is called for the heading; take_row for each row, after its cells were stored in
     * `into`. */
    mls_text_row_function take_heading, take_row;
    /* Called with the error of a wrong row, which is then skipped.  NULL: the first error ends reading. */
    mls_status (*leave_out)(void *state, const mls_error *wrong);
    void *state;
    void *into;
    /* Set by reading the heading: */
    size_t columns;                   /* 0: heading not read yet */
    size_t at[MLS_TABLE_MEMBERS_MAX]; /* column of each member, from 1; 0: absent */
} mls_text_table;

/* Read all rows.  Return MLS_OK, MLS_ERROR_SYNTAX or _VALUE with a position, _LIMIT, or what a callback returned.  An
 * empty text is an error. */
mls_status mls_text_table_read(mls_text_table *table) MLS_MUST_USE;

/* The two steps of mls_text_table_read(), for tables with several headings: find the columns; store the cells of a row
 * in a struct. */
mls_status mls_text_table_heading(mls_text_table *table, const mls_text_row *row) MLS_MUST_USE;
mls_status mls_text_table_row(const mls_text_table *table, const mls_text_row *row, void *into) MLS_MUST_USE;

/* Return the text of the cell in a column (from 1) without its leading ', or "" if the row does not have that column.
 */
mls_str mls_text_table_cell(const mls_text_table *table, const mls_text_row *row, size_t column);

/* Set the error "what: 'text'", or only `what` if the text is empty, at byte `offset` of the cell in a column (from 1).
 * Return MLS_ERROR_VALUE. */
mls_status mls_text_table_refuse(const mls_text_table *table, const mls_text_row *row, size_t column, size_t offset,
                                 const char *what, mls_str text);
