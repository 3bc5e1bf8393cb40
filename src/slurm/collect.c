/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - paths → runs, each once → groups with their scores and the energy of those that have power files. */
#include "slurm/collect.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "score/score.h"
#include "settings/settings.h"
#include "slurm/merge.h"
#include "slurm/sacct.h"
#include "slurm/slurm.h"

/* A run, and what decides which of several same ones stays. */
typedef struct repeat {
    mls_run *run;
    mls_source_runs *found; /* in its source */
    const char *path;
} repeat;

static bool is_slurm_out(const char *path)
{
    const mls_str name = mls_str_from(mls_path_name(path));
    return mls_str_starts(name, MLS_S("slurm-")) && mls_str_ends(name, MLS_S(".out"));
}

/* Same runs become neighbours, the one that stays first. */
static int compare_repeats(const void *left, const void *right)
{
    const repeat *a = left;
    const repeat *b = right;
    int order = mls_run_compare(a->run, b->run);
    order = order != 0 ? order : is_slurm_out(a->path) - is_slurm_out(b->path);
    order = order != 0 ? order : mls_compare_sizes(a->found->count, b->found->count);
    return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

/* Takes the reason over. */
static mls_status set_skip(mls_source *source, char *reason)
{
    free(source->skip);
    source->skip = reason;
    return reason != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

/* Why a source that has only runs of others is of no use: "repeats the run in x.log". */
static mls_status set_repeats(mls_source *source, const mls_source_runs *runs)
{
    mls_buffer reason = {0};
    if (runs->repeated == 1) {
        mls_buffer_printf(&reason, "repeats the run in %s", mls_path_name(runs->other));
    } else {
        mls_buffer_printf(&reason, "repeats the %zu runs of %s%s", runs->repeated, mls_path_name(runs->other),
                          runs->several ? " and others" : "");
    }
    return set_skip(source, mls_buffer_detach(&reason));
}

mls_status mls_repeats_remove(mls_collection *collection, mls_source_runs *found)
{
    const size_t run_count = collection->run_count;
    repeat *all = calloc(run_count + 1, sizeof *all);
    mls_status status = all != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    mls_source *sources = collection->skipped.items;
    size_t used = 0;
    size_t next = 0;
    for (size_t i = 0; i < collection->skipped.count && status == MLS_OK; i++) {
        for (const size_t end = next + found[i].count; next < end; next++) {
            all[used] = (repeat){&collection->runs[next], &found[i], sources[i].path};
            used += !sources[i].result && mls_run_exists(&collection->runs[next]);
        }
    }
    if (used > 1) {
        qsort(all, used, sizeof *all, compare_repeats);
    }
    for (size_t i = 1, stays = 0; i < used && status == MLS_OK; i++) {
        if (mls_run_compare(all[stays].run, all[i].run) != 0) {
            stays = i;
            continue;
        }
        mls_source_runs *runs = all[i].found;
        runs->several |= runs->repeated++ > 0 && runs->other != all[stays].path;
        runs->other = runs->other != NULL ? runs->other : all[stays].path;
        /* The job's own output may know more about the job than the trial's log. */
        status = mls_job_inherit(&all[stays].run->job, &all[i].run->job) ? MLS_OK : MLS_ERROR_MEMORY;
        mls_run_release(all[i].run);
    }
    for (size_t i = 0; i < collection->skipped.count && status == MLS_OK; i++) {
        if (found[i].repeated > 0 && found[i].repeated == found[i].count) {
            status = set_repeats(&sources[i], &found[i]);
        }
    }
    /* Closes the gaps that removed runs have left. */
    collection->run_count = 0;
    for (size_t i = 0; i < run_count; i++) {
        if (collection->runs[i].file != NULL) {
            collection->runs[collection->run_count++] = collection->runs[i];
        }
    }
    free(all);
    return status;
}

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
    const collecting_state *collecting = state;
    mls_collection *to = collecting->collection;
    const bool wanted = collecting->options->named_runs && to->skipped.items[index].named && !part;
    if (!mls_run_exists(run) && !run->result && !wanted) {
        return MLS_OK;
    }
    if (!mls_grow((void **)&to->runs, to->run_count, &to->run_capacity, sizeof *to->runs)) {
        return MLS_ERROR_MEMORY;
    }
    run->part = part;
    const bool kept =
        mls_setups_keep(&to->setups, run, !collecting->options->score.unchecked) && mls_run_note_name(run);
    if (run->carried != NULL && collecting->options->facts == MLS_FACTS_OF_RUNS) {
        run->facts = run->carried->heard;
    }
    if (run->carried != NULL && run->carried->has_printed && collecting->options->printed) {
        run->printed = &run->carried->printed;
    }
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
        collection->runs[i].digest = strdup(digits);
        if (collection->runs[i].digest == NULL) {
            return MLS_ERROR_MEMORY;
        }
    }
    return MLS_OK;
}

/* Why a source that was read is of no use; NULL when it is. */
static const char *useless(const mls_read *read, size_t runs)
{
    return runs > 0                                             ? NULL
           : read->totals.unread != NULL                        ? read->totals.unread
           : read->totals.bytes == 0                            ? "empty"
           : read->totals.binary                                ? "binary file"
           : read->totals.records + read->totals.malformed == 0 ? "no :::MLLOG line"
                                                                : "no run in it: neither init_start nor run_start";
}

static mls_status collect_source(void *state, const mls_read *read)
{
    const collecting_state *collecting = state;
    mls_collection *collection = collecting->collection;
    mls_source *source = &collection->skipped.items[read->index];
    const char *reason =
        read->status != MLS_OK ? read->error.message : useless(read, collecting->found[read->index].count);
    source->failed = read->status != MLS_OK;
    const bool heard = collection->printed != NULL && collection->printed[read->index] != NULL;
    mls_status status = heard ? take_printed(collecting, read->index) : MLS_OK;
    if (read->heard != NULL) {
        status = take_digest(read->heard, collection, collection->run_count - collecting->found[read->index].count);
    }
    collection->files += read->totals.unread == NULL && (read->status == MLS_OK || read->runs > 0);
    collection->bytes += read->totals.bytes;
    return status == MLS_OK && reason != NULL ? set_skip(source, strdup(reason)) : status;
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

/* Reads all sources; those left are the ones that were skipped, each run once. */
static mls_status read_all(const mls_collect_options *options, mls_known_settings *known, mls_collection *collection,
                           mls_error *error)
{
    mls_sources *sources = &collection->skipped;
    collecting_state collecting = {options, collection, calloc(sources->count + 1, sizeof *collecting.found), known};
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
    collection->printed = asked ? calloc(sources->count + 1, sizeof(mls_printed_reader *)) : NULL;
    collection->printed_count = collection->printed != NULL ? sources->count : 0;
    const bool ready = collecting.found != NULL && (collection->printed != NULL || !asked);
    mls_status status = !ready                   ? MLS_ERROR_MEMORY
                        : options->merge != NULL ? mls_merge_read(options->merge, &reading, sources, error)
                                                 : mls_read_sources(&reading, sources->items, sources->count, error);
    status = status == MLS_OK ? mls_repeats_remove(collection, collecting.found) : status;
    status = status == MLS_OK ? find_jobs(collection) : status;
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
    free(collecting.found);
    return status;
}

static mls_usage usage_of(const mls_collect_options *options, const mls_group *group)
{
    return options->any_usage
               ? mls_editions_usage_of(options->score.editions, options->usage, mls_str_from(group->runs[0]->benchmark))
               : options->usage;
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
    mls_score_options how = options->score;
    how.points = &collection->points;
    mls_status status =
        mls_group_runs(collection->runs, collection->run_count, &collection->groups, &collection->group_count);
    if (status == MLS_OK && options->facts == MLS_FACTS_OF_GROUPS) {
        status = read_facts(known, collection);
    }
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        collection->groups[i].usage = usage_of(options, &collection->groups[i]);
        collection->groups[i].edition = options->edition;
        status = mls_tree_editions_tell(trees, how.editions, &collection->groups[i]);
        status = status == MLS_OK ? mls_group_score(&collection->groups[i], &how, error) : status;
        status = status == MLS_OK ? mls_group_power(&collection->groups[i]) : status;
        status = status == MLS_OK ? mls_group_environment(&collection->groups[i]) : status;
    }
    return status;
}

mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error)
{
    mls_tree_editions trees = {0};
    mls_known_settings known = {0};
    *collection = (mls_collection){0};
    mls_status status = options->merge != NULL ? mls_merge_sources(options->merge, &collection->skipped)
                                               : mls_sources_find(paths, path_count, &collection->skipped, error);
    if (status == MLS_OK && options->merge == NULL) {
        status = mls_tree_editions_find(paths, path_count, options, &collection->skipped, &trees);
    }
    status = status == MLS_OK ? read_all(options, &known, collection, error) : status;
    status =
        status == MLS_OK && !options->runs_only ? score_groups(options, &trees, &known, collection, error) : status;
    mls_tree_editions_release(&trees);
    mls_known_settings_release(&known);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

void mls_collection_release(mls_collection *collection)
{
    for (size_t i = 0; i < collection->group_count; i++) {
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
