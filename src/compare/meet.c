/* SPDX-License-Identifier: Apache-2.0 */
/* meet.c - match the groups of the sides. */
#include <math.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "compare/side.h"

/* The criteria by which groups are matched, in this order.  The last one matches the only groups that are left. */
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

/* Return the name of the last folder of a group's path: its own, or that of its only file. */
static mls_str last_folder(const mls_side_group *group)
{
    mls_str path = mls_str_from(group->path);
    if (group->runs.count > 0 && strcmp(group->path, group->runs.items[0].file) == 0)
        path = mls_path_folder(path);
    const mls_str part = mls_path_cut(&path);
    return mls_str_among(part, ". ..") ? MLS_S("") : part;
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

/* The groups of one side, which are adjacent. */
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

/* Return the only unmatched group with the same key as `group`; NULL if there are none or several. */
static mls_side_group *only_one(groups_span among, pairing by, const mls_side_group *group)
{
    mls_side_group *found = NULL;
    for (size_t i = 0; i < among.count; i++) {
        mls_side_group *other = among.items[i];
        if (other->met == NULL && can_meet(other, group) && same_key(by, other, group)) {
            if (found != NULL)
                return NULL;
            found = other;
        }
    }
    return found;
}

/* Match the groups of two sides.  Earlier matches of a's groups are cleared first. */
static void pair_sides(groups_span a, groups_span b)
{
    for (size_t i = 0; i < a.count; i++)
        a.items[i]->met = NULL;
    for (pairing by = 0; by < PAIRINGS; by++) {
        for (size_t i = 0; i < a.count; i++) {
            mls_side_group *other = a.items[i]->met == NULL ? only_one(b, by, a.items[i]) : NULL;
            if (other != NULL && only_one(a, by, other) == a.items[i]) {
                a.items[i]->met = other;
                other->met = a.items[i];
            }
        }
    }
}

/* Return why a group has no match among these. */
static const char *why_alone(const mls_side_group *group, groups_span others)
{
    bool benchmark = false;
    bool scaling = false;
    for (size_t i = 0; i < others.count; i++) {
        if (others.items[i]->side != group->side && can_meet(others.items[i], group))
            return "several candidates";
        if (others.items[i]->side != group->side && same_benchmark(others.items[i], group)) {
            benchmark = true;
            scaling |= others.items[i]->weak == group->weak;
        }
    }
    return !benchmark ? "benchmark missing on the other side"
           : !scaling ? "one is of weak scaling, the other is not"
                      : "division differs";
}

/* Add a block of groups; the first is the baseline's. */
static void add_block(mls_comparison *comparison, mls_side_group *const *groups, size_t count)
{
    mls_arena *arena = comparison->arena;
    mls_block block = {.groups = mls_arena_array(arena, count, sizeof *block.groups),
                       .differences = mls_arena_zeroed(arena, count, sizeof *block.differences),
                       .group_count = count};
    memcpy((void *)block.groups, (const void *)groups, count * sizeof *groups);
    MLS_ARENA_ADD(arena, &comparison->blocks, block);
}

/* Match each side with the baseline separately.  A group of the baseline and all its matches form a block.  Unmatched
 * groups are listed in the order of the sides. */
void mls_sides_meet(mls_comparison *comparison)
{
    const groups_span base = groups_of(comparison, comparison->baseline);
    const groups_span all = {comparison->groups.items, comparison->groups.count};
    mls_side_group **met = mls_arena_array(comparison->arena, comparison->sides.count, sizeof *met);
    for (size_t s = 0; s < comparison->sides.count; s++)
        if (comparison->sides.items[s] != comparison->baseline)
            pair_sides(base, groups_of(comparison, comparison->sides.items[s]));
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

/* The ways to name groups, in order of preference; numbers are the last resort. */
typedef enum naming { NAMED_CONFIG, NAMED_BATCH, NAMED_FOLDER, NAMED_SYSTEM, NAMED_PATH, NAMED_NUMBER, NAMINGS } naming;

/* Return the name of a group by one way; empty if unknown. */
static mls_str name_by(naming by, const mls_side_group *group, size_t number, mls_arena *arena)
{
    const char *const texts[NAMINGS] = {[NAMED_CONFIG] = group->config,
                                        [NAMED_SYSTEM] = group->system_id,
                                        [NAMED_PATH] = group->path,
                                        [NAMED_NUMBER] = group->path};
    mls_buffer text = {0};
    mls_buffer_append_text(&text, texts[by] != NULL ? texts[by] : "");
    if (by == NAMED_BATCH && isfinite(group->global_batch_size))
        mls_buffer_printf(&text, "batch %s", mls_words_exact(group->global_batch_size).text);
    else if (by == NAMED_FOLDER)
        mls_buffer_append(&text, last_folder(group));
    else if (by == NAMED_NUMBER)
        mls_buffer_printf(&text, " (%zu)", number);
    const mls_str name = mls_arena_copy(arena, mls_buffer_str(&text));
    mls_buffer_release(&text);
    return name;
}

static bool are_apart(const mls_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            if (mls_str_equal(names[i], names[k]))
                return false;
        if (names[i].len == 0)
            return false;
    }
    return true;
}

/* Make a block of the groups of one benchmark and division, the baseline's first.  They are named by the first way that
 * distinguishes all of them. */
static void meet_class(mls_comparison *comparison, mls_side_group **groups, size_t count, const char *baseline)
{
    mls_arena *arena = comparison->arena;
    mls_str *names = mls_arena_array(arena, count, sizeof *names);
    size_t first = 0;
    bool apart = false;
    if (count < 2) {
        mls_leave_out(comparison, groups[0], "no other group of this benchmark and division");
        return;
    }
    for (naming by = NAMED_CONFIG; by < NAMINGS && !apart; by++) {
        for (size_t i = 0; i < count; i++)
            names[i] = name_by(by, groups[i], i + 1, arena);
        apart = are_apart(names, count);
    }
    for (size_t i = 0; i < count; i++) {
        groups[i]->side = mls_side_add(&comparison->sides, arena, names[i], groups[i]->path);
        first = baseline != NULL && mls_str_equal(names[i], mls_str_from(baseline)) ? i : first;
    }
    mls_side_group *base = groups[first];
    memmove((void *)(groups + 1), (const void *)groups, first * sizeof *groups);
    groups[0] = base;
    add_block(comparison, groups, count);
}

void mls_side_meet_itself(mls_comparison *comparison, const char *baseline)
{
    const size_t total = comparison->groups.count;
    mls_side_group *const *groups = comparison->groups.items;
    mls_side_group **alike = mls_arena_array(comparison->arena, total + 1, sizeof *alike);
    bool *taken = mls_arena_zeroed(comparison->arena, total + 1, sizeof *taken);
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
        meet_class(comparison, alike, count, baseline);
    }
}
