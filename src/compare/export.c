/* SPDX-License-Identifier: Apache-2.0 */
/* export.c - read groups from an export: output of `mlscore score` in the format CSV, JSON or NDJSON.
 *
 * score/export.h lists the columns of CSV and members of JSON objects that are read.  If numbers in an export
 * contradict each other, it was edited or concatenated, and is rejected. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/number.h"
#include "compare/side.h"
#include "score/export.h"
#include "score/score.h"
#include "json/text_table.h"
#include "json/value.h"

#define MLS_EXPORT_LIST(F) MLS_SCORE_COLUMN_LIST(F) MLS_WIDE_COLUMN_LIST(F) MLS_PLACE_COLUMN_LIST(F)

#define MLS_EXPORT_DECLARE_TEXT(name) const char *name;
#define MLS_EXPORT_DECLARE_NUMBER(name) double name;
#define MLS_EXPORT_DECLARE_BOOL(name) bool name;
#define MLS_EXPORT_DECLARE_UNREAD(name)
#define MLS_EXPORT_DECLARE(name, kind, object, use) MLS_EXPORT_DECLARE_##kind(name)

/* The cells of a row of CSV, or the members of a run and its group in JSON.  NULL and NAN: unknown. */
typedef struct export_row {
    MLS_EXPORT_LIST(MLS_EXPORT_DECLARE)
} export_row;

typedef struct export_group {
    mls_side_group *group;
    size_t line;    /* line number at which the group begins */
    double dropped; /* number of dropped runs in the export; NAN: not in the export */
    bool marked;    /* every run in the export has a mark: whether it was kept or why not */
} export_group;

#define MEMBER(name, kind, flags) MLS_COLUMN_OF(export_row, name, kind, flags),
#define MEMBER_TEXT(name, flags) MEMBER(name, TEXT, flags)
#define MEMBER_NUMBER(name, flags) MEMBER(name, NUMBER, flags)
#define MEMBER_BOOL(name, flags) MEMBER(name, BOOL, flags)
#define MEMBER_UNREAD(name, flags)
#define DESCRIBE(name, kind, object, use) MEMBER_##kind(name, MLS_EXPORT_##object | (use))
static const mls_row_member members[] = {MLS_EXPORT_LIST(DESCRIBE)};
enum { MEMBERS = sizeof members / sizeof *members };
_Static_assert((int)MLS_EXPORT_NEEDED == (int)MLS_MEMBER_NEEDED, "a flag of both");

/* Tolerances for numbers that a spreadsheet may have rounded: a relative one for numbers, and an absolute one for times
 * of runs in milliseconds. */
#define ROUNDED 1e-6
#define ROUNDED_MS 1.0

/* Return whether two numbers are equal within the tolerance ROUNDED, or one of them is unknown. */
static bool is_alike_number(double a, double b)
{
    return !(fabs(a - b) > ROUNDED * fmax(fabs(a), fabs(b)));
}

/* Return the mark of a run.  If a valid run has no mark in the export, it was kept. */
static mls_olympic_mark mark_of(const export_row *row)
{
    for (mls_olympic_mark mark = MLS_OLYMPIC_KEPT; row->counted != NULL && mark <= MLS_OLYMPIC_OUTSIDE; mark++)
        if (strcmp(row->counted, mls_olympic_mark_name(mark)) == 0)
            return mark;
    return row->valid && isfinite(row->minutes) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
}

static const char *check_group_row(const export_row *row, mls_arena *arena)
{
    const double scaled = row->score_minutes * row->scale;
    mls_usage usage;
    if (row->usage != NULL && !mls_usage_from_name(mls_str_from(row->usage), &usage))
        return mls_arena_printf(arena, "invalid usage '%s': expected training or hpc", row->usage);
    if (row->score_minutes <= 0)
        return mls_arena_printf(arena, "invalid score_minutes %s: expected a positive number",
                                mls_words_exact(row->score_minutes).text);
    if (row->scale <= 0)
        return mls_arena_printf(arena, "invalid scale %s: expected a positive number",
                                mls_words_exact(row->scale).text);
    if (!is_alike_number(row->scaled_minutes, scaled)) {
        return mls_arena_printf(arena, "scaled_minutes is %s, but score_minutes times scale is %s",
                                mls_words_exact(row->scaled_minutes).text, mls_words_exact(scaled).text);
    }
    if (row->dropped < 0 || floor(row->dropped) < row->dropped)
        return mls_arena_printf(arena, "invalid number of dropped runs %s: expected a whole number",
                                mls_words_exact(row->dropped).text);
    return row->accelerators <= 0
               ? mls_arena_printf(arena, "invalid number of accelerators %s: expected a positive number",
                                  mls_words_exact(row->accelerators).text)
               : NULL;
}

static const char *check_run_row(const export_row *row, mls_arena *arena)
{
    const double ms = row->stop_ms - row->start_ms;
    const mls_olympic_mark mark = mark_of(row);
    if (row->counted != NULL && mark != MLS_OLYMPIC_OUTSIDE && row->valid != (mark != MLS_OLYMPIC_DROPPED)) {
        return mls_arena_printf(arena, "the run is %s, but counted as '%s'", row->valid ? "valid" : "not valid",
                                row->counted);
    }
    if (row->valid && row->minutes <= 0)
        return mls_arena_printf(arena, "a valid run has %s minutes: expected a positive number",
                                mls_words_exact(row->minutes).text);
    if (!is_alike_number(row->minutes * 60000, ms) && fabs(row->minutes * 60000 - ms) > ROUNDED_MS) {
        return mls_arena_printf(arena, "minutes is %s, but start_ms and stop_ms give %s",
                                mls_words_exact(row->minutes).text, mls_words_exact(ms / 60000).text);
    }
    return NULL;
}

static const char *check_whole_group(const export_group *of, mls_arena *arena)
{
    const mls_side_group *group = of->group;
    size_t kept = 0;
    size_t dropped = 0;
    double sum = 0;
    double min = INFINITY; /* minimum and maximum minutes of the valid runs */
    double max = -(double)INFINITY;
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_side_run *run = &group->runs.items[i];
        dropped += run->mark == MLS_OLYMPIC_DROPPED;
        if (run->mark == MLS_OLYMPIC_KEPT) {
            sum += run->minutes;
            kept++;
        }
        if (run->valid) {
            min = fmin(min, run->minutes);
            max = fmax(max, run->minutes);
        }
    }
    const double mean = sum / (double)kept;
    const mls_words score = mls_words_exact(group->score_minutes);
    /* The group has a score, which is the mean of its kept runs. */
    const bool scored = isfinite(group->score_minutes) && !group->weak;
    if (scored && kept == 0)
        return mls_arena_printf(arena, "the score is %s minutes, but no run counts for it", score.text);
    if (scored && of->marked && !is_alike_number(group->score_minutes, mean)) {
        return mls_arena_printf(arena, "the score is %s minutes, but its runs give %s", score.text,
                                mls_words_exact(mean).text);
    }
    if (scored && (group->score_minutes < min * (1 - ROUNDED) || group->score_minutes > max * (1 + ROUNDED))) {
        return mls_arena_printf(arena, "the score is %s minutes, but its runs took %s to %s", score.text,
                                mls_words_exact(min).text, mls_words_exact(max).text);
    }
    const double most = of->marked ? (double)dropped : (double)group->runs.count;
    if (of->dropped > most || (of->marked && of->dropped < most)) {
        return mls_arena_printf(arena, "%s runs are stated as dropped, but the group has %s",
                                mls_words_exact(of->dropped).text, mls_words_exact(most).text);
    }
    return NULL;
}

/* The state of reading an export.  The runs of a group are usually adjacent, and their settings are usually equal.
 * Therefore, runs are collected in `runs` and copied to the group when it ends, and equal settings are stored once. */
typedef struct export_reading {
    mls_comparison *to;
    const mls_side *side;
    mls_error *error;
    size_t line; /* number of the current line */
    export_row row;
    mls_arena texts;    /* memory for the texts of `row` */
    mls_arena keys;     /* memory for the maps, and for groups that are being read */
    mls_map seen;       /* from the file and line of a run to its line in the export */
    mls_map setups;     /* from the text of all settings of a run to the stored settings */
    mls_buffer key;     /* a buffer for keys of maps */
    mls_side_group *of; /* the group of the runs in `runs` */
    MLS_LIST_OF(mls_side_run) runs;
    /* The following members are used for CSV only. */
    mls_text_table table;
    mls_map groups;  /* groups by the values of their key columns */
    mls_str *params; /* for each column, the name of its hyperparameter; ptr is NULL if it is another column */
    /* The following members are used for JSON only. */
    mls_arena scratch; /* memory for the current line */
    const char *at;    /* position up to which line feeds were counted */
    size_t at_line;    /* line number of `at` */
} export_reading;

static mls_status refuse_at(const export_reading *reading, size_t line, const char *reason)
{
    return reason != NULL ? mls_error_set(reading->error, MLS_ERROR_SYNTAX, line, 0, "%s", reason) : MLS_OK;
}

static mls_status refuse_export(const export_reading *reading, const char *reason)
{
    return refuse_at(reading, reading->line, reason);
}

static void flush_runs(export_reading *reading)
{
    mls_side_group *group = reading->of;
    const size_t count = reading->runs.count;
    if (count == 0)
        return;
    if (group->runs.capacity - group->runs.count < count) {
        const size_t doubled = group->runs.count * 2;
        const size_t wanted = group->runs.count + count > doubled ? group->runs.count + count : doubled;
        mls_side_run *items = mls_arena_array(reading->to->arena, wanted, sizeof *items);
        if (group->runs.count > 0)
            memcpy(items, group->runs.items, group->runs.count * sizeof *items);
        group->runs.items = items;
        group->runs.capacity = wanted;
    }
    memcpy(group->runs.items + group->runs.count, reading->runs.items, count * sizeof *group->runs.items);
    group->runs.count += count;
    reading->runs.count = 0;
}

static mls_status end_export(export_reading *reading, mls_status status)
{
    flush_runs(reading);
    for (size_t i = 0; i < reading->groups.count && status == MLS_OK; i++) {
        const export_group *group = reading->groups.entries[i].value.pointer;
        status = refuse_at(reading, group->line, check_whole_group(group, &reading->keys));
    }
    free(reading->runs.items);
    mls_buffer_release(&reading->key);
    mls_arena_release(&reading->scratch);
    mls_arena_release(&reading->texts);
    mls_arena_release(&reading->keys);
    return status;
}

static const char *kept_text(const export_reading *reading, const char *text)
{
    return text != NULL ? mls_arena_copy(reading->to->arena, mls_str_from(text)).ptr : NULL;
}

static export_group *add_export_group(export_reading *reading)
{
    const export_row *row = &reading->row;
    mls_side_group group = {
        .side = reading->side,
        .path = kept_text(reading, row->path != NULL ? row->path : ""),
        .benchmark = kept_text(reading, row->benchmark),
        .edition = kept_text(reading, row->edition != NULL ? row->edition : ""),
        .config = kept_text(reading, row->config),
        .system_id = kept_text(reading, row->system_id),
        .division = mls_division_logged(row->division),
        .global_batch_size = row->global_batch_size,
        .accelerators = row->accelerators,
        .accelerator = kept_text(reading, row->accelerator),
        .score_minutes = row->score_minutes,
        .scale = row->scale,
        .scaled_minutes = row->scaled_minutes,
        .official = row->official,
        .refused = mls_same_text(row->rcp_pass, "false") || mls_same_text(row->seeds_ok, "false"),
        .dropped = row->dropped > 0 && row->dropped < (double)MLS_WALK_FILES_MAX ? (size_t)row->dropped : 0};
    export_group *made = mls_arena_zeroed(&reading->keys, 1, sizeof *made);
    mls_str system;
    mls_str above;
    if (row->usage != NULL)
        (void)mls_usage_from_name(mls_str_from(row->usage), &group.usage);
    group.weak = mls_path_is_weak(group.usage, group.path);
    if (group.system_id == NULL && mls_folder_of_system(mls_str_from(group.path), &system, &above))
        group.system_id = mls_arena_copy(reading->to->arena, system).ptr;
    *made = (export_group){mls_side_group_add(reading->to, &group), reading->line, row->dropped, true};
    return made;
}

/* Return the settings stored for the text in reading->key.  If they are new, return empty settings and set *added. */
static mls_settings *find_setup(export_reading *reading, bool *added)
{
    mls_map_entry *entry = mls_map_put(&reading->setups, mls_buffer_str(&reading->key), added);
    if (*added)
        entry->value.pointer = mls_arena_zeroed(&reading->keys, 1, sizeof(mls_settings));
    return entry->value.pointer;
}

static void append_key(export_reading *reading, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(&reading->key, texts[i] != NULL ? texts[i] : "");
        mls_buffer_append_char(&reading->key, '\0');
    }
}

static mls_status add_export_run(export_reading *reading, const mls_settings *settings, export_group *to)
{
    const export_row *row = &reading->row;
    const double parts[MLS_PART_COUNT] = {[MLS_PART_STARTUP] = row->startup_ms,
                                          [MLS_PART_TRAINING] = row->training_ms,
                                          [MLS_PART_EVALUATION] = row->evaluation_ms,
                                          [MLS_PART_BETWEEN] = row->between_ms,
                                          [MLS_PART_TAIL] = row->tail_ms};
    const char *unit =
        row->unit != NULL && strcmp(row->unit, "epochs") == 0 ? mls_epoch_unit(row->benchmark) : row->unit;
    mls_side_run run = {.file = kept_text(reading, row->file != NULL ? row->file : ""),
                        .reason = kept_text(reading, row->valid ? NULL : row->reason),
                        .minutes = row->minutes,
                        .valid = row->valid,
                        .mark = mark_of(row),
                        .start_ms = row->start_ms,
                        .init_minutes = row->init_minutes,
                        .to_converge = row->to_converge,
                        .unit = kept_text(reading, isnan(row->to_converge) ? NULL : unit),
                        .settings = *settings};
    mls_side_run_times(&run, row->stop_ms - row->start_ms, row->init_minutes * 60000);
    mls_side_run_parts(&run, row->parts_by != NULL, parts, row->evaluations);
    to->marked &= row->counted != NULL;
    /* Reject a run with the same file and line as an earlier run, because a part of the export was copied or several
     * exports were concatenated. */
    bool added = true;
    if (row->file != NULL && !isnan(row->line)) {
        const double numbers[] = {row->line, row->start_ms, row->stop_ms};
        mls_buffer_clear(&reading->key);
        append_key(reading, &row->file, 1);
        mls_buffer_append(&reading->key, (mls_str){(const char *)numbers, sizeof numbers});
        mls_map_entry *entry = mls_map_put(&reading->seen, mls_buffer_str(&reading->key), &added);
        if (!added) {
            return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0, "duplicate of the run at line %zu",
                                 entry->value.number);
        }
        entry->value.number = reading->line;
    }
    if (reading->of != to->group)
        flush_runs(reading);
    reading->of = to->group;
    /* Add settings for the environment of the run.  Equal settings are stored once. */
    const mls_side_place place = {.config = row->run_config != NULL ? row->run_config : to->group->config,
                                  .container = row->container,
                                  .node_list = row->node_list,
                                  .organisation = row->submission_org,
                                  .platform = row->submission_platform,
                                  .precision = row->precision,
                                  .nodes = isnan(row->node_count) ? row->nodes : row->node_count};
    const char *const texts[] = {place.config,   place.container,        place.node_list, place.organisation,
                                 place.platform, to->group->accelerator, place.precision};
    const double numbers[] = {place.nodes, to->group->accelerators};
    mls_buffer_clear(&reading->key);
    mls_buffer_append_char(&reading->key, 'p');
    append_key(reading, texts, sizeof texts / sizeof *texts);
    mls_buffer_append(&reading->key, (mls_str){(const char *)numbers, sizeof numbers});
    mls_settings *setup = find_setup(reading, &added);
    if (added) {
        mls_side_run_environment(reading->to->arena, &run, &place, to->group);
        *setup = run.environment;
    }
    run.environment = *setup;
    MLS_GROW(&reading->runs, items);
    reading->runs.items[reading->runs.count++] = run;
    return MLS_OK;
}

static mls_status take_export_heading(void *state, const mls_text_row *heading)
{
    export_reading *reading = state;
    const size_t prefix = strlen(MLS_PARAM_PREFIX);
    reading->params = mls_arena_zeroed(&reading->keys, heading->count, sizeof *reading->params);
    for (size_t i = 0; i < heading->count; i++) {
        const mls_str name = heading->cells[i];
        if (mls_str_starts(name, MLS_S(MLS_PARAM_PREFIX)))
            reading->params[i] = mls_arena_copy(reading->to->arena, mls_key_meant(mls_str_rest(name, prefix)));
    }
    return MLS_OK;
}

static mls_status take_export_row(void *state, const mls_text_row *cells)
{
    export_reading *reading = state;
    bool added;
    reading->line = cells->line;
    const export_row *row = &reading->row;
    const char *wrong = check_group_row(row, &reading->texts);
    wrong = wrong == NULL ? check_run_row(row, &reading->texts) : wrong;
    if (wrong != NULL)
        return refuse_export(reading, wrong);
    /* Find or create the group of the row. */
    mls_buffer_clear(&reading->key);
    for (size_t k = 0; k < MEMBERS; k++) {
        if ((members[k].flags & MLS_EXPORT_KEY) != 0) {
            mls_buffer_append(&reading->key, mls_text_table_cell(&reading->table, cells, reading->table.at[k]));
            mls_buffer_append_char(&reading->key, '\0');
        }
    }
    mls_map_entry *entry = mls_map_put(&reading->groups, mls_buffer_str(&reading->key), &added);
    if (added)
        entry->value.pointer = add_export_group(reading);
    export_group *group = entry->value.pointer;
    /* Read the hyperparameters of the row. */
    mls_buffer_clear(&reading->key);
    mls_buffer_append_char(&reading->key, 's');
    for (size_t i = 0; i < cells->count; i++) {
        if (reading->params[i].ptr != NULL) {
            mls_buffer_append(&reading->key, mls_text_table_cell(&reading->table, cells, i + 1));
            mls_buffer_append_char(&reading->key, '\0');
        }
    }
    mls_settings *settings = find_setup(reading, &added);
    for (size_t i = 0; i < cells->count && added; i++) {
        if (reading->params[i].ptr != NULL) {
            mls_setting_add_shown(reading->to->arena, settings, reading->params[i],
                                  mls_text_table_cell(&reading->table, cells, i + 1));
        }
    }
    /* Check that the row has the same values as earlier rows of its group. */
    const struct {
        const char *name;
        double here, before;
    } numbers[] = {{"score_minutes", row->score_minutes, group->group->score_minutes},
                   {"scale", row->scale, group->group->scale},
                   {"scaled_minutes", row->scaled_minutes, group->group->scaled_minutes},
                   {"dropped", row->dropped, group->dropped},
                   {"accelerators", row->accelerators, group->group->accelerators}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (isnan(numbers[i].here) != isnan(numbers[i].before) ||
            !is_alike_number(numbers[i].here, numbers[i].before)) {
            return mls_error_set(reading->error, MLS_ERROR_SYNTAX, reading->line, 0,
                                 "%s differs from that of the same group at line %zu", numbers[i].name, group->line);
        }
    }
    const mls_status status = add_export_run(reading, settings, group);
    mls_arena_reset(&reading->texts);
    return status;
}

mls_status mls_side_read_csv(mls_comparison *to, const mls_side *side, mls_str text, mls_error *error)
{
    export_reading reading = {.to = to, .side = side, .error = error};
    reading.seen.arena = reading.setups.arena = reading.groups.arena = &reading.keys;
    reading.table = (mls_text_table){.what = "what mlscore score writes",
                                     .members = members,
                                     .count = MEMBERS,
                                     .options = MLS_TABLE_MARKED,
                                     .text = text,
                                     .arena = &reading.texts,
                                     .error = error,
                                     .take_heading = take_export_heading,
                                     .take_row = take_export_row,
                                     .state = &reading,
                                     .into = &reading.row};
    return end_export(&reading, mls_text_table_read(&reading.table));
}

/* A member of a JSON object that is a list or an object.  `span` is its JSON text; its ptr is NULL if the member is
 * missing or has another kind. */
typedef struct json_part {
    const char *name;
    mls_json_kind kind;
    mls_str span;
} json_part;

static void count_lines(export_reading *reading, mls_str span)
{
    for (; reading->at < span.ptr; reading->at++)
        reading->at_line += *reading->at == '\n';
    reading->line = reading->at_line;
}

/* Store a JSON value in the row.  If the value has the wrong kind or is not a valid number, it is unknown. */
static void take_member(export_reading *reading, const mls_row_member *member, mls_str json)
{
    static const mls_json_kind kinds[] = {
        [MLS_MEMBER_TEXT] = MLS_JSON_STRING, [MLS_MEMBER_NUMBER] = MLS_JSON_NUMBER, [MLS_MEMBER_BOOL] = MLS_JSON_BOOL};
    mls_str text = json.ptr != NULL && mls_json_kind_of(json) == kinds[member->kind] ? json : (mls_str){0};
    if (member->kind == MLS_MEMBER_TEXT && text.ptr != NULL)
        (void)mls_json_string(text, &reading->texts, &text);
    const mls_scalar cell = mls_scalar_of_text(member->kind, text);
    const char *wrong = mls_member_set(member, &cell, &reading->texts, &reading->row);
    (void)wrong; /* if the value is wrong, it remains unknown */
}

/* Store the members of a JSON object in the row, and find the members listed in `parts`, in one pass. */
static void take_members(export_reading *reading, mls_str object, unsigned of, json_part *parts, size_t part_count)
{
    mls_raw_member each;
    for (size_t k = 0; k < MEMBERS; k++)
        if ((members[k].flags & of) != 0)
            take_member(reading, &members[k], (mls_str){0});
    for (mls_json_walk walk = mls_json_walk_begin(object); mls_json_walk_next(&walk, &each);) {
        for (size_t k = 0; k < MEMBERS; k++) {
            if ((members[k].flags & of) != 0 && mls_str_equal(each.name, mls_str_from(members[k].name))) {
                take_member(reading, &members[k], each.value);
                break;
            }
        }
        for (size_t i = 0; i < part_count; i++)
            if (mls_str_equal(each.name, mls_str_from(parts[i].name)))
                parts[i].span = mls_json_kind_of(each.value) == parts[i].kind ? each.value : (mls_str){0};
    }
}

static mls_status take_json_run(export_reading *reading, mls_str json, export_group *group)
{
    enum { PARTS, NODES, SETTINGS, KINDS };
    export_row *row = &reading->row;
    json_part parts[KINDS] = {[PARTS] = {"parts", MLS_JSON_OBJECT, {0}},
                              [NODES] = {"nodes", MLS_JSON_LIST, {0}},
                              [SETTINGS] = {"hyperparameters", MLS_JSON_OBJECT, {0}}};
    json_part by = {"by", MLS_JSON_STRING, {0}};
    mls_raw_member node;
    mls_str valid;
    count_lines(reading, json);
    take_members(reading, json, MLS_EXPORT_RUN, parts, KINDS);
    take_members(reading, parts[PARTS].span, MLS_EXPORT_PARTS, &by, 1);
    if (row->file == NULL || !mls_json_member(json, MLS_S("valid"), &valid) || mls_json_kind_of(valid) != MLS_JSON_BOOL)
        return refuse_export(reading, "a run has no file or no valid member: not an export of mlscore score");
    row->parts_by = by.span.ptr;
    for (mls_json_walk walk = mls_json_walk_begin(parts[NODES].span);
         isnan(row->node_count) && mls_json_walk_next(&walk, &node);) {
        row->node_count = 1;
        while (mls_json_walk_next(&walk, &node))
            row->node_count++;
    }
    const char *wrong = check_run_row(row, &reading->texts);
    if (wrong != NULL)
        return refuse_export(reading, wrong);
    /* Read the hyperparameters, unless an object with the same text was read before. */
    mls_arena *arena = reading->to->arena;
    bool added;
    mls_raw_member member;
    mls_buffer_clear(&reading->key);
    mls_buffer_append_char(&reading->key, 's');
    mls_buffer_append(&reading->key, parts[SETTINGS].span);
    mls_settings *settings = find_setup(reading, &added);
    for (mls_json_walk walk = mls_json_walk_begin(parts[SETTINGS].span); added && mls_json_walk_next(&walk, &member);) {
        const mls_str quoted = {member.name.ptr - 1, member.name.len + 2};
        mls_str key;
        if (mls_json_string(quoted, arena, &key))
            mls_setting_add_json(arena, settings, mls_key_meant(key), member.value);
    }
    return add_export_run(reading, settings, group);
}

static mls_status take_json_group(export_reading *reading, mls_str json)
{
    mls_raw_member run;
    enum { RUNS, RCP, SEEDS, KINDS };
    json_part parts[KINDS] = {[RUNS] = {"runs", MLS_JSON_LIST, {0}},
                              [RCP] = {"rcp", MLS_JSON_OBJECT, {0}},
                              [SEEDS] = {"seeds", MLS_JSON_OBJECT, {0}}};
    mls_str passed;
    count_lines(reading, json);
    take_members(reading, json, MLS_EXPORT_GROUP, parts, KINDS);
    /* Convert these results of checks to texts, as in the columns of CSV. */
    if (parts[RCP].span.ptr != NULL && mls_json_member(parts[RCP].span, MLS_S("pass"), &passed) &&
        mls_str_equal(passed, MLS_S("false")))
        reading->row.rcp_pass = "false";
    if (parts[SEEDS].span.ptr != NULL && mls_json_member(parts[SEEDS].span, MLS_S("ok"), &passed) &&
        mls_str_equal(passed, MLS_S("false")))
        reading->row.seeds_ok = "false";
    if (reading->row.path == NULL || parts[RUNS].span.ptr == NULL)
        return refuse_export(reading, "a group has no path or no runs: not an export of mlscore score");
    const char *wrong = check_group_row(&reading->row, &reading->texts);
    if (wrong != NULL)
        return refuse_export(reading, wrong);
    mls_status status = MLS_OK;
    export_group *group = add_export_group(reading);
    for (mls_json_walk walk = mls_json_walk_begin(parts[RUNS].span);
         status == MLS_OK && mls_json_walk_next(&walk, &run);) {
        mls_arena_reset(&reading->texts);
        status = take_json_run(reading, run.value, group);
    }
    mls_arena_reset(&reading->texts);
    flush_runs(reading);
    return status == MLS_OK ? refuse_at(reading, group->line, check_whole_group(group, &reading->keys)) : status;
}

mls_status mls_side_read_json(mls_comparison *to, const mls_side *side, mls_str text, bool lines, mls_error *error)
{
    export_reading reading = {.to = to, .side = side, .error = error};
    mls_status status = MLS_OK;
    size_t line = 0;
    size_t values = 0;
    reading.seen.arena = reading.setups.arena = reading.groups.arena = &reading.keys;
    while (text.len > 0 && status == MLS_OK) {
        mls_str value = text;
        if (lines)
            (void)mls_str_cut(&text, '\n', &value);
        else
            text.len = 0;
        mls_str words = value;
        reading.line = ++line;
        if (mls_str_word(&words).len > 0) {
            mls_str json = {0};
            mls_error wrong;
            status = mls_json_document(value, lines ? &reading.scratch : NULL, &json, &wrong);
            mls_str groups = {0};
            mls_raw_member group;
            reading.at = json.ptr;
            reading.at_line = reading.line;
            if (status != MLS_OK) {
                reading.line += wrong.line - 1;
                status = refuse_export(&reading, wrong.message);
            } else if (!mls_json_member(json, MLS_S("groups"), &groups) || mls_json_kind_of(groups) == MLS_JSON_NULL) {
                status = take_json_group(&reading, json);
            } else if (mls_json_kind_of(groups) != MLS_JSON_LIST) {
                status = refuse_export(&reading, "'groups' is not a list: not an export of mlscore score");
            } else {
                mls_json_walk walk = mls_json_walk_begin(groups);
                while (status == MLS_OK && mls_json_walk_next(&walk, &group))
                    status = take_json_group(&reading, group.value);
            }
            mls_arena_reset(&reading.scratch);
            values++;
        }
    }
    if (status == MLS_OK && values == 0) {
        reading.line = line + 1;
        status = refuse_export(&reading, "empty: not an export of mlscore score");
    }
    return end_export(&reading, status);
}
