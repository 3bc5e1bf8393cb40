/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rcp_report.c - reference points: their fields, and the table for a person.
 */
#include "report/reports.h"

#include <math.h>

#include "mlscore/group.h"
#include "report/table.h"

/* Digits behind the point that suit all means of a table. */
static int decimals_of(const mls_rcp_point *points, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, points[i].bar.mean);
    }
    return largest >= 10000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 4;
}

static void show_points(mls_view *view, const mls_rcp_point *points, size_t count)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP };
    mls_table table = {.indent = 2};
    const int decimals = decimals_of(points, count);
    for (size_t i = 0; i < count; i++) {
        const mls_rcp_point *point = &points[i];
        const mls_style style = point->pruned ? MLS_STYLE_DIM : MLS_STYLE_PLAIN;
        const struct {
            const char *header;
            unsigned look;
            double number;
            int decimals;
        } cells[] = {
            {"batch", RIGHT | KEEP, point->global_batch_size, 0},  {"runs", RIGHT, (double)point->count, 0},
            {"mean", DECIMAL | KEEP, point->bar.mean, decimals},   {"stdev", DECIMAL, point->bar.stdev, decimals},
            {"limit", DECIMAL | KEEP, point->bar.limit, decimals}, {"max speedup", DECIMAL, point->bar.max_speedup, 4}};
        const char *const parts[] = {point->source, point->creator, point->platform, point->precision, point->when};
        mls_buffer from = {0};
        mls_table_row(&table);
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            mls_table_cell(&table, cells[k].header, cells[k].look, style, "%s",
                           mls_words_grouped(cells[k].number, cells[k].decimals).text);
        }
        mls_table_cell(&table, "used", KEEP, style, point->pruned ? "pruned" : "yes");
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            mls_buffer_printf(&from, "%s%s", from.len > 0 && parts[k][0] != '\0' ? ", " : "", parts[k]);
        }
        mls_table_cell(&table, "from", MLS_COLUMN_CUT, style, "%s", mls_table_take(&table, &from));
    }
    mls_table_finish(&table, view);
}

static void show_listings(mls_printer *to, const void *what)
{
    const mls_rcp_listings *listings = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < listings->count; i++) {
        const mls_rcp_listing *listing = &listings->items[i];
        const mls_benchmark *benchmark = listing->benchmark;
        const mls_rcp_point *points = listing->set->items;
        const size_t count = listing->set->count;
        const char *unit = count > 0 ? points[0].unit : "";
        mls_output_text(view->output, i > 0 ? "\n" : "");
        mls_view_text(view, MLS_STYLE_BOLD, "%s", benchmark->name);
        mls_view_text(view, MLS_STYLE_PLAIN, "  %s %s   %u runs, %u left out at each end%s%s",
                      mls_usage_name(listing->edition->usage), listing->edition->name, benchmark->runs_needed,
                      benchmark->left_out, unit[0] != '\0' ? "   " : "", unit);
        mls_output_text(view->output, count == 0 ? "\n  no reference points\n" : "\n");
        show_points(view, points, count);
        if (!isnan(listing->batch_size)) {
            const mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
            mls_buffer words = {0};
            mls_rcp_limit_describe(&limit, &words);
            mls_view_line(view, &words, MLS_STYLE_PLAIN, 2, 0);
        }
    }
}

#define BAR_FIELDS(F, kind)                                                                                            \
    F(kind, mean, NUMBER_OR_NULL, "", row->bar.mean)                                                                   \
    F(kind, stdev, NUMBER_OR_NULL, "", row->bar.stdev)                                                                 \
    F(kind, least_mean, NUMBER_OR_NULL, "", row->bar.least_mean)                                                       \
    F(kind, max_speedup, NUMBER_OR_NULL, "", row->bar.max_speedup)                                                     \
    F(kind, limit, NUMBER_OR_NULL, "", row->bar.limit)

#define POINT_FIELDS(F)                                                                                                \
    F(point, name, TEXT_OR_NULL, "", row->name)                                                                        \
    F(point, global_batch_size, NUMBER, "", row->global_batch_size)                                                    \
    F(point, unit, TEXT_OR_NULL, "", row->unit)                                                                        \
    F(point, to_converge, ARRAY, "", MLS_EMIT_LIST(to, row->count, mls_emit_number(to, row->to_converge[i])))          \
    BAR_FIELDS(F, point)                                                                                               \
    F(point, pruned, BOOL, "", row->pruned)                                                                            \
    F(point, precision, FILLED_OR_NULL, "", row->precision)                                                            \
    F(point, platform, FILLED_OR_NULL, "", row->platform)                                                              \
    F(point, creator, FILLED_OR_NULL, "", row->creator)                                                                \
    F(point, when, FILLED_OR_NULL, "", row->when)                                                                      \
    F(point, source, FILLED_OR_NULL, "", row->source)                                                                  \
    F(point, hyperparameters, FILLED_OR_NULL, "", row->hyperparameters)
MLS_FIELDS(point, mls_rcp_point, POINT_FIELDS)
#define POINT_CSV_FIELDS(F) F(point_csv, runs, NUMBER, "", row->count)
MLS_FIELDS(point_csv, mls_rcp_point, POINT_CSV_FIELDS)

#define LIMIT_FIELDS(F)                                                                                                \
    F(limit, global_batch_size, NUMBER, "", row->global_batch_size)                                                    \
    F(limit, match, TEXT, "", mls_rcp_match_name(row->match))                                                          \
    F(limit, lower_batch_size, NUMBER_OR_NULL, "", row->lower_batch_size)                                              \
    F(limit, upper_batch_size, NUMBER_OR_NULL, "", row->upper_batch_size)                                              \
    BAR_FIELDS(F, limit)
MLS_FIELDS(limit, mls_rcp_limit, LIMIT_FIELDS)
#define LIMIT_CSV_FIELDS(F) F(limit_csv, unit, TEXT_OR_NULL, "", row->unit)
MLS_FIELDS(limit_csv, mls_rcp_limit, LIMIT_CSV_FIELDS)

static void emit_limit(mls_emitter *to, const mls_rcp_listing *listing)
{
    const mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
    mls_emit_object(to, &limit_fields, isnan(listing->batch_size) ? NULL : &limit);
}

#define BENCHMARK_FIELDS(F)                                                                                            \
    F(benchmark, benchmark, TEXT, "", row->benchmark->name)                                                            \
    F(benchmark, usage, TEXT, "", mls_usage_name(row->edition->usage))                                                 \
    F(benchmark, edition, TEXT, "", row->edition->name)                                                                \
    F(benchmark, runs_needed, NUMBER, "", row->benchmark->runs_needed)                                                 \
    F(benchmark, left_out, NUMBER, "", row->benchmark->left_out)                                                       \
    F(benchmark, points, ARRAY, "", MLS_EMIT_ROWS(point, row->set->items, row->set->count))                            \
    F(benchmark, limit, OBJECT_OR_NULL, "", emit_limit(to, row))
MLS_FIELDS(benchmark, mls_rcp_listing, BENCHMARK_FIELDS)
#define LISTINGS_FIELDS(F) F(listings, benchmarks, ARRAY, "", MLS_EMIT_ROWS(benchmark, row->items, row->count))
MLS_FIELDS(listings, mls_rcp_listings, LISTINGS_FIELDS)
static const mls_fields *const tables[] = {&listings_fields, &benchmark_fields, &point_fields, &limit_fields, NULL};

/* A limit is not the point's: that of the benchmark would be found first. */
static const mls_columns point_columns = {
    "RCP CSV",
    "usage edition benchmark global_batch_size unit runs mean stdev least_mean max_speedup limit pruned name precision "
    "platform creator when source hyperparameters",
    {&point_csv_fields, &point_fields, &benchmark_fields},
    0};
static const mls_columns limit_columns = {"RCP BATCH CSV",
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
            mls_emit_row(to, &point_columns,
                         (const void *[]){&set->items[p], &set->items[p], &listings->items[i], NULL});
        }
    }
}

static void limit_rows(mls_emitter *to, const void *what)
{
    const mls_rcp_listings *listings = what;
    for (size_t i = 0; i < listings->count; i++) {
        const mls_rcp_limit limit = mls_rcp_set_limit(listings->items[i].set, listings->items[i].batch_size);
        mls_emit_row(to, &limit_columns, (const void *[]){&limit, &limit, &listings->items[i], NULL});
    }
}

const mls_report mls_rcp_report = {.section = "RCP JSON",
                                   .show = show_listings,
                                   .object = &listings_fields,
                                   .tables = tables,
                                   .columns = &point_columns,
                                   .rows = point_rows};
const mls_report mls_rcp_limit_report = {.section = "RCP JSON",
                                         .show = show_listings,
                                         .object = &listings_fields,
                                         .tables = tables,
                                         .columns = &limit_columns,
                                         .rows = limit_rows};
