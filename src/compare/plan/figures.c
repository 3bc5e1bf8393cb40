/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c - the exponents and half-widths by which published series changed. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/plan/planning.h"
#include "json/json_row.h"
#include "json/value.h"

const double mls_plan_levels[MLS_PLAN_LEVELS] = {0.5, 0.75, 0.9};

#define MEMBER(name, kind, member) MLS_MEMBER_OF(mls_plan_factors, name, kind, member, NULL)
static const mls_row_member factor_members[] = {MEMBER("", TEXT, benchmark), MEMBER("pairs", COUNT, pairs),
                                                MEMBER("system", NUMBER, system), MEMBER("batch", NUMBER, batch),
                                                MEMBER("evaluation", NUMBER, evaluation)};

/* The two numbers of each level; what is null is left as it was. */
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

static mls_status complete_factors(mls_plan_factors *factors, const cJSON *object, mls_error *error)
{
    for (int level = 0; level < MLS_PLAN_LEVELS; level++) {
        factors->spread[level][0] = factors->spread[level][1] = NAN;
    }
    return read_levels(cJSON_GetObjectItemCaseSensitive(object, "spread"), factors->spread) &&
                   isfinite(factors->system) && isfinite(factors->batch) && isfinite(factors->evaluation)
               ? MLS_OK
               : mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                               "%s: system, batch and evaluation must be numbers, spread two from 0 on of each level",
                               factors->benchmark);
}

static mls_status read_figures(const cJSON *json, mls_plan_figures *to, mls_error *error)
{
    const cJSON *objects = cJSON_GetObjectItemCaseSensitive(json, "benchmarks");
    mls_status status =
        mls_json_table_read(json, "benchmarks", factor_members, sizeof factor_members / sizeof *factor_members,
                            to->arena, (void **)&to->items, &to->count, sizeof *to->items, error);
    const cJSON *object = cJSON_IsObject(objects) ? objects->child : NULL;
    for (size_t i = 0; i < to->count && object != NULL && status == MLS_OK; i++, object = object->next) {
        status = complete_factors(&to->items[i], object, error);
    }
    const mls_plan_factors *rest = status == MLS_OK ? mls_plan_factors_of(to, "*") : NULL;
    if (status == MLS_OK && (rest == NULL || isnan(rest->spread[0][0]))) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "benchmarks must have a row \"*\" with a spread");
    }
    for (size_t i = 0; i < to->count && status == MLS_OK; i++) {
        if (isnan(to->items[i].spread[0][0])) {
            memcpy(to->items[i].spread, rest->spread, sizeof rest->spread);
        }
    }
    for (int level = 0; level < MLS_PLAN_LEVELS; level++) {
        to->chosen[level][0] = to->chosen[level][1] = 1;
    }
    return status == MLS_OK && !read_levels(cJSON_GetObjectItemCaseSensitive(json, "chosen"), to->chosen)
               ? mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "chosen must have two numbers from 0 on of each level")
               : status;
}

mls_status mls_plan_figures_load(mls_str text, mls_plan_figures *figures, mls_error *error)
{
    cJSON *json = NULL;
    *figures = (mls_plan_figures){.arena = mls_calloc(1, sizeof(mls_arena))};
    if (figures->arena == NULL) {
        return mls_error_memory(error);
    }
    mls_status status = text.ptr == NULL ? mls_json_data("plan.json", &json, error) : mls_json_tree(text, &json, error);
    status = status == MLS_OK ? read_figures(json, figures, error) : status;
    cJSON_Delete(json);
    return status;
}

void mls_plan_figures_release(mls_plan_figures *figures)
{
    mls_arena_free(figures->arena);
    *figures = (mls_plan_figures){0};
}

const mls_plan_factors *mls_plan_factors_of(const mls_plan_figures *figures, const char *benchmark)
{
    const mls_plan_factors *rest = NULL;
    for (size_t i = 0; i < figures->count; i++) {
        const mls_plan_factors *factors = &figures->items[i];
        if (strcmp(factors->benchmark, benchmark) == 0) {
            return factors;
        }
        rest = strcmp(factors->benchmark, "*") == 0 ? factors : rest;
    }
    return rest;
}
