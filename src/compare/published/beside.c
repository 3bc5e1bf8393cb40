/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - find the published results near a group, and the group's rank among them. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "compare/side.h"

/* Distances are rounded to nine decimals before they are compared. */
#define DISTANCES 1e9

/* Half of the last digit of published minutes, which have four decimals. */
#define HALF_A_DECIMAL 0.5e-4

/* Maximum relative difference between the score of a group and of a published result that may be the same, although
 * runs are missing or other rules were applied. */
#define MAY_BE_ITSELF 0.05

/* Maximum relative difference between the scores if start times of runs are unknown.  The review committee may have
 * changed the scaling factor slightly. */
#define NEARLY_THE_SAME 0.001

mls_published_query mls_query_of_side(const mls_side_group *group)
{
    unsigned edition = 0;
    (void)mls_edition_number(mls_str_from(group->edition), &edition);
    return (mls_published_query){.edition = edition,
                                 .benchmark = mls_str_from(group->benchmark),
                                 .division = group->division,
                                 .accelerators = group->accelerators,
                                 .model = group->accelerator,
                                 .minutes = group->scaled_minutes,
                                 .system_id = group->system_id,
                                 .side = group};
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

static bool is_wanted(const mls_published_query *query, const mls_published_result *result)
{
    return query->submitter == NULL || strcasestr(result->system->submitter, query->submitter) != NULL;
}

static bool is_asked_for(const mls_published_query *query, const mls_published_result *result)
{
    const mls_division division = query->division != MLS_DIVISION_NONE ? query->division : MLS_DIVISION_CLOSED;
    return mls_str_equal(query->benchmark, mls_str_from(result->benchmark)) && division == result->system->division &&
           is_wanted(query, result);
}

/* Return the number of the edition to search: that of the query or, if it has no result on the benchmark, the newest
 * edition that has. */
static unsigned edition_for(const mls_published *published, const mls_published_query *query)
{
    unsigned newest = 0;
    for (size_t i = 0; i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (is_asked_for(query, result) && mls_published_is_precise(result->known)) {
            if (result->edition == query->edition)
                return query->edition;
            newest = newest == 0 ? result->edition : newest;
        }
    }
    return newest;
}

/* Return whether a published result was made from the runs of the group.  This is the case if more than half of their
 * start times are equal.  Start times are compared only if the name of the system is the same or the scores are
 * similar. */
static bool is_itself(const mls_published_query *query, const mls_published_result *result)
{
    const bool same_system = query->system_id != NULL && strcmp(query->system_id, result->system->system_id) == 0;
    const bool has_runs = query->logged != NULL || query->side != NULL;
    const double apart = fabs(query->minutes / result->minutes - 1);
    bool self = same_system && fabs(query->minutes - result->minutes) < HALF_A_DECIMAL * 1.001;
    if (!self && (same_system || apart < MAY_BE_ITSELF)) {
        mls_published_starts starts = mls_published_starts_of(result);
        const size_t count = query->logged != NULL ? query->logged->run_count
                             : query->side != NULL ? query->side->runs.count
                                                   : 0;
        size_t known = 0;
        size_t shared = 0;
        while (mls_published_next_start(&starts) == MLS_OK) {
            bool found = false;
            known++;
            for (size_t i = 0; i < count && !found; i++) {
                const double own = query->logged != NULL ? query->logged->runs[i]->run_start.time_ms
                                                         : query->side->runs.items[i].start_ms;
                found = fabs(own - starts.start_ms) < 1; /* published times are whole milliseconds */
            }
            shared += found;
        }
        self = known > 0 ? 2 * shared > known : same_system && has_runs && apart < NEARLY_THE_SAME;
    }
    return self;
}

static mls_published_near near_of(const mls_published_query *query, const mls_published_result *result)
{
    return (mls_published_near){
        .result = result, .ratio = query->minutes / result->minutes - 1, .self = is_itself(query, result)};
}

size_t mls_published_nearest(const mls_published *published, const mls_published_query *query, mls_published_near *near,
                             size_t count)
{
    const unsigned edition = published != NULL ? edition_for(published, query) : 0;
    size_t found = 0;
    for (size_t i = 0; published != NULL && i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (result->edition != edition || !is_asked_for(query, result) || !mls_published_is_precise(result->known))
            continue;
        size_t at = found;
        /* The list is sorted; on equal distance and model, earlier results stay first, because results are sorted by
         * minutes and row. */
        for (; at > 0; at--) {
            const mls_published_result *before = near[at - 1].result;
            const int order = mls_compare_doubles(distance_in_size(query, result), distance_in_size(query, before));
            if (order != 0 ? order > 0 : !has_model(query, result) || has_model(query, before))
                break;
        }
        if (at == count)
            continue;
        found += found < count;
        memmove(near + at + 1, near + at, (found - at - 1) * sizeof *near);
        near[at] = near_of(query, result);
    }
    return found;
}

size_t mls_published_around(const mls_published *published, const mls_published_query *query, size_t limit,
                            mls_published_near *around, mls_published_place *place)
{
    mls_published_query any = *query;
    any.submitter = NULL;
    const unsigned edition = edition_for(published, &any);
    const mls_published_result *last = NULL; /* the last result on the same number of the same accelerators */
    bool published_itself = false;
    size_t count = 0;
    size_t faster = 0;
    size_t slower = 0;
    const bool known = !isnan(query->accelerators) && query->model != NULL;
    *place = (mls_published_place){.rank = 1, .rank_alike = known};
    for (size_t i = 0, rank = 0; i < published->count; i++) {
        const mls_published_result *result = &published->results[i];
        if (result->edition != edition || !is_asked_for(&any, result))
            continue;
        place->published++;
        if (result->known == MLS_PUBLISHED_BOUNDS)
            continue;
        mls_published_near near = near_of(query, result);
        /* Only one result is the group itself, but in training 4.0 several systems share a name. */
        near.self &= !published_itself;
        const bool before = near.ratio > 0 && !near.self && !published_itself;
        published_itself |= near.self;
        place->rank += before;
        place->ranked++;
        if (!has_model(query, result) || result->system->accelerators != query->accelerators)
            continue;
        place->rank_alike += before;
        place->ranked_alike++;
        rank = last != NULL && last->minutes == result->minutes ? rank : place->ranked_alike;
        last = result;
        near.rank_alike = rank;
        const bool behind = !before && !near.self;
        if (near.self) { /* results with equal minutes that precede it are not faster */
            place->rank = result->rank;
            place->rank_alike = rank;
        }
        const bool shown = is_wanted(query, result) && mls_published_is_precise(result->known);
        if (near.self || (shown && (before || slower < limit))) {
            around[count++] = near;
            faster += before;
            slower += behind;
        }
        if (faster == limit + 2) { /* keep the fastest result and the nearest faster ones */
            memmove(around + 1, around + 2, limit * sizeof *around);
            faster--;
            count--;
        }
    }
    place->itself = published_itself;
    place->ranked += !published_itself;
    place->published += !published_itself;
    for (size_t i = 0; i < count; i++)
        around[i].ranked_alike = place->ranked_alike;
    place->ranked_alike += known && !published_itself;
    return count;
}

mls_status mls_published_beside_find(mls_published_beside *beside, const mls_group *groups, size_t count,
                                     mls_error *error)
{
    mls_status status = MLS_OK;
    beside->arena = mls_calloc(1, sizeof *beside->arena);
    beside->near = mls_arena_zeroed(beside->arena, count, sizeof *beside->near);
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        const mls_group *group = &groups[i];
        mls_published_near near;
        /* Skip groups for which no result on the same number of the same accelerators can be found. */
        if (mls_is_weak(&group->weak) || !(group->scaled_minutes > 0) || group->accelerator == NULL ||
            isnan(group->accelerators))
            continue;
        const mls_side_group side = mls_side_group_of(group);
        mls_published_query query = mls_query_of_side(&side);
        query.logged = group;
        /* Load the results of the edition on first use. */
        size_t at = 0;
        while (at < beside->editions.count && beside->editions.items[at].edition != group->edition)
            at++;
        if (at == beside->editions.count) {
            MLS_ARENA_ADD(beside->arena, &beside->editions, (mls_published_edition){.edition = group->edition});
            status = mls_published_load(group->edition->usage, group->edition->number,
                                        &beside->editions.items[at].results, error);
        }
        const mls_published *results = &beside->editions.items[at].results;
        if (status == MLS_OK && mls_published_nearest(results, &query, &near, 1) == 1 &&
            near.result->edition == query.edition && near.result->system->accelerators == query.accelerators &&
            has_model(&query, near.result)) {
            status = near.self ? MLS_OK : mls_why_of_group(beside->arena, group, &near, error);
            if (status == MLS_OK)
                beside->near[i] = near;
        }
    }
    return status;
}

void mls_published_beside_release(mls_published_beside *beside)
{
    for (size_t i = 0; i < beside->editions.count; i++)
        mls_published_release(&beside->editions.items[i].results);
    mls_arena_free(beside->arena);
}

mls_status mls_beside_make(mls_comparison *comparison, const mls_compare_request *request, mls_error *error)
{
    for (size_t g = 0; g < comparison->groups.count; g++) {
        mls_side_group *group = comparison->groups.items[g];
        mls_published *published = &comparison->published[group->usage];
        mls_published_match beside = {.group = group};
        mls_published_query query = mls_query_of_side(group);
        query.submitter = request->submitter;
        mls_status status = published->arena == NULL ? mls_published_load(group->usage, 0, published, error) : MLS_OK;
        if (status != MLS_OK)
            return status;
        if (group->benchmark == NULL || group->weak || !isfinite(group->scaled_minutes)) {
            mls_leave_out(comparison, group,
                          group->benchmark == NULL ? "unknown benchmark"
                          : group->weak            ? "no published weak scaling results are included"
                                                   : mls_no_score_reason(group));
            continue;
        }
        const size_t limit = request->around < published->count ? request->around : published->count;
        beside.around = mls_arena_array(comparison->arena, 2 * limit + 3, sizeof *beside.around);
        beside.count = mls_published_nearest(published, &query, beside.near, MLS_BESIDE_MOST);
        beside.around_count = mls_published_around(published, &query, limit, beside.around, &beside.place);
        for (size_t i = 0; i < beside.count && status == MLS_OK; i++)
            status = mls_why_add(comparison, request, group, &beside.near[i], true, error);
        for (size_t i = 0; i < beside.around_count && status == MLS_OK; i++)
            status = mls_why_add(comparison, request, group, &beside.around[i], false, error);
        if (status != MLS_OK)
            return status;
        if (beside.count + beside.around_count > 0) {
            MLS_ARENA_ADD(comparison->arena, &comparison->beside, beside);
        } else {
            mls_leave_out(comparison, group,
                          request->submitter != NULL
                              ? "no published score of this benchmark, division and submitter is known exactly"
                              : "no published score of this benchmark and division is known exactly");
        }
    }
    return MLS_OK;
}
