/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - what the difference between a group and a published result is made of, in a few words. */
#include <math.h>
#include <stdlib.h>

#include "compare/side.h"

void mls_why_make(const mls_side_group *theirs, const mls_side_group *yours, mls_published_why *why)
{
    *why = (mls_published_why){.theirs_ms = theirs->score_minutes * 60000,
                               .scale_ratio = yours->scale / theirs->scale - 1,
                               .unit = theirs->unit};
    if (isfinite(theirs->score_minutes) && isfinite(yours->score_minutes)) {
        mls_split_make(theirs, yours, &why->split);
    }
}

/* The parts that are worth a word, and room for no more. */
typedef struct part_list {
    mls_why_part *items;
    size_t count, limit;
    double least;
} part_list;

/* Adds a part where its size is worth it; the largest stand first. */
static void add_part(part_list *parts, const char *name, double ratio)
{
    size_t at = parts->count;
    if (!(fabs(ratio) >= parts->least)) {
        return;
    }
    while (at > 0 && fabs(ratio) > fabs(parts->items[at - 1].ratio)) {
        at--;
    }
    if (at < parts->limit) {
        parts->count += parts->count < parts->limit;
        memmove(parts->items + at + 1, parts->items + at, (parts->count - at - 1) * sizeof *parts->items);
        parts->items[at] = (mls_why_part){name, ratio};
    }
}

const char *mls_share_direction(mls_share share, const char *unit, bool longer)
{
    static const char *const names[MLS_SHARE_COUNT][2] = {
        [MLS_SHARE_CONVERGENCE] = {"fewer samples", "more samples"},
        [MLS_SHARE_THROUGHPUT] = {"faster pace", "slower pace"},
        [MLS_SHARE_TRAINING] = {"shorter training", "longer training"},
        [MLS_SHARE_EVALUATIONS] = {"fewer evaluations", "more evaluations"},
        [MLS_SHARE_EVALUATION_TIME] = {"faster evaluations", "slower evaluations"},
        [MLS_SHARE_EVALUATION] = {"shorter evaluation", "longer evaluation"}};
    const bool epochs = unit != NULL && strcmp(unit, "epochs") == 0;
    const bool tokens = unit != NULL && strcmp(unit, "tokens") == 0;
    return share != MLS_SHARE_CONVERGENCE ? names[share][longer]
           : epochs                       ? (longer ? "more epochs" : "fewer epochs")
           : tokens                       ? (longer ? "more tokens" : "fewer tokens")
                                          : names[share][longer];
}

size_t mls_why_parts(const mls_published_why *why, double least, mls_why_part *parts, size_t limit)
{
    const mls_split *split = &why->split;
    double other = 0;
    part_list list = {.items = parts, .limit = limit, .least = least};
    /* A difference that is not split says nothing more than the whole. */
    for (int share = 0; share < MLS_SHARE_COUNT && split->known && !split->has[MLS_SHARE_RUN]; share++) {
        const char *name = mls_share_direction((mls_share)share, why->unit, split->ms[share] > 0);
        if (split->has[share] && name != NULL) {
            add_part(&list, name, (double)split->ms[share] / why->theirs_ms);
        } else if (split->has[share]) {
            other += (double)split->ms[share];
        }
    }
    add_part(&list, "other", other / why->theirs_ms);
    add_part(&list, "scale", why->scale_ratio);
    return list.count;
}

/* The settings in which they differ. */
static bool add_why_rows(mls_arena *arena, const mls_differings *rows, mls_published_why *why)
{
    bool ok = true;
    for (size_t i = 0; i < rows->count && ok; i++) {
        const mls_differing *row = &rows->items[i];
        if (row->differs && row->values[0].count > 0 && row->values[1].count > 0) {
            const mls_setting_value *of_them = &row->values[0].items[0];
            const mls_setting_value *of_you = &row->values[1].items[0];
            /* The row's own key may lie in an arena that goes before. */
            const mls_str key = of_them->lacking ? of_you->setting.key : of_them->setting.key;
            const mls_why_setting setting = {key, *of_you, *of_them, row->known};
            ok = MLS_ARENA_ADD(arena, &why->settings, setting);
        }
    }
    return ok;
}

/* The hyperparameters in which they differ; `scratch` takes what is needed on the way. */
static bool add_why_settings(mls_arena *arena, mls_arena *scratch, mls_side_group *theirs, mls_side_group *yours,
                             mls_published_why *why)
{
    mls_side_group *groups[] = {theirs, yours};
    mls_block block = {.groups = groups, .group_count = 2};
    return mls_block_hyperparameters(&block, scratch) && add_why_rows(arena, &block.hyperparameters, why);
}

mls_status mls_why_of_block(mls_arena *arena, const mls_block *block, const mls_published_why **why)
{
    mls_published_why *made = mls_arena_zeroed(arena, 1, sizeof *made);
    *why = made;
    if (made == NULL) {
        return MLS_ERROR_MEMORY;
    }
    mls_why_make(block->groups[0], block->groups[1], made);
    return add_why_rows(arena, &block->printed, made) && add_why_rows(arena, &block->hyperparameters, made)
               ? MLS_OK
               : MLS_ERROR_MEMORY;
}

/* The group of a published result, opened when it is first asked for; NULL: no memory, or broken data. */
static mls_side_group *opened_group(mls_comparison *in, const mls_compare_request *request,
                                    const mls_published_result *result, mls_error *error)
{
    const mls_published *published = &in->published[result->usage];
    mls_side_group ***groups = &in->opened_groups[result->usage];
    const size_t place = (size_t)(result - published->results);
    const mls_score_options *how = &request->collect.score;
    if (*groups == NULL) {
        *groups = mls_arena_zeroed(in->arena, published->count, sizeof **groups);
    }
    if (*groups != NULL && (*groups)[place] == NULL) {
        mls_side_group *made = mls_arena_zeroed(in->arena, 1, sizeof *made);
        const mls_benchmark *rules = mls_benchmark_find(how->editions, result->usage, mls_str_from(result->benchmark));
        if (made != NULL && mls_published_group(in->arena, result, rules, how->select_window, made, error) == MLS_OK &&
            mls_side_group_measure(made) == MLS_OK) {
            (*groups)[place] = made;
        }
    }
    return *groups != NULL ? (*groups)[place] : NULL;
}

mls_status mls_why_add(mls_comparison *in, const mls_compare_request *request, mls_side_group *group,
                       mls_published_near *near, bool settings, mls_error *error)
{
    mls_arena scratch = {0};
    mls_published_why *why = mls_arena_zeroed(in->arena, 1, sizeof *why);
    mls_side_group *theirs = why != NULL ? opened_group(in, request, near->result, error) : NULL;
    bool ok = theirs != NULL;
    if (ok && theirs->runs.count > 0 && group->runs.count > 0) {
        mls_why_make(theirs, group, why);
        ok = !settings || add_why_settings(in->arena, &scratch, theirs, group, why);
        near->why = why;
    }
    mls_arena_release(&scratch);
    return ok ? MLS_OK : error != NULL && error->status == MLS_ERROR_VALUE ? MLS_ERROR_VALUE : mls_error_memory(error);
}

mls_status mls_why_of_group(mls_arena *arena, const mls_group *group, mls_published_near *near, mls_error *error)
{
    mls_arena scratch = {0};
    mls_comparison in = {.arena = &scratch};
    const mls_side side = {0};
    mls_side_group theirs = {0};
    if (group->run_count == 0) {
        return MLS_OK;
    }
    mls_published_why *why = mls_arena_zeroed(arena, 1, sizeof *why);
    mls_side_group *yours = why != NULL ? mls_side_take_group(&in, &side, group, false) : NULL;
    mls_status status = yours != NULL ? mls_published_group(&scratch, near->result, group->rules, false, &theirs, error)
                                      : mls_error_memory(error);
    if (status == MLS_OK && theirs.runs.count > 0) {
        status = mls_side_group_measure(yours) == MLS_OK && mls_side_group_measure(&theirs) == MLS_OK
                     ? MLS_OK
                     : mls_error_memory(error);
        if (status == MLS_OK) {
            mls_why_make(&theirs, yours, why);
            near->why = why;
        }
    }
    mls_arena_release(&scratch);
    return status;
}
