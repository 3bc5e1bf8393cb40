/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - predict scores: load the fitted exponents, find the groups on which predictions are based, choose
 * accelerator counts and batch sizes, predict their scores, and find the accelerator counts that reach a target. */
#include "compare/plan/plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "compare/side.h"
#include "json/json_row.h"
#include "json/value.h"

/* ROUNDS: number of rounds whose batch sizes are suggested: the base's round and the two before.  TARGET_STEPS_MAX:
 * maximum number of node counts that are tried to reach a target; in a larger range, not every node count is tried. */
enum { MS_PER_MINUTE = 60000, ROUNDS = 3, TARGET_STEPS_MAX = 1000000 };

/* Limits of suggested batch sizes.  Published ones are suggested if their accelerator count is between 1/SIMILAR and
 * SIMILAR times the predicted one.  If there are none, batch sizes of reference points are suggested, from
 * 1/LEAST_BATCH to LARGEST_BATCH times that of the base. */
enum { SIMILAR = 2, LEAST_BATCH = 4, LARGEST_BATCH = 64 };

static mls_status find_bases(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                             mls_error *error);
static mls_status fill_series(mls_plan *plan, mls_plan_series *series, const mls_plan_request *request,
                              mls_error *error);

mls_status mls_plan_make(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan, mls_error *error)
{
    *plan = (mls_plan){.arena = mls_calloc(1, sizeof(mls_arena)), .level = request->level};
    mls_status status = mls_published_load(MLS_ANY_USAGE, 0, &plan->published, error);
    status = status == MLS_OK ? find_bases(of, request, plan, error) : status;
    for (size_t i = 0; i < plan->series.count && status == MLS_OK; i++)
        status = fill_series(plan, &plan->series.items[i], request, error);
    return status;
}

void mls_plan_release(mls_plan *plan)
{
    for (size_t i = 0; i < plan->bases.count; i++)
        mls_rcp_set_free(plan->bases.items[i].points);
    mls_published_release(&plan->published);
    mls_arena_free(plan->arena);
    *plan = (mls_plan){0};
}

bool mls_plan_answers(const mls_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->rows.count; i++)
        any |= isfinite(plan->rows.items[i].minutes);
    for (size_t i = 0; i < plan->series.count; i++)
        any &= plan->series.items[i].target.obstacle == NULL;
    return any;
}

/* --------------------------------------------------------------------------------------------------------- figures */

const double mls_plan_levels[MLS_PLAN_LEVELS] = {0.5, 0.75, 0.9};

#define MEMBER(name, kind, member) MLS_MEMBER_OF(mls_plan_factors, name, kind, member, NULL)
static const mls_row_member factor_members[] = {MEMBER("", TEXT, benchmark), MEMBER("pairs", COUNT, pairs),
                                                MEMBER("system", NUMBER, system), MEMBER("batch", NUMBER, batch),
                                                MEMBER("evaluation", NUMBER, evaluation)};

/* Read two numbers for each level.  If the JSON value is null, keep the old number. */
static bool read_levels(const cJSON *spread, double (*to)[2])
{
    static const char *const levels[MLS_PLAN_LEVELS] = {"0.5", "0.75", "0.9"};
    bool whole = true;
    for (int level = 0; level < MLS_PLAN_LEVELS && spread != NULL && !cJSON_IsNull(spread); level++) {
        const cJSON *pair = cJSON_GetObjectItemCaseSensitive(spread, levels[level]);
        for (int i = 0; i < 2; i++) {
            const cJSON *number = cJSON_GetArrayItem(pair, i);
            whole &= cJSON_IsNumber(number) && number->valuedouble >= 0;
            to[level][i] = cJSON_IsNumber(number) ? number->valuedouble : (double)NAN;
        }
    }
    return whole;
}

static const mls_plan_factors *factors_of(const mls_plan_figures *figures, const char *benchmark)
{
    const mls_plan_factors *rest = NULL;
    for (size_t i = 0; i < figures->count; i++) {
        const mls_plan_factors *factors = &figures->items[i];
        if (strcmp(factors->benchmark, benchmark) == 0)
            return factors;
        rest = strcmp(factors->benchmark, "*") == 0 ? factors : rest;
    }
    return rest;
}

mls_status mls_plan_figures_load(mls_str text, mls_plan_figures *figures, mls_error *error)
{
    cJSON *json = NULL;
    *figures = (mls_plan_figures){.arena = mls_calloc(1, sizeof(mls_arena))};
    mls_status status = text.ptr == NULL ? mls_json_data("plan.json", &json, error) : mls_json_tree(text, &json, error);
    if (status == MLS_OK) {
        status = mls_json_table_read(json, "benchmarks", factor_members, sizeof factor_members / sizeof *factor_members,
                                     figures->arena, (void **)&figures->items, &figures->count, sizeof *figures->items,
                                     error);
    }
    const cJSON *objects = cJSON_GetObjectItemCaseSensitive(json, "benchmarks");
    const cJSON *object = cJSON_IsObject(objects) ? objects->child : NULL;
    for (size_t i = 0; i < figures->count && object != NULL && status == MLS_OK; i++, object = object->next) {
        mls_plan_factors *factors = &figures->items[i];
        for (int level = 0; level < MLS_PLAN_LEVELS; level++)
            factors->spread[level][0] = factors->spread[level][1] = NAN;
        if (!read_levels(cJSON_GetObjectItemCaseSensitive(object, "spread"), factors->spread) ||
            !isfinite(factors->system) || !isfinite(factors->batch) || !isfinite(factors->evaluation)) {
            status =
                mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                              "%s: system, batch and evaluation must be numbers, and spread two numbers >= 0 per level",
                              factors->benchmark);
        }
    }
    const mls_plan_factors *rest = status == MLS_OK ? factors_of(figures, "*") : NULL;
    if (status == MLS_OK && (rest == NULL || isnan(rest->spread[0][0])))
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "benchmarks must have a row \"*\" with a spread");
    for (size_t i = 0; rest != NULL && i < figures->count && status == MLS_OK; i++)
        if (isnan(figures->items[i].spread[0][0]))
            memcpy(figures->items[i].spread, rest->spread, sizeof rest->spread);
    for (int level = 0; level < MLS_PLAN_LEVELS; level++)
        figures->chosen[level][0] = figures->chosen[level][1] = 1;
    if (status == MLS_OK && !read_levels(cJSON_GetObjectItemCaseSensitive(json, "chosen"), figures->chosen))
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "chosen must have two numbers >= 0 per level");
    cJSON_Delete(json);
    return status;
}

void mls_plan_figures_release(mls_plan_figures *figures)
{
    mls_arena_free(figures->arena);
    *figures = (mls_plan_figures){0};
}

/* -------------------------------------------------------------------------------------------- groups to start from */

static double setting_number(const mls_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        const mls_setting *setting = &settings->items[i];
        if (setting->kind == MLS_SETTING_NUMBER && mls_str_equal(setting->key, mls_str_from(key)))
            return setting->number;
    }
    return NAN;
}

static bool is_count(double number)
{
    return number >= 1 && number == floor(number);
}

/* Sum up the valid runs of a group; if `parts` is set, only those with known parts.  Return false if the convergence of
 * the runs has different units. */
static bool sum_runs(mls_plan_base *base, bool parts)
{
    const char *unit = NULL;
    bool one_unit = true;
    bool evaluations = parts;
    for (size_t i = 0; i < base->group->runs.count; i++) {
        const mls_side_run *run = &base->group->runs.items[i];
        if (!run->valid || !run->has_ms || !isfinite(run->to_converge) || (parts && !run->has_parts))
            continue;
        unit = base->runs == 0 ? run->unit : unit;
        one_unit &= run->unit != NULL && unit != NULL && strcmp(run->unit, unit) == 0;
        base->runs++;
        base->samples += run->to_converge;
        base->total_ms += (double)run->ms;
        base->training_ms += (double)(parts ? run->part_ms[MLS_PART_TRAINING] : run->ms);
        base->evaluation_ms += (double)run->part_ms[MLS_PART_EVALUATION];
        base->evaluations += (double)run->evaluations;
        evaluations &= run->evaluation_delimited;
    }
    if (!evaluations)
        base->evaluation_ms = base->evaluations = 0;
    return one_unit;
}

/* Compute the means of a base.  Return NULL on success, or the reason why nothing can be predicted from the group. */
static const char *measure_base(mls_plan_base *base)
{
    static const char *const degrees[] = {"tensor_parallel", "pipeline_parallel", "context_parallel"};
    const mls_side_group *group = base->group;
    bool one_unit = sum_runs(base, true);
    if (base->runs == 0)
        one_unit = sum_runs(base, false);
    const double runs = (double)base->runs;
    base->samples /= runs;
    base->total_ms /= runs;
    base->training_ms /= runs;
    base->evaluation_ms /= runs;
    base->evaluations /= runs;
    /* A published result whose runs are not public starts from its score, which counts entirely as training. */
    const mls_published_result *published = group->runs.count == 0 ? group->published : NULL;
    const bool scored = published != NULL && mls_published_is_precise(published->known);
    if (scored) {
        base->runs = (size_t)published->runs;
        base->samples = published->to_converge;
        base->total_ms = base->training_ms = published->minutes / published->scale_factor * 60000;
        base->evaluation_ms = base->evaluations = 0;
    }
    const double nodes = scored                  ? published->system->nodes
                         : group->runs.count > 0 ? setting_number(&group->runs.items[0].environment, "nodes")
                                                 : (double)NAN;
    base->per_node = nodes >= 1 ? group->accelerators / nodes : (double)NAN;
    /* Find the number of accelerators per copy of the model, from the settings printed by the job or from the name of
     * the config. */
    const mls_config_name name = mls_config_name_decode(mls_str_from(group->config));
    base->model_parallel = NAN;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees && group->runs.count > 0; i++) {
        const double degree = setting_number(&group->runs.items[0].printed, degrees[i]);
        if (degree >= 1)
            base->model_parallel = degree * (isnan(base->model_parallel) ? 1 : base->model_parallel);
    }
    if (isnan(base->model_parallel) && name.data_parallel > 0)
        base->model_parallel = (double)name.gpus / (double)name.data_parallel;
    const double ranks = group->accelerators / base->model_parallel;
    if (ranks < 1 || ranks > group->global_batch_size) /* the degrees of parallelism cannot be right for the runs */
        base->model_parallel = NAN;
    return group->weak                                           ? "weak scaling is not predicted"
           : published != NULL && !scored                        ? "its score is not known exactly"
           : published == NULL && group->valid == 0              ? "no valid run"
           : base->runs == 0 || (scored && isnan(base->samples)) ? "unknown samples to converge"
           : !one_unit                                           ? "its runs state convergence in different units"
           : !is_count(group->accelerators)                      ? "unknown number of accelerators"
           : !is_count(group->global_batch_size)                 ? "unknown global batch size"
           : !(base->training_ms > 0) || !(base->samples > 0)    ? "unknown time to train"
                                                                 : NULL;
}

/* Return the index of the first base of a series with at least `accelerators` accelerators.  This is a binary search,
 * because an export may contain thousands of groups. */
static size_t base_place(const mls_plan *plan, const mls_plan_series *series, double accelerators)
{
    size_t from = series->first_base;
    size_t end = series->first_base + series->bases;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (plan->bases.items[middle].group->accelerators < accelerators)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

static void add_unfit(mls_plan *plan, const mls_side_group *group, const char *reason)
{
    MLS_ARENA_ADD(plan->arena, &plan->unfit, (mls_unmatched){group, reason});
}

static mls_status add_base(mls_plan *plan, const mls_plan_request *request, mls_plan_series *series,
                           const mls_side_group *group, mls_error *error)
{
    mls_plan_base base = {.group = group, .factors = factors_of(request->figures, group->benchmark)};
    const char *reason = measure_base(&base);
    const mls_side_group *first = series->bases > 0 ? plan->bases.items[series->first_base].group : group;
    const bool open = group->division == MLS_DIVISION_OPEN;
    const size_t place = reason == NULL ? base_place(plan, series, group->accelerators) : 0;
    if (reason == NULL && open != (first->division == MLS_DIVISION_OPEN))
        reason = "another division than the base";
    else if (reason == NULL && place < plan->bases.count &&
             plan->bases.items[place].group->accelerators == group->accelerators)
        reason = "another group with the same number of accelerators is the base";
    if (reason != NULL) {
        add_unfit(plan, group, reason);
        return MLS_OK;
    }
    /* Find the published results of the group's round and the two rounds before. */
    const mls_published_query query = mls_query_of_side(group);
    const unsigned upto = query.edition;
    unsigned last = 0;
    int rounds = 0;
    for (size_t i = 0; i < plan->published.count && rounds <= ROUNDS; i++) {
        const mls_published_result *result = &plan->published.results[i];
        if (result->usage != group->usage || result->edition > upto)
            continue;
        rounds += result->edition != last;
        last = result->edition;
        if (rounds <= ROUNDS && strcmp(result->benchmark, group->benchmark) == 0 &&
            (result->system->division == MLS_DIVISION_OPEN) == open)
            MLS_ARENA_ADD(plan->arena, &base.published, result);
    }
    /* If there is a complete config next to the logs, and the job of this config fits in memory according to the
     * estimate, as it did in reality, store its needs. */
    mls_shell *script = NULL;
    char *path = NULL;
    if (request->models != NULL)
        mls_side_group_config(group, &script, &path);
    if (script != NULL) {
        mls_memory_ask *ask = mls_arena_alloc(plan->arena, sizeof *ask);
        mls_memory_estimate estimate;
        mls_findings ignored = {0};
        mls_memory_ask_init(ask, request->models, request->known);
        if (mls_memory_config(ask, script, path, &ignored) &&
            mls_memory_estimate_make(ask, &estimate, NULL) == MLS_OK && estimate.verdict != MLS_MEMORY_DOES_NOT_FIT)
            base.memory = ask;
        mls_findings_release(&ignored);
    }
    mls_shell_free(script);
    free(path);
    /* Find the reference points. */
    mls_rcp_rules rules = {.editions = request->editions};
    mls_status status =
        mls_editions_find(rules.editions, group->usage, mls_str_from(group->edition), &rules.edition, error);
    rules.benchmark = mls_benchmark_find(rules.editions, group->usage, mls_str_from(group->benchmark));
    if (status == MLS_OK)
        rules.benchmark = mls_benchmark_in(rules.benchmark, rules.edition->number);
    status = status == MLS_OK ? mls_rcp_set_new(&rules, (mls_str){NULL, 0}, NULL, &base.points, error) : status;
    if (status == MLS_OK) {
        base.reference = request->batches.count > 0 ? mls_rcp_set_mean(base.points, group->global_batch_size)
                                                    : mls_rcp_set_limit(base.points, group->global_batch_size).bar.mean;
        MLS_ARENA_ADD(plan->arena, &plan->bases, base);
        mls_plan_base *at = plan->bases.items + place;
        memmove(at + 1, at, (plan->bases.count - 1 - place) * sizeof *at);
        *at = base;
        series->bases++;
    }
    return status;
}

static bool is_alike(const mls_side_group *a, const mls_side_group *b)
{
    return a->benchmark != NULL && a->usage == b->usage && mls_same_text(a->benchmark, b->benchmark) &&
           mls_same_text(a->accelerator, b->accelerator);
}

/* Find the series and their bases.  A series consists of all groups with the benchmark and accelerator model of its
 * first group. */
static mls_status find_bases(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                             mls_error *error)
{
    const char *wanted = request->benchmark;
    mls_side_group *const *groups = of->groups.items;
    mls_status status = MLS_OK;
    bool any = wanted == NULL;
    for (size_t i = 0; i < of->groups.count && status == MLS_OK; i++) {
        bool before = false;
        if (groups[i]->benchmark == NULL) {
            add_unfit(plan, groups[i], "unknown benchmark");
        } else if (wanted == NULL || strcmp(groups[i]->benchmark, wanted) == 0) {
            any = true;
            for (size_t k = 0; k < i && !before; k++)
                before = is_alike(groups[k], groups[i]);
            mls_plan_series series = {.group = groups[i],
                                      .first_base = plan->bases.count,
                                      .target = {request->target_minutes, NAN, NAN, NAN, NULL}};
            for (size_t k = i; k < of->groups.count && !before && status == MLS_OK; k++)
                if (is_alike(groups[k], groups[i]))
                    status = add_base(plan, request, &series, groups[k], error);
            if (series.bases > 0)
                MLS_ARENA_ADD(plan->arena, &plan->series, series);
        }
    }
    return status == MLS_OK && !any && of->groups.count > 0
               ? mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "no runs of the benchmark %s", wanted)
               : status;
}

static const mls_plan_base *base_for(const mls_plan *plan, const mls_plan_series *series, double accelerators)
{
    const mls_plan_base *bases = plan->bases.items;
    const size_t place = base_place(plan, series, accelerators);
    const bool last = place == series->first_base + series->bases;
    const bool below = place > series->first_base && (last || accelerators / bases[place - 1].group->accelerators <=
                                                                  bases[place].group->accelerators / accelerators);
    return &bases[below ? place - 1 : place];
}

/* -------------------------------------------------------------------------------------------------- one prediction */

double mls_plan_score(const mls_plan_row *row)
{
    const double scored = row->base->group->scaled_minutes;
    return row->measured && scored > 0 ? scored : row->minutes * row->scale;
}

/* Predict a row, except for its scale and note.  If the convergence at the batch size is unknown, `samples` is NAN. */
static mls_plan_row predicted(const mls_plan_base *base, const mls_plan_request *request, double accelerators,
                              double batch_size)
{
    const mls_side_group *group = base->group;
    const mls_plan_factors *k = base->factors;
    const double times = accelerators / group->accelerators;
    const double batch = batch_size / group->global_batch_size;
    const double doublings = log2(times);
    const bool same_batch = batch_size == group->global_batch_size;
    const double referred = base->samples * mls_rcp_set_mean(base->points, batch_size) / base->reference;
    const double samples = same_batch ? base->samples : isnan(referred) ? request->samples : referred;
    const double rate_per_ms =
        base->samples / base->training_ms * times * exp2(k->system * doublings + k->batch * log2(batch / times));
    const double evaluation_ms = base->evaluation_ms * (samples / base->samples) * exp2(k->evaluation * doublings);
    const double other_ms = base->total_ms - base->training_ms - base->evaluation_ms;
    const double half = k->spread[request->level][0] + k->spread[request->level][1] * fabs(doublings);
    mls_plan_row row = {.base = base,
                        .accelerators = accelerators,
                        .global_batch_size = batch_size,
                        .measured = accelerators == group->accelerators && same_batch,
                        .samples = samples,
                        .rate = rate_per_ms * 1000,
                        .efficiency = rate_per_ms * base->training_ms / base->samples / times,
                        .training_minutes = samples / rate_per_ms / MS_PER_MINUTE,
                        .evaluation_minutes = evaluation_ms / MS_PER_MINUTE,
                        .other_minutes = (other_ms > 0 ? other_ms : 0) / MS_PER_MINUTE,
                        .scale = 1,
                        .model_parallel = fmax(ceil(accelerators / batch_size), 1)};
    row.minutes = row.training_minutes + row.evaluation_minutes + row.other_minutes;
    row.low_minutes = row.minutes * exp(-half);
    row.high_minutes = row.minutes * exp(half);
    if (row.measured && request->batches.count == 0 && group->score_minutes > 0)
        row.minutes = row.low_minutes = row.high_minutes = group->score_minutes;
    row.accelerator_minutes = row.minutes * accelerators;
    return row;
}

/* Mark the fastest row of an accelerator count as recommended, unless batch sizes were requested.  Adjust its interval,
 * because the minimum of several predictions is biased. */
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

/* ----------------------------------------------------------------------------------------------- accelerator counts
 * and batch sizes. */

static void add_candidate(mls_arena *arena, mls_plan_numbers *to, double number)
{
    if (is_count(number))
        MLS_ARENA_ADD(arena, to, number);
}

static void order_candidates(mls_plan_numbers *numbers)
{
    size_t kept = 0;
    mls_sort_doubles(numbers->items, numbers->count);
    for (size_t i = 0; i < numbers->count; i++)
        if (kept == 0 || numbers->items[i] != numbers->items[kept - 1])
            numbers->items[kept++] = numbers->items[i];
    numbers->count = kept;
}

static double data_parallel(const mls_plan_base *base, double accelerators)
{
    return floor(accelerators / base->model_parallel);
}

/* Return the smallest batch size that is suggested: one sample per data-parallel rank.  If the number of ranks is
 * unknown, one sample per accelerator or, if it is smaller, the base's number of samples per accelerator. */
static double least_batch(const mls_plan_base *base, double accelerators)
{
    const double ranks = data_parallel(base, accelerators);
    const double share = base->group->global_batch_size / base->group->accelerators;
    return !isnan(ranks) ? (ranks >= 1 ? ranks : (double)INFINITY) : accelerators * (share < 1 ? share : 1);
}

/* Find the batch sizes to predict for an accelerator count, in ascending order.  If batch sizes were requested, use
 * them.  Otherwise, use batch sizes published for a similar accelerator count, the base's batch size, the base's batch
 * size in proportion to the accelerator count, and batch sizes of reference points.  Omit batch sizes that do not give
 * every rank a sample, and reference points beyond all published batch sizes, because nobody uses them. */
static void find_batches(const mls_plan *plan, const mls_plan_request *request, const mls_plan_base *base,
                         double accelerators, mls_plan_numbers *batches)
{
    const double own = base->group->global_batch_size;
    const double suggested[] = {own, own * accelerators / base->group->accelerators};
    const double least = least_batch(base, accelerators);
    double from = INFINITY;
    double upto = 0;
    batches->count = 0;
    for (size_t i = 0; i < request->batches.count; i++)
        add_candidate(plan->arena, batches, request->batches.items[i]);
    if (request->batches.count > 0) {
        order_candidates(batches);
        return;
    }
    for (size_t i = 0; i < base->published.count; i++) {
        const mls_published_result *result = base->published.items[i];
        const double times = result->system->accelerators / accelerators;
        const double batch = result->global_batch_size;
        if (times >= 1.0 / SIMILAR && times <= SIMILAR && is_count(batch)) {
            from = fmin(from, batch);
            upto = fmax(upto, batch);
            add_candidate(plan->arena, batches, batch);
        }
    }
    from = upto > 0 ? from : own / LEAST_BATCH;
    upto = upto > 0 ? upto : own * LARGEST_BATCH;
    for (size_t i = 0; i < sizeof suggested / sizeof *suggested; i++)
        if (suggested[i] >= least)
            add_candidate(plan->arena, batches, suggested[i]);
    for (size_t i = 0; i < base->points->count; i++) {
        const double batch = base->points->items[i].global_batch_size;
        if (!base->points->items[i].pruned && batch >= least && batch >= from && batch <= upto)
            add_candidate(plan->arena, batches, batch);
    }
    order_candidates(batches);
}

/* Set the scale factor of a row and its warning.  The factor is larger than 1 if the convergence is better than the
 * reference allows; otherwise it is that of the base. */
static void judge_prediction(mls_arena *arena, mls_plan_row *row)
{
    const mls_plan_base *base = row->base;
    const double known = data_parallel(base, row->accelerators);
    const double ranks = isnan(known) ? row->accelerators : known;
    const mls_rcp_limit limit = mls_rcp_set_limit(base->points, row->global_batch_size);
    const bool judged = !row->measured && base->group->division != MLS_DIVISION_OPEN && row->samples < limit.bar.mean;
    /* On fewer accelerators than the base has, each gets a larger share of the job, which may not fit in its memory. */
    bool too_large = false;
    if (base->memory != NULL && row->accelerators < base->group->accelerators) {
        mls_memory_estimate estimate;
        mls_memory_ask ask = *base->memory;
        ask.values[MLS_MEMORY_GPUS] = (int64_t)row->accelerators;
        too_large =
            mls_memory_estimate_make(&ask, &estimate, NULL) == MLS_OK && estimate.verdict == MLS_MEMORY_DOES_NOT_FIT;
    }
    row->scale = row->measured && base->group->scale > 0     ? base->group->scale
                 : judged && row->samples >= limit.bar.limit ? limit.bar.mean / row->samples
                                                             : 1;
    row->note = isnan(row->samples)         ? "no reference point for this batch (--samples)"
                : ranks < 1                 ? "fewer accelerators than one copy of the model needs"
                : too_large                 ? "does not fit in memory: see mlscore memory --train"
                : judged && row->scale == 1 ? "converges faster than the reference allows"
                                            : NULL;
    if (row->global_batch_size < ranks && !row->measured) {
        const char *before =
            isnan(known) ? "" : mls_arena_printf(arena, ", where the runs had %.0f", base->model_parallel);
        row->note = mls_arena_printf(arena, "needs tp x pp x cp >= %.0f%s%s%s", row->model_parallel, before,
                                     row->note != NULL ? "; " : "", row->note != NULL ? row->note : "");
    }
}

/* Add the rows of an accelerator count.  The fastest row and the row with the base's batch size are shown.  If no batch
 * size can be suggested, add a row with the smallest possible batch size or the base's, whose note is the reason. */
static void add_rows(mls_plan *plan, const mls_plan_request *request, const mls_plan_base *base, double accelerators,
                     mls_plan_numbers *batches)
{
    const size_t first = plan->rows.count;
    mls_plan_row *fastest = NULL;
    bool shown = false;
    find_batches(plan, request, base, accelerators, batches);
    if (batches->count == 0) {
        const double least = ceil(least_batch(base, accelerators));
        add_candidate(plan->arena, batches, isfinite(least) ? least : base->group->global_batch_size);
    }
    for (size_t i = 0; i < batches->count; i++) {
        mls_plan_row row = predicted(base, request, accelerators, batches->items[i]);
        judge_prediction(plan->arena, &row);
        mls_published_near around[3];
        mls_published_query query = mls_query_of_side(base->group);
        query.accelerators = accelerators;
        query.minutes = mls_plan_score(&row);
        query.side = row.measured ? query.side : NULL; /* a prediction is not itself a published result */
        if (isfinite(query.minutes))
            (void)mls_published_around(&plan->published, &query, 0, around, &row.place);
        row.shown = request->batches.count > 0 || row.global_batch_size == base->group->global_batch_size;
        shown |= row.shown;
        MLS_ARENA_ADD(plan->arena, &plan->rows, row);
    }
    for (size_t i = first; i < plan->rows.count; i++)
        fastest = is_faster(&plan->rows.items[i], fastest) ? &plan->rows.items[i] : fastest;
    if (fastest != NULL) {
        fastest->shown = true;
        recommend(fastest, request);
    } else if (!shown && first < plan->rows.count) {
        plan->rows.items[first].shown = true;
    }
}

/* Find the smallest accelerator counts that reach the target.  All counts of whole nodes are tried, because more
 * accelerators are not always faster. */
static void find_target(mls_plan *plan, mls_plan_series *series, const mls_plan_request *request,
                        mls_plan_numbers *batches)
{
    mls_plan_target *target = &series->target;
    const mls_plan_base *bases = plan->bases.items + series->first_base;
    const double smallest = bases[0].group->accelerators;
    const double largest = bases[series->bases - 1].group->accelerators;
    const double node = is_count(bases[0].per_node) ? bases[0].per_node : 1;
    const double step = node * ceil(largest * MLS_PLAN_TIMES_MAX / node / TARGET_STEPS_MAX);
    const double most = floor(largest * MLS_PLAN_TIMES_MAX / step) * step;
    const double first = fmax(ceil(smallest / MLS_PLAN_TIMES_MAX / step), 1) * step;
    mls_plan_row fastest = {.base = NULL};
    for (double n = first; n <= most && isnan(target->by_high); n += step) {
        const mls_plan_base *base = base_for(plan, series, n);
        fastest = (mls_plan_row){.base = NULL};
        find_batches(plan, request, base, n, batches);
        for (size_t i = 0; i < batches->count; i++) {
            const mls_plan_row row = predicted(base, request, n, batches->items[i]);
            fastest = is_faster(&row, fastest.base != NULL ? &fastest : NULL) ? row : fastest;
        }
        recommend(&fastest, request);
        const double reached = fastest.base != NULL ? target->minutes : -1;
        target->by_low = isnan(target->by_low) && fastest.low_minutes <= reached ? n : target->by_low;
        target->by_middle = isnan(target->by_middle) && fastest.minutes <= reached ? n : target->by_middle;
        target->by_high = isnan(target->by_high) && fastest.high_minutes <= reached ? n : target->by_high;
    }
    if (isnan(target->by_low)) {
        /* Set the obstacle to the largest part of the time that more accelerators do not reduce.  If there is no row,
         * larger counts need batch sizes whose convergence is unknown. */
        const double evaluation = fastest.evaluation_minutes;
        const double other = fastest.other_minutes;
        target->obstacle =
            fastest.base == NULL || (fastest.training_minutes >= evaluation && fastest.training_minutes >= other)
                ? "convergence"
            : evaluation >= other ? "evaluation"
                                  : "other";
    }
}

/* Handle an accelerator count that cannot be predicted.  If there is only one series, return an error; otherwise list
 * the base as unfit, so that other series are still predicted. */
static mls_status refuse(mls_plan *plan, const mls_plan_base *base, const mls_error *error)
{
    if (plan->series.count == 1)
        return MLS_ERROR_VALUE;
    add_unfit(plan, base->group, mls_arena_copy(plan->arena, mls_str_from(error->message)).ptr);
    return MLS_OK;
}

/* Add rows to a series for its accelerator counts, in ascending order: the requested counts, which may be given as
 * nodes or as multiples of a base; by default, half to eight times the count of each base. */
static mls_status fill_series(mls_plan *plan, mls_plan_series *series, const mls_plan_request *request,
                              mls_error *error)
{
    double suggested[] = {0.5, 1, 2, 4, 8};
    const bool any = request->accelerators.count + request->nodes.count + request->times.count > 0;
    const mls_plan_numbers times =
        any ? request->times : (mls_plan_numbers){suggested, sizeof suggested / sizeof *suggested, 0};
    mls_plan_numbers counts = {0};
    mls_plan_numbers batches = {0};
    mls_status status = MLS_OK;
    series->first_row = plan->rows.count;
    for (size_t i = 0; i < request->accelerators.count; i++)
        add_candidate(plan->arena, &counts, request->accelerators.items[i]);
    for (size_t i = 0; i < series->bases && status == MLS_OK; i++) {
        const mls_plan_base *base = &plan->bases.items[series->first_base + i];
        const double own = base->group->accelerators;
        for (size_t k = 0; k < request->nodes.count; k++)
            add_candidate(plan->arena, &counts, request->nodes.items[k] * base->per_node);
        if (request->nodes.count > 0 && !is_count(base->per_node)) {
            (void)mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "unknown number of accelerators per node");
            status = refuse(plan, base, error);
        }
        for (size_t k = 0; k < times.count && status == MLS_OK; k++) {
            add_candidate(plan->arena, &counts, times.items[k] * own);
            if (any && !is_count(times.items[k] * own)) {
                (void)mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%g times %.0f accelerators is not a whole number",
                                    times.items[k], own);
                status = refuse(plan, base, error);
            }
        }
    }
    order_candidates(&counts);
    for (size_t i = 0; i < counts.count && status == MLS_OK; i++) {
        const double wanted = counts.items[i];
        const mls_plan_base *base = base_for(plan, series, wanted);
        const double own = base->group->accelerators;
        if (fmax(wanted / own, own / wanted) > MLS_PLAN_TIMES_MAX) {
            (void)mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                "%.0f accelerators differ by more than %d times from the %.0f that ran; no published "
                                "results support such a prediction",
                                wanted, MLS_PLAN_TIMES_MAX, own);
            status = refuse(plan, base, error);
        } else {
            add_rows(plan, request, base, wanted, &batches);
        }
    }
    series->rows = plan->rows.count - series->first_row;
    if (status == MLS_OK && !isnan(series->target.minutes))
        find_target(plan, series, request, &batches);
    return status;
}
