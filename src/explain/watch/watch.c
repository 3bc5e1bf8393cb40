/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - schedule looks and scoring, join scores with live runs, and read the output of scontrol. */
#include "explain/watch/watch.h"

#include <math.h>
#include <stdlib.h>
#include <sys/inotify.h>

#include "base/file.h"
#include "base/number.h"
#include "base/program.h"
#include "log/signatures.h"

/* Scoring uses at most 1/COLLECT_SHARE of the time. */
enum { COLLECT_SHARE = 50 };

void mls_watch_begin(mls_watch *watch, const mls_watch_options *options)
{
    *watch = (mls_watch){
        .options = *options,
        .live = {.how = options->how,
                 .reading = {.steps = true},
                 .signatures = options->signatures,
                 .interval_ms = options->interval_ms,
                 .job = options->job,
                 .event = options->event,
                 .state = options->state},
        .follow = {.paths = options->paths, .path_count = options->path_count, .live = &watch->live, .notify_fd = -1}};
    if (!options->poll)
        watch->follow.notify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC); /* may fail */
    mls_signatures_prepare(options->signatures, NULL, 0, 0);
}

static void report(const mls_watch *watch, mls_watch_event event)
{
    event.time_ms = (double)NAN;
    event.seen_ms = watch->live.now_ms;
    watch->options.event(watch->options.state, &event);
}

/* Return the live run, in any file, with the same start as a collected run.  If a file contains several, return the
 * last one.  Return NULL if there is none. */
static mls_live_run *find_live(const mls_watch *watch, const mls_run *run)
{
    mls_live_run *found = NULL;
    bool found_own = false;
    for (const mls_live_listed *each = mls_live_list_at(&watch->by_start, run->run_start.time_ms); each != NULL;
         each = each->next) {
        mls_live_run *live = each->run;
        const double apart = live->first_ms - run->first_ms;
        const double start = live->run_start.time_ms - run->run_start.time_ms;
        const bool near =
            isnan(start) ? isnan(live->run_start.time_ms) && isnan(run->run_start.time_ms) : start >= 0 && start <= 0;
        const bool own = strcmp(live->file, run->file) == 0;
        if (live->same == NULL && near && ((apart >= 0 && apart <= 0) || own) &&
            (found == NULL || (own != found_own ? own : own == (live->found > found->found)))) {
            found = live;
            found_own = own;
        }
    }
    return found;
}

bool mls_watch_run_ended(const mls_watch *watch, const mls_run *run)
{
    const mls_live_run *live = find_live(watch, run);
    return run->run_stop.line > 0 || (live != NULL && live->state == MLS_LIVE_DIED);
}

/* Score everything, join the groups with live runs, and report findings of runs that have ended since the last scoring,
 * and the scores of their groups or (`last`) of all groups. */
static mls_status collect_all(mls_watch *watch, bool last, mls_error *error)
{
    mls_names paths = {0};
    const double began = mls_clock_ms();
    const char *of = watch->options.job;
    /* Collect the given paths; if a job is given, only the files that do not belong to other jobs. */
    for (size_t i = 0; i < watch->options.path_count && of == NULL; i++)
        mls_names_add(&paths, mls_str_from(watch->options.paths[i]));
    for (size_t i = 0; i < watch->follow.files.count && of != NULL; i++) {
        const mls_followed *file = watch->follow.files.items[i];
        const char *job = mls_live_job(file);
        if (job == NULL || strcmp(job, of) == 0)
            mls_names_add(&paths, mls_str_from(file->path));
    }
    if (paths.count > 1 && of != NULL)
        qsort(paths.items, paths.count, sizeof *paths.items, mls_compare_names);
    watch->live.news = false;
    for (size_t i = 0; i < watch->live.groups.count; i++)
        watch->live.groups.items[i]->group = NULL;
    mls_collection_release(&watch->collection);
    mls_arena_release(&watch->by_start_arena);
    watch->by_start = (mls_map){.arena = &watch->by_start_arena};
    for (size_t i = 0; i < watch->live.runs.count; i++) {
        mls_live_run *run = watch->live.runs.items[i];
        mls_live_list_add(&watch->by_start, run->run_start.time_ms, run);
    }
    const mls_status status = watch->options.collect(watch->options.state, &paths, &watch->collection, error);
    for (size_t i = 0; i < watch->collection.group_count && status == MLS_OK; i++) {
        const mls_group *group = &watch->collection.groups[i];
        bool ended = false; /* a run of the group has ended since the last scoring */
        for (size_t r = 0; r < group->run_count; r++) {
            const mls_run *run = group->runs[r];
            mls_live_run *live = find_live(watch, run);
            if (live == NULL)
                continue;
            if (live->group != NULL)
                live->group->group = group;
            const bool first = !live->judged && mls_live_run_ended(live);
            live->judged = mls_live_run_ended(live);
            live->valid = run->valid && isfinite(mls_run_minutes(run));
            ended |= first;
            for (size_t k = 0; k < run->findings.count && first; k++) {
                const mls_finding *finding = &run->findings.items[k];
                if (finding->severity != MLS_SEVERITY_ADVICE) {
                    report(watch, (mls_watch_event){.kind = MLS_WATCH_FINDING,
                                                    .file = run->file,
                                                    .line = finding->line,
                                                    .run = live,
                                                    .message = finding->message});
                }
            }
        }
        if (ended || last)
            report(watch, (mls_watch_event){.kind = MLS_WATCH_SCORE, .group = group});
    }
    watch->collect_ms = watch->live.now_ms + (mls_clock_ms() - began) * COLLECT_SHARE;
    watch->moved = true;
    mls_names_release(&paths);
    return status;
}

static mls_status read_new(mls_watch *watch, bool look, mls_error *error)
{
    mls_status status = MLS_OK;
    if (mls_follow_take_notices(&watch->follow, &watch->moved) || look) {
        status = mls_follow_look(&watch->follow, watch->live.now_ms, error);
        watch->look_ms = watch->live.now_ms + watch->options.interval_ms;
    }
    if (status == MLS_OK) {
        mls_follow_read(&watch->follow, watch->live.now_ms);
        watch->moved |= watch->live.queue.count > 0;
        mls_live_apply(&watch->live);
    }
    return status;
}

mls_status mls_watch_step(mls_watch *watch, double now_ms, mls_error *error)
{
    const bool look = now_ms >= watch->look_ms;
    const bool first = watch->look_ms <= 0;
    watch->live.now_ms = now_ms;
    mls_status status = read_new(watch, look, error);
    if (status != MLS_OK)
        return status;
    for (size_t i = 0; i < watch->follow.missing.count && first; i++) {
        report(watch, (mls_watch_event){.kind = MLS_WATCH_FILE,
                                        .file = watch->follow.missing.items[i],
                                        .message = MLS_WATCH_WAITING});
    }
    if (look)
        mls_live_check_silence(&watch->live, watch->job_ended);
    return watch->live.news && now_ms >= watch->collect_ms ? collect_all(watch, false, error) : MLS_OK;
}

mls_status mls_watch_finish(mls_watch *watch, double now_ms, mls_error *error)
{
    watch->live.now_ms = now_ms;
    const mls_status status = read_new(watch, true, error);
    if (status != MLS_OK)
        return status;
    mls_follow_end(&watch->follow);
    mls_live_apply(&watch->live);
    mls_live_check_silence(&watch->live, watch->job_ended);
    for (size_t i = 0; i < watch->live.runs.count; i++) {
        const mls_live_run *run = watch->live.runs.items[i];
        const size_t left = run->same == NULL ? mls_live_failures_left(run) : 0;
        if (left > 0) {
            char words[64];
            (void)mls_text_printf(words, sizeof words, "and %zu more failure %s", left,
                                  left == 1 ? "message" : "messages");
            report(watch,
                   (mls_watch_event){.kind = MLS_WATCH_FAILURE, .file = run->file, .run = run, .message = words});
        }
    }
    return collect_all(watch, true, error);
}

void mls_watch_release(mls_watch *watch)
{
    /* Do not report the events left in the queue. */
    watch->live.event = NULL;
    mls_live_release(&watch->live); /* first, because removing runs file by file would be slow */
    mls_follow_release(&watch->follow);
    mls_collection_release(&watch->collection);
    mls_arena_release(&watch->by_start_arena);
}

bool mls_watch_ended(const mls_watch *watch)
{
    const mls_live *live = &watch->live;
    for (size_t i = 0; i < live->runs.count; i++) {
        const mls_live_run *run = live->runs.items[i];
        if (run->same == NULL && run->state != MLS_LIVE_WAITING && (!mls_live_run_ended(run) || !run->judged))
            return false;
    }
    for (size_t i = 0; i < live->groups.count; i++) {
        const mls_live_group *group = live->groups.items[i];
        size_t count = 0;
        for (size_t k = 0; k < group->runs.count; k++)
            count += mls_live_is_of(group->runs.items[k], group);
        if (count < group->rules->runs_needed)
            return false;
    }
    return live->groups.count > 0;
}

mls_so_far mls_watch_so_far(const mls_live_group *group, double *minutes)
{
    mls_so_far so_far = {
        .rules = group->rules, .minutes = minutes, .scale = group->group != NULL ? group->group->scale : 1};
    for (size_t i = 0; i < group->runs.count; i++) {
        const mls_live_run *run = group->runs.items[i];
        if (mls_live_is_of(run, group) && mls_live_run_ended(run) && run->judged) {
            if (run->valid)
                minutes[so_far.valid++] = mls_live_minutes(run, run->run_stop.time_ms);
            else
                so_far.not_valid++;
        }
    }
    return so_far;
}

/* ------------------------------------------------------------------------ scontrol */

enum { SCONTROL_MS = 10000, SCONTROL_BYTES_MAX = 1 << 20, JOB_BYTES_MAX = 32 };

bool mls_is_job_number(mls_str text)
{
    mls_str task = text;
    mls_str job;
    size_t number;
    const bool array = mls_str_cut(&task, '_', &job);
    return text.len <= JOB_BYTES_MAX && mls_size_parse(job, &number) && (!array || mls_size_parse(task, &number));
}

/* Return the value of a name in "Name=value Name=value".  Values may contain blanks, names may not. */
static mls_str job_line_value(mls_str line, mls_str name)
{
    mls_str rest;
    if (!mls_str_after(line, name, &rest))
        return (mls_str){NULL, 0};
    for (size_t i = 0; i < rest.len; i++) {
        const mls_str next = mls_str_rest(rest, i + 1);
        const size_t length = rest.ptr[i] == ' ' ? mls_str_name_length(next) : 0;
        if (length > 0 && length < next.len && next.ptr[length] == '=')
            return (mls_str){rest.ptr, i};
    }
    return rest;
}

mls_status mls_scontrol_ask(const char *program, const char *job, mls_running_job *running, mls_error *error)
{
    static const char over[] =
        "COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL DEADLINE OUT_OF_MEMORY";
    const char *const arguments[] = {program, "show", "job", "-o", job, NULL};
    const mls_program asked = {.arguments = arguments, .timeout_ms = SCONTROL_MS, .answer_max = SCONTROL_BYTES_MAX};
    mls_buffer answer = {0};
    mls_str line;
    *running = (mls_running_job){0};
    mls_status status = mls_program_ask(&asked, &answer, error);
    if (status == MLS_OK) {
        mls_str rest = mls_buffer_str(&answer);
        (void)mls_str_cut(&rest, '\n', &line);
        const mls_str number = job_line_value(line, MLS_S("JobId="));
        const mls_str folder = mls_path_folder(job_line_value(line, MLS_S(" StdOut=")));
        if (number.len == 0 || folder.len == 0) {
            status = mls_error_set(error, MLS_ERROR_READ, 0, 0,
                                   "scontrol does not report the output file of the job (StdOut)");
        } else {
            running->job = mls_strndup(number.ptr, number.len);
            running->folder = mls_strndup(folder.ptr, folder.len);
            running->ended = mls_str_among(job_line_value(line, MLS_S(" JobState=")), over);
        }
    } else if (status == MLS_ERROR_READ) {
        running->ended = mls_str_contains(mls_str_from(error->message), MLS_S("Invalid job id"));
    }
    mls_buffer_release(&answer);
    return status;
}

void mls_running_job_release(mls_running_job *running)
{
    free(running->job);
    free(running->folder);
    *running = (mls_running_job){0};
}
