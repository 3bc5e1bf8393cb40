/* SPDX-License-Identifier: Apache-2.0 */
/* rcp_data.c - reads tables of reference points, the embedded ones and a user's. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_read.h"
#include "base/data.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "score/score.h"

typedef enum rcp_column {
    COLUMN_BENCHMARK,
    COLUMN_FIRST_EDITION,
    COLUMN_LAST_EDITION,
    COLUMN_GLOBAL_BATCH_SIZE,
    COLUMN_TO_CONVERGE,
    COLUMN_TEXTS,
    COLUMN_COUNT = COLUMN_TEXTS + 7
} rcp_column;

static const struct {
    mls_str name;
    bool required;
    size_t text; /* where in a point a text goes */
} columns[COLUMN_COUNT] = {
    [COLUMN_BENCHMARK] = {MLS_STR("benchmark"), true, 0},
    [COLUMN_FIRST_EDITION] = {MLS_STR("first_edition"), false, 0},
    [COLUMN_LAST_EDITION] = {MLS_STR("last_edition"), false, 0},
    [COLUMN_GLOBAL_BATCH_SIZE] = {MLS_STR("global_batch_size"), true, 0},
    [COLUMN_TO_CONVERGE] = {MLS_STR("to_converge"), true, 0},
    /* Texts, which are only shown. */
    [COLUMN_TEXTS] = {MLS_STR("name"), false, offsetof(mls_rcp_point, name)},
    {MLS_STR("unit"), false, offsetof(mls_rcp_point, unit)},
    {MLS_STR("precision"), false, offsetof(mls_rcp_point, precision)},
    {MLS_STR("platform"), false, offsetof(mls_rcp_point, platform)},
    {MLS_STR("creator"), false, offsetof(mls_rcp_point, creator)},
    {MLS_STR("when"), false, offsetof(mls_rcp_point, when)},
    {MLS_STR("hyperparameters"), false, offsetof(mls_rcp_point, hyperparameters)},
};

typedef struct table_reading {
    mls_rcp_set *set;
    mls_str text;
    const char *path;
    size_t heading_count;    /* 0: it has not come yet */
    size_t at[COLUMN_COUNT]; /* which field of a row a column is, from 1; 0: absent */
    mls_error *error;
} table_reading;

/* An error at a field of a row, from 1, `offset` bytes into it: what is wrong, and the text that is. */
static mls_status fail_field(const table_reading *reading, const mls_csv_row *row, size_t field, size_t offset,
                             const char *what, mls_str text)
{
    size_t line;
    size_t column;
    mls_csv_place(reading->text, row, field - 1, &line, &column);
    return mls_error_set(reading->error, MLS_ERROR_VALUE, line, column + offset, text.len > 0 ? "%s: '%.*s'" : "%s%.*s",
                         what, MLS_CUT(text, 60));
}

static mls_str field_of(const table_reading *reading, const mls_csv_row *row, rcp_column column)
{
    const size_t at = reading->at[column];
    return at == 0 ? MLS_S("") : row->fields[at - 1];
}

static mls_status read_heading(table_reading *reading, const mls_csv_row *row)
{
    for (size_t field = 1; field <= row->count; field++) {
        const mls_str name = row->fields[field - 1];
        size_t c = 0;
        while (c < COLUMN_COUNT && !mls_str_equal(columns[c].name, name)) {
            c++;
        }
        if (c == COLUMN_COUNT || reading->at[c] != 0) {
            return fail_field(reading, row, field, 0,
                              c == COLUMN_COUNT ? "reference points have no such column" : "this column is there twice",
                              name);
        }
        reading->at[c] = field;
    }
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        if (columns[c].required && reading->at[c] == 0) {
            return fail_field(reading, row, 1, 0, "the heading lacks a column", columns[c].name);
        }
    }
    reading->heading_count = row->count;
    return MLS_OK;
}

static bool positive_number(mls_str text, double *number)
{
    return mls_number_parse(text, number) && *number > 0 && isfinite(*number);
}

static mls_status read_values(const table_reading *reading, const mls_csv_row *row, mls_rcp_point *point)
{
    const size_t field = reading->at[COLUMN_TO_CONVERGE];
    const mls_str text = field_of(reading, row, COLUMN_TO_CONVERGE);
    mls_str rest = text;
    while (mls_str_word(&rest).len > 0) {
        point->count++;
    }
    /* Something must remain when r values are left out at both ends; the row need not be for the set's benchmark. */
    const mls_rcp_rules *rules = &reading->set->rules;
    const mls_str benchmark = field_of(reading, row, COLUMN_BENCHMARK);
    const size_t least = 1 + 2 * (mls_str_equal(benchmark, mls_str_from(rules->benchmark->name))
                                      ? rules->benchmark
                                      : mls_benchmark_find(rules->editions, rules->edition->usage, benchmark))
                                     ->left_out;
    if (point->count < least || point->count > MLS_RCP_VALUES_MAX) {
        char what[80];
        (void)snprintf(what, sizeof what, "%zu values to converge, it takes %zu to %d", point->count, least,
                       MLS_RCP_VALUES_MAX);
        return fail_field(reading, row, field, 0, what, text);
    }
    double *values = mls_arena_array(reading->set->arena, point->count, sizeof *values);
    if (values == NULL) {
        return mls_error_memory(reading->error);
    }
    rest = text;
    for (size_t i = 0; i < point->count; i++) {
        const mls_str word = mls_str_word(&rest);
        if (!positive_number(word, &values[i])) {
            return fail_field(reading, row, field, (size_t)(word.ptr - text.ptr), "not a number above 0", word);
        }
    }
    mls_sort_doubles(values, point->count);
    point->to_converge = values;
    return MLS_OK;
}

/* Whether the set's edition lies within those of the row; *status says whether the row makes sense. */
static bool row_is_for_edition(const table_reading *reading, const mls_csv_row *row, mls_status *status)
{
    const unsigned ours = reading->set->rules.edition->number;
    unsigned bounds[] = {ours, ours};
    for (size_t i = 0; i < 2; i++) {
        const rcp_column column = i == 0 ? COLUMN_FIRST_EDITION : COLUMN_LAST_EDITION;
        const mls_str bound = field_of(reading, row, column);
        if (bound.len > 0 && !mls_edition_number(bound, &bounds[i])) {
            *status = fail_field(reading, row, reading->at[column], 0, "no edition such as 5.1.0", bound);
            return false;
        }
    }
    return bounds[0] <= ours && ours <= bounds[1];
}

static mls_status read_texts(const table_reading *reading, const mls_csv_row *row, mls_rcp_point *point)
{
    for (size_t c = COLUMN_TEXTS; c < COLUMN_COUNT; c++) {
        mls_str copy = mls_arena_copy(reading->set->arena, field_of(reading, row, (rcp_column)c));
        if (copy.ptr == NULL) {
            return mls_error_memory(reading->error);
        }
        memcpy((char *)point + columns[c].text, &copy.ptr, sizeof copy.ptr);
    }
    return MLS_OK;
}

/* Puts a point into the set, in the place of an older one of the same batch size. */
static mls_status place_point(table_reading *reading, const mls_csv_row *row, const mls_rcp_point *point)
{
    mls_rcp_set *set = reading->set;
    size_t at = 0;
    while (at < set->count && mls_compare_doubles(set->items[at].global_batch_size, point->global_batch_size) != 0) {
        at++;
    }
    if (at < set->count && strcmp(set->items[at].source, point->source) == 0) {
        return fail_field(reading, row, reading->at[COLUMN_GLOBAL_BATCH_SIZE], 0, "this batch size is there twice",
                          field_of(reading, row, COLUMN_GLOBAL_BATCH_SIZE));
    }
    if (at == MLS_RCP_POINTS_MAX) {
        return mls_error_set(reading->error, MLS_ERROR_LIMIT, row->line, 0, "more than %d points", MLS_RCP_POINTS_MAX);
    }
    if (at == set->count && !MLS_GROW(set, items)) {
        return mls_error_memory(reading->error);
    }
    set->count += at == set->count;
    set->own += point->source[0] != '\0';
    set->items[at] = *point;
    return MLS_OK;
}

static mls_status read_row(void *state, const mls_csv_row *row)
{
    table_reading *reading = state;
    if (reading->heading_count == 0) {
        return read_heading(reading, row);
    }
    if (row->count != reading->heading_count) {
        const size_t field = row->count < reading->heading_count ? row->count : reading->heading_count + 1;
        char what[80];
        (void)snprintf(what, sizeof what, "%zu fields, the heading has %zu", row->count, reading->heading_count);
        return fail_field(reading, row, field, 0, what, MLS_S(""));
    }
    mls_status status = MLS_OK;
    const bool wanted =
        row_is_for_edition(reading, row, &status) &&
        mls_str_equal(field_of(reading, row, COLUMN_BENCHMARK), mls_str_from(reading->set->rules.benchmark->name));
    if (status != MLS_OK || (!wanted && reading->path[0] == '\0')) {
        return status;
    }
    mls_rcp_point point = {.source = reading->path};
    const mls_str batch_size = field_of(reading, row, COLUMN_GLOBAL_BATCH_SIZE);
    if (!positive_number(batch_size, &point.global_batch_size)) {
        return fail_field(reading, row, reading->at[COLUMN_GLOBAL_BATCH_SIZE], 0, "not a batch size", batch_size);
    }
    status = read_values(reading, row, &point);
    status = status == MLS_OK && wanted ? read_texts(reading, row, &point) : status;
    return status == MLS_OK && wanted ? place_point(reading, row, &point) : status;
}

/* Reads the rows for the set's benchmark and edition into it; `path` "" stands for the embedded data. */
static mls_status read_table(mls_rcp_set *set, mls_str text, const char *path, mls_error *error)
{
    const mls_str source = mls_arena_copy(set->arena, mls_str_from(path));
    table_reading reading = {.set = set, .text = text, .path = source.ptr, .error = error};
    if (source.ptr == NULL) {
        return mls_error_memory(error);
    }
    const mls_status status = mls_csv_read(text, read_row, &reading, error);
    return status == MLS_OK && reading.heading_count == 0
               ? mls_error_set(error, MLS_ERROR_SYNTAX, 1, 1, "no heading: the table of reference points is empty")
               : status;
}

typedef struct set_with_arena {
    mls_rcp_set set; /* first: a set is given to free() */
    mls_arena arena;
} set_with_arena;

mls_status mls_rcp_set_new(const mls_rcp_rules *rules, mls_str own, const char *path, mls_rcp_set **set,
                           mls_error *error)
{
    char name[128];
    const int length =
        snprintf(name, sizeof name, "rcp/%s/%s.csv", mls_usage_name(rules->edition->usage), rules->benchmark->name);
    const mls_str table = length > 0 && (size_t)length < sizeof name ? mls_data_find(name) : (mls_str){NULL, 0};
    set_with_arena *made = calloc(1, sizeof *made);
    *set = NULL;
    if (made == NULL) {
        return mls_error_memory(error);
    }
    made->set = (mls_rcp_set){.rules = *rules, .arena = &made->arena};
    mls_status status = table.ptr != NULL ? read_table(&made->set, table, "", error) : MLS_OK;
    if (status == MLS_OK && path != NULL) {
        status = read_table(&made->set, own, path[0] == '\0' ? "-" : path, error);
    }
    if (status != MLS_OK) {
        mls_rcp_set_free(&made->set);
        return status;
    }
    mls_rcp_set_prepare(&made->set);
    *set = &made->set;
    return MLS_OK;
}

void mls_rcp_set_free(mls_rcp_set *set)
{
    if (set != NULL) {
        free(set->items);
        mls_arena_release(set->arena);
        free(set);
    }
}
