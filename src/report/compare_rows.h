/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_rows.h - a table with a column for each side, and one for its difference from the baseline: its rows
 * (compare_rows.c), and those of the settings that differ (compare_settings.c).
 */
#ifndef MLS_REPORT_COMPARE_ROWS_H
#define MLS_REPORT_COMPARE_ROWS_H

#include "report/compare_show.h"
#include "report/table.h"

/* Sides beside the baseline that stand in one table. */
enum { MLS_SIDES_ABREAST = 4 };

/* Part of a block as it stands in one table: the baseline's group, and some of the others. */
typedef struct mls_abreast {
    const mls_block *block;
    size_t places[MLS_SIDES_ABREAST + 1]; /* in the block, the baseline's first */
    const mls_side_group *groups[MLS_SIDES_ABREAST + 1];
    const mls_difference *differences[MLS_SIDES_ABREAST + 1]; /* the first says nothing */
    size_t count;
    const char *names[MLS_SIDES_ABREAST + 1], *headers[MLS_SIDES_ABREAST + 1]; /* over the columns of both */
    const char *label;                                                         /* over the first column */
    mls_table table;
    mls_view *view;
    bool all;
} mls_abreast;

/* How much of a value, or of the name of a side, stands in a cell. */
enum { MLS_COMPARED_WIDTH = 24 };

/* Begins a table with `label` over its first column; adds a row, its cell below a side, or a line without cells. */
void mls_abreast_begin(mls_abreast *to, const char *label);
void mls_abreast_row(mls_abreast *to, const char *label);
void mls_abreast_cell(mls_abreast *to, size_t i, const char *text);
void mls_abreast_line(mls_abreast *to, mls_style style, const char *text);

/* Adds what differs beside the results, hyperparameters and environment, in a table of its own where there is room. */
void mls_abreast_show_setup(mls_abreast *to);

#endif
