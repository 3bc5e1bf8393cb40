/* SPDX-License-Identifier: Apache-2.0 */
/* side_csv.c - groups from the CSV that `mlscore score` wrote, whose columns are found by their names. */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/csv_read.h"
#include "base/map.h"
#include "base/number.h"
#include "compare/side.h"

/* The columns that are asked for by name; without one of the first ones the table is not what score writes. */
// clang-format off
#define CSV_COLUMN_LIST(C) \
    C(path) C(file) C(minutes) C(valid) C(benchmark) C(division) C(usage) C(edition) C(config) \
    C(global_batch_size) C(score_minutes) C(official) C(dropped) C(start_ms) C(stop_ms) C(counted) C(to_converge) \
    C(unit) C(init_minutes) C(node_count) C(scale) C(scaled_minutes) C(training_ms) C(evaluation_ms) C(startup_ms) \
    C(between_ms) C(tail_ms) C(evaluations) C(parts_by) C(accelerators) C(accelerator)
// clang-format on
#define CSV_COLUMN_ID(name) CSV_##name,
#define CSV_COLUMN_NAME(name) MLS_STR(#name),
typedef enum csv_column { CSV_COLUMN_LIST(CSV_COLUMN_ID) CSV_COLUMN_COUNT } csv_column;
static const mls_str column_names[] = {CSV_COLUMN_LIST(CSV_COLUMN_NAME)};
enum { REQUIRED = CSV_benchmark + 1 };

#define PARAM "param."

/* A table on its way in. */
typedef struct csv_reading {
    const mls_side_reading *side;
    mls_map groups; /* by what makes rows one group */
    mls_buffer key; /* scratch */
    mls_error *error;
    size_t columns; /* 0: the header has not come */
    size_t at[CSV_COLUMN_COUNT];
    mls_str *params; /* by column: the key of a hyperparameter; ptr NULL: it is none */
    const mls_csv_row *row;
} csv_reading;

static mls_status take_header(csv_reading *reading, const mls_csv_row *row)
{
    mls_arena *arena = reading->side->arena;
    reading->params = mls_arena_zeroed(arena, row->count, sizeof *reading->params);
    if (reading->params == NULL) {
        return MLS_ERROR_MEMORY;
    }
    reading->columns = row->count;
    for (size_t k = 0; k < CSV_COLUMN_COUNT; k++) {
        reading->at[k] = row->count;
        for (size_t i = 0; i < row->count && reading->at[k] == row->count; i++) {
            reading->at[k] = mls_str_equal(row->fields[i], column_names[k]) ? i : row->count;
        }
        if (k < REQUIRED && reading->at[k] == row->count) {
            return mls_error_set(reading->error, MLS_ERROR_SYNTAX, row->line, 0,
                                 "no column '%s': not what mlscore score writes", column_names[k].ptr);
        }
    }
    for (size_t i = 0; i < row->count; i++) {
        if (mls_str_starts(row->fields[i], MLS_S(PARAM))) {
            const size_t prefix = sizeof PARAM - 1;
            reading->params[i] =
                mls_arena_copy(arena, (mls_str){row->fields[i].ptr + prefix, row->fields[i].len - prefix});
            if (reading->params[i].ptr == NULL) {
                return MLS_ERROR_MEMORY;
            }
        }
    }
    return MLS_OK;
}

/* A cell without the one ' that keeps a spreadsheet from taking it for a formula. */
static mls_str cell_at(const csv_reading *reading, size_t column)
{
    mls_str cell = column < reading->columns ? reading->row->fields[column] : MLS_S("");
    const size_t mark = cell.len > 0 && cell.ptr[0] == '\'' ? 1 : 0;
    return (mls_str){cell.ptr + mark, cell.len - mark};
}

static mls_str cell(const csv_reading *reading, csv_column column)
{
    return cell_at(reading, reading->at[column]);
}

/* A copy of a cell; NULL when it is empty.  False: no memory. */
static bool cell_text(const csv_reading *reading, csv_column column, const char **text)
{
    const mls_str shown = cell(reading, column);
    *text = shown.len > 0 ? mls_arena_copy(reading->side->arena, shown).ptr : NULL;
    return shown.len == 0 || *text != NULL;
}

/* NAN when the cell is empty; one that is no number makes *status an error. */
static double cell_number(const csv_reading *reading, csv_column column, mls_status *status)
{
    double number = (double)NAN;
    const mls_str shown = cell(reading, column);
    if (shown.len > 0 && !mls_number_parse(shown, &number) && *status == MLS_OK) {
        *status =
            mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->row->line, 0, "'%.*s' in column '%s' is no number",
                          (int)shown.len, shown.ptr, column_names[column].ptr);
    }
    return number;
}

static bool cell_bool(const csv_reading *reading, csv_column column, mls_status *status)
{
    const mls_str shown = cell(reading, column);
    const bool yes = mls_str_equal(shown, MLS_S("true"));
    if (!yes && shown.len > 0 && !mls_str_equal(shown, MLS_S("false")) && *status == MLS_OK) {
        *status = mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->row->line, 0,
                                "'%.*s' in column '%s' is neither true nor false", (int)shown.len, shown.ptr,
                                column_names[column].ptr);
    }
    return yes;
}

/* What a row says of its group in numbers and words of ours, which must be right in every row. */
static mls_status take_group_numbers(const csv_reading *reading, mls_side_group *group)
{
    mls_status status = MLS_OK;
    const mls_str usage = cell(reading, CSV_usage);
    if (usage.len > 0 && !mls_usage_from_name(usage, &group->usage)) {
        return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->row->line, 0,
                             "the usage '%.*s' is neither training nor hpc", (int)usage.len, usage.ptr);
    }
    const double dropped = cell_number(reading, CSV_dropped, &status);
    group->global_batch_size = cell_number(reading, CSV_global_batch_size, &status);
    group->accelerators = cell_number(reading, CSV_accelerators, &status);
    group->score_minutes = cell_number(reading, CSV_score_minutes, &status);
    group->scaled_minutes = cell_number(reading, CSV_scaled_minutes, &status);
    group->scale = cell_number(reading, CSV_scale, &status);
    group->official = cell_bool(reading, CSV_official, &status);
    group->dropped = dropped > 0 && dropped < (double)MLS_WALK_FILES_MAX ? (size_t)dropped : 0;
    return status;
}

static bool take_group_texts(const csv_reading *reading, mls_side_group *group)
{
    const char *division;
    if (!cell_text(reading, CSV_path, &group->path) || !cell_text(reading, CSV_benchmark, &group->benchmark) ||
        !cell_text(reading, CSV_config, &group->config) || !cell_text(reading, CSV_edition, &group->edition) ||
        !cell_text(reading, CSV_accelerator, &group->accelerator) || !cell_text(reading, CSV_division, &division)) {
        return false;
    }
    group->path = group->path != NULL ? group->path : "";
    group->edition = group->edition != NULL ? group->edition : "";
    group->division = mls_division_logged(division);
    return mls_path_system(reading->side->arena, group->path, &group->system_id);
}

/* The group that the row belongs to, new or known. */
static mls_status group_of_row(csv_reading *reading, mls_side_group **group)
{
    static const csv_column same[] = {CSV_path, CSV_benchmark, CSV_division, CSV_config, CSV_global_batch_size};
    bool added;
    mls_buffer_clear(&reading->key);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        mls_buffer_append(&reading->key, cell(reading, same[i]));
        mls_buffer_append_char(&reading->key, '\0');
    }
    mls_map_entry *entry =
        reading->key.failed ? NULL : mls_map_put(&reading->groups, mls_buffer_str(&reading->key), &added);
    if (entry == NULL) {
        return MLS_ERROR_MEMORY;
    }
    if (!added) {
        mls_side_group again;
        *group = entry->value.pointer;
        return take_group_numbers(reading, &again);
    }
    *group = mls_side_group_add(reading->side);
    entry->value.pointer = *group;
    return *group != NULL && take_group_texts(reading, *group) ? take_group_numbers(reading, *group) : MLS_ERROR_MEMORY;
}

static mls_status take_csv_parts(const csv_reading *reading, mls_side_run *run)
{
    static const csv_column columns[MLS_PART_COUNT] = {CSV_training_ms, CSV_evaluation_ms, CSV_startup_ms,
                                                       CSV_between_ms, CSV_tail_ms};
    mls_status status = MLS_OK;
    double ms[MLS_PART_COUNT];
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        ms[part] = cell_number(reading, columns[part], &status);
    }
    const double evaluations = cell_number(reading, CSV_evaluations, &status);
    mls_side_parts(run, cell(reading, CSV_parts_by).len > 0, ms, evaluations);
    return status;
}

static bool take_csv_settings(const csv_reading *reading, const mls_side_group *group, mls_side_run *run, double nodes)
{
    mls_arena *arena = reading->side->arena;
    bool ok = mls_setting_add_text(arena, &run->environment, "config", group->config) &&
              mls_setting_add_number(arena, &run->environment, MLS_S("nodes"), nodes) &&
              mls_setting_add_number(arena, &run->environment, MLS_S("accelerators"), group->accelerators) &&
              mls_setting_add_text(arena, &run->environment, "accelerator", group->accelerator);
    for (size_t i = 0; i < reading->columns && ok; i++) {
        ok = reading->params[i].ptr == NULL ||
             mls_setting_add_shown(arena, &run->settings, reading->params[i], cell_at(reading, i));
    }
    return ok;
}

static mls_status take_csv_row(void *state, const mls_csv_row *row)
{
    csv_reading *reading = state;
    mls_side_group *group = NULL;
    const char *mark = NULL;
    if (reading->columns == 0) {
        return take_header(reading, row);
    }
    if (row->count != reading->columns) {
        return mls_error_set(reading->error, MLS_ERROR_SYNTAX, row->line, 0, "%zu cells, the header has %zu",
                             row->count, reading->columns);
    }
    reading->row = row;
    mls_status status = group_of_row(reading, &group);
    mls_side_run *run = status == MLS_OK ? mls_side_run_add(reading->side->arena, group) : NULL;
    if (run == NULL || !cell_text(reading, CSV_file, &run->file) || !cell_text(reading, CSV_unit, &run->unit) ||
        !cell_text(reading, CSV_counted, &mark)) {
        return status != MLS_OK ? status : MLS_ERROR_MEMORY;
    }
    run->file = run->file != NULL ? run->file : "";
    run->valid = cell_bool(reading, CSV_valid, &status);
    run->minutes = cell_number(reading, CSV_minutes, &status);
    run->init_minutes = cell_number(reading, CSV_init_minutes, &status);
    run->to_converge = cell_number(reading, CSV_to_converge, &status);
    run->unit = isnan(run->to_converge) ? NULL : run->unit;
    run->mark = mls_side_mark(mark, run);
    const double ms = cell_number(reading, CSV_stop_ms, &status) - cell_number(reading, CSV_start_ms, &status);
    const double nodes = cell_number(reading, CSV_node_count, &status);
    run->has_ms = mls_whole_ms(ms, &run->ms);
    run->has_init = mls_whole_ms(run->init_minutes * 60000, &run->init_ms);
    status = status == MLS_OK ? take_csv_parts(reading, run) : status;
    return status != MLS_OK || take_csv_settings(reading, group, run, nodes) ? status : MLS_ERROR_MEMORY;
}

mls_status mls_side_read_csv(const mls_side_reading *side, mls_str text, mls_error *error)
{
    csv_reading reading = {.side = side, .groups = {.arena = side->arena}, .error = error};
    mls_status status = mls_csv_read(text, take_csv_row, &reading, error);
    if (status == MLS_OK && reading.columns == 0) {
        status = mls_error_set(error, MLS_ERROR_SYNTAX, 1, 0, "empty: not what mlscore score writes");
    }
    mls_buffer_release(&reading.key);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}
