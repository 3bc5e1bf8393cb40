/* SPDX-License-Identifier: Apache-2.0 */
/* scaling_report.c - minutes against accelerators for people, and what stands above and below every comparison. */
#include <math.h>
#include <string.h>

#include "report/compare_report.h"
#include "report/table.h"

enum { NUMBER = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, LINES_SHOWN = 6 };

void mls_compare_show_heading(mls_view *view, const mls_side_group *const *groups, size_t count, bool model)
{
    const mls_side_group *first = groups[0];
    const char *division = mls_division_name(first->division);
    const char *last = NULL;
    mls_buffer line = {0};
    bool changed = false;
    mls_buffer_printf(&line, "  %s  %s", division != NULL ? division : "no division", mls_usage_name(first->usage));
    for (size_t i = 0; i < count; i++) {
        const char *edition = groups[i]->edition;
        if (edition[0] != '\0' && (last == NULL || strcmp(edition, last) != 0)) {
            mls_buffer_printf(&line, "%s %s", last != NULL ? " and" : "", edition);
            changed |= last != NULL;
            last = edition;
        }
    }
    mls_buffer_append_text(&line, changed ? ": rules or targets may have changed" : "");
    if (model && first->accelerator != NULL) {
        mls_buffer_printf(&line, "   %s", first->accelerator);
    }
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, mls_str_from(first->benchmark != NULL ? first->benchmark : "unknown benchmark"), &line, 2);
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
}

/* What a run's file is called below the path of its group. */
static const char *file_below(const mls_side_group *group, const mls_side_run *run)
{
    const size_t len = strlen(group->path);
    return strncmp(run->file, group->path, len) == 0 && run->file[len] == '/' ? run->file + len + 1 : run->file;
}

void mls_compare_show_odd_runs(mls_view *view, const mls_block *block)
{
    const size_t most = view->verbose > 0 ? SIZE_MAX : LINES_SHOWN;
    size_t all = 0;
    for (size_t i = 0; i < block->outliers.count; i++) {
        const mls_outlier *outlier = &block->outliers.items[i];
        if (all++ < most) {
            mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "outlier of %s: %s took %s %% %s for %s than the median run",
                            outlier->group->side->name, file_below(outlier->group, outlier->run),
                            mls_words_fixed(fabs(outlier->ratio) * 100, 1).text, outlier->ratio > 0 ? "longer" : "less",
                            strcmp(outlier->run->unit, "epochs") == 0 ? "an epoch" : "a sample");
        }
    }
    for (size_t i = 0; i < block->group_count; i++) {
        const mls_side_group *group = block->groups[i];
        for (size_t k = 0; k < group->run_count; k++) {
            const mls_side_run *run = &group->runs[k];
            if (!run->valid && all++ < most) {
                mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "dropped from %s: %s%s%s", group->side->name,
                                file_below(group, run), run->reason != NULL ? ": " : "",
                                run->reason != NULL ? run->reason : "");
            }
        }
    }
    if (all > most) {
        mls_view_printf(view, MLS_STYLE_PLAIN, 2, 6, "and %zu more such runs (-v lists them)", all - most);
    }
}

void mls_compare_show_rest(mls_view *view, const mls_comparison *in, bool below)
{
    mls_output_text(view->output, below && in->unmatched.count > 0 ? "\n" : "");
    for (size_t i = 0; i < in->unmatched.count; i++) {
        const mls_side_group *group = in->unmatched.items[i].group;
        const char *division = mls_division_name(group->division);
        mls_view_printf(view, MLS_STYLE_PLAIN, 0, 4, "%s: %s  %s%s%s  %s: %s",
                        in->mode == MLS_COMPARE_SIDES ? "not compared" : "left out", group->side->name,
                        group->benchmark != NULL ? group->benchmark : "unknown benchmark", division != NULL ? "  " : "",
                        division != NULL ? division : "", group->path, in->unmatched.items[i].reason);
    }
    size_t skipped = 0;
    for (size_t i = 0; i < in->collection_count; i++) {
        skipped += in->collections[i].skipped.count - in->collections[i].failed;
        if (view->verbose > 0) {
            mls_collection_show_skipped(view, &in->collections[i]);
        }
    }
    if (skipped > 0 && view->verbose == 0 && !view->quiet) {
        mls_output_printf(view->output, "%sskipped %s (-v lists them)\n", below || in->unmatched.count > 0 ? "\n" : "",
                          mls_words_plural(skipped, "file", "files").text);
    }
}

static void show_series(mls_view *view, const mls_scaling_series *series)
{
    enum { RIGHT = MLS_COLUMN_RIGHT };
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
        mls_table_cell(&table, "minutes", NUMBER, MLS_STYLE_PLAIN, "%s",
                       mls_compare_decimals(group->score_minutes).text);
        mls_table_cell(&table, "accelerator-min", RIGHT, MLS_STYLE_PLAIN, "%s",
                       mls_words_grouped(group->score_minutes * group->accelerators, 0).text);
        mls_table_cell(&table, "speedup", RIGHT, MLS_STYLE_PLAIN, "%s", mls_words_grouped(point->speedup, 2).text);
        mls_table_cell(&table, "efficiency =", RIGHT, MLS_STYLE_BOLD, "%s",
                       mls_compare_decimals(point->efficiency).text);
        mls_table_cell(&table, "algorithmic x", RIGHT, MLS_STYLE_PLAIN, "%s",
                       mls_compare_decimals(point->algorithmic).text);
        mls_table_cell(&table, "system", RIGHT, MLS_STYLE_PLAIN, "%s", mls_compare_decimals(point->system).text);
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
MLS_FIELDS_AS(, mls_point_fields, point, mls_scaling_point, POINT_FIELDS)

#define SERIES_FIELDS(F)                                                                                               \
    F(series, usage, TEXT, "", mls_usage_name(row->points[0].group->usage))                                            \
    F(series, benchmark, TEXT_OR_NULL, "", row->points[0].group->benchmark)                                            \
    F(series, division, TEXT_OR_NULL, "", mls_division_name(row->points[0].group->division))                           \
    F(series, accelerator, TEXT_OR_NULL, "", row->points[0].group->accelerator)                                        \
    F(series, points, ARRAY, "", MLS_EMIT_ROWS(mls_point, row->points, row->count))
MLS_FIELDS_AS(, mls_series_fields, series, mls_scaling_series, SERIES_FIELDS)

static const mls_columns scaling_columns = {"SCALING CSV",
                                            "usage benchmark division accelerator side path accelerators minutes "
                                            "accelerator_minutes global_batch_size to_converge unit speedup efficiency "
                                            "algorithmic system",
                                            {&mls_series_fields, &mls_point_fields},
                                            0};

static void scaling_lines(mls_emitter *to, const void *what)
{
    const mls_comparison *in = what;
    MLS_EMIT_LINES(mls_series, in->series.items, in->series.count);
}

static void scaling_rows(mls_emitter *to, const void *what)
{
    const mls_comparison *in = what;
    for (size_t i = 0; i < in->series.count; i++) {
        const mls_scaling_series *series = &in->series.items[i];
        for (size_t k = 0; k < series->count; k++) {
            mls_emit_row(to, &scaling_columns, (const void *[MLS_SOURCES_MAX]){series, &series->points[k]});
        }
    }
}

const mls_report mls_scaling_report = {.section = "COMPARE JSON",
                                       .show = show_scaling,
                                       .object = &mls_comparison_fields,
                                       .lines = scaling_lines,
                                       .columns = &scaling_columns,
                                       .rows = scaling_rows};
