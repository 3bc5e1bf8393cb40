/* SPDX-License-Identifier: Apache-2.0 */
/* meet.c - match the groups of different sides that are to be compared. */
#include <math.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "compare/side.h"

/* The criteria by which groups are matched, in the order in which they are tried.  The last one matches two groups if
 * no others are left. */
typedef enum pairing {
    BY_CONFIG_AND_BATCH,
    BY_ACCELERATORS_AND_BATCH,
    BY_CONFIG,
    BY_BATCH,
    BY_FOLDER,
    BY_NOTHING,
    PAIRINGS
} pairing;

void mls_leave_out(mls_comparison *comparison, const mls_side_group *group, const char *reason)
{
    MLS_ARENA_ADD(comparison->arena, &comparison->unmatched, (mls_unmatched){group, reason});
}

static bool same_benchmark(const mls_side_group *a, const mls_side_group *b)
{
    return a->usage == b->usage && mls_same_text(a->benchmark, b->benchmark);
}

static bool can_meet(const mls_side_group *a, const mls_side_group *b)
{
    const bool both = (a->division == MLS_DIVISION_OPEN && b->division == MLS_DIVISION_CLOSED) ||
                      (a->division == MLS_DIVISION_CLOSED && b->division == MLS_DIVISION_OPEN);
    return same_benchmark(a, b) && a->weak == b->weak && !both;
}

/* Return the name of the last folder in a group's path, which is the path of a folder or of the group's only file. */
static mls_str last_folder(const mls_side_group *group)
{
    mls_str path = mls_str_from(group->path);
    if (group->runs.count > 0 && strcmp(group->path, group->runs.items[0].file) == 0)
        path = mls_path_folder(path);
    const mls_str part = mls_path_cut(&path);
    return mls_str_among(part, ". ..") ? MLS_S("") : part;
}

typedef struct groups_span {
    mls_side_group **items;
    size_t count;
} groups_span;

static groups_span groups_of(const mls_comparison *comparison, const mls_side *side)
{
    groups_span span = {0};
    for (size_t i = 0; i < comparison->groups.count; i++) {
        if (comparison->groups.items[i]->side == side) {
            span.items = span.count == 0 ? &comparison->groups.items[i] : span.items;
            span.count++;
        }
    }
    return span;
}

/* Return the unmatched group in `among` that has the same value of the criterion `by` as `group`; NULL if no group has
 * it, or several have. */
static mls_side_group *only_one(groups_span among, pairing by, const mls_side_group *group)
{
    mls_side_group *found = NULL;
    for (size_t i = 0; i < among.count; i++) {
        mls_side_group *other = among.items[i];
        if (other->met != NULL || !can_meet(other, group))
            continue;
        const bool config = other->config != NULL && mls_same_text(other->config, group->config);
        const bool batch = other->global_batch_size == group->global_batch_size;
        const bool same = by == BY_CONFIG_AND_BATCH         ? config && batch
                          : by == BY_ACCELERATORS_AND_BATCH ? other->accelerators == group->accelerators && batch
                          : by == BY_CONFIG                 ? config
                          : by == BY_BATCH                  ? batch
                          : by == BY_FOLDER
                              ? last_folder(other).len > 0 && mls_str_equal(last_folder(other), last_folder(group))
                              : true;
        if (same && found != NULL)
            return NULL;
        found = same ? other : found;
    }
    return found;
}

static const char *why_alone(const mls_side_group *group, groups_span others)
{
    bool benchmark = false;
    bool scaling = false;
    for (size_t i = 0; i < others.count; i++) {
        if (others.items[i]->side != group->side && can_meet(others.items[i], group))
            return "ambiguous: several groups match";
        if (others.items[i]->side != group->side && same_benchmark(others.items[i], group)) {
            benchmark = true;
            scaling |= others.items[i]->weak == group->weak;
        }
    }
    return !benchmark ? "benchmark missing on the other side"
           : !scaling ? "only one side is weak scaling"
                      : "division differs";
}

static void add_block(mls_comparison *comparison, mls_side_group *const *groups, size_t count)
{
    mls_arena *arena = comparison->arena;
    mls_block block = {.groups = mls_arena_array(arena, count, sizeof *block.groups),
                       .differences = mls_arena_zeroed(arena, count, sizeof *block.differences),
                       .group_count = count};
    memcpy((void *)block.groups, (const void *)groups, count * sizeof *groups);
    MLS_ARENA_ADD(arena, &comparison->blocks, block);
}

/* Match the groups of each side with those of the baseline.  A group of the baseline and all groups that match it form
 * a block. */
void mls_sides_meet(mls_comparison *comparison)
{
    const groups_span base = groups_of(comparison, comparison->baseline);
    const groups_span all = {comparison->groups.items, comparison->groups.count};
    mls_side_group **met = mls_arena_array(comparison->arena, comparison->sides.count, sizeof *met);
    for (size_t s = 0; s < comparison->sides.count; s++) {
        if (comparison->sides.items[s] == comparison->baseline)
            continue;
        const groups_span others = groups_of(comparison, comparison->sides.items[s]);
        for (size_t i = 0; i < base.count; i++)
            base.items[i]->met = NULL;
        for (pairing by = 0; by < PAIRINGS; by++) {
            for (size_t i = 0; i < base.count; i++) {
                mls_side_group *group = base.items[i];
                mls_side_group *other = group->met == NULL ? only_one(others, by, group) : NULL;
                if (other != NULL && only_one(base, by, other) == group) {
                    group->met = other;
                    other->met = group;
                }
            }
        }
    }
    for (size_t i = 0; i < all.count; i++) {
        mls_side_group *group = all.items[i];
        if (group->side != comparison->baseline) {
            if (group->met == NULL)
                mls_leave_out(comparison, group, why_alone(group, base));
            continue;
        }
        size_t count = 0;
        met[count++] = group;
        for (size_t k = 0; k < all.count; k++)
            if (all.items[k]->side != group->side && all.items[k]->met == group)
                met[count++] = all.items[k];
        if (count > 1)
            add_block(comparison, met, count);
        else
            mls_leave_out(comparison, group, why_alone(group, all));
    }
}

/* The ways to name the groups of a single side, in the order in which they are tried. */
typedef enum naming { NAMED_CONFIG, NAMED_BATCH, NAMED_FOLDER, NAMED_SYSTEM, NAMED_PATH, NAMED_NUMBER, NAMINGS } naming;

static mls_str name_by(naming by, const mls_side_group *group, size_t number, mls_arena *arena)
{
    const char *text = by == NAMED_CONFIG ? group->config : by == NAMED_SYSTEM ? group->system_id : group->path;
    if (by == NAMED_FOLDER)
        return last_folder(group);
    if (by == NAMED_NUMBER)
        text = mls_arena_printf(arena, "%s (%zu)", group->path, number);
    else if (by == NAMED_BATCH)
        text = isfinite(group->global_batch_size)
                   ? mls_arena_printf(arena, "batch %s", mls_words_exact(group->global_batch_size).text)
                   : NULL;
    return text != NULL ? mls_str_from(text) : MLS_S("");
}

/* Make a block of all groups with the same benchmark and division, the baseline first.  The groups are named in the
 * first way that gives each of them a different name. */
void mls_side_meet_itself(mls_comparison *comparison, const char *baseline)
{
    const size_t total = comparison->groups.count;
    mls_side_group *const *groups = comparison->groups.items;
    mls_arena *arena = comparison->arena;
    mls_side_group **alike = mls_arena_array(arena, total + 1, sizeof *alike);
    bool *taken = mls_arena_zeroed(arena, total + 1, sizeof *taken);
    comparison->sides = (mls_side_list){0};
    for (size_t first = 0; first < total; first++) {
        size_t count = 0;
        if (taken[first])
            continue;
        for (size_t i = first; i < total; i++) {
            if (!taken[i] && same_benchmark(groups[first], groups[i]) && groups[first]->weak == groups[i]->weak &&
                groups[first]->division == groups[i]->division) {
                taken[i] = true;
                alike[count++] = groups[i];
            }
        }
        if (count < 2) {
            mls_leave_out(comparison, alike[0], "no other group of this benchmark and division");
            continue;
        }
        mls_str *names = mls_arena_array(arena, count, sizeof *names);
        size_t base = 0;
        bool apart = false;
        for (naming by = NAMED_CONFIG; by < NAMINGS && !apart; by++) {
            apart = true;
            for (size_t i = 0; i < count; i++) {
                names[i] = name_by(by, alike[i], i + 1, arena);
                apart &= names[i].len > 0;
                for (size_t k = 0; k < i; k++)
                    apart &= !mls_str_equal(names[i], names[k]);
            }
        }
        for (size_t i = 0; i < count; i++) {
            alike[i]->side = mls_side_add(&comparison->sides, arena, names[i], alike[i]->path);
            base = baseline != NULL && mls_str_equal(names[i], mls_str_from(baseline)) ? i : base;
        }
        mls_side_group *moved = alike[base];
        memmove((void *)(alike + 1), (const void *)alike, base * sizeof *alike);
        alike[0] = moved;
        add_block(comparison, alike, count);
    }
}
