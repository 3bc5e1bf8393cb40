/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - paths → runs, each once → groups with their scores and the energy of those that have power files. */
#include "score/collect.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "run/settings.h"
#include "score/merge.h"
#include "score/sacct.h"
#include "score/score.h"
#include "score/slurm.h"

/* Findings of the reading so far. */
typedef struct collecting_state {
    const mls_collect_options *options;
    mls_collection *collection; /* whose `skipped` holds all sources */
    mls_source_runs *found;     /* of each source */
    mls_known_settings *known;  /* loaded when something was printed */
} collecting_state;

/* What is heard of a source whose digest is taken; a line of which only the beginning is given leaves it without. */
typedef struct digest_of_source {
    mls_digester digester;
    bool cut;
} digest_of_source;

/* A file with neither init_start nor run_start is not a run, unless its file is one whatever is in it. */
static mls_status collect_run(void *state, size_t index, mls_run *run, bool part)
{
    collecting_state *collecting = state;
    mls_collection *to = collecting->collection;
    const mls_source *source = &to->skipped.items[index];
    const bool wanted = collecting->options->named_runs && source->named && !part;
    if (!mls_run_exists(run) && !run->result && !wanted) {
        return MLS_OK;
    }
    (void)mls_grow((void **)&to->runs, to->run_count, &to->run_capacity, sizeof *to->runs);
    run->part = part;
    const bool kept =
        mls_setups_keep(&to->setups, run, !collecting->options->score.unchecked) && mls_run_note_name(run);
    mls_run_take_carried(run, collecting->options);
    to->runs[to->run_count++] = *run;
    collecting->found[index].count++;
    mls_run_init(run);
    return kept ? MLS_OK : MLS_ERROR_MEMORY;
}

/* A pipe, which cannot be read a second time. */
static bool is_stream(const mls_source *source)
{
    return source->named && source->size == 0 && source->skip == NULL;
}

/* Whether what a source prints is listened to: whatever is asked of groups is looked up when these are known. */
static bool is_heard(const mls_collect_options *options, const mls_source *source)
{
    return options->printed || options->facts == MLS_FACTS_OF_RUNS ||
           (options->facts == MLS_FACTS_OF_GROUPS && is_stream(source));
}

/* Each source has a reader of its own, as several are read at once. */
static mls_status collect_printed(void *state, size_t index, mls_sink *sink)
{
    const collecting_state *collecting = state;
    if (!is_heard(collecting->options, &collecting->collection->skipped.items[index])) {
        return MLS_OK;
    }
    mls_printed_reader *reader = mls_printed_reader_new();
    if (reader == NULL) {
        return MLS_ERROR_MEMORY;
    }
    collecting->collection->printed[index] = reader;
    *sink = mls_printed_reader_sink(reader);
    return MLS_OK;
}

/* Gives the last runs of a collection, those of one source, what was printed before each. */
static mls_status take_printed(const collecting_state *collecting, size_t source)
{
    const mls_collect_options *options = collecting->options;
    mls_collection *collection = collecting->collection;
    mls_printed_reader *reader = collection->printed[source];
    mls_status status = MLS_OK;
    bool any = false;
    for (size_t i = collection->run_count - collecting->found[source].count; i < collection->run_count; i++) {
        mls_run *run = &collection->runs[i];
        const mls_printed *printed = mls_printed_of_run(reader, run->run_start.line);
        if (printed != NULL && options->facts != MLS_FACTS_OF_NONE && status == MLS_OK) {
            status = mls_facts_take(collecting->known, printed, &run->facts);
        }
        run->printed = options->printed ? printed : NULL;
        any |= run->printed != NULL;
    }
    if (!any) {
        mls_printed_reader_free(reader);
        collection->printed[source] = NULL;
    }
    return status;
}

static mls_status digest_lines(void *state, const mls_lines *lines)
{
    digest_of_source *heard = state;
    heard->cut |= lines->cut;
    mls_digest_feed(&heard->digester, lines->text);
    return MLS_OK;
}

static mls_status collect_digest(void *state, size_t index, mls_sink *sink)
{
    digest_of_source *heard = sink->state;
    (void)state;
    (void)index;
    mls_digest_begin(&heard->digester);
    sink->lines = digest_lines;
    return MLS_OK;
}

/* Gives the runs from `first` on, those of one source, the digest of it. */
static mls_status take_digest(digest_of_source *heard, mls_collection *collection, size_t first)
{
    char digits[MLS_DIGEST_BYTES];
    mls_digest_end(&heard->digester, digits);
    for (size_t i = first; i < collection->run_count && !heard->cut; i++) {
        collection->runs[i].digest = mls_strdup(digits);
        if (collection->runs[i].digest == NULL) {
            return MLS_ERROR_MEMORY;
        }
    }
    return MLS_OK;
}

/* Why a source that was read is of no use; NULL when it is. */
static const char *useless(const mls_read *read, size_t runs, const char *none_read)
{
    return none_read != NULL             ? none_read
           : runs > 0                    ? NULL
           : read->totals.unread != NULL ? read->totals.unread
           : read->totals.bytes == 0     ? "empty"
           : read->totals.binary         ? "binary file"
           : read->totals.records + read->totals.malformed == read->totals.quoted
               ? "no :::MLLOG line"
               : "no run in it: neither init_start nor run_start";
}

static mls_status collect_source(void *state, const mls_read *read)
{
    collecting_state *collecting = state;
    mls_collection *collection = collecting->collection;
    mls_source *source = &collection->skipped.items[read->index];
    const mls_log_totals *totals = &read->totals;
    const size_t runs = collecting->found[read->index].count;
    char words[MLS_NONE_READ_LENGTH];
    const bool none_read =
        runs == 0 && mls_log_none_read(totals->records, totals->malformed - totals->quoted, totals->reason, words);
    const char *reason = read->status != MLS_OK ? read->error.message : useless(read, runs, none_read ? words : NULL);
    source->failed = read->status != MLS_OK || none_read;
    source->finding = none_read ? mls_finding_info_get(MLS_FINDING_MALFORMED)->name : source->finding;
    const bool heard = collection->printed != NULL && collection->printed[read->index] != NULL;
    mls_status status = heard ? take_printed(collecting, read->index) : MLS_OK;
    if (read->heard != NULL) {
        status = take_digest(read->heard, collection, collection->run_count - collecting->found[read->index].count);
    }
    collection->files += read->totals.unread == NULL && (read->status == MLS_OK || read->runs > 0);
    collection->bytes += read->totals.bytes;
    return status == MLS_OK && reason != NULL ? mls_source_skip(source, mls_strdup(reason)) : status;
}

/* Finds the job of each run. */
static mls_status find_jobs(mls_collection *collection)
{
    bool found = true;
    for (size_t i = 0; i < collection->run_count && found; i++) {
        found = mls_run_find_job(&collection->runs[i]);
    }
    return found ? MLS_OK : MLS_ERROR_MEMORY;
}

/* Leaves the sources that were skipped; the runs that are kept are known by the paths of the others. */
static void drop_sources(mls_collection *collection)
{
    mls_sources *sources = &collection->skipped;
    size_t skipped = 0;
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        collection->failed += source->failed;
        if (source->skip != NULL) {
            sources->items[skipped++] = *source;
        } else {
            free(source->path);
        }
    }
    sources->count = skipped;
    if (skipped == 0) {
        free(sources->items);
        *sources = (mls_sources){0};
    }
    mls_fit((void **)&sources->items, sources->count, &sources->capacity, sizeof *sources->items);
}

/* Reads all sources; those left are the ones that were skipped, each run once. */
static mls_status read_all(const mls_collect_options *options, mls_known_settings *known, mls_collection *collection,
                           mls_error *error)
{
    mls_sources *sources = &collection->skipped;
    collecting_state collecting = {.options = options,
                                   .collection = collection,
                                   .found = mls_calloc(sources->count + 1, sizeof *collecting.found),
                                   .known = known};
    bool asked = false;
    for (size_t i = 0; i < sources->count && !asked && options->merge == NULL; i++) {
        asked = is_heard(options, &sources->items[i]);
    }
    const mls_reading reading = {.rules = options->checker.rulesets != NULL ? &options->checker : NULL,
                                 .unread_runs = true,
                                 .steps = true,
                                 .observer = options->observer,
                                 .work = options->work,
                                 .state = &collecting,
                                 .listen = options->digests ? collect_digest
                                           : asked          ? collect_printed
                                                            : NULL,
                                 .heard_size = options->digests ? sizeof(digest_of_source) : 0,
                                 .run = collect_run,
                                 .done = collect_source};
    collection->printed = asked ? mls_calloc(sources->count + 1, sizeof(mls_printed_reader *)) : NULL;
    collection->printed_count = collection->printed != NULL ? sources->count : 0;
    const bool ready = collecting.found != NULL && (collection->printed != NULL || !asked);
    mls_status status = !ready                   ? MLS_ERROR_MEMORY
                        : options->merge != NULL ? mls_merge_read(options->merge, &reading, sources, error)
                                                 : mls_read_sources(&reading, sources->items, sources->count, error);
    if (status == MLS_OK) {
        status = mls_repeats_remove(collection, collecting.found);
        status = status == MLS_OK ? find_jobs(collection) : status;
    }
    free(collecting.found);
    drop_sources(collection);
    return status;
}

/* Looks up what one run of each group printed. */
static mls_status read_facts(mls_known_settings *known, mls_collection *collection)
{
    mls_scan_room *room = NULL;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        mls_run *run = &collection->runs[collection->groups[i].runs[0] - collection->runs];
        if (run->carried != NULL) {
            run->facts = run->carried->facts;
        } else {
            status = mls_facts_read(known, &room, run, &run->facts);
        }
    }
    mls_scan_room_free(room);
    return status;
}

static mls_status score_groups(const mls_collect_options *options, const mls_tree_editions *trees,
                               mls_known_settings *known, mls_collection *collection, mls_error *error)
{
    mls_status status =
        mls_group_runs(collection->runs, collection->run_count, &collection->groups, &collection->group_count);
    if (status == MLS_OK && options->facts == MLS_FACTS_OF_GROUPS) {
        status = read_facts(known, collection);
    }
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        status = mls_group_finish(options, trees, &collection->points, &collection->groups[i], error);
    }
    return status;
}

mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error)
{
    mls_tree_editions trees = {0};
    mls_known_settings known = {0};
    *collection = (mls_collection){0};
    mls_status status = MLS_OK;
    if (options->merge != NULL) {
        mls_merge_sources(options->merge, &collection->skipped);
    } else {
        status = mls_sources_find(paths, path_count, &collection->skipped, error);
        status = status == MLS_OK ? mls_tree_editions_find(paths, path_count, options, &collection->skipped, &trees)
                                  : status;
    }
    status = status == MLS_OK ? read_all(options, &known, collection, error) : status;
    if (status == MLS_OK && !options->runs_only) {
        status = score_groups(options, &trees, &known, collection, error);
    }
    mls_tree_editions_release(&trees);
    mls_known_settings_release(&known);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

void mls_collection_release(mls_collection *collection)
{
    for (size_t i = 0; i < collection->group_count && collection->groups != NULL; i++) {
        mls_group_release(&collection->groups[i]);
    }
    free(collection->groups);
    mls_rcp_sets_release(&collection->points);
    for (size_t i = 0; i < collection->run_count; i++) {
        mls_run_release(&collection->runs[i]);
    }
    free(collection->runs);
    for (size_t i = 0; i < collection->printed_count; i++) {
        mls_printed_reader_free(collection->printed[i]);
    }
    free(collection->printed);
    mls_setups_free(collection->setups);
    mls_sources_release(&collection->skipped);
    *collection = (mls_collection){0};
}
