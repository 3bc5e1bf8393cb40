/* SPDX-License-Identifier: Apache-2.0 */
/* base.c - the groups that predictions start from. */
#include <math.h>
#include <stdlib.h>

#include "compare/plan/planning.h"

/* A number that a run was set up with, or NAN. */
static double setting_number(const mls_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        const mls_setting *setting = &settings->items[i];
        if (setting->kind == MLS_SETTING_NUMBER && mls_str_equal(setting->key, mls_str_from(key))) {
            return setting->number;
        }
    }
    return NAN;
}

/* Accelerators that share one copy of the model, as the job printed it, else as its config is called; NAN: neither. */
static double model_parallel_of(const mls_side_group *group)
{
    static const char *const degrees[] = {"tensor_parallel", "pipeline_parallel", "context_parallel"};
    const mls_config_name name = mls_config_name_decode(mls_str_from(group->config));
    double printed = NAN;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees && group->runs.count > 0; i++) {
        const double degree = setting_number(&group->runs.items[0].printed, degrees[i]);
        if (degree >= 1) {
            printed = degree * (isnan(printed) ? 1 : printed);
        }
    }
    return !isnan(printed)           ? printed
           : name.data_parallel == 0 ? (double)NAN
                                     : (double)name.gpus / (double)name.data_parallel;
}

bool mls_plan_is_count(double number)
{
    return number >= 1 && number == floor(number);
}

/* Adds the runs up; with `parts` only those whose parts are known.  False: what they took is not of one unit. */
static bool sum_runs(mls_plan_base *base, bool parts)
{
    const char *unit = NULL;
    bool one_unit = true;
    bool evaluations = parts;
    for (size_t i = 0; i < base->group->runs.count; i++) {
        const mls_side_run *run = &base->group->runs.items[i];
        if (!run->valid || !run->has_ms || !isfinite(run->to_converge) || (parts && !run->has_parts)) {
            continue;
        }
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
    if (!evaluations) {
        base->evaluation_ms = base->evaluations = 0;
    }
    return one_unit;
}

/* Takes the means.  NULL, or why nothing can be predicted from the group. */
static const char *measure_base(mls_plan_base *base)
{
    const mls_side_group *group = base->group;
    bool one_unit = sum_runs(base, true);
    if (base->runs == 0) {
        one_unit = sum_runs(base, false);
    }
    const double runs = (double)base->runs;
    base->samples /= runs;
    base->total_ms /= runs;
    base->training_ms /= runs;
    base->evaluation_ms /= runs;
    base->evaluations /= runs;
    const double nodes =
        group->runs.count > 0 ? setting_number(&group->runs.items[0].environment, "nodes") : (double)NAN;
    base->per_node = nodes >= 1 ? group->accelerators / nodes : (double)NAN;
    base->model_parallel = model_parallel_of(group);
    const double ranks = group->accelerators / base->model_parallel;
    if (ranks < 1 || ranks > group->global_batch_size) { /* the runs contradict it */
        base->model_parallel = NAN;
    }
    return group->weak ? "weak scaling: many models side by side are not predicted"
           : group->published != NULL && group->runs.count == 0 ? "its runs are not public"
           : group->valid == 0                                  ? "no valid run"
           : base->runs == 0                                    ? "how much it took to converge is not known"
           : !one_unit                                          ? "its runs do not converge in one unit"
           : !mls_plan_is_count(group->accelerators)            ? "number of accelerators not known"
           : !mls_plan_is_count(group->global_batch_size)       ? "global batch size not known"
           : !(base->training_ms > 0) || !(base->samples > 0)   ? "no time of training"
                                                                : NULL;
}

/* Keeps what the config beside the logs asks of a GPU, where it says enough, and its runs are not said not to fit. */
static mls_status find_memory(mls_plan_base *base, const mls_plan_request *request, mls_arena *arena, mls_error *error)
{
    mls_memory_ask ask;
    mls_memory_estimate estimate;
    mls_findings ignored = {0};
    mls_shell *script = NULL;
    char *path = NULL;
    mls_status status = MLS_OK;
    if (request->models != NULL) {
        status = mls_side_group_config(base->group, &script, &path);
    }
    if (script != NULL) {
        mls_memory_ask_init(&ask, request->models, request->known);
        if (mls_memory_config(&ask, script, path, &ignored) &&
            mls_memory_estimate_make(&ask, &estimate, error) == MLS_OK && estimate.verdict != MLS_MEMORY_DOES_NOT_FIT) {
            mls_memory_ask *kept = mls_arena_alloc(arena, sizeof *kept);
            status = kept != NULL ? MLS_OK : MLS_ERROR_MEMORY;
            if (kept != NULL) {
                *kept = ask;
            }
            base->memory = kept;
        }
        status = ignored.out_of_memory ? MLS_ERROR_MEMORY : status;
    }
    mls_findings_release(&ignored);
    mls_shell_free(script);
    free(path);
    return status == MLS_OK ? MLS_OK : mls_error_memory(error);
}

/* Batches that were asked for are held against the points as they stand. */
static mls_status find_points(mls_plan_base *base, const mls_plan_request *request, mls_error *error)
{
    const mls_editions *editions = request->editions;
    const mls_side_group *group = base->group;
    const mls_edition *edition;
    mls_status status = mls_editions_find(editions, group->usage, mls_str_from(group->edition), &edition, error);
    if (status == MLS_OK) {
        const mls_rcp_rules rules = {editions, edition,
                                     mls_benchmark_find(editions, group->usage, mls_str_from(group->benchmark))};
        status = mls_rcp_set_new(&rules, (mls_str){NULL, 0}, NULL, &base->points, error);
    }
    if (status == MLS_OK) {
        base->reference = request->batches.count > 0
                              ? mls_rcp_set_mean(base->points, group->global_batch_size)
                              : mls_rcp_set_limit(base->points, group->global_batch_size).bar.mean;
    }
    return status;
}

enum { ROUNDS = 3 }; /* the base's, and the last two before it, whose results say which batches are used */

static bool find_published(mls_plan *plan, mls_plan_base *base)
{
    const mls_side_group *group = base->group;
    const unsigned upto = mls_query_of_side(group).edition;
    unsigned last = 0;
    int rounds = 0;
    bool ok = true;
    for (size_t i = 0; i < plan->published.count && rounds <= ROUNDS && ok; i++) {
        const mls_published_result *result = &plan->published.results[i];
        if (result->usage != group->usage || result->edition > upto) {
            continue;
        }
        rounds += result->edition != last;
        last = result->edition;
        ok = rounds > ROUNDS || strcmp(result->benchmark, group->benchmark) != 0 ||
             (result->system->division == MLS_DIVISION_OPEN) != (group->division == MLS_DIVISION_OPEN) ||
             MLS_ARENA_ADD(plan->arena, &base->published, result);
    }
    return ok;
}

/* The place of the first base of a series that has as many accelerators or more. */
static size_t base_place(const mls_plan *plan, const mls_plan_series *series, double accelerators)
{
    size_t from = series->first_base;
    size_t end = series->first_base + series->bases;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (plan->bases.items[middle].group->accelerators < accelerators) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return from;
}

mls_status mls_plan_unfit(mls_plan *plan, const mls_side_group *group, const char *reason, mls_error *error)
{
    return MLS_ARENA_ADD(plan->arena, &plan->unfit, (mls_unmatched){group, reason}) ? MLS_OK : mls_error_memory(error);
}

/* Puts a base where it stands by its accelerators: an export may have thousands, of which each row asks for one. */
static mls_status insert_base(mls_plan *plan, const mls_plan_base *base, size_t place, mls_error *error)
{
    if (!MLS_ARENA_ADD(plan->arena, &plan->bases, *base)) {
        mls_rcp_set_free(base->points);
        return mls_error_memory(error);
    }
    mls_plan_base *at = plan->bases.items + place;
    memmove(at + 1, at, (plan->bases.count - 1 - place) * sizeof *at);
    *at = *base;
    return MLS_OK;
}

static mls_status add_base(mls_plan *plan, const mls_plan_request *request, mls_plan_series *series,
                           const mls_side_group *group, mls_error *error)
{
    mls_plan_base base = {.group = group, .factors = mls_plan_factors_of(request->figures, group->benchmark)};
    const char *reason = measure_base(&base);
    if (reason != NULL) {
        return mls_plan_unfit(plan, group, reason, error);
    }
    const mls_side_group *first = series->bases > 0 ? plan->bases.items[series->first_base].group : group;
    if ((group->division == MLS_DIVISION_OPEN) != (first->division == MLS_DIVISION_OPEN)) {
        return mls_plan_unfit(plan, group, "of another division than the base", error);
    }
    const size_t place = base_place(plan, series, group->accelerators);
    if (place < plan->bases.count && plan->bases.items[place].group->accelerators == group->accelerators) {
        return mls_plan_unfit(plan, group, "another group with as many accelerators is the base", error);
    }
    mls_status status = find_published(plan, &base) ? MLS_OK : mls_error_memory(error);
    status = status == MLS_OK ? find_memory(&base, request, plan->arena, error) : status;
    status = status == MLS_OK ? find_points(&base, request, error) : status;
    status = status == MLS_OK ? insert_base(plan, &base, place, error) : status;
    series->bases += status == MLS_OK;
    return status;
}

static bool is_alike(const mls_side_group *a, const mls_side_group *b)
{
    return a->benchmark != NULL && b->benchmark != NULL && a->usage == b->usage &&
           strcmp(a->benchmark, b->benchmark) == 0 &&
           (a->accelerator == NULL || b->accelerator == NULL ? a->accelerator == b->accelerator
                                                             : strcmp(a->accelerator, b->accelerator) == 0);
}

/* The series of all groups that are like one, which the first of them makes. */
static mls_status add_series(const mls_comparison *of, size_t from, const mls_plan_request *request, mls_plan *plan,
                             mls_error *error)
{
    const mls_side_group *group = of->groups.items[from];
    mls_plan_series series = {
        .group = group, .first_base = plan->bases.count, .target = {request->target_minutes, NAN, NAN, NAN, NULL}};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < from; i++) {
        if (is_alike(of->groups.items[i], group)) {
            return MLS_OK;
        }
    }
    for (size_t i = from; i < of->groups.count && status == MLS_OK; i++) {
        if (is_alike(of->groups.items[i], group)) {
            status = add_base(plan, request, &series, of->groups.items[i], error);
        }
    }
    return status != MLS_OK || series.bases == 0 || MLS_ARENA_ADD(plan->arena, &plan->series, series)
               ? status
               : mls_error_memory(error);
}

mls_status mls_plan_bases_find(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                               mls_error *error)
{
    const char *wanted = request->benchmark;
    mls_status status = MLS_OK;
    bool any = wanted == NULL;
    for (size_t i = 0; i < of->groups.count && status == MLS_OK; i++) {
        const mls_side_group *group = of->groups.items[i];
        if (group->benchmark == NULL) {
            status = mls_plan_unfit(plan, group, "benchmark not known", error);
        } else if (wanted == NULL || strcmp(group->benchmark, wanted) == 0) {
            any = true;
            status = add_series(of, i, request, plan, error);
        }
    }
    return status == MLS_OK && !any && of->groups.count > 0
               ? mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "nothing of the benchmark %s is there", wanted)
               : status;
}

const mls_plan_base *mls_plan_base_for(const mls_plan *plan, const mls_plan_series *series, double accelerators)
{
    const mls_plan_base *bases = plan->bases.items;
    const size_t place = base_place(plan, series, accelerators);
    const bool last = place == series->first_base + series->bases;
    const bool below = place > series->first_base && (last || accelerators / bases[place - 1].group->accelerators <=
                                                                  bases[place].group->accelerators / accelerators);
    return &bases[below ? place - 1 : place];
}
