/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect.c - paths → runs, each of them once → groups with their scores and
 * the energy of those that have power files.
 */
#include "mlscore/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "score/energy.h"
#include "score/score.h"
#include "slurm/slurm.h"

/* ------------------------------------------ runs that stand in two files */

/* A run, and what decides which of several same ones stays. */
typedef struct repeat {
    mls_run *run;
    size_t file;
    size_t file_runs;
    bool slurm_out;
} repeat;

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* Same runs become neighbours, the one that stays first. */
static int compare_repeats(const void *left, const void *right)
{
    const repeat *a = left;
    const repeat *b = right;
    int order = mls_run_compare(a->run, b->run);
    order = order != 0 ? order : a->slurm_out - b->slurm_out;
    order = order != 0 ? order : compare_sizes(a->file_runs, b->file_runs);
    order = order != 0 ? order : compare_sizes(a->file, b->file);
    return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

static bool is_slurm_out(const char *path)
{
    const mls_str name = mls_str_from(mls_path_name(path));
    return mls_str_starts(name, MLS_S("slurm-")) && mls_str_ends(name, MLS_S(".out"));
}

/* Closes the gaps that removed runs have left. */
static void compact(mls_repeat_file *file)
{
    const size_t before = file->run_count;
    file->run_count = 0;
    for (size_t i = 0; i < before; i++) {
        if (mls_run_exists(&file->runs[i])) {
            file->runs[file->run_count++] = file->runs[i];
        }
    }
    file->repeated = before - file->run_count;
}

mls_status mls_repeats_remove(mls_repeat_file *files, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += files[i].excluded ? 0 : files[i].run_count;
    }
    repeat *all = calloc(total + 1, sizeof *all);
    mls_status status = all != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    size_t used = 0;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        for (size_t k = 0; !files[i].excluded && k < files[i].run_count; k++) {
            all[used++] = (repeat){&files[i].runs[k], i, files[i].run_count, is_slurm_out(files[i].path)};
        }
    }
    if (status == MLS_OK && used > 1) {
        qsort(all, used, sizeof *all, compare_repeats);
    }
    for (size_t i = 1, stays = 0; i < used && status == MLS_OK; i++) {
        if (mls_run_compare(all[stays].run, all[i].run) != 0) {
            stays = i;
            continue;
        }
        mls_repeat_file *file = &files[all[i].file];
        const char *other = files[all[stays].file].path;
        file->several |= file->other != NULL && file->other != other;
        file->other = file->other != NULL ? file->other : other;
        /* The job's own output may know more about the job than the trial's log. */
        status = mls_job_inherit(&all[stays].run->job, &all[i].run->job) ? MLS_OK : MLS_ERROR_MEMORY;
        mls_run_release(all[i].run);
    }
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        if (!files[i].excluded) {
            compact(&files[i]);
        }
    }
    free(all);
    return status;
}

char *mls_repeat_reason(const mls_repeat_file *file)
{
    mls_buffer reason = {0};
    if (file->repeated == 1) {
        mls_buffer_printf(&reason, "repeats the run in %s", mls_path_name(file->other));
    } else {
        mls_buffer_printf(&reason, "repeats the %zu runs of %s%s", file->repeated, mls_path_name(file->other),
                          file->several ? " and others" : "");
    }
    return mls_buffer_detach(&reason);
}

/* ----------------------------------------------------------- power files */

#define MILLISECONDS_PER_MINUTE 60000.0

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Adds to *joules what a file says, if it is a power file; NAN with a finding when it does not tell. */
static mls_status add_file(const mls_source *source, double time_ms, mls_group *group, double *joules, size_t *counted)
{
    const mls_str name = mls_str_from(mls_path_name(source->path));
    const bool node = mls_str_starts(name, MLS_S("node_"));
    if (!source->failed && !(mls_str_ends(name, MLS_S(".txt")) && (node || mls_str_starts(name, MLS_S("sw_"))))) {
        return MLS_OK;
    }
    ++*counted;
    if (source->skip != NULL) {
        /* Without this file the sum would be too small. */
        mls_findings_add(&group->findings, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = source->path}, "%s",
                         source->skip);
        *joules = (double)NAN;
        return MLS_OK;
    }
    const mls_status status =
        mls_energy_read(mls_source_open(source), node, time_ms, source->path, &group->findings, joules);
    return status == MLS_ERROR_READ ? MLS_OK : status;
}

/* The sum over the files of one run's folder; NAN, with a finding, when it cannot be told. */
static mls_status read_folder(const char *folder, double time_ms, mls_group *group, double *joules)
{
    mls_sources files = {0};
    mls_error error;
    size_t counted = 0;
    mls_status status = is_folder(folder) ? mls_sources_find(&folder, 1, &files, &error) : MLS_OK;
    *joules = 0;
    for (size_t i = 0; i < files.count && status == MLS_OK; i++) {
        status = add_file(&files.items[i], time_ms, group, joules, &counted);
    }
    mls_sources_release(&files);
    if (counted == 0) {
        mls_findings_add(&group->findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = folder},
                         "the run has no power files");
        *joules = (double)NAN;
    }
    return status;
}

/* "<group>/power/result_0" for the run of "<group>/result_0.txt". */
static char *folder_of(const mls_group *group, const mls_run *run)
{
    mls_buffer path = {0};
    const mls_str name = mls_str_from(mls_path_name(run->file));
    mls_buffer_printf(&path, "%s/power/", group->path);
    mls_buffer_append(&path, (mls_str){name.ptr, name.len - (sizeof ".txt" - 1)});
    return mls_buffer_detach(&path);
}

static bool has_power(const mls_group *group)
{
    mls_buffer path = {0};
    mls_buffer_printf(&path, "%s/power", group->path);
    const bool has = group->result_folder && !path.failed && is_folder(path.ptr);
    mls_buffer_release(&path);
    return has;
}

/*
 * <group>/power/result_<i>/node_<k>.txt and sw_<k>.txt belong to the run of
 * <group>/result_<i>.txt.  What is wrong with them becomes findings of the
 * group.  MLS_OK or MLS_ERROR_MEMORY.
 */
static mls_status read_power(mls_group *group)
{
    mls_status status = MLS_OK;
    if (!has_power(group)) {
        return MLS_OK;
    }
    group->power.joules = calloc(group->run_count, sizeof *group->power.joules);
    if (group->power.joules == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < group->run_count && status == MLS_OK; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        group->power.joules[i] = (double)NAN;
        /* What a run without a time lacks is said of the run. */
        if (isfinite(minutes)) {
            char *folder = folder_of(group, group->runs[i]);
            status = folder != NULL
                         ? read_folder(folder, minutes * MILLISECONDS_PER_MINUTE, group, &group->power.joules[i])
                         : MLS_ERROR_MEMORY;
            free(folder);
        }
    }
    mls_group_energy(group);
    return status == MLS_OK && group->findings.out_of_memory ? MLS_ERROR_MEMORY : status;
}

/* ------------------------------------------------------------ collecting */

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
            status = read_power(&collection->groups[i]);
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
