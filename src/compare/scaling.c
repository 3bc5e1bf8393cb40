/* SPDX-License-Identifier: Apache-2.0 */
/* scaling.c - how minutes fall as accelerators are added, and what of it larger batches cost. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "compare/side.h"

static const char *why_left_out(const mls_side_group *group)
{
    return !isfinite(group->score_minutes) || !(group->score_minutes > 0) ? "no score"
           : !isfinite(group->accelerators)                               ? "number of accelerators not known"
           : !(group->accelerators > 0)                                   ? "no accelerators"
                                                                          : NULL;
}

static bool is_alike(const mls_side_group *a, const mls_side_group *b)
{
    return a->usage == b->usage && a->division == b->division && mls_same_text(a->benchmark, b->benchmark) &&
           mls_same_text(a->accelerator, b->accelerator);
}

static int order_points(const void *left, const void *right)
{
    const mls_side_group *a = ((const mls_scaling_point *)left)->group;
    const mls_side_group *b = ((const mls_scaling_point *)right)->group;
    int order = mls_compare_doubles(a->accelerators, b->accelerators);
    order = order != 0 ? order : mls_compare_doubles(a->score_minutes, b->score_minutes);
    return order != 0 ? order : mls_compare_sizes(a->side, b->side);
}

/* efficiency = algorithmic times system: what larger batches cost in training, and what the machine loses. */
static void measure_points(mls_scaling_series *series)
{
    const mls_side_group *base = series->points[0].group;
    for (size_t i = 0; i < series->count; i++) {
        mls_scaling_point *point = &series->points[i];
        const mls_side_group *group = point->group;
        point->speedup = base->score_minutes / group->score_minutes;
        point->efficiency = point->speedup * base->accelerators / group->accelerators;
        point->algorithmic = mls_same_text(base->unit, group->unit) && group->unit != NULL
                                 ? base->to_converge / group->to_converge
                                 : (double)NAN;
        point->system = point->efficiency / point->algorithmic;
    }
}

/* The series of groups[first] and those like it; one size alone is none. */
static bool add_series(mls_comparison *comparison, mls_arena *arena, size_t first, bool *taken)
{
    mls_scaling_series series = {0};
    const mls_side_group *base = comparison->groups[first];
    size_t alike = 0;
    for (size_t i = first; i < comparison->group_count; i++) {
        alike += !taken[i] && is_alike(base, comparison->groups[i]);
    }
    series.points = mls_arena_zeroed(arena, alike, sizeof *series.points);
    if (series.points == NULL) {
        return false;
    }
    for (size_t i = first; i < comparison->group_count; i++) {
        if (!taken[i] && is_alike(base, comparison->groups[i])) {
            taken[i] = true;
            series.points[series.count++].group = comparison->groups[i];
        }
    }
    qsort(series.points, series.count, sizeof *series.points, order_points);
    bool ok = true;
    if (series.points[0].group->accelerators == series.points[series.count - 1].group->accelerators) {
        for (size_t i = 0; i < series.count && ok; i++) {
            ok = mls_unmatched_add(comparison, arena, series.points[i].group, "no other number of accelerators");
        }
        return ok;
    }
    measure_points(&series);
    if (!mls_arena_grow(arena, (void **)&comparison->series, comparison->series_count, &comparison->series_capacity,
                        sizeof *comparison->series)) {
        return false;
    }
    comparison->series[comparison->series_count++] = series;
    return true;
}

mls_status mls_scaling_make(mls_comparison *comparison, mls_arena *arena)
{
    bool *taken = mls_arena_zeroed(arena, comparison->group_count + 1, sizeof *taken);
    bool ok = taken != NULL;
    for (size_t i = 0; i < comparison->group_count && ok; i++) {
        const char *reason = why_left_out(comparison->groups[i]);
        taken[i] = reason != NULL;
        ok = reason == NULL || mls_unmatched_add(comparison, arena, comparison->groups[i], reason);
    }
    for (size_t i = 0; i < comparison->group_count && ok; i++) {
        ok = taken[i] || add_series(comparison, arena, i, taken);
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
