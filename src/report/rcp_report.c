/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_report.c - reference points: their fields, and the table for a person.
 */
#include "report/reports.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "mlscore/group.h"
#include "report/table.h"

enum { COLUMN_BATCH, COLUMN_RUNS, COLUMN_MEAN, COLUMN_STDEV, COLUMN_LIMIT, COLUMN_SPEEDUP, COLUMN_USED, COLUMN_FROM };

static const mls_column columns[] = {
    [COLUMN_BATCH] = {"batch", MLS_ALIGN_RIGHT, true, false},
    [COLUMN_RUNS] = {"runs", MLS_ALIGN_RIGHT, false, false},
    [COLUMN_MEAN] = {"mean", MLS_ALIGN_DECIMAL, true, false},
    [COLUMN_STDEV] = {"stdev", MLS_ALIGN_DECIMAL, false, false},
    [COLUMN_LIMIT] = {"limit", MLS_ALIGN_DECIMAL, true, false},
    [COLUMN_SPEEDUP] = {"max speedup", MLS_ALIGN_DECIMAL, false, false},
    [COLUMN_USED] = {"used", MLS_ALIGN_LEFT, true, false},
    [COLUMN_FROM] = {"from", MLS_ALIGN_LEFT, false, true},
};

static void number_cell(mls_table *table, size_t column, mls_style style, double number, int decimals)
{
    mls_buffer text = {0};
    mls_number_append_grouped(&text, number, decimals);
    mls_table_text(table, column, style, &text);
}

/* Digits behind the point that suit all means of a table. */
static int decimals_of(const mls_rcp_point *points, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, points[i].bar.mean);
    }
    return largest >= 10000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 4;
}

/* Who made a point, when and on what; a user's point is from a file. */
static void from_cell(mls_table *table, mls_style style, const mls_rcp_point *point)
{
    mls_buffer text = {0};
    const char *const parts[] = {point->source, point->creator, point->platform, point->precision, point->when};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i][0] != '\0') {
            mls_buffer_append_text(&text, text.len > 0 ? ", " : "");
            mls_buffer_append_text(&text, parts[i]);
        }
    }
    mls_table_text(table, COLUMN_FROM, style, &text);
}

static void show_heading(mls_view *view, const mls_rcp_listing *listing, const char *unit)
{
    mls_style_begin(view->output, MLS_STYLE_BOLD, view->color);
    mls_output_text(view->output, listing->benchmark->name);
    mls_style_end(view->output, MLS_STYLE_BOLD, view->color);
    mls_output_printf(view->output, "  %s %s   %u runs, %u left out at each end%s",
                      mls_usage_name(listing->edition->usage), listing->edition->name, listing->benchmark->runs_needed,
                      listing->benchmark->left_out, unit[0] != '\0' ? "   " : "");
    mls_output_escaped(view->output, mls_str_from(unit));
    mls_output_text(view->output, "\n");
}

static void show_points(mls_view *view, const mls_rcp_point *points, size_t count)
{
    mls_table table;
    mls_table_init(&table, columns, sizeof columns / sizeof columns[0], 2);
    int decimals = decimals_of(points, count);
    for (size_t i = 0; i < count; i++) {
        const mls_rcp_point *point = &points[i];
        mls_style style = point->pruned ? MLS_STYLE_DIM : MLS_STYLE_PLAIN;
        (void)mls_table_row(&table);
        number_cell(&table, COLUMN_BATCH, style, point->global_batch_size, 0);
        number_cell(&table, COLUMN_RUNS, style, (double)point->count, 0);
        number_cell(&table, COLUMN_MEAN, style, point->bar.mean, decimals);
        number_cell(&table, COLUMN_STDEV, style, point->bar.stdev, decimals);
        number_cell(&table, COLUMN_LIMIT, style, point->bar.limit, decimals);
        number_cell(&table, COLUMN_SPEEDUP, style, point->bar.max_speedup, 4);
        mls_table_cell(&table, COLUMN_USED, style, point->pruned ? "pruned" : "yes");
        from_cell(&table, style, point);
    }
    mls_table_finish(&table, view);
}

static void show_listings(mls_printer *to, const void *what)
{
    const mls_rcp_listings *listings = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < listings->count; i++) {
        const mls_rcp_listing *listing = &listings->items[i];
        const mls_rcp_point *points = listing->set->items;
        const size_t count = listing->set->count;
        mls_output_text(view->output, i > 0 ? "\n" : "");
        show_heading(view, listing, count > 0 ? points[0].unit : "");
        mls_output_text(view->output, count == 0 ? "  no reference points\n" : "");
        show_points(view, points, count);
        if (!isnan(listing->batch_size)) {
            const mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
            mls_buffer words = {0};
            mls_view whole = *view;
            whole.width = 0;
            mls_rcp_limit_describe(&limit, &words);
            mls_view_line(&whole, &words, MLS_STYLE_PLAIN, 2, 2);
        }
    }
}

/* ------------------------------------------------------------- for programs */

typedef mls_rcp_point point_row, point_csv_row;
#define POINT_FIELDS(F)                                                                                                \
    F(point, name, TEXT_OR_NULL, 0, "", row->name)                                                                     \
    F(point, global_batch_size, NUMBER, 0, "", row->global_batch_size)                                                 \
    F(point, unit, TEXT_OR_NULL, 0, "", row->unit)                                                                     \
    F(point, to_converge, ARRAY, 0, "", MLS_EMIT_LIST(to, row->count, mls_emit_number(to, row->to_converge[i])))       \
    F(point, mean, NUMBER_OR_NULL, 0, "", row->bar.mean)                                                               \
    F(point, stdev, NUMBER_OR_NULL, 0, "", row->bar.stdev)                                                             \
    F(point, least_mean, NUMBER_OR_NULL, 0, "", row->bar.least_mean)                                                   \
    F(point, max_speedup, NUMBER_OR_NULL, 0, "", row->bar.max_speedup)                                                 \
    F(point, limit, NUMBER_OR_NULL, 0, "", row->bar.limit)                                                             \
    F(point, pruned, BOOL, 0, "", row->pruned)                                                                         \
    F(point, precision, FILLED_OR_NULL, 0, "", row->precision)                                                         \
    F(point, platform, FILLED_OR_NULL, 0, "", row->platform)                                                           \
    F(point, creator, FILLED_OR_NULL, 0, "", row->creator)                                                             \
    F(point, when, FILLED_OR_NULL, 0, "", row->when)                                                                   \
    F(point, source, FILLED_OR_NULL, 0, "", row->source)                                                               \
    F(point, hyperparameters, FILLED_OR_NULL, 0, "", row->hyperparameters)
MLS_FIELDS(point, "RCP JSON", POINT_FIELDS)
#define POINT_CSV_FIELDS(F) F(point_csv, runs, NUMBER, 0, "", row->count)
MLS_FIELDS(point_csv, "", POINT_CSV_FIELDS)

typedef mls_rcp_limit limit_row, limit_csv_row;
#define LIMIT_FIELDS(F)                                                                                                \
    F(limit, global_batch_size, NUMBER, 0, "", row->global_batch_size)                                                 \
    F(limit, match, TEXT, 0, "", mls_rcp_match_name(row->match))                                                       \
    F(limit, lower_batch_size, NUMBER_OR_NULL, 0, "", row->lower_batch_size)                                           \
    F(limit, upper_batch_size, NUMBER_OR_NULL, 0, "", row->upper_batch_size)                                           \
    F(limit, mean, NUMBER_OR_NULL, 0, "", row->bar.mean)                                                               \
    F(limit, stdev, NUMBER_OR_NULL, 0, "", row->bar.stdev)                                                             \
    F(limit, least_mean, NUMBER_OR_NULL, 0, "", row->bar.least_mean)                                                   \
    F(limit, max_speedup, NUMBER_OR_NULL, 0, "", row->bar.max_speedup)                                                 \
    F(limit, limit, NUMBER_OR_NULL, 0, "", row->bar.limit)
MLS_FIELDS(limit, "RCP JSON", LIMIT_FIELDS)
#define LIMIT_CSV_FIELDS(F) F(limit_csv, unit, TEXT_OR_NULL, 0, "", row->unit)
MLS_FIELDS(limit_csv, "", LIMIT_CSV_FIELDS)

static void emit_limit(mls_emitter *to, const mls_rcp_listing *listing)
{
    const mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
    mls_emit_object(to, &limit_fields, isnan(listing->batch_size) ? NULL : &limit);
}

typedef mls_rcp_listing benchmark_row;
#define BENCHMARK_FIELDS(F)                                                                                            \
    F(benchmark, benchmark, TEXT, 0, "", row->benchmark->name)                                                         \
    F(benchmark, usage, TEXT, 0, "", mls_usage_name(row->edition->usage))                                              \
    F(benchmark, edition, TEXT, 0, "", row->edition->name)                                                             \
    F(benchmark, runs_needed, NUMBER, 0, "", row->benchmark->runs_needed)                                              \
    F(benchmark, left_out, NUMBER, 0, "", row->benchmark->left_out)                                                    \
    F(benchmark, points, ARRAY, 0, "",                                                                                 \
      MLS_EMIT_LIST(to, row->set->count, mls_emit_object(to, &point_fields, &row->set->items[i])))                     \
    F(benchmark, limit, OBJECT_OR_NULL, 0, "", emit_limit(to, row))
MLS_FIELDS(benchmark, "RCP JSON", BENCHMARK_FIELDS)

typedef mls_rcp_listings listings_row;
#define LISTINGS_FIELDS(F)                                                                                             \
    F(listings, benchmarks, ARRAY, 0, "",                                                                              \
      MLS_EMIT_LIST(to, row->count, mls_emit_object(to, &benchmark_fields, &row->items[i])))
MLS_FIELDS(listings, "RCP JSON", LISTINGS_FIELDS)
const mls_fields *const mls_rcp_tables[] = {&listings_fields, &benchmark_fields, &point_fields, &limit_fields, NULL};

/* A limit is not the point's: that of the benchmark would be found first. */
const mls_columns mls_rcp_columns = {"RCP CSV",
                                     "usage edition benchmark global_batch_size unit runs mean stdev least_mean "
                                     "max_speedup limit pruned name precision platform creator when source "
                                     "hyperparameters",
                                     {&point_csv_fields, &point_fields, &benchmark_fields},
                                     0};
const mls_columns mls_rcp_limit_columns = {"RCP BATCH CSV",
                                           "usage edition benchmark global_batch_size unit match lower_batch_size "
                                           "upper_batch_size mean stdev least_mean max_speedup limit",
                                           {&limit_csv_fields, &limit_fields, &benchmark_fields},
                                           0};

static void point_rows(mls_emitter *to, const void *what)
{
    const mls_rcp_listings *listings = what;
    for (size_t i = 0; i < listings->count; i++) {
        const mls_rcp_set *set = listings->items[i].set;
        for (size_t p = 0; p < set->count; p++) {
            const mls_rcp_point *point = &set->items[p];
            mls_emit_row(to, &mls_rcp_columns, (const void *[MLS_SOURCES_MAX]){point, point, &listings->items[i]});
        }
    }
}

static void limit_rows(mls_emitter *to, const void *what)
{
    const mls_rcp_listings *listings = what;
    for (size_t i = 0; i < listings->count; i++) {
        const mls_rcp_limit limit = mls_rcp_set_limit(listings->items[i].set, listings->items[i].batch_size);
        mls_emit_row(to, &mls_rcp_limit_columns, (const void *[MLS_SOURCES_MAX]){&limit, &limit, &listings->items[i]});
    }
}

const mls_report mls_rcp_report = {.command = "rcp",
                                   .show = show_listings,
                                   .object = &listings_fields,
                                   .columns = &mls_rcp_columns,
                                   .rows = point_rows};
const mls_report mls_rcp_limit_report = {.command = "rcp",
                                         .show = show_listings,
                                         .object = &listings_fields,
                                         .columns = &mls_rcp_limit_columns,
                                         .rows = limit_rows};
