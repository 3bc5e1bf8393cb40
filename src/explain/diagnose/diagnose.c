/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.c - read the files of a job in sequence and diagnose it; and diagnose runs that did not end. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "explain/diagnose/flight.h"
#include "explain/diagnose/job.h"
#include "explain/diagnose/pickle.h"
#include "run/reading.h"
#include "run/run.h"

typedef struct diagnose_state {
    const mls_diagnose_options *options;
    mls_job_log *job;
    const mls_sources *sources;
} diagnose_state;

/* Return a file's path relative to the job, or its name if the job is a file. */
static const char *short_name(const diagnose_state *state, const char *path)
{
    const mls_str job = mls_str_from(state->job->to->path);
    const mls_str text = mls_str_from(path);
    size_t skip = 0;
    if (text.len > job.len && mls_str_starts(text, job)) {
        skip = job.len;
        while (path[skip] == '/')
            skip++;
    }
    return skip > 0 ? path + skip : mls_path_name(path);
}

static void skip_log(const diagnose_state *state, const char *path, const char *reason, bool failed, bool malformed)
{
    mls_job_log *job = state->job;
    mls_diagnosis *to = job->to;
    mls_arena_grow(to->arena, (void **)&to->skipped, to->skipped_count, &job->skipped_capacity, sizeof *to->skipped);
    to->skipped[to->skipped_count++] = (mls_skipped_file){.path = mls_job_copy(job, path),
                                                          .file = mls_job_copy(job, short_name(state, path)),
                                                          .reason = mls_job_copy(job, reason),
                                                          .failed = failed,
                                                          .malformed = malformed};
}

static int open_source(void *opaque, size_t index)
{
    const diagnose_state *state = opaque;
    const mls_source *source = &state->sources->items[index];
    return state->options->open != NULL ? state->options->open(state->options->open_state, source->path)
                                        : mls_source_open(source, true);
}

static mls_status listen(void *opaque, size_t index, mls_sink *sink)
{
    const diagnose_state *state = opaque;
    const char *name = short_name(state, state->sources->items[index].path);
    *sink = mls_job_begin_file(state->job, mls_job_copy(state->job, name));
    return MLS_OK;
}

static mls_status file_done(void *opaque, const mls_read *read)
{
    const diagnose_state *state = opaque;
    const mls_log_totals *totals = &read->totals;
    const char *path = read->source->path;
    const char *reason = read->status != MLS_OK ? read->error.message : totals->unread;
    char words[MLS_NONE_READ_LENGTH];
    state->job->to->files += totals->unread == NULL && totals->bytes > 0;
    if (reason != NULL)
        skip_log(state, path, reason, read->status != MLS_OK || read->source->named, false);
    else if (totals->suite != NULL)
        skip_log(state, path, totals->suite, true, false);
    else if (mls_log_none_read(totals->records, totals->malformed - totals->quoted, totals->reason, words))
        skip_log(state, path, words, true, true);
    return MLS_OK;
}

/* Return the index of the signature with an id; SIZE_MAX: the id is unknown. */
static size_t find_signature(const mls_signatures *signatures, const char *id)
{
    const size_t count = mls_signatures_count(signatures);
    size_t i = 0;
    while (i < count && strcmp(mls_signatures_get(signatures, i)->id, id) != 0)
        i++;
    return i < count ? i : SIZE_MAX;
}

/* Return the indexes of the signatures in a list of ids, followed by SIZE_MAX; NULL if the list is NULL. */
static const size_t *find_signatures(const mls_signatures *signatures, const char *ids, mls_arena *arena)
{
    mls_str id;
    size_t count = 0;
    if (ids == NULL)
        return NULL;
    size_t *found = mls_arena_array(arena, strlen(ids) + 1, sizeof *found);
    while (mls_list_next(&ids, ' ', &id)) {
        const size_t index = find_signature(signatures, mls_arena_copy(arena, id).ptr);
        found[count] = index;
        count += index != SIZE_MAX;
    }
    found[count] = SIZE_MAX;
    return found;
}

/* Read a source that has the name of a flight recorder dump.  Set its `skip` if it is a pickle or a dump, which is not
 * read as a log.  Return whether it was added to the dumps. */
static bool read_dump(const diagnose_state *state, mls_source *source, mls_flight_dumps *dumps)
{
    enum { STEP = 1 << 16 };
    const int32_t rank = source->size <= MLS_PICKLE_BYTES_MAX ? mls_flight_rank(mls_path_name(source->path)) : -1;
    const int fd = rank >= 0 ? mls_source_open(source, false) : -1;
    mls_buffer bytes = {0};
    ssize_t count = fd >= 0;
    while (count > 0 && bytes.len <= MLS_PICKLE_BYTES_MAX) {
        mls_buffer_reserve(&bytes, STEP);
        count = read(fd, bytes.ptr + bytes.len, STEP);
        bytes.len += count > 0 ? (size_t)count : 0;
        if (bytes.len > 0 && bytes.ptr[0] != '{' && bytes.ptr[0] != '\x80')
            count = -1; /* a log */
    }
    const bool added =
        fd >= 0 && count == 0 && bytes.len > 0 &&
        mls_flight_add(dumps, rank, mls_job_copy(state->job, short_name(state, source->path)), mls_buffer_str(&bytes));
    if (fd >= 0)
        (void)close(fd);
    if (added || (bytes.len > 0 && bytes.ptr[0] == '\x80')) {
        free(source->skip);
        source->skip =
            mls_strdup(added ? "a flight recorder dump" : "a pickle that is not a flight recorder dump, or damaged");
    }
    mls_buffer_release(&bytes);
    return added;
}

mls_status mls_diagnose(const char *path, const mls_diagnose_options *options, mls_diagnosis *diagnosis,
                        mls_error *error)
{
    const mls_signatures *signatures = options->signatures;
    const size_t count = mls_signatures_count(signatures);
    mls_source only = {.path = (char *)(uintptr_t)path, .named = true, .size = 1}; /* not released */
    mls_sources sources = options->open != NULL ? (mls_sources){&only, 1, 1} : (mls_sources){0};
    mls_arena *arena = mls_calloc(1, sizeof *arena);
    mls_arena scratch = {0};
    *diagnosis = (mls_diagnosis){.path = mls_arena_copy(arena, mls_str_from(path)).ptr,
                                 .start_ms = (double)NAN,
                                 .end_ms = (double)NAN,
                                 .loaded_iteration = (double)NAN,
                                 .arena = arena};
    mls_job_log job = {.signatures = options->signatures,
                       .to = diagnosis,
                       .names = {.arena = arena},
                       .watchdog_signature = find_signature(signatures, "nccl-watchdog-timeout"),
                       .exception_signature = find_signature(signatures, "python-exception"),
                       .ignored_signature = find_signature(signatures, "exception-ignored"),
                       .start_signature = find_signature(signatures, "run-begins"),
                       .end_signature = find_signature(signatures, "run-ends"),
                       .full_time = (double)NAN,
                       .time_stride = 1,
                       .last_time = {(double)NAN, (double)NAN, (double)NAN},
                       .matched = mls_arena_zeroed(&scratch, count, sizeof *job.matched),
                       .recovers = mls_arena_array(&scratch, count, sizeof *job.recovers),
                       .recoveries = mls_arena_zeroed(&scratch, count, sizeof *job.recoveries),
                       .tracebacks = mls_arena_zeroed(&scratch, MLS_TRACEBACKS_MAX, sizeof *job.tracebacks),
                       .rank_nodes = mls_calloc(MLS_RANKS_MAX, sizeof *job.rank_nodes),
                       .rank_seen = mls_calloc(MLS_RANKS_MAX, 1),
                       .scratch = mls_arena_alloc(&scratch, (size_t)2 * MLS_LINE_EXAMINED)};
    const diagnose_state state = {options, &job, &sources};
    for (size_t i = 0; i < count; i++)
        job.recovers[i] = find_signatures(signatures, mls_signatures_get(signatures, i)->recovers, &scratch);
    mls_flight_dumps dumps = {.arena = &scratch};
    mls_job_prepare(&job);
    mls_status status = options->open == NULL ? mls_sources_find(&path, 1, &sources, error) : MLS_OK;
    for (size_t i = 0; i < sources.count && status == MLS_OK; i++) {
        mls_source *source = &sources.items[i];
        mls_str name = mls_str_from(source->path);
        if (options->open == NULL && !source->failed && read_dump(&state, source, &dumps))
            continue;
        const char *const packed[] = {".gz", ".bz2", ".xz", ".zst"};
        for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
            if (mls_str_ends(name, mls_str_from(packed[k]))) {
                name.len -= strlen(packed[k]);
                break;
            }
        }
        if (source->skip == NULL && !source->named &&
            mls_str_any(name, ".json|.jsonl|.csv|.tar|.sqlite|.nsys-rep|.png|.tgz", mls_str_ends))
            source->skip = mls_strdup("not a log, by its name");
        if (source->skip != NULL)
            skip_log(&state, source->path, source->skip, source->failed, false);
    }
    const mls_reading reading = {.plain = !options->unpack,
                                 .other_suites = true,
                                 .work = options->work,
                                 .state = (void *)(uintptr_t)&state,
                                 .open = open_source,
                                 .listen = listen,
                                 .done = file_done};
    if (status == MLS_OK)
        status = mls_read_sources(&reading, sources.items, sources.count, error);
    if (status == MLS_OK) {
        diagnosis->files += dumps.dumps.count;
        diagnosis->flight = mls_flight_judge(&dumps, arena);
        mls_job_judge(&job);
    }
    free(job.files);
    free(job.segments);
    free(job.matches);
    free(job.counts);
    free(job.block.marked.bits);
    free(job.block.records);
    free(job.block.run_starts);
    free(job.rank_nodes);
    free(job.rank_seen);
    mls_arena_release(&scratch);
    if (options->open == NULL)
        mls_sources_release(&sources);
    return status;
}

void mls_diagnosis_release(mls_diagnosis *diagnosis)
{
    free(diagnosis->iterations);
    mls_arena_free(diagnosis->arena);
    *diagnosis = (mls_diagnosis){0};
}

/* ---------------------------------------------------------------- runs without an end */

/* Limits on threads: loading all signatures takes as long as diagnosing a few logs, and megabytes of memory. */
enum { LOGS_A_THREAD = 16, THREADS_MAX = 8 };

/* Open the file of a run again.  It may have been replaced since, so links out of a user's folder are checked again. */
static int open_again(void *state, const char *path)
{
    const mls_endings *endings = state;
    mls_error error = {0};
    const int fd = mls_file_open_again(path, endings->root, &error);
    errno = error.system_errno;
    return fd;
}

static bool wants_ending(const mls_run *run)
{
    return !run->valid && run->run_stop.line == 0 && !run->unread && run->file != NULL && mls_run_exists(run);
}

mls_status mls_endings_find(mls_endings *endings, mls_run *run, mls_error *error)
{
    struct stat about;
    mls_diagnose_options *options = &endings->options;
    /* Pipes cannot be read again, and might block forever. */
    if (!wants_ending(run) || (options->open == NULL && (stat(run->file, &about) != 0 || !S_ISREG(about.st_mode))))
        return MLS_OK;
    endings->root = run->root;
    if (endings->root > 0 && options->open == NULL) {
        options->open = open_again;
        options->open_state = endings;
    }
    if (endings->path == NULL || strcmp(endings->path, run->file) != 0) {
        mls_diagnosis_release(&endings->diagnosis);
        free(endings->path);
        endings->path = mls_strdup(run->file);
        mls_status status = options->signatures == NULL ? mls_signatures_new(&options->signatures, error) : MLS_OK;
        status = status == MLS_OK ? mls_diagnose(run->file, options, &endings->diagnosis, error) : status;
        if (status != MLS_OK)
            return status;
    }
    /* Find the failure of the run: the one with the same start time, or, if the start is unknown, the first one whose
     * records are in the lines of the run.  If several failures have this start time, the one in the lines of the run
     * counts.  The result does not depend on earlier calls. */
    const mls_failure *failure = NULL;
    const size_t count = endings->diagnosis.failure_count;
    for (size_t i = 0; i < count; i++) {
        /* Runs come in the order of failures, so try the next one first. */
        const size_t index = (endings->next + i) % count;
        const mls_failure *other = &endings->diagnosis.failures[index];
        const double apart = other->run_start_ms - run->run_start.time_ms;
        const bool same = apart >= 0 && apart <= 0;
        const bool within = other->run_line >= run->line && other->run_line <= run->last_line;
        if (within && same) {
            endings->next = index + 1;
            failure = other;
            break;
        }
        if ((isnan(apart) ? within : same) && (failure == NULL || other < failure))
            failure = other;
    }
    if (failure == NULL)
        return MLS_OK;
    mls_buffer place = {0};
    if (isfinite(failure->rank))
        mls_buffer_printf(&place, " on rank %.0f", failure->rank);
    if (failure->node != NULL)
        mls_buffer_printf(&place, " on %s", failure->node);
    mls_findings_add(&run->findings, MLS_FINDING_DIAGNOSIS, (mls_finding_place){.line = failure->at.line}, "%s%s: %s",
                     failure->signature->id, place.len > 0 ? place.ptr : "", failure->signature->explanation);
    mls_buffer_release(&place);
    return MLS_OK;
}

void mls_endings_release(mls_endings *endings)
{
    mls_diagnosis_release(&endings->diagnosis);
    mls_signatures_free(endings->options.signatures);
    free(endings->path);
    *endings = (mls_endings){0};
}

/* The files that contain runs without a run_stop.  Each thread diagnoses every thread_count-th file. */
typedef struct all_endings {
    mls_run **firsts; /* the first run without a run_stop of each file */
    size_t file_count;
    const mls_run *end;
    size_t thread_count;
    struct {
        mls_endings endings;
        mls_status status;
        mls_error error;
    } * threads;
} all_endings;

static void find_endings(void *state, size_t thread)
{
    const all_endings *all = state;
    mls_status *status = &all->threads[thread].status;
    for (size_t i = thread; i < all->file_count; i += all->thread_count) {
        const char *file = all->firsts[i]->file;
        for (mls_run *run = all->firsts[i];
             run < all->end && run->file != NULL && strcmp(run->file, file) == 0 && *status == MLS_OK; run++)
            *status = mls_endings_find(&all->threads[thread].endings, run, &all->threads[thread].error);
    }
}

mls_status mls_endings_find_all(const mls_diagnose_options *options, mls_run *runs, size_t count, mls_error *error)
{
    const unsigned threads = options->work.threads != 0 ? options->work.threads : mls_processor_count();
    all_endings all = {
        .firsts = mls_calloc(count + 1, sizeof *all.firsts), .end = count > 0 ? runs + count : runs, .thread_count = 1};
    const char *file = NULL; /* the file of the last entry, as long as its runs follow */
    for (size_t i = 0; i < count; i++) {
        file = file != NULL && runs[i].file != NULL && strcmp(runs[i].file, file) == 0 ? file : NULL;
        if (file == NULL && wants_ending(&runs[i])) {
            all.firsts[all.file_count++] = &runs[i];
            file = runs[i].file;
        }
    }
    while (all.thread_count < threads && all.thread_count < THREADS_MAX &&
           all.thread_count * LOGS_A_THREAD < all.file_count)
        all.thread_count++;
    all.threads = mls_calloc(all.thread_count, sizeof *all.threads);
    for (size_t i = 0; i < all.thread_count; i++) {
        all.threads[i].endings.options = *options;
        all.threads[i].endings.options.work.threads = threads / (unsigned)all.thread_count;
    }
    const mls_relay relay = {.threads = (unsigned)all.thread_count,
                             .slots = all.thread_count,
                             .count = all.thread_count,
                             .state = &all,
                             .work = find_endings};
    mls_status status = mls_relay_run(&relay);
    for (size_t i = 0; i < all.thread_count; i++) {
        if (status == MLS_OK && all.threads[i].status != MLS_OK) {
            status = all.threads[i].status;
            *error = all.threads[i].error;
        }
        mls_endings_release(&all.threads[i].endings);
    }
    free(all.threads);
    free(all.firsts);
    return status;
}
