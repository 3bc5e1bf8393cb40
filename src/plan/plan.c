/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - which numbers of accelerators and batches are predicted, and by how many a time is reached. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "plan/planning.h"

/* What the base suggests: accelerators from half to eight times its own, reference batches from a quarter to 64 times.
 */
static const double suggested_times[] = {0.5, 1, 2, 4, 8};
enum { SUGGESTED = sizeof suggested_times / sizeof *suggested_times, LEAST_BATCH = 4, LARGEST_BATCH = 64 };

/* Adds a number that is whole. */
static bool add_candidate(mls_arena *arena, mls_plan_numbers *to, double number)
{
    return !mls_plan_is_count(number) || MLS_ARENA_ADD(arena, to, number);
}

/* Sorts candidates, and leaves each there once. */
static void order_candidates(mls_plan_numbers *numbers)
{
    size_t kept = 0;
    mls_sort_doubles(numbers->items, numbers->count);
    for (size_t i = 0; i < numbers->count; i++) {
        if (kept == 0 || numbers->items[i] != numbers->items[kept - 1]) {
            numbers->items[kept++] = numbers->items[i];
        }
    }
    numbers->count = kept;
}

/* Ranks that each take a share of the batch; NAN: not known. */
static double data_parallel(const mls_plan_base *base, double accelerators)
{
    return floor(accelerators / base->model_parallel);
}

/* The smallest batch that is suggested: a sample for each rank; where nobody says how many ranks there are, an
 * accelerator gets one, or as small a share of one as in the runs that were made. */
static double least_batch(const mls_plan_base *base, double accelerators)
{
    const double ranks = data_parallel(base, accelerators);
    const double share = base->group->global_batch_size / base->group->accelerators;
    return !isnan(ranks) ? (ranks >= 1 ? ranks : (double)INFINITY) : accelerators * (share < 1 ? share : 1);
}

/* The batches for so many accelerators, ascending: those asked for, else those that the base suggests and that give
 * every rank a sample. */
static bool find_batches(const mls_plan *plan, const mls_plan_request *request, const mls_plan_base *base,
                         double accelerators, mls_plan_numbers *batches)
{
    const double own = base->group->global_batch_size;
    const double least = least_batch(base, accelerators);
    bool ok = true;
    batches->count = 0;
    for (size_t i = 0; i < request->batches.count && ok; i++) {
        ok = add_candidate(plan->arena, batches, request->batches.items[i]);
    }
    if (request->batches.count > 0) {
        order_candidates(batches);
        return ok;
    }
    ok = add_candidate(plan->arena, batches, own) &&
         add_candidate(plan->arena, batches, own * accelerators / base->group->accelerators);
    for (size_t i = 0; i < base->points->count && ok; i++) {
        const double batch = base->points->items[i].global_batch_size;
        ok = base->points->items[i].pruned || batch < own / LEAST_BATCH || batch > own * LARGEST_BATCH ||
             add_candidate(plan->arena, batches, batch);
    }
    size_t kept = 0;
    for (size_t i = 0; i < batches->count; i++) {
        if (batches->items[i] >= least) {
            batches->items[kept++] = batches->items[i];
        }
    }
    batches->count = kept;
    order_candidates(batches);
    return ok;
}

/* Whether fewer accelerators than the base had would not hold the job: what they shared there each has more of. */
static bool is_too_large(const mls_plan_row *row)
{
    mls_memory_estimate estimate;
    mls_error error;
    mls_memory_ask ask;
    if (row->base->memory == NULL || row->accelerators >= row->base->group->accelerators) {
        return false;
    }
    ask = *row->base->memory;
    ask.values[MLS_MEMORY_GPUS] = (int64_t)row->accelerators;
    return mls_memory_estimate_make(&ask, &estimate, &error) == MLS_OK && estimate.verdict == MLS_MEMORY_DOES_NOT_FIT;
}

/* By how much the score would be scaled, as a mean below the reference's is; and what is to be said against the row. */
static void judge_prediction(mls_plan_row *row)
{
    const mls_plan_base *base = row->base;
    const double ranks = data_parallel(base, row->accelerators);
    const mls_rcp_limit limit = mls_rcp_set_limit(base->points, row->global_batch_size);
    const bool judged = base->group->division != MLS_DIVISION_OPEN && row->samples < limit.bar.mean;
    row->scale = judged && row->samples >= limit.bar.limit ? limit.bar.mean / row->samples : 1;
    row->note = isnan(row->samples)              ? "no reference point tells how it converges (--samples)"
                : ranks < 1                      ? "fewer accelerators than a model is spread over"
                : row->global_batch_size < ranks ? "the batch is smaller than the number of data-parallel ranks"
                : is_too_large(row)              ? "would not fit into memory: see mlscore memory --train"
                : judged && row->scale == 1      ? "converges faster than the reference allows"
                                                 : NULL;
}

static void place_prediction(mls_plan_row *row, const mls_published *published)
{
    mls_published_near around[3];
    mls_published_query query = mls_query_of_side(row->base->group);
    query.accelerators = row->accelerators;
    query.minutes = row->minutes * row->scale;
    query.side = row->measured ? query.side : NULL; /* what is predicted has not been published */
    if (isfinite(query.minutes)) {
        (void)mls_published_around(published, &query, 0, around, &row->place);
    }
}

static mls_plan_row predicted(const mls_plan_base *base, const mls_plan_request *request, double accelerators,
                              double batch)
{
    mls_plan_row row = {.base = base, .accelerators = accelerators, .global_batch_size = batch};
    row.samples = mls_plan_samples(base, request, batch);
    row.measured = accelerators == base->group->accelerators && batch == base->group->global_batch_size;
    mls_plan_predict(&row, request->level);
    return row;
}

static bool is_faster(const mls_plan_row *row, const mls_plan_row *than)
{
    return isfinite(row->minutes) && (than == NULL || row->minutes * row->scale < than->minutes * than->scale);
}

/* The rows of one number of accelerators, of which the fastest and that of the base's batch are shown, and some row in
 * any case: where no batch can be suggested, the least there could be, or the base's own, says why. */
static bool add_rows(mls_plan *plan, const mls_plan_request *request, double accelerators, mls_plan_numbers *batches)
{
    const mls_plan_base *base = mls_plan_base_for(plan, accelerators);
    const size_t first = plan->rows.count;
    mls_plan_row *fastest = NULL;
    bool shown = false;
    bool ok = find_batches(plan, request, base, accelerators, batches);
    if (batches->count == 0 && ok) {
        const double least = ceil(least_batch(base, accelerators));
        ok = add_candidate(plan->arena, batches, isfinite(least) ? least : base->group->global_batch_size);
    }
    for (size_t i = 0; i < batches->count && ok; i++) {
        mls_plan_row row = predicted(base, request, accelerators, batches->items[i]);
        judge_prediction(&row);
        place_prediction(&row, &plan->published);
        row.shown = request->batches.count > 0 || row.global_batch_size == base->group->global_batch_size;
        shown |= row.shown;
        ok = MLS_ARENA_ADD(plan->arena, &plan->rows, row);
    }
    for (size_t i = first; i < plan->rows.count; i++) {
        fastest = is_faster(&plan->rows.items[i], fastest) ? &plan->rows.items[i] : fastest;
    }
    if (fastest != NULL) {
        fastest->shown = true;
    } else if (!shown && first < plan->rows.count) {
        plan->rows.items[first].shown = true;
    }
    return ok;
}

/* The fastest of so many accelerators.  Its base is NULL where there is none. */
static bool find_fastest(const mls_plan *plan, const mls_plan_request *request, double accelerators,
                         mls_plan_numbers *batches, mls_plan_row *fastest)
{
    const mls_plan_base *base = mls_plan_base_for(plan, accelerators);
    const bool ok = find_batches(plan, request, base, accelerators, batches);
    *fastest = (mls_plan_row){.base = NULL};
    for (size_t i = 0; i < batches->count && ok; i++) {
        mls_plan_row row = predicted(base, request, accelerators, batches->items[i]);
        row.scale = 1;
        *fastest = is_faster(&row, fastest->base != NULL ? fastest : NULL) ? row : *fastest;
    }
    return ok;
}

/* What no further accelerators take away, of the fastest that was found: it may have no base, where they would need
 * larger batches than convergence is known of. */
static const char *largest_part(const mls_plan_row *row)
{
    const double evaluation = row->evaluation_minutes;
    const double other = row->other_minutes;
    return row->base == NULL || (row->training_minutes >= evaluation && row->training_minutes >= other) ? "convergence"
           : evaluation >= other                                                                        ? "evaluation"
                                                                                                        : "other";
}

/* Numbers of nodes that an export makes up are looked at in larger steps. */
enum { TARGET_STEPS_MAX = 1000000 };

/* Looks at whole nodes, one after the other: more accelerators need not be faster. */
static bool find_target(mls_plan *plan, const mls_plan_request *request, double smallest, double largest,
                        mls_plan_numbers *batches)
{
    mls_plan_target *target = &plan->target;
    const double per_node = plan->bases.items[0].per_node;
    const double node = mls_plan_is_count(per_node) ? per_node : 1;
    const double step = node * ceil(largest * MLS_PLAN_TIMES_MAX / node / TARGET_STEPS_MAX);
    const double most = floor(largest * MLS_PLAN_TIMES_MAX / step) * step;
    const double first = fmax(ceil(smallest / MLS_PLAN_TIMES_MAX / step), 1) * step;
    mls_plan_row row = {.base = NULL};
    bool ok = true;
    for (double n = first; n <= most && isnan(target->by_high) && ok; n += step) {
        ok = find_fastest(plan, request, n, batches, &row);
        const double reached = row.base != NULL ? target->minutes : -1;
        target->by_low = isnan(target->by_low) && row.low_minutes <= reached ? n : target->by_low;
        target->by_middle = isnan(target->by_middle) && row.minutes <= reached ? n : target->by_middle;
        target->by_high = isnan(target->by_high) && row.high_minutes <= reached ? n : target->by_high;
    }
    target->obstacle = isnan(target->by_low) ? largest_part(&row) : NULL;
    return ok;
}

/* The numbers of accelerators, ascending: those asked for, or what each base suggests. */
static bool find_accelerators(const mls_plan *plan, const mls_plan_request *request, mls_plan_numbers *to)
{
    bool ok = true;
    for (size_t i = 0; i < request->accelerators.count && ok; i++) {
        ok = add_candidate(plan->arena, to, request->accelerators.items[i]);
    }
    for (size_t i = 0; i < plan->bases.count && request->accelerators.count == 0; i++) {
        for (size_t k = 0; k < SUGGESTED && ok; k++) {
            ok = add_candidate(plan->arena, to, plan->bases.items[i].group->accelerators * suggested_times[k]);
        }
    }
    order_candidates(to);
    return ok;
}

static mls_status refuse_far(double accelerators, double base, mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                         "%.0f is more than %d times away from the %.0f accelerators that ran: nothing published says "
                         "anything about it",
                         accelerators, MLS_PLAN_TIMES_MAX, base);
}

static mls_status fill_plan(mls_plan *plan, const mls_plan_request *request, mls_error *error)
{
    mls_plan_numbers accelerators = {0};
    mls_plan_numbers batches = {0};
    double smallest = INFINITY;
    double largest = 0;
    bool ok = find_accelerators(plan, request, &accelerators);
    for (size_t i = 0; i < accelerators.count && ok; i++) {
        const double base = mls_plan_base_for(plan, accelerators.items[i])->group->accelerators;
        if (fmax(accelerators.items[i] / base, base / accelerators.items[i]) > MLS_PLAN_TIMES_MAX) {
            return refuse_far(accelerators.items[i], base, error);
        }
        ok = add_rows(plan, request, accelerators.items[i], &batches);
    }
    for (size_t i = 0; i < plan->bases.count; i++) {
        smallest = fmin(smallest, plan->bases.items[i].group->accelerators);
        largest = fmax(largest, plan->bases.items[i].group->accelerators);
    }
    if (ok && !isnan(plan->target.minutes)) {
        ok = find_target(plan, request, smallest, largest, &batches);
    }
    return ok ? MLS_OK : mls_error_memory(error);
}

mls_status mls_plan_make(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan, mls_error *error)
{
    *plan = (mls_plan){.arena = calloc(1, sizeof(mls_arena)),
                       .level = request->level,
                       .target = {request->target_minutes, NAN, NAN, NAN, NULL}};
    if (plan->arena == NULL) {
        return mls_error_memory(error);
    }
    mls_status status = mls_plan_bases_find(of, request, plan, error);
    if (status == MLS_OK && plan->bases.count > 0) {
        status = mls_published_load(plan->bases.items[0].group->usage, 0, &plan->published, error);
        status = status == MLS_OK ? fill_plan(plan, request, error) : status;
    }
    return status;
}

void mls_plan_release(mls_plan *plan)
{
    for (size_t i = 0; i < plan->bases.count; i++) {
        mls_rcp_set_free(plan->bases.items[i].points);
    }
    mls_published_release(&plan->published);
    mls_arena_free(plan->arena);
    *plan = (mls_plan){0};
}

bool mls_plan_answers(const mls_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->rows.count; i++) {
        any |= isfinite(plan->rows.items[i].minutes);
    }
    return any && plan->target.obstacle == NULL;
}
