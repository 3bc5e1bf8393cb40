/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - read the sides of a request from logs, exports and published results, and compare them. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "compare/side.h"
#include "json/value.h"

/* The format of an export of `mlscore score`, according to the extension of the file.  NO_EXPORT: the file is a log. */
typedef enum export_kind { NO_EXPORT, EXPORT_JSON, EXPORT_NDJSON, EXPORT_CSV } export_kind;

static export_kind kind_of(const char *path)
{
    struct stat about;
    const mls_str name = mls_str_from(path);
    const export_kind kind = mls_is_published_side(path)            ? NO_EXPORT
                             : mls_str_ends(name, MLS_S(".json"))   ? EXPORT_JSON
                             : mls_str_ends(name, MLS_S(".ndjson")) ? EXPORT_NDJSON
                             : mls_str_ends(name, MLS_S(".csv"))    ? EXPORT_CSV
                                                                    : NO_EXPORT;
    return kind != NO_EXPORT && stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? NO_EXPORT : kind;
}

/* Read the logs and exports of a side.  If an export cannot be read, the side has no runs, so that an incomplete side
 * is never compared. */
static mls_status read_side(const mls_compare_request *request, mls_comparison *to, const mls_side *side,
                            mls_error *error)
{
    const char **logs = mls_arena_array(to->arena, side->paths.count, sizeof *logs);
    const size_t first = to->groups.count;
    size_t count = 0;
    bool failed = false;
    for (size_t i = 0; i < side->paths.count; i++) {
        logs[count] = side->paths.items[i];
        count += !mls_is_published_side(side->paths.items[i]) && kind_of(side->paths.items[i]) == NO_EXPORT;
    }
    if (count > 0) {
        mls_collection *collection = &to->collections[to->collection_count++];
        const mls_status status = mls_collect(logs, count, &request->collect, collection, error);
        if (status != MLS_OK)
            return status;
        for (size_t i = 0; i < collection->group_count; i++)
            (void)mls_side_take_group(to, side, &collection->groups[i], true);
    }
    for (size_t i = 0; i < side->paths.count; i++) {
        mls_side_problem wrong = {.path = side->paths.items[i]};
        const export_kind kind = kind_of(wrong.path);
        mls_buffer text = {0};
        if (kind == NO_EXPORT)
            continue;
        mls_status status = mls_file_read(wrong.path, true, MLS_EXPORT_BYTES_MAX, &text, &wrong.error);
        if (status == MLS_OK && kind == EXPORT_CSV) {
            status = mls_side_read_csv(to, side, mls_buffer_str(&text), &wrong.error);
        } else if (status == MLS_OK) {
            const size_t length = text.len;
            mls_buffer_append_repeated(&text, '\0', MLS_JSON_PADDING);
            status = mls_side_read_json(to, side, (mls_str){text.ptr, length}, kind == EXPORT_NDJSON, &wrong.error);
        }
        mls_buffer_release(&text);
        if (status != MLS_OK) {
            MLS_ARENA_ADD(to->arena, &to->problems, wrong);
            failed = true;
        }
    }
    to->groups.count = failed ? first : to->groups.count;
    return MLS_OK;
}

static mls_status find_baseline(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    comparison->baseline = request->baseline != NULL
                               ? mls_side_find(&comparison->sides, mls_str_from(request->baseline))
                               : comparison->sides.items[0];
    return comparison->baseline != NULL
               ? MLS_OK
               : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--baseline: no side is named '%s'", request->baseline);
}

mls_status mls_compare(const mls_compare_request *request, mls_comparison *comparison, mls_error *error)
{
    const bool alone = request->sides.count == 1 && request->mode == MLS_COMPARE_SIDES;
    const bool published = mls_request_has_published(request);
    *comparison = (mls_comparison){.mode = request->mode,
                                   .sides = request->sides,
                                   .baseline = request->sides.items[0],
                                   .arena = mls_calloc(1, sizeof(mls_arena))};
    comparison->collections =
        mls_arena_zeroed(comparison->arena, request->sides.count + 1, sizeof *comparison->collections);
    mls_status status = alone || published ? MLS_OK : find_baseline(request, comparison, error);
    if (status == MLS_OK && request->collect.printed)
        status = mls_known_settings_load(&comparison->known, error);
    if (status == MLS_OK && published)
        status = mls_published_load(MLS_ANY_USAGE, 0, &comparison->opened, error);
    for (size_t i = 0; i < request->sides.count && status == MLS_OK; i++)
        status = read_side(request, comparison, request->sides.items[i], error);
    for (size_t i = 0; i < comparison->groups.count; i++) {
        mls_side_group *group = comparison->groups.items[i];
        if (isnan(group->accelerators) && group->side->accelerators > 0) /* use the count given by the user */
            group->accelerators = group->side->accelerators;
        if (!group->weak || group->logged != NULL)
            continue;
        /* For an exported group of weak scaling, compute the score from the times of all models.  The export contains
         * the number of accelerators of the whole machine. */
        double first = INFINITY;
        double last = -(double)INFINITY;
        size_t models = 0;
        for (size_t k = 0; k < group->runs.count; k++) {
            const mls_side_run *run = &group->runs.items[k];
            if (run->valid && run->has_ms) {
                first = fmin(first, run->start_ms);
                last = fmax(last, run->start_ms + (double)run->ms);
                models++;
            }
        }
        unsigned edition = 0;
        (void)mls_edition_number(mls_str_from(group->edition), &edition);
        const mls_benchmark *rules = mls_benchmark_in(
            mls_benchmark_find(request->collect.score.editions, group->usage, mls_str_from(group->benchmark)), edition);
        group->official = models > 0 && models >= rules->runs_needed;
        group->score_minutes = group->scaled_minutes = models > 0 ? (last - first) / 60000 : (double)NAN;
        group->scale = 1;
        group->accelerators = (double)NAN;
    }
    if (status == MLS_OK && published) { /* add published sides, whose names are made from their results */
        status = mls_sides_take_published(request, comparison, error);
        status = status == MLS_OK && !alone ? find_baseline(request, comparison, error) : status;
    }
    if (status == MLS_OK && request->mode == MLS_COMPARE_SIDES && comparison->groups.count > MLS_COMPARED_GROUPS_MAX) {
        status = mls_error_set(error, MLS_ERROR_LIMIT, 0, 0,
                               "%zu groups: at most %zu can be compared side by side; select some, for example with "
                               "grep from an NDJSON export",
                               comparison->groups.count, MLS_COMPARED_GROUPS_MAX);
    }
    for (size_t i = 0; i < comparison->groups.count && status == MLS_OK; i++)
        mls_side_group_measure(comparison->groups.items[i]);
    if (status == MLS_OK && request->mode == MLS_COMPARE_SCALING) {
        mls_scaling_make(comparison);
        return MLS_OK;
    }
    if (status == MLS_OK && request->mode == MLS_COMPARE_SIDES && request->sides.count > 1) {
        mls_sides_meet(comparison);
    } else if (status == MLS_OK && request->mode == MLS_COMPARE_SIDES && comparison->groups.count > 0) {
        mls_side_meet_itself(comparison, request->baseline);
        status = comparison->blocks.count > 0
                     ? find_baseline(request, comparison, error)
                     : mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                     "only one side, and no benchmark with two groups: add a side, or use --published");
    }
    for (size_t i = 0; i < comparison->blocks.count && status == MLS_OK; i++) {
        mls_block *block = &comparison->blocks.items[i];
        mls_block_settings(block, &comparison->known, comparison->arena);
        mls_block_outliers(block, comparison->arena);
        for (size_t k = 1; k < block->group_count; k++)
            mls_difference_make(block->groups[0], block->groups[k], &block->differences[k]);
    }
    if (status == MLS_OK &&
        (request->mode == MLS_COMPARE_PUBLISHED || (request->mode == MLS_COMPARE_SIDES && request->placed)))
        status = mls_beside_make(comparison, request, error);
    return status;
}

bool mls_comparison_passes(const mls_comparison *comparison, mls_compare_fail fail)
{
    bool passes = true;
    for (size_t i = 0; i < comparison->blocks.count; i++) {
        const mls_block *block = &comparison->blocks.items[i];
        bool known = false;
        for (size_t k = 1; k < block->group_count; k++) {
            const mls_difference *difference = &block->differences[k];
            const mls_compare_verdict verdict = difference->verdict;
            known |= verdict == MLS_COMPARE_NOT_PUBLIC
                         ? isfinite(difference->scaled_ratio)
                         : verdict != MLS_COMPARE_NO_SCORE && verdict != MLS_COMPARE_TOO_FEW;
            passes &= !(fail == MLS_FAIL_IF_MEASURED_SLOWER && verdict == MLS_COMPARE_SLOWER) &&
                      !(fail == MLS_FAIL_IF_SCORED_SLOWER && difference->scored.verdict == MLS_COMPARE_SLOWER);
        }
        passes &= known;
    }
    return passes;
}

void mls_comparison_release(mls_comparison *comparison)
{
    for (size_t i = 0; i < comparison->collection_count; i++)
        mls_collection_release(&comparison->collections[i]);
    mls_known_settings_release(&comparison->known);
    mls_published_release(&comparison->opened);
    for (int usage = 0; usage < MLS_USAGE_COUNT; usage++)
        mls_published_release(&comparison->published[usage]);
    mls_arena_free(comparison->arena);
    *comparison = (mls_comparison){0};
}
