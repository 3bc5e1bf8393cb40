/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - groups beside the published results nearest to them. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "compare/side.h"

/* Distances are compared to nine decimals. */
#define DISTANCES 1e9

/* Published minutes have four decimals; a number half-way between two was rounded to either. */
#define HALF_A_DECIMAL 0.5e-4

static mls_published_query query_of_side(const mls_side_group *group)
{
    unsigned edition = 0;
    (void)mls_edition_number(mls_str_from(group->edition), &edition);
    return (mls_published_query){.edition = edition,
                                 .benchmark = mls_str_from(group->benchmark),
                                 .division = group->division,
                                 .accelerators = group->accelerators,
                                 .model = group->accelerator,
                                 .minutes = group->scaled_minutes,
                                 .system_id = group->system_id};
}

static bool has_model(const mls_published_query *query, const mls_published_result *result)
{
    return query->model != NULL && strcmp(query->model, result->system->model.text) == 0;
}

static double distance_in_size(const mls_published_query *query, const mls_published_result *result)
{
    const double accelerators = result->system->accelerators;
    return isnan(query->accelerators) ? 0
           : isnan(accelerators)      ? INFINITY
                                      : floor(fabs(log(accelerators / query->accelerators)) * DISTANCES + 0.5);
}

/* Whether a result is nearer than one that stands before it, and so is the faster of the two or of a lower row. */
static bool is_nearer(const mls_published_query *query, const mls_published_result *result,
                      const mls_published_result *before)
{
    const int order = mls_compare_doubles(distance_in_size(query, result), distance_in_size(query, before));
    return order != 0 ? order < 0 : has_model(query, result) && !has_model(query, before);
}

static bool answers(const mls_published_query *query, const mls_published_result *result)
{
    const mls_division division = query->division != MLS_DIVISION_NONE ? query->division : MLS_DIVISION_CLOSED;
    return mls_str_equal(query->benchmark, mls_str_from(result->benchmark)) && division == result->system->division;
}

/* The edition whose results are looked at; the newest come first. */
static unsigned edition_for(const mls_published *published, const mls_published_query *query)
{
    unsigned newest = 0;
    for (size_t i = 0; i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (answers(query, result)) {
            if (result->edition == query->edition) {
                return query->edition;
            }
            newest = newest == 0 ? result->edition : newest;
        }
    }
    return newest;
}

size_t mls_published_nearest(const mls_published *published, const mls_published_query *query, mls_published_near *near,
                             size_t count)
{
    const unsigned edition = edition_for(published, query);
    size_t found = 0;
    for (size_t i = 0; i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (result->edition != edition || !answers(query, result)) {
            continue;
        }
        size_t at = found;
        while (at > 0 && is_nearer(query, result, near[at - 1].result)) {
            at--;
        }
        if (at == count) {
            continue;
        }
        found += found < count;
        memmove(near + at + 1, near + at, (found - at - 1) * sizeof *near);
        near[at] = (mls_published_near){.result = result,
                                        .ratio = query->minutes / result->minutes - 1,
                                        .self = fabs(query->minutes - result->minutes) < HALF_A_DECIMAL * 1.001 &&
                                                query->system_id != NULL &&
                                                strcmp(query->system_id, result->system->system_id) == 0};
    }
    return found;
}

/* Only on as many of the same accelerators a result can stand beside a group. */
static bool may_be_beside(const mls_group *group)
{
    return group->weak.check == MLS_CHECK_NOT_MADE && group->scaled_minutes > 0 && group->accelerator != NULL &&
           !isnan(group->accelerators);
}

mls_status mls_published_beside_make(const mls_group *groups, size_t count, mls_published_beside *beside,
                                     mls_error *error)
{
    *beside = (mls_published_beside){calloc(count + 1, sizeof *beside->tables), calloc(count + 1, sizeof *beside->near),
                                     count};
    mls_status status = MLS_OK;
    if (beside->tables == NULL || beside->near == NULL) {
        return mls_error_memory(error);
    }
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        const mls_edition *edition = groups[i].edition;
        size_t first = 0; /* of the groups of this edition: it has the table */
        while (first < i && (groups[first].edition != edition || !may_be_beside(&groups[first]))) {
            first++;
        }
        if (!may_be_beside(&groups[i])) {
            continue;
        }
        const mls_side_group side = mls_side_group_of(&groups[i]);
        const mls_published_query query = query_of_side(&side);
        if (first == i) {
            status = mls_published_load(edition->usage, edition->number, &beside->tables[i], error);
        }
        mls_published_near near;
        if (status == MLS_OK && mls_published_nearest(&beside->tables[first], &query, &near, 1) == 1 &&
            near.result->edition == query.edition && near.result->system->accelerators == query.accelerators &&
            has_model(&query, near.result)) {
            beside->near[i] = near;
        }
    }
    return status;
}

void mls_published_beside_release(mls_published_beside *beside)
{
    for (size_t i = 0; i < beside->count && beside->tables != NULL; i++) {
        mls_published_release(&beside->tables[i]);
    }
    free(beside->tables);
    free(beside->near);
}

static bool add_beside(mls_comparison *comparison, const mls_side_group *group)
{
    mls_beside beside = {.group = group};
    const mls_published_query query = query_of_side(group);
    if (group->benchmark == NULL || !isfinite(group->scaled_minutes)) {
        return mls_leave_out(comparison, group, group->benchmark == NULL ? "unknown benchmark" : "no score");
    }
    beside.count = mls_published_nearest(&comparison->published[group->usage], &query, beside.near, MLS_BESIDE_MOST);
    return beside.count > 0 ? MLS_ARENA_ADD(comparison->arena, &comparison->beside, beside)
                            : mls_leave_out(comparison, group, "no published result of this benchmark and division");
}

mls_status mls_beside_make(mls_comparison *comparison, mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < comparison->groups.count && status == MLS_OK; i++) {
        const mls_side_group *group = comparison->groups.items[i];
        mls_published *published = &comparison->published[group->usage];
        if (published->arena == NULL) {
            status = mls_published_load(group->usage, 0, published, error);
        }
        status = status == MLS_OK && !add_beside(comparison, group) ? MLS_ERROR_MEMORY : status;
    }
    return status;
}
