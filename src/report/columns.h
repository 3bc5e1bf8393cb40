/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the rows of a CSV, and the lines of NDJSON: which lists of the tables of fields lead to them, and of what
 * tables their cells are.  Names alone decide, so that the way is found once for all that is printed. */
#pragma once

#include "report/fields.h"

enum { MLS_SOURCES_MAX = 6, MLS_LEVELS_MAX = 6, MLS_CELLS_MAX = 64 };

/* The columns of a CSV in their order, each the first field of its name in the tables of `sources`: these are of what
 * is printed, of rows on the way to those of the CSV, or beside one of them. */
typedef struct mls_columns {
    const char *section; /* of mlscore-formats(5) */
    const char *before;  /* names of columns that another section has, which come first; NULL: none */
    const char *names;   /* separated by blanks */
    const char *rows;    /* the lists, and objects, that lead to a row: "groups runs"; NULL: what is printed is one */
    const mls_fields *sources[MLS_SOURCES_MAX];
    const mls_fields *root; /* of what is printed, where JSON is not offered; NULL: the fields of JSON */
    bool outer;             /* what lists nothing has a row too, with cells that are empty */
    /* Writes the cells after these, of a row (mls_emitter_row()), or their names; NULL: there are none. */
    void (*more)(mls_emitter *to, const void *what, bool names);
    const char *after; /* names of columns behind all others; NULL: none */
} mls_columns;

/* A field, and the level of the row that it is of: 0 is what is printed. */
typedef struct mls_placed_field {
    mls_str name;
    const mls_field *field; /* NULL: none has the name */
    unsigned level;
} mls_placed_field;

/* The way from what is printed to the rows of its CSV; borrows the columns. */
typedef struct mls_walk {
    const mls_columns *columns;
    const mls_fields *tables[MLS_LEVELS_MAX]; /* of the rows of each level */
    const void *rows[MLS_LEVELS_MAX];         /* 0: what is printed */
    mls_placed_field steps[MLS_LEVELS_MAX];   /* from each level to the next */
    mls_placed_field cells[MLS_CELLS_MAX];
    size_t cell_count;
    size_t own;     /* the first cell that no other section has */
    size_t after;   /* the first behind all others */
    unsigned last;  /* the level of the innermost rows */
    unsigned level; /* of the row that is visited */
    bool visited;   /* a row of the last level */
    bool named;     /* the names were written */
} mls_walk;

/* Finds the way to the rows of a CSV (without columns: there is none), of which `root` is the table of what is printed.
 */
mls_walk mls_walk_of(const mls_columns *columns, const mls_fields *root);

/* Writes the line of names, unless cells that depend on what is printed follow it; and the rows of one thing. */
void mls_walk_begin(mls_walk *walk, mls_emitter *to);
void mls_walk_rows(mls_walk *walk, mls_emitter *to, const void *what);

/* Writes a line of JSON for each row of some lists or objects, "profiles against", of one thing. */
void mls_walk_lines(mls_walk *walk, mls_emitter *to, const char *lists, const void *what);

/* The row of a table that is being written; NULL: there is none. */
const void *mls_emitter_row(const mls_emitter *to, const mls_fields *fields);

/* Prints the columns for the documentation: section, name and type. */
void mls_walk_print(const mls_walk *walk, mls_output *output);
