/* SPDX-License-Identifier: Apache-2.0 */
/* scaling_show.c - minutes against accelerators. */
#include "report/compare_show.h"

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
        mls_table_words(&table, "accelerators", NUMBER, mls_words_count(group->accelerators));
        mls_table_words(&table, "batch", RIGHT, mls_words_count(group->global_batch_size));
        mls_table_words(&table, "measured min", NUMBER, mls_words_grouped(group->score_minutes, 3));
        mls_table_words(&table, "accelerator-min", RIGHT,
                        mls_words_grouped(group->score_minutes * group->accelerators, 0));
        mls_table_words(&table, "speedup", RIGHT, mls_words_grouped(point->speedup, 2));
        mls_table_cell(&table, "efficiency =", RIGHT, MLS_STYLE_BOLD, "%s",
                       mls_words_grouped(point->efficiency, 3).text);
        mls_table_words(&table, "algorithmic x", RIGHT, mls_words_grouped(point->algorithmic, 3));
        mls_table_words(&table, "system", RIGHT, mls_words_grouped(point->system, 3));
        mls_table_text(&table, "side", MLS_COLUMN_LEFT, group->side->name);
        mls_table_cell(&table, "path", MLS_COLUMN_CUT, MLS_STYLE_DIM, "%s", group->path);
    }
    mls_table_finish(&table, view);
}

void mls_scaling_show(mls_printer *to, const void *what)
{
    const mls_comparison *in = what;
    for (size_t i = 0; i < in->series.count; i++) {
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_series(to->view, &in->series.items[i]);
    }
    mls_compare_show_rest(to->view, in, in->series.count > 0);
}
