/* SPDX-License-Identifier: Apache-2.0 */
/* reading.c - sources in, runs out, in order, on all threads.
 *
 * Small files are read side by side, and what is in them is kept until its turn comes; a large one is read alone, and
 * its runs are handed over as they end.  So memory grows neither with the number of files nor with their size. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "run/file.h"
#include "run/settings.h"

enum {
    LARGE_FILE = 32 * 1024 * 1024, /* from this size on one file is scanned by all threads together */
    FILES_AHEAD = 64,              /* small ones that may be read before their turn has come */
    WAITING_MAX = 64,              /* runs of a small file; one with more is read once again when its turn has come */
};

/* Tools for reading a file, which the next one uses again. */
typedef struct reading_tools {
    mls_checker *checker; /* NULL: no rules */
    mls_scan_room *room;
} reading_tools;

typedef struct reading_work {
    const mls_reading *reading;
    const mls_source *sources;
    size_t next, end;         /* of the sources: those that are still to be read side by side, or one alone */
    struct ahead_file *ahead; /* FILES_AHEAD of them */
    mls_error *error;
    mls_known_settings known; /* loaded when something was printed */
    unsigned threads;
    pthread_mutex_t lock;                 /* over what follows */
    reading_tools tools[FILES_AHEAD + 1]; /* those that are idle */
    size_t idle;
    size_t files_done, files;
    uint64_t bytes_done;
} reading_work;

/* A run that waits for its turn, with its notes. */
typedef struct waiting_run {
    mls_run run;
    void *notes;
} waiting_run;

/* A file that is being read. */
typedef struct ahead_file {
    reading_work *work;
    mls_read read;
    mls_status status; /* what ends everything; MLS_OK: nothing */
    MLS_LIST_OF(waiting_run) waiting;
    mls_printed_reader *printed; /* where that is asked for: its runs wait for the end of the file */
    bool direct;                 /* its turn has come: runs are handed over as they end */
    bool again;                  /* there were too many to be kept */
    bool asked;                  /* other editions, for one of its runs */
} ahead_file;

/* Idle tools when there are some; its checker is ready for the log of the source. */
static mls_status take_tools(reading_work *work, const mls_source *source, reading_tools *tools)
{
    const mls_checker_options *rules = work->reading->run != NULL ? work->reading->rules : NULL;
    mls_status status = MLS_OK;
    *tools = (reading_tools){NULL, NULL};
    (void)pthread_mutex_lock(&work->lock);
    if (work->idle > 0) {
        *tools = work->tools[--work->idle];
    }
    (void)pthread_mutex_unlock(&work->lock);
    if (rules != NULL) {
        const mls_ruleset *ruleset = rules->ruleset;
        status = source->edition != NULL ? mls_rulesets_get(rules->rulesets, source->edition, &ruleset, NULL) : MLS_OK;
        status = status == MLS_OK && tools->checker == NULL ? mls_checker_new(rules, &tools->checker) : status;
        if (status == MLS_OK) {
            mls_checker_turn(tools->checker, ruleset);
        }
    }
    return status;
}

/* By other rules a run is as valid as the one that begins in the same place. */
static mls_status look_again(void *state, size_t index, mls_run *run, void **notes)
{
    mls_run *look = state;
    (void)index;
    (void)notes;
    if (run->line != look->line) {
        return MLS_OK;
    }
    look->valid = run->valid;
    return MLS_STOPPED;
}

/* A run that ended well may get the other verdict by the next edition than the one that was guessed, or by the one
 * before: the file is read once more, when it can be, for the first such run in it. */
static mls_status ask_neighbours(ahead_file *file, mls_run *run)
{
    const mls_reading *reading = file->work->reading;
    mls_checker_options rules = *reading->rules;
    const mls_editions *editions = mls_rulesets_editions(rules.rulesets);
    const mls_edition *own;
    mls_run look = {.line = run->line, .valid = run->valid};
    const mls_reading again = {.rules = &rules,
                               .brief = true,
                               .steps = reading->steps,
                               .cutting = reading->cutting,
                               .work.threads = 1,
                               .state = &look,
                               .run = look_again};
    mls_status status = mls_editions_find(editions, run->usage, mls_str_from(run->edition), &own, NULL);
    file->asked = true;
    for (int step = 1; step >= -1 && status == MLS_OK && look.valid == run->valid; step -= 2) {
        const mls_edition *other = mls_editions_neighbour(editions, own, mls_str_from(run->benchmark), step);
        if (other != NULL) {
            status = mls_rulesets_get(rules.rulesets, other, &rules.ruleset, NULL);
            status = status == MLS_OK ? mls_read_sources(&again, file->read.source, 1, NULL) : status;
            status = status == MLS_STOPPED ? MLS_OK : status;
        }
        if (look.valid != run->valid) {
            mls_findings_add(&run->findings, MLS_FINDING_OTHER_EDITION,
                             (mls_finding_place){.line = run->benchmark_line, .key = MLS_S("submission_benchmark")},
                             "by the rules of %s this log is %svalid: if they are meant, say --edition %s", other->name,
                             look.valid ? "" : "not ", other->name);
            mls_findings_sort(&run->findings);
        }
    }
    return status;
}

/* Whether another edition is worth the asking.  What is no regular file can be read only once. */
static bool is_doubtful(const ahead_file *file, const mls_run *run)
{
    const mls_source *source = file->read.source;
    return run->edition_guessed && (!run->valid || file->work->reading->doubting) && run->malformed == 0 &&
           run->status == MLS_RUN_SUCCESS && run->benchmark != NULL && !file->asked &&
           file->work->reading->open == NULL && source->size > 0 && source->size < LARGE_FILE;
}

static mls_status pass_run(void *state, mls_run *run, void **notes)
{
    ahead_file *file = state;
    const mls_reading *reading = file->work->reading;
    const mls_status status = is_doubtful(file, run) ? ask_neighbours(file, run) : MLS_OK;
    run->file = mls_strdup(file->read.source->path);
    run->result = file->read.source->result;
    run->root = file->read.source->root;
    if (status != MLS_OK) {
        return status;
    }
    file->read.runs++;
    if (file->direct && file->printed == NULL) {
        return reading->run(reading->state, file->read.index, run, notes);
    }
    /* Who listens would get everything twice. */
    if (file->waiting.count == WAITING_MAX && reading->listen == NULL && file->printed == NULL) {
        file->again = true;
        return MLS_STOPPED;
    }
    MLS_GROW(&file->waiting, items);
    file->waiting.items[file->waiting.count++] = (waiting_run){*run, *notes};
    *notes = NULL;
    mls_run_init(run);
    return MLS_OK;
}

/* Read a source: feed it to the runs in it and to the sink of whoever listens. */
static mls_status read_source(reading_work *work, ahead_file *file)
{
    const mls_reading *reading = work->reading;
    mls_read *read = &file->read;
    const mls_source *source = read->source;
    const bool never = reading->cutting == MLS_CUT_NEVER;
    const bool is_run = source->result || never;
    const bool may_be_json =
        source->named && !source->result; /* what the user named may have been mistaken for a log */
    const double deadline_ms = reading->work.deadline_ms;
    const bool late = deadline_ms > 0 && mls_clock_ms() >= deadline_ms;
    const int fd = late                    ? -1
                   : reading->open != NULL ? reading->open(reading->state, read->index)
                                           : mls_source_open(source, deadline_ms <= 0);
    reading_tools tools;
    if (late) {
        read->status = mls_error_set(&read->error, MLS_ERROR_READ, 0, 0, "not read in the time given");
    } else if (fd < 0) {
        read->status = mls_error_set_errno(&read->error, MLS_ERROR_READ, errno, "");
    }
    if (fd < 0 && !(reading->unread_runs && is_run)) {
        return MLS_OK;
    }
    mls_status status = take_tools(work, source, &tools);
    mls_file cutter = {.reading = reading,
                       .whole = never || (reading->cutting == MLS_CUT_RUNS && source->result),
                       .asked_for = source->named || is_run,
                       .not_json = may_be_json,
                       .checker = tools.checker,
                       .run = pass_run,
                       .state = file};
    mls_sink sinks[3] = {mls_file_begin(&cutter)};
    size_t count = reading->run != NULL;
    if (status == MLS_OK && reading->listen != NULL) {
        read->heard = reading->heard_size > 0 ? mls_calloc(1, reading->heard_size) : NULL;
        sinks[count] = (mls_sink){.state = read->heard};
        status = reading->listen(reading->state, read->index, &sinks[count++]);
    }
    const bool pipe = source->named && source->size == 0;
    if (reading->printed == MLS_PRINTED_OF_ALL || (reading->printed == MLS_PRINTED_OF_PIPES && pipe)) {
        file->printed = mls_printed_reader_new();
        sinks[count++] = mls_printed_reader_sink(file->printed);
    }
    if (status == MLS_OK && fd >= 0) {
        const mls_scan_options options = {.room = &tools.room,
                                          .size = source->size,
                                          .threads = file->direct ? work->threads : 1,
                                          .plain = reading->plain,
                                          .foreign = reading->foreign,
                                          .deadline_ms = deadline_ms};
        status = mls_log_scan_fd(fd, &options, sinks, count, &read->totals, &read->error);
    }
    /* A file that is a run in any case is then one without a line, if whoever asks wants it. */
    const char *unread = read->totals.unread;
    const bool wanted = mls_foreign_reason(unread) == MLS_FOREIGN_REASONS || never;
    if (status == MLS_OK && (fd < 0 || (unread != NULL && wanted && reading->unread_runs && is_run))) {
        status = mls_log_scan_bytes((mls_str){NULL, 0}, sinks, count, NULL, &read->error);
    }
    mls_file_release(&cutter);
    const char *foreign = read->totals.old_format ? mls_reason_old_format : unread;
    if (status == MLS_OK && mls_foreign_reason(foreign) < MLS_FOREIGN_REASONS) {
        status = mls_error_set(&read->error, MLS_ERROR_READ, 0, 0, "%s", foreign);
    }
    if (read->totals.json && read->runs == 0 && may_be_json && reading->run != NULL) {
        read->totals.unread = "JSON, not a log";
    }
    (void)pthread_mutex_lock(&work->lock);
    work->tools[work->idle++] = tools;
    (void)pthread_mutex_unlock(&work->lock);
    if (fd >= 0 && fd != STDIN_FILENO) {
        (void)close(fd);
    }
    if (status == MLS_ERROR_READ) {
        read->status = status;
        status = MLS_OK;
    }
    return status;
}

/* Whether a source has all threads to itself.  What a pipe holds can be read only once. */
static bool is_alone(const reading_work *work, const mls_source *source)
{
    const bool large = source->size >= LARGE_FILE || (source->named && source->size == 0);
    const bool in_order = work->reading->run == NULL && !work->reading->apart;
    return source->skip == NULL && (large || work->files == 1 || in_order);
}

/* The next source that is not skipped takes the place of one that has been delivered. */
static bool next_source(void *state, size_t item)
{
    reading_work *work = state;
    while (work->next < work->end && work->sources[work->next].skip != NULL) {
        work->next++;
    }
    if (work->next == work->end) {
        return false;
    }
    const mls_source *source = &work->sources[work->next];
    work->ahead[item % FILES_AHEAD] =
        (ahead_file){.work = work, .read = {.index = work->next, .source = source}, .direct = is_alone(work, source)};
    work->next++;
    return true;
}

static void read_item(void *state, size_t item)
{
    reading_work *work = state;
    ahead_file *file = &work->ahead[item % FILES_AHEAD];
    const mls_reading *reading = work->reading;
    file->status = read_source(work, file);
    (void)pthread_mutex_lock(&work->lock);
    work->files_done++;
    work->bytes_done += file->read.totals.bytes;
    if (reading->work.progress != NULL) {
        reading->work.progress(reading->work.progress_state, work->files_done, work->files, work->bytes_done);
    }
    (void)pthread_mutex_unlock(&work->lock);
}

static void forget_runs(ahead_file *file)
{
    for (size_t i = 0; i < file->waiting.count; i++) {
        mls_run_release(&file->waiting.items[i].run);
        mls_notes_release(file->work->reading->observer, &file->waiting.items[i].notes);
    }
    free(file->waiting.items);
    free(file->read.heard);
    mls_printed_reader_free(file->printed);
    *file = (ahead_file){.work = file->work, .read = {.index = file->read.index, .source = file->read.source}};
}

/* Hands over what has been read of a file, and forgets it. */
static mls_status deliver(void *state, size_t item)
{
    reading_work *work = state;
    ahead_file *file = &work->ahead[item % FILES_AHEAD];
    const mls_reading *reading = work->reading;
    if (file->again) {
        forget_runs(file);
        file->direct = true;
        file->status = read_source(work, file);
    }
    mls_status status = file->status;
    if (status != MLS_OK) {
        *work->error = file->read.error;
    }
    for (size_t i = 0; i < file->waiting.count && status == MLS_OK; i++) {
        waiting_run *each = &file->waiting.items[i];
        mls_printed *printed =
            file->printed != NULL ? mls_printed_of_run(file->printed, each->run.run_start.line) : NULL;
        each->run.part = file->waiting.count > 1;
        if (printed != NULL) {
            each->run.printed = mls_printed_share(printed);
            status = work->known.items == NULL ? mls_known_settings_load(&work->known, work->error) : MLS_OK;
        }
        if (status == MLS_OK && printed != NULL) {
            each->run.facts = mls_known_facts(&work->known, printed);
        }
        status = status == MLS_OK ? reading->run(reading->state, file->read.index, &each->run, &each->notes) : status;
    }
    if (status == MLS_OK && reading->done != NULL) {
        status = reading->done(reading->state, &file->read);
    }
    forget_runs(file);
    return status;
}

mls_status mls_read_sources(const mls_reading *reading, const mls_source *sources, size_t count, mls_error *error)
{
    mls_error ignored = {0};
    reading_work work = {.reading = reading,
                         .sources = sources,
                         .ahead = mls_calloc(FILES_AHEAD, sizeof *work.ahead),
                         .error = error != NULL ? error : &ignored,
                         .threads = reading->work.threads != 0 ? reading->work.threads : mls_processor_count()};
    mls_relay relay = {.slots = FILES_AHEAD,
                       .count = count,
                       .state = &work,
                       .take = next_source,
                       .work = read_item,
                       .deliver = deliver};
    mls_status status = MLS_OK;
    *work.error = (mls_error){0};
    (void)pthread_mutex_init(&work.lock, NULL);
    for (size_t i = 0; i < count; i++) {
        work.files += sources[i].skip == NULL;
    }
    while (work.next < count && status == MLS_OK) {
        const bool alone = is_alone(&work, &sources[work.end++]);
        while (!alone && work.end < count && !is_alone(&work, &sources[work.end])) {
            work.end++;
        }
        relay.threads = alone ? 1 : work.threads;
        status = mls_relay_run(&relay);
    }
    for (size_t i = 0; i < FILES_AHEAD; i++) {
        work.ahead[i].work = &work;
        forget_runs(&work.ahead[i]);
    }
    mls_known_settings_release(&work.known);
    for (size_t i = 0; i < work.idle; i++) {
        mls_checker_free(work.tools[i].checker);
        mls_scan_room_free(work.tools[i].room);
    }
    free(work.ahead);
    (void)pthread_mutex_destroy(&work.lock);
    return status;
}
