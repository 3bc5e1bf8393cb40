/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - records, markers and lines of failure, as they are read. */
#include "explain/watch/records.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "log/marked.h"
#include "log/prefix.h"
#include "run/file.h"
#include "json/value.h"

/* Where something stands that was queued, and its order. */
typedef struct queued_line {
    size_t line;
    double order_ms;
} queued_line;

/* A file that is read. */
typedef struct file_records {
    mls_live *live;
    const mls_followed *file;
    mls_file cutter;
    mls_live_run *run;               /* the last one; NULL: there is none yet */
    size_t begun;                    /* the line that it begins in, as the cutter has it */
    bool ended;                      /* it has a run_stop, or died */
    double order_ms;                 /* see mls_happening */
    double applied_ms;               /* the same when the queue was applied last */
    size_t round;                    /* in which something was queued last */
    size_t failures;                 /* before the first run */
    MLS_LIST_OF(queued_line) queued; /* in that round, by their lines */
    mls_marked_lines marked;
} file_records;

/* A happening of a record (NULL: of a line) of the run that is read. */
static mls_happening happening_of(file_records *self, mls_watch_kind kind, const mls_record *record, size_t line)
{
    const double nan = (double)NAN;
    if (self->round != self->live->round) {
        self->round = self->live->round;
        self->applied_ms = self->order_ms;
        self->queued.count = 0;
    }
    if (record != NULL && record->time_ms > self->order_ms) {
        self->order_ms = record->time_ms;
    }
    return (mls_happening){.kind = kind,
                           .run = self->run,
                           .order_ms = self->order_ms,
                           .time_ms = record != NULL ? record->time_ms : nan,
                           .line = line,
                           .first_ms = self->cutter.current.first_ms,
                           .at = {nan, nan, nan},
                           .value = nan,
                           .throughput = nan,
                           .needed = nan};
}

static mls_status queue(file_records *self, mls_happening happening)
{
    if (!MLS_GROW(&self->queued, items)) {
        return MLS_ERROR_MEMORY;
    }
    size_t at = self->queued.count++;
    for (; at > 0 && self->queued.items[at - 1].line > happening.line; at--) {
        self->queued.items[at] = self->queued.items[at - 1];
    }
    self->queued.items[at] = (queued_line){happening.line, happening.order_ms};
    return mls_live_queue(self->live, happening) ? MLS_OK : MLS_ERROR_MEMORY;
}

static mls_status queue_death(file_records *self, const mls_record *record, size_t line, const char *why)
{
    if (self->run == NULL || self->ended) {
        return MLS_OK;
    }
    mls_happening died = happening_of(self, MLS_WATCH_DIED, record, line);
    self->ended = true;
    died.message = mls_strdup(why);
    return died.message != NULL ? queue(self, died) : MLS_ERROR_MEMORY;
}

/* A copy of a text, which may be NULL.  False: no memory. */
static bool copy_fact(char **fact, const char *text)
{
    *fact = text != NULL ? mls_strdup(text) : NULL;
    return *fact != NULL || text == NULL;
}

static double number_fact(const mls_run *run, mls_str name)
{
    const char *text = mls_run_hyperparameter(run, name);
    double number;
    return text != NULL && mls_json_number(mls_str_from(text), &number) ? number : (double)NAN;
}

/* The beginning of a run's initialization or training, with what it has said of itself so far. */
static mls_status queue_begun(file_records *self, const mls_record *record, mls_watch_kind kind)
{
    const mls_run *read = &self->cutter.current;
    const char *config = mls_run_config(read);
    mls_happening begun = happening_of(self, kind, record, record->line);
    mls_live_facts *facts = mls_calloc(1, sizeof *facts);
    if (facts == NULL) {
        return MLS_ERROR_MEMORY;
    }
    facts->date_ms = read->date_ms;
    facts->batch_size = read->global_batch_size;
    facts->target = number_fact(read, MLS_S("target_accuracy"));
    facts->max_steps = number_fact(read, MLS_S("max_steps"));
    begun.facts = facts;
    if (!copy_fact(&facts->benchmark, read->benchmark) || !copy_fact(&facts->division, read->division) ||
        !copy_fact(&facts->config, config != NULL ? config : self->cutter.job.config) ||
        !copy_fact(&facts->job, mls_records_job(self->file))) {
        mls_live_facts_free(facts);
        return MLS_ERROR_MEMORY;
    }
    return queue(self, begun);
}

/* A number of a record's metadata; NAN: there is none. */
static double counted(const mls_record *record, mls_str name)
{
    mls_str span;
    double number;
    return mls_record_metadata_member(record, name, &span) && mls_json_number(span, &number) ? number : (double)NAN;
}

static double throughput_of(const mls_record *record)
{
    const bool tracked = record->key_id == MLS_KEY_TRACKED_STATS || record->key_id == MLS_KEY_THROUGHPUT;
    return tracked ? mls_record_throughput(record) : (double)NAN;
}

/* How far the run is, where a record says so; not more often than it is wanted. */
static mls_status queue_progress(file_records *self, const mls_record *record, mls_watch_kind kind)
{
    mls_live_run *run = self->run;
    mls_happening happening = happening_of(self, kind, record, record->line);
    const double step = counted(record, MLS_S("step_num"));
    /* The samples_count of a block is its length. */
    const bool block = record->key_id == MLS_KEY_BLOCK_START || record->key_id == MLS_KEY_BLOCK_STOP;
    happening.any_step = isnan(step);
    happening.at = (mls_training_progress){block ? (double)NAN : counted(record, MLS_S("samples_count")),
                                           counted(record, MLS_S("epoch_num")),
                                           isnan(step) ? counted(record, MLS_S("step")) : step};
    happening.throughput = throughput_of(record);
    const bool says = isfinite(happening.at.samples_count) || isfinite(happening.at.epoch_num) ||
                      isfinite(happening.at.step_num) || isfinite(happening.throughput);
    const bool early = record->time_ms < run->progress_ms + self->live->interval_ms;
    if (kind == MLS_WATCH_PROGRESS && (!says || early)) {
        return MLS_OK;
    }
    run->progress_ms = record->time_ms;
    return queue(self, happening);
}

static mls_status queue_evaluation(file_records *self, const mls_record *record)
{
    const mls_evaluation *evaluation = &self->cutter.current.last_evaluation;
    if (evaluation->line != record->line || self->cutter.current.run_start.line == 0) {
        return MLS_OK;
    }
    mls_happening happening = happening_of(self, MLS_WATCH_EVALUATION, record, record->line);
    happening.at = evaluation->at;
    happening.value = evaluation->value;
    return queue(self, happening);
}

static mls_status queue_stop(file_records *self, const mls_record *record)
{
    const mls_run *read = &self->cutter.current;
    const mls_edition *edition;
    const mls_benchmark *rules = mls_live_rules(self->live, read->benchmark, read->date_ms, &edition);
    mls_happening happening = happening_of(self, MLS_WATCH_STOP, record, record->line);
    if (read->run_stop.line != record->line) {
        return MLS_OK;
    }
    self->ended = true;
    happening.status = read->status;
    const mls_status status = mls_run_converge_number(read, rules, edition, false, &happening.needed);
    return status == MLS_OK ? queue(self, happening) : status;
}

/* The run that a record is of, which may begin with it. */
static mls_status find_run(file_records *self, const mls_record *record)
{
    const mls_run *read = &self->cutter.current;
    if (self->run != NULL && self->begun == read->line) {
        return MLS_OK;
    }
    const mls_status status = queue_death(self, record, record->line, "the next trial began");
    self->run = mls_live_run_add(self->live, self->file, self->run);
    self->begun = read->line;
    self->ended = false;
    if (self->run != NULL) {
        self->run->line = record->line;
    }
    return self->run == NULL ? MLS_ERROR_MEMORY : status;
}

static bool is_of_other_job(const file_records *self)
{
    const char *job = self->live->job != NULL ? mls_records_job(self->file) : NULL;
    return job != NULL && strcmp(job, self->live->job) != 0;
}

static mls_status records_record(void *state, const mls_record *record)
{
    file_records *self = state;
    const mls_run *read = &self->cutter.current;
    if (is_of_other_job(self)) {
        return MLS_OK;
    }
    mls_status status = find_run(self, record);
    if (status != MLS_OK) {
        return status;
    }
    switch (record->key_id) {
    case MLS_KEY_INIT_START:
    case MLS_KEY_RUN_START: {
        const bool start = record->key_id == MLS_KEY_RUN_START;
        return record->line == (start ? read->run_start.line : read->init_start.line)
                   ? queue_begun(self, record, start ? MLS_WATCH_START : MLS_WATCH_INIT)
                   : MLS_OK;
    }
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_EVAL_ERROR:
        return queue_evaluation(self, record);
    case MLS_KEY_RUN_STOP:
        return queue_stop(self, record);
    case MLS_KEY_EVAL_START:
        return queue_progress(self, record, MLS_WATCH_EVAL_START);
    case MLS_KEY_BLOCK_START:
    case MLS_KEY_BLOCK_STOP:
    case MLS_KEY_EPOCH_START:
    case MLS_KEY_EPOCH_STOP:
    case MLS_KEY_TRACKED_STATS:
    case MLS_KEY_THROUGHPUT:
    case MLS_KEY_TRAIN_LOSS:
        return read->run_start.line > 0 ? queue_progress(self, record, MLS_WATCH_PROGRESS) : MLS_OK;
    default:
        return MLS_OK;
    }
}

/* A line that ends a job, or begins the next trial of it, ends a run that has not stopped. */
static mls_status records_marker(void *state, const mls_marker *marker)
{
    file_records *self = state;
    static const char *const why[] = {[MLS_MARKER_TRIAL_BEGIN] = "the next trial began",
                                      [MLS_MARKER_EXPERIMENT_START] = "the next trial began",
                                      [MLS_MARKER_EXPERIMENT_STOP] = "the experiment ended",
                                      [MLS_MARKER_RUNANDTIME_STOP] = "the trial ended",
                                      [MLS_MARKER_STEP] = "the step was cancelled"};
    const bool ends = marker->kind < sizeof why / sizeof *why && why[marker->kind] != NULL &&
                      (marker->kind != MLS_MARKER_STEP || mls_str_contains(marker->text, MLS_S(" CANCELLED AT ")));
    return ends ? queue_death(self, NULL, marker->line, why[marker->kind]) : MLS_OK;
}

/* The run that a line is of, of a file that may have been read further already; NULL: of none. */
static mls_live_run *run_at(const file_records *self, size_t line)
{
    mls_live_run *run = self->run;
    while (run != NULL && run->line > line) {
        run = run->above;
    }
    return run;
}

/* What stands before such a line: the last that happened above it in the file, of what was queued in another order;
 * that may be of the run before the line's own. */
static double order_before(const file_records *self, size_t line)
{
    size_t at = self->queued.count;
    while (at > 0 && self->queued.items[at - 1].line >= line) {
        at--;
    }
    return at > 0 ? self->queued.items[at - 1].order_ms : self->applied_ms;
}

static mls_status queue_failure(file_records *self, size_t line, mls_str text)
{
    mls_live_run *run = run_at(self, line);
    size_t *failures = run != NULL ? &run->failures : &self->failures;
    if (++*failures > MLS_FAILURES_SHOWN) {
        return MLS_OK;
    }
    mls_happening failure = happening_of(self, MLS_WATCH_FAILURE, NULL, line);
    failure.run = run;
    failure.order_ms = order_before(self, line);
    failure.message = mls_strndup(text.ptr, text.len);
    failure.file = run == NULL ? mls_strdup(self->file->path) : NULL;
    if (failure.message == NULL || (run == NULL && failure.file == NULL)) {
        free(failure.message);
        free(failure.file);
        return MLS_ERROR_MEMORY;
    }
    return queue(self, failure);
}

/* Lines with the message of a failure. */
static mls_status records_lines(void *state, const mls_lines *lines)
{
    file_records *self = state;
    mls_signatures *signatures = self->live->signatures;
    char scratch[MLS_LINE_EXAMINED];
    mls_status status = MLS_OK;
    if (is_of_other_job(self)) {
        return MLS_OK;
    }
    if (!mls_marked_block(&self->marked, signatures, lines, scratch)) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = mls_marked_next(&self->marked, 0, lines->count); i < lines->count && status == MLS_OK;
         i = mls_marked_next(&self->marked, i + 1, lines->count)) {
        const mls_log_line line = mls_log_line_of(lines, i, scratch);
        ptrdiff_t found = -1;
        mls_str payload;
        if (!mls_record_find(line.text, &payload) && mls_signatures_search(signatures, line.text) != 0) {
            status = mls_signatures_find(signatures, line.message, false, &found);
        }
        if (found >= 0 && mls_signatures_get(signatures, (size_t)found)->role < MLS_ROLE_CONTEXT && status == MLS_OK) {
            status = queue_failure(self, lines->line + i, line.message);
        }
    }
    return status;
}

static mls_status drop_run(void *state, mls_run *run, bool part)
{
    (void)state;
    (void)run;
    (void)part;
    return MLS_OK;
}

mls_status mls_records_begin(void *state, mls_followed *file)
{
    mls_live *live = state;
    file_records *self = mls_calloc(1, sizeof *self);
    if (self == NULL) {
        return MLS_ERROR_MEMORY;
    }
    self->live = live;
    self->file = file;
    self->order_ms = self->applied_ms = -(double)INFINITY;
    self->cutter = (mls_file){.reading = &live->reading, .whole = file->result, .run = drop_run, .state = self};
    file->reader = self;
    file->sinks[0] = mls_file_begin(&self->cutter);
    file->sinks[1] =
        (mls_sink){.state = self, .record = records_record, .marker = records_marker, .lines = records_lines};
    file->sink_count = 2;
    return MLS_OK;
}

void mls_records_forget_file(mls_followed *file)
{
    file_records *self = file->reader;
    if (self != NULL) {
        mls_file_release(&self->cutter);
        free(self->marked.bits);
        free(self->queued.items);
        free(self);
        file->reader = NULL;
    }
}

mls_live_run *mls_records_last_run(const mls_followed *file)
{
    const file_records *self = file->reader;
    return self != NULL ? self->run : NULL;
}

const char *mls_records_job(const mls_followed *file)
{
    const file_records *self = file->reader;
    return self == NULL                           ? NULL
           : self->cutter.current.job.job != NULL ? self->cutter.current.job.job
                                                  : self->cutter.job.job;
}

static bool rename_run(mls_live_run *run, const char *path)
{
    char *copy = mls_strdup(path);
    if (copy != NULL) {
        free(run->file);
        run->file = copy;
    }
    return copy != NULL;
}

mls_status mls_records_changed(void *state, mls_followed *file, mls_file_change change, const char *what)
{
    mls_live *live = state;
    const double nan = (double)NAN;
    static const char *const words[] = {[MLS_FILE_FOUND] = "found",
                                        [MLS_FILE_RENAMED] = "was ",
                                        [MLS_FILE_RESTARTED] = "cut short: read from its beginning",
                                        [MLS_FILE_GONE] = "gone",
                                        [MLS_FILE_FAILED] = ""};
    mls_buffer message = {0};
    mls_happening happening = {
        .kind = MLS_WATCH_FILE, .order_ms = -(double)INFINITY, .time_ms = nan, .file = mls_strdup(file->path)};
    bool ok = happening.file != NULL;
    mls_buffer_append_text(&message, words[change]);
    mls_buffer_append_text(&message, what != NULL ? what : "");
    happening.message = mls_buffer_detach(&message);
    for (size_t i = 0; i < live->runs.count && change == MLS_FILE_RENAMED && ok; i++) {
        mls_live_run *run = live->runs.items[i];
        ok = run->followed != file || rename_run(run, file->path);
    }
    if (!ok || happening.message == NULL) {
        free(happening.file);
        free(happening.message);
        return MLS_ERROR_MEMORY;
    }
    return mls_live_queue(live, happening) ? MLS_OK : MLS_ERROR_MEMORY;
}
