/* SPDX-License-Identifier: Apache-2.0 */
/* side_logs.c - groups of a side, added one by one; and those that a collection of logs holds. */
#include <math.h>
#include <string.h>

#include "compare/side.h"

/* More milliseconds (30,000 years) are no time of a run, and might not add up. */
#define WHOLE_MS_MAX 1e15

bool mls_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool mls_whole_ms(double ms, int64_t *whole)
{
    const bool usable = fabs(ms) <= WHOLE_MS_MAX;
    *whole = usable ? llround(ms) : 0;
    return usable;
}

mls_side_group *mls_side_group_add(const mls_side_reading *reading)
{
    mls_comparison *to = reading->to;
    mls_side_group *group = mls_arena_zeroed(reading->arena, 1, sizeof *group);
    const double nan = (double)NAN;
    if (group == NULL || !mls_arena_grow(reading->arena, (void **)&to->groups, to->group_count, &to->group_capacity,
                                         sizeof *to->groups)) {
        return NULL;
    }
    *group = (mls_side_group){.side = reading->side,
                              .edition = "",
                              .global_batch_size = nan,
                              .accelerators = nan,
                              .score_minutes = nan,
                              .scale = 1,
                              .scaled_minutes = nan};
    to->groups[to->group_count++] = group;
    to->sides[reading->side].groups++;
    return group;
}

mls_side_run *mls_side_run_add(mls_arena *arena, mls_side_group *group)
{
    if (!mls_arena_grow(arena, (void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs)) {
        return NULL;
    }
    mls_side_run *run = &group->runs[group->run_count++];
    *run = (mls_side_run){.minutes = NAN, .init_minutes = NAN, .to_converge = NAN};
    return run;
}

mls_olympic_mark mls_side_mark(const char *name, const mls_side_run *run)
{
    for (mls_olympic_mark mark = MLS_OLYMPIC_KEPT; name != NULL && mark <= MLS_OLYMPIC_OUTSIDE; mark++) {
        if (strcmp(name, mls_olympic_mark_name(mark)) == 0) {
            return mark;
        }
    }
    return run->valid && isfinite(run->minutes) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
}

static bool take_environment(mls_arena *arena, const mls_group *group, const mls_run *run, mls_settings *to)
{
    const double nodes = isnan(run->job.node_count) ? group->nodes : run->job.node_count;
    return mls_setting_add_text(arena, to, "config", mls_run_config(run)) &&
           mls_setting_add_number(arena, to, MLS_S("nodes"), nodes) &&
           mls_setting_add_number(arena, to, MLS_S("accelerators"), group->accelerators) &&
           mls_setting_add_text(arena, to, "accelerator", group->accelerator) &&
           mls_setting_add_text(arena, to, "container", run->job.container) &&
           mls_setting_add_text(arena, to, "node_list", run->job.node_list) &&
           mls_setting_add_text(arena, to, "submission_org", run->organisation) &&
           mls_setting_add_text(arena, to, "submission_platform", run->platform);
}

static bool take_run_settings(mls_arena *arena, const mls_run *run, mls_settings *to)
{
    bool ok = true;
    for (size_t i = 0; i < run->hyperparameter_count && ok; i++) {
        ok = mls_setting_add_json(arena, to, run->hyperparameters[i].key, mls_str_from(run->hyperparameters[i].value));
    }
    return ok;
}

void mls_side_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations)
{
    int64_t sum = 0;
    int64_t count = 0;
    run->has_parts = run->has_ms && delimited;
    run->evaluation_delimited = mls_whole_ms(evaluations, &count) && count >= 0;
    run->evaluations = run->evaluation_delimited ? (size_t)count : 0;
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        const bool absent = part == MLS_PART_EVALUATION && !run->evaluation_delimited;
        run->has_parts &= mls_whole_ms(absent ? 0 : ms[part], &run->part_ms[part]) && run->part_ms[part] >= 0;
        sum += run->part_ms[part];
    }
    run->ms = run->has_parts ? sum : run->ms;
}

static bool take_side_run(mls_arena *arena, const mls_group *group, size_t index, mls_side_group *to_group)
{
    const mls_run *run = group->runs[index];
    const mls_convergence converge = mls_run_to_converge(run);
    const mls_finding *reason = mls_run_reason(run);
    mls_side_run *to = mls_side_run_add(arena, to_group);
    if (to == NULL) {
        return false;
    }
    to->file = run->file;
    to->reason = reason != NULL ? reason->message : NULL;
    to->valid = run->valid;
    to->mark = group->marks[index];
    to->minutes = mls_run_minutes(run);
    to->init_minutes = mls_run_init_minutes(run);
    to->to_converge = converge.number;
    to->unit = isnan(converge.number) ? NULL : converge.unit;
    to->has_ms = mls_whole_ms(run->run_stop.time_ms - run->run_start.time_ms, &to->ms);
    to->has_init = mls_whole_ms(run->init_stop.time_ms - run->init_start.time_ms, &to->init_ms);
    mls_side_parts(to, run->has_parts, run->parts.ms,
                   run->parts.evaluation_delimited ? (double)run->parts.evaluations : (double)NAN);
    return take_run_settings(arena, run, &to->settings) && take_environment(arena, group, run, &to->environment);
}

mls_status mls_side_take_logs(const mls_side_reading *reading, const mls_collection *collection)
{
    bool ok = true;
    for (size_t i = 0; i < collection->group_count && ok; i++) {
        const mls_group *group = &collection->groups[i];
        mls_side_group *to = mls_side_group_add(reading);
        if (to == NULL) {
            return MLS_ERROR_MEMORY;
        }
        to->path = group->path;
        to->benchmark = group->benchmark;
        to->config = group->config;
        to->accelerator = group->accelerator;
        to->system_id = group->system_id;
        to->usage = group->usage;
        to->division = group->division;
        to->edition = group->edition->name;
        to->global_batch_size = group->global_batch_size;
        to->accelerators = group->accelerators;
        to->official = group->score.official;
        to->dropped = group->score.dropped;
        to->score_minutes = group->score.score_minutes;
        to->scale = group->scale;
        to->scaled_minutes = group->scaled_minutes;
        for (size_t k = 0; k < group->run_count && ok; k++) {
            ok = take_side_run(reading->arena, group, k, to);
        }
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
