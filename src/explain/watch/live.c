/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - update the state of runs from the lines of followed files, and report events. */
#include "explain/watch/live.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/words.h"
#include "log/marked.h"
#include "log/prefix.h"
#include "run/splitter.h"
#include "score/score.h"
#include "json/value.h"

/* A run that is silent for a shorter time is not reported as stalled: in general, and while it initializes if no run of
 * the group has converged. */
enum { PATIENCE_MS = 60 * 1000, PATIENCE_INIT_MS = 30 * 60 * 1000 };

#define NOT_KNOWN ((double)NAN)

/* A queued event. */
typedef struct mls_queued_event {
    mls_watch_kind kind;
    mls_live_run *run; /* NULL: the event is about a file */
    double order_ms;   /* time of the event, or of the previous record in the file; -INFINITY: there is none */
    size_t order;      /* number in the order of reading */
    double time_ms;
    size_t line;
    double first_ms, value, throughput, needed;
    mls_training_progress at;
    bool any_step; /* the step is from tracked_stats, so it may count samples */
    mls_run_status status;
    mls_live_facts facts;       /* for INIT and START; texts in mls_live.texts */
    const char *file, *message; /* allocated in mls_live.queued */
} mls_queued_event;

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

/* ------------------------------------------------------------------------ runs and groups */

static char *copy_text(mls_arena *arena, const char *text)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;
    return text != NULL ? memcpy(mls_arena_text(arena, size), text, size) : NULL;
}

mls_live_run *mls_live_run_add(mls_live *live, const mls_followed *file, mls_live_run *above)
{
    const mls_step no_step = {NOT_KNOWN, 0};
    mls_live_run *run = mls_malloc(sizeof *run);
    *run = (mls_live_run){
        .file = copy_text(&live->texts, file->path),
        .followed = file,
        .found = live->found++,
        .above = above,
        .first_ms = NOT_KNOWN,
        .init_start = no_step,
        .run_start = no_step,
        .run_stop = no_step,
        .facts = {.date_ms = NOT_KNOWN, .batch_size = NOT_KNOWN, .target = NOT_KNOWN, .max_steps = NOT_KNOWN},
        .newest_ms = NOT_KNOWN,
        .last = {NOT_KNOWN, NOT_KNOWN, NOT_KNOWN},
        .evaluated = no_step,
        .at = NOT_KNOWN,
        .throughput = NOT_KNOWN,
        .step = NOT_KNOWN,
        .needed = NOT_KNOWN,
        .estimate = mls_estimate_none(),
        .estimated_ms = NOT_KNOWN,
        .progress_ms = NOT_KNOWN};
    MLS_GROW(&live->runs, items);
    live->runs.items[live->runs.count++] = run;
    return run;
}

static void free_run(mls_live_run *run)
{
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

static mls_live_run *original_of(mls_live_run *run)
{
    return run->same != NULL ? run->same : run;
}

/* Return the bytes of a time as a map key; the key for NAN is empty. */
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

/* Add a run to live->started by its first time; call this again if an earlier first record was found.  A run without a
 * time is not added. */
static void add_started(mls_live *live, mls_live_run *run)
{
    live->started.arena = &live->lists;
    if (!isnan(run->first_ms))
        mls_live_list_add(&live->started, run->first_ms, run);
}

/* Return the benchmark and its edition as scoring would choose them for a run with this first record. */
static const mls_benchmark *rules_of(const mls_live *live, const char *benchmark, double date_ms,
                                     const mls_edition **edition)
{
    const mls_collect_options *how = live->how;
    const mls_editions *editions = how->score.editions;
    const mls_str name = mls_str_from(benchmark);
    const mls_usage usage = how->any_usage ? mls_editions_usage_of(editions, how->usage, name) : how->usage;
    *edition = how->edition != NULL ? how->edition : mls_editions_guess(editions, usage, date_ms, name);
    return mls_benchmark_in(mls_benchmark_find(editions, usage, name), (*edition)->number);
}

/* Create the group of a run, with the target of the rules and the reference runs. */
static mls_live_group *make_group(mls_live *live, const mls_live_run *run)
{
    const mls_score_options *score = &live->how->score;
    const mls_checker_options *by = &live->how->checker;
    const mls_live_facts *facts = &run->facts;
    const mls_ruleset *ruleset = by->ruleset;
    mls_live_group *group = mls_calloc(1, sizeof *group);
    group->batch_size = facts->batch_size;
    group->scale = 1;
    group->rules = rules_of(live, facts->benchmark, facts->date_ms, &group->edition);
    group->counts = mls_benchmark_counts(group->rules, group->edition);
    MLS_GROW(&live->groups, items);
    live->groups.items[live->groups.count++] = group;
    if (ruleset == NULL && by->rulesets != NULL && group->edition != NULL)
        (void)!mls_rulesets_get(by->rulesets, group->edition, &ruleset, NULL);
    if (ruleset != NULL && facts->benchmark != NULL)
        group->target = mls_ruleset_target(ruleset, facts->benchmark, facts->batch_size, NULL);
    /* A run of the open division may have logged its own target. */
    if (facts->division != NULL && strcmp(facts->division, "open") == 0 && isfinite(facts->target))
        group->target.number = facts->target;
    const mls_rcp_rules rcp_rules = {score->editions, group->edition, group->rules};
    if (!group->rules->reference_points || isnan(group->batch_size) ||
        !mls_edition_has_benchmark(group->edition, mls_str_from(group->rules->name)) ||
        mls_rcp_sets_find(&live->points, &rcp_rules, score->rcp_text, score->rcp_path, &group->points, NULL) != MLS_OK)
        return group;
    const mls_rcp_point *nearest = NULL;
    for (size_t i = 0; i < group->points->count; i++) {
        const mls_rcp_point *point = &group->points->items[i];
        if (!point->pruned && (nearest == NULL || fabs(point->global_batch_size - group->batch_size) <
                                                      fabs(nearest->global_batch_size - group->batch_size)))
            nearest = point;
    }
    if (nearest != NULL) {
        const double mean = mls_rcp_set_mean(group->points, group->batch_size);
        group->reference = nearest->to_converge;
        group->reference_count = nearest->count;
        group->scale = isnan(mean) ? 1 : mean / nearest->bar.mean;
    }
    return group;
}

void mls_live_finished_add(mls_live_run *run)
{
    mls_live_group *group = run->group;
    if (!isfinite(run->needed))
        return;
    MLS_GROW(&group->finished, items);
    mls_live_run **items = group->finished.items;
    /* Insert by end.  In a fixed order, sums are the same to the last digit whether logs are read at once or followed.
     */
    size_t at = group->finished.count++;
    for (; at > 0; at--) {
        int order = mls_compare_doubles(items[at - 1]->run_stop.time_ms, run->run_stop.time_ms);
        order = order != 0 ? order : strcmp(items[at - 1]->file, run->file);
        if (order < 0 || (order == 0 && items[at - 1]->line <= run->line))
            break;
        items[at] = items[at - 1];
    }
    items[at] = run;
}

void mls_live_release(mls_live *live)
{
    free(live->queue.items);
    for (size_t i = 0; i < live->runs.count; i++)
        free_run(live->runs.items[i]);
    free(live->runs.items);
    for (size_t i = 0; i < live->groups.count; i++)
        free_live_group(live->groups.items[i]);
    free(live->groups.items);
    mls_arena_release(&live->lists);
    mls_arena_release(&live->queued);
    mls_arena_release(&live->texts);
    mls_rcp_sets_release(&live->points);
    *live = (mls_live){0};
}

size_t mls_live_failures_left(const mls_live_run *run)
{
    size_t read = run->failures;
    size_t shown = 0;
    for (const mls_live_run *other = run->repeat; other != NULL; other = other->next_repeat)
        read = other->failures > read ? other->failures : read;
    while (shown < MLS_FAILURES_SHOWN && run->shown[shown] != 0)
        shown++;
    return read > shown ? read - shown : 0;
}

mls_estimate mls_live_estimate(const mls_live_run *run, double time_ms)
{
    const mls_live_group *group = run->group;
    mls_past_run past[MLS_PAST_RUNS_MAX];
    size_t count = 0;
    if (group == NULL || run->met)
        return mls_estimate_none();
    for (size_t i = 0; i < group->finished.count && count < MLS_PAST_RUNS_MAX; i++) {
        const mls_live_run *other = group->finished.items[i];
        if (other->run_stop.time_ms > time_ms)
            break;
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

/* ------------------------------------------------------------------------ reading */

/* The line and order of a queued event. */
typedef struct queued_line {
    size_t line;
    double order_ms;
} queued_line;

/* State of reading a file. */
typedef struct mls_live_reader {
    mls_live *live;
    const mls_followed *file;
    mls_run_splitter splitter;
    mls_live_run *run;               /* the last run in the file; NULL: none yet */
    size_t begun;                    /* first line of that run according to the splitter */
    bool ended;                      /* that run has a run_stop, or died */
    double order_ms;                 /* see mls_queued_event */
    double applied_ms;               /* value of order_ms when the queue was last applied */
    size_t round;                    /* round in which the last event was queued */
    size_t failures;                 /* number of failure lines before the first run */
    MLS_LIST_OF(queued_line) queued; /* events queued in that round, by line */
    mls_marked_lines marked;
    mls_sink sinks[2];
} mls_live_reader;

static void queue_event(mls_live *live, mls_queued_event event)
{
    MLS_GROW(&live->queue, items);
    event.order = live->queue.count;
    live->queue.items[live->queue.count++] = event;
}

/* Return a new event of the current run for a record, or for a line if record is NULL. */
static mls_queued_event event_of(mls_live_reader *self, mls_watch_kind kind, const mls_record *record, size_t line)
{
    if (self->round != self->live->round) {
        self->round = self->live->round;
        self->applied_ms = self->order_ms;
        self->queued.count = 0;
    }
    if (record != NULL && record->time_ms > self->order_ms)
        self->order_ms = record->time_ms;
    return (mls_queued_event){.kind = kind,
                              .run = self->run,
                              .order_ms = self->order_ms,
                              .time_ms = record != NULL ? record->time_ms : NOT_KNOWN,
                              .line = line,
                              .first_ms = self->splitter.current.first_ms,
                              .at = {NOT_KNOWN, NOT_KNOWN, NOT_KNOWN},
                              .value = NOT_KNOWN,
                              .throughput = NOT_KNOWN,
                              .needed = NOT_KNOWN};
}

static void queue(mls_live_reader *self, mls_queued_event event)
{
    MLS_GROW(&self->queued, items);
    size_t at = self->queued.count++;
    for (; at > 0 && self->queued.items[at - 1].line > event.line; at--)
        self->queued.items[at] = self->queued.items[at - 1];
    self->queued.items[at] = (queued_line){event.line, event.order_ms};
    queue_event(self->live, event);
}

static void queue_death(mls_live_reader *self, const mls_record *record, size_t line, const char *why)
{
    if (self->run != NULL && !self->ended) {
        mls_queued_event died = event_of(self, MLS_WATCH_DIED, record, line);
        self->ended = true;
        died.message = why;
        queue(self, died);
    }
}

static double number_fact(const mls_run *run, mls_str name)
{
    const char *text = mls_run_hyperparameter(run, name);
    double number;
    return text != NULL && mls_json_number(mls_str_from(text), &number) ? number : NOT_KNOWN;
}

/* Queue the start of a run's initialization or training with the facts logged so far. */
static void queue_begun(mls_live_reader *self, const mls_record *record, mls_watch_kind kind)
{
    const mls_run *read = &self->splitter.current;
    const char *config = mls_run_config(read);
    mls_queued_event begun = event_of(self, kind, record, record->line);
    mls_arena *arena = &self->live->texts;
    begun.facts = (mls_live_facts){.benchmark = copy_text(arena, read->benchmark),
                                   .division = copy_text(arena, read->division),
                                   .config = copy_text(arena, config != NULL ? config : self->splitter.job.config),
                                   .job = copy_text(arena, mls_live_job(self->file)),
                                   .date_ms = read->date_ms,
                                   .batch_size = read->global_batch_size,
                                   .target = number_fact(read, MLS_S("target_accuracy")),
                                   .max_steps = number_fact(read, MLS_S("max_steps"))};
    queue(self, begun);
}

/* Return a number from a record's metadata, or NAN if the metadata does not contain it. */
static double metadata_number(const mls_record *record, mls_str name)
{
    mls_str span;
    double number;
    return mls_record_metadata_member(record, name, &span) && mls_json_number(span, &number) ? number : NOT_KNOWN;
}

/* Queue the progress in a record, at most one event per live->interval_ms. */
static void queue_progress(mls_live_reader *self, const mls_record *record, mls_watch_kind kind)
{
    mls_queued_event event = event_of(self, kind, record, record->line);
    const double step = metadata_number(record, MLS_S("step_num"));
    /* samples_count of a block is the length of the block. */
    const bool block = record->key_id == MLS_KEY_BLOCK_START || record->key_id == MLS_KEY_BLOCK_STOP;
    const bool tracked = record->key_id == MLS_KEY_TRACKED_STATS || record->key_id == MLS_KEY_THROUGHPUT;
    event.any_step = isnan(step);
    event.at = (mls_training_progress){block ? NOT_KNOWN : metadata_number(record, MLS_S("samples_count")),
                                       metadata_number(record, MLS_S("epoch_num")),
                                       isnan(step) ? metadata_number(record, MLS_S("step")) : step};
    event.throughput = tracked ? mls_record_throughput(record) : NOT_KNOWN;
    const bool known = isfinite(event.at.samples_count) || isfinite(event.at.epoch_num) ||
                       isfinite(event.at.step_num) || isfinite(event.throughput);
    const bool early = record->time_ms < self->run->progress_ms + self->live->interval_ms;
    if (kind != MLS_WATCH_PROGRESS || (known && !early)) {
        self->run->progress_ms = record->time_ms;
        queue(self, event);
    }
}

static bool is_of_other_job(const mls_live_reader *self)
{
    const char *job = self->live->job != NULL ? mls_live_job(self->file) : NULL;
    return job != NULL && strcmp(job, self->live->job) != 0;
}

static mls_status take_record(void *state, const mls_record *record)
{
    mls_live_reader *self = state;
    const mls_run *read = &self->splitter.current;
    if (is_of_other_job(self))
        return MLS_OK;
    if (self->run == NULL || self->begun != read->line) { /* the record is the first of a new run */
        queue_death(self, record, record->line, "the next trial began");
        self->run = mls_live_run_add(self->live, self->file, self->run);
        self->run->line = record->line;
        self->begun = read->line;
        self->ended = false;
    }
    switch (record->key_id) {
    case MLS_KEY_INIT_START:
        if (record->line == read->init_start.line)
            queue_begun(self, record, MLS_WATCH_INIT);
        break;
    case MLS_KEY_RUN_START:
        if (record->line == read->run_start.line)
            queue_begun(self, record, MLS_WATCH_START);
        break;
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_EVAL_ERROR:
        if (read->last_evaluation.line == record->line && read->run_start.line > 0) {
            mls_queued_event event = event_of(self, MLS_WATCH_EVALUATION, record, record->line);
            event.at = read->last_evaluation.at;
            event.value = read->last_evaluation.value;
            queue(self, event);
        }
        break;
    case MLS_KEY_RUN_STOP:
        if (read->run_stop.line == record->line) {
            const mls_edition *edition;
            const mls_benchmark *rules = rules_of(self->live, read->benchmark, read->date_ms, &edition);
            mls_queued_event event = event_of(self, MLS_WATCH_STOP, record, record->line);
            self->ended = true;
            event.status = read->status;
            event.needed = mls_run_converge_number(read, rules, edition, false);
            queue(self, event);
        }
        break;
    case MLS_KEY_EVAL_START:
        queue_progress(self, record, MLS_WATCH_EVAL_START);
        break;
    case MLS_KEY_BLOCK_START:
    case MLS_KEY_BLOCK_STOP:
    case MLS_KEY_EPOCH_START:
    case MLS_KEY_EPOCH_STOP:
    case MLS_KEY_TRACKED_STATS:
    case MLS_KEY_THROUGHPUT:
    case MLS_KEY_TRAIN_LOSS:
        if (read->run_start.line > 0)
            queue_progress(self, record, MLS_WATCH_PROGRESS);
        break;
    default:
        break;
    }
    return MLS_OK;
}

/* End a run without run_stop at a line that ends its job or starts its next trial. */
static mls_status take_marker(void *state, const mls_marker *marker)
{
    static const char *const why[] = {[MLS_MARKER_TRIAL_BEGIN] = "the next trial began",
                                      [MLS_MARKER_EXPERIMENT_START] = "the next trial began",
                                      [MLS_MARKER_EXPERIMENT_STOP] = "the experiment ended",
                                      [MLS_MARKER_RUNANDTIME_STOP] = "the trial ended",
                                      [MLS_MARKER_STEP] = "the step was cancelled"};
    if (marker->kind < sizeof why / sizeof *why && why[marker->kind] != NULL &&
        (marker->kind != MLS_MARKER_STEP || mls_str_contains(marker->text, MLS_S(" CANCELLED AT "))))
        queue_death(state, NULL, marker->line, why[marker->kind]);
    return MLS_OK;
}

/* Queue the first failure messages of each run. */
static mls_status take_lines(void *state, const mls_lines *lines)
{
    mls_live_reader *self = state;
    mls_signatures *signatures = self->live->signatures;
    char scratch[MLS_LINE_EXAMINED];
    if (is_of_other_job(self))
        return MLS_OK;
    mls_marked_block(&self->marked, signatures, lines, scratch);
    for (size_t i = mls_marked_next(&self->marked, 0, lines->count); i < lines->count;
         i = mls_marked_next(&self->marked, i + 1, lines->count)) {
        const mls_log_line line = mls_log_line_of(lines, i, scratch);
        const size_t number = lines->line + i;
        mls_str payload;
        if (mls_record_find(line.text, &payload) || mls_signatures_search(signatures, line.text) == 0)
            continue;
        const ptrdiff_t found = mls_signatures_find(signatures, line.message, false);
        if (found < 0 || mls_signatures_get(signatures, (size_t)found)->role >= MLS_ROLE_CONTEXT)
            continue;
        mls_live_run *run = self->run; /* find the run of the line: records after the line may have been read already */
        while (run != NULL && run->line > number)
            run = run->above;
        size_t *failures = run != NULL ? &run->failures : &self->failures;
        if (++*failures > MLS_FAILURES_SHOWN)
            continue;
        mls_queued_event failure = event_of(self, MLS_WATCH_FAILURE, NULL, number);
        /* Place the event after the previous event in the file, which may belong to the previous run. */
        size_t at = self->queued.count;
        while (at > 0 && self->queued.items[at - 1].line >= number)
            at--;
        failure.run = run;
        failure.order_ms = at > 0 ? self->queued.items[at - 1].order_ms : self->applied_ms;
        failure.message = mls_arena_copy(&self->live->queued, line.message).ptr;
        failure.file = run == NULL ? copy_text(&self->live->queued, self->file->path) : NULL;
        queue(self, failure);
    }
    return MLS_OK;
}

static mls_status drop_run(void *state, mls_run *run, void **notes)
{
    (void)state;
    (void)run;
    (void)notes;
    return MLS_OK;
}

void mls_live_file_begin(mls_live *live, mls_followed *file)
{
    mls_live_reader *self = mls_calloc(1, sizeof *self);
    self->live = live;
    self->file = file;
    self->order_ms = self->applied_ms = -(double)INFINITY;
    self->splitter =
        (mls_run_splitter){.reading = &live->reading, .whole = file->result, .run = drop_run, .state = self};
    self->sinks[0] = mls_run_splitter_begin(&self->splitter);
    self->sinks[1] = (mls_sink){.state = self, .record = take_record, .marker = take_marker, .lines = take_lines};
    file->reader = self;
    file->feed = mls_log_feed_new(self->sinks, 2);
}

void mls_live_file_forget(mls_live *live, mls_followed *file)
{
    mls_live_reader *self = file->reader;
    mls_log_feed_free(file->feed);
    mls_live_apply(live);
    for (size_t i = 0; i < live->runs.count; i++) {
        mls_live_run *run = live->runs.items[i];
        run->same = run->same != NULL && run->same->followed == file ? NULL : run->same;
    }
    size_t kept = 0;
    for (size_t i = 0; i < live->runs.count; i++) {
        mls_live_run *run = live->runs.items[i];
        if (run->followed == file)
            free_run(run);
        else
            live->runs.items[kept++] = run;
    }
    if (kept < live->runs.count) {
        /* Rebuild the lists and maps of runs, and remove empty groups. */
        live->runs.count = kept;
        mls_arena_release(&live->lists);
        live->started = live->keys = (mls_map){.arena = &live->lists};
        for (size_t i = 0; i < live->groups.count; i++)
            live->groups.items[i]->runs.count = live->groups.items[i]->finished.count = 0;
        for (size_t i = 0; i < live->runs.count; i++)
            live->runs.items[i]->repeat = live->runs.items[i]->next_repeat = NULL;
        for (size_t i = 0; i < live->runs.count; i++) {
            mls_live_run *run = live->runs.items[i];
            add_started(live, run);
            if (run->same != NULL) {
                run->next_repeat = run->same->repeat;
                run->same->repeat = run;
            }
            if (run->group != NULL) {
                MLS_GROW(&run->group->runs, items);
                run->group->runs.items[run->group->runs.count++] = run;
                if (run->state == MLS_LIVE_SUCCESS)
                    mls_live_finished_add(run);
            }
        }
        size_t groups = 0;
        for (size_t i = 0; i < live->groups.count; i++) {
            mls_live_group *group = live->groups.items[i];
            if (group->runs.count == 0) {
                free_live_group(group);
            } else {
                mls_map_put(&live->keys, mls_buffer_str(&group->key), NULL)->value.pointer = group;
                live->groups.items[groups++] = group;
            }
        }
        live->groups.count = groups;
    }
    live->news = true;
    mls_run_splitter_release(&self->splitter);
    free(self->marked.bits);
    free(self->queued.items);
    free(self);
    file->reader = NULL;
    file->feed = NULL;
}

const char *mls_live_job(const mls_followed *file)
{
    const mls_run_splitter *splitter = file->reader != NULL ? &file->reader->splitter : NULL;
    return splitter == NULL ? NULL : splitter->current.job.job != NULL ? splitter->current.job.job : splitter->job.job;
}

void mls_live_file_changed(mls_live *live, mls_followed *file, mls_file_change change, const char *what)
{
    static const char *const words[] = {[MLS_FILE_FOUND] = "found",
                                        [MLS_FILE_RENAMED] = "renamed from ",
                                        [MLS_FILE_RESTARTED] = "truncated: reading from the beginning",
                                        [MLS_FILE_GONE] = "removed",
                                        [MLS_FILE_FAILED] = ""};
    mls_buffer message = {0};
    mls_buffer_printf(&message, "%s%s", words[change], what != NULL ? what : "");
    for (size_t i = 0; i < live->runs.count && change == MLS_FILE_RENAMED; i++) {
        mls_live_run *run = live->runs.items[i];
        run->file = run->followed == file ? copy_text(&live->texts, file->path) : run->file;
    }
    queue_event(live, (mls_queued_event){.kind = MLS_WATCH_FILE,
                                         .order_ms = -(double)INFINITY,
                                         .time_ms = NOT_KNOWN,
                                         .file = copy_text(&live->queued, file->path),
                                         .message = mls_arena_copy(&live->queued, mls_buffer_str(&message)).ptr});
    mls_buffer_release(&message);
}

/* ------------------------------------------------------------------------ applying */

static void report_event(mls_live *live, mls_watch_event event)
{
    event.seen_ms = live->now_ms;
    live->news |= event.kind == MLS_WATCH_INIT || event.kind == MLS_WATCH_START || event.kind == MLS_WATCH_STOP ||
                  event.kind == MLS_WATCH_DIED;
    if (live->event != NULL)
        live->event(live->state, &event);
}

/* Report an event of a run; `of` is the queued event that it results from, or NULL. */
static void report_run(mls_live *live, mls_watch_kind kind, const mls_live_run *run, const mls_queued_event *of,
                       const char *message)
{
    report_event(live, (mls_watch_event){.kind = kind,
                                         .time_ms = of != NULL ? of->time_ms : NOT_KNOWN,
                                         .file = run->file,
                                         .line = of != NULL ? of->line : 0,
                                         .run = run,
                                         .message = message});
}

/* Report the progress of a run with an estimate of the remaining time. */
static void report_estimate(mls_live *live, mls_watch_kind kind, mls_live_run *run, const mls_queued_event *of)
{
    run->estimate = mls_live_estimate(run, of->time_ms);
    run->estimated_ms = of->time_ms;
    report_run(live, kind, run, of, NULL);
}

/* Return whether two runs have the same times in all events that both have: a job's output repeats the trial's own log.
 */
static bool is_same_run(const mls_live_run *a, const mls_live_run *b)
{
    const double apart[] = {a->first_ms - b->first_ms, a->init_start.time_ms - b->init_start.time_ms,
                            a->run_start.time_ms - b->run_start.time_ms};
    bool same = !(isnan(apart[1]) && isnan(apart[2])) && !isnan(apart[0]);
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        same = same && (isnan(apart[i]) || (apart[i] <= 0 && apart[i] >= 0));
    return same && a->followed != b->followed;
}

/* Find the same run in another file.  The run found first stands for both, with the name of the trial's own file. */
static void find_repeated(mls_live *live, mls_live_run *run)
{
    mls_live_run *first = NULL;
    const mls_live_listed *listed = run->followed->result ? NULL : mls_live_list_at(&live->started, run->first_ms);
    for (; listed != NULL; listed = listed->next) {
        mls_live_run *other = listed->run;
        if (other != run && other->same == NULL && is_same_run(run, other) && !other->followed->result &&
            (first == NULL || other->found < first->found))
            first = other;
    }
    if (first != NULL) {
        run->same = first;
        run->next_repeat = first->repeat;
        first->repeat = run;
        if (mls_str_starts(mls_str_from(mls_path_name(first->file)), MLS_S("slurm-")) &&
            !mls_str_starts(mls_str_from(mls_path_name(run->file)), MLS_S("slurm-")))
            first->file = run->file;
    }
    add_started(live, run);
}

/* Return the position of a record, in the benchmark's unit if possible, else in the unit of the record; NAN: unknown.
 *
 * The `step` of tracked_stats counts steps in some logs and samples in others.  Choose the value nearer to the expected
 * position, according to the pace up to the last evaluation, else the logged throughput, else the pace of finished runs
 * of the group. */
static double live_position(const mls_live_run *run, const mls_queued_event *of)
{
    const mls_live_group *group = run->group;
    const mls_training_progress *at = &of->at;
    const bool known = group != NULL && group->rules->runs_needed > 0;
    if (known && group->counts == MLS_PROGRESS_EPOCHS)
        return at->epoch_num;
    if (known && group->counts == MLS_PROGRESS_STEPS)
        return at->step_num;
    const double step = at->step_num;
    const double batch = run->facts.batch_size;
    double samples = isnan(at->samples_count) ? step * batch : at->samples_count;
    if (isnan(at->samples_count) && of->any_step && batch > 1) {
        const double minutes = mls_live_minutes(run, of->time_ms);
        const double throughput = isfinite(of->throughput) ? of->throughput : run->throughput;
        const bool evaluated = run->evaluations > 0 && run->last.at > 0 && run->last.minutes > 0;
        double expected = evaluated                                ? run->last.at * minutes / run->last.minutes
                          : isfinite(throughput) && throughput > 0 ? throughput * minutes * 60
                                                                   : NOT_KNOWN;
        for (size_t i = 0; group != NULL && i < group->runs.count && isnan(expected); i++) {
            const mls_live_run *other = group->runs.items[i];
            if (other != run && other->same == NULL && other->curve.count > 0 && other->last.minutes > 0)
                expected = other->last.at * minutes / other->last.minutes;
        }
        samples = !(expected > 0) || !(step > 0)              ? NOT_KNOWN
                  : expected * expected > step * step * batch ? step * batch
                                                              : step;
    }
    return known || !isnan(samples) ? samples : at->epoch_num;
}

/* Update the facts of a run until it joins a group. */
static void update_facts(mls_live_run *run, const mls_live_facts *logged)
{
    mls_live_facts *facts = &run->facts;
    if (run->group == NULL) {
        facts->benchmark = logged->benchmark != NULL ? logged->benchmark : facts->benchmark;
        facts->division = logged->division != NULL ? logged->division : facts->division;
        facts->config = logged->config != NULL ? logged->config : facts->config;
        facts->job = logged->job != NULL ? logged->job : facts->job;
        facts->date_ms = isnan(logged->date_ms) ? facts->date_ms : logged->date_ms;
        facts->batch_size = isnan(logged->batch_size) ? facts->batch_size : logged->batch_size;
        facts->target = isnan(logged->target) ? facts->target : logged->target;
        facts->max_steps = isnan(logged->max_steps) ? facts->max_steps : logged->max_steps;
    }
}

static void apply_start(mls_live *live, mls_live_run *run, const mls_queued_event *of)
{
    run->first_ms = of->first_ms;
    run->run_start = (mls_step){of->time_ms, of->line};
    if (run->same != NULL && run->same->run_start.line > 0 && !is_same_run(run, run->same)) {
        mls_live_run **at = &run->same->repeat; /* no longer a duplicate */
        while (*at != run)
            at = &(*at)->next_repeat;
        *at = run->next_repeat;
        run->next_repeat = NULL;
        run->same = NULL;
    }
    if (run->same == NULL)
        find_repeated(live, run);
    mls_live_run *original = original_of(run);
    if (original->group != NULL)
        return;
    if (original != run) { /* the duplicate contains later records than the original */
        original->run_start = run->run_start;
        original->first_ms = run->first_ms;
    }
    original->state = MLS_LIVE_TRAINING;
    update_facts(original, &of->facts);
    /* Find or create the group of the run, and give the run a number in the group. */
    mls_buffer bytes = {0};
    const mls_run named = {.file = original->file,
                           .result = original->followed->result,
                           .benchmark = original->facts.benchmark,
                           .division = original->facts.division,
                           .config_filename = original->facts.config,
                           .global_batch_size = original->facts.batch_size};
    const mls_run_key parts = mls_run_key_of(&named);
    live->keys.arena = &live->lists;
    mls_map_entry *entry = mls_map_put(&live->keys, mls_run_group_key(&parts, &bytes), NULL);
    if (entry->value.pointer == NULL) {
        mls_live_group *group = entry->value.pointer = make_group(live, original);
        group->key = bytes;
        bytes = (mls_buffer){0};
    }
    mls_buffer_release(&bytes);
    original->group = entry->value.pointer;
    MLS_GROW(&original->group->runs, items);
    original->group->runs.items[original->group->runs.count++] = original;
    original->number = ++original->group->numbered;
    report_estimate(live, MLS_WATCH_START, original, of);
}

static void apply_death(mls_live *live, mls_live_run *run, const mls_queued_event *of, const char *why)
{
    if (run->state != MLS_LIVE_WAITING) {
        run->state = MLS_LIVE_DIED;
        run->stalled = false;
        run->estimate = mls_estimate_none();
        report_run(live, MLS_WATCH_DIED, run, of, why);
    }
}

/* Report a failure line of a run.  A line that is in both the trial's log and the job's output is reported once. */
static void apply_failure(mls_live *live, mls_live_run *run, const mls_queued_event *of)
{
    const uint64_t text = mls_str_hash(mls_str_from(of->message), 0) | 1;
    const bool repeats = of->run != run;
    size_t i = 0;
    while (i < MLS_FAILURES_SHOWN && run->shown[i] != 0 && !(repeats && run->shown[i] == text))
        i++;
    if (i == MLS_FAILURES_SHOWN || (repeats && run->shown[i] == text))
        return;
    run->shown[i] = text;
    report_event(live, (mls_watch_event){.kind = MLS_WATCH_FAILURE,
                                         .time_ms = NOT_KNOWN,
                                         .file = of->run->file,
                                         .line = of->line,
                                         .run = run,
                                         .message = of->message});
    if (!mls_live_run_ended(run) && strstr(of->message, ": Exited with exit code ") != NULL)
        apply_death(live, run, of, "a task exited with an error");
}

static void end_stall(mls_live *live, mls_live_run *run)
{
    if (run->stalled) {
        run->stalled = false;
        report_run(live, MLS_WATCH_RESUMED, run, NULL, NULL);
    }
}

static void apply_one(mls_live *live, const mls_queued_event *of)
{
    if (of->run == NULL) { /* the event is about a file, or a failure outside of runs */
        report_event(
            live,
            (mls_watch_event){
                .kind = of->kind, .time_ms = of->time_ms, .file = of->file, .line = of->line, .message = of->message});
        return;
    }
    mls_live_run *run = original_of(of->run);
    const bool trains = run->run_start.line > 0 && run->run_stop.line == 0;
    run->newest_ms = run->newest_ms >= of->time_ms || isnan(of->time_ms) ? run->newest_ms : of->time_ms;
    if (of->kind != MLS_WATCH_DIED)
        end_stall(live, run);
    if (of->kind == MLS_WATCH_INIT) {
        run = of->run;
        run->first_ms = of->first_ms;
        run->init_start = (mls_step){of->time_ms, of->line};
        run->state = run->state < MLS_LIVE_INIT ? MLS_LIVE_INIT : run->state;
        find_repeated(live, run);
        update_facts(original_of(run), &of->facts);
        if (run->same == NULL)
            report_run(live, MLS_WATCH_INIT, run, of, NULL);
    } else if (of->kind == MLS_WATCH_START) {
        apply_start(live, of->run, of);
    } else if (of->kind == MLS_WATCH_FAILURE) {
        apply_failure(live, run, of);
    } else if (of->kind == MLS_WATCH_DIED && run->run_stop.line == 0 && !mls_live_run_ended(run)) {
        apply_death(live, run, of, of->message);
    } else if (of->kind == MLS_WATCH_STOP && run->run_stop.line == 0) {
        const bool success = of->status == MLS_RUN_SUCCESS;
        run->run_stop = (mls_step){of->time_ms, of->line};
        run->status = of->status;
        run->needed = success ? of->needed : NOT_KNOWN;
        run->state = success ? MLS_LIVE_SUCCESS : MLS_LIVE_ABORTED;
        /* If the target is unknown, use the status of the run. */
        run->met = run->met || (success && !mls_live_has_target(run));
        if (success && run->group != NULL) {
            run->group->finished_well = true;
            for (size_t i = 0; i <= MLS_LIVE_DIED; i++)
                run->group->longest_silence_ms[i] = fmax(run->group->longest_silence_ms[i], run->longest_silence_ms[i]);
            mls_live_finished_add(run);
        }
        run->estimate = mls_estimate_none();
        report_run(live, MLS_WATCH_STOP, run, of, NULL);
    } else if (of->kind == MLS_WATCH_EVALUATION && trains) {
        const mls_value_point point = {live_position(run, of), mls_live_minutes(run, of->time_ms), of->value};
        if (run->evaluations > 0 && !(point.minutes > run->last.minutes) && !(point.at > run->last.at))
            return; /* a duplicate repeats this evaluation */
        run->state = MLS_LIVE_TRAINING;
        run->evaluations++;
        run->last = point;
        run->evaluated = (mls_step){of->time_ms, of->line};
        run->met =
            mls_live_has_target(run) && (run->group->target.direction > 0 ? point.value >= run->group->target.number
                                                                          : point.value <= run->group->target.number);
        if (isfinite(point.at))
            mls_curve_add(&run->curve, point);
        run->at = run->curve.count > 0 ? run->curve.items[run->curve.count - 1].at : run->at;
        report_estimate(live, MLS_WATCH_EVALUATION, run, of);
    } else if ((of->kind == MLS_WATCH_PROGRESS || of->kind == MLS_WATCH_EVAL_START) && trains) {
        /* Limit the position to 1.1 times the distance between evaluations after the last one. */
        const double furthest =
            run->curve.count > 1 ? run->last.at + 1.1 * (run->last.at - run->curve.before) : (double)INFINITY;
        double at = live_position(run, of);
        at = at > furthest ? NOT_KNOWN : at;
        const bool further = isfinite(at) && (isnan(run->at) || at > run->at);
        run->throughput = isfinite(of->throughput) ? of->throughput : run->throughput;
        run->step = isfinite(of->at.step_num) && !(of->at.step_num < run->step) ? of->at.step_num : run->step;
        if (of->kind == MLS_WATCH_EVAL_START) {
            run->state = MLS_LIVE_EVALUATING;
            run->at = further ? at : run->at;
        } else if (!isfinite(at) || further) {
            run->at = further ? at : run->at;
            run->state = MLS_LIVE_TRAINING;
            report_estimate(live, MLS_WATCH_PROGRESS, run, of);
        }
    }
}

static int compare_events(const void *left, const void *right)
{
    const mls_queued_event *a = left;
    const mls_queued_event *b = right;
    int order = (a->order_ms > b->order_ms) - (a->order_ms < b->order_ms);
    if (order == 0) {
        order = mls_str_compare_natural(mls_str_from(a->run != NULL ? a->run->file : a->file),
                                        mls_str_from(b->run != NULL ? b->run->file : b->file));
    }
    order = order != 0 ? order : (a->line > b->line) - (a->line < b->line);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

void mls_live_apply(mls_live *live)
{
    if (live->queue.count > 1)
        qsort(live->queue.items, live->queue.count, sizeof *live->queue.items, compare_events);
    for (size_t i = 0; i < live->queue.count; i++)
        apply_one(live, &live->queue.items[i]);
    live->queue.count = 0;
    mls_arena_reset(&live->queued);
    live->round++;
}

/* ------------------------------------------------------------------------ silence */

mls_live_run *mls_live_last_run(const mls_followed *file)
{
    return file->reader->run;
}

void mls_live_grown(mls_live_run *last, double silence_ms)
{
    for (mls_live_run *run = last; run != NULL; run = run->above) {
        if (!mls_live_run_ended(run)) {
            double *longest = &original_of(run)->longest_silence_ms[original_of(run)->state];
            *longest = fmax(*longest, silence_ms);
            return;
        }
    }
}

void mls_live_check_silence(mls_live *live, bool job_ended)
{
    mls_live_group all = {0};
    mls_arena arena = {0};
    mls_map latest = {.arena = &arena}; /* latest start of a run by folder */
    for (size_t i = 0; i < live->groups.count; i++) {
        const mls_live_group *group = live->groups.items[i];
        all.finished_well |= group->finished_well;
        for (size_t k = 0; k <= MLS_LIVE_DIED && group->finished_well; k++)
            all.longest_silence_ms[k] = fmax(all.longest_silence_ms[k], group->longest_silence_ms[k]);
    }
    for (size_t i = 0; i < live->runs.count; i++) {
        const mls_live_run *run = live->runs.items[i];
        if (run->same == NULL && !isnan(run->init_start.time_ms)) {
            mls_map_entry *entry = mls_map_put(&latest, mls_path_folder(mls_str_from(run->file)), NULL);
            const mls_live_run *before = entry->value.pointer;
            if (before == NULL || run->init_start.time_ms > before->init_start.time_ms)
                entry->value.pointer = live->runs.items[i];
        }
    }
    for (size_t i = 0; i < live->runs.count; i++) {
        mls_live_run *run = live->runs.items[i];
        if (run->same != NULL || mls_live_run_ended(run) || run->state == MLS_LIVE_WAITING)
            continue;
        /* Measure the silence of both files if the run has a duplicate. */
        const double own = run->followed->written_ms;
        const double silence =
            live->now_ms - (run->repeat != NULL ? fmax(own, run->repeat->followed->written_ms) : own);
        /* The tolerated silence follows from the run's group or, before it joins a group, from all groups. */
        const mls_live_group *group = run->group != NULL ? run->group : &all;
        const bool unknown = run->state == MLS_LIVE_INIT && !group->finished_well;
        double patience_ms = fmax(unknown ? PATIENCE_INIT_MS : PATIENCE_MS,
                                  group->finished_well ? 2 * group->longest_silence_ms[run->state] : 0);
        for (size_t k = 0; k <= MLS_LIVE_DIED; k++)
            patience_ms = fmax(patience_ms, 4 * run->longest_silence_ms[k]);
        const bool stalled = silence > patience_ms;
        /* In a folder of sequential trials, a run that was silent when the next one began has died.  Parallel trials
         * are not silent. */
        const mls_map_entry *entry = mls_map_find(&latest, mls_path_folder(mls_str_from(run->file)));
        const mls_live_run *newest = entry != NULL ? entry->value.pointer : NULL;
        const bool outlived = newest != NULL && newest->init_start.time_ms > run->newest_ms;
        if (job_ended || (stalled && outlived)) {
            apply_death(live, run, NULL, job_ended ? "the job has ended" : "a newer trial began");
        } else if (!stalled) {
            end_stall(live, run);
        } else if (!run->stalled) {
            char age[64];
            (void)mls_text_printf(age, sizeof age, "nothing written for %s",
                                  mls_words_seconds(floor(silence / 1000)).text);
            run->stalled = true;
            report_run(live, MLS_WATCH_STALLED, run, NULL, age);
        }
    }
    mls_arena_release(&arena);
}
