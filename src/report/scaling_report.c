/* SPDX-License-Identifier: Apache-2.0 */
/* scaling_report.c - minutes against accelerators. */
#include "report/compare_report.h"
#include "report/table.h"

static void show_series(mls_view *view, const mls_scaling_series *series)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, NUMBER = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP };
    mls_table table = {.indent = 2};
    const mls_side_group **groups = mls_arena_array(&table.text, series->count, sizeof *groups);
    table.failed = groups == NULL;
    for (size_t i = 0; i < series->count && groups != NULL; i++) {
        groups[i] = series->points[i].group;
    }
    if (groups != NULL) {
        mls_compare_show_heading(view, groups, series->count, true);
    }
    for (size_t i = 0; i < series->count; i++) {
        const mls_scaling_point *point = &series->points[i];
        const mls_side_group *group = point->group;
        mls_table_row(&table);
        mls_table_cell(&table, "accelerators", NUMBER, MLS_STYLE_PLAIN, "%s",
                       mls_words_count(group->accelerators).text);
        mls_table_cell(&table, "batch", RIGHT, MLS_STYLE_PLAIN, "%s", mls_words_count(group->global_batch_size).text);
        mls_table_cell(&table, "measured min", NUMBER, MLS_STYLE_PLAIN, "%s",
                       mls_words_grouped(group->score_minutes, 3).text);
        mls_table_cell(&table, "accelerator-min", RIGHT, MLS_STYLE_PLAIN, "%s",
                       mls_words_grouped(group->score_minutes * group->accelerators, 0).text);
        mls_table_cell(&table, "speedup", RIGHT, MLS_STYLE_PLAIN, "%s", mls_words_grouped(point->speedup, 2).text);
        mls_table_cell(&table, "efficiency =", RIGHT, MLS_STYLE_BOLD, "%s",
                       mls_words_grouped(point->efficiency, 3).text);
        mls_table_cell(&table, "algorithmic x", RIGHT, MLS_STYLE_PLAIN, "%s",
                       mls_words_grouped(point->algorithmic, 3).text);
        mls_table_cell(&table, "system", RIGHT, MLS_STYLE_PLAIN, "%s", mls_words_grouped(point->system, 3).text);
        mls_table_cell(&table, "side", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%s", group->side->name);
        mls_table_cell(&table, "path", MLS_COLUMN_CUT, MLS_STYLE_DIM, "%s", group->path);
    }
    mls_table_finish(&table, view);
}

static void show_scaling(mls_printer *to, const void *what)
{
    const mls_comparison *in = what;
    for (size_t i = 0; i < in->series.count; i++) {
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_series(to->view, &in->series.items[i]);
    }
    mls_compare_show_rest(to->view, in, in->series.count > 0);
}

/* ------------------------------------------------------------ for programs */

#define POINT_FIELDS(F)                                                                                                \
    F(point, side, TEXT, "", row->group->side->name)                                                                   \
    F(point, path, TEXT, "", row->group->path)                                                                         \
    F(point, accelerators, NUMBER, "", row->group->accelerators)                                                       \
    F(point, minutes, NUMBER, "minutes", row->group->score_minutes)                                                    \
    F(point, accelerator_minutes, NUMBER, "minutes", row->group->score_minutes * row->group->accelerators)             \
    F(point, global_batch_size, NUMBER_OR_NULL, "", row->group->global_batch_size)                                     \
    F(point, to_converge, NUMBER_OR_NULL, "", row->group->to_converge)                                                 \
    F(point, unit, TEXT_OR_NULL, "", row->group->unit)                                                                 \
    F(point, speedup, NUMBER, "", row->speedup)                                                                        \
    F(point, efficiency, NUMBER, "", row->efficiency)                                                                  \
    F(point, algorithmic, NUMBER_OR_NULL, "", row->algorithmic)                                                        \
    F(point, system, NUMBER_OR_NULL, "", row->system)
MLS_FIELDS_AS(, mls_point_fields, point, mls_scaling_point, NULL, POINT_FIELDS)

#define SERIES_FIELDS(F)                                                                                               \
    F(series, usage, TEXT, "", mls_usage_name(row->points[0].group->usage))                                            \
    F(series, benchmark, TEXT_OR_NULL, "", row->points[0].group->benchmark)                                            \
    F(series, division, TEXT_OR_NULL, "", mls_division_name(row->points[0].group->division))                           \
    F(series, accelerator, TEXT_OR_NULL, "", row->points[0].group->accelerator)                                        \
    F(series, points, LIST(mls_point), "", MLS_ROWS(row->points, row->count))
MLS_FIELDS_AS(, mls_series_fields, series, mls_scaling_series, NULL, SERIES_FIELDS)

const mls_report mls_scaling_report = {
    .section = "COMPARE JSON",
    .show = show_scaling,
    .object = &mls_comparison_fields,
    .lines = "scaling",
    .columns = {.section = "SCALING CSV",
                .names = "usage benchmark division accelerator side path accelerators minutes accelerator_minutes "
                         "global_batch_size to_converge unit speedup efficiency algorithmic system",
                .rows = "scaling points",
                .sources = {&mls_series_fields, &mls_point_fields}}};
