/* SPDX-License-Identifier: Apache-2.0 */
/* text_table.h - a text that is a table with a heading, row by row into a struct, by a table of its members.
 *
 * The first row names the columns; a member without a column, or with an empty cell, has none of its kind. */
#pragma once

#include "base/rows.h"
#include "json/member.h"

enum { MLS_TABLE_MEMBERS_MAX = 48 };

/* Options of a table. */
enum {
    MLS_TABLE_EXACT = 1,  /* no columns without a member */
    MLS_TABLE_RAGGED = 2, /* rows with more or fewer cells than the heading; those of needed columns must be there */
    MLS_TABLE_MARKED = 4  /* a ' before a cell, which keeps a spreadsheet from taking it for a formula */
};

typedef struct mls_text_table {
    const char *what; /* "a table of reference points": for messages */
    const mls_row_member *members;
    size_t count; /* of members */
    unsigned options;
    bool bars;        /* cells stand between bars: it is not CSV */
    mls_str text;     /* all of it, for places in messages */
    mls_arena *arena; /* of texts */
    mls_error *error;
    /* Called for the heading (NULL: nothing is), and for each row after it has been put `into` a struct. */
    mls_text_row_function take_heading, take_row;
    /* Called with what is wrong of a row below the heading, which is then left out; NULL: the first such ends it. */
    mls_status (*leave_out)(void *state, const mls_error *wrong);
    void *state;
    void *into;
    /* Found in the heading: */
    size_t columns;                   /* 0: it has not come yet */
    size_t at[MLS_TABLE_MEMBERS_MAX]; /* the column of a member, from 1; 0: absent */
} mls_text_table;

/* Reads all rows.  MLS_ERROR_SYNTAX or _VALUE with a place, _LIMIT, or what a function returned.  An empty
 * text is an error too. */
mls_status mls_text_table_read(mls_text_table *table) MLS_MUST_USE;

/* The two steps of it, for a table with several headings: finds the columns; puts the cells of a row into a struct. */
mls_status mls_text_table_heading(mls_text_table *table, const mls_text_row *row) MLS_MUST_USE;
mls_status mls_text_table_row(const mls_text_table *table, const mls_text_row *row, void *into) MLS_MUST_USE;

/* The text of a cell, without its mark; "": the row has no such column (from 1), or nothing in it. */
mls_str mls_text_table_cell(const mls_text_table *table, const mls_text_row *row, size_t column);

/* MLS_ERROR_VALUE at a column (from 1) of a row, `offset` bytes into its cell: "what: 'text'", or what is wrong alone
 * where the text is empty. */
mls_status mls_text_table_refuse(const mls_text_table *table, const mls_text_row *row, size_t column, size_t offset,
                                 const char *what, mls_str text);
