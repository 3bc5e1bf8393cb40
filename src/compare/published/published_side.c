/* SPDX-License-Identifier: Apache-2.0 */
/* published_side.c - convert a published result to a group of a side, with runs that are scored like those of logs. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/number.h"
#include "compare/side.h"
#include "score/score.h"

const char *mls_no_score_reason(const mls_side_group *group)
{
    return group->published != NULL && group->published->known != MLS_PUBLISHED_EXACT ? "score not known exactly"
                                                                                      : "no score";
}

mls_status mls_published_group(mls_arena *arena, const mls_published_result *result, const mls_benchmark *rules,
                               bool select_window, mls_side_group *group, mls_error *error)
{
    const mls_published_system *system = result->system;
    const bool exact = result->known == MLS_PUBLISHED_EXACT;
    mls_published_runs opened;
    *group = (mls_side_group){.published = result,
                              .path = mls_arena_printf(arena, MLS_PUBLISHED_PREFIX "%s/%s/%s/%s", result->round,
                                                       system->submitter, system->system_id, result->benchmark),
                              .edition = mls_arena_printf(arena, "%s.0", result->round),
                              .benchmark = result->benchmark,
                              .accelerator = system->model.text[0] != '\0' ? system->model.text : NULL,
                              .system_id = system->system_id,
                              .usage = result->usage,
                              .division = system->division,
                              .global_batch_size = result->global_batch_size,
                              .accelerators = system->accelerators,
                              .score_minutes = NAN,
                              .scale = result->scale_factor,
                              .scaled_minutes = exact ? result->minutes : (double)NAN};
    const mls_status status = mls_published_open(result, &opened, error);
    if (status == MLS_OK && opened.runs.count > 0) {
        const mls_str batch = mls_published_setting_of(&opened, MLS_S("global_batch_size"));
        if (isnan(group->global_batch_size) && batch.ptr != NULL)
            (void)mls_number_parse(batch, &group->global_batch_size);
        /* Score the runs like those of logs, and add them with the settings and place that they share. */
        const size_t count = opened.runs.count;
        mls_run *timed = mls_calloc(count + 1, sizeof *timed);
        const mls_run **runs = mls_calloc(count + 1, sizeof *runs);
        mls_group scored = {.rules = rules, .runs = runs, .run_count = count};
        const mls_side_place place = {
            .nodes = system->nodes, .host_processor = system->host_processor, .framework = system->framework};
        mls_side_run alike = {0}; /* members that all runs share */
        for (size_t i = 0; i < opened.settings.count; i++)
            mls_setting_add_json(arena, &alike.settings, opened.settings.items[i].key, opened.settings.items[i].value);
        mls_side_run_environment(arena, &alike, &place, group);
        for (size_t i = 0; i < count; i++) {
            const mls_published_run *run = &opened.runs.items[i];
            const double start = isnan(run->start_ms) ? 0 : run->start_ms;
            timed[i] = (mls_run){
                .valid = run->valid, .run_start = {.time_ms = start}, .run_stop = {.time_ms = start + run->ms}};
            runs[i] = &timed[i];
        }
        mls_group_olympic(&scored, select_window);
        for (size_t i = 0; i < count; i++) {
            const mls_published_run *run = &opened.runs.items[i];
            mls_side_run made = {.file = mls_arena_printf(arena, "%s/run %zu", group->path, i + 1),
                                 .valid = run->valid,
                                 .mark = scored.marks[i],
                                 .start_ms = run->start_ms,
                                 .minutes = mls_run_minutes(&timed[i]),
                                 .init_minutes = run->init_ms / 60000,
                                 .to_converge = run->to_converge,
                                 .unit = isnan(run->to_converge) ? NULL : opened.unit,
                                 .settings = alike.settings,
                                 .environment = alike.environment};
            mls_side_run_times(&made, run->ms, run->init_ms);
            mls_side_run_parts(&made, !isnan(run->part_ms[MLS_PART_TRAINING]), run->part_ms, run->evaluations);
            MLS_ARENA_ADD(arena, &group->runs, made);
        }
        group->official = scored.score.official;
        group->dropped = scored.score.dropped;
        group->score_minutes = scored.score.score_minutes;
        free(scored.marks);
        free((void *)runs);
        free(timed);
    }
    mls_published_runs_release(&opened);
    return status;
}
