/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rcp_report.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "mlscore/olympic.h"
#include "report/csv.h"
#include "report/json.h"
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
    table->failed |= text.failed;
    mls_table_cell(table, column, style, "%s", text.failed ? "" : text.ptr);
    mls_buffer_release(&text);
}

/* Digits behind the point that suit all means of a table. */
static int decimals_of(const mls_rcp_point *points, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, points[i].mean);
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
    table->failed |= text.failed;
    mls_table_cell(table, COLUMN_FROM, style, "%s", text.len == 0 || text.failed ? "" : text.ptr);
    mls_buffer_release(&text);
}

static void print_heading(const mls_rcp_listing *listing, const char *unit, bool color, mls_output *output)
{
    mls_style_begin(output, MLS_STYLE_BOLD, color);
    mls_output_text(output, listing->benchmark->name);
    mls_style_end(output, MLS_STYLE_BOLD, color);
    mls_output_printf(output, "  %s %s   %u runs, %u left out at each end", mls_usage_name(listing->edition->usage),
                      listing->edition->name, listing->benchmark->runs_needed, listing->benchmark->left_out);
    if (unit[0] != '\0') {
        mls_output_text(output, "   ");
        mls_output_escaped(output, mls_str_from(unit));
    }
    mls_output_text(output, "\n");
}

static bool print_points(const mls_rcp_point *points, size_t count, size_t width, bool color, mls_output *output)
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
        number_cell(&table, COLUMN_MEAN, style, point->mean, decimals);
        number_cell(&table, COLUMN_STDEV, style, point->stdev, decimals);
        number_cell(&table, COLUMN_LIMIT, style, point->limit, decimals);
        number_cell(&table, COLUMN_SPEEDUP, style, point->max_speedup, 4);
        mls_table_cell(&table, COLUMN_USED, style, point->pruned ? "pruned" : "yes");
        from_cell(&table, style, point);
    }
    mls_table_print(&table, output, width, color);
    bool complete = !table.failed;
    mls_table_release(&table);
    return complete;
}

static bool print_limit(const mls_rcp_limit *limit, mls_output *output)
{
    mls_buffer words = {0};
    mls_rcp_limit_describe(limit, &words);
    if (!words.failed) {
        mls_output_text(output, "  ");
        mls_output_escaped(output, mls_buffer_str(&words));
        mls_output_text(output, "\n");
    }
    bool complete = !words.failed;
    mls_buffer_release(&words);
    return complete;
}

bool mls_report_rcp_table(const mls_rcp_listing *listings, size_t count, size_t width, bool color, mls_output *output)
{
    bool complete = true;
    for (size_t i = 0; i < count && complete; i++) {
        size_t point_count;
        const mls_rcp_point *points = mls_rcp_set_points(listings[i].set, &point_count);
        mls_output_text(output, i > 0 ? "\n" : "");
        print_heading(&listings[i], point_count > 0 ? points[0].unit : "", color, output);
        if (point_count == 0) {
            mls_output_text(output, "  no reference points\n");
        }
        complete = print_points(points, point_count, width, color, output);
        if (complete && !isnan(listings[i].batch_size)) {
            mls_rcp_limit limit = mls_rcp_set_limit(listings[i].set, listings[i].batch_size);
            complete = print_limit(&limit, output);
        }
    }
    return complete;
}

/* ---- for programs */

static void csv_benchmark(mls_csv *csv, const mls_rcp_listing *listing)
{
    mls_csv_text(csv, mls_usage_name(listing->edition->usage));
    mls_csv_text(csv, listing->edition->name);
    mls_csv_text(csv, listing->benchmark->name);
}

static void csv_limit(mls_csv *csv, const mls_rcp_listing *listing)
{
    mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
    csv_benchmark(csv, listing);
    mls_csv_number(csv, limit.global_batch_size);
    mls_csv_text(csv, limit.unit);
    mls_csv_text(csv, mls_rcp_match_name(limit.match));
    mls_csv_number(csv, limit.lower_batch_size);
    mls_csv_number(csv, limit.upper_batch_size);
    mls_csv_number(csv, limit.mean);
    mls_csv_number(csv, limit.stdev);
    mls_csv_number(csv, limit.least_mean);
    mls_csv_number(csv, limit.max_speedup);
    mls_csv_number(csv, limit.limit);
    mls_csv_end_row(csv);
}

static void csv_point(mls_csv *csv, const mls_rcp_listing *listing, const mls_rcp_point *point)
{
    csv_benchmark(csv, listing);
    mls_csv_number(csv, point->global_batch_size);
    mls_csv_text(csv, point->unit);
    mls_csv_number(csv, (double)point->count);
    mls_csv_number(csv, point->mean);
    mls_csv_number(csv, point->stdev);
    mls_csv_number(csv, point->least_mean);
    mls_csv_number(csv, point->max_speedup);
    mls_csv_number(csv, point->limit);
    mls_csv_bool(csv, point->pruned);
    const char *const texts[] = {point->name, point->precision, point->platform,       point->creator,
                                 point->when, point->source,    point->hyperparameters};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        mls_csv_text(csv, texts[i]);
    }
    mls_csv_end_row(csv);
}

bool mls_report_rcp_csv(const mls_rcp_listing *listings, size_t count, mls_output *output)
{
    mls_csv csv = {.output = output};
    bool limits = count > 0 && !isnan(listings[0].batch_size);
    mls_csv_header(&csv, limits ? "usage edition benchmark global_batch_size unit match lower_batch_size "
                                  "upper_batch_size mean stdev least_mean max_speedup limit"
                                : "usage edition benchmark global_batch_size unit runs mean stdev least_mean "
                                  "max_speedup limit pruned name precision platform creator when source "
                                  "hyperparameters");
    for (size_t i = 0; i < count; i++) {
        if (limits) {
            csv_limit(&csv, &listings[i]);
            continue;
        }
        size_t point_count;
        const mls_rcp_point *points = mls_rcp_set_points(listings[i].set, &point_count);
        for (size_t p = 0; p < point_count; p++) {
            csv_point(&csv, &listings[i], &points[p]);
        }
    }
    return !csv.failed;
}

static cJSON *json_point(mls_json *json, const mls_rcp_point *point)
{
    cJSON *object = mls_json_object(json);
    mls_json_put_text(json, object, "name", point->name);
    mls_json_put_number(json, object, "global_batch_size", point->global_batch_size);
    mls_json_put_text(json, object, "unit", point->unit);
    cJSON *values = mls_json_array(json);
    for (size_t i = 0; i < point->count; i++) {
        mls_json_append_number(json, values, point->to_converge[i]);
    }
    mls_json_put(json, object, "to_converge", values);
    mls_json_put_number(json, object, "mean", point->mean);
    mls_json_put_number(json, object, "stdev", point->stdev);
    mls_json_put_number(json, object, "least_mean", point->least_mean);
    mls_json_put_number(json, object, "max_speedup", point->max_speedup);
    mls_json_put_number(json, object, "limit", point->limit);
    mls_json_put_bool(json, object, "pruned", point->pruned);
    const struct {
        const char *name;
        const char *text;
    } texts[] = {{"precision", point->precision}, {"platform", point->platform},
                 {"creator", point->creator},     {"when", point->when},
                 {"source", point->source},       {"hyperparameters", point->hyperparameters}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        mls_json_put_text(json, object, texts[i].name, texts[i].text[0] != '\0' ? texts[i].text : NULL);
    }
    return object;
}

static cJSON *json_limit(mls_json *json, const mls_rcp_listing *listing)
{
    mls_rcp_limit limit = mls_rcp_set_limit(listing->set, listing->batch_size);
    cJSON *object = mls_json_object(json);
    mls_json_put_number(json, object, "global_batch_size", limit.global_batch_size);
    mls_json_put_text(json, object, "match", mls_rcp_match_name(limit.match));
    mls_json_put_number(json, object, "lower_batch_size", limit.lower_batch_size);
    mls_json_put_number(json, object, "upper_batch_size", limit.upper_batch_size);
    mls_json_put_number(json, object, "mean", limit.mean);
    mls_json_put_number(json, object, "stdev", limit.stdev);
    mls_json_put_number(json, object, "least_mean", limit.least_mean);
    mls_json_put_number(json, object, "max_speedup", limit.max_speedup);
    mls_json_put_number(json, object, "limit", limit.limit);
    return object;
}

bool mls_report_rcp_json(const mls_rcp_listing *listings, size_t count, mls_output *output)
{
    mls_json json = {false};
    cJSON *all = mls_json_object(&json);
    cJSON *benchmarks = mls_json_array(&json);
    for (size_t i = 0; i < count; i++) {
        const mls_rcp_listing *listing = &listings[i];
        cJSON *object = mls_json_object(&json);
        mls_json_put_text(&json, object, "benchmark", listing->benchmark->name);
        mls_json_put_text(&json, object, "usage", mls_usage_name(listing->edition->usage));
        mls_json_put_text(&json, object, "edition", listing->edition->name);
        mls_json_put_number(&json, object, "runs_needed", listing->benchmark->runs_needed);
        mls_json_put_number(&json, object, "left_out", listing->benchmark->left_out);
        size_t point_count;
        const mls_rcp_point *points = mls_rcp_set_points(listing->set, &point_count);
        cJSON *array = mls_json_array(&json);
        for (size_t p = 0; p < point_count; p++) {
            mls_json_append(&json, array, json_point(&json, &points[p]));
        }
        mls_json_put(&json, object, "points", array);
        if (isnan(listing->batch_size)) {
            mls_json_put_null(&json, object, "limit");
        } else {
            mls_json_put(&json, object, "limit", json_limit(&json, listing));
        }
        mls_json_append(&json, benchmarks, object);
    }
    mls_json_put(&json, all, "benchmarks", benchmarks);
    mls_json_print(&json, all, true, output);
    return !json.failed;
}
