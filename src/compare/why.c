/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - find the main causes of the difference between a group and a published result. */
#include <math.h>
#include <stdlib.h>

#include "compare/side.h"

static mls_published_why *why_new(mls_arena *arena, const mls_side_group *theirs, const mls_side_group *yours)
{
    mls_published_why *why = mls_arena_zeroed(arena, 1, sizeof *why);
    why->theirs_ms = theirs->score_minutes * 60000;
    why->scale_ratio = yours->scale / theirs->scale - 1;
    why->unit = theirs->unit;
    if (isfinite(theirs->score_minutes) && isfinite(yours->score_minutes))
        mls_split_make(theirs, yours, &why->split);
    return why;
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
    if (share == MLS_SHARE_CONVERGENCE && unit != NULL && strcmp(unit, "epochs") == 0)
        return longer ? "more epochs" : "fewer epochs";
    if (share == MLS_SHARE_CONVERGENCE && unit != NULL && strcmp(unit, "tokens") == 0)
        return longer ? "more tokens" : "fewer tokens";
    return names[share][longer];
}

/* Insert a part into the list of at most `limit` parts, which is sorted by falling size.  Parts with a smaller ratio
 * than `least` are ignored. */
static void add_part(mls_why_part *parts, size_t *count, size_t limit, double least, mls_why_part part)
{
    size_t at = *count;
    if (!(fabs(part.ratio) >= least))
        return;
    while (at > 0 && fabs(part.ratio) > fabs(parts[at - 1].ratio))
        at--;
    if (at < limit) {
        *count += *count < limit;
        memmove(parts + at + 1, parts + at, (*count - at - 1) * sizeof *parts);
        parts[at] = part;
    }
}

size_t mls_why_parts(const mls_published_why *why, double least, mls_why_part *parts, size_t limit)
{
    const mls_split *split = &why->split;
    double other = 0;
    size_t count = 0;
    /* If the difference could not be split, there are no parts. */
    for (int share = 0; share < MLS_SHARE_COUNT && split->known && !split->has[MLS_SHARE_RUN]; share++) {
        const char *name = mls_share_direction((mls_share)share, why->unit, split->ms[share] > 0);
        if (split->has[share] && name != NULL)
            add_part(parts, &count, limit, least, (mls_why_part){name, (double)split->ms[share] / why->theirs_ms});
        else if (split->has[share])
            other += (double)split->ms[share];
    }
    add_part(parts, &count, limit, least, (mls_why_part){"other", other / why->theirs_ms});
    add_part(parts, &count, limit, least, (mls_why_part){"RCP scale factor", why->scale_ratio});
    return count;
}

/* Add the rows that differ to the settings of `why`. */
static void add_why_rows(mls_arena *arena, const mls_differings *rows, mls_published_why *why)
{
    for (size_t i = 0; i < rows->count; i++) {
        const mls_differing *row = &rows->items[i];
        if (row->differs && row->values[0].count > 0 && row->values[1].count > 0) {
            const mls_setting_value *of_them = &row->values[0].items[0];
            const mls_setting_value *of_you = &row->values[1].items[0];
            /* Use the key of the setting, because the key of the row may be in an arena that is released earlier. */
            const mls_str key = of_them->lacking ? of_you->setting.key : of_them->setting.key;
            MLS_ARENA_ADD(arena, &why->settings, (mls_why_setting){key, *of_you, *of_them, row->known});
        }
    }
}

const mls_published_why *mls_why_of_block(mls_arena *arena, const mls_block *block)
{
    mls_published_why *made = why_new(arena, block->groups[0], block->groups[1]);
    add_why_rows(arena, &block->printed, made);
    add_why_rows(arena, &block->hyperparameters, made);
    return made;
}

mls_status mls_why_add(mls_comparison *in, const mls_compare_request *request, mls_side_group *group,
                       mls_published_near *near, bool settings, mls_error *error)
{
    const mls_published_result *result = near->result;
    const mls_published *published = &in->published[result->usage];
    mls_side_group ***opened = &in->opened_groups[result->usage];
    if (*opened == NULL)
        *opened = mls_arena_zeroed(in->arena, published->count, sizeof **opened);
    /* Open the published result on first use. */
    mls_side_group **theirs = &(*opened)[result - published->results];
    if (*theirs == NULL) {
        const mls_score_options *how = &request->collect.score;
        const mls_benchmark *rules = mls_benchmark_in(
            mls_benchmark_find(how->editions, result->usage, mls_str_from(result->benchmark)), result->edition);
        mls_side_group *made = mls_arena_zeroed(in->arena, 1, sizeof *made);
        const mls_status status = mls_published_group(in->arena, result, rules, how->select_window, made, error);
        if (status != MLS_OK)
            return status;
        mls_side_group_measure(made);
        *theirs = made;
    }
    if ((*theirs)->runs.count > 0 && group->runs.count > 0) {
        mls_published_why *why = why_new(in->arena, *theirs, group);
        if (settings) {
            mls_arena scratch = {0};
            mls_block block = {.groups = (mls_side_group *[]){*theirs, group}, .group_count = 2};
            mls_block_hyperparameters(&block, &scratch);
            add_why_rows(in->arena, &block.hyperparameters, why);
            mls_arena_release(&scratch);
        }
        near->why = why;
    }
    return MLS_OK;
}

mls_status mls_why_of_group(mls_arena *arena, const mls_group *group, mls_published_near *near, mls_error *error)
{
    mls_arena scratch = {0};
    mls_comparison in = {.arena = &scratch};
    const mls_side side = {0};
    mls_side_group theirs = {0};
    if (group->run_count == 0)
        return MLS_OK;
    const mls_status status = mls_published_group(&scratch, near->result, group->rules, false, &theirs, error);
    if (status == MLS_OK && theirs.runs.count > 0) {
        mls_side_group *yours = mls_side_take_group(&in, &side, group, false);
        mls_side_group_measure(yours);
        mls_side_group_measure(&theirs);
        near->why = why_new(arena, &theirs, yours);
    }
    mls_arena_release(&scratch);
    return status;
}
