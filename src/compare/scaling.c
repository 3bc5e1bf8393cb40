/* SPDX-License-Identifier: Apache-2.0 */
/* scaling.c - compute how the score of a series of groups changes with the number of accelerators, and how much of it
 * is the cost of larger batches. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "compare/side.h"

/* Compare two texts; NULL equals NULL. */
static int compare_known(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* Compare groups by the values that identify a series.  Return 0 if both groups are in the same series. */
static int compare_series(const mls_side_group *a, const mls_side_group *b)
{
    const int order = a->usage != b->usage         ? (a->usage > b->usage) - (a->usage < b->usage)
                      : a->division != b->division ? (a->division > b->division) - (a->division < b->division)
                                                   : compare_known(a->benchmark, b->benchmark);
    return order != 0 ? order : compare_known(a->accelerator, b->accelerator);
}

/* A group and its series, which is identified by the index of its first group. */
typedef struct scaled_group {
    mls_side_group *group;
    size_t place, series;
} scaled_group;

static int compare_alike(const void *left, const void *right)
{
    const scaled_group *a = left;
    const scaled_group *b = right;
    const int order = compare_series(a->group, b->group);
    return order != 0 ? order : mls_compare_sizes(a->place, b->place);
}

/* Compare two groups of a series by accelerator count, then by minutes. */
static int compare_points(const void *left, const void *right)
{
    const scaled_group *a = left;
    const scaled_group *b = right;
    int order = mls_compare_sizes(a->series, b->series);
    order = order != 0 ? order : mls_compare_doubles(a->group->accelerators, b->group->accelerators);
    order = order != 0 ? order : mls_compare_doubles(a->group->score_minutes, b->group->score_minutes);
    return order != 0 ? order : mls_compare_sizes(a->place, b->place);
}

void mls_scaling_make(mls_comparison *comparison)
{
    const size_t total = comparison->groups.count;
    scaled_group *groups = mls_arena_array(comparison->arena, total + 1, sizeof *groups);
    size_t count = 0;
    for (size_t i = 0; i < total; i++) {
        mls_side_group *group = comparison->groups.items[i];
        /* If the runs of a published result are not public, compute the unscaled score from the scaled score. */
        if (group->published != NULL && group->runs.count == 0)
            group->score_minutes = group->scaled_minutes / group->scale;
        /* Groups with an unknown accelerator model are not put in a series, unless the user gave the accelerator
         * counts. */
        const bool model_known = group->accelerator != NULL || group->side->accelerators > 0;
        const char *reason = !isfinite(group->score_minutes) || !(group->score_minutes > 0) ? mls_no_score_reason(group)
                             : group->weak                                                  ? "weak scaling"
                             : !isfinite(group->accelerators) ? "unknown number of accelerators"
                             : !(group->accelerators > 0)     ? "no accelerators"
                             : !model_known                   ? "unknown accelerator model"
                                                              : NULL;
        if (reason != NULL)
            mls_leave_out(comparison, group, reason);
        else
            groups[count++] = (scaled_group){group, i, i};
    }
    qsort(groups, count, sizeof *groups, compare_alike);
    for (size_t i = 0; i < count; i++) {
        const bool alike = i > 0 && compare_series(groups[i - 1].group, groups[i].group) == 0;
        groups[i].series = alike ? groups[i - 1].series : groups[i].place;
    }
    qsort(groups, count, sizeof *groups, compare_points);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && groups[end].series == groups[first].series;)
            end++;
        const mls_side_group *base = groups[first].group;
        mls_scaling_series series = {mls_arena_zeroed(comparison->arena, end - first, sizeof *series.points),
                                     end - first};
        /* The series contains several accelerator counts. */
        const bool sizes = base->accelerators < groups[end - 1].group->accelerators;
        for (size_t i = 0; i < series.count; i++) {
            mls_scaling_point *point = &series.points[i];
            mls_side_group *group = groups[first + i].group;
            if (!sizes)
                mls_leave_out(comparison, group, "no other number of accelerators");
            /* The efficiency is the product of an algorithmic part (the convergence cost of larger batches) and a
             * system part. */
            point->group = group;
            point->speedup = base->score_minutes / group->score_minutes;
            point->efficiency = point->speedup * base->accelerators / group->accelerators;
            point->algorithmic = mls_same_text(base->unit, group->unit) && group->unit != NULL
                                     ? base->to_converge / group->to_converge
                                     : (double)NAN;
            point->system = point->efficiency / point->algorithmic;
        }
        if (sizes)
            MLS_ARENA_ADD(comparison->arena, &comparison->series, series);
    }
}
