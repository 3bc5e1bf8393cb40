/* SPDX-License-Identifier: Apache-2.0 */
/* endings.c - diagnose runs that did not end, and add findings to them. */
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

/* Return the failure of a run: the one with the same start (if several, the one in its lines), else the first one whose
 * records are in the run.  The result does not depend on earlier calls. */
static const mls_failure *failure_of(mls_endings *endings, const mls_run *run)
{
    const size_t count = endings->diagnosis.failure_count;
    const mls_failure *first = NULL;
    for (size_t i = 0; i < count; i++) {
        /* Runs come in the order of failures, so try the next one first. */
        const size_t place = (endings->next + i) % count;
        const mls_failure *failure = &endings->diagnosis.failures[place];
        const double apart = failure->run_start_ms - run->run_start.time_ms;
        const bool within = failure->run_line >= run->line && failure->run_line <= run->last_line;
        if (within && apart >= 0 && apart <= 0) {
            endings->next = place + 1;
            return failure;
        }
        if ((isnan(apart) ? within : apart >= 0 && apart <= 0) && (first == NULL || failure < first))
            first = failure;
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
    const mls_failure *failure = failure_of(endings, run);
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

/* The runs of files that are processed in parallel.  Each slot diagnoses one file at a time. */
typedef struct all_endings {
    mls_run **firsts; /* the first run without an end of each file */
    mls_run *end;
    struct {
        mls_endings endings;
        mls_status status;
        mls_error error;
    } * slots;
    size_t slot_count;
    mls_error *error;
} all_endings;

static void find_endings(void *state, size_t item)
{
    const all_endings *all = state;
    const size_t slot = item % all->slot_count;
    const char *file = all->firsts[item]->file;
    mls_status *status = &all->slots[slot].status;
    *status = MLS_OK;
    for (mls_run *run = all->firsts[item];
         run < all->end && run->file != NULL && strcmp(run->file, file) == 0 && *status == MLS_OK; run++)
        *status = mls_endings_find(&all->slots[slot].endings, run, &all->slots[slot].error);
}

static mls_status deliver_file(void *state, size_t item)
{
    const all_endings *all = state;
    const size_t slot = item % all->slot_count;
    if (all->slots[slot].status != MLS_OK)
        *all->error = all->slots[slot].error;
    return all->slots[slot].status;
}

mls_status mls_endings_find_all(const mls_diagnose_options *options, mls_run *runs, size_t count, mls_error *error)
{
    const unsigned threads = options->work.threads != 0 ? options->work.threads : mls_processor_count();
    all_endings all = {.firsts = mls_calloc(count + 1, sizeof *all.firsts),
                       .end = count > 0 ? runs + count : runs,
                       .slot_count = 1,
                       .error = error};
    size_t files = 0;
    const char *file = NULL; /* file of the last of them, while its runs continue */
    for (size_t i = 0; i < count; i++) {
        file = file != NULL && runs[i].file != NULL && strcmp(runs[i].file, file) == 0 ? file : NULL;
        if (file == NULL && wants_ending(&runs[i])) {
            all.firsts[files++] = &runs[i];
            file = runs[i].file;
        }
    }
    while (all.slot_count < threads && all.slot_count < THREADS_MAX && all.slot_count * LOGS_A_THREAD < files)
        all.slot_count++;
    all.slots = mls_calloc(all.slot_count, sizeof *all.slots);
    for (size_t i = 0; i < all.slot_count; i++) {
        all.slots[i].endings.options = *options;
        all.slots[i].endings.options.work.threads = threads / (unsigned)all.slot_count;
    }
    const mls_relay relay = {.threads = (unsigned)all.slot_count,
                             .slots = all.slot_count,
                             .count = files,
                             .state = &all,
                             .work = find_endings,
                             .deliver = deliver_file};
    const mls_status status = mls_relay_run(&relay);
    for (size_t i = 0; i < all.slot_count; i++)
        mls_endings_release(&all.slots[i].endings);
    free(all.slots);
    free(all.firsts);
    return status;
}
