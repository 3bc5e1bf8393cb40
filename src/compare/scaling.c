/* SPDX-License-Identifier: Apache-2.0 */
/* scaling.c - how minutes fall as accelerators are added, and what of it larger batches cost. */
#include <math.h>

#include "base/statistics.h"
#include "compare/side.h"

/* Two models that are not known are not the same, unless the user says what the sides ran on. */
static bool is_model_known(const mls_side_group *group)
{
    return group->accelerator != NULL || group->side->accelerators > 0;
}

static const char *why_left_out(const mls_side_group *group)
{
    return !isfinite(group->score_minutes) || !(group->score_minutes > 0) ? "no score"
           : !isfinite(group->accelerators)                               ? "number of accelerators not known"
           : !(group->accelerators > 0)                                   ? "no accelerators"
           : !is_model_known(group)                                       ? "accelerator model not known"
                                                                          : NULL;
}

static bool is_alike(const mls_side_group *a, const mls_side_group *b)
{
    return a->usage == b->usage && a->division == b->division && mls_same_text(a->benchmark, b->benchmark) &&
           mls_same_text(a->accelerator, b->accelerator);
}

/* By accelerators, then minutes. */
static bool is_smaller(const mls_side_group *a, const mls_side_group *b)
{
    const int order = mls_compare_doubles(a->accelerators, b->accelerators);
    return order != 0 ? order < 0 : a->score_minutes < b->score_minutes;
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

/* The series of groups that are alike; one size alone is none. */
static bool add_series(mls_comparison *comparison, mls_side_group *const *groups, size_t count)
{
    mls_scaling_series series = {mls_arena_zeroed(comparison->arena, count, sizeof *series.points), count};
    if (series.points == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && is_smaller(groups[i], series.points[at - 1].group); at--) {
            series.points[at] = series.points[at - 1];
        }
        series.points[at].group = groups[i];
    }
    if (series.points[0].group->accelerators < series.points[count - 1].group->accelerators) {
        measure_points(&series);
        return MLS_ARENA_ADD(comparison->arena, &comparison->series, series);
    }
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        ok = mls_leave_out(comparison, series.points[i].group, "no other number of accelerators");
    }
    return ok;
}

bool mls_scaling_make(mls_comparison *comparison)
{
    const size_t total = comparison->groups.count;
    mls_side_group **alike = mls_arena_array(comparison->arena, total + 1, sizeof *alike);
    bool *taken = mls_arena_zeroed(comparison->arena, total + 1, sizeof *taken);
    bool ok = alike != NULL && taken != NULL;
    for (size_t i = 0; i < total && ok; i++) {
        const char *reason = why_left_out(comparison->groups.items[i]);
        taken[i] = reason != NULL;
        ok = reason == NULL || mls_leave_out(comparison, comparison->groups.items[i], reason);
    }
    for (size_t i = 0; i < total && ok; i++) {
        const size_t count = mls_groups_take(comparison, i, is_alike, taken, alike);
        ok = count == 0 || add_series(comparison, alike, count);
    }
    return ok;
}
