/* SPDX-License-Identifier: Apache-2.0 */
#include "mlscore/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "slurm/grouping.h"
#include "slurm/power.h"
#include "slurm/repeats.h"
#include "slurm/splitter.h"
#include "slurm/walk.h"

/* A file from this size on is scanned by all threads together, one such file at a time. */
enum { MLS_LARGE_FILE = 32 * 1024 * 1024 };

/* What became of one source. */
typedef struct mls_reading {
    mls_run *runs;
    size_t run_count;
    mls_log_totals totals;
    mls_status status;
    bool read;
} mls_reading;

typedef struct mls_collecting {
    const mls_collect_options *options;
    mls_source_list sources;
    mls_reading *readings; /* one per source */
    const size_t *order;   /* the sources to read now */
    unsigned scan_threads; /* for one file */
    pthread_mutex_t lock;  /* for the progress callback */
    size_t files_done;
    size_t files;
    uint64_t bytes_done;
} mls_collecting;

static bool mls_skip_set(mls_source *source, const char *reason)
{
    free(source->skip);
    source->skip = mls_copy_text(reason, strlen(reason));
    return source->skip != NULL;
}

/* Why a source that was read is of no use; NULL when it is. */
static const char *mls_useless(const mls_reading *reading)
{
    if (reading->run_count > 0) {
        return NULL;
    }
    if (reading->totals.bytes == 0) {
        return "empty";
    }
    if (reading->totals.binary) {
        return "binary file";
    }
    return reading->totals.records + reading->totals.malformed > 0 ? "no run in it: neither init_start nor run_start"
                                                                   : "no :::MLLOG line";
}

static void mls_source_failed(mls_source *source, mls_reading *reading, const char *message)
{
    source->failed = true;
    reading->status = mls_skip_set(source, message) ? reading->status : MLS_ERROR_MEMORY;
}

/* fd -1: nothing could be opened, so there is nothing in it. */
static void mls_source_scan(mls_collecting *collecting, mls_source *source, mls_reading *reading, int fd)
{
    mls_splitter splitter;
    mls_error error = {0};
    mls_checker *checker = NULL;
    if (collecting->options->checker.rulesets != NULL) {
        reading->status = mls_checker_new(&collecting->options->checker, &checker);
        if (reading->status != MLS_OK) {
            return;
        }
    }
    mls_splitter_init(&splitter, source->result, checker);
    const mls_sink sink = mls_splitter_sink(&splitter);
    const mls_scan_options options = {.threads = collecting->scan_threads};
    reading->status = fd >= 0 ? mls_log_scan_fd(fd, &options, &sink, 1, &reading->totals, &error)
                              : mls_log_scan_bytes((mls_str){NULL, 0}, &sink, 1, &reading->totals, &error);
    reading->read = true;
    if (reading->status == MLS_OK || reading->status == MLS_ERROR_READ) {
        reading->runs = splitter.runs;
        reading->run_count = splitter.count;
        splitter.runs = NULL;
        splitter.count = 0;
    }
    if (reading->status == MLS_ERROR_READ) {
        reading->status = MLS_OK;
        mls_source_failed(source, reading, error.message);
    }
    mls_splitter_release(&splitter);
    mls_checker_free(checker);
}

/* Which file the runs came from. */
static void mls_runs_name(mls_reading *reading, const char *path)
{
    for (size_t i = 0; i < reading->run_count; i++) {
        reading->runs[i].file = mls_copy_text(path, strlen(path));
        if (reading->runs[i].file == NULL) {
            reading->status = MLS_ERROR_MEMORY;
        }
    }
}

static void mls_source_read(mls_collecting *collecting, mls_source *source, mls_reading *reading)
{
    char head[16];
    const int fd = mls_source_open(source);
    if (fd < 0) {
        mls_error error;
        (void)mls_error_set_errno(&error, MLS_ERROR_READ, errno, "%s", "");
        mls_source_failed(source, reading, error.message);
        if (source->result) {
            /* It is one of the group's runs all the same, and not a valid one. */
            mls_source_scan(collecting, source, reading, -1);
        }
    } else {
        const ssize_t peeked = pread(fd, head, sizeof head, 0);
        const char *magic = peeked > 0 ? mls_source_magic((mls_str){head, (size_t)peeked}) : NULL;
        if (magic != NULL && !source->result) {
            reading->status = mls_skip_set(source, magic) ? MLS_OK : MLS_ERROR_MEMORY;
        } else {
            mls_source_scan(collecting, source, reading, fd);
        }
        if (fd != STDIN_FILENO) {
            (void)close(fd);
        }
    }
    const char *useless = mls_useless(reading);
    if (reading->status == MLS_OK && reading->read && source->skip == NULL && useless != NULL &&
        !mls_skip_set(source, useless)) {
        reading->status = MLS_ERROR_MEMORY;
    }
    mls_runs_name(reading, source->path);
}

static void mls_collect_one(void *state, size_t index)
{
    mls_collecting *collecting = state;
    const size_t i = collecting->order[index];
    mls_source_read(collecting, &collecting->sources.items[i], &collecting->readings[i]);
    (void)pthread_mutex_lock(&collecting->lock);
    collecting->files_done++;
    collecting->bytes_done += collecting->readings[i].totals.bytes;
    if (collecting->options->progress != NULL) {
        collecting->options->progress(collecting->options->progress_state, collecting->files_done, collecting->files,
                                      collecting->bytes_done);
    }
    (void)pthread_mutex_unlock(&collecting->lock);
}

/* Reads every source that is not skipped: small ones side by side, then each large one with all threads. */
static mls_status mls_collect_read(mls_collecting *collecting, unsigned threads)
{
    const size_t count = collecting->sources.count;
    size_t *order = calloc(count + 1, sizeof *order);
    size_t small = 0;
    size_t large = count;
    mls_status status = MLS_OK;
    collecting->readings = calloc(count + 1, sizeof *collecting->readings);
    if (order == NULL || collecting->readings == NULL) {
        free(order);
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = count; i-- > 0;) {
        if (collecting->sources.items[i].skip == NULL && collecting->sources.items[i].size >= MLS_LARGE_FILE) {
            order[--large] = i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (collecting->sources.items[i].skip == NULL && collecting->sources.items[i].size < MLS_LARGE_FILE) {
            order[small++] = i;
        }
    }
    collecting->files = small + (count - large);
    collecting->order = order;
    /* A lone file has the threads to itself whatever its size; the scanner knows what is worth it. */
    collecting->scan_threads = small == 1 ? threads : 1;
    mls_parallel_for(threads, small, mls_collect_one, collecting);
    collecting->order = order + large;
    collecting->scan_threads = threads;
    mls_parallel_for(1, count - large, mls_collect_one, collecting);
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        status = collecting->readings[i].status;
    }
    free(order);
    return status;
}

/* Moves the runs of all sources into the collection, in order. */
static mls_status mls_collect_runs(mls_collecting *collecting, mls_collection *collection, mls_grouped_run **grouped)
{
    size_t total = 0;
    for (size_t i = 0; i < collecting->sources.count; i++) {
        total += collecting->readings[i].run_count;
    }
    collection->runs = calloc(total + 1, sizeof *collection->runs);
    *grouped = calloc(total + 1, sizeof **grouped);
    if (collection->runs == NULL || *grouped == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < collecting->sources.count; i++) {
        mls_reading *reading = &collecting->readings[i];
        for (size_t k = 0; k < reading->run_count; k++) {
            mls_run *run = &collection->runs[collection->run_count];
            *run = reading->runs[k];
            (*grouped)[collection->run_count++] = (mls_grouped_run){run, collecting->sources.items[i].result};
        }
        free(reading->runs);
        reading->runs = NULL;
        reading->run_count = 0;
    }
    return MLS_OK;
}

static mls_status mls_collect_skipped(mls_collecting *collecting, mls_collection *collection)
{
    collection->skipped = calloc(collecting->sources.count + 1, sizeof *collection->skipped);
    if (collection->skipped == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < collecting->sources.count; i++) {
        mls_source *source = &collecting->sources.items[i];
        collection->files += collecting->readings[i].read;
        collection->bytes += collecting->readings[i].totals.bytes;
        collection->failed += source->failed;
        if (source->skip != NULL) {
            collection->skipped[collection->skipped_count++] =
                (mls_skipped){source->path, source->skip, source->failed};
            source->path = NULL;
            source->skip = NULL;
        }
    }
    return MLS_OK;
}

/* Recognises repeated runs: the readings keep their own, and a file left with none is skipped. */
static mls_status mls_collect_repeats(mls_collecting *collecting)
{
    const size_t count = collecting->sources.count;
    mls_repeat_file *files = calloc(count + 1, sizeof *files);
    mls_status status = files != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    if (status == MLS_OK) {
        for (size_t i = 0; i < count; i++) {
            files[i] = (mls_repeat_file){.path = collecting->sources.items[i].path,
                                         .runs = collecting->readings[i].runs,
                                         .run_count = collecting->readings[i].run_count,
                                         .excluded = collecting->sources.items[i].result};
        }
        status = mls_repeats_remove(files, count);
        for (size_t i = 0; i < count; i++) {
            collecting->readings[i].run_count = files[i].run_count;
            if (status == MLS_OK && files[i].repeated > 0 && files[i].run_count == 0) {
                char *reason = mls_repeat_reason(&files[i]);
                free(collecting->sources.items[i].skip);
                collecting->sources.items[i].skip = reason;
                status = reason != NULL ? MLS_OK : MLS_ERROR_MEMORY;
            }
        }
    }
    free(files);
    return status;
}

static mls_status mls_collect_groups(const mls_collect_options *options, mls_collection *collection,
                                     const mls_grouped_run *grouped, mls_error *error)
{
    mls_status status = mls_group_runs(grouped, collection->run_count, &collection->groups, &collection->group_count);
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        collection->groups[i].usage = options->usage;
        collection->groups[i].edition = options->edition;
        status = mls_group_score(&collection->groups[i], &options->score, error);
        if (status == MLS_OK) {
            status = mls_group_power(&collection->groups[i]);
        }
    }
    return status;
}

mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error)
{
    mls_collecting collecting = {.options = options};
    mls_grouped_run *grouped = NULL;
    const unsigned threads = options->threads != 0 ? options->threads : mls_processor_count();
    *collection = (mls_collection){0};
    (void)pthread_mutex_init(&collecting.lock, NULL);
    mls_status status = mls_walk(paths, path_count, &collecting.sources, error);
    if (status == MLS_OK) {
        status = mls_source_list_merge_results(&collecting.sources, error);
    }
    if (status == MLS_OK) {
        status = mls_collect_read(&collecting, threads);
    }
    if (status == MLS_OK) {
        status = mls_collect_repeats(&collecting);
    }
    if (status == MLS_OK) {
        status = mls_collect_runs(&collecting, collection, &grouped);
    }
    if (status == MLS_OK) {
        status = mls_collect_skipped(&collecting, collection);
    }
    if (status == MLS_OK) {
        status = mls_collect_groups(options, collection, grouped, error);
    }
    if (status == MLS_ERROR_MEMORY) {
        (void)mls_error_set(error, status, 0, 0, "out of memory");
    }
    for (size_t i = 0; collecting.readings != NULL && i < collecting.sources.count; i++) {
        for (size_t k = 0; k < collecting.readings[i].run_count; k++) {
            mls_run_release(&collecting.readings[i].runs[k]);
        }
        free(collecting.readings[i].runs);
    }
    free(grouped);
    free(collecting.readings);
    mls_source_list_release(&collecting.sources);
    (void)pthread_mutex_destroy(&collecting.lock);
    return status;
}

void mls_collection_release(mls_collection *collection)
{
    for (size_t i = 0; i < collection->group_count; i++) {
        mls_group_release(&collection->groups[i]);
    }
    free(collection->groups);
    for (size_t i = 0; i < collection->run_count; i++) {
        mls_run_release(&collection->runs[i]);
    }
    free(collection->runs);
    for (size_t i = 0; i < collection->skipped_count; i++) {
        free(collection->skipped[i].path);
        free(collection->skipped[i].reason);
    }
    free(collection->skipped);
    *collection = (mls_collection){0};
}
