/* SPDX-License-Identifier: Apache-2.0 */
/* endings.c - why runs that never ended did not, as findings of theirs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "explain/diagnose/diagnose.h"
#include "run/run.h"

/* Knowing all messages once more takes as long as diagnosing a few logs, and megabytes. */
enum { LOGS_A_THREAD = 16, THREADS_MAX = 8 };

/* Root is not led out of a user's folder, though the log was read before: it may be another file by now. */
static int open_again(void *state, const char *path)
{
    const mls_endings *endings = state;
    mls_error error = {0};
    const int fd = mls_file_open_again(path, endings->root, &error);
    errno = error.system_errno;
    return fd;
}

/* The failure of that run: the one that started when it did, of several the one in its own lines; else the first whose
 * records are among its own.  It is the same one, whichever runs were asked for before. */
static const mls_failure *failure_of(mls_endings *endings, const mls_run *run)
{
    const size_t count = endings->diagnosis.failure_count;
    const mls_failure *first = NULL;
    for (size_t i = 0; i < count; i++) {
        /* Runs come in the order of their failures: the next one is looked at first. */
        const size_t place = (endings->next + i) % count;
        const mls_failure *failure = &endings->diagnosis.failures[place];
        const double apart = failure->run_start_ms - run->run_start.time_ms;
        const bool within = failure->run_line >= run->line && failure->run_line <= run->last_line;
        if (within && apart >= 0 && apart <= 0) {
            endings->next = place + 1;
            return failure;
        }
        if ((isnan(apart) ? within : apart >= 0 && apart <= 0) && (first == NULL || failure < first)) {
            first = failure;
        }
    }
    return first;
}

static bool wants_ending(const mls_run *run)
{
    return !run->valid && run->run_stop.line == 0 && !run->unread && run->file != NULL && mls_run_exists(run);
}

mls_status mls_endings_find(mls_endings *endings, mls_run *run, mls_error *error)
{
    struct stat about;
    mls_diagnose_options *options = &endings->options;
    /* What was read from a pipe is gone, and waiting for more would take for ever. */
    if (!wants_ending(run) || (options->open == NULL && (stat(run->file, &about) != 0 || !S_ISREG(about.st_mode)))) {
        return MLS_OK;
    }
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
        if (status != MLS_OK) {
            return status;
        }
    }
    const mls_failure *failure = failure_of(endings, run);
    if (failure == NULL) {
        return MLS_OK;
    }
    mls_buffer place = {0};
    if (isfinite(failure->rank)) {
        mls_buffer_printf(&place, " on rank %.0f", failure->rank);
    }
    if (failure->node != NULL) {
        mls_buffer_printf(&place, " on %s", failure->node);
    }
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

/* The runs of one file, and what diagnoses them, which the next file in its place takes over. */
typedef struct file_endings {
    mls_endings endings;
    mls_run *runs;
    size_t count;
    mls_status status;
    mls_error error;
} file_endings;

typedef struct all_endings {
    mls_run *runs, *end; /* that are left */
    file_endings *files;
    size_t slots;
    mls_error *error;
} all_endings;

/* The next file with a run that wants an ending: its runs that follow each other, from *runs on; 0: there is none. */
static size_t next_file(mls_run **runs, const mls_run *end)
{
    while (*runs < end && !wants_ending(*runs)) {
        (*runs)++;
    }
    const mls_run *next = *runs;
    while (next < end && next->file != NULL && strcmp(next->file, (*runs)->file) == 0) {
        next++;
    }
    return (size_t)(next - *runs);
}

static bool take_runs_of_file(void *state, size_t item)
{
    all_endings *all = state;
    file_endings *file = &all->files[item % all->slots];
    file->count = next_file(&all->runs, all->end);
    file->runs = all->runs;
    all->runs += file->count;
    return file->count > 0;
}

static void find_endings(void *state, size_t item)
{
    const all_endings *all = state;
    file_endings *file = &all->files[item % all->slots];
    file->status = MLS_OK;
    for (size_t i = 0; i < file->count && file->status == MLS_OK; i++) {
        file->status = mls_endings_find(&file->endings, &file->runs[i], &file->error);
    }
}

static mls_status deliver_file(void *state, size_t item)
{
    const all_endings *all = state;
    const file_endings *file = &all->files[item % all->slots];
    if (file->status != MLS_OK) {
        *all->error = file->error;
    }
    return file->status;
}

mls_status mls_endings_find_all(const mls_diagnose_options *options, mls_run *runs, size_t count, mls_error *error)
{
    if (count == 0) {
        return MLS_OK; /* there is no place to go on from either */
    }
    all_endings all = {.runs = runs, .end = runs + count, .slots = 1, .error = error};
    const unsigned threads = options->work.threads != 0 ? options->work.threads : mls_processor_count();
    size_t files = 0;
    size_t of_file = 0;
    for (mls_run *next = runs; (of_file = next_file(&next, all.end)) > 0; next += of_file) {
        files++;
    }
    while (all.slots < threads && all.slots < THREADS_MAX && all.slots * LOGS_A_THREAD < files) {
        all.slots++;
    }
    all.files = mls_calloc(all.slots, sizeof *all.files);
    for (size_t i = 0; i < all.slots; i++) {
        all.files[i].endings.options = *options;
        all.files[i].endings.options.work.threads = threads / (unsigned)all.slots;
    }
    const mls_relay relay = {.threads = (unsigned)all.slots,
                             .slots = all.slots,
                             .count = SIZE_MAX,
                             .state = &all,
                             .take = take_runs_of_file,
                             .work = find_endings,
                             .deliver = deliver_file};
    const mls_status status = mls_relay_run(&relay);
    for (size_t i = 0; i < all.slots; i++) {
        mls_endings_release(&all.files[i].endings);
    }
    free(all.files);
    return status;
}
