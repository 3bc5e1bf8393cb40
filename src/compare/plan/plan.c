/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - which numbers of accelerators and batches are predicted, and by how many a time is reached. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/statistics.h"
#include "compare/plan/planning.h"

/* Batches are suggested that were published for half to twice as many accelerators, and, where there are none,
 * reference batches from a quarter to 64 times the base's. */
enum { SIMILAR = 2, LEAST_BATCH = 4, LARGEST_BATCH = 64 };

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

/* The batches for so many accelerators, ascending: those asked for; else those that were published for a similar
 * number, and those of the base, in proportion, and of reference points which give every rank a sample: a point beyond
 * all that was published is nothing that anybody can use. */
static bool find_batches(const mls_plan *plan, const mls_plan_request *request, const mls_plan_base *base,
                         double accelerators, mls_plan_numbers *batches)
{
    const double own = base->group->global_batch_size;
    const double suggested[] = {own, own * accelerators / base->group->accelerators};
    const double least = least_batch(base, accelerators);
    double from = INFINITY;
    double upto = 0;
    bool ok = true;
    batches->count = 0;
    for (size_t i = 0; i < request->batches.count && ok; i++) {
        ok = add_candidate(plan->arena, batches, request->batches.items[i]);
    }
    if (request->batches.count > 0) {
        order_candidates(batches);
        return ok;
    }
    for (size_t i = 0; i < base->published.count && ok; i++) {
        const mls_published_result *result = base->published.items[i];
        const double times = result->system->accelerators / accelerators;
        const double batch = result->global_batch_size;
        if (times >= 1.0 / SIMILAR && times <= SIMILAR && mls_plan_is_count(batch)) {
            from = fmin(from, batch);
            upto = fmax(upto, batch);
            ok = add_candidate(plan->arena, batches, batch);
        }
    }
    from = upto > 0 ? from : own / LEAST_BATCH;
    upto = upto > 0 ? upto : own * LARGEST_BATCH;
    for (size_t i = 0; i < sizeof suggested / sizeof *suggested && ok; i++) {
        ok = suggested[i] < least || add_candidate(plan->arena, batches, suggested[i]);
    }
    for (size_t i = 0; i < base->points->count && ok; i++) {
        const double batch = base->points->items[i].global_batch_size;
        ok = base->points->items[i].pruned || batch < least || batch < from || batch > upto ||
             add_candidate(plan->arena, batches, batch);
    }
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

/* By how much the score would be scaled, as a mean below the reference's is, and as the base's was; and what is to be
 * said against the row. */
static bool judge_prediction(mls_arena *arena, mls_plan_row *row)
{
    const mls_plan_base *base = row->base;
    const double known = data_parallel(base, row->accelerators);
    const double ranks = isnan(known) ? row->accelerators : known;
    const mls_rcp_limit limit = mls_rcp_set_limit(base->points, row->global_batch_size);
    const bool judged = !row->measured && base->group->division != MLS_DIVISION_OPEN && row->samples < limit.bar.mean;
    row->scale = row->measured && base->group->scale > 0     ? base->group->scale
                 : judged && row->samples >= limit.bar.limit ? limit.bar.mean / row->samples
                                                             : 1;
    row->note = isnan(row->samples)         ? "no reference point tells how it converges (--samples)"
                : ranks < 1                 ? "fewer accelerators than a model is spread over"
                : is_too_large(row)         ? "would not fit into memory: see mlscore memory --train"
                : judged && row->scale == 1 ? "converges faster than the reference allows"
                                            : NULL;
    if (row->global_batch_size < ranks && !row->measured) {
        mls_buffer note = {0};
        mls_buffer_printf(&note, "needs tp x pp x cp >= %.0f", row->model_parallel);
        if (!isnan(known)) {
            mls_buffer_printf(&note, ", where the runs had %.0f", base->model_parallel);
        }
        if (row->note != NULL) {
            mls_buffer_printf(&note, "; %s", row->note);
        }
        row->note = mls_arena_copy(arena, mls_buffer_str(&note)).ptr;
        mls_buffer_release(&note);
        return row->note != NULL;
    }
    return true;
}

static void place_prediction(mls_plan_row *row, const mls_published *published)
{
    mls_published_near around[3];
    mls_published_query query = mls_query_of_side(row->base->group);
    query.accelerators = row->accelerators;
    query.minutes = mls_plan_score(row);
    query.side = row->measured ? query.side : NULL; /* what is predicted has not been published */
    if (isfinite(query.minutes)) {
        (void)mls_published_around(published, &query, 0, around, &row->place);
    }
}

static mls_plan_row predicted(const mls_plan_base *base, const mls_plan_request *request, double accelerators,
                              double batch)
{
    mls_plan_row row = {.base = base, .accelerators = accelerators, .global_batch_size = batch, .scale = 1};
    row.samples = mls_plan_samples(base, request, batch);
    row.model_parallel = fmax(ceil(accelerators / batch), 1);
    row.measured = accelerators == base->group->accelerators && batch == base->group->global_batch_size;
    mls_plan_predict(&row, request->level);
    if (row.measured && request->batches.count == 0 && base->group->score_minutes > 0) {
        row.minutes = row.low_minutes = row.high_minutes = base->group->score_minutes;
        row.accelerator_minutes = row.minutes * accelerators;
    }
    return row;
}

/* The fastest of several predictions has the interval of one that was chosen, unless somebody else chose the batch. */
static void recommend(mls_plan_row *row, const mls_plan_request *request)
{
    const double *chosen = request->figures->chosen[request->level];
    row->recommended = row->base != NULL && !row->measured && request->batches.count == 0;
    if (row->recommended) {
        row->low_minutes = row->minutes * pow(row->low_minutes / row->minutes, chosen[0]);
        row->high_minutes = row->minutes * pow(row->high_minutes / row->minutes, chosen[1]);
    }
}

static bool is_faster(const mls_plan_row *row, const mls_plan_row *than)
{
    return isfinite(row->minutes) && (than == NULL || mls_plan_score(row) < mls_plan_score(than));
}

/* The rows of one number of accelerators, of which the fastest and that of the base's batch are shown, and some row in
 * any case: where no batch can be suggested, the least there could be, or the base's own, says why. */
static bool add_rows(mls_plan *plan, const mls_plan_request *request, const mls_plan_base *base, double accelerators,
                     mls_plan_numbers *batches)
{
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
        ok = judge_prediction(plan->arena, &row);
        place_prediction(&row, &plan->published);
        row.shown = request->batches.count > 0 || row.global_batch_size == base->group->global_batch_size;
        shown |= row.shown;
        ok = ok && MLS_ARENA_ADD(plan->arena, &plan->rows, row);
    }
    for (size_t i = first; i < plan->rows.count; i++) {
        fastest = is_faster(&plan->rows.items[i], fastest) ? &plan->rows.items[i] : fastest;
    }
    if (fastest != NULL) {
        fastest->shown = true;
        recommend(fastest, request);
    } else if (!shown && first < plan->rows.count) {
        plan->rows.items[first].shown = true;
    }
    return ok;
}

/* The fastest of so many accelerators.  Its base is NULL where there is none. */
static bool find_fastest(const mls_plan *plan, const mls_plan_series *series, const mls_plan_request *request,
                         double accelerators, mls_plan_numbers *batches, mls_plan_row *fastest)
{
    const mls_plan_base *base = mls_plan_base_for(plan, series, accelerators);
    const bool ok = find_batches(plan, request, base, accelerators, batches);
    *fastest = (mls_plan_row){.base = NULL};
    for (size_t i = 0; i < batches->count && ok; i++) {
        const mls_plan_row row = predicted(base, request, accelerators, batches->items[i]);
        *fastest = is_faster(&row, fastest->base != NULL ? fastest : NULL) ? row : *fastest;
    }
    recommend(fastest, request);
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
static bool find_target(mls_plan *plan, mls_plan_series *series, const mls_plan_request *request,
                        mls_plan_numbers *batches)
{
    mls_plan_target *target = &series->target;
    const mls_plan_base *bases = plan->bases.items + series->first_base;
    const double smallest = bases[0].group->accelerators;
    const double largest = bases[series->bases - 1].group->accelerators;
    const double node = mls_plan_is_count(bases[0].per_node) ? bases[0].per_node : 1;
    const double step = node * ceil(largest * MLS_PLAN_TIMES_MAX / node / TARGET_STEPS_MAX);
    const double most = floor(largest * MLS_PLAN_TIMES_MAX / step) * step;
    const double first = fmax(ceil(smallest / MLS_PLAN_TIMES_MAX / step), 1) * step;
    mls_plan_row row = {.base = NULL};
    bool ok = true;
    for (double n = first; n <= most && isnan(target->by_high) && ok; n += step) {
        ok = find_fastest(plan, series, request, n, batches, &row);
        const double reached = row.base != NULL ? target->minutes : -1;
        target->by_low = isnan(target->by_low) && row.low_minutes <= reached ? n : target->by_low;
        target->by_middle = isnan(target->by_middle) && row.minutes <= reached ? n : target->by_middle;
        target->by_high = isnan(target->by_high) && row.high_minutes <= reached ? n : target->by_high;
    }
    target->obstacle = isnan(target->by_low) ? largest_part(&row) : NULL;
    return ok;
}

/* Refuse a number of accelerators that cannot be predicted: as an error if there is one series, else by listing the
 * base as unfit, so that the other series are still predicted. */
static mls_status refuse(mls_plan *plan, const mls_plan_base *base, mls_error *error)
{
    const char *reason = mls_arena_copy(plan->arena, mls_str_from(error->message)).ptr;
    return plan->series.count == 1 ? MLS_ERROR_VALUE
           : reason == NULL        ? mls_error_memory(error)
                                   : mls_plan_unfit(plan, base->group, reason, error);
}

/* Numbers of accelerators of a series, ascending: those asked for, be it by nodes of a base or times its number, or
 * what each base suggests, from half to eight times its own. */
static mls_status find_accelerators(mls_plan *plan, const mls_plan_series *series, const mls_plan_request *request,
                                    mls_plan_numbers *to, mls_error *error)
{
    double suggested[] = {0.5, 1, 2, 4, 8};
    const bool any = request->accelerators.count + request->nodes.count + request->times.count > 0;
    const mls_plan_numbers times =
        any ? request->times : (mls_plan_numbers){suggested, sizeof suggested / sizeof *suggested, 0};
    mls_status status = MLS_OK;
    bool ok = true;
    for (size_t i = 0; i < request->accelerators.count && ok; i++) {
        ok = add_candidate(plan->arena, to, request->accelerators.items[i]);
    }
    for (size_t i = 0; i < series->bases && status == MLS_OK; i++) {
        const mls_plan_base *base = &plan->bases.items[series->first_base + i];
        const double own = base->group->accelerators;
        for (size_t k = 0; k < request->nodes.count && ok; k++) {
            ok = add_candidate(plan->arena, to, request->nodes.items[k] * base->per_node);
        }
        if (request->nodes.count > 0 && !mls_plan_is_count(base->per_node)) {
            (void)mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "how many accelerators a node has is not known");
            status = refuse(plan, base, error);
        }
        for (size_t k = 0; k < times.count && ok && status == MLS_OK; k++) {
            ok = add_candidate(plan->arena, to, times.items[k] * own);
            if (any && !mls_plan_is_count(times.items[k] * own)) {
                (void)mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%g times %.0f accelerators is not a whole number",
                                    times.items[k], own);
                status = refuse(plan, base, error);
            }
        }
    }
    order_candidates(to);
    return ok ? status : mls_error_memory(error);
}

static mls_status fill_series(mls_plan *plan, mls_plan_series *series, const mls_plan_request *request,
                              mls_error *error)
{
    mls_plan_numbers accelerators = {0};
    mls_plan_numbers batches = {0};
    series->first_row = plan->rows.count;
    mls_status status = find_accelerators(plan, series, request, &accelerators, error);
    for (size_t i = 0; i < accelerators.count && status == MLS_OK; i++) {
        const double wanted = accelerators.items[i];
        const mls_plan_base *base = mls_plan_base_for(plan, series, wanted);
        const double own = base->group->accelerators;
        if (fmax(wanted / own, own / wanted) > MLS_PLAN_TIMES_MAX) {
            (void)mls_error_set(
                error, MLS_ERROR_VALUE, 0, 0,
                "%.0f is more than %d times away from the %.0f accelerators that ran: nothing published "
                "says anything about it",
                wanted, MLS_PLAN_TIMES_MAX, own);
            status = refuse(plan, base, error);
        } else if (!add_rows(plan, request, base, wanted, &batches)) {
            status = mls_error_memory(error);
        }
    }
    series->rows = plan->rows.count - series->first_row;
    if (status == MLS_OK && !isnan(series->target.minutes) && !find_target(plan, series, request, &batches)) {
        status = mls_error_memory(error);
    }
    return status;
}

mls_status mls_plan_make(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan, mls_error *error)
{
    *plan = (mls_plan){.arena = mls_calloc(1, sizeof(mls_arena)), .level = request->level};
    if (plan->arena == NULL) {
        return mls_error_memory(error);
    }
    mls_status status = mls_published_load(MLS_ANY_USAGE, 0, &plan->published, error);
    status = status == MLS_OK ? mls_plan_bases_find(of, request, plan, error) : status;
    for (size_t i = 0; i < plan->series.count && status == MLS_OK; i++) {
        status = fill_series(plan, &plan->series.items[i], request, error);
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
    for (size_t i = 0; i < plan->series.count; i++) {
        any &= plan->series.items[i].target.obstacle == NULL;
    }
    return any;
}
