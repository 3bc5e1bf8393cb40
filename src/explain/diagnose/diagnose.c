/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.c - read the files of a job in sequence and diagnose it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "explain/diagnose/job.h"
#include "run/reading.h"

/* Return the reason why a file of a folder is skipped, according to its name without compression suffix, or NULL. */
static const char *other_file(const char *path)
{
    mls_str name = mls_str_from(path);
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (mls_str_ends(name, mls_str_from(packed[i]))) {
            name.len -= strlen(packed[i]);
            break;
        }
    }
    const bool other = mls_str_any(name, ".json|.jsonl|.csv|.tar|.sqlite|.nsys-rep|.png|.tgz", mls_str_ends);
    return other ? "not a log, by its name" : NULL;
}

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
    *sink = mls_job_sink(state->job);
    mls_job_begin_file(state->job, mls_job_copy(state->job, short_name(state, state->sources->items[index].path)));
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

static mls_status read_files(diagnose_state *state, mls_sources *sources, mls_error *error)
{
    const mls_diagnose_options *options = state->options;
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        const char *other = source->skip == NULL && !source->named ? other_file(source->path) : NULL;
        source->skip = other != NULL ? mls_strdup(other) : source->skip;
        if (source->skip != NULL)
            skip_log(state, source->path, source->skip, source->failed, false);
    }
    const mls_reading reading = {.plain = !options->unpack,
                                 .foreign = true,
                                 .work = options->work,
                                 .state = state,
                                 .open = open_source,
                                 .listen = listen,
                                 .done = file_done};
    state->sources = sources;
    return mls_read_sources(&reading, sources->items, sources->count, error);
}

/* Return the index of a signature; SIZE_MAX if the id is unknown or NULL. */
static size_t find_signature(const mls_signatures *signatures, const char *id)
{
    const size_t count = mls_signatures_count(signatures);
    size_t i = 0;
    while (i < count && id != NULL && strcmp(mls_signatures_get(signatures, i)->id, id) != 0)
        i++;
    return i < count && id != NULL ? i : SIZE_MAX;
}

static void begin_job(mls_job_log *job, mls_signatures *signatures, mls_diagnosis *to)
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
                         .scratch = mls_malloc((size_t)2 * MLS_LINE_EXAMINED)};
    job->watchdog_signature = find_signature(signatures, "nccl-watchdog-timeout");
    job->exception_signature = find_signature(signatures, "python-exception");
    job->ignored_signature = find_signature(signatures, "exception-ignored");
    for (size_t i = 0; i < count; i++)
        job->recovers[i] = find_signature(signatures, mls_signatures_get(signatures, i)->recovers);
    mls_job_prepare(job);
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
    free(job->block.marked.bits);
    free(job->block.records);
    free(job->block.run_starts);
    free(job->scratch);
}

mls_status mls_diagnose(const char *path, const mls_diagnose_options *options, mls_diagnosis *diagnosis,
                        mls_error *error)
{
    mls_job_log job;
    mls_sources sources = {0};
    diagnose_state state = {.options = options, .job = &job};
    mls_arena *arena = mls_calloc(1, sizeof *arena);
    *diagnosis = (mls_diagnosis){.path = mls_arena_copy(arena, mls_str_from(path)).ptr,
                                 .start_ms = (double)NAN,
                                 .end_ms = (double)NAN,
                                 .loaded_iteration = (double)NAN,
                                 .arena = arena};
    begin_job(&job, options->signatures, diagnosis);
    mls_status status;
    if (options->open != NULL) {
        mls_source only = {.path = (char *)(uintptr_t)path, .named = true, .size = 1}; /* not released */
        status = read_files(&state, &(mls_sources){&only, 1, 1}, error);
    } else {
        status = mls_sources_find(&path, 1, &sources, error);
        status = status == MLS_OK ? read_files(&state, &sources, error) : status;
    }
    if (status == MLS_OK)
        mls_job_judge(&job);
    end_job(&job);
    mls_sources_release(&sources);
    return status;
}

void mls_diagnosis_release(mls_diagnosis *diagnosis)
{
    free(diagnosis->iterations);
    mls_arena_free(diagnosis->arena);
    *diagnosis = (mls_diagnosis){0};
}
