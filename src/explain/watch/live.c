/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - live runs, their groups, and what is known of a group when the time left of a run is asked for. */
#include "explain/watch/live.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "score/score.h"

const char *mls_live_state_name(mls_live_state state)
{
    static const char *const names[] = {"waiting", "init", "training", "evaluating", "success", "aborted", "died"};
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "";
}

const char *mls_watch_kind_name(mls_watch_kind kind)
{
    static const char *const names[] = {"file",    "init", "start",   "progress", "evaluation", "stop", "stalled",
                                        "resumed", "died", "failure", "finding",  "score",      "end"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

mls_live_run *mls_live_run_add(mls_live *live, const mls_followed *file, mls_live_run *above)
{
    const double nan = (double)NAN;
    const mls_step no_step = {nan, 0};
    mls_live_run *run = mls_calloc(1, sizeof *run);
    char *path = mls_strdup(file->path);
    if (run == NULL || path == NULL || !MLS_GROW(&live->runs, items)) {
        free(run);
        free(path);
        return NULL;
    }
    *run = (mls_live_run){.file = path,
                          .followed = file,
                          .found = live->found++,
                          .above = above,
                          .first_ms = nan,
                          .init_start = no_step,
                          .run_start = no_step,
                          .run_stop = no_step,
                          .facts = {.date_ms = nan, .batch_size = nan, .target = nan, .max_steps = nan},
                          .newest_ms = nan,
                          .last = {nan, nan, nan},
                          .evaluated = no_step,
                          .at = nan,
                          .throughput = nan,
                          .step = nan,
                          .needed = nan,
                          .estimate = mls_estimate_none(),
                          .estimated_ms = nan,
                          .progress_ms = nan};
    live->runs.items[live->runs.count++] = run;
    return run;
}

/* Their texts. */
static void free_facts(mls_live_facts *facts)
{
    free(facts->benchmark);
    free(facts->division);
    free(facts->config);
    free(facts->job);
}

void mls_live_facts_free(mls_live_facts *facts)
{
    if (facts != NULL) {
        free_facts(facts);
        free(facts);
    }
}

static void free_run(mls_live_run *run)
{
    free(run->file);
    free_facts(&run->facts);
    mls_curve_release(&run->curve);
    free(run);
}

static void free_live_group(mls_live_group *group)
{
    mls_buffer_release(&group->key);
    free(group->runs.items);
    free(group->finished.items);
    free(group);
}

/* Return the bytes of a time as a key of a map, none where it is NAN. */
static mls_str time_key(const double *time_ms)
{
    return isnan(*time_ms) ? (mls_str){"", 0} : (mls_str){(const char *)time_ms, sizeof *time_ms};
}

void mls_live_list_add(mls_map *lists, double time_ms, mls_live_run *run)
{
    mls_map_entry *entry = mls_map_put(lists, time_key(&time_ms), NULL);
    mls_live_listed *listed = mls_arena_alloc(lists->arena, sizeof *listed);
    *listed = (mls_live_listed){run, entry->value.pointer};
    entry->value.pointer = listed;
}

const mls_live_listed *mls_live_list_at(const mls_map *lists, double time_ms)
{
    const mls_map_entry *entry = mls_map_find(lists, time_key(&time_ms));
    return entry != NULL ? entry->value.pointer : NULL;
}

void mls_live_started_add(mls_live *live, mls_live_run *run)
{
    live->started.arena = &live->arena;
    if (!isnan(run->first_ms)) {
        mls_live_list_add(&live->started, run->first_ms, run);
    }
}

/* Make the lists and maps of runs anew, without the runs that are gone; groups that have none left are forgotten. */
static void list_runs_again(mls_live *live)
{
    mls_arena_release(&live->arena);
    live->started = live->keys = (mls_map){.arena = &live->arena};
    for (size_t i = 0; i < live->groups.count; i++) {
        live->groups.items[i]->runs.count = live->groups.items[i]->finished.count = 0;
    }
    for (size_t i = 0; i < live->runs.count; i++) {
        live->runs.items[i]->repeat = live->runs.items[i]->next_repeat = NULL;
    }
    for (size_t i = 0; i < live->runs.count; i++) {
        mls_live_run *run = live->runs.items[i];
        mls_live_started_add(live, run);
        if (run->same != NULL) {
            run->next_repeat = run->same->repeat;
            run->same->repeat = run;
        }
        if (run->group != NULL) {
            (void)MLS_GROW(&run->group->runs, items);
            run->group->runs.items[run->group->runs.count++] = run;
        }
        if (run->group != NULL && run->state == MLS_LIVE_SUCCESS) {
            mls_live_finished_add(run);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < live->groups.count; i++) {
        mls_live_group *group = live->groups.items[i];
        if (group->runs.count == 0) {
            free_live_group(group);
        } else {
            mls_map_put(&live->keys, mls_buffer_str(&group->key), NULL)->value.pointer = group;
            live->groups.items[kept++] = group;
        }
    }
    live->groups.count = kept;
}

void mls_live_forget(mls_live *live, const mls_followed *file)
{
    size_t kept = 0;
    for (size_t i = 0; i < live->runs.count; i++) {
        mls_live_run *run = live->runs.items[i];
        run->same = run->same != NULL && run->same->followed == file ? NULL : run->same;
    }
    for (size_t i = 0; i < live->runs.count; i++) {
        mls_live_run *run = live->runs.items[i];
        if (run->followed == file) {
            free_run(run);
        } else {
            live->runs.items[kept++] = run;
        }
    }
    const bool fewer = kept < live->runs.count;
    live->runs.count = kept;
    if (fewer) {
        list_runs_again(live);
    }
}

static void free_happening(mls_happening *happening)
{
    mls_live_facts_free(happening->facts);
    free(happening->file);
    free(happening->message);
}

void mls_live_drop_queue(mls_live *live)
{
    for (size_t i = 0; i < live->queue.count; i++) {
        free_happening(&live->queue.items[i]);
    }
    live->queue.count = 0;
}

void mls_live_release(mls_live *live)
{
    mls_live_drop_queue(live);
    free(live->queue.items);
    for (size_t i = 0; i < live->runs.count; i++) {
        free_run(live->runs.items[i]);
    }
    free(live->runs.items);
    for (size_t i = 0; i < live->groups.count; i++) {
        free_live_group(live->groups.items[i]);
    }
    free(live->groups.items);
    mls_arena_release(&live->arena);
    mls_rcp_sets_release(&live->points);
    *live = (mls_live){0};
}

size_t mls_live_failures_left(const mls_live_run *run)
{
    size_t read = run->failures;
    size_t told = 0;
    for (const mls_live_run *other = run->repeat; other != NULL; other = other->next_repeat) {
        read = other->failures > read ? other->failures : read;
    }
    while (told < MLS_FAILURES_SHOWN && run->shown[told] != 0) {
        told++;
    }
    return read > told ? read - told : 0;
}

bool mls_live_queue(mls_live *live, mls_happening happening)
{
    if (!MLS_GROW(&live->queue, items)) {
        free_happening(&happening);
        return false;
    }
    happening.order = live->queue.count;
    live->queue.items[live->queue.count++] = happening;
    return true;
}

/* The point whose values stand for a batch size: its own, the nearer of two, or the outermost. */
static const mls_rcp_point *nearest_point(const mls_rcp_set *set, double batch_size)
{
    const mls_rcp_point *nearest = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const mls_rcp_point *point = &set->items[i];
        if (!point->pruned && (nearest == NULL || fabs(point->global_batch_size - batch_size) <
                                                      fabs(nearest->global_batch_size - batch_size))) {
            nearest = point;
        }
    }
    return nearest;
}

static mls_status find_group_reference(mls_live *live, mls_live_group *group)
{
    const mls_rcp_rules rules = {live->how->score.editions, group->edition, group->rules};
    if (!group->rules->reference_points || isnan(group->batch_size) ||
        !mls_edition_has_benchmark(group->edition, mls_str_from(group->rules->name))) {
        return MLS_OK;
    }
    const mls_score_options *score = &live->how->score;
    const mls_status status =
        mls_rcp_sets_find(&live->points, &rules, score->rcp_text, score->rcp_path, &group->points, NULL);
    const mls_rcp_point *point = status == MLS_OK ? nearest_point(group->points, group->batch_size) : NULL;
    if (point != NULL) {
        const double mean = mls_rcp_set_mean(group->points, group->batch_size);
        group->reference = point->to_converge;
        group->reference_count = point->count;
        group->scale = isnan(mean) ? 1 : mean / point->bar.mean;
    }
    return status;
}

/* What a run has told of itself so far, as scoring looks at it. */
static mls_run run_as_told(const mls_live_run *run)
{
    return (mls_run){.file = run->file,
                     .result = run->followed->result,
                     .benchmark = run->facts.benchmark,
                     .division = run->facts.division,
                     .config_filename = run->facts.config,
                     .global_batch_size = run->facts.batch_size};
}

const mls_benchmark *mls_live_rules(const mls_live *live, const char *benchmark, double date_ms,
                                    const mls_edition **edition)
{
    const mls_collect_options *how = live->how;
    const mls_editions *editions = how->score.editions;
    const mls_str name = mls_str_from(benchmark);
    const mls_usage usage = how->any_usage ? mls_editions_usage_of(editions, how->usage, name) : how->usage;
    *edition = how->edition != NULL ? how->edition : mls_editions_guess(editions, usage, date_ms, name);
    return mls_benchmark_find(editions, usage, name);
}

/* Find the value that the runs must reach: that of the rules, but an open one may have set itself another. */
static mls_status find_group_target(const mls_live *live, const mls_live_run *run, mls_live_group *group)
{
    const mls_checker_options *by = &live->how->checker;
    const mls_ruleset *rules = by->ruleset;
    if (rules == NULL && by->rulesets != NULL && group->edition != NULL &&
        mls_rulesets_get(by->rulesets, group->edition, &rules, NULL) == MLS_ERROR_MEMORY) {
        return MLS_ERROR_MEMORY;
    }
    const mls_status status =
        rules != NULL && run->facts.benchmark != NULL
            ? mls_ruleset_target(rules, run->facts.benchmark, run->facts.batch_size, NULL, &group->target)
            : MLS_OK;
    const bool open = run->facts.division != NULL && strcmp(run->facts.division, "open") == 0;
    if (open && isfinite(run->facts.target)) {
        group->target.number = run->facts.target;
    }
    return status;
}

/* Take the key over. */
static mls_status add_group_of(mls_live *live, const mls_live_run *run, mls_buffer *key, mls_live_group **added)
{
    mls_live_group *group = mls_calloc(1, sizeof *group);
    *added = group;
    if (group == NULL || !MLS_GROW(&live->groups, items)) {
        free(group);
        return MLS_ERROR_MEMORY;
    }
    group->key = *key;
    *key = (mls_buffer){0};
    group->batch_size = run->facts.batch_size;
    group->scale = 1;
    group->rules = mls_live_rules(live, run->facts.benchmark, run->facts.date_ms, &group->edition);
    group->counts = mls_benchmark_counts(group->rules, group->edition);
    live->groups.items[live->groups.count++] = group;
    const mls_status status = find_group_target(live, run, group);
    return status == MLS_OK ? find_group_reference(live, group) : status;
}

mls_status mls_live_group_join(mls_live *live, mls_live_run *run)
{
    mls_buffer bytes = {0};
    const mls_run told = run_as_told(run);
    const mls_run_key told_key = mls_run_key_of(&told);
    const mls_str key = mls_run_group_key(&told_key, &bytes);
    mls_status status = MLS_OK;
    live->keys.arena = &live->arena;
    mls_map_entry *entry = bytes.failed ? NULL : mls_map_put(&live->keys, key, NULL);
    run->group = entry != NULL ? entry->value.pointer : NULL;
    if (entry == NULL) {
        status = MLS_ERROR_MEMORY;
    } else if (run->group == NULL) {
        status = add_group_of(live, run, &bytes, &run->group);
        entry->value.pointer = run->group;
    }
    mls_buffer_release(&bytes);
    if (status == MLS_OK && !MLS_GROW(&run->group->runs, items)) {
        status = MLS_ERROR_MEMORY;
    }
    if (status == MLS_OK) {
        run->group->runs.items[run->group->runs.count++] = run;
        run->number = ++run->group->numbered;
    }
    return status;
}

/* By when they ended: who reads ten logs at once finds them in another order than who follows them as they grow, and
 * sums differ by that in their last digit. */
static int compare_finished(const void *a, const void *b)
{
    const mls_live_run *left = *(const mls_live_run *const *)a;
    const mls_live_run *right = *(const mls_live_run *const *)b;
    const double apart = left->run_stop.time_ms - right->run_stop.time_ms;
    const int files = apart < 0 || apart > 0 ? 0 : strcmp(left->file, right->file);
    return apart < 0    ? -1
           : apart > 0  ? 1
           : files != 0 ? files
                        : (left->line > right->line) - (left->line < right->line);
}

void mls_live_finished_add(mls_live_run *run)
{
    mls_live_group *group = run->group;
    if (!isfinite(run->needed)) {
        return;
    }
    (void)MLS_GROW(&group->finished, items);
    /* Runs stop in the order of time, so that this is most often the last one. */
    size_t at = group->finished.count++;
    for (; at > 0 && compare_finished(&group->finished.items[at - 1], &run) > 0; at--) {
        group->finished.items[at] = group->finished.items[at - 1];
    }
    group->finished.items[at] = run;
}

mls_estimate mls_live_estimate(const mls_live_run *run, double time_ms)
{
    const mls_live_group *group = run->group;
    mls_past_run past[MLS_PAST_RUNS_MAX];
    size_t count = 0;
    if (group == NULL || run->met) {
        return mls_estimate_none();
    }
    for (size_t i = 0; i < group->finished.count && count < MLS_PAST_RUNS_MAX; i++) {
        const mls_live_run *other = group->finished.items[i];
        if (other->run_stop.time_ms > time_ms) {
            break;
        }
        if (other->same == NULL) {
            past[count++] =
                (mls_past_run){&other->curve, mls_live_minutes(other, other->run_stop.time_ms), other->needed};
        }
    }
    const double limit = group->counts == MLS_PROGRESS_STEPS     ? run->facts.max_steps
                         : group->counts == MLS_PROGRESS_SAMPLES ? run->facts.max_steps * run->facts.batch_size
                                                                 : 0;
    const mls_estimate_basis basis = {past, count, group->reference, group->reference_count, group->scale, limit};
    return mls_estimate_left(&run->curve, mls_live_minutes(run, time_ms), &basis);
}
