/* SPDX-License-Identifier: Apache-2.0 */
/* side.c - sides, and groups with their runs, which are added one by one: those of logs here, others by export.c. */
#include <math.h>

#include "compare/side.h"
#include "score/score.h"

/* More milliseconds (30,000 years) are not a time of a run, and might not add up. */
#define WHOLE_MS_MAX 1e15

bool mls_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

mls_side *mls_side_find(const mls_side_list *sides, mls_str name)
{
    for (size_t i = 0; i < sides->count; i++) {
        if (mls_str_equal(mls_str_from(sides->items[i]->name), name)) {
            return sides->items[i];
        }
    }
    return NULL;
}

mls_side *mls_side_add(mls_side_list *sides, mls_arena *arena, mls_str name, const char *path)
{
    mls_side *side = mls_side_find(sides, name);
    if (side == NULL) {
        side = mls_arena_zeroed(arena, 1, sizeof *side);
        if (side == NULL || (side->name = mls_arena_copy(arena, name).ptr) == NULL ||
            !MLS_ARENA_ADD(arena, sides, side)) {
            return NULL;
        }
    }
    return MLS_ARENA_ADD(arena, &side->paths, path) ? side : NULL;
}

mls_side_group *mls_side_group_add(mls_comparison *to, const mls_side_group *group)
{
    mls_side_group *copy = mls_arena_alloc(to->arena, sizeof *copy);
    if (copy == NULL || !MLS_ARENA_ADD(to->arena, &to->groups, copy)) {
        return NULL;
    }
    *copy = *group;
    return copy;
}

/* A whole number of milliseconds; false when it is none that can be added up, or not finite. */
static bool whole_ms(double ms, int64_t *whole)
{
    const bool usable = fabs(ms) <= WHOLE_MS_MAX;
    *whole = usable ? llround(ms) : 0;
    return usable;
}

void mls_side_run_times(mls_side_run *run, double ms, double init_ms)
{
    run->has_ms = whole_ms(ms, &run->ms);
    run->has_init = whole_ms(init_ms, &run->init_ms);
}

void mls_side_run_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations)
{
    int64_t sum = 0;
    int64_t count = 0;
    run->has_parts = run->has_ms && delimited;
    run->evaluation_delimited = whole_ms(evaluations, &count) && count >= 0;
    run->evaluations = run->evaluation_delimited ? (size_t)count : 0;
    for (int part = 0; part < MLS_PART_COUNT; part++) {
        const bool absent = part == MLS_PART_EVALUATION && !run->evaluation_delimited;
        run->has_parts &= whole_ms(absent ? 0 : ms[part], &run->part_ms[part]) && run->part_ms[part] >= 0;
        sum += run->part_ms[part];
    }
    run->ms = run->has_parts ? sum : run->ms;
}

bool mls_side_run_environment(mls_arena *arena, mls_side_run *run, const mls_side_place *place,
                              const mls_side_group *group)
{
    mls_settings *to = &run->environment;
    return mls_setting_add_text(arena, to, "config", place->config) &&
           mls_setting_add_number(arena, to, MLS_S("nodes"), place->nodes) &&
           mls_setting_add_number(arena, to, MLS_S("accelerators"), group->accelerators) &&
           mls_setting_add_text(arena, to, "accelerator", group->accelerator) &&
           mls_setting_add_text(arena, to, "container", place->container) &&
           mls_setting_add_text(arena, to, "node_list", place->node_list) &&
           mls_setting_add_text(arena, to, "submission_org", place->organisation) &&
           mls_setting_add_text(arena, to, "submission_platform", place->platform) &&
           mls_setting_add_text(arena, to, "host_processor", place->host_processor) &&
           mls_setting_add_text(arena, to, "framework", place->framework);
}

/* How long a run took, and what of it. */
static mls_side_run timed_logged_run(const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_convergence converge = mls_run_to_converge(run);
    const mls_finding *reason = mls_run_reason(run);
    mls_side_run made = {.file = run->file,
                         .reason = reason != NULL ? reason->message : NULL,
                         .valid = run->valid,
                         .mark = group->marks[index],
                         .start_ms = run->run_start.time_ms,
                         .minutes = mls_run_minutes(run),
                         .init_minutes = mls_run_init_minutes(run),
                         .to_converge = converge.number,
                         .unit = isnan(converge.number) ? NULL : converge.unit};
    mls_side_run_times(&made, run->run_stop.time_ms - run->run_start.time_ms,
                       run->init_stop.time_ms - run->init_start.time_ms);
    mls_side_run_parts(&made, run->has_parts, run->parts.ms,
                       run->parts.evaluation_delimited ? (double)run->parts.evaluations : (double)NAN);
    return made;
}

/* Adds how a run was set up, and where. */
static bool take_logged_setup(const mls_comparison *in, const mls_group *group, const mls_run *run,
                              const mls_side_group *to, mls_side_run *made)
{
    mls_arena *arena = in->arena;
    const bool described = in->opened.count > 0; /* published results are, exports are not */
    const mls_side_place place = {.config = mls_run_config(run),
                                  .container = run->job.container,
                                  .node_list = run->job.node_list,
                                  .organisation = run->organisation,
                                  .platform = run->platform,
                                  .host_processor = described ? group->system.host_processor_model_name : NULL,
                                  .framework = described ? group->system.framework : NULL,
                                  .nodes = isnan(run->job.node_count) ? group->nodes : run->job.node_count};
    bool ok = mls_side_run_environment(arena, made, &place, to) &&
              (run->printed == NULL || mls_side_run_printed(arena, made, &in->known, run->printed));
    for (size_t i = 0; i < run->hyperparameter_count && ok; i++) {
        ok = mls_setting_add_json(arena, &made->settings, run->hyperparameters[i].key,
                                  mls_str_from(run->hyperparameters[i].value));
    }
    return ok;
}

mls_side_group mls_side_group_of(const mls_group *group)
{
    const bool weak = mls_is_weak(&group->weak);
    const mls_group_outcome result = mls_group_result(group);
    return (mls_side_group){.path = group->path,
                            .benchmark = group->benchmark,
                            .config = group->config,
                            .accelerator = group->accelerator,
                            .system_id = group->system_id,
                            .usage = group->usage,
                            .division = group->division,
                            .edition = group->edition->name,
                            .global_batch_size = group->global_batch_size,
                            .accelerators = weak ? group->weak.instance_scale : group->accelerators,
                            .official = result.official,
                            .weak = weak,
                            .dropped = group->score.dropped,
                            .score_minutes = result.minutes,
                            .scale = result.scale,
                            .scaled_minutes = result.scaled_minutes};
}

mls_side_group *mls_side_take_group(mls_comparison *to, const mls_side *side, const mls_group *group, bool setups)
{
    mls_side_group of_side = mls_side_group_of(group);
    of_side.side = side;
    of_side.logged = setups ? group : NULL;
    mls_side_group *made = mls_side_group_add(to, &of_side);
    const mls_str folder = setups ? mls_group_folder(group) : (mls_str){0};
    bool ok = made != NULL;
    if (ok && folder.ptr != NULL) {
        made->folder = mls_arena_copy(to->arena, folder.len > 0 ? folder : MLS_S(".")).ptr;
        ok = made->folder != NULL;
    }
    for (size_t i = 0; i < group->run_count && ok; i++) {
        mls_side_run run = timed_logged_run(group, i);
        ok = (!setups || take_logged_setup(to, group, group->runs[i], made, &run)) &&
             MLS_ARENA_ADD(to->arena, &made->runs, run);
    }
    return ok ? made : NULL;
}

bool mls_side_take_logs(mls_comparison *to, const mls_side *side, const mls_collection *collection)
{
    bool ok = true;
    for (size_t i = 0; i < collection->group_count && ok; i++) {
        ok = mls_side_take_group(to, side, &collection->groups[i], true) != NULL;
    }
    return ok;
}
