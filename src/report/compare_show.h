/* SPDX-License-Identifier: Apache-2.0 */
/* compare_show.h - comparisons for people, of three kinds, and what compare_report.c asks of them. */
#pragma once

#include "report/reports.h"
#include "term/table.h"

/* Sides against the baseline; groups beside published results; sizes. */
void mls_comparison_show(mls_printer *to, const void *what);
void mls_nearest_show(mls_printer *to, const void *what);
void mls_scaling_show(mls_printer *to, const void *what);

/* Of every comparison (compare_lines.c): what heads a block (`model`: with the accelerator of the first), the runs that
 * stand out and those that were dropped with their reason, and below all (`below`: there is something above) the groups
 * that met nothing and the files that were skipped. */
void mls_compare_show_heading(mls_view *view, const mls_side_group *const *groups, size_t count, bool model);
void mls_compare_show_odd_runs(mls_view *view, const mls_block *block);
void mls_compare_show_rest(mls_view *view, const mls_comparison *in, bool below);

/* Append "b200 is slower"; and "+27.1 %   95 %: +0.047 … +0.864", as far as it is known. */
void mls_compare_append_verdict(mls_buffer *words, const mls_difference *difference);
void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference);

/* Means of the kept runs; NAN: not known.  Where evaluation is not delimited it counts as training. */
double mls_compare_part(const mls_side_group *group, mls_part part);

/* How many samples/s, or epochs/h, are trained where all that it takes is done in some milliseconds. */
bool mls_compare_epochs(const mls_side_group *group);

/* What a group converges in, or its rate: "samples to converge", "epochs/h in training". */
mls_words mls_compare_label(const mls_side_group *group, mls_share share);
double mls_compare_rate(const mls_side_group *group, double ms);

/* The round that a group's edition is of: "5.1" of "5.1.0".  Its bytes are the group's. */
mls_str mls_compare_round(const mls_side_group *group);

/* Sides beside the baseline that stand in one table. */
enum { MLS_SIDES_ABREAST = 4 };

/* Part of a block as it stands in one table: the baseline's group, and some of the others, with a column for each side
 * and one for its difference from the baseline (compare_rows.c). */
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

/* How much of a value, where there is no more room, or of the name of a side, stands in a cell. */
enum { MLS_COMPARED_WIDTH = 24 };

/* Begins a table with `label` over its first column; adds a row, its cell below a side, or a line without cells. */
void mls_abreast_begin(mls_abreast *to, const char *label);
void mls_abreast_row(mls_abreast *to, const char *label);
void mls_abreast_cell(mls_abreast *to, size_t i, const char *text);
void mls_abreast_line(mls_abreast *to, mls_style style, const char *text);

/* Adds a line of names, where there are any; whether there are.  Takes what the buffer holds. */
bool mls_abreast_names(mls_abreast *to, mls_style style, mls_buffer *names);

/* Adds what differs beside the results, hyperparameters and environment, in a table of its own where there is room. */
void mls_abreast_show_setup(mls_abreast *to);
