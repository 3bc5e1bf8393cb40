/* SPDX-License-Identifier: Apache-2.0 */
/* meet.c - which groups of the sides are compared with which. */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "compare/side.h"

/* By what groups are paired, in this order; the last lets those meet that are left alone. */
typedef enum pairing {
    BY_CONFIG_AND_BATCH,
    BY_ACCELERATORS_AND_BATCH,
    BY_CONFIG,
    BY_BATCH,
    BY_FOLDER,
    BY_NOTHING,
    PAIRINGS
} pairing;

bool mls_unmatched_add(mls_comparison *comparison, mls_arena *arena, const mls_side_group *group, const char *reason)
{
    if (!mls_arena_grow(arena, (void **)&comparison->unmatched, comparison->unmatched_count,
                        &comparison->unmatched_capacity, sizeof *comparison->unmatched)) {
        return false;
    }
    comparison->unmatched[comparison->unmatched_count++] = (mls_unmatched){group, reason};
    return true;
}

static bool is_open_or_closed(mls_division division)
{
    return division == MLS_DIVISION_OPEN || division == MLS_DIVISION_CLOSED;
}

static bool same_benchmark(const mls_side_group *a, const mls_side_group *b)
{
    return a->usage == b->usage && mls_same_text(a->benchmark, b->benchmark);
}

static bool can_meet(const mls_side_group *a, const mls_side_group *b)
{
    return same_benchmark(a, b) &&
           (a->division == b->division || !is_open_or_closed(a->division) || !is_open_or_closed(b->division));
}

/* The last folder of a group's path: its own, or the one that its only file lies in. */
static mls_str last_folder(const mls_side_group *group)
{
    mls_str path = mls_str_from(group->path);
    if (group->run_count > 0 && strcmp(group->path, group->runs[0].file) == 0) {
        path = mls_path_folder(path);
    }
    while (path.len > 0 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    const size_t before = mls_path_folder(path).len;
    path = (mls_str){path.ptr + before, path.len - before};
    return mls_str_equal(path, MLS_S(".")) || mls_str_equal(path, MLS_S("..")) ? (mls_str){path.ptr, 0} : path;
}

static bool same_key(pairing by, const mls_side_group *a, const mls_side_group *b)
{
    const bool config = a->config != NULL && mls_same_text(a->config, b->config);
    const bool batch = a->global_batch_size == b->global_batch_size;
    switch (by) {
    case BY_CONFIG_AND_BATCH:
        return config && batch;
    case BY_ACCELERATORS_AND_BATCH:
        return a->accelerators == b->accelerators && batch;
    case BY_CONFIG:
        return config;
    case BY_BATCH:
        return batch;
    case BY_FOLDER:
        return last_folder(a).len > 0 && mls_str_equal(last_folder(a), last_folder(b));
    default:
        return true;
    }
}

/* Two sides being paired: their groups, and the one of the other side that each has met. */
typedef struct pairing_side {
    mls_side_group **groups, **met;
    size_t count;
} pairing_side;

/* The only free group with the key of `group`; its number, or the count when there are none or several. */
static size_t only_one(const pairing_side *among, pairing by, const mls_side_group *group)
{
    size_t found = among->count;
    for (size_t i = 0; i < among->count; i++) {
        if (among->met[i] == NULL && can_meet(among->groups[i], group) && same_key(by, among->groups[i], group)) {
            if (found < among->count) {
                return among->count;
            }
            found = i;
        }
    }
    return found;
}

static void pair_sides(const pairing_side *a, const pairing_side *b)
{
    for (pairing by = 0; by < PAIRINGS; by++) {
        for (size_t i = 0; i < a->count; i++) {
            const size_t k = a->met[i] == NULL ? only_one(b, by, a->groups[i]) : b->count;
            if (k < b->count && only_one(a, by, b->groups[k]) == i) {
                a->met[i] = b->groups[k];
                b->met[k] = a->groups[i];
            }
        }
    }
}

/* Why a group met none of these. */
static const char *why_alone(const mls_side_group *group, mls_side_group *const *others, size_t count)
{
    bool benchmark = false;
    for (size_t i = 0; i < count; i++) {
        if (others[i]->side != group->side && can_meet(others[i], group)) {
            return "several candidates";
        }
        benchmark |= others[i]->side != group->side && same_benchmark(others[i], group);
    }
    return benchmark ? "division differs" : "no such benchmark on the other side";
}

/* A block of groups, the first of which is the baseline's. */
static bool add_block(mls_comparison *comparison, mls_arena *arena, mls_side_group *const *groups, size_t count)
{
    mls_block block = {.groups = mls_arena_array(arena, count, sizeof *block.groups),
                       .differences = mls_arena_zeroed(arena, count, sizeof *block.differences),
                       .group_count = count};
    if (block.groups == NULL || block.differences == NULL ||
        !mls_arena_grow(arena, (void **)&comparison->blocks, comparison->block_count, &comparison->block_capacity,
                        sizeof *comparison->blocks)) {
        return false;
    }
    memcpy((void *)block.groups, (const void *)groups, count * sizeof *groups);
    comparison->blocks[comparison->block_count++] = block;
    return true;
}

/* The groups of a side stand together. */
static pairing_side groups_of(const mls_comparison *comparison, size_t side)
{
    size_t first = 0;
    while (first < comparison->group_count && comparison->groups[first]->side != side) {
        first++;
    }
    const size_t count = comparison->sides[side].groups;
    return (pairing_side){.groups = count > 0 ? comparison->groups + first : NULL, .count = count};
}

/* Sides being paired with the baseline: what each of its groups has met of each of them, and the other way round. */
typedef struct meeting {
    pairing_side base;
    mls_side_group ***of_base, ***of_side; /* by side */
    mls_side_group **block;                /* scratch */
} meeting;

static bool meeting_make(const mls_comparison *comparison, mls_arena *arena, meeting *made)
{
    const size_t sides = comparison->side_count;
    made->base = groups_of(comparison, comparison->baseline);
    made->of_base = mls_arena_zeroed(arena, sides, sizeof *made->of_base);
    made->of_side = mls_arena_zeroed(arena, sides, sizeof *made->of_side);
    made->block = mls_arena_zeroed(arena, sides, sizeof *made->block);
    bool ok = made->of_base != NULL && made->of_side != NULL && made->block != NULL;
    for (size_t s = 0; s < sides && ok; s++) {
        pairing_side a = made->base;
        pairing_side b = groups_of(comparison, s);
        made->of_base[s] = a.met = mls_arena_zeroed(arena, a.count + 1, sizeof *a.met);
        made->of_side[s] = b.met = mls_arena_zeroed(arena, b.count + 1, sizeof *b.met);
        ok = a.met != NULL && b.met != NULL;
        if (ok && s != comparison->baseline) {
            pair_sides(&a, &b);
        }
    }
    return ok;
}

/* A group of the baseline heads the block of all that it met. */
static bool add_met(mls_comparison *comparison, mls_arena *arena, const meeting *met, mls_side_group *first,
                    size_t index)
{
    size_t count = 0;
    met->block[count++] = first;
    for (size_t s = 0; s < comparison->side_count; s++) {
        mls_side_group *other = met->of_base[s][index];
        if (other != NULL) {
            met->block[count++] = other;
        }
    }
    return count > 1 ? add_block(comparison, arena, met->block, count)
                     : mls_unmatched_add(comparison, arena, first,
                                         why_alone(first, comparison->groups, comparison->group_count));
}

/* Each other side is paired with the baseline by itself; what is left alone is listed in the order of the sides. */
mls_status mls_sides_meet(mls_comparison *comparison, mls_arena *arena)
{
    meeting met;
    bool ok = meeting_make(comparison, arena, &met);
    for (size_t s = 0; s < comparison->side_count && ok; s++) {
        const pairing_side side = groups_of(comparison, s);
        for (size_t i = 0; side.groups != NULL && i < side.count && ok; i++) {
            if (s == comparison->baseline) {
                ok = add_met(comparison, arena, &met, side.groups[i], i);
            } else if (met.of_side[s][i] == NULL) {
                ok = mls_unmatched_add(comparison, arena, side.groups[i],
                                       why_alone(side.groups[i], met.base.groups, met.base.count));
            }
        }
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

/* --------------------------------------------------------------- one side */

/* What groups are called by, in this order. */
typedef enum naming { NAMED_CONFIG, NAMED_BATCH, NAMED_FOLDER, NAMED_SYSTEM, NAMED_PATH, NAMINGS } naming;

/* What a group could be called, empty where nothing of the kind is known.  False: no memory. */
static bool name_by(naming by, const mls_side_group *group, mls_arena *arena, mls_str *name)
{
    const char *const texts[NAMINGS] = {
        [NAMED_CONFIG] = group->config, [NAMED_SYSTEM] = group->system_id, [NAMED_PATH] = group->path};
    mls_buffer text = {0};
    if (by == NAMED_BATCH && isfinite(group->global_batch_size)) {
        mls_buffer_printf(&text, "batch %s", mls_words_exact(group->global_batch_size).text);
    } else if (by == NAMED_FOLDER) {
        mls_buffer_append(&text, last_folder(group));
    } else {
        mls_buffer_append_text(&text, texts[by] != NULL ? texts[by] : "");
    }
    *name = mls_arena_copy(arena, mls_buffer_str(&text));
    const bool ok = !text.failed && name->ptr != NULL;
    mls_buffer_release(&text);
    return ok;
}

static bool are_apart(const mls_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (mls_str_equal(names[i], names[k])) {
                return false;
            }
        }
        if (names[i].len == 0) {
            return false;
        }
    }
    return true;
}

/* Names the groups of one benchmark and division by the first thing that tells all of them apart, else by their paths.
 */
static bool name_groups(mls_side_group *const *groups, mls_str *names, size_t count, mls_arena *arena)
{
    for (naming by = NAMED_CONFIG; by < NAMINGS; by++) {
        for (size_t i = 0; i < count; i++) {
            if (!name_by(by, groups[i], arena, &names[i])) {
                return false;
            }
        }
        if (are_apart(names, count)) {
            break;
        }
    }
    return true;
}

/* The side of that name, new or known; its number, SIZE_MAX: no memory. */
static size_t side_named(mls_comparison *comparison, mls_arena *arena, mls_str name, const char *path)
{
    size_t s = 0;
    while (s < comparison->side_count && !mls_str_equal(mls_str_from(comparison->sides[s].name), name)) {
        s++;
    }
    mls_side *side = &comparison->sides[s];
    if (s == comparison->side_count) {
        *side = (mls_side){.name = mls_arena_copy(arena, name).ptr};
        comparison->side_count++;
    }
    const char **paths = mls_arena_array(arena, side->path_count + 1, sizeof *paths);
    if (side->name == NULL || paths == NULL) {
        return SIZE_MAX;
    }
    if (side->path_count > 0) {
        memcpy((void *)paths, (const void *)side->paths, side->path_count * sizeof *paths);
    }
    paths[side->path_count++] = path;
    side->paths = paths;
    side->groups++;
    return s;
}

/* Puts the groups of one benchmark and division side by side, the baseline's first. */
static bool meet_class(mls_comparison *comparison, mls_arena *arena, mls_side_group **groups, size_t count,
                       const char *baseline)
{
    mls_str *names = mls_arena_zeroed(arena, count, sizeof *names);
    if (count < 2) {
        return mls_unmatched_add(comparison, arena, groups[0], "no other group of this benchmark and division");
    }
    if (names == NULL || !name_groups(groups, names, count, arena)) {
        return false;
    }
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        groups[i]->side = side_named(comparison, arena, names[i], groups[i]->path);
        if (groups[i]->side == SIZE_MAX) {
            return false;
        }
        first = baseline != NULL && mls_str_equal(names[i], mls_str_from(baseline)) ? i : first;
    }
    mls_side_group *base = groups[first];
    memmove((void *)(groups + 1), (const void *)groups, first * sizeof *groups);
    groups[0] = base;
    return add_block(comparison, arena, groups, count);
}

bool mls_side_meet_itself(mls_comparison *comparison, mls_arena *arena, const char *baseline)
{
    const size_t total = comparison->group_count;
    mls_side_group **alike = mls_arena_array(arena, total + 1, sizeof *alike);
    bool *taken = mls_arena_zeroed(arena, total + 1, sizeof *taken);
    bool ok = alike != NULL && taken != NULL;
    comparison->sides = ok ? mls_arena_zeroed(arena, total + 1, sizeof *comparison->sides) : NULL;
    comparison->side_count = 0;
    ok = comparison->sides != NULL;
    for (size_t i = 0; i < total && ok; i++) {
        size_t count = 0;
        for (size_t k = i; k < total && !taken[i]; k++) {
            const mls_side_group *group = comparison->groups[k];
            if (!taken[k] && same_benchmark(group, comparison->groups[i]) &&
                group->division == comparison->groups[i]->division) {
                alike[count++] = comparison->groups[k];
                taken[k] = k > i;
            }
        }
        ok = taken[i] || meet_class(comparison, arena, alike, count, baseline);
    }
    return ok;
}
