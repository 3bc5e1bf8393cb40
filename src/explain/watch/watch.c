/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - when to look, what to do with what was found, and when to score it. */
#include "explain/watch/watch.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "explain/watch/apply.h"
#include "explain/watch/records.h"
#include "log/signatures.h"

/* Scoring takes at most one part in so many of the time. */
enum { COLLECT_SHARE = 50 };

static mls_status watch_forget(void *state, mls_followed *file)
{
    mls_live *live = state;
    const mls_status status = mls_live_apply(live);
    mls_live_forget(live, file);
    mls_records_forget_file(file);
    live->news = true;
    return status;
}

static void watch_grown(void *state, mls_followed *file, double silence_ms)
{
    (void)state;
    mls_live_grown(mls_records_last_run(file), silence_ms);
}

mls_status mls_watch_begin(mls_watch *watch, const mls_watch_options *options, mls_error *error)
{
    *watch = (mls_watch){.options = *options,
                         .notify = {.fd = -1},
                         .live = {.how = options->how,
                                  .reading = {.steps = true},
                                  .signatures = options->signatures,
                                  .interval_ms = options->interval_ms,
                                  .job = options->job,
                                  .event = options->event,
                                  .state = options->state},
                         .follow = {.paths = options->paths,
                                    .path_count = options->path_count,
                                    .listener = {.begin = mls_records_begin,
                                                 .forget = watch_forget,
                                                 .changed = mls_records_changed,
                                                 .grown = watch_grown}}};
    watch->follow.listener.state = &watch->live;
    if (!options->poll) {
        mls_notify_open(&watch->notify);
    }
    return mls_signatures_prepare(options->signatures, NULL, 0, 0) == MLS_OK ? MLS_OK : mls_error_memory(error);
}

/* The same run by when it began, whatever file it was read from. */
static bool is_run_of(const mls_live_run *live, const mls_run *run)
{
    const double apart = live->first_ms - run->first_ms;
    const double start = live->run_start.time_ms - run->run_start.time_ms;
    const bool near =
        isnan(start) ? isnan(live->run_start.time_ms) && isnan(run->run_start.time_ms) : start >= 0 && start <= 0;
    return live->same == NULL && near && ((apart >= 0 && apart <= 0) || strcmp(live->file, run->file) == 0);
}

/* The live run of a run that was collected, of several the last one found in its file; NULL: none. */
static mls_live_run *find_live(const mls_watch *watch, const mls_run *run)
{
    mls_live_run *found = NULL;
    for (const mls_live_listed *each = mls_live_list_at(&watch->by_start, run->run_start.time_ms); each != NULL;
         each = each->next) {
        mls_live_run *live = each->run;
        if (is_run_of(live, run)) {
            const bool own = strcmp(live->file, run->file) == 0;
            const bool found_own = found != NULL && strcmp(found->file, run->file) == 0;
            if (found == NULL || (own != found_own ? own : own == (live->found > found->found))) {
                found = live;
            }
        }
    }
    return found;
}

/* List the runs by the times at which they started, for find_live(). */
static void list_by_start(mls_watch *watch)
{
    mls_arena_release(&watch->by_start_arena);
    watch->by_start = (mls_map){.arena = &watch->by_start_arena};
    for (size_t i = 0; i < watch->live.runs.count; i++) {
        mls_live_run *run = watch->live.runs.items[i];
        mls_live_list_add(&watch->by_start, run->run_start.time_ms, run);
    }
}

bool mls_watch_run_ended(const mls_watch *watch, const mls_run *run)
{
    const mls_live_run *live = find_live(watch, run);
    return run->run_stop.line > 0 || (live != NULL && live->state == MLS_LIVE_DIED);
}

/* Tells what is wrong with a run that has ended. */
static mls_status tell_findings(mls_watch *watch, mls_live_run *live, const mls_run *run)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < run->findings.count && status == MLS_OK; i++) {
        const mls_finding *finding = &run->findings.items[i];
        if (finding->severity != MLS_SEVERITY_ADVICE) {
            const mls_watch_event event = {.kind = MLS_WATCH_FINDING,
                                           .time_ms = (double)NAN,
                                           .seen_ms = watch->live.now_ms,
                                           .file = run->file,
                                           .line = finding->line,
                                           .run = live,
                                           .message = finding->message};
            status = watch->options.event(watch->options.state, &event);
        }
    }
    return status;
}

/* Joins what was scored with what is watched.  *ended: a run of the group has ended since it was scored last. */
static mls_status join_group(mls_watch *watch, const mls_group *group, bool *ended)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < group->run_count && status == MLS_OK; i++) {
        const mls_run *run = group->runs[i];
        mls_live_run *live = find_live(watch, run);
        if (live == NULL) {
            continue;
        }
        if (live->group != NULL) {
            live->group->group = group;
        }
        const bool first = !live->judged && mls_live_run_ended(live);
        live->judged = mls_live_run_ended(live);
        live->valid = run->valid && isfinite(mls_run_minutes(run));
        status = first ? tell_findings(watch, live, run) : MLS_OK;
        *ended |= first;
    }
    return status;
}

/* The paths that are scored: those that were given, or, of one job, the files that are of no other. */
static mls_status list_paths(const mls_watch *watch, mls_names *paths)
{
    bool ok = true;
    for (size_t i = 0; i < watch->options.path_count && ok && watch->options.job == NULL; i++) {
        ok = mls_names_add(paths, mls_str_from(watch->options.paths[i]));
    }
    for (size_t i = 0; i < watch->follow.files.count && ok && watch->options.job != NULL; i++) {
        const mls_followed *file = watch->follow.files.items[i];
        const char *job = mls_records_job(file);
        ok = (job != NULL && strcmp(job, watch->options.job) != 0) || mls_names_add(paths, mls_str_from(file->path));
    }
    if (paths->count > 1 && watch->options.job != NULL) {
        qsort(paths->items, paths->count, sizeof *paths->items, mls_compare_names);
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

/* Scores all, and tells the scores of groups of which a run has ended, or (`last`) of all. */
static mls_status collect_all(mls_watch *watch, bool last, mls_error *error)
{
    mls_names paths = {0};
    const double began = mls_clock_ms();
    mls_status status = list_paths(watch, &paths);
    watch->live.news = false;
    for (size_t i = 0; i < watch->live.groups.count; i++) {
        watch->live.groups.items[i]->group = NULL;
    }
    mls_collection_release(&watch->collection);
    list_by_start(watch);
    status =
        status == MLS_OK ? watch->options.collect(watch->options.state, &paths, &watch->collection, error) : status;
    for (size_t i = 0; i < watch->collection.group_count && status == MLS_OK; i++) {
        const mls_group *group = &watch->collection.groups[i];
        bool tells = last;
        status = join_group(watch, group, &tells);
        if (tells && status == MLS_OK) {
            const mls_watch_event event = {
                .kind = MLS_WATCH_SCORE, .time_ms = (double)NAN, .seen_ms = watch->live.now_ms, .group = group};
            status = watch->options.event(watch->options.state, &event);
        }
    }
    watch->collect_ms = watch->live.now_ms + (mls_clock_ms() - began) * COLLECT_SHARE;
    watch->moved = true;
    mls_names_release(&paths);
    return status;
}

static void note_written(void *state, mls_str path)
{
    mls_watch *watch = state;
    watch->moved = true;
    mls_follow_written(&watch->follow, path);
}

static mls_status read_new(mls_watch *watch, bool look, mls_error *error)
{
    mls_status status = mls_notify_take(&watch->notify, note_written, watch, &look) ? MLS_OK : MLS_ERROR_MEMORY;
    if (status == MLS_OK && look) {
        status = mls_follow_look(&watch->follow, watch->live.now_ms, error);
        watch->look_ms = watch->live.now_ms + watch->options.interval_ms;
        if (status == MLS_OK && !mls_notify_watch(&watch->notify, &watch->follow.folders)) {
            status = MLS_ERROR_MEMORY;
        }
    }
    status = status == MLS_OK ? mls_follow_read(&watch->follow, watch->live.now_ms, error) : status;
    watch->moved |= watch->live.queue.count > 0;
    return status == MLS_OK ? mls_live_apply(&watch->live) : status;
}

/* Tells what is not there yet. */
static mls_status tell_missing(const mls_watch *watch)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < watch->follow.missing.count && status == MLS_OK; i++) {
        const mls_watch_event event = {.kind = MLS_WATCH_FILE,
                                       .time_ms = (double)NAN,
                                       .seen_ms = watch->live.now_ms,
                                       .file = watch->follow.missing.items[i],
                                       .message = MLS_WATCH_WAITING};
        status = watch->options.event(watch->options.state, &event);
    }
    return status;
}

mls_status mls_watch_step(mls_watch *watch, double now_ms, mls_error *error)
{
    const bool look = now_ms >= watch->look_ms;
    const bool first = watch->look_ms <= 0;
    watch->live.now_ms = now_ms;
    mls_status status = read_new(watch, look, error);
    status = status == MLS_OK && first ? tell_missing(watch) : status;
    if (status == MLS_OK && look) {
        status = mls_live_check_silence(&watch->live, watch->job_ended);
    }
    if (status == MLS_OK && watch->live.news && now_ms >= watch->collect_ms) {
        status = collect_all(watch, false, error);
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

/* Tells how many lines of failure of each run were not told. */
static mls_status tell_rest(mls_watch *watch)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < watch->live.runs.count && status == MLS_OK; i++) {
        const mls_live_run *run = watch->live.runs.items[i];
        const size_t left = run->same == NULL ? mls_live_failures_left(run) : 0;
        char words[64];
        (void)mls_text_printf(words, sizeof words, "and %zu more %s of failure", left, left == 1 ? "line" : "lines");
        const mls_watch_event event = {.kind = MLS_WATCH_FAILURE,
                                       .time_ms = (double)NAN,
                                       .seen_ms = watch->live.now_ms,
                                       .file = run->file,
                                       .run = run,
                                       .message = words};
        status = left > 0 ? watch->options.event(watch->options.state, &event) : MLS_OK;
    }
    return status;
}

mls_status mls_watch_finish(mls_watch *watch, double now_ms, mls_error *error)
{
    watch->live.now_ms = now_ms;
    mls_status status = read_new(watch, true, error);
    status = status == MLS_OK ? mls_follow_end(&watch->follow) : status;
    status = status == MLS_OK ? mls_live_apply(&watch->live) : status;
    status = status == MLS_OK ? mls_live_check_silence(&watch->live, watch->job_ended) : status;
    status = status == MLS_OK ? tell_rest(watch) : status;
    status = status == MLS_OK ? collect_all(watch, true, error) : status;
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

void mls_watch_release(mls_watch *watch)
{
    /* What is left in the queue is not told any more. */
    watch->live.event = NULL;
    mls_live_release(&watch->live); /* first: the runs of each file are not to be looked for one file after the other */
    mls_follow_release(&watch->follow);
    mls_collection_release(&watch->collection);
    mls_arena_release(&watch->by_start_arena);
    mls_notify_close(&watch->notify);
}

bool mls_watch_ended(const mls_watch *watch)
{
    const mls_live *live = &watch->live;
    for (size_t i = 0; i < live->runs.count; i++) {
        const mls_live_run *run = live->runs.items[i];
        if (run->same == NULL && run->state != MLS_LIVE_WAITING && (!mls_live_run_ended(run) || !run->judged)) {
            return false;
        }
    }
    for (size_t i = 0; i < live->groups.count; i++) {
        const mls_live_group *group = live->groups.items[i];
        size_t count = 0;
        for (size_t k = 0; k < group->runs.count; k++) {
            count += mls_live_is_of(group->runs.items[k], group);
        }
        if (count < group->rules->runs_needed) {
            return false;
        }
    }
    return live->groups.count > 0;
}

mls_status mls_watch_so_far(const mls_live_group *group, double **minutes, mls_so_far *so_far)
{
    double *list = mls_calloc(group->runs.count + 1, sizeof *list);
    *minutes = list;
    *so_far =
        (mls_so_far){.rules = group->rules, .minutes = list, .scale = group->group != NULL ? group->group->scale : 1};
    for (size_t i = 0; i < group->runs.count && list != NULL; i++) {
        const mls_live_run *run = group->runs.items[i];
        if (!mls_live_is_of(run, group) || !mls_live_run_ended(run) || !run->judged) {
            continue;
        }
        if (run->valid) {
            list[so_far->valid++] = mls_live_minutes(run, run->run_stop.time_ms);
        } else {
            so_far->not_valid++;
        }
    }
    return list != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}
