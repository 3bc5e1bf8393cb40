/* SPDX-License-Identifier: Apache-2.0 */
/*
 * published.c - reads the published results, and finds those nearest to a group.
 *
 * A table of src/data/published has a line for each system, followed by lines for its results; the first two name the
 * fields of both, and a line of the one has more fields than one of the other.  Fields stand between bars: it is read
 * whenever scores are printed, and needs no quotes.
 */
#include "mlscore/published.h"

#include <math.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"

/* The fields of both kinds of rows, in the order in which they stand. */
enum {
    SUBMITTER,
    SYSTEM_ID,
    SYSTEM_NAME, /* empty: the same as the one before */
    DIVISION,
    AVAILABILITY,
    NODES,
    ACCELERATORS_PER_NODE,
    ACCELERATOR,
    HOST_PROCESSOR,
    FRAMEWORK,
    SYSTEM_FIELDS
};
enum { BENCHMARK, RUNS, RUNS_OK, MINUTES, SCALE_FACTOR, GLOBAL_BATCH_SIZE, TO_CONVERGE, RESULT_FIELDS };

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

/* False when it is not a number; an empty field is NAN. */
static bool take_field_number(mls_str field, double *number)
{
    *number = NAN;
    return field.len == 0 || mls_number_parse(field, number);
}

static bool take_published_system(published_reading *reading, const mls_str *fields)
{
    mls_published_system *system = mls_arena_zeroed(reading->to->arena, 1, sizeof *system);
    reading->memory |= system == NULL;
    if (system == NULL) {
        return false;
    }
    *system = (mls_published_system){.submitter = copy_field(reading, fields[SUBMITTER]),
                                     .system_id = copy_field(reading, fields[SYSTEM_ID]),
                                     .availability = copy_field(reading, fields[AVAILABILITY]),
                                     .accelerator = copy_field(reading, fields[ACCELERATOR]),
                                     .host_processor = copy_field(reading, fields[HOST_PROCESSOR]),
                                     .framework = copy_field(reading, fields[FRAMEWORK]),
                                     .model = mls_accelerator_model_of(fields[ACCELERATOR])};
    system->system_name = fields[SYSTEM_NAME].len > 0 ? copy_field(reading, fields[SYSTEM_NAME]) : system->system_id;
    system->division = mls_str_equal(fields[DIVISION], MLS_S("closed")) ? MLS_DIVISION_CLOSED
                       : mls_str_equal(fields[DIVISION], MLS_S("open")) ? MLS_DIVISION_OPEN
                                                                        : MLS_DIVISION_NONE;
    reading->result.system = system;
    const bool numbers = take_field_number(fields[NODES], &system->nodes) &&
                         take_field_number(fields[ACCELERATORS_PER_NODE], &system->accelerators_per_node);
    const double all = system->nodes * system->accelerators_per_node;
    system->accelerators = all > 0 ? all : (double)NAN;
    return numbers && !reading->memory && system->submitter != NULL && system->system_id != NULL;
}

static bool take_published_result(published_reading *reading, const mls_str *fields)
{
    mls_published *to = reading->to;
    if (!mls_grow((void **)&to->results, to->count, &reading->capacity, sizeof *to->results)) {
        reading->memory = true;
        return false;
    }
    mls_published_result *result = &to->results[to->count++];
    *result = reading->result;
    result->row = to->count;
    result->benchmark = copy_field(reading, fields[BENCHMARK]);
    const bool numbers = take_field_number(fields[RUNS], &result->runs) &&
                         take_field_number(fields[RUNS_OK], &result->runs_ok) &&
                         take_field_number(fields[MINUTES], &result->minutes) &&
                         take_field_number(fields[SCALE_FACTOR], &result->scale_factor) &&
                         take_field_number(fields[GLOBAL_BATCH_SIZE], &result->global_batch_size) &&
                         take_field_number(fields[TO_CONVERGE], &result->to_converge);
    result->accelerator_minutes = result->minutes * result->system->accelerators;
    return numbers && !reading->memory && result->benchmark != NULL && result->minutes > 0;
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

/* The order of divisions. */
static int division_order(mls_division division)
{
    return division == MLS_DIVISION_CLOSED ? 0 : division == MLS_DIVISION_OPEN ? 1 : 2;
}

/* Newest edition first; those that are ranked together become neighbours. */
static int compare_places(const mls_published_result *a, const mls_published_result *b)
{
    int order = (b->edition > a->edition) - (b->edition < a->edition);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    return order != 0 ? order : division_order(a->system->division) - division_order(b->system->division);
}

static int compare_minutes(const mls_published_result *a, const mls_published_result *b)
{
    const int order = mls_compare_doubles(a->minutes, b->minutes);
    return order != 0 ? order : mls_compare_sizes(a->row, b->row);
}

static int compare_results(const void *left, const void *right)
{
    const mls_published_result *a = left;
    const mls_published_result *b = right;
    const int order = compare_places(a, b);
    return order != 0 ? order : compare_minutes(a, b);
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

/* ---------------------------------------------------------------- nearest */

mls_published_query mls_published_query_of(const mls_group *group)
{
    return (mls_published_query){.edition = group->edition->number,
                                 .benchmark = mls_str_from(group->benchmark),
                                 .division = group->division,
                                 .accelerators = group->accelerators,
                                 .model = group->accelerator,
                                 .minutes = group->scaled_minutes,
                                 .system_id = group->system_id};
}

/* How far a result is from what is asked for, the most important first. */
typedef struct distance {
    double size;
    bool other_model;
    const mls_published_result *result;
} distance;

/* Distances are compared to nine decimals. */
#define DISTANCES 1e9

/* Published minutes have four decimals; a number half-way between two was rounded to either. */
#define HALF_A_DECIMAL 0.5e-4

static distance distance_of(const mls_published_query *query, const mls_published_result *result)
{
    const double accelerators = result->system->accelerators;
    const double ratio = fabs(log(accelerators / query->accelerators));
    return (distance){isnan(query->accelerators) ? 0
                      : isnan(accelerators)      ? INFINITY
                                                 : floor(ratio * DISTANCES + 0.5),
                      query->model == NULL || strcmp(query->model, result->system->model.text) != 0, result};
}

static bool is_nearer(distance a, distance b)
{
    const int order = mls_compare_doubles(a.size, b.size);
    return order != 0                       ? order < 0
           : a.other_model != b.other_model ? b.other_model
                                            : compare_minutes(a.result, b.result) < 0;
}

static bool answers(const mls_published_query *query, const mls_published_result *result)
{
    const mls_division division = query->division != MLS_DIVISION_NONE ? query->division : MLS_DIVISION_CLOSED;
    return mls_str_equal(query->benchmark, mls_str_from(result->benchmark)) && division == result->system->division;
}

/* The edition whose results are looked at; the newest come first. */
static unsigned edition_for(const mls_published *published, const mls_published_query *query)
{
    unsigned newest = 0;
    for (size_t i = 0; i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (answers(query, result)) {
            if (result->edition == query->edition) {
                return query->edition;
            }
            newest = newest == 0 ? result->edition : newest;
        }
    }
    return newest;
}

size_t mls_published_nearest(const mls_published *published, const mls_published_query *query, mls_published_near *near,
                             size_t count)
{
    const unsigned edition = edition_for(published, query);
    size_t found = 0;
    for (size_t i = 0; i < published->count && count > 0; i++) {
        const mls_published_result *result = &published->results[i];
        if (result->edition != edition || !answers(query, result)) {
            continue;
        }
        const distance own = distance_of(query, result);
        size_t at = found;
        while (at > 0 && is_nearer(own, distance_of(query, near[at - 1].result))) {
            at--;
        }
        if (at == count) {
            continue;
        }
        found += found < count;
        memmove(near + at + 1, near + at, (found - at - 1) * sizeof *near);
        near[at] = (mls_published_near){.result = result,
                                        .ratio = query->minutes / result->minutes - 1,
                                        .self = fabs(query->minutes - result->minutes) < HALF_A_DECIMAL * 1.001 &&
                                                query->system_id != NULL &&
                                                strcmp(query->system_id, result->system->system_id) == 0};
    }
    return found;
}

mls_published_near mls_published_beside(const mls_published *published, const mls_published_query *query)
{
    mls_published_near near;
    if (query->model != NULL && mls_published_nearest(published, query, &near, 1) == 1 &&
        near.result->edition == query->edition && near.result->system->accelerators == query->accelerators &&
        strcmp(near.result->system->model.text, query->model) == 0) {
        return near;
    }
    return (mls_published_near){0};
}
