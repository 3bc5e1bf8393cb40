/* SPDX-License-Identifier: Apache-2.0 */
/* published.c - load the tables of published results, and rank the results.
 *
 * A table in src/data/published has a line for each system, followed by a line for each result of the system.  The
 * first line names the fields of systems, the second line those of results; a system has more fields than a result.
 * Fields are separated by '|' and not quoted.  CSV would be slower to parse, and the tables are read whenever scores
 * are printed. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/data.h"
#include "base/map.h"
#include "base/number.h"
#include "base/statistics.h"
#include "compare/side.h"
#include "json/text_table.h"

typedef struct system_row {
    mls_published_system system; /* if system_name is NULL, it is set to system_id */
    const char *division;
    mls_str description;
} system_row;

#define SYSTEM(kind, name, member) MLS_MEMBER_OF(system_row, name, kind, member, NULL)
static const mls_row_member system_members[] = {SYSTEM(TEXT, "submitter", system.submitter),
                                                SYSTEM(TEXT, "system_id", system.system_id),
                                                SYSTEM(TEXT, "system_name", system.system_name),
                                                SYSTEM(TEXT, "division", division),
                                                SYSTEM(TEXT, "availability", system.availability),
                                                SYSTEM(NUMBER, "nodes", system.nodes),
                                                SYSTEM(NUMBER, "accelerators_per_node", system.accelerators_per_node),
                                                SYSTEM(TEXT, "accelerator", system.accelerator),
                                                SYSTEM(TEXT, "host_processor", system.host_processor),
                                                SYSTEM(TEXT, "framework", system.framework),
                                                SYSTEM(TEXT, "folder", system.folder),
                                                SYSTEM(SPAN, "description", description)};

/* The column "known" is empty for exact results. */
#define KNOWN MLS_MEMBER_OF(mls_published_result, "known", WORD, known, "derived announced bounds")
#define RESULT(kind, member) MLS_MEMBER_OF(mls_published_result, #member, kind, member, NULL)
static const mls_row_member result_members[] = {RESULT(TEXT, benchmark),      RESULT(NUMBER, runs),
                                                RESULT(NUMBER, runs_ok),      RESULT(NUMBER, minutes),
                                                RESULT(NUMBER, scale_factor), RESULT(NUMBER, global_batch_size),
                                                RESULT(NUMBER, to_converge),  KNOWN,
                                                RESULT(NUMBER, unscaled_low), RESULT(NUMBER, unscaled_high)};

const char *mls_published_known_name(mls_published_known known)
{
    static const char *const names[] = {"exact", "derived", "announced", "bounds"};
    return known <= MLS_PUBLISHED_BOUNDS ? names[known] : "";
}

typedef struct published_reading {
    mls_published *to;
    size_t capacity;
    mls_published_result result; /* a result with the members that all results of the table share */
    const char *accelerator;     /* name of the accelerator of the last system */
    mls_accelerator_model model; /* accelerator model of the last system */
    mls_text_table systems, results;
    MLS_LIST_OF(const mls_published_description *) descriptions; /* one per system of the table so far */
} published_reading;

/* Read a row of a table: the names of fields of systems or of results, a system, or a result of the last system. */
static mls_status take_published_row(void *state, const mls_text_row *row)
{
    published_reading *reading = state;
    mls_published *to = reading->to;
    mls_text_table *results = &reading->results;
    if (reading->systems.columns == 0)
        return mls_text_table_heading(&reading->systems, row);
    if (results->columns == 0) {
        const mls_status status = mls_text_table_heading(results, row);
        /* Remove the last fields if the table does not have them, because rows are then parsed faster.  Only one round
         * has them. */
        while (status == MLS_OK && results->count > 0 && results->at[results->count - 1] == 0)
            results->count--;
        return status;
    }
    if (row->count == reading->systems.columns) {
        system_row *made = mls_arena_zeroed(to->arena, 1, sizeof *made);
        const mls_status status = mls_text_table_row(&reading->systems, row, made);
        if (status != MLS_OK)
            return status;
        mls_published_system *system = &made->system;
        const mls_division division = mls_division_described(made->division);
        const double all = system->nodes * system->accelerators_per_node;
        system->system_name = system->system_name != NULL ? system->system_name : system->system_id;
        system->folder = system->folder != NULL ? system->folder : system->submitter;
        if (made->description.len > 0) {
            mls_published_description *description = mls_arena_zeroed(to->arena, 1, sizeof *description);
            if (mls_published_description_read(reading->descriptions.items, reading->descriptions.count,
                                               made->description, description) != MLS_OK)
                return MLS_ERROR_VALUE;
            system->description = description;
        }
        MLS_GROW(&reading->descriptions, items);
        reading->descriptions.items[reading->descriptions.count++] = system->description;
        system->division = division != MLS_DIVISION_OTHER ? division : MLS_DIVISION_NONE;
        system->accelerators = all > 0 ? all : (double)NAN;
        /* If the system has the same accelerator as the previous one, reuse the model, because finding it is slow. */
        if (!mls_same_text(reading->accelerator, system->accelerator)) {
            reading->accelerator = system->accelerator;
            reading->model = mls_accelerator_model_of(mls_str_from(system->accelerator));
        }
        system->model = reading->model;
        reading->result.system = system;
        return system->submitter != NULL && system->system_id != NULL ? MLS_OK : MLS_ERROR_VALUE;
    }
    mls_grow((void **)&to->results, to->count, &reading->capacity, sizeof *to->results);
    mls_published_result *result = &to->results[to->count++];
    *result = reading->result;
    result->row = to->count;
    const mls_status status = mls_text_table_row(results, row, result);
    /* Check that the row has the numbers that are required: bounds if only bounds are known, otherwise minutes. */
    const bool known = result->known == MLS_PUBLISHED_BOUNDS ? isnan(result->minutes) && result->unscaled_low > 0 &&
                                                                   result->unscaled_high >= result->unscaled_low
                                                             : result->minutes > 0;
    if (status != MLS_OK || result->system == NULL || result->benchmark == NULL || !known)
        return status != MLS_OK ? status : MLS_ERROR_VALUE;
    result->accelerator_minutes = result->minutes * result->system->accelerators;
    return MLS_OK;
}

/* Compare divisions in the order closed, open, unknown. */
int mls_division_compare(mls_division a, mls_division b)
{
    return mls_compare_sizes((size_t)a - MLS_DIVISION_CLOSED, (size_t)b - MLS_DIVISION_CLOSED);
}

/* Compare by edition (newest first), benchmark and division.  Return 0 for results that are ranked together. */
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
    order = order != 0 || !isnan(a->minutes) ? order : mls_compare_doubles(a->unscaled_low, b->unscaled_low);
    return order != 0 ? order : mls_compare_sizes(a->row, b->row);
}

/* Append the key of a result in the table of precisions. */
static mls_str precision_key(mls_buffer *key, mls_str usage, mls_str round, mls_str benchmark, mls_str system_id)
{
    const mls_str parts[] = {usage, round, benchmark, system_id};
    mls_buffer_clear(key);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        mls_buffer_append(key, parts[i]);
        mls_buffer_append_char(key, '|');
    }
    return mls_buffer_str(key);
}

/* Take a row of the table of precisions: usage, round, benchmark, precision, source, step of a switch, and the ids of
 * the systems. */
static mls_status take_precision_row(void *state, const mls_text_row *row)
{
    enum { USAGE, ROUND, BENCHMARK, PRECISION, SOURCE, STEP, SYSTEMS };
    mls_map *known = state;
    mls_buffer key = {0};
    if (row->count <= SYSTEMS)
        return MLS_ERROR_VALUE;
    mls_published_result *made = mls_arena_zeroed(known->arena, 1, sizeof *made);
    made->precision = mls_arena_copy(known->arena, row->cells[PRECISION]).ptr;
    made->precision_source = mls_arena_copy(known->arena, row->cells[SOURCE]).ptr;
    (void)mls_size_parse(row->cells[STEP], &made->switch_step);
    for (size_t i = SYSTEMS; i < row->count; i++)
        mls_map_put(known,
                    precision_key(&key, row->cells[USAGE], row->cells[ROUND], row->cells[BENCHMARK], row->cells[i]),
                    NULL)
            ->value.pointer = made;
    mls_buffer_release(&key);
    return MLS_OK;
}

/* Set the precision of the results for which it is known. */
static mls_status find_precisions(mls_published *published)
{
    mls_map known = {.arena = published->arena};
    mls_buffer key = {0};
    const mls_status status =
        mls_bars_read(mls_data_find("published/precision.table"), take_precision_row, &known, NULL);
    for (size_t i = 0; i < published->count && status == MLS_OK; i++) {
        mls_published_result *result = &published->results[i];
        const mls_map_entry *entry = mls_map_find(
            &known, precision_key(&key, mls_str_from(mls_usage_name(result->usage)), mls_str_from(result->round),
                                  mls_str_from(result->benchmark), mls_str_from(result->system->system_id)));
        const mls_published_result *from = entry != NULL ? entry->value.pointer : NULL;
        if (from != NULL) {
            result->precision = from->precision;
            result->precision_source = from->precision_source;
            result->switch_step = from->switch_step;
        }
    }
    mls_buffer_release(&key);
    return status;
}

mls_status mls_published_load(mls_usage usage, unsigned edition, mls_published *published, mls_error *error)
{
    published_reading reading = {.to = published};
    *published = (mls_published){.arena = mls_calloc(1, sizeof *published->arena)};
    mls_status status = MLS_OK;
    for (const mls_data_file *file = mls_data_files; file->name != NULL && status == MLS_OK; file++) {
        /* Read the tables of the usage and edition, such as "published/training-5.1.table". */
        const mls_str name = mls_str_from(file->name);
        mls_str round = {0};
        for (unsigned i = 0; i < MLS_USAGE_COUNT && mls_str_ends(name, MLS_S(".table")); i++) {
            char start[64];
            const int len = mls_text_printf(start, sizeof start, "published/%s-", mls_usage_name((mls_usage)i));
            if ((usage == MLS_ANY_USAGE || usage == (mls_usage)i) && mls_str_starts(name, mls_str_from(start))) {
                reading.result.usage = (mls_usage)i;
                round = (mls_str){name.ptr + len, name.len - (size_t)len - strlen(".table")};
            }
        }
        if (!mls_edition_number(round, &reading.result.edition) || (edition != 0 && edition != reading.result.edition))
            continue;
        const mls_str text = {file->begin, (size_t)(file->end - file->begin)};
        reading.result.round = mls_arena_copy(published->arena, round).ptr;
        reading.result.system = NULL;
        reading.descriptions.count = 0;
        reading.result.unscaled_low = reading.result.unscaled_high = (double)NAN;
        reading.systems = (mls_text_table){.members = system_members,
                                           .count = sizeof system_members / sizeof *system_members,
                                           .bars = true,
                                           .text = text,
                                           .arena = published->arena};
        reading.results = reading.systems;
        reading.results.members = result_members;
        reading.results.count = sizeof result_members / sizeof *result_members;
        status = mls_bars_read(text, take_published_row, &reading, NULL);
        if (status != MLS_OK)
            (void)mls_error_set(error, status, 0, 0, "src/data/%s: broken table of published results", file->name);
    }
    free(reading.descriptions.items);
    if (status == MLS_OK) {
        status = find_precisions(published);
        if (status != MLS_OK)
            (void)mls_error_set(error, status, 0, 0, "src/data/published/precision.table: broken table");
    }
    if (status != MLS_OK)
        return status;
    mls_published_result *results = published->results;
    if (published->count > 0)
        qsort(results, published->count, sizeof *results, compare_results);
    /* Rank the results of each edition, benchmark and division. */
    for (size_t first = 0, end; first < published->count; first = end) {
        size_t ranked = 0;
        end = first;
        while (end < published->count && compare_places(&results[first], &results[end]) == 0) {
            const bool tied = end > first && results[end].minutes <= results[end - 1].minutes;
            const bool known = !isnan(results[end].minutes); /* results with known minutes precede all others */
            ranked += known;
            results[end].rank = tied ? results[end - 1].rank : known ? ranked : 0;
            end++;
        }
        for (size_t i = first; i < end; i++) {
            results[i].ranked = ranked;
            results[i].published = end - first;
        }
    }
    return MLS_OK;
}

void mls_published_release(mls_published *published)
{
    mls_arena_free(published->arena);
    free(published->results);
    *published = (mls_published){0};
}
