/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - sides in, from logs and exports; what is said of them out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "compare/side.h"

/* What score wrote is told from logs by the end of its name. */
typedef enum export_kind { NO_EXPORT, EXPORT_JSON, EXPORT_NDJSON, EXPORT_CSV } export_kind;

static export_kind kind_of(const char *path)
{
    struct stat about;
    const mls_str name = mls_str_from(path);
    const export_kind kind = mls_str_ends(name, MLS_S(".json"))     ? EXPORT_JSON
                             : mls_str_ends(name, MLS_S(".ndjson")) ? EXPORT_NDJSON
                             : mls_str_ends(name, MLS_S(".csv"))    ? EXPORT_CSV
                                                                    : NO_EXPORT;
    return kind != NO_EXPORT && stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? NO_EXPORT : kind;
}

static mls_status read_export(const mls_side_reading *reading, const char *path, export_kind kind, mls_error *error)
{
    mls_buffer text = {0};
    mls_status status = mls_file_read(path, true, MLS_EXPORT_BYTES_MAX, &text, error);
    if (status == MLS_OK && kind == EXPORT_CSV) {
        status = mls_side_read_csv(reading, mls_buffer_str(&text), error);
    } else if (status == MLS_OK) {
        status = mls_side_read_json(reading, mls_buffer_str(&text), kind == EXPORT_NDJSON, error);
    }
    mls_buffer_release(&text);
    return status;
}

static bool note_problem(mls_comparison *comparison, mls_arena *arena, const char *path, const mls_error *error)
{
    if (!mls_arena_grow(arena, (void **)&comparison->problems, comparison->problem_count, &comparison->problem_capacity,
                        sizeof *comparison->problems)) {
        return false;
    }
    comparison->problems[comparison->problem_count++] = (mls_side_problem){path, *error};
    return true;
}

/* All exports of a side; one that cannot be read leaves the side without runs, so that no half of it is compared. */
static mls_status read_exports(const mls_side_reading *reading, mls_error *error)
{
    mls_comparison *to = reading->to;
    mls_side *side = &to->sides[reading->side];
    bool failed = false;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < side->path_count && status == MLS_OK; i++) {
        const export_kind kind = kind_of(side->paths[i]);
        if (kind != NO_EXPORT) {
            mls_error wrong = {0};
            status = read_export(reading, side->paths[i], kind, &wrong);
            failed |= status != MLS_OK;
            if (status == MLS_ERROR_MEMORY) {
                *error = wrong;
            } else if (status != MLS_OK) {
                status = note_problem(to, reading->arena, side->paths[i], &wrong) ? MLS_OK : mls_error_memory(error);
            }
        }
    }
    if (failed) {
        to->group_count -= side->groups;
        side->groups = 0;
    }
    return status;
}

static mls_status read_side(const mls_compare_request *request, const mls_side_reading *reading, mls_error *error)
{
    mls_comparison *to = reading->to;
    const mls_side *side = &to->sides[reading->side];
    mls_collection *collection = &to->collections[to->collection_count];
    const char **logs = mls_arena_array(reading->arena, side->path_count, sizeof *logs);
    size_t count = 0;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < side->path_count && logs != NULL; i++) {
        logs[count] = side->paths[i];
        count += kind_of(side->paths[i]) == NO_EXPORT;
    }
    if (logs == NULL) {
        return mls_error_memory(error);
    }
    if (count > 0) {
        to->collection_count++;
        status = mls_collect(logs, count, &request->collect, collection, error);
        status = status == MLS_OK ? mls_side_take_logs(reading, collection) : status;
    }
    return status == MLS_OK ? read_exports(reading, error) : status;
}

/* What was said of the side itself goes before what was said of all. */
static void count_accelerators(const mls_compare_request *request, const mls_comparison *comparison,
                               mls_side_group *group)
{
    const bool unknown = isnan(group->accelerators);
    bool named = false;
    for (size_t i = 0; i < request->count_count && unknown && !named; i++) {
        const char *name = request->counts[i].name;
        named = name != NULL && strcmp(name, comparison->sides[group->side].name) == 0;
        if (named || (name == NULL && isnan(group->accelerators))) {
            group->accelerators = request->counts[i].count;
        }
    }
}

static mls_status fill_block(mls_block *block, mls_arena *arena)
{
    mls_status status = mls_block_settings(block, arena);
    status = status == MLS_OK ? mls_block_outliers(block, arena) : status;
    for (size_t i = 1; i < block->group_count && status == MLS_OK; i++) {
        status = mls_difference_make(block->groups[0], block->groups[i], &block->differences[i]);
    }
    return status;
}

/* A side alone: its groups are the sides. */
static mls_status compare_one(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    if (comparison->group_count == 0) {
        return MLS_OK;
    }
    if (!mls_side_meet_itself(comparison, comparison->arena, request->baseline)) {
        return MLS_ERROR_MEMORY;
    }
    if (comparison->block_count == 0) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "only one side, and no two groups of one benchmark in it: name another, or "
                             "compare with published results by --published");
    }
    bool known = request->baseline == NULL;
    for (size_t i = 0; i < comparison->side_count; i++) {
        if (request->baseline != NULL && strcmp(comparison->sides[i].name, request->baseline) == 0) {
            comparison->baseline = i;
            known = true;
        }
    }
    return known ? MLS_OK
                 : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--baseline: no side is called '%s'", request->baseline);
}

static mls_status compare_sides(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    mls_status status = request->side_count == 1 ? compare_one(request, comparison, error)
                                                 : mls_sides_meet(comparison, comparison->arena);
    for (size_t i = 0; i < comparison->block_count && status == MLS_OK; i++) {
        status = fill_block(&comparison->blocks[i], comparison->arena);
    }
    return status;
}

static mls_status find_baseline(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    if (request->baseline == NULL || (request->side_count == 1 && request->mode == MLS_COMPARE_SIDES)) {
        return MLS_OK;
    }
    for (size_t i = 0; i < request->side_count; i++) {
        if (strcmp(request->sides[i].name, request->baseline) == 0) {
            comparison->baseline = i;
            return MLS_OK;
        }
    }
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--baseline: no side is called '%s'", request->baseline);
}

mls_status mls_compare(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    *comparison = (mls_comparison){.mode = request->mode,
                                   .arena = calloc(1, sizeof(mls_arena)),
                                   .collections = calloc(request->side_count + 1, sizeof(mls_collection))};
    mls_arena *arena = comparison->arena;
    comparison->sides = arena != NULL ? mls_arena_array(arena, request->side_count, sizeof(mls_side)) : NULL;
    if (comparison->collections == NULL || comparison->sides == NULL) {
        return mls_error_memory(error);
    }
    memcpy(comparison->sides, request->sides, request->side_count * sizeof *request->sides);
    comparison->side_count = request->side_count;
    mls_status status = find_baseline(request, comparison, error);
    for (size_t i = 0; i < request->side_count && status == MLS_OK; i++) {
        comparison->sides[i].groups = 0;
        status = read_side(request, &(mls_side_reading){arena, comparison, i}, error);
    }
    if (status == MLS_OK && comparison->group_count > MLS_COMPARED_GROUPS_MAX) {
        status = mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "%zu groups: more than %zu are not compared",
                               comparison->group_count, MLS_COMPARED_GROUPS_MAX);
    }
    for (size_t i = 0; i < comparison->group_count && status == MLS_OK; i++) {
        count_accelerators(request, comparison, comparison->groups[i]);
        status = mls_side_group_measure(comparison->groups[i]);
    }
    if (status == MLS_OK) {
        status = request->mode == MLS_COMPARE_SCALING ? mls_scaling_make(comparison, arena)
                 : request->mode == MLS_COMPARE_SIDES ? compare_sides(request, comparison, error)
                                                      : mls_beside_make(comparison, arena, error);
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

void mls_comparison_release(mls_comparison *comparison)
{
    for (size_t i = 0; i < comparison->collection_count; i++) {
        mls_collection_release(&comparison->collections[i]);
    }
    free(comparison->collections);
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++) {
        mls_published_release(&comparison->published[usage]);
    }
    if (comparison->arena != NULL) {
        mls_arena_release(comparison->arena);
        free(comparison->arena);
    }
    *comparison = (mls_comparison){0};
}
