/* SPDX-License-Identifier: Apache-2.0 */
/* published_runs.c - read the runs of published results and their settings, convert a result to a group of a side, and
 * find the settings that differ between results.
 *
 * A table in src/data/published/runs contains the runs of a round.  After the first header, each line is a setting with
 * a logged value.  After the second header, each line is a result: the numbers of its settings, from 1 and ascending,
 * and its runs, each of which consists of numbers separated by blanks.  The start time of a run is given in
 * milliseconds after that of the previous run.  If only the total time of a run is known, the run has four numbers:
 * valid, to_converge, the total time, and the start time.  Only the line of the requested result is parsed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/data.h"
#include "base/map.h"
#include "base/number.h"
#include "base/statistics.h"
#include "compare/side.h"
#include "score/score.h"

#define RESULTS_HEADING "\nsystem_id|system_name|benchmark|unit|by|settings|"

/* The numbers of a run, in their order. */
enum { VALID, TO_CONVERGE, TRAINING, EVALUATION, EVALUATIONS, STARTUP, BETWEEN, TAIL, INIT, START, WORDS };

/* Number of columns of a run whose parts are unknown: VALID, TO_CONVERGE, total time, start. */
enum { TOTAL = TRAINING, TOTAL_START, TOTAL_WORDS };

/* Number of cells of a line before the first run. */
enum { BEFORE_RUNS = 6 };

enum { TABLE_NAME = 128 };

/* Find the line of a result, and set *line to the rest of the line after system and benchmark.  The line contains the
 * name of the system only if several systems have the same identifier.  Return false if there is no line for the
 * result. */
static bool find_line(mls_str results, const mls_published_result *result, mls_str *line)
{
    const char *const names[] = {"", result->system->system_name};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        char start[512];
        mls_str rest;
        const int length =
            snprintf(start, sizeof start, "\n%s|%s|%s|", result->system->system_id, names[i], result->benchmark);
        found = length > 0 && (size_t)length < sizeof start &&
                mls_str_after(results, (mls_str){start, (size_t)length}, &rest);
        if (found)
            (void)mls_str_cut(&rest, '\n', line);
    }
    return found;
}

/* Parse the rest of a result's line: the unit, blocks or epochs, the numbers of its settings, and its runs.  `head` is
 * the part of the table with the settings. */
static mls_status take_result_line(mls_published_runs *to, mls_str line, mls_str head)
{
    mls_str cell;
    mls_str numbers;
    double clock = 0;
    bool more = mls_str_cut(&line, '|', &cell);
    to->unit = mls_str_equal(cell, MLS_S("samples"))  ? "samples"
               : mls_str_equal(cell, MLS_S("epochs")) ? "epochs"
                                                      : NULL;
    more = more && mls_str_cut(&line, '|', &cell);
    to->by = mls_str_equal(cell, MLS_S("block"))   ? MLS_PARTS_BY_BLOCK
             : mls_str_equal(cell, MLS_S("epoch")) ? MLS_PARTS_BY_EPOCH
                                                   : MLS_PARTS_BY_NOTHING;
    if (!more || !mls_str_cut(&line, '|', &numbers))
        return MLS_ERROR_VALUE;
    size_t place = 0;
    for (mls_str word = mls_str_word(&numbers); word.len > 0; word = mls_str_word(&numbers)) {
        size_t wanted = 0;
        mls_str row = {0};
        mls_published_setting setting = {.differs = false};
        bool found = mls_size_parse(word, &wanted) && wanted > place;
        for (; found && place < wanted; place++)
            found = head.len > 0 && (mls_str_cut(&head, '\n', &row) || place + 1 == wanted);
        if (!found || !mls_str_cut(&row, '|', &setting.key))
            return MLS_ERROR_VALUE;
        setting.value = row;
        MLS_GROW(&to->settings, items);
        to->settings.items[to->settings.count++] = setting;
    }
    while (more) { /* `-` is unknown */
        double columns[WORDS];
        int words = 0;
        more = mls_str_cut(&line, '|', &cell);
        if (!more && cell.len == 0 && to->runs.count == 0)
            break; /* only settings are known */
        for (mls_str word = mls_str_word(&cell); word.len > 0; word = mls_str_word(&cell), words++) {
            if (words == WORDS)
                return MLS_ERROR_VALUE;
            columns[words] = (double)NAN;
            if (!mls_str_equal(word, MLS_S("-")) && !mls_number_parse(word, &columns[words]))
                return MLS_ERROR_VALUE;
        }
        double total = 0;
        if (words == TOTAL_WORDS) {
            total = columns[TOTAL];
            columns[START] = columns[TOTAL_START];
            for (int i = TRAINING; i < START; i++)
                columns[i] = (double)NAN;
        } else if (words != WORDS) {
            return MLS_ERROR_VALUE;
        }
        mls_published_run run = {.valid = columns[VALID] > 0,
                                 .to_converge = columns[TO_CONVERGE],
                                 .part_ms = {[MLS_PART_TRAINING] = columns[TRAINING],
                                             [MLS_PART_EVALUATION] = columns[EVALUATION],
                                             [MLS_PART_STARTUP] = columns[STARTUP],
                                             [MLS_PART_BETWEEN] = columns[BETWEEN],
                                             [MLS_PART_TAIL] = columns[TAIL]},
                                 .evaluations = columns[EVALUATIONS],
                                 .init_ms = columns[INIT],
                                 .start_ms = clock + columns[START]};
        run.ms = total;
        for (int part = 0; part < MLS_PART_COUNT && words == WORDS; part++)
            run.ms += part == MLS_PART_EVALUATION && isnan(run.part_ms[part]) ? 0 : run.part_ms[part];
        clock = isnan(run.start_ms) ? clock : run.start_ms;
        MLS_GROW(&to->runs, items);
        to->runs.items[to->runs.count++] = run;
    }
    return MLS_OK;
}

static mls_str find_table(const mls_published_result *result, char name[TABLE_NAME])
{
    (void)snprintf(name, TABLE_NAME, "published/runs/%s-%s.table", mls_usage_name(result->usage), result->round);
    return mls_data_find(name);
}

mls_status mls_published_open(const mls_published_result *result, mls_published_runs *runs, mls_error *error)
{
    char name[TABLE_NAME];
    mls_str results;
    mls_str line;
    *runs = (mls_published_runs){0};
    mls_str head = find_table(result, name);
    if (head.ptr == NULL)
        return MLS_OK;
    mls_status status = MLS_ERROR_VALUE;
    if (mls_str_after(head, MLS_S(RESULTS_HEADING), &results)) {
        head.len = (size_t)(results.ptr - head.ptr) - strlen(RESULTS_HEADING);
        (void)mls_str_cut(&head, '\n', &line); /* skip the header of the results */
        status = find_line(results, result, &line) ? take_result_line(runs, line, head) : MLS_OK;
        if (runs->unit != NULL && strcmp(runs->unit, "epochs") == 0)
            runs->unit = mls_epoch_unit(result->benchmark);
    }
    return status == MLS_OK
               ? MLS_OK
               : mls_error_set(error, status, 0, 0, "src/data/%s: broken table of published runs, at %s on %s", name,
                               result->system->system_id, result->benchmark);
}

mls_status mls_published_next_start(mls_published_starts *starts)
{
    while (starts->left.ptr != NULL) {
        mls_str run;
        double after;
        if (!mls_str_cut(&starts->left, '|', &run))
            starts->left = (mls_str){NULL, 0};
        const char *blank = run.len > 0 ? memrchr(run.ptr, ' ', run.len) : NULL;
        const mls_str word = blank != NULL ? (mls_str){blank + 1, run.len - (size_t)(blank + 1 - run.ptr)} : run;
        if (word.len == 0 || mls_str_equal(word, MLS_S("-")))
            continue;
        if (!mls_number_parse(word, &after))
            return MLS_ERROR_VALUE;
        starts->start_ms += after;
        return MLS_OK;
    }
    return MLS_STOPPED;
}

mls_published_starts mls_published_starts_of(const mls_published_result *result)
{
    char name[TABLE_NAME];
    mls_published_starts starts = {.round = mls_str_from(result->round),
                                   .system_id = mls_str_from(result->system->system_id),
                                   .benchmark = mls_str_from(result->benchmark)};
    mls_str results;
    mls_str line;
    mls_str cell;
    const mls_str table = find_table(result, name);
    if (table.ptr != NULL && mls_str_after(table, MLS_S(RESULTS_HEADING), &results) &&
        find_line(results, result, &line)) {
        bool more = true;
        /* Skip the cells before the runs; system and benchmark were already removed. */
        for (int i = BEFORE_RUNS - 3; i > 0 && more; i--)
            more = mls_str_cut(&line, '|', &cell);
        starts.left = more ? line : (mls_str){NULL, 0};
    }
    return starts;
}

mls_status mls_published_each_starts(mls_usage usage, mls_status (*take)(void *state, mls_published_starts *starts),
                                     void *state)
{
    char folder[64];
    mls_status status = MLS_OK;
    (void)snprintf(folder, sizeof folder, "published/runs/%s-", mls_usage_name(usage));
    for (const mls_data_file *file = mls_data_files; file->name != NULL && status == MLS_OK; file++) {
        mls_str round = mls_str_from(file->name);
        mls_str line;
        mls_str rest;
        if (!mls_str_starts(round, mls_str_from(folder)))
            continue;
        round = (mls_str){round.ptr + strlen(folder), round.len - strlen(folder) - strlen(".table")};
        bool more = mls_str_after(mls_data_text(file), MLS_S(RESULTS_HEADING), &rest) &&
                    mls_str_cut(&rest, '\n', &line); /* skip the rest of the header */
        status = more ? MLS_OK : MLS_ERROR_VALUE;
        while (more && status == MLS_OK) {
            mls_published_starts starts = {.round = round};
            more = mls_str_cut(&rest, '\n', &line);
            if (line.len > 0) {
                mls_str cells[BEFORE_RUNS] = {{0}};
                bool cells_more = true;
                for (int i = 0; i < BEFORE_RUNS; i++)
                    cells_more = cells_more && mls_str_cut(&line, '|', &cells[i]);
                starts.system_id = cells[0];
                starts.benchmark = cells[2];
                starts.left = line;
                status = cells_more ? take(state, &starts) : MLS_ERROR_VALUE;
            }
        }
    }
    return status;
}

void mls_published_runs_release(mls_published_runs *runs)
{
    free(runs->runs.items);
    free(runs->settings.items);
    *runs = (mls_published_runs){0};
}

const char *mls_no_score_reason(const mls_side_group *group)
{
    return group->published != NULL && !mls_published_is_precise(group->published->known) ? "score not known exactly"
                                                                                          : "no score";
}

mls_status mls_published_group(mls_arena *arena, const mls_published_result *result, const mls_benchmark *rules,
                               bool select_window, mls_side_group *group, mls_error *error)
{
    const mls_published_system *system = result->system;
    const bool precise = mls_published_is_precise(result->known);
    mls_published_runs opened;
    *group = (mls_side_group){.published = result,
                              .path = mls_arena_printf(arena, MLS_PUBLISHED_PREFIX "%s/%s/%s/%s", result->round,
                                                       system->submitter, system->system_id, result->benchmark),
                              .edition = mls_arena_printf(arena, "%s.0", result->round),
                              .benchmark = result->benchmark,
                              .accelerator = system->model.text[0] != '\0' ? system->model.text : NULL,
                              .system_id = system->system_id,
                              .usage = result->usage,
                              .division = system->division,
                              .global_batch_size = result->global_batch_size,
                              .accelerators = system->accelerators,
                              .score_minutes = NAN,
                              .scale = result->scale_factor,
                              .scaled_minutes = precise ? result->minutes : (double)NAN};
    const mls_status status = mls_published_open(result, &opened, error);
    if (status == MLS_OK && opened.runs.count > 0) {
        const mls_str batch = mls_published_setting_of(&opened, MLS_S("global_batch_size"));
        if (isnan(group->global_batch_size) && batch.ptr != NULL)
            (void)mls_number_parse(batch, &group->global_batch_size);
        /* Score the runs like runs of logs, and add them with their common settings and environment. */
        const size_t count = opened.runs.count;
        mls_run *timed = mls_calloc(count + 1, sizeof *timed);
        const mls_run **runs = mls_calloc(count + 1, sizeof *runs);
        mls_group scored = {.rules = rules, .runs = runs, .run_count = count};
        const mls_side_place place = {.nodes = system->nodes,
                                      .host_processor = system->host_processor,
                                      .framework = system->framework,
                                      .precision = result->precision};
        mls_side_run alike = {0}; /* members that all runs share */
        for (size_t i = 0; i < opened.settings.count; i++)
            mls_setting_add_json(arena, &alike.settings, opened.settings.items[i].key, opened.settings.items[i].value);
        mls_side_run_environment(arena, &alike, &place, group);
        for (size_t i = 0; i < count; i++) {
            const mls_published_run *run = &opened.runs.items[i];
            const double start = isnan(run->start_ms) ? 0 : run->start_ms;
            timed[i] = (mls_run){
                .valid = run->valid, .run_start = {.time_ms = start}, .run_stop = {.time_ms = start + run->ms}};
            runs[i] = &timed[i];
        }
        mls_group_olympic(&scored, select_window);
        for (size_t i = 0; i < count; i++) {
            const mls_published_run *run = &opened.runs.items[i];
            mls_side_run made = {.file = mls_arena_printf(arena, "%s/run %zu", group->path, i + 1),
                                 .valid = run->valid,
                                 .mark = scored.marks[i],
                                 .start_ms = run->start_ms,
                                 .minutes = mls_run_minutes(&timed[i]),
                                 .init_minutes = run->init_ms / 60000,
                                 .to_converge = run->to_converge,
                                 .unit = isnan(run->to_converge) ? NULL : opened.unit,
                                 .settings = alike.settings,
                                 .environment = alike.environment};
            mls_side_run_times(&made, run->ms, run->init_ms);
            mls_side_run_parts(&made, !isnan(run->part_ms[MLS_PART_TRAINING]), run->part_ms, run->evaluations);
            MLS_ARENA_ADD(arena, &group->runs, made);
        }
        group->official = scored.score.official;
        group->dropped = scored.score.dropped;
        group->score_minutes = scored.score.score_minutes;
        free(scored.marks);
        free((void *)runs);
        free(timed);
    }
    mls_published_runs_release(&opened);
    return status;
}

#define BATCH_SIZE MLS_S("global_batch_size")

/* A setting of several results: its first value, the number of results with a value, and whether the values differ. */
typedef struct key_row {
    mls_str value;
    size_t known;
    bool differs;
} key_row;

mls_str mls_published_setting_of(const mls_published_runs *runs, mls_str key)
{
    for (size_t i = 0; i < runs->settings.count; i++)
        if (mls_str_equal(runs->settings.items[i].key, key))
            return runs->settings.items[i].value;
    return (mls_str){0};
}

static int compare_opened_keys(const void *left, const void *right)
{
    const mls_published_key *a = left;
    const mls_published_key *b = right;
    const bool first = mls_str_equal(a->name, BATCH_SIZE);
    const bool second = mls_str_equal(b->name, BATCH_SIZE);
    const int order = first != second ? second - first : mls_compare_sizes(b->known, a->known);
    return order != 0 ? order : mls_str_compare(a->name, b->name);
}

mls_status mls_published_open_all(mls_published_hit *hits, size_t count, mls_published_opened *opened, mls_error *error)
{
    mls_arena arena = {0};
    mls_map keys = {.arena = &arena};
    mls_status status = MLS_OK;
    *opened = (mls_published_opened){.items = mls_calloc(count + 1, sizeof *opened->items)};
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        mls_published_runs *runs = &opened->items[opened->count++];
        status = mls_published_open(hits[i].result, runs, error);
        hits[i].opened = runs;
        for (size_t k = 0; k < runs->settings.count; k++) {
            const mls_published_setting *setting = &runs->settings.items[k];
            bool added;
            mls_map_entry *entry = mls_map_put(&keys, setting->key, &added);
            if (added)
                entry->value.pointer = mls_arena_zeroed(&arena, 1, sizeof(key_row));
            key_row *row = entry->value.pointer;
            row->value = added ? setting->value : row->value;
            double x; /* compare numbers by value, not as text */
            double y;
            row->differs |= !mls_str_equal(row->value, setting->value) &&
                            !(mls_number_parse(row->value, &x) && mls_number_parse(setting->value, &y) && x == y);
            row->known++;
        }
    }
    /* Mark the settings that differ, and list their names, which are texts of the settings. */
    for (size_t i = 0; i < opened->count; i++) {
        for (size_t k = 0; k < opened->items[i].settings.count; k++) {
            mls_published_setting *setting = &opened->items[i].settings.items[k];
            key_row *row = mls_map_find(&keys, setting->key)->value.pointer;
            setting->differs = row->differs;
            if (row->differs && row->known > 0) {
                MLS_GROW(&opened->keys, items);
                opened->keys.items[opened->keys.count++] = (mls_published_key){setting->key, row->known};
                row->known = 0; /* do not list it again */
            }
        }
    }
    if (opened->keys.count > 1)
        qsort(opened->keys.items, opened->keys.count, sizeof *opened->keys.items, compare_opened_keys);
    mls_arena_release(&arena);
    return status;
}

void mls_published_opened_release(mls_published_opened *opened)
{
    for (size_t i = 0; i < opened->count; i++)
        mls_published_runs_release(&opened->items[i]);
    free(opened->items);
    free(opened->keys.items);
    *opened = (mls_published_opened){0};
}
