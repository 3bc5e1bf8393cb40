/* SPDX-License-Identifier: Apache-2.0 */
/* published_runs.c - the runs of a published result, and what all of them were set up with.
 *
 * A table of src/data/published/runs names below its first line the settings of a round, each with a value as it was
 * logged, and below its second heading has a line for each result: its settings by their numbers, from 1 and rising,
 * and its runs, numbers between blanks.  A run starts so many milliseconds after the one before it.  Only the line that
 * is asked for is taken apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"
#include "base/number.h"
#include "compare/published/published.h"

#define RESULTS_HEADING "\nsystem_id|system_name|benchmark|unit|by|settings|"

/* The words of a run, in their order. */
enum { VALID, TO_CONVERGE, TRAINING, EVALUATION, EVALUATIONS, STARTUP, BETWEEN, TAIL, INIT, START, WORDS };

/* Cells of a line before its runs. */
enum { BEFORE_RUNS = 6 };

enum { TABLE_NAME = 128 };

/* Finds the rest of the line that names a system and a benchmark; false: there is none. */
static bool find_result_line(mls_str results, const mls_published_result *result, const char *name, mls_str *line)
{
    char start[512];
    const int length = snprintf(start, sizeof start, "\n%s|%s|%s|", result->system->system_id, name, result->benchmark);
    mls_str rest;
    if (length < 0 || (size_t)length >= sizeof start ||
        !mls_str_after(results, (mls_str){start, (size_t)length}, &rest)) {
        return false;
    }
    (void)mls_str_cut(&rest, '\n', line);
    return true;
}

/* The line of a result; only of systems that share their identifier the name stands there too. */
static bool find_line(mls_str results, const mls_published_result *result, mls_str *line)
{
    return find_result_line(results, result, "", line) ||
           find_result_line(results, result, result->system->system_name, line);
}

/* Adds the settings that have these numbers. */
static mls_status take_published_settings(mls_published_runs *to, mls_str numbers, mls_str head)
{
    mls_str line;
    size_t place = 0;
    for (mls_str word = mls_str_word(&numbers); word.len > 0; word = mls_str_word(&numbers)) {
        size_t wanted = 0;
        mls_published_setting setting = {.differs = false};
        bool more = mls_size_parse(word, &wanted) && wanted > place;
        for (; more && place < wanted; place++) {
            more = head.len > 0 && (mls_str_cut(&head, '\n', &line) || place + 1 == wanted);
        }
        if (!more || !mls_str_cut(&line, '|', &setting.key)) {
            return MLS_ERROR_VALUE;
        }
        setting.value = line;
        if (!MLS_GROW(&to->settings, items)) {
            return MLS_ERROR_MEMORY;
        }
        to->settings.items[to->settings.count++] = setting;
    }
    return MLS_OK;
}

/* A run of ten words; `-` is not known. */
static mls_status take_published_run(mls_published_runs *to, mls_str words, double *clock)
{
    double numbers[WORDS];
    for (int i = 0; i < WORDS; i++) {
        const mls_str word = mls_str_word(&words);
        numbers[i] = (double)NAN;
        if (!mls_str_equal(word, MLS_S("-")) && !mls_number_parse(word, &numbers[i])) {
            return MLS_ERROR_VALUE;
        }
    }
    if (!MLS_GROW(&to->runs, items)) {
        return MLS_ERROR_MEMORY;
    }
    mls_published_run *run = &to->runs.items[to->runs.count++];
    *run = (mls_published_run){.valid = numbers[VALID] > 0,
                               .to_converge = numbers[TO_CONVERGE],
                               .part_ms = {[MLS_PART_TRAINING] = numbers[TRAINING],
                                           [MLS_PART_EVALUATION] = numbers[EVALUATION],
                                           [MLS_PART_STARTUP] = numbers[STARTUP],
                                           [MLS_PART_BETWEEN] = numbers[BETWEEN],
                                           [MLS_PART_TAIL] = numbers[TAIL]},
                               .evaluations = numbers[EVALUATIONS],
                               .init_ms = numbers[INIT],
                               .start_ms = *clock + numbers[START]};
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        run->ms += part == MLS_PART_EVALUATION && isnan(run->part_ms[part]) ? 0 : run->part_ms[part];
    }
    *clock = isnan(run->start_ms) ? *clock : run->start_ms;
    return mls_str_word(&words).len == 0 ? MLS_OK : MLS_ERROR_VALUE;
}

/* A line behind its system and benchmark: unit, by what training is measured, settings, runs. */
static mls_status take_result_line(mls_published_runs *to, mls_str line, mls_str head)
{
    mls_str cell;
    double clock = 0;
    bool more = mls_str_cut(&line, '|', &cell);
    to->unit = mls_str_equal(cell, MLS_S("samples"))  ? "samples"
               : mls_str_equal(cell, MLS_S("epochs")) ? "epochs"
                                                      : NULL;
    more = more && mls_str_cut(&line, '|', &cell);
    to->by = mls_str_equal(cell, MLS_S("block"))   ? MLS_PARTS_BY_BLOCK
             : mls_str_equal(cell, MLS_S("epoch")) ? MLS_PARTS_BY_EPOCH
                                                   : MLS_PARTS_BY_NOTHING;
    more = more && mls_str_cut(&line, '|', &cell);
    mls_status status = more ? take_published_settings(to, cell, head) : MLS_ERROR_VALUE;
    while (more && status == MLS_OK) {
        more = mls_str_cut(&line, '|', &cell);
        status = take_published_run(to, cell, &clock);
    }
    return status;
}

/* The name of the table that the runs of a result stand in, and the table. */
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
    if (head.ptr == NULL) {
        return MLS_OK;
    }
    mls_status status = MLS_ERROR_VALUE;
    if (mls_str_after(head, MLS_S(RESULTS_HEADING), &results)) {
        head.len = (size_t)(results.ptr - head.ptr) - strlen(RESULTS_HEADING);
        (void)mls_str_cut(&head, '\n', &line); /* its heading */
        status = find_line(results, result, &line) ? take_result_line(runs, line, head) : MLS_OK;
        if (runs->unit != NULL && strcmp(runs->unit, "epochs") == 0) {
            runs->unit = mls_epoch_unit(result->benchmark);
        }
    }
    return status == MLS_OK ? MLS_OK
           : status == MLS_ERROR_MEMORY
               ? mls_error_memory(error)
               : mls_error_set(error, status, 0, 0, "src/data/%s: broken table of published runs, at %s on %s", name,
                               result->system->system_id, result->benchmark);
}

mls_status mls_published_next_start(mls_published_starts *starts)
{
    while (starts->left.ptr != NULL) {
        mls_str run;
        double after;
        if (!mls_str_cut(&starts->left, '|', &run)) {
            starts->left = (mls_str){NULL, 0};
        }
        const char *blank = run.len > 0 ? memrchr(run.ptr, ' ', run.len) : NULL;
        const mls_str word = blank != NULL ? (mls_str){blank + 1, run.len - (size_t)(blank + 1 - run.ptr)} : run;
        if (mls_str_equal(word, MLS_S("-"))) {
            continue;
        }
        if (!mls_number_parse(word, &after)) {
            return MLS_ERROR_VALUE;
        }
        starts->start_ms += after;
        return MLS_OK;
    }
    return MLS_STOPPED;
}

/* The starts of the result whose line this is. */
static mls_status open_starts(mls_str line, mls_published_starts *starts)
{
    mls_str cells[BEFORE_RUNS];
    bool more = true;
    for (int i = 0; i < BEFORE_RUNS; i++) {
        more = more && mls_str_cut(&line, '|', &cells[i]);
    }
    if (!more) {
        return MLS_ERROR_VALUE;
    }
    starts->system_id = cells[0];
    starts->benchmark = cells[2];
    starts->left = line;
    return MLS_OK;
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
        for (int i = BEFORE_RUNS - 3; i > 0 && more; i--) { /* its system and benchmark are gone */
            more = mls_str_cut(&line, '|', &cell);
        }
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
        if (!mls_str_starts(round, mls_str_from(folder))) {
            continue;
        }
        round = (mls_str){round.ptr + strlen(folder), round.len - strlen(folder) - strlen(".table")};
        bool more =
            mls_str_after((mls_str){file->begin, (size_t)(file->end - file->begin)}, MLS_S(RESULTS_HEADING), &rest) &&
            mls_str_cut(&rest, '\n', &line); /* the rest of the heading */
        status = more ? MLS_OK : MLS_ERROR_VALUE;
        while (more && status == MLS_OK) {
            mls_published_starts starts = {.round = round};
            more = mls_str_cut(&rest, '\n', &line);
            if (line.len > 0) {
                status = open_starts(line, &starts);
                status = status == MLS_OK ? take(state, &starts) : status;
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
