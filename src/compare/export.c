/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - groups from what `mlscore score` wrote: CSV, JSON, or NDJSON.
 *
 * One table says what is read of a run and of its group: columns of CSV, or members of objects of JSON.  The two
 * readers only find the text of each; what is made of it is the same.
 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/csv_read.h"
#include "base/map.h"
#include "base/number.h"
#include "compare/side.h"
#include "mlscore/value.h"
#include "slurm/slurm.h"

#define PARAM "param."

/* What one row says. */
typedef struct export_row {
    mls_side_group group;
    mls_side_run run;
    const char *usage, *division, *counted, *parts_by;
    double dropped, start_ms, stop_ms, nodes, part_ms[MLS_PART_COUNT], evaluations;
} export_row;

typedef enum field_kind {
    FIELD_TEXT,   /* const char *, NULL where nothing is said */
    FIELD_NUMBER, /* double, NAN likewise */
    FIELD_BOOL    /* bool, false likewise */
} field_kind;

/* The object of JSON that a field is a member of. */
typedef enum field_object { OF_GROUP, OF_RUN, OF_PARTS } field_object;

/* Rows of one group are alike in its keys; without what is needed a table is not what score writes. */
enum { KEY = 1, NEEDED = 2 };

typedef struct export_field {
    mls_str name;
    field_object of;
    field_kind kind;
    size_t offset; /* in export_row */
    unsigned flags;
} export_field;

#define FIELD(name, of, kind, member) MLS_STR(name), of, FIELD_##kind, offsetof(export_row, member)
static const export_field fields[] = {{FIELD("path", OF_GROUP, TEXT, group.path), KEY | NEEDED},
                                      {FIELD("benchmark", OF_GROUP, TEXT, group.benchmark), KEY | NEEDED},
                                      {FIELD("division", OF_GROUP, TEXT, division), KEY},
                                      {FIELD("config", OF_GROUP, TEXT, group.config), KEY},
                                      {FIELD("global_batch_size", OF_GROUP, NUMBER, group.global_batch_size), KEY},
                                      {FIELD("usage", OF_GROUP, TEXT, usage), 0},
                                      {FIELD("edition", OF_GROUP, TEXT, group.edition), 0},
                                      {FIELD("accelerators", OF_GROUP, NUMBER, group.accelerators), 0},
                                      {FIELD("accelerator", OF_GROUP, TEXT, group.accelerator), 0},
                                      {FIELD("score_minutes", OF_GROUP, NUMBER, group.score_minutes), 0},
                                      {FIELD("scale", OF_GROUP, NUMBER, group.scale), 0},
                                      {FIELD("scaled_minutes", OF_GROUP, NUMBER, group.scaled_minutes), 0},
                                      {FIELD("official", OF_GROUP, BOOL, group.official), 0},
                                      {FIELD("dropped", OF_GROUP, NUMBER, dropped), 0},
                                      {FIELD("file", OF_RUN, TEXT, run.file), NEEDED},
                                      {FIELD("minutes", OF_RUN, NUMBER, run.minutes), NEEDED},
                                      {FIELD("valid", OF_RUN, BOOL, run.valid), NEEDED},
                                      {FIELD("counted", OF_RUN, TEXT, counted), 0},
                                      {FIELD("init_minutes", OF_RUN, NUMBER, run.init_minutes), 0},
                                      {FIELD("to_converge", OF_RUN, NUMBER, run.to_converge), 0},
                                      {FIELD("unit", OF_RUN, TEXT, run.unit), 0},
                                      {FIELD("start_ms", OF_RUN, NUMBER, start_ms), 0},
                                      {FIELD("stop_ms", OF_RUN, NUMBER, stop_ms), 0},
                                      {FIELD("node_count", OF_RUN, NUMBER, nodes), 0},
                                      {FIELD("parts_by", OF_PARTS, TEXT, parts_by), 0},
                                      {FIELD("training_ms", OF_PARTS, NUMBER, part_ms[MLS_PART_TRAINING]), 0},
                                      {FIELD("evaluation_ms", OF_PARTS, NUMBER, part_ms[MLS_PART_EVALUATION]), 0},
                                      {FIELD("evaluations", OF_PARTS, NUMBER, evaluations), 0},
                                      {FIELD("startup_ms", OF_PARTS, NUMBER, part_ms[MLS_PART_STARTUP]), 0},
                                      {FIELD("between_ms", OF_PARTS, NUMBER, part_ms[MLS_PART_BETWEEN]), 0},
                                      {FIELD("tail_ms", OF_PARTS, NUMBER, part_ms[MLS_PART_TAIL]), 0}};
enum { FIELDS = sizeof fields / sizeof *fields };

/* An export on its way in. */
typedef struct export_reading {
    mls_comparison *to;
    const mls_side *side;
    mls_error *error;
    size_t line;           /* that is read */
    mls_str cells[FIELDS]; /* the text of each field, empty where nothing is said */
    /* CSV */
    mls_map groups; /* by their keys */
    mls_buffer key; /* scratch */
    size_t columns; /* 0: the header has not come */
    size_t at[FIELDS];
    mls_str *params; /* by column: the key of a hyperparameter; ptr NULL: it is none */
    /* JSON */
    mls_arena scratch; /* of the value that is read */
} export_reading;

static mls_status refuse_cell(const export_reading *reading, size_t field, const char *what)
{
    const mls_str cell = reading->cells[field];
    return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "'%.*s' in column '%s' is %s",
                         (int)cell.len, cell.ptr, fields[field].name.ptr, what);
}

static mls_status fill_field(const export_reading *reading, size_t field, export_row *row)
{
    const mls_str cell = reading->cells[field];
    void *at = (char *)row + fields[field].offset;
    if (fields[field].kind == FIELD_TEXT) {
        const char *copy = cell.len > 0 ? mls_arena_copy(reading->to->arena, cell).ptr : NULL;
        *(const char **)at = copy;
        return copy != NULL || cell.len == 0 ? MLS_OK : MLS_ERROR_MEMORY;
    }
    if (fields[field].kind == FIELD_NUMBER) {
        *(double *)at = (double)NAN;
        return cell.len == 0 || mls_number_parse(cell, at) ? MLS_OK : refuse_cell(reading, field, "no number");
    }
    *(bool *)at = mls_str_equal(cell, MLS_S("true"));
    return *(bool *)at || cell.len == 0 || mls_str_equal(cell, MLS_S("false"))
               ? MLS_OK
               : refuse_cell(reading, field, "neither true nor false");
}

/* The row that the cells make, but for what stands above `from`. */
static mls_status fill_row(const export_reading *reading, field_object from, export_row *row)
{
    mls_status status = MLS_OK;
    for (size_t k = 0; k < FIELDS && status == MLS_OK; k++) {
        status = fields[k].of >= from ? fill_field(reading, k, row) : MLS_OK;
    }
    if (status == MLS_OK && row->usage != NULL && !mls_usage_from_name(mls_str_from(row->usage), &row->group.usage)) {
        status = mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0,
                               "the usage '%s' is neither training nor hpc", row->usage);
    }
    const bool untimed = row->run.valid && row->run.minutes <= 0;
    if (status == MLS_OK && (untimed || (from == OF_GROUP && row->group.score_minutes <= 0))) {
        status = mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "a %s of %s minutes",
                               untimed ? "valid run" : "score",
                               mls_words_exact(untimed ? row->run.minutes : row->group.score_minutes).text);
    }
    return status;
}

/* What became of a run; where that is not said a valid run is kept. */
static mls_olympic_mark mark_named(const char *name, const mls_side_run *run)
{
    for (mls_olympic_mark mark = MLS_OLYMPIC_KEPT; name != NULL && mark <= MLS_OLYMPIC_OUTSIDE; mark++) {
        if (strcmp(name, mls_olympic_mark_name(mark)) == 0) {
            return mark;
        }
    }
    return run->valid && isfinite(run->minutes) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
}

/* The group of a row, new; NULL: no memory. */
static mls_side_group *add_export_group(const export_reading *reading, const export_row *row)
{
    mls_side_group group = row->group;
    mls_str system;
    mls_str above;
    group.side = reading->side;
    group.path = group.path != NULL ? group.path : "";
    group.edition = group.edition != NULL ? group.edition : "";
    group.division = mls_division_logged(row->division);
    group.dropped = row->dropped > 0 && row->dropped < (double)MLS_WALK_FILES_MAX ? (size_t)row->dropped : 0;
    if (mls_folder_of_system(mls_str_from(group.path), &system, &above)) {
        group.system_id = mls_arena_copy(reading->to->arena, system).ptr;
        if (group.system_id == NULL) {
            return NULL;
        }
    }
    return mls_side_group_add(reading->to, &group);
}

/* The run of a row, but for its settings, which have been added to it. */
static mls_status add_export_run(const export_reading *reading, export_row *row, mls_side_group *group)
{
    mls_arena *arena = reading->to->arena;
    mls_side_run *run = &row->run;
    run->file = run->file != NULL ? run->file : "";
    run->unit = isnan(run->to_converge) ? NULL : run->unit;
    run->mark = mark_named(row->counted, run);
    mls_side_run_times(run, row->stop_ms - row->start_ms, run->init_minutes * 60000);
    mls_side_run_parts(run, row->parts_by != NULL, row->part_ms, row->evaluations);
    return mls_side_run_environment(arena, run, group->config, row->nodes, group) && mls_side_run_add(arena, group, run)
               ? MLS_OK
               : MLS_ERROR_MEMORY;
}

/* ------------------------------------------------------------------------- CSV */

static mls_status take_header(export_reading *reading, const mls_csv_row *row)
{
    mls_arena *arena = reading->to->arena;
    reading->params = mls_arena_zeroed(arena, row->count, sizeof *reading->params);
    if (reading->params == NULL) {
        return MLS_ERROR_MEMORY;
    }
    reading->columns = row->count;
    for (size_t k = 0; k < FIELDS; k++) {
        size_t at = 0;
        while (at < row->count && !mls_str_equal(row->fields[at], fields[k].name)) {
            at++;
        }
        reading->at[k] = at;
        if ((fields[k].flags & NEEDED) != 0 && at == row->count) {
            return mls_error_set(reading->error, MLS_ERROR_SYNTAX, row->line, 0,
                                 "no column '%s': not what mlscore score writes", fields[k].name.ptr);
        }
    }
    for (size_t i = 0; i < row->count; i++) {
        const mls_str name = row->fields[i];
        if (mls_str_starts(name, MLS_S(PARAM))) {
            const size_t prefix = sizeof PARAM - 1;
            reading->params[i] = mls_arena_copy(arena, (mls_str){name.ptr + prefix, name.len - prefix});
            if (reading->params[i].ptr == NULL) {
                return MLS_ERROR_MEMORY;
            }
        }
    }
    return MLS_OK;
}

/* A cell without the one ' that keeps a spreadsheet from taking it for a formula. */
static mls_str cell_at(const mls_csv_row *row, size_t column)
{
    const mls_str cell = column < row->count ? row->fields[column] : MLS_S("");
    const size_t mark = cell.len > 0 && cell.ptr[0] == '\'' ? 1 : 0;
    return (mls_str){cell.ptr + mark, cell.len - mark};
}

/* The group that the row belongs to, new or known; NULL: no memory. */
static mls_side_group *group_of_row(export_reading *reading, const export_row *row)
{
    mls_buffer_clear(&reading->key);
    for (size_t k = 0; k < FIELDS; k++) {
        if ((fields[k].flags & KEY) != 0) {
            mls_buffer_append(&reading->key, reading->cells[k]);
            mls_buffer_append_char(&reading->key, '\0');
        }
    }
    mls_map_entry *entry =
        reading->key.failed ? NULL : mls_map_put(&reading->groups, mls_buffer_str(&reading->key), NULL);
    if (entry != NULL && entry->value.pointer == NULL) {
        entry->value.pointer = add_export_group(reading, row);
    }
    return entry != NULL ? entry->value.pointer : NULL;
}

static mls_status take_csv_row(void *state, const mls_csv_row *csv)
{
    export_reading *reading = state;
    export_row row = {0};
    if (reading->columns == 0) {
        return take_header(reading, csv);
    }
    if (csv->count != reading->columns) {
        return mls_error_set(reading->error, MLS_ERROR_SYNTAX, csv->line, 0, "%zu cells, the header has %zu",
                             csv->count, reading->columns);
    }
    reading->line = csv->line;
    for (size_t k = 0; k < FIELDS; k++) {
        reading->cells[k] = cell_at(csv, reading->at[k]);
    }
    const mls_status status = fill_row(reading, OF_GROUP, &row);
    if (status != MLS_OK) {
        return status;
    }
    bool ok = true;
    for (size_t i = 0; i < csv->count && ok; i++) {
        ok = reading->params[i].ptr == NULL ||
             mls_setting_add_shown(reading->to->arena, &row.run.settings, reading->params[i], cell_at(csv, i));
    }
    mls_side_group *group = ok ? group_of_row(reading, &row) : NULL;
    return group != NULL ? add_export_run(reading, &row, group) : MLS_ERROR_MEMORY;
}

mls_status mls_side_read_csv(mls_comparison *to, const mls_side *side, mls_str text, mls_error *error)
{
    export_reading reading = {.to = to, .side = side, .error = error, .groups = {.arena = to->arena}};
    mls_status status = mls_csv_read(text, take_csv_row, &reading, error);
    if (status == MLS_OK && reading.columns == 0) {
        status = mls_error_set(error, MLS_ERROR_SYNTAX, 1, 0, "empty: not what mlscore score writes");
    }
    mls_buffer_release(&reading.key);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

/* ------------------------------------------------------------------------ JSON */

static mls_status refuse_export(const export_reading *reading, const char *what)
{
    return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "%s", what);
}

/* A member's span; ptr NULL: there is none of that kind. */
static mls_str json_member(mls_str object, mls_str name, mls_json_kind kind)
{
    mls_str span;
    const bool known = object.ptr != NULL && mls_json_member(object, name, &span);
    return known && mls_json_kind_of(span) == kind ? span : (mls_str){0};
}

/* The cells of an object, by its members; one of another kind says nothing, nor does a number that is none. */
static bool take_members(export_reading *reading, mls_str object, field_object of)
{
    static const mls_json_kind kinds[] = {MLS_JSON_STRING, MLS_JSON_NUMBER, MLS_JSON_BOOL};
    bool ok = true;
    double number;
    for (size_t k = 0; k < FIELDS && ok; k++) {
        mls_str *cell = &reading->cells[k];
        if (fields[k].of == of) {
            *cell = json_member(object, fields[k].name, kinds[fields[k].kind]);
            if (fields[k].kind == FIELD_NUMBER && !mls_number_parse(*cell, &number)) {
                cell->ptr = NULL;
                cell->len = 0;
            }
            ok = fields[k].kind != FIELD_TEXT || cell->ptr == NULL || mls_json_string(*cell, &reading->scratch, cell);
        }
    }
    return ok;
}

static bool take_json_settings(export_reading *reading, mls_str object, mls_settings *to)
{
    mls_arena *arena = reading->to->arena;
    mls_raw_member member;
    bool ok = true;
    for (mls_json_walk walk = mls_json_walk_begin(object); ok && mls_json_walk_next(&walk, &member);) {
        const mls_str quoted = {member.name.ptr - 1, member.name.len + 2};
        mls_str key;
        ok = mls_json_string(quoted, arena, &key) && mls_setting_add_json(arena, to, key, member.value);
    }
    return ok;
}

static mls_status take_json_run(export_reading *reading, mls_str json, mls_side_group *group)
{
    export_row row = {0};
    const mls_str parts = json_member(json, MLS_S("parts"), MLS_JSON_OBJECT);
    const mls_str nodes = json_member(json, MLS_S("nodes"), MLS_JSON_LIST);
    if (json_member(json, MLS_S("file"), MLS_JSON_STRING).ptr == NULL ||
        json_member(json, MLS_S("valid"), MLS_JSON_BOOL).ptr == NULL) {
        return refuse_export(reading, "a run without the members file and valid");
    }
    if (!take_members(reading, json, OF_RUN) || !take_members(reading, parts, OF_PARTS) ||
        !take_json_settings(reading, json_member(json, MLS_S("hyperparameters"), MLS_JSON_OBJECT), &row.run.settings)) {
        return MLS_ERROR_MEMORY;
    }
    const mls_status status = fill_row(reading, OF_RUN, &row);
    mls_raw_member node;
    row.parts_by = json_member(parts, MLS_S("by"), MLS_JSON_STRING).ptr;
    row.nodes = nodes.ptr != NULL ? 0 : (double)NAN;
    for (mls_json_walk walk = mls_json_walk_begin(nodes); mls_json_walk_next(&walk, &node);) {
        row.nodes++;
    }
    return status == MLS_OK ? add_export_run(reading, &row, group) : status;
}

static mls_status take_json_group(export_reading *reading, mls_str json)
{
    export_row row = {0};
    mls_raw_member run;
    const mls_str runs = json_member(json, MLS_S("runs"), MLS_JSON_LIST);
    if (json_member(json, MLS_S("path"), MLS_JSON_STRING).ptr == NULL || runs.ptr == NULL) {
        return refuse_export(reading, "a group without the members path and runs: not what mlscore score writes");
    }
    memset(reading->cells, 0, sizeof reading->cells);
    if (!take_members(reading, json, OF_GROUP)) {
        return MLS_ERROR_MEMORY;
    }
    mls_status status = fill_row(reading, OF_GROUP, &row);
    mls_side_group *group = status == MLS_OK ? add_export_group(reading, &row) : NULL;
    status = status == MLS_OK && group == NULL ? MLS_ERROR_MEMORY : status;
    for (mls_json_walk walk = mls_json_walk_begin(runs); status == MLS_OK && mls_json_walk_next(&walk, &run);) {
        status = take_json_run(reading, run.value, group);
    }
    return status;
}

/* One value: an object with groups, or a group. */
static mls_status take_json_value(export_reading *reading, mls_str json)
{
    mls_str groups = {0};
    mls_raw_member group;
    mls_status status = MLS_OK;
    if (!mls_json_member(json, MLS_S("groups"), &groups) || mls_json_kind_of(groups) == MLS_JSON_NULL) {
        return take_json_group(reading, json);
    }
    if (mls_json_kind_of(groups) != MLS_JSON_LIST) {
        return refuse_export(reading, "groups is no list: not what mlscore score writes");
    }
    for (mls_json_walk walk = mls_json_walk_begin(groups); status == MLS_OK && mls_json_walk_next(&walk, &group);) {
        status = take_json_group(reading, group.value);
    }
    return status;
}

static mls_status read_export_value(export_reading *reading, mls_str text)
{
    mls_str json;
    mls_error wrong;
    const mls_status status = mls_json_document(text, &reading->scratch, &json, &wrong);
    if (status == MLS_ERROR_SYNTAX) {
        reading->line += wrong.line - 1;
        return refuse_export(reading, wrong.message);
    }
    return status == MLS_OK ? take_json_value(reading, json) : status;
}

mls_status mls_side_read_json(mls_comparison *to, const mls_side *side, mls_str text, bool lines, mls_error *error)
{
    export_reading reading = {.to = to, .side = side, .error = error, .line = 1};
    mls_status status = MLS_OK;
    size_t values = 0;
    for (size_t at = 0, end; at < text.len && status == MLS_OK; at = end) {
        const char *newline = lines ? memchr(text.ptr + at, '\n', text.len - at) : NULL;
        end = newline != NULL ? (size_t)(newline - text.ptr) + 1 : text.len;
        const mls_str value = {text.ptr + at, end - at};
        mls_str words = value;
        if (mls_str_word(&words).len > 0) {
            status = read_export_value(&reading, value);
            mls_arena_reset(&reading.scratch);
            values++;
        }
        reading.line++;
    }
    mls_arena_release(&reading.scratch);
    if (status == MLS_OK && values == 0) {
        status = refuse_export(&reading, "empty: not what mlscore score writes");
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}
