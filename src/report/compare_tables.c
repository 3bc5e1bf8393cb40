/* SPDX-License-Identifier: Apache-2.0 */
/* compare_tables.c - groups beside the published results nearest to them; and minutes against accelerators. */
#include <math.h>

#include "report/compare_show.h"

/* Where a group stands, or would stand if it were published. */
static void append_ranks(mls_buffer *line, const mls_beside *beside)
{
    const mls_published_place *place = &beside->place;
    mls_buffer_append_text(line, place->itself ? ", rank " : ", would be ");
    if (place->ranked_alike > 0) {
        mls_buffer_printf(line, "%zu of %zu on as many, ", place->rank_alike, place->ranked_alike);
    }
    mls_buffer_printf(line, "%zu of %zu of all", place->rank, place->ranked);
    if (place->published > place->ranked) {
        mls_buffer_printf(line, " whose minutes are known (%zu are published)", place->published);
    }
}

static void show_yours(mls_view *view, const mls_beside *beside)
{
    const mls_side_group *group = beside->group;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "yours: %s min", mls_words_minutes(group->scaled_minutes).text);
    if (isfinite(group->accelerators)) {
        mls_buffer_printf(&line, " on %s x %s", mls_words_count(group->accelerators).text,
                          group->accelerator != NULL ? group->accelerator : "an unknown model");
    } else {
        mls_buffer_append_text(&line, "; how many accelerators is not known (--accelerators)");
    }
    append_ranks(&line, beside);
    mls_view_line(view, &line, MLS_STYLE_BOLD, 2, 6);
}

static void nearest_row(mls_table *table, const mls_published_near *near)
{
    const bool alike = near->ranked_alike > 0; /* of as many of the same accelerators */
    const mls_published_result *result = near->result;
    const mls_published_system *system = result->system;
    mls_table_row(table);
    mls_table_words(table, "published", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, mls_words_grouped(result->minutes, 3));
    mls_table_cell(table, "yours is", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%s%s",
                   near->self ? "this one" : mls_words_percent(fabs(near->ratio), 1).text,
                   near->self        ? ""
                   : near->ratio < 0 ? " faster"
                                     : " slower");
    if (alike) {
        mls_table_cell(table, "on as many", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%zu of %zu",
                       near->rank_alike, near->ranked_alike);
    } else {
        mls_table_words(table, "accelerators", MLS_COLUMN_RIGHT, mls_words_count(system->accelerators));
        mls_table_text(table, "model", MLS_COLUMN_LEFT, system->model.text[0] != '\0' ? system->model.text : NULL);
    }
    mls_table_words(table, "accelerator-min", MLS_COLUMN_RIGHT | MLS_COLUMN_DETAIL,
                    mls_words_grouped(result->accelerator_minutes, 0));
    mls_table_cell(table, alike ? "of all" : "rank", MLS_COLUMN_RIGHT | (alike ? MLS_COLUMN_DETAIL : 0),
                   MLS_STYLE_PLAIN, "%zu of %zu", result->rank, result->ranked);
    mls_table_text(table, "submitter", MLS_COLUMN_KEEP | MLS_COLUMN_CUT_LAST, system->submitter);
    mls_table_text(table, "system", MLS_COLUMN_CUT, system->system_id);
    mls_buffer why = {0};
    mls_published_append_why(&why, "", near->self ? NULL : near->why);
    if (why.len > 0 || why.failed) {
        mls_table_note(table, MLS_STYLE_DIM, "%s", mls_table_take(table, &why));
    }
}

void mls_nearest_show(mls_printer *to, const void *what)
{
    const mls_comparison *in = what;
    for (size_t i = 0; i < in->beside.count; i++) {
        const mls_beside *beside = &in->beside.items[i];
        const bool around = beside->around_count > 0;
        const mls_published_near *rows = around ? beside->around : beside->near;
        const char *round = rows->result->round;
        mls_table table = {.indent = 2};
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        mls_compare_show_heading(to->view, &beside->group, 1, false);
        mls_view_printf(to->view, MLS_STYLE_DIM, 2, 0, "%s", beside->group->path);
        /* An edition without results is compared with another one's. */
        if (!mls_str_equal(mls_compare_round(beside->group), mls_str_from(round))) {
            mls_view_printf(to->view, MLS_STYLE_WARN, 2, 6,
                            "no published score of this edition is known exactly; these are of %s", round);
        }
        show_yours(to->view, beside);
        if (!around && isfinite(beside->group->accelerators)) {
            mls_view_printf(to->view, MLS_STYLE_PLAIN, 2, 6,
                            "no published score on as many of the same is known exactly; the nearest:");
        }
        mls_view_gap(to->view);
        for (size_t k = 0; k < (around ? beside->around_count : beside->count); k++) {
            nearest_row(&table, &rows[k]);
        }
        mls_table_finish(&table, to->view);
    }
    mls_compare_show_rest(to->view, in, in->beside.count > 0);
}

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
        mls_table_words(&table, "measured min", NUMBER, mls_words_grouped(group->score_minutes, 3));
        mls_table_words(&table, "speedup", RIGHT, mls_words_grouped(point->speedup, 2));
        mls_table_cell(&table, "efficiency =", RIGHT, MLS_STYLE_BOLD, "%s",
                       mls_words_grouped(point->efficiency, 3).text);
        mls_table_words(&table, "algorithmic x", RIGHT, mls_words_grouped(point->algorithmic, 3));
        mls_table_words(&table, "system", RIGHT, mls_words_grouped(point->system, 3));
        mls_table_words(&table, "accelerator-min", RIGHT,
                        mls_words_grouped(group->score_minutes * group->accelerators, 0));
        mls_table_words(&table, "batch", RIGHT, mls_words_count(group->global_batch_size));
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
