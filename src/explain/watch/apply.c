/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c - the state of runs, by what was read of them and by how long nothing was. */
#include "explain/watch/apply.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/words.h"

/* Silence that is no reason to worry: of anything, and of a run that initialises while nothing is known of others. */
enum { PATIENCE_MS = 60 * 1000, PATIENCE_INIT_MS = 30 * 60 * 1000 };

static mls_status tell_event(mls_live *live, mls_watch_event event)
{
    event.seen_ms = live->now_ms;
    live->news |= event.kind == MLS_WATCH_INIT || event.kind == MLS_WATCH_START || event.kind == MLS_WATCH_STOP ||
                  event.kind == MLS_WATCH_DIED;
    return live->event != NULL ? live->event(live->state, &event) : MLS_OK;
}

static mls_status tell_run(mls_live *live, mls_watch_kind kind, const mls_live_run *run, const mls_happening *of,
                           const char *message)
{
    return tell_event(live, (mls_watch_event){.kind = kind,
                                              .time_ms = of != NULL ? of->time_ms : (double)NAN,
                                              .file = run->file,
                                              .line = of != NULL ? of->line : 0,
                                              .run = run,
                                              .message = message});
}

/* What says how far a run is says how long it still takes. */
static mls_status tell_estimated(mls_live *live, mls_watch_kind kind, mls_live_run *run, const mls_happening *of)
{
    run->estimate = mls_live_estimate(run, of->time_ms);
    run->estimated_ms = of->time_ms;
    return tell_run(live, kind, run, of, NULL);
}

/* Same moments, as far as both have come: the job's output repeats a trial's own file. */
static bool is_same_run(const mls_live_run *a, const mls_live_run *b)
{
    const double apart[] = {a->first_ms - b->first_ms, a->init_start.time_ms - b->init_start.time_ms,
                            a->run_start.time_ms - b->run_start.time_ms};
    bool same = !(isnan(apart[1]) && isnan(apart[2])) && !isnan(apart[0]);
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        same = same && (isnan(apart[i]) || (apart[i] <= 0 && apart[i] >= 0));
    }
    return same && a->followed != b->followed;
}

static bool is_job_output(const mls_live_run *run)
{
    return mls_str_starts(mls_str_from(mls_path_name(run->file)), MLS_S("slurm-"));
}

/* Finds out whether a run stands in another file too: then the one that was there first goes on for both, under the
 * name of the trial's own file. */
static void find_repeated(mls_live *live, mls_live_run *run)
{
    mls_live_run *first = NULL;
    const mls_live_listed *listed = run->followed->result ? NULL : mls_live_list_at(&live->started, run->first_ms);
    for (; listed != NULL; listed = listed->next) {
        mls_live_run *other = listed->run;
        if (other != run && other->same == NULL && is_same_run(run, other) && !other->followed->result &&
            (first == NULL || other->found < first->found)) {
            first = other;
        }
    }
    if (first != NULL) {
        run->same = first;
        run->next_repeat = first->repeat;
        first->repeat = run;
    }
    if (first != NULL && is_job_output(first) && !is_job_output(run)) {
        free(first->file);
        first->file = mls_strdup(run->file);
    }
    mls_live_started_add(live, run);
}

/* Let a run be one of its own again. */
static void part_from_repeated(mls_live_run *run)
{
    mls_live_run **at = &run->same->repeat;
    while (*at != run) {
        at = &(*at)->next_repeat;
    }
    *at = run->next_repeat;
    run->next_repeat = NULL;
    run->same = NULL;
}

/* Return the samples after which a run should be by now: by the pace until its last evaluation, before that by the
 * throughput that it logs, else by the pace of the runs of its group that have ended.  NAN: not known. */
static double expected_samples(const mls_live_run *run, double minutes, double throughput)
{
    if (run->evaluations > 0 && run->last.at > 0 && run->last.minutes > 0) {
        return run->last.at * minutes / run->last.minutes;
    }
    if (isfinite(throughput) && throughput > 0) {
        return throughput * minutes * 60;
    }
    for (size_t i = 0; run->group != NULL && i < run->group->runs.count; i++) {
        const mls_live_run *other = run->group->runs.items[i];
        if (other != run && other->same == NULL && other->curve.count > 0 && other->last.minutes > 0) {
            return other->last.at * minutes / other->last.minutes;
        }
    }
    return (double)NAN;
}

/* Return the samples of the `step` of tracked_stats, which counts steps in some logs and samples in others: whichever
 * is nearer to where the run should be.  NAN: not known. */
static double samples_of_step(const mls_live_run *run, const mls_happening *of)
{
    const double step = of->at.step_num;
    const double batch = run->facts.batch_size;
    if (!of->any_step || !(batch > 1)) {
        return step * batch;
    }
    const double expected = expected_samples(run, mls_live_minutes(run, of->time_ms),
                                             isfinite(of->throughput) ? of->throughput : run->throughput);
    return !(expected > 0) || !(step > 0)              ? (double)NAN
           : expected * expected > step * step * batch ? step * batch
                                                       : step;
}

/* Return how far a run may be at most without another evaluation: the distance to the next one and a tenth. */
static double furthest_position(const mls_live_run *run)
{
    return run->curve.count > 1 ? run->last.at + 1.1 * (run->last.at - run->curve.before) : (double)INFINITY;
}

/* Where in training a record stands, in what the benchmark counts, else in what it says. */
static double live_position(const mls_live_run *run, const mls_happening *of)
{
    const mls_live_group *group = run->group;
    const mls_training_progress *at = &of->at;
    const double steps = isnan(at->samples_count) ? samples_of_step(run, of) : (double)NAN;
    const bool known = group != NULL && group->rules->runs_needed > 0;
    const double counted = known && group->counts == MLS_PROGRESS_EPOCHS  ? at->epoch_num
                           : known && group->counts == MLS_PROGRESS_STEPS ? at->step_num
                           : isnan(at->samples_count)                     ? steps
                                                                          : at->samples_count;
    return known || !isnan(counted) ? counted : at->epoch_num;
}

static void take_fact(char **fact, char **told)
{
    if (*told != NULL) {
        free(*fact);
        *fact = *told;
        *told = NULL;
    }
}

/* What a run has told of itself, as long as it is in no group. */
static void take_facts(mls_live_run *run, mls_live_facts *told)
{
    mls_live_facts *facts = &run->facts;
    if (run->group != NULL) {
        return;
    }
    take_fact(&facts->benchmark, &told->benchmark);
    take_fact(&facts->division, &told->division);
    take_fact(&facts->config, &told->config);
    take_fact(&facts->job, &told->job);
    facts->date_ms = isnan(told->date_ms) ? facts->date_ms : told->date_ms;
    facts->batch_size = isnan(told->batch_size) ? facts->batch_size : told->batch_size;
    facts->target = isnan(told->target) ? facts->target : told->target;
    facts->max_steps = isnan(told->max_steps) ? facts->max_steps : told->max_steps;
}

static mls_status apply_init(mls_live *live, mls_live_run *run, const mls_happening *of)
{
    run->first_ms = of->first_ms;
    run->init_start = (mls_step){of->time_ms, of->line};
    run->state = run->state < MLS_LIVE_INIT ? MLS_LIVE_INIT : run->state;
    find_repeated(live, run);
    take_facts(mls_live_run_of(run), of->facts);
    return run->same == NULL ? tell_run(live, MLS_WATCH_INIT, run, of, NULL) : MLS_OK;
}

static mls_status apply_start(mls_live *live, mls_live_run *run, const mls_happening *of)
{
    run->first_ms = of->first_ms;
    run->run_start = (mls_step){of->time_ms, of->line};
    if (run->same != NULL && run->same->run_start.line > 0 && !is_same_run(run, run->same)) {
        part_from_repeated(run);
    }
    if (run->same == NULL) {
        find_repeated(live, run);
    }
    mls_live_run *counts = mls_live_run_of(run);
    if (counts->group != NULL) {
        return MLS_OK;
    }
    if (counts != run) { /* the repetition is ahead */
        counts->run_start = run->run_start;
        counts->first_ms = run->first_ms;
    }
    counts->state = MLS_LIVE_TRAINING;
    take_facts(counts, of->facts);
    const mls_status status = mls_live_group_join(live, counts);
    return status == MLS_OK ? tell_estimated(live, MLS_WATCH_START, counts, of) : status;
}

static mls_status apply_progress(mls_live *live, mls_live_run *run, const mls_happening *of)
{
    double at = live_position(run, of);
    at = at > furthest_position(run) ? (double)NAN : at;
    const bool further = isfinite(at) && (isnan(run->at) || at > run->at);
    run->throughput = isfinite(of->throughput) ? of->throughput : run->throughput;
    run->step = isfinite(of->at.step_num) && !(of->at.step_num < run->step) ? of->at.step_num : run->step;
    if (of->kind == MLS_WATCH_EVAL_START) {
        run->state = MLS_LIVE_EVALUATING;
        run->at = further ? at : run->at;
        return MLS_OK;
    }
    if (isfinite(at) && !further) {
        return MLS_OK;
    }
    run->at = further ? at : run->at;
    run->state = MLS_LIVE_TRAINING;
    return tell_estimated(live, MLS_WATCH_PROGRESS, run, of);
}

/* What a repetition says again is no news. */
static mls_status apply_evaluation(mls_live *live, mls_live_run *run, const mls_happening *of)
{
    const mls_value_point point = {live_position(run, of), mls_live_minutes(run, of->time_ms), of->value};
    const bool again = run->evaluations > 0 && !(point.minutes > run->last.minutes) && !(point.at > run->last.at);
    if (again) {
        return MLS_OK;
    }
    run->state = MLS_LIVE_TRAINING;
    run->evaluations++;
    run->last = point;
    run->evaluated = (mls_step){of->time_ms, of->line};
    run->met =
        mls_live_has_target(run) && (run->group->target.direction > 0 ? point.value >= run->group->target.number
                                                                      : point.value <= run->group->target.number);
    if (isfinite(point.at) && !mls_curve_add(&run->curve, point)) {
        return MLS_ERROR_MEMORY;
    }
    run->at = run->curve.count > 0 ? run->curve.items[run->curve.count - 1].at : run->at;
    return tell_estimated(live, MLS_WATCH_EVALUATION, run, of);
}

/* What is known of runs that have ended well. */
static void take_silences(const mls_live_run *run)
{
    run->group->finished_well = true;
    for (size_t i = 0; i <= MLS_LIVE_DIED; i++) {
        run->group->longest_silence_ms[i] = fmax(run->group->longest_silence_ms[i], run->longest_silence_ms[i]);
    }
}

static mls_status apply_stop(mls_live *live, mls_live_run *run, const mls_happening *of)
{
    run->run_stop = (mls_step){of->time_ms, of->line};
    run->status = of->status;
    run->needed = of->status == MLS_RUN_SUCCESS ? of->needed : (double)NAN;
    run->state = of->status == MLS_RUN_SUCCESS ? MLS_LIVE_SUCCESS : MLS_LIVE_ABORTED;
    /* Where the target is not known, the run's own word counts. */
    run->met = run->met || (run->state == MLS_LIVE_SUCCESS && !mls_live_has_target(run));
    if (run->state == MLS_LIVE_SUCCESS && run->group != NULL) {
        take_silences(run);
        mls_live_finished_add(run);
    }
    run->estimate = mls_estimate_none();
    return tell_run(live, MLS_WATCH_STOP, run, of, NULL);
}

static mls_status apply_death(mls_live *live, mls_live_run *run, const mls_happening *of, const char *why)
{
    if (run->state == MLS_LIVE_WAITING) {
        return MLS_OK;
    }
    run->state = MLS_LIVE_DIED;
    run->stalled = false;
    run->estimate = mls_estimate_none();
    return tell_run(live, MLS_WATCH_DIED, run, of, why);
}

/* A line that both the trial's file and the job's output have is said once. */
static mls_status apply_failure(mls_live *live, mls_live_run *run, const mls_happening *of)
{
    const uint64_t text = mls_str_hash(mls_str_from(of->message), 0) | 1;
    size_t i = 0;
    while (run != NULL && i < MLS_FAILURES_SHOWN && run->shown[i] != 0 && (of->run == run || run->shown[i] != text)) {
        i++;
    }
    if (run != NULL && (i == MLS_FAILURES_SHOWN || (of->run != run && run->shown[i] == text))) {
        return MLS_OK;
    }
    if (run != NULL) {
        run->shown[i] = text;
    }
    const mls_status status = tell_event(live, (mls_watch_event){.kind = MLS_WATCH_FAILURE,
                                                                 .time_ms = (double)NAN,
                                                                 .file = run != NULL ? of->run->file : of->file,
                                                                 .line = of->line,
                                                                 .run = run,
                                                                 .message = of->message});
    const bool ends = strstr(of->message, ": Exited with exit code ") != NULL;
    return status == MLS_OK && ends && run != NULL && !mls_live_run_ended(run)
               ? apply_death(live, run, of, "a task exited with an error")
               : status;
}

static mls_status end_stall(mls_live *live, mls_live_run *run)
{
    const bool stalled = run->stalled;
    run->stalled = false;
    return stalled ? tell_run(live, MLS_WATCH_RESUMED, run, NULL, NULL) : MLS_OK;
}

static mls_status apply_one(mls_live *live, const mls_happening *of)
{
    if (of->run == NULL) {
        return of->kind == MLS_WATCH_FAILURE
                   ? apply_failure(live, NULL, of)
                   : tell_event(
                         live, (mls_watch_event){
                                   .kind = of->kind, .time_ms = of->time_ms, .file = of->file, .message = of->message});
    }
    mls_live_run *run = mls_live_run_of(of->run);
    const bool over = run->run_stop.line > 0;
    run->newest_ms = run->newest_ms >= of->time_ms || isnan(of->time_ms) ? run->newest_ms : of->time_ms;
    const mls_status status = of->kind != MLS_WATCH_DIED ? end_stall(live, run) : MLS_OK;
    if (status != MLS_OK) {
        return status;
    }
    switch (of->kind) {
    case MLS_WATCH_INIT:
        return apply_init(live, of->run, of);
    case MLS_WATCH_START:
        return apply_start(live, of->run, of);
    case MLS_WATCH_EVAL_START:
    case MLS_WATCH_PROGRESS:
        return over || run->run_start.line == 0 ? MLS_OK : apply_progress(live, run, of);
    case MLS_WATCH_EVALUATION:
        return over || run->run_start.line == 0 ? MLS_OK : apply_evaluation(live, run, of);
    case MLS_WATCH_STOP:
        return over ? MLS_OK : apply_stop(live, run, of);
    case MLS_WATCH_DIED:
        return over || mls_live_run_ended(run) ? MLS_OK : apply_death(live, run, of, of->message);
    case MLS_WATCH_FAILURE:
        return apply_failure(live, run, of);
    default:
        return MLS_OK;
    }
}

static const char *happening_file(const mls_happening *happening)
{
    return happening->run != NULL ? happening->run->file : happening->file;
}

static int compare_happenings(const void *left, const void *right)
{
    const mls_happening *a = left;
    const mls_happening *b = right;
    int order = (a->order_ms > b->order_ms) - (a->order_ms < b->order_ms);
    if (order == 0) {
        order = mls_str_compare_natural(mls_str_from(happening_file(a)), mls_str_from(happening_file(b)));
    }
    order = order != 0 ? order : (a->line > b->line) - (a->line < b->line);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

mls_status mls_live_apply(mls_live *live)
{
    mls_status status = MLS_OK;
    if (live->queue.count > 1) {
        qsort(live->queue.items, live->queue.count, sizeof *live->queue.items, compare_happenings);
    }
    for (size_t i = 0; i < live->queue.count && status == MLS_OK; i++) {
        status = apply_one(live, &live->queue.items[i]);
    }
    mls_live_drop_queue(live);
    live->round++;
    return status;
}

/* How long a run may be silent before it counts as stalled, by what is known of its group, or of all groups while it is
 * in none. */
static double patience_of(const mls_live_run *run, const mls_live_group *all)
{
    const mls_live_group *group = run->group != NULL ? run->group : all;
    const bool others = group->finished_well;
    const double longest = others ? group->longest_silence_ms[run->state] : 0;
    double own = 0;
    for (size_t i = 0; i <= MLS_LIVE_DIED; i++) {
        own = fmax(own, run->longest_silence_ms[i]);
    }
    const double least = run->state == MLS_LIVE_INIT && !others ? PATIENCE_INIT_MS : PATIENCE_MS;
    return fmax(least, fmax(4 * own, 2 * longest));
}

void mls_live_grown(mls_live_run *last, double silence_ms)
{
    for (mls_live_run *run = last; run != NULL; run = run->above) {
        if (!mls_live_run_ended(run)) {
            double *longest = &mls_live_run_of(run)->longest_silence_ms[mls_live_run_of(run)->state];
            *longest = fmax(*longest, silence_ms);
            return;
        }
    }
}

/* How long nothing has been written to a run's file, or to the other one that has it. */
static double silence_of(const mls_live *live, const mls_live_run *run)
{
    const double own = run->followed->written_ms;
    return live->now_ms - (run->repeat != NULL ? fmax(own, run->repeat->followed->written_ms) : own);
}

/* The latest time at which a run began in each folder. */
typedef struct latest_starts {
    mls_arena arena;
    mls_map folders; /* to a double in the arena */
} latest_starts;

static void find_latest_starts(const mls_live *live, latest_starts *latest)
{
    latest->folders.arena = &latest->arena;
    for (size_t i = 0; i < live->runs.count; i++) {
        const mls_live_run *run = live->runs.items[i];
        bool added = false;
        if (run->same != NULL || isnan(run->init_start.time_ms)) {
            continue;
        }
        mls_map_entry *entry = mls_map_put(&latest->folders, mls_path_folder(mls_str_from(run->file)), &added);
        double *time = added ? mls_arena_alloc(&latest->arena, sizeof *time) : entry->value.pointer;
        *time = added ? run->init_start.time_ms : fmax(*time, run->init_start.time_ms);
        entry->value.pointer = time;
    }
}

/* Whether a run of the same folder and group began after the last word of one that has stalled: trials one after the
 * other, the first of which died.  Trials side by side are not silent. */
static bool is_outlived(const latest_starts *latest, const mls_live_run *run)
{
    const mls_map_entry *entry = mls_map_find(&latest->folders, mls_path_folder(mls_str_from(run->file)));
    return entry != NULL && *(const double *)entry->value.pointer > run->newest_ms;
}

mls_status mls_live_check_silence(mls_live *live, bool job_ended)
{
    mls_live_group all = {0};
    latest_starts latest = {0};
    mls_status status = MLS_OK;
    find_latest_starts(live, &latest);
    for (size_t i = 0; i < live->groups.count; i++) {
        const mls_live_group *group = live->groups.items[i];
        all.finished_well |= group->finished_well;
        for (size_t k = 0; k <= MLS_LIVE_DIED && group->finished_well; k++) {
            all.longest_silence_ms[k] = fmax(all.longest_silence_ms[k], group->longest_silence_ms[k]);
        }
    }
    for (size_t i = 0; i < live->runs.count && status == MLS_OK; i++) {
        mls_live_run *run = live->runs.items[i];
        if (run->same != NULL || mls_live_run_ended(run) || run->state == MLS_LIVE_WAITING) {
            continue;
        }
        const double silence = silence_of(live, run);
        const bool stalled = silence > patience_of(run, &all);
        char age[64];
        (void)mls_text_printf(age, sizeof age, "nothing written for %s", mls_words_seconds(floor(silence / 1000)).text);
        if (job_ended || (stalled && is_outlived(&latest, run))) {
            status = apply_death(live, run, NULL, job_ended ? "the job has ended" : "a newer trial began");
        } else if (!stalled) {
            status = end_stall(live, run);
        } else if (!run->stalled) {
            run->stalled = true;
            status = tell_run(live, MLS_WATCH_STALLED, run, NULL, age);
        }
    }
    mls_arena_release(&latest.arena);
    return status;
}
