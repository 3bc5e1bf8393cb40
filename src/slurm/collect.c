/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect.c - paths → runs → groups with their scores.
 */
#include "mlscore/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "score/score.h"
#include "slurm/slurm.h"

/* What the reading has said so far. */
typedef struct collecting_state {
    const mls_collect_options *options;
    mls_collection *collection;
    mls_sources sources;
    mls_repeat_file *files; /* one per source, with its runs */
} collecting_state;

/* Takes the reason over. */
static mls_status set_skip(mls_source *source, char *reason)
{
    free(source->skip);
    source->skip = reason;
    return reason != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

/* A segment that has neither init_start nor run_start is no run, unless its file is one whatever is in it. */
static mls_status take_run(void *state, size_t index, mls_run *run, bool part)
{
    collecting_state *collecting = state;
    mls_repeat_file *file = &collecting->files[index];
    (void)part;
    if (!mls_run_exists(run) && !collecting->sources.items[index].result) {
        return MLS_OK;
    }
    if (!mls_grow((void **)&file->runs, file->run_count, &file->run_capacity, sizeof *file->runs)) {
        return MLS_ERROR_MEMORY;
    }
    file->runs[file->run_count++] = *run;
    mls_run_init(run);
    return MLS_OK;
}

/* Why a source that was read is of no use; NULL when it is. */
static const char *useless(const mls_read *read, size_t runs)
{
    if (runs > 0 || read->unread != NULL) {
        return runs > 0 ? NULL : read->unread;
    }
    if (read->totals.bytes == 0) {
        return "empty";
    }
    if (read->totals.binary) {
        return "binary file";
    }
    return read->totals.records + read->totals.malformed > 0 ? "no run in it: neither init_start nor run_start"
                                                             : "no :::MLLOG line";
}

static mls_status take_source(void *state, const mls_read *read)
{
    collecting_state *collecting = state;
    mls_source *source = &collecting->sources.items[read->index];
    const char *reason =
        read->status != MLS_OK ? read->error.message : useless(read, collecting->files[read->index].run_count);
    source->failed = read->status != MLS_OK;
    collecting->collection->files += read->unread == NULL && (read->status == MLS_OK || read->runs > 0);
    collecting->collection->bytes += read->totals.bytes;
    return reason != NULL ? set_skip(source, mls_copy_text(reason, strlen(reason))) : MLS_OK;
}

static mls_status read_all(collecting_state *collecting, mls_error *error)
{
    const mls_collect_options *options = collecting->options;
    const size_t count = collecting->sources.count;
    const mls_reading reading = {.rules = options->checker.rulesets != NULL ? &options->checker : NULL,
                                 .unread_runs = true,
                                 .steps = true,
                                 .threads = options->threads,
                                 .state = collecting,
                                 .run = take_run,
                                 .done = take_source,
                                 .progress = options->progress,
                                 .progress_state = options->progress_state};
    collecting->files = calloc(count + 1, sizeof *collecting->files);
    if (collecting->files == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        collecting->files[i].path = collecting->sources.items[i].path;
        collecting->files[i].excluded = collecting->sources.items[i].result;
    }
    return mls_read_sources(&reading, collecting->sources.items, count, error);
}

/* Recognises repeated runs: the files keep their own, and one left with none is skipped. */
static mls_status drop_repeats(collecting_state *collecting)
{
    mls_status status = mls_repeats_remove(collecting->files, collecting->sources.count);
    for (size_t i = 0; i < collecting->sources.count && status == MLS_OK; i++) {
        const mls_repeat_file *file = &collecting->files[i];
        if (file->repeated > 0 && file->run_count == 0) {
            status = set_skip(&collecting->sources.items[i], mls_repeat_reason(file));
        }
    }
    return status;
}

/* Moves the runs of all sources into the collection, in order, and the reasons of those that are skipped. */
static mls_status move_to_collection(collecting_state *collecting)
{
    mls_collection *collection = collecting->collection;
    const size_t sources = collecting->sources.count;
    size_t total = 0;
    for (size_t i = 0; i < sources; i++) {
        total += collecting->files[i].run_count;
    }
    collection->runs = calloc(total + 1, sizeof *collection->runs);
    collection->skipped = calloc(sources + 1, sizeof *collection->skipped);
    if (collection->runs == NULL || collection->skipped == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sources; i++) {
        mls_repeat_file *file = &collecting->files[i];
        mls_source *source = &collecting->sources.items[i];
        for (size_t k = 0; k < file->run_count; k++) {
            collection->runs[collection->run_count++] = file->runs[k];
        }
        file->run_count = 0;
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

static mls_status score_groups(const mls_collect_options *options, mls_collection *collection, mls_error *error)
{
    mls_status status =
        mls_group_runs(collection->runs, collection->run_count, &collection->groups, &collection->group_count);
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

static void release(collecting_state *collecting)
{
    for (size_t i = 0; collecting->files != NULL && i < collecting->sources.count; i++) {
        for (size_t k = 0; k < collecting->files[i].run_count; k++) {
            mls_run_release(&collecting->files[i].runs[k]);
        }
        free(collecting->files[i].runs);
    }
    free(collecting->files);
    mls_sources_release(&collecting->sources);
}

mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error)
{
    collecting_state collecting = {.options = options, .collection = collection};
    *collection = (mls_collection){0};
    mls_status status = mls_sources_find(paths, path_count, &collecting.sources, error);
    if (status == MLS_OK) {
        status = read_all(&collecting, error);
    }
    if (status == MLS_OK) {
        status = drop_repeats(&collecting);
    }
    if (status == MLS_OK) {
        status = move_to_collection(&collecting);
    }
    if (status == MLS_OK) {
        status = score_groups(options, collection, error);
    }
    if (status == MLS_ERROR_MEMORY) {
        (void)mls_error_memory(error);
    }
    release(&collecting);
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
