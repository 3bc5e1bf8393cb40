/* SPDX-License-Identifier: Apache-2.0 */
/* side_json.c - groups from what `mlscore score` wrote as JSON, one object, or as NDJSON, one a line. */
#include <math.h>
#include <string.h>

#include "compare/side.h"
#include "mlscore/value.h"

/* An export on its way in. */
typedef struct json_reading {
    const mls_side_reading *side;
    mls_arena scratch; /* of the value that is read */
    size_t line;       /* that it begins in */
    mls_error *error;
} json_reading;

static mls_status refuse_export(const json_reading *reading, const char *what)
{
    return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "%s", what);
}

/* A json_member_of's span; ptr NULL: there is none, or it is null. */
static mls_str json_member_of(mls_str object, const char *name)
{
    mls_str span;
    const bool known = object.ptr != NULL && mls_json_member(object, mls_str_from(name), &span);
    return known && mls_json_kind_of(span) != MLS_JSON_NULL ? span : (mls_str){0};
}

static bool json_is(mls_str span, mls_json_kind kind)
{
    return span.ptr != NULL && mls_json_kind_of(span) == kind;
}

static bool is_true(mls_str span)
{
    return mls_str_equal(span, MLS_S("true"));
}

static double json_number_of(mls_str object, const char *name)
{
    double number;
    const mls_str span = json_member_of(object, name);
    return json_is(span, MLS_JSON_NUMBER) && mls_json_number(span, &number) ? number : (double)NAN;
}

/* A text json_member_of, NUL-terminated; NULL where it is none.  False: no memory. */
static bool json_text_of(mls_arena *arena, mls_str object, const char *name, const char **text)
{
    mls_str decoded;
    const mls_str span = json_member_of(object, name);
    *text = NULL;
    if (!json_is(span, MLS_JSON_STRING)) {
        return true;
    }
    if (mls_json_string(span, arena, &decoded)) {
        *text = mls_arena_copy(arena, decoded).ptr;
    }
    return *text != NULL;
}

static bool take_object(mls_arena *arena, mls_str object, mls_settings *to)
{
    mls_raw_member value;
    bool ok = true;
    for (mls_json_walk walk = mls_json_walk_begin(object); ok && mls_json_walk_next(&walk, &value);) {
        const mls_str quoted = {value.name.ptr - 1, value.name.len + 2};
        mls_str key;
        ok = mls_json_string(quoted, arena, &key) && (key = mls_arena_copy(arena, key)).ptr != NULL &&
             mls_setting_add_json(arena, to, key, mls_arena_copy(arena, value.value));
    }
    return ok;
}

static void take_json_parts(mls_str parts, mls_side_run *run)
{
    const double ms[MLS_PART_COUNT] = {json_number_of(parts, "training_ms"), json_number_of(parts, "evaluation_ms"),
                                       json_number_of(parts, "startup_ms"), json_number_of(parts, "between_ms"),
                                       json_number_of(parts, "tail_ms")};
    mls_side_parts(run, json_is(json_member_of(parts, "by"), MLS_JSON_STRING), ms,
                   json_number_of(parts, "evaluations"));
}

/* What the export says of where the runs were made. */
static bool take_json_environment(mls_arena *arena, const mls_side_group *group, mls_str nodes, mls_side_run *run)
{
    double count = json_is(nodes, MLS_JSON_LIST) ? 0 : (double)NAN;
    mls_raw_member node;
    for (mls_json_walk walk = mls_json_walk_begin(nodes); mls_json_walk_next(&walk, &node);) {
        count++;
    }
    return mls_setting_add_text(arena, &run->environment, "config", group->config) &&
           mls_setting_add_number(arena, &run->environment, MLS_S("nodes"), count) &&
           mls_setting_add_number(arena, &run->environment, MLS_S("accelerators"), group->accelerators) &&
           mls_setting_add_text(arena, &run->environment, "accelerator", group->accelerator);
}

static mls_status take_json_run(const json_reading *reading, mls_str json, mls_side_group *group)
{
    mls_arena *arena = reading->side->arena;
    const char *mark;
    if (!json_is(json_member_of(json, "file"), MLS_JSON_STRING) ||
        !json_is(json_member_of(json, "valid"), MLS_JSON_BOOL)) {
        return refuse_export(reading, "a run without the members file and valid");
    }
    mls_side_run *run = mls_side_run_add(arena, group);
    if (run == NULL || !json_text_of(arena, json, "file", &run->file) ||
        !json_text_of(arena, json, "unit", &run->unit) || !json_text_of(arena, json, "counted", &mark)) {
        return MLS_ERROR_MEMORY;
    }
    run->valid = is_true(json_member_of(json, "valid"));
    run->minutes = json_number_of(json, "minutes");
    run->init_minutes = json_number_of(json, "init_minutes");
    run->to_converge = json_number_of(json, "to_converge");
    run->unit = isnan(run->to_converge) ? NULL : run->unit;
    run->mark = mls_side_mark(mark, run);
    run->has_ms = mls_whole_ms(json_number_of(json, "stop_ms") - json_number_of(json, "start_ms"), &run->ms);
    run->has_init = mls_whole_ms(run->init_minutes * 60000, &run->init_ms);
    take_json_parts(json_member_of(json, "parts"), run);
    return take_object(arena, json_member_of(json, "hyperparameters"), &run->settings) &&
                   take_json_environment(arena, group, json_member_of(json, "nodes"), run)
               ? MLS_OK
               : MLS_ERROR_MEMORY;
}

static mls_status take_json_group(const json_reading *reading, mls_str json)
{
    mls_arena *arena = reading->side->arena;
    const char *division;
    const char *usage;
    const double dropped = json_number_of(json, "dropped");
    if (!json_is(json_member_of(json, "path"), MLS_JSON_STRING) ||
        !json_is(json_member_of(json, "runs"), MLS_JSON_LIST)) {
        return refuse_export(reading, "a group without the members path and runs: not what mlscore score writes");
    }
    mls_side_group *group = mls_side_group_add(reading->side);
    if (group == NULL || !json_text_of(arena, json, "path", &group->path) ||
        !json_text_of(arena, json, "benchmark", &group->benchmark) ||
        !json_text_of(arena, json, "config", &group->config) ||
        !json_text_of(arena, json, "accelerator", &group->accelerator) ||
        !json_text_of(arena, json, "edition", &group->edition) || !json_text_of(arena, json, "division", &division) ||
        !json_text_of(arena, json, "usage", &usage) || !mls_path_system(arena, group->path, &group->system_id)) {
        return MLS_ERROR_MEMORY;
    }
    group->edition = group->edition != NULL ? group->edition : "";
    group->division = mls_division_logged(division);
    if (usage != NULL && !mls_usage_from_name(mls_str_from(usage), &group->usage)) {
        return refuse_export(reading, "a usage that is neither training nor hpc");
    }
    group->global_batch_size = json_number_of(json, "global_batch_size");
    group->accelerators = json_number_of(json, "accelerators");
    group->score_minutes = json_number_of(json, "score_minutes");
    group->scaled_minutes = json_number_of(json, "scaled_minutes");
    group->scale = json_number_of(json, "scale");
    group->official = is_true(json_member_of(json, "official"));
    group->dropped = dropped > 0 && dropped < (double)MLS_WALK_FILES_MAX ? (size_t)dropped : 0;
    mls_status status = MLS_OK;
    mls_raw_member run;
    for (mls_json_walk walk = mls_json_walk_begin(json_member_of(json, "runs"));
         status == MLS_OK && mls_json_walk_next(&walk, &run);) {
        status = take_json_run(reading, run.value, group);
    }
    return status;
}

/* One value: an object with groups, or a group. */
static mls_status take_json_value(const json_reading *reading, mls_str json)
{
    const mls_str groups = json_member_of(json, "groups");
    mls_raw_member group;
    mls_status status = MLS_OK;
    if (groups.ptr == NULL) {
        return take_json_group(reading, json);
    }
    if (!json_is(groups, MLS_JSON_LIST)) {
        return refuse_export(reading, "groups is no list: not what mlscore score writes");
    }
    for (mls_json_walk walk = mls_json_walk_begin(groups); status == MLS_OK && mls_json_walk_next(&walk, &group);) {
        status = take_json_group(reading, group.value);
    }
    return status;
}

static mls_status read_export_value(json_reading *reading, mls_str text)
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

mls_status mls_side_read_json(const mls_side_reading *side, mls_str text, bool lines, mls_error *error)
{
    json_reading reading = {.side = side, .line = 1, .error = error};
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
