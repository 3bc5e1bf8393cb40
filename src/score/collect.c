/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - collect runs from paths, remove duplicates, sort the runs into groups, and compute the score and the
 * energy of each group. */
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
#include "score/part.h"
#include "score/score.h"

static mls_status read_all(const mls_collect_options *options, mls_sources *sources, mls_collection *collection,
                           mls_error *error);
static mls_status finish_group(const mls_collect_options *options, const mls_tree_editions *trees,
                               mls_collection *collection, mls_group *group, mls_error *error);

mls_status mls_collect(const char *const *paths, size_t path_count, const mls_collect_options *options,
                       mls_collection *collection, mls_error *error)
{
    mls_tree_editions trees = {0};
    mls_known_settings known = {0};
    mls_scan_room *room = NULL;
    mls_sources sources = {0};
    *collection = (mls_collection){.observer = options->observer};
    mls_status status = MLS_OK;
    if (options->merge != NULL) {
        mls_merge_sources(options->merge, &sources);
    } else {
        status = mls_sources_find(paths, path_count, &sources, error);
        if (status == MLS_OK)
            mls_tree_editions_find(paths, path_count, options, &sources, &trees);
    }
    if (status == MLS_OK)
        status = read_all(options, &sources, collection, error);
    else
        mls_sources_release(&sources);
    if (status == MLS_OK && !options->runs_only)
        mls_group_runs(collection->runs, collection->run_count, &collection->groups, &collection->group_count);
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        const size_t first = (size_t)(collection->groups[i].runs[0] - collection->runs);
        if (options->facts == MLS_FACTS_OF_GROUPS && collection->extra != NULL)
            collection->runs[first].facts = collection->extra[first]->facts;
        else if (options->facts == MLS_FACTS_OF_GROUPS)
            status = mls_run_read_facts(&known, &room, &collection->runs[first]);
        if (status == MLS_OK)
            status = finish_group(options, &trees, collection, &collection->groups[i], error);
    }
    mls_scan_room_free(room);
    mls_known_settings_release(&known);
    mls_tree_editions_release(&trees);
    return status;
}

/* State of the callbacks while reading. */
typedef struct collecting_state {
    const mls_collect_options *options;
    mls_collection *collection;
    mls_sources *sources;
    mls_source_runs *found; /* one element per source */
} collecting_state;

/* State of the listener that computes the checksum of a source.  A source with a truncated line does not get a
 * checksum.
 */
typedef struct digest_of_source {
    mls_digester digester;
    bool cut; /* the source contains a truncated line */
} digest_of_source;

static mls_status collect_run(void *state, size_t index, mls_run *run, void **notes);
static mls_status collect_digest(void *state, size_t index, mls_sink *sink);
static mls_status collect_source(void *state, const mls_read *read);

/* Read all sources, remove duplicate runs, and move the skipped sources to the collection. */
static mls_status read_all(const mls_collect_options *options, mls_sources *sources, mls_collection *collection,
                           mls_error *error)
{
    collecting_state collecting = {.options = options,
                                   .collection = collection,
                                   .sources = sources,
                                   .found = mls_calloc(sources->count + 1, sizeof *collecting.found)};
    const mls_reading reading = {.rules = options->checker.rulesets != NULL ? &options->checker : NULL,
                                 .unread_runs = true,
                                 .steps = true,
                                 .observer = options->observer,
                                 .printed = options->printed || options->facts == MLS_FACTS_OF_RUNS ? MLS_PRINTED_OF_ALL
                                            : options->facts == MLS_FACTS_OF_GROUPS ? MLS_PRINTED_OF_PIPES
                                                                                    : MLS_PRINTED_OF_NONE,
                                 .work = options->work,
                                 .state = &collecting,
                                 .listen = options->digests ? collect_digest : NULL,
                                 .listener_size = options->digests ? sizeof(digest_of_source) : 0,
                                 .run = collect_run,
                                 .done = collect_source};
    mls_status status = options->merge != NULL ? mls_merge_read(options->merge, &reading, sources)
                                               : mls_read_sources(&reading, sources->items, sources->count, error);
    if (status == MLS_OK) {
        mls_repeats_remove(collection, sources, collecting.found);
        for (size_t i = 0; i < collection->run_count; i++)
            mls_run_find_job(&collection->runs[i]);
    }
    free(collecting.found);
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        collection->failed += source->failed;
        if (source->skip != NULL) {
            MLS_GROW(&collection->skipped, items);
            collection->skipped.items[collection->skipped.count++] = *source;
        } else {
            free(source->path);
        }
    }
    free(sources->items);
    return status;
}

/* Add a run to the collection, unless it has neither init_start nor run_start.  Add runs of result_*.txt files, and
 * with named_runs those of files that the user named, in any case. */
static mls_status collect_run(void *state, size_t index, mls_run *run, void **notes)
{
    collecting_state *collecting = state;
    const mls_collect_options *options = collecting->options;
    mls_collection *to = collecting->collection;
    const mls_source *source = &collecting->sources->items[index];
    const bool wanted = options->named_runs && source->named && !run->part;
    if (!mls_run_exists(run) && !run->result && !wanted)
        return MLS_OK;
    mls_grow((void **)&to->runs, to->run_count, &to->run_capacity, sizeof *to->runs);
    if (options->observer != NULL) {
        to->notes = mls_realloc((void *)to->notes, to->run_capacity * sizeof *to->notes);
        to->notes[to->run_count] = *notes;
        *notes = NULL;
    }
    if (options->merge != NULL) {
        to->extra = mls_realloc((void *)to->extra, to->run_capacity * sizeof *to->extra);
        to->extra[to->run_count] = options->merge->extra;
        run->facts = options->facts == MLS_FACTS_OF_RUNS ? run->facts : (mls_printed_facts){0};
    }
    mls_setups_keep(&to->setups, run, !options->score.unchecked);
    mls_run_note_name(run);
    if (!options->printed) {
        mls_printed_release(run->printed);
        run->printed = NULL;
    }
    to->runs[to->run_count++] = *run;
    collecting->found[index].count++;
    mls_run_init(run);
    return MLS_OK;
}

static mls_status digest_lines(void *state, const mls_lines *lines);

static mls_status collect_digest(void *state, size_t index, mls_sink *sink)
{
    digest_of_source *heard = sink->state;
    (void)state;
    (void)index;
    mls_digest_begin(&heard->digester);
    sink->lines = digest_lines;
    return MLS_OK;
}

static mls_status digest_lines(void *state, const mls_lines *lines)
{
    digest_of_source *heard = state;
    heard->cut |= lines->cut;
    mls_digest_feed(&heard->digester, lines->text);
    return MLS_OK;
}

static mls_status collect_source(void *state, const mls_read *read)
{
    collecting_state *collecting = state;
    mls_collection *collection = collecting->collection;
    mls_source *source = &collecting->sources->items[read->index];
    const mls_log_totals *totals = &read->totals;
    const size_t runs = collecting->found[read->index].count;
    char words[MLS_NONE_READ_LENGTH];
    const bool none_read =
        runs == 0 && mls_log_none_read(totals->records, totals->malformed - totals->quoted, totals->reason, words);
    const char *reason = read->status != MLS_OK   ? read->error.message
                         : none_read              ? words
                         : runs > 0               ? NULL
                         : totals->unread != NULL ? totals->unread
                         : totals->bytes == 0     ? "empty"
                         : totals->binary         ? "binary file"
                         : totals->records + totals->malformed == totals->quoted
                             ? "no :::MLLOG line"
                             : "no run: neither init_start nor run_start";
    source->failed = read->status != MLS_OK || none_read;
    source->finding = none_read ? mls_finding_info_get(MLS_FINDING_MALFORMED)->name : source->finding;
    if (read->listener_data != NULL) { /* set the checksum of the source for its runs */
        digest_of_source *heard = read->listener_data;
        char digits[MLS_DIGEST_BYTES];
        mls_digest_end(&heard->digester, digits);
        for (size_t i = collection->run_count - runs; i < collection->run_count && !heard->cut; i++)
            collection->runs[i].digest = mls_strdup(digits);
    }
    collection->files += totals->unread == NULL && (read->status == MLS_OK || read->runs > 0);
    collection->bytes += totals->bytes;
    if (reason != NULL) {
        free(source->skip);
        source->skip = mls_strdup(reason);
    }
    return MLS_OK;
}

/* A run that may be in several sources. */
typedef struct repeat {
    mls_run_times times;
    size_t run;             /* index of the run in the collection */
    mls_source_runs *found; /* the runs found in the same source */
    const char *path;
} repeat;

static int compare_repeats(const void *left, const void *right);

void mls_repeats_remove(mls_collection *collection, mls_sources *list, mls_source_runs *found)
{
    mls_run *runs = collection->runs;
    const size_t run_count = collection->run_count;
    repeat *all = mls_calloc(run_count + 1, sizeof *all);
    mls_source *sources = list->items;
    size_t used = 0;
    size_t next = 0;
    for (size_t i = 0; i < list->count; i++) {
        for (const size_t end = next + found[i].count; next < end; next++) {
            all[used] = (repeat){mls_run_times_of(&runs[next]), next, &found[i], sources[i].path};
            used += !sources[i].result && mls_run_exists(&runs[next]);
        }
    }
    if (used > 1)
        qsort(all, used, sizeof *all, compare_repeats);
    for (size_t i = 1, stays = 0; i < used; i++) {
        if (mls_run_times_compare(&all[stays].times, &all[i].times) != 0) {
            stays = i;
            continue;
        }
        mls_source_runs *source = all[i].found;
        source->several |= source->repeated++ > 0 && source->other != all[stays].path;
        source->other = source->other != NULL ? source->other : all[stays].path;
        /* Keep facts about the job from the duplicate: slurm-*.out may contain facts that the kept log does not. */
        mls_job_inherit(&runs[all[stays].run].job, &runs[all[i].run].job);
        mls_run_release(&runs[all[i].run]);
        if (collection->notes != NULL)
            mls_notes_release(collection->observer, &collection->notes[all[i].run]);
    }
    /* Skip sources that contain only duplicates. */
    for (size_t i = 0; i < list->count; i++) {
        const mls_source_runs *source = &found[i];
        mls_buffer reason = {0};
        if (source->repeated == 0 || source->repeated < source->count)
            continue;
        if (source->repeated == 1) {
            mls_buffer_printf(&reason, "repeats the run in %s", mls_path_name(source->other));
        } else {
            mls_buffer_printf(&reason, "repeats the %zu runs of %s%s", source->repeated, mls_path_name(source->other),
                              source->several ? " and others" : "");
        }
        free(sources[i].skip);
        sources[i].skip = mls_buffer_detach(&reason);
    }
    /* Close the gaps that removed runs left in the arrays. */
    collection->run_count = 0;
    for (size_t i = 0; i < run_count; i++) {
        if (runs[i].file != NULL) {
            if (collection->notes != NULL)
                collection->notes[collection->run_count] = collection->notes[i];
            if (collection->extra != NULL)
                collection->extra[collection->run_count] = collection->extra[i];
            runs[collection->run_count++] = runs[i];
        }
    }
    free(all);
}

static bool is_slurm_out(const char *path)
{
    const mls_str name = mls_str_from(mls_path_name(path));
    return mls_str_starts(name, MLS_S("slurm-")) && mls_str_ends(name, MLS_S(".out"));
}

/* Compare runs so that sorting makes duplicates adjacent and puts the run to keep first. */
static int compare_repeats(const void *left, const void *right)
{
    const repeat *a = left;
    const repeat *b = right;
    int order = mls_run_times_compare(&a->times, &b->times);
    order = order != 0 ? order : is_slurm_out(a->path) - is_slurm_out(b->path);
    order = order != 0 ? order : mls_compare_sizes(a->found->count, b->found->count);
    return order != 0 ? order : mls_compare_sizes(a->run, b->run);
}

/* Score a group, and describe its system.  Take data beside its logs from the merge if there is one, otherwise read it
 * from files. */
static mls_status finish_group(const mls_collect_options *options, const mls_tree_editions *trees,
                               mls_collection *collection, mls_group *group, mls_error *error)
{
    const mls_run *first = group->runs[0];
    const mls_str folder = mls_group_folder(group);
    mls_score_options how = options->score;
    mls_arena arena = {0};
    mls_place place = {0};
    mls_status status = MLS_OK;
    how.points = &collection->points;
    group->usage = options->any_usage
                       ? mls_editions_usage_of(how.editions, options->usage, mls_str_from(first->benchmark))
                       : options->usage;
    group->edition = options->edition;
    if (options->merge != NULL)
        place = mls_merge_place(options->merge, mls_path_folder(mls_str_from(first->file)));
    else
        mls_place_find_tree(trees, first->file, &place);
    if (group->result_folder && place.edition != NULL) {
        const mls_edition *edition = NULL;
        status = mls_editions_find(how.editions, place.usage, mls_str_from(place.edition), &edition, NULL);
        if (status == MLS_OK && place.usage == group->usage) {
            group->edition = edition;
            group->edition_guessed = true;
            group->edition_by_date = place.by_date;
        }
    }
    status = status == MLS_OK ? mls_group_score(group, &how, error) : status;
    for (size_t i = 0; i < group->run_count && status == MLS_OK && group->result_folder; i++) {
        mls_run_extra looked = {0};
        const mls_run_extra *extra =
            collection->extra != NULL ? collection->extra[group->runs[i] - collection->runs] : &looked;
        if (collection->extra == NULL)
            mls_run_extra_find_power(group->runs[i], &looked);
        if (i == 0 && extra->has_power)
            group->power.joules = mls_calloc(group->run_count, sizeof *group->power.joules);
        if (group->power.joules == NULL)
            break;
        group->power.joules[i] = extra->joules;
        mls_findings_append_in_order(&group->findings, &extra->power);
        mls_run_extra_release(&looked);
    }
    if (status == MLS_OK) {
        mls_group_energy(group);
        if (folder.ptr != NULL && options->merge == NULL)
            mls_place_find_system(folder, &arena, &place);
        mls_group_describe(group, mls_str_from(folder.ptr != NULL ? place.system : NULL),
                           folder.ptr != NULL ? place.description : (mls_str){0});
        mls_group_find_precision(group, folder);
    }
    mls_arena_release(&arena);
    return status;
}

void *mls_collection_notes(const mls_collection *collection, const mls_run *run)
{
    return collection->notes != NULL ? collection->notes[run - collection->runs] : NULL;
}

void mls_collection_keep_precision(mls_collection *collection, const char *precision)
{
    size_t kept = 0;
    for (size_t i = 0; i < collection->group_count; i++) {
        mls_group *group = &collection->groups[i];
        if (group->precision.value != NULL && strcmp(group->precision.value, precision) == 0)
            collection->groups[kept++] = *group;
        else
            mls_group_release(group);
    }
    collection->group_count = kept;
}

void mls_collection_release(mls_collection *collection)
{
    for (size_t i = 0; i < collection->group_count; i++)
        mls_group_release(&collection->groups[i]);
    free(collection->groups);
    mls_rcp_sets_release(&collection->points);
    for (size_t i = 0; i < collection->run_count; i++) {
        mls_run_release(&collection->runs[i]);
        if (collection->notes != NULL)
            mls_notes_release(collection->observer, &collection->notes[i]);
    }
    free(collection->runs);
    free((void *)collection->notes);
    free((void *)collection->extra);
    mls_setups_free(collection->setups);
    mls_sources_release(&collection->skipped);
    *collection = (mls_collection){0};
}
