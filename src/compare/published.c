/* SPDX-License-Identifier: Apache-2.0 */
/*
 * published.c - reads the published results, and ranks them.
 *
 * A table of src/data/published has a line for each system, followed by lines for its results; the first two name the
 * fields of both, and a line of the one has more fields than one of the other.  Fields stand between bars: it is read
 * whenever scores are printed, and needs no quotes.
 */
#include <math.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "compare/side.h"

/* A field of a row, in the order in which they stand: a text (empty: NULL) or a number (NAN) of what the row becomes.
 */
typedef struct published_field {
    bool number;
    size_t offset;
} published_field;

typedef struct system_row {
    mls_published_system system; /* its name empty: its identifier */
    const char *division;
} system_row;

#define OF_SYSTEM(number, member)                                                                                      \
    {                                                                                                                  \
        number, offsetof(system_row, member)                                                                           \
    }
#define OF_RESULT(number, member)                                                                                      \
    {                                                                                                                  \
        number, offsetof(mls_published_result, member)                                                                 \
    }
static const published_field system_fields[] = {OF_SYSTEM(false, system.submitter),
                                                OF_SYSTEM(false, system.system_id),
                                                OF_SYSTEM(false, system.system_name),
                                                OF_SYSTEM(false, division),
                                                OF_SYSTEM(false, system.availability),
                                                OF_SYSTEM(true, system.nodes),
                                                OF_SYSTEM(true, system.accelerators_per_node),
                                                OF_SYSTEM(false, system.accelerator),
                                                OF_SYSTEM(false, system.host_processor),
                                                OF_SYSTEM(false, system.framework)};
static const published_field result_fields[] = {OF_RESULT(false, benchmark),   OF_RESULT(true, runs),
                                                OF_RESULT(true, runs_ok),      OF_RESULT(true, minutes),
                                                OF_RESULT(true, scale_factor), OF_RESULT(true, global_batch_size),
                                                OF_RESULT(true, to_converge)};
enum {
    SYSTEM_FIELDS = sizeof system_fields / sizeof *system_fields,
    RESULT_FIELDS = sizeof result_fields / sizeof *result_fields
};

/* Reading in progress. */
typedef struct published_reading {
    mls_published *to;
    size_t capacity;
    mls_published_result result; /* what those that follow have in common */
    bool memory;                 /* it ran out */
} published_reading;

static const char *copy_field(published_reading *reading, mls_str field)
{
    const char *copy = field.len > 0 ? mls_arena_copy(reading->to->arena, field).ptr : NULL;
    reading->memory |= field.len > 0 && copy == NULL;
    return copy;
}

/* False when a field is not what it must be, or memory ran out. */
static bool take_published_fields(published_reading *reading, const published_field *fields, size_t count,
                                  const mls_str *cells, void *row)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        void *at = (char *)row + fields[i].offset;
        if (fields[i].number) {
            *(double *)at = (double)NAN;
            ok = cells[i].len == 0 || mls_number_parse(cells[i], at);
        } else {
            *(const char **)at = copy_field(reading, cells[i]);
        }
    }
    return ok && !reading->memory;
}

static bool take_published_system(published_reading *reading, const mls_str *cells)
{
    system_row *row = mls_arena_zeroed(reading->to->arena, 1, sizeof *row);
    reading->memory |= row == NULL;
    if (row == NULL || !take_published_fields(reading, system_fields, SYSTEM_FIELDS, cells, row)) {
        return false;
    }
    mls_published_system *system = &row->system;
    const mls_division division = mls_division_described(row->division);
    const double all = system->nodes * system->accelerators_per_node;
    system->system_name = system->system_name != NULL ? system->system_name : system->system_id;
    system->division = division != MLS_DIVISION_OTHER ? division : MLS_DIVISION_NONE;
    system->accelerators = all > 0 ? all : (double)NAN;
    system->model = mls_accelerator_model_of(mls_str_from(system->accelerator));
    reading->result.system = system;
    return system->submitter != NULL && system->system_id != NULL;
}

static bool take_published_result(published_reading *reading, const mls_str *cells)
{
    mls_published *to = reading->to;
    if (!mls_grow((void **)&to->results, to->count, &reading->capacity, sizeof *to->results)) {
        reading->memory = true;
        return false;
    }
    mls_published_result *result = &to->results[to->count++];
    *result = reading->result;
    result->row = to->count;
    const bool ok = take_published_fields(reading, result_fields, RESULT_FIELDS, cells, result);
    result->accelerator_minutes = result->minutes * result->system->accelerators;
    return ok && result->benchmark != NULL && result->minutes > 0;
}

static bool take_published_line(published_reading *reading, mls_str line)
{
    mls_str fields[SYSTEM_FIELDS];
    size_t count = 0;
    for (const char *end; line.ptr != NULL && count < SYSTEM_FIELDS; count++) {
        end = memchr(line.ptr, '|', line.len);
        fields[count] = (mls_str){line.ptr, end != NULL ? (size_t)(end - line.ptr) : line.len};
        line = end != NULL ? (mls_str){end + 1, line.len - fields[count].len - 1} : (mls_str){0};
    }
    const bool system = count == SYSTEM_FIELDS && line.ptr == NULL;
    return system ? take_published_system(reading, fields)
                  : count == RESULT_FIELDS && reading->result.system != NULL && take_published_result(reading, fields);
}

static mls_status take_published_table(published_reading *reading, mls_str text)
{
    reading->result.system = NULL;
    for (size_t row = 0; text.len > 0; row++) {
        const char *end = memchr(text.ptr, '\n', text.len);
        const mls_str line = {text.ptr, end != NULL ? (size_t)(end - text.ptr) : text.len};
        text = (mls_str){text.ptr + line.len + (end != NULL), text.len - line.len - (end != NULL)};
        if (row >= 2 && !take_published_line(reading, line)) {
            return reading->memory ? MLS_ERROR_MEMORY : MLS_ERROR_VALUE;
        }
    }
    return MLS_OK;
}

/* Those that say none come last. */
int mls_division_compare(mls_division a, mls_division b)
{
    return mls_compare_sizes((size_t)a - MLS_DIVISION_CLOSED, (size_t)b - MLS_DIVISION_CLOSED);
}

/* Newest edition first; those that are ranked together become neighbours. */
static int compare_places(const mls_published_result *a, const mls_published_result *b)
{
    int order = mls_compare_sizes(b->edition, a->edition);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    return order != 0 ? order : mls_division_compare(a->system->division, b->system->division);
}

static int compare_results(const void *left, const void *right)
{
    const mls_published_result *a = left;
    const mls_published_result *b = right;
    int order = compare_places(a, b);
    order = order != 0 ? order : mls_compare_doubles(a->minutes, b->minutes);
    return order != 0 ? order : mls_compare_sizes(a->row, b->row);
}

static void rank_results(mls_published *published)
{
    mls_published_result *results = published->results;
    for (size_t first = 0, end; first < published->count; first = end) {
        end = first;
        while (end < published->count && compare_places(&results[first], &results[end]) == 0) {
            const bool tied = end > first && results[end].minutes <= results[end - 1].minutes;
            results[end].rank = tied ? results[end - 1].rank : end - first + 1;
            end++;
        }
        for (size_t i = first; i < end; i++) {
            results[i].ranked = end - first;
        }
    }
}

/* The round of an embedded table of a usage: "5.1" of "published/training-5.1.table"; empty: it is none. */
static mls_str table_round(const char *name, mls_usage usage)
{
    const mls_str family = mls_str_from(mls_usage_name(usage));
    mls_str rest = mls_str_from(name);
    const mls_str parts[] = {MLS_S("published/"), family, MLS_S("-")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!mls_str_starts(rest, parts[i])) {
            return (mls_str){0};
        }
        rest = (mls_str){rest.ptr + parts[i].len, rest.len - parts[i].len};
    }
    return mls_str_ends(rest, MLS_S(".table")) ? (mls_str){rest.ptr, rest.len - strlen(".table")} : (mls_str){0};
}

mls_status mls_published_load(mls_usage usage, unsigned edition, mls_published *published, mls_error *error)
{
    published_reading reading = {.to = published, .result = {.usage = usage}};
    mls_status status;
    *published = (mls_published){.arena = calloc(1, sizeof *published->arena)};
    status = published->arena != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    for (const mls_data_file *file = mls_data_files; file->name != NULL && status == MLS_OK; file++) {
        const mls_str round = table_round(file->name, usage);
        if (!mls_edition_number(round, &reading.result.edition) ||
            (edition != 0 && edition != reading.result.edition)) {
            continue;
        }
        reading.result.round = copy_field(&reading, round);
        status = reading.memory
                     ? MLS_ERROR_MEMORY
                     : take_published_table(&reading, (mls_str){file->begin, (size_t)(file->end - file->begin)});
    }
    if (status == MLS_OK && published->count > 0) {
        qsort(published->results, published->count, sizeof *published->results, compare_results);
        rank_results(published);
    }
    return status == MLS_ERROR_MEMORY  ? mls_error_memory(error)
           : status == MLS_ERROR_VALUE ? mls_error_set(error, status, 0, 0, "broken table of published results")
                                       : status;
}

void mls_published_release(mls_published *published)
{
    if (published->arena != NULL) {
        mls_arena_release(published->arena);
        free(published->arena);
    }
    free(published->results);
    *published = (mls_published){0};
}
