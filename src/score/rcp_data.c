/* SPDX-License-Identifier: Apache-2.0 */
/* rcp_data.c - reads tables of reference points, the embedded ones and a user's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "score/score.h"
#include "json/text_table.h"

/* The cells of a row that make its point, and those that are only shown. */
#define NEEDED_LIST(F) F(benchmark) F(global_batch_size) F(to_converge)
#define EDITION_LIST(F) F(first_edition) F(last_edition)
#define SHOWN_LIST(F) F(name) F(unit) F(precision) F(platform) F(creator) F(when) F(hyperparameters)

#define DECLARE(name) mls_str name;
typedef struct rcp_row {
    NEEDED_LIST(DECLARE) EDITION_LIST(DECLARE) SHOWN_LIST(DECLARE)
} rcp_row;

/* In the order of the cells. */
enum { CELL_BENCHMARK, CELL_GLOBAL_BATCH_SIZE, CELL_TO_CONVERGE, CELL_FIRST_EDITION, CELL_LAST_EDITION };

#define CELL(name, flags) {#name, MLS_MEMBER_SPAN, offsetof(rcp_row, name), NULL, flags},
#define NEEDED(name) CELL(name, MLS_MEMBER_NEEDED)
#define OPTIONAL(name) CELL(name, 0)
static const mls_row_member cells[] = {NEEDED_LIST(NEEDED) EDITION_LIST(OPTIONAL) SHOWN_LIST(OPTIONAL)};

typedef struct rcp_reading {
    mls_text_table table;
    mls_rcp_set *set;
    const char *path; /* "": of the embedded data */
    rcp_row row;
} rcp_reading;

/* An error at a cell of a row, `offset` bytes into it: what is wrong, and the text that is. */
static mls_status refuse_point(const rcp_reading *reading, const mls_text_row *row, size_t cell, size_t offset,
                               const char *what, mls_str text)
{
    return mls_text_table_refuse(&reading->table, row, reading->table.at[cell], offset, what, text);
}

static bool positive_number(mls_str text, double *number)
{
    return mls_number_parse(text, number) && *number > 0 && isfinite(*number);
}

static mls_status read_values(const rcp_reading *reading, const mls_text_row *row, mls_rcp_point *point)
{
    const mls_str text = reading->row.to_converge;
    mls_str rest = text;
    while (mls_str_word(&rest).len > 0) {
        point->count++;
    }
    /* Something must remain when r values are left out at both ends; the row need not be for the set's benchmark. */
    const mls_rcp_rules *rules = &reading->set->rules;
    const mls_str benchmark = reading->row.benchmark;
    const size_t min = 1 + 2 * (mls_str_equal(benchmark, mls_str_from(rules->benchmark->name))
                                    ? rules->benchmark
                                    : mls_benchmark_find(rules->editions, rules->edition->usage, benchmark))
                                   ->left_out;
    if (point->count < min || point->count > MLS_RCP_VALUES_MAX) {
        char what[80];
        (void)snprintf(what, sizeof what, "%zu values to converge, it takes %zu to %d", point->count, min,
                       MLS_RCP_VALUES_MAX);
        return refuse_point(reading, row, CELL_TO_CONVERGE, 0, what, text);
    }
    double *values = mls_arena_array(reading->set->arena, point->count, sizeof *values);
    rest = text;
    for (size_t i = 0; i < point->count; i++) {
        const mls_str word = mls_str_word(&rest);
        if (!positive_number(word, &values[i])) {
            return refuse_point(reading, row, CELL_TO_CONVERGE, (size_t)(word.ptr - text.ptr), "not a number above 0",
                                word);
        }
    }
    mls_sort_doubles(values, point->count);
    point->to_converge = values;
    return MLS_OK;
}

/* Whether the set's edition lies within those of the row; *status says whether the row makes sense. */
static bool row_is_for_edition(const rcp_reading *reading, const mls_text_row *row, mls_status *status)
{
    const unsigned ours = reading->set->rules.edition->number;
    const mls_str bounds[] = {reading->row.first_edition, reading->row.last_edition};
    unsigned numbers[] = {ours, ours};
    for (size_t i = 0; i < 2; i++) {
        if (bounds[i].len > 0 && !mls_edition_number(bounds[i], &numbers[i])) {
            *status = refuse_point(reading, row, CELL_FIRST_EDITION + i, 0, "not an edition such as 5.1.0", bounds[i]);
            return false;
        }
    }
    return numbers[0] <= ours && ours <= numbers[1];
}

/* Puts a point into the set, in the place of an older one of the same batch size. */
static mls_status place_point(rcp_reading *reading, const mls_text_row *row, const mls_rcp_point *point)
{
    mls_rcp_set *set = reading->set;
    size_t at = 0;
    while (at < set->count && mls_compare_doubles(set->items[at].global_batch_size, point->global_batch_size) != 0) {
        at++;
    }
    if (at < set->count && strcmp(set->items[at].source, point->source) == 0) {
        return refuse_point(reading, row, CELL_GLOBAL_BATCH_SIZE, 0, "this batch size is there twice",
                            reading->row.global_batch_size);
    }
    if (at == MLS_RCP_POINTS_MAX) {
        return mls_error_set(reading->table.error, MLS_ERROR_LIMIT, row->line, 0, "more than %d points",
                             MLS_RCP_POINTS_MAX);
    }
    if (at == set->count) {
        (void)MLS_ARENA_ADD(set->arena, set, *point);
    }
    set->own += point->source[0] != '\0';
    set->items[at] = *point;
    return MLS_OK;
}

static mls_status take_point_row(void *state, const mls_text_row *row)
{
    rcp_reading *reading = state;
    mls_status status = MLS_OK;
    const bool wanted = row_is_for_edition(reading, row, &status) &&
                        mls_str_equal(reading->row.benchmark, mls_str_from(reading->set->rules.benchmark->name));
    if (status != MLS_OK || (!wanted && reading->path[0] == '\0')) {
        return status;
    }
    mls_rcp_point point = {.source = reading->path};
    if (!positive_number(reading->row.global_batch_size, &point.global_batch_size)) {
        return refuse_point(reading, row, CELL_GLOBAL_BATCH_SIZE, 0, "not a batch size",
                            reading->row.global_batch_size);
    }
    status = read_values(reading, row, &point);
    if (status != MLS_OK || !wanted) {
        return status;
    }
#define KEEP(name) point.name = mls_arena_copy(reading->set->arena, reading->row.name).ptr;
    SHOWN_LIST(KEEP)
    return place_point(reading, row, &point);
}

/* Reads the rows for the set's benchmark and edition into it; `path` "" stands for the embedded data. */
static mls_status read_points(mls_rcp_set *set, mls_str text, const char *path, mls_error *error)
{
    const mls_str source = mls_arena_copy(set->arena, mls_str_from(path));
    rcp_reading reading = {.set = set, .path = source.ptr};
    reading.table = (mls_text_table){.what = "a table of reference points",
                                     .members = cells,
                                     .count = sizeof cells / sizeof *cells,
                                     .options = MLS_TABLE_EXACT,
                                     .text = text,
                                     .error = error,
                                     .take_row = take_point_row,
                                     .state = &reading,
                                     .into = &reading.row};
    return mls_text_table_read(&reading.table);
}

mls_status mls_rcp_set_new(const mls_rcp_rules *rules, mls_str own, const char *path, mls_rcp_set **set,
                           mls_error *error)
{
    char name[128];
    const int length =
        snprintf(name, sizeof name, "rcp/%s/%s.csv", mls_usage_name(rules->edition->usage), rules->benchmark->name);
    const mls_str table = length > 0 && (size_t)length < sizeof name ? mls_data_find(name) : (mls_str){NULL, 0};
    mls_arena *arena = mls_calloc(1, sizeof *arena);
    mls_rcp_set *made = mls_arena_zeroed(arena, 1, sizeof *made);
    *set = NULL;
    *made = (mls_rcp_set){.rules = *rules, .arena = arena};
    mls_status status = table.ptr != NULL ? read_points(made, table, "", error) : MLS_OK;
    if (status == MLS_OK && path != NULL) {
        status = read_points(made, own, path[0] == '\0' ? "-" : path, error);
    }
    if (status == MLS_OK) {
        mls_rcp_set_prepare(made);
        *set = made;
    } else {
        mls_arena_free(arena);
    }
    return status;
}

void mls_rcp_set_free(mls_rcp_set *set)
{
    if (set != NULL) {
        mls_arena_free(set->arena);
    }
}

mls_status mls_rcp_sets_find(mls_rcp_sets *sets, const mls_rcp_rules *rules, mls_str own, const char *path,
                             mls_rcp_set **set, mls_error *error)
{
    for (size_t i = 0; i < sets->count; i++) {
        *set = sets->items[i];
        if ((*set)->rules.edition == rules->edition && (*set)->rules.benchmark == rules->benchmark) {
            return MLS_OK;
        }
    }
    *set = NULL;
    MLS_GROW(sets, items);
    const mls_status status = mls_rcp_set_new(rules, own, path, set, error);
    sets->items[sets->count] = *set;
    sets->count += *set != NULL;
    return status;
}

void mls_rcp_sets_release(mls_rcp_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        mls_rcp_set_free(sets->items[i]);
    }
    free((void *)sets->items);
    *sets = (mls_rcp_sets){0};
}
