/* SPDX-License-Identifier: Apache-2.0 */
/* export.c - groups from what `mlscore score` wrote: CSV, JSON, or NDJSON.
 *
 * slurm/export.h says what is read of a run and of its group: columns of CSV, or members of objects of JSON. */
#include <math.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text_table.h"
#include "compare/side.h"
#include "mlscore/value.h"
#include "slurm/export.h"
#include "slurm/slurm.h"

#define EXPORT_LIST(F) MLS_SCORE_COLUMN_LIST(F) MLS_WIDE_COLUMN_LIST(F) MLS_SCORE_MEMBER_LIST(F)

#define DECLARE_TEXT(name) const char *name;
#define DECLARE_NUMBER(name) double name;
#define DECLARE_BOOL(name) bool name;
#define DECLARE_UNREAD(name)
#define DECLARE(name, kind, object, use) DECLARE_##kind(name)

/* The cells of one row, or the members of a run and its group. */
typedef struct export_row {
    EXPORT_LIST(DECLARE)
} export_row;

#define MEMBER(name, kind, flags) {#name, MLS_MEMBER_##kind, offsetof(export_row, name), NULL, flags},
#define MEMBER_TEXT(name, flags) MEMBER(name, TEXT, flags)
#define MEMBER_NUMBER(name, flags) MEMBER(name, NUMBER, flags)
#define MEMBER_BOOL(name, flags) MEMBER(name, BOOL, flags)
#define MEMBER_UNREAD(name, flags)
#define DESCRIBE(name, kind, object, use) MEMBER_##kind(name, MLS_EXPORT_##object | (use))
static const mls_row_member members[] = {EXPORT_LIST(DESCRIBE)};
enum { MEMBERS = sizeof members / sizeof *members };
_Static_assert((int)MLS_EXPORT_NEEDED == (int)MLS_MEMBER_NEEDED, "a flag of both");

/* An export on its way in. */
typedef struct export_reading {
    mls_comparison *to;
    const mls_side *side;
    mls_error *error;
    size_t line; /* that is read */
    export_row row;
    /* CSV */
    mls_text_table table;
    mls_map groups;  /* by their keys */
    mls_buffer key;  /* scratch */
    mls_str *params; /* by column: the key of a hyperparameter; ptr NULL: it is none */
    /* JSON */
    mls_arena scratch; /* of the value that is read */
} export_reading;

static mls_status refuse_export(const export_reading *reading, const char *reason)
{
    return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "%s", reason);
}

/* Whether the row, of a group and a run or of one of them, makes sense. */
static mls_status check_row(const export_reading *reading, unsigned objects)
{
    const export_row *row = &reading->row;
    const bool of_group = (objects & MLS_EXPORT_GROUP) != 0;
    const bool untimed = (objects & MLS_EXPORT_RUN) != 0 && row->valid && row->minutes <= 0;
    mls_usage usage;
    if (of_group && row->usage != NULL && !mls_usage_from_name(mls_str_from(row->usage), &usage)) {
        return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0,
                             "the usage '%s' is neither training nor hpc", row->usage);
    }
    if (untimed || (of_group && row->score_minutes <= 0)) {
        return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "a %s of %s minutes",
                             untimed ? "valid run" : "score",
                             mls_words_exact(untimed ? row->minutes : row->score_minutes).text);
    }
    return MLS_OK;
}

/* The mark of the run; where there is none a valid run is kept. */
static mls_olympic_mark export_mark(const export_row *row)
{
    for (mls_olympic_mark mark = MLS_OLYMPIC_KEPT; row->counted != NULL && mark <= MLS_OLYMPIC_OUTSIDE; mark++) {
        if (strcmp(row->counted, mls_olympic_mark_name(mark)) == 0) {
            return mark;
        }
    }
    return row->valid && isfinite(row->minutes) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
}

/* The group of the row, new; NULL: no memory. */
static mls_side_group *add_export_group(const export_reading *reading)
{
    const export_row *row = &reading->row;
    mls_side_group group = {
        .side = reading->side,
        .path = row->path != NULL ? row->path : "",
        .benchmark = row->benchmark,
        .edition = row->edition != NULL ? row->edition : "",
        .config = row->config,
        .division = mls_division_logged(row->division),
        .global_batch_size = row->global_batch_size,
        .accelerators = row->accelerators,
        .accelerator = row->accelerator,
        .score_minutes = row->score_minutes,
        .scale = row->scale,
        .scaled_minutes = row->scaled_minutes,
        .official = row->official,
        .dropped = row->dropped > 0 && row->dropped < (double)MLS_WALK_FILES_MAX ? (size_t)row->dropped : 0};
    mls_str system;
    mls_str above;
    if (row->usage != NULL) {
        (void)mls_usage_from_name(mls_str_from(row->usage), &group.usage);
    }
    if (mls_folder_of_system(mls_str_from(group.path), &system, &above)) {
        group.system_id = mls_arena_copy(reading->to->arena, system).ptr;
        if (group.system_id == NULL) {
            return NULL;
        }
    }
    return mls_side_group_add(reading->to, &group);
}

/* Adds the run of the row, which has these settings. */
static mls_status add_export_run(const export_reading *reading, const mls_settings *settings, mls_side_group *group)
{
    mls_arena *arena = reading->to->arena;
    const export_row *row = &reading->row;
    const double parts[MLS_PART_COUNT] = {[MLS_PART_STARTUP] = row->startup_ms,
                                          [MLS_PART_TRAINING] = row->training_ms,
                                          [MLS_PART_EVALUATION] = row->evaluation_ms,
                                          [MLS_PART_BETWEEN] = row->between_ms,
                                          [MLS_PART_TAIL] = row->tail_ms};
    mls_side_run run = {.file = row->file != NULL ? row->file : "",
                        .minutes = row->minutes,
                        .valid = row->valid,
                        .mark = export_mark(row),
                        .init_minutes = row->init_minutes,
                        .to_converge = row->to_converge,
                        .unit = isnan(row->to_converge) ? NULL : row->unit,
                        .settings = *settings};
    mls_side_run_times(&run, row->stop_ms - row->start_ms, row->init_minutes * 60000);
    mls_side_run_parts(&run, row->parts_by != NULL, parts, row->evaluations);
    return mls_side_run_environment(arena, &run, group->config, row->node_count, group) &&
                   MLS_ARENA_ADD(arena, &group->runs, run)
               ? MLS_OK
               : MLS_ERROR_MEMORY;
}

static mls_status take_export_heading(void *state, const mls_text_row *heading)
{
    export_reading *reading = state;
    mls_arena *arena = reading->to->arena;
    const size_t prefix = strlen(MLS_PARAM_PREFIX);
    reading->params = mls_arena_zeroed(arena, heading->count, sizeof *reading->params);
    for (size_t i = 0; reading->params != NULL && i < heading->count; i++) {
        const mls_str name = heading->cells[i];
        if (mls_str_starts(name, MLS_S(MLS_PARAM_PREFIX))) {
            reading->params[i] = mls_arena_copy(arena, (mls_str){name.ptr + prefix, name.len - prefix});
            if (reading->params[i].ptr == NULL) {
                return MLS_ERROR_MEMORY;
            }
        }
    }
    return reading->params != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

/* The group that the row belongs to, new or known; NULL: no memory. */
static mls_side_group *group_of_row(export_reading *reading, const mls_text_row *cells)
{
    mls_buffer_clear(&reading->key);
    for (size_t k = 0; k < MEMBERS; k++) {
        if ((members[k].flags & MLS_EXPORT_KEY) != 0) {
            mls_buffer_append(&reading->key, mls_text_table_cell(&reading->table, cells, reading->table.at[k]));
            mls_buffer_append_char(&reading->key, '\0');
        }
    }
    mls_map_entry *entry =
        reading->key.failed ? NULL : mls_map_put(&reading->groups, mls_buffer_str(&reading->key), NULL);
    if (entry != NULL && entry->value.pointer == NULL) {
        entry->value.pointer = add_export_group(reading);
    }
    return entry != NULL ? entry->value.pointer : NULL;
}

static mls_status take_export_row(void *state, const mls_text_row *cells)
{
    export_reading *reading = state;
    mls_settings settings = {0};
    reading->line = cells->line;
    const mls_status status = check_row(reading, MLS_EXPORT_GROUP | MLS_EXPORT_RUN);
    if (status != MLS_OK) {
        return status;
    }
    bool ok = true;
    for (size_t i = 0; i < cells->count && ok; i++) {
        ok =
            reading->params[i].ptr == NULL || mls_setting_add_shown(reading->to->arena, &settings, reading->params[i],
                                                                    mls_text_table_cell(&reading->table, cells, i + 1));
    }
    mls_side_group *group = ok ? group_of_row(reading, cells) : NULL;
    return group != NULL ? add_export_run(reading, &settings, group) : MLS_ERROR_MEMORY;
}

mls_status mls_side_read_csv(mls_comparison *to, const mls_side *side, mls_str text, mls_error *error)
{
    export_reading reading = {.to = to, .side = side, .error = error, .groups = {.arena = to->arena}};
    reading.table = (mls_text_table){.what = "what mlscore score writes",
                                     .members = members,
                                     .count = MEMBERS,
                                     .options = MLS_TABLE_MARKED,
                                     .text = text,
                                     .arena = to->arena,
                                     .error = error,
                                     .take_heading = take_export_heading,
                                     .take_row = take_export_row,
                                     .state = &reading,
                                     .into = &reading.row};
    const mls_status status = mls_text_table_read(&reading.table);
    mls_buffer_release(&reading.key);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

/* A member's span; ptr NULL: there is none of that kind. */
static mls_str json_member(mls_str object, mls_str name, mls_json_kind kind)
{
    mls_str span;
    const bool known = object.ptr != NULL && mls_json_member(object, name, &span);
    return known && mls_json_kind_of(span) == kind ? span : (mls_str){0};
}

/* Members of a JSON object into the row.  One of another kind says nothing, nor does a number that cannot be read.
 * False: no memory. */
static bool take_members(export_reading *reading, mls_str object, unsigned of)
{
    static const mls_json_kind kinds[] = {
        [MLS_MEMBER_TEXT] = MLS_JSON_STRING, [MLS_MEMBER_NUMBER] = MLS_JSON_NUMBER, [MLS_MEMBER_BOOL] = MLS_JSON_BOOL};
    for (size_t k = 0; k < MEMBERS; k++) {
        const mls_member_kind kind = members[k].kind;
        if ((members[k].flags & of) == 0) {
            continue;
        }
        mls_str text = json_member(object, mls_str_from(members[k].name), kinds[kind]);
        if (kind == MLS_MEMBER_TEXT && text.ptr != NULL && !mls_json_string(text, &reading->scratch, &text)) {
            return false;
        }
        const mls_scalar cell = mls_scalar_of_text(kind, text);
        if (mls_member_set(&members[k], &cell, reading->to->arena, &reading->row) == mls_reason_memory) {
            return false;
        }
    }
    return true;
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
    export_row *row = &reading->row;
    const mls_str parts = json_member(json, MLS_S("parts"), MLS_JSON_OBJECT);
    const mls_str nodes = json_member(json, MLS_S("nodes"), MLS_JSON_LIST);
    mls_settings settings = {0};
    mls_raw_member node;
    if (json_member(json, MLS_S("file"), MLS_JSON_STRING).ptr == NULL ||
        json_member(json, MLS_S("valid"), MLS_JSON_BOOL).ptr == NULL) {
        return refuse_export(reading, "a run without the members file and valid");
    }
    if (!take_members(reading, json, MLS_EXPORT_RUN) || !take_members(reading, parts, MLS_EXPORT_PARTS) ||
        !take_json_settings(reading, json_member(json, MLS_S("hyperparameters"), MLS_JSON_OBJECT), &settings)) {
        return MLS_ERROR_MEMORY;
    }
    row->parts_by = json_member(parts, MLS_S("by"), MLS_JSON_STRING).ptr;
    row->node_count = nodes.ptr != NULL ? 0 : (double)NAN;
    for (mls_json_walk walk = mls_json_walk_begin(nodes); mls_json_walk_next(&walk, &node);) {
        row->node_count++;
    }
    const mls_status status = check_row(reading, MLS_EXPORT_RUN);
    return status == MLS_OK ? add_export_run(reading, &settings, group) : status;
}

static mls_status take_json_group(export_reading *reading, mls_str json)
{
    mls_raw_member run;
    const mls_str runs = json_member(json, MLS_S("runs"), MLS_JSON_LIST);
    if (json_member(json, MLS_S("path"), MLS_JSON_STRING).ptr == NULL || runs.ptr == NULL) {
        return refuse_export(reading, "a group without the members path and runs: not what mlscore score writes");
    }
    if (!take_members(reading, json, MLS_EXPORT_GROUP)) {
        return MLS_ERROR_MEMORY;
    }
    mls_status status = check_row(reading, MLS_EXPORT_GROUP);
    mls_side_group *group = status == MLS_OK ? add_export_group(reading) : NULL;
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
        return refuse_export(reading, "groups is not a list: not what mlscore score writes");
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
    while (text.len > 0 && status == MLS_OK) {
        mls_str value = text;
        if (lines) {
            (void)mls_str_cut(&text, '\n', &value);
        } else {
            text.len = 0;
        }
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
