/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the rows of CSV and the lines of NDJSON: the lists that lead to them, and the tables of fields that their
 * cells are from.  The path depends only on names and is found once for all that is printed. */
#pragma once

#include "report/fields.h"

enum { MLS_SOURCES_MAX = 6, MLS_LEVELS_MAX = 6, MLS_CELLS_MAX = 64 };

/* The columns of a CSV in their order.  Each is the first field of its name in `sources`: tables of the printed object,
 * of rows on the path to those of the CSV, or beside one of them. */
typedef struct mls_columns {
    const char *section; /* of mlscore-formats(5) */
    const char *before;  /* names of the first columns, which another section documents; NULL: none */
    const char *names;   /* separated by blanks */
    const char *rows; /* the lists and objects that lead to a row: "groups runs"; NULL: the printed object is the row */
    const mls_fields *sources[MLS_SOURCES_MAX];
    const mls_fields *root; /* fields of the printed object if there is no JSON; NULL: those of JSON */
    bool outer;             /* an empty list has a row too, with empty cells */
    /* Write further cells of a row (mls_emitter_row()), or their names; NULL: none. */
    void (*more)(mls_emitter *to, const void *what, bool names);
    const char *after; /* names of the last columns; NULL: none */
} mls_columns;

/* A field, and the level of its row: 0 is the printed object. */
typedef struct mls_placed_field {
    mls_str name;
    const mls_field *field; /* NULL: not found */
    unsigned level;
} mls_placed_field;

/* The path from the printed object to the rows of its CSV; borrows the columns. */
typedef struct mls_walk {
    const mls_columns *columns;
    const mls_fields *tables[MLS_LEVELS_MAX]; /* fields of the rows of each level */
    const void *rows[MLS_LEVELS_MAX];         /* 0: the printed object */
    mls_placed_field steps[MLS_LEVELS_MAX];   /* from each level to the next */
    mls_placed_field cells[MLS_CELLS_MAX];
    size_t cell_count;
    size_t own;     /* the first cell after `before` */
    size_t after;   /* the first cell of `after` */
    unsigned last;  /* the level of the innermost rows */
    unsigned level; /* of the current row */
    bool visited;   /* a row of the last level was written */
    bool named;     /* the names were written */
} mls_walk;

/* Find the path to the rows of a CSV from an object with the fields `root`. */
mls_walk mls_walk_of(const mls_columns *columns, const mls_fields *root);

/* Write the line of names, unless it depends on the rows (`more`); write the rows of an object. */
void mls_walk_begin(mls_walk *walk, mls_emitter *to);
void mls_walk_rows(mls_walk *walk, mls_emitter *to, const void *what);

/* Write a line of JSON for each row of some lists or objects, such as "profiles against", of an object. */
void mls_walk_lines(mls_walk *walk, mls_emitter *to, const char *lists, const void *what);

/* Return the current row of a table; NULL: none. */
const void *mls_emitter_row(const mls_emitter *to, const mls_fields *fields);

/* Print the columns for the documentation: section, name and type. */
void mls_walk_print(const mls_walk *walk, mls_output *output);
