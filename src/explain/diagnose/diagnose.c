/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.c - a job's files, read one after the other, to its diagnosis. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "explain/diagnose/job.h"
#include "run/reading.h"

/* Takes one of the endings off a name. */
static bool take_ending(mls_str *name, const mls_str *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mls_str_ends(*name, endings[i])) {
            name->len -= endings[i].len;
            return true;
        }
    }
    return false;
}

/* Files that hold nothing that a job says, packed or not; in a folder, by their name. */
static const char *other_file(const char *path)
{
    static const mls_str packed[] = {MLS_STR(".gz"), MLS_STR(".bz2"), MLS_STR(".xz"), MLS_STR(".zst")};
    static const mls_str others[] = {MLS_STR(".json"),   MLS_STR(".jsonl"),    MLS_STR(".csv"), MLS_STR(".tar"),
                                     MLS_STR(".sqlite"), MLS_STR(".nsys-rep"), MLS_STR(".png"), MLS_STR(".tgz")};
    mls_str name = mls_str_from(path);
    (void)take_ending(&name, packed, sizeof packed / sizeof *packed);
    return take_ending(&name, others, sizeof others / sizeof *others) ? "not a log, by its name" : NULL;
}

typedef struct diagnose_state {
    const mls_diagnose_options *options;
    mls_job_log *job;
    const mls_sources *sources;
    size_t skipped_capacity;
} diagnose_state;

/* The part of a file's path below that of the job; its own name when the job is a file. */
static const char *short_name(const diagnose_state *state, const char *path)
{
    const mls_str job = mls_str_from(state->job->to->path);
    const mls_str text = mls_str_from(path);
    size_t skip = 0;
    if (text.len > job.len && mls_str_starts(text, job)) {
        skip = job.len;
        while (path[skip] == '/') {
            skip++;
        }
    }
    return skip > 0 ? path + skip : mls_path_name(path);
}

static mls_status skip_log(diagnose_state *state, const char *path, const char *reason, bool failed)
{
    mls_diagnosis *to = state->job->to;
    if (!mls_arena_grow(to->arena, (void **)&to->skipped, to->skipped_count, &state->skipped_capacity,
                        sizeof *to->skipped)) {
        return MLS_ERROR_MEMORY;
    }
    const mls_skipped_file file = {.path = mls_arena_copy(to->arena, mls_str_from(path)).ptr,
                                   .file = mls_arena_copy(to->arena, mls_str_from(short_name(state, path))).ptr,
                                   .reason = mls_arena_copy(to->arena, mls_str_from(reason)).ptr,
                                   .failed = failed};
    to->skipped[to->skipped_count++] = file;
    return file.path != NULL && file.file != NULL && file.reason != NULL ? MLS_OK : MLS_ERROR_MEMORY;
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
    diagnose_state *state = opaque;
    const mls_str below = mls_str_from(short_name(state, state->sources->items[index].path));
    const char *name = mls_arena_copy(state->job->to->arena, below).ptr;
    *sink = mls_job_sink(state->job);
    return name != NULL ? mls_job_begin_file(state->job, name) : MLS_ERROR_MEMORY;
}

static mls_status file_done(void *opaque, const mls_read *read)
{
    diagnose_state *state = opaque;
    const char *reason = read->status != MLS_OK ? read->error.message : read->totals.unread;
    state->job->to->files += read->totals.unread == NULL && read->totals.bytes > 0;
    if (reason != NULL) {
        return skip_log(state, read->source->path, reason, read->status != MLS_OK || read->source->named);
    }
    const mls_log_totals *totals = &read->totals;
    if (totals->suite != NULL) {
        return skip_log(state, read->source->path, totals->suite, true);
    }
    char words[MLS_NONE_READ_LENGTH];
    mls_status status = MLS_OK;
    if (mls_log_none_read(totals->records, totals->malformed - totals->quoted, totals->reason, words)) {
        status = skip_log(state, read->source->path, words, true);
        if (status == MLS_OK) {
            state->job->to->skipped[state->job->to->skipped_count - 1].malformed = true;
        }
    }
    return status;
}

static mls_status read_files(diagnose_state *state, mls_sources *sources, mls_error *error)
{
    const mls_diagnose_options *options = state->options;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sources->count && status == MLS_OK; i++) {
        mls_source *source = &sources->items[i];
        const char *other = source->skip == NULL && !source->named ? other_file(source->path) : NULL;
        if (other != NULL) {
            source->skip = mls_strdup(other);
            status = source->skip != NULL ? MLS_OK : MLS_ERROR_MEMORY;
        }
        if (source->skip != NULL && status == MLS_OK) {
            status = skip_log(state, source->path, source->skip, source->failed);
        }
    }
    const mls_reading reading = {.plain = !options->unpack,
                                 .foreign = true,
                                 .work = options->work,
                                 .state = state,
                                 .open = open_source,
                                 .listen = listen,
                                 .done = file_done};
    state->sources = sources;
    status = status == MLS_OK ? mls_read_sources(&reading, sources->items, sources->count, error) : status;
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

/* SIZE_MAX: there is none of that id, or no id. */
static size_t find_signature(const mls_signatures *signatures, const char *id)
{
    const size_t count = mls_signatures_count(signatures);
    size_t i = 0;
    while (i < count && id != NULL && strcmp(mls_signatures_get(signatures, i)->id, id) != 0) {
        i++;
    }
    return i < count && id != NULL ? i : SIZE_MAX;
}

static mls_status begin_job(mls_job_log *job, mls_signatures *signatures, mls_diagnosis *to)
{
    const size_t count = mls_signatures_count(signatures);
    *job = (mls_job_log){.signatures = signatures,
                         .to = to,
                         .names = {.arena = to->arena},
                         .full_time = (double)NAN,
                         .time_stride = 1,
                         .last_time = {(double)NAN, (double)NAN, (double)NAN},
                         .matched = mls_calloc(count, sizeof *job->matched),
                         .recovers = mls_calloc(count, sizeof *job->recovers),
                         .recoveries = mls_calloc(count, sizeof *job->recoveries),
                         .tracebacks = mls_calloc(MLS_TRACEBACKS_MAX, sizeof *job->tracebacks),
                         .rank_nodes = mls_calloc(MLS_RANKS_MAX, sizeof *job->rank_nodes),
                         .rank_seen = mls_calloc(MLS_RANKS_MAX, 1),
                         .lines = mls_calloc(1, sizeof *job->lines),
                         .scratch = mls_malloc((size_t)2 * MLS_LINE_EXAMINED)};
    job->watchdog_signature = find_signature(signatures, "nccl-watchdog-timeout");
    job->exception_signature = find_signature(signatures, "python-exception");
    job->ignored_signature = find_signature(signatures, "exception-ignored");
    for (size_t i = 0; i < count && job->recovers != NULL; i++) {
        job->recovers[i] = find_signature(signatures, mls_signatures_get(signatures, i)->recovers);
    }
    const bool ok = job->matched != NULL && job->recovers != NULL && job->recoveries != NULL &&
                    job->tracebacks != NULL && job->rank_nodes != NULL && job->rank_seen != NULL &&
                    job->lines != NULL && job->scratch != NULL;
    return ok ? mls_job_prepare(job) : MLS_ERROR_MEMORY;
}

static void end_job(mls_job_log *job)
{
    free(job->files);
    free(job->segments);
    free(job->matches);
    free(job->counts);
    free(job->matched);
    free(job->recovers);
    free(job->recoveries);
    free(job->tracebacks);
    free(job->rank_nodes);
    free(job->rank_seen);
    free(job->lines);
    free(job->block.marked.bits);
    free(job->block.records);
    free(job->block.run_starts);
    free(job->scratch);
}

mls_status mls_diagnose(const char *path, const mls_diagnose_options *options, mls_diagnosis *diagnosis,
                        mls_error *error)
{
    mls_job_log job = {0};
    mls_sources sources = {0};
    diagnose_state state = {.options = options, .job = &job};
    *diagnosis = (mls_diagnosis){.start_ms = (double)NAN,
                                 .end_ms = (double)NAN,
                                 .loaded_iteration = (double)NAN,
                                 .arena = mls_calloc(1, sizeof(mls_arena))};
    if (diagnosis->arena == NULL) {
        return mls_error_memory(error);
    }
    diagnosis->path = mls_arena_copy(diagnosis->arena, mls_str_from(path)).ptr;
    mls_status status = diagnosis->path != NULL ? begin_job(&job, options->signatures, diagnosis) : MLS_ERROR_MEMORY;
    mls_source only = {.path = (char *)(uintptr_t)path, .named = true, .size = 1}; /* lives as long as the call */
    if (status == MLS_OK && options->open != NULL) {
        status = read_files(&state, &(mls_sources){&only, 1, 1}, error);
    } else if (status == MLS_OK) {
        status = mls_sources_find(&path, 1, &sources, error);
        status = status == MLS_OK ? read_files(&state, &sources, error) : status;
    }
    status = status == MLS_OK ? mls_job_judge(&job) : status;
    end_job(&job);
    mls_sources_release(&sources);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

void mls_diagnosis_release(mls_diagnosis *diagnosis)
{
    free(diagnosis->iterations);
    mls_arena_free(diagnosis->arena);
    *diagnosis = (mls_diagnosis){0};
}
