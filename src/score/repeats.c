/* SPDX-License-Identifier: Apache-2.0 */
/* repeats.c - the same run in two logs, which counts once, and runs that have too much. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "run/tracked.h"
#include "score/slurm.h"

static bool is_slurm_out(const char *path)
{
    const mls_str name = mls_str_from(mls_path_name(path));
    return mls_str_starts(name, MLS_S("slurm-")) && mls_str_ends(name, MLS_S(".out"));
}

/* Same runs become neighbours, the one that stays first. */
static int compare_repeats(const void *left, const void *right)
{
    const mls_repeat *a = left;
    const mls_repeat *b = right;
    int order = mls_run_times_compare(&a->times, &b->times);
    order = order != 0 ? order : is_slurm_out(a->path) - is_slurm_out(b->path);
    order = order != 0 ? order : mls_compare_sizes(a->found->count, b->found->count);
    return order != 0 ? order : mls_compare_sizes(a->run, b->run);
}

mls_status mls_repeats_find(mls_repeat *all, size_t count, mls_repeat_gone *gone, void *state)
{
    mls_status status = MLS_OK;
    if (count > 1) {
        qsort(all, count, sizeof *all, compare_repeats);
    }
    for (size_t i = 1, stays = 0; i < count && status == MLS_OK; i++) {
        if (mls_run_times_compare(&all[stays].times, &all[i].times) != 0) {
            stays = i;
            continue;
        }
        mls_source_runs *runs = all[i].found;
        runs->several |= runs->repeated++ > 0 && runs->other != all[stays].path;
        runs->other = runs->other != NULL ? runs->other : all[stays].path;
        status = gone(state, all[stays].run, all[i].run);
    }
    return status;
}

mls_status mls_source_skip(mls_source *source, char *reason)
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
    return mls_source_skip(source, mls_buffer_detach(&reason));
}

mls_status mls_repeats_say(const mls_sources *sources, const mls_source_runs *found)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sources->count && status == MLS_OK; i++) {
        if (found[i].repeated > 0 && found[i].repeated == found[i].count) {
            status = set_repeats(&sources->items[i], &found[i]);
        }
    }
    return status;
}

/* The job's own output may know more about the job than the trial's log. */
static mls_status leave_out_run(void *state, size_t stays, size_t gone)
{
    mls_run *runs = ((const mls_collection *)state)->runs;
    const bool ok = mls_job_inherit(&runs[stays].job, &runs[gone].job);
    mls_run_release(&runs[gone]);
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

mls_status mls_repeats_remove(mls_collection *collection, mls_source_runs *found)
{
    const size_t run_count = collection->run_count;
    mls_repeat *all = mls_calloc(run_count + 1, sizeof *all);
    mls_source *sources = collection->skipped.items;
    size_t used = 0;
    size_t next = 0;
    for (size_t i = 0; i < collection->skipped.count && all != NULL; i++) {
        for (const size_t end = next + found[i].count; next < end; next++) {
            const mls_run *run = &collection->runs[next];
            all[used] = (mls_repeat){mls_run_times_of(run), next, &found[i], sources[i].path};
            used += !sources[i].result && mls_run_exists(run);
        }
    }
    mls_status status = all != NULL ? mls_repeats_find(all, used, leave_out_run, collection) : MLS_ERROR_MEMORY;
    status = status == MLS_OK ? mls_repeats_say(&collection->skipped, found) : status;
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
