/* SPDX-License-Identifier: Apache-2.0 */
/* repeats.c - the same run in two logs, which counts once, and runs that have too much. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "score/score.h"

/* A run that may stand in another source too.  `run` is its number, in the order of sources. */
typedef struct repeat {
    mls_run_times times;
    size_t run;
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
    int order = mls_run_times_compare(&a->times, &b->times);
    order = order != 0 ? order : is_slurm_out(a->path) - is_slurm_out(b->path);
    order = order != 0 ? order : mls_compare_sizes(a->found->count, b->found->count);
    return order != 0 ? order : mls_compare_sizes(a->run, b->run);
}

void mls_source_skip(mls_source *source, char *reason)
{
    free(source->skip);
    source->skip = reason;
}

/* Why a source that has only runs of others is of no use: "repeats the run in x.log". */
static void say_repeats(mls_source *source, const mls_source_runs *runs)
{
    mls_buffer reason = {0};
    if (runs->repeated == 1) {
        mls_buffer_printf(&reason, "repeats the run in %s", mls_path_name(runs->other));
    } else {
        mls_buffer_printf(&reason, "repeats the %zu runs of %s%s", runs->repeated, mls_path_name(runs->other),
                          runs->several ? " and others" : "");
    }
    mls_source_skip(source, mls_buffer_detach(&reason));
}

void mls_repeats_remove(mls_collection *collection, mls_source_runs *found)
{
    mls_run *runs = collection->runs;
    const size_t run_count = collection->run_count;
    repeat *all = mls_calloc(run_count + 1, sizeof *all);
    mls_source *sources = collection->skipped.items;
    size_t used = 0;
    size_t next = 0;
    for (size_t i = 0; i < collection->skipped.count; i++) {
        for (const size_t end = next + found[i].count; next < end; next++) {
            all[used] = (repeat){mls_run_times_of(&runs[next]), next, &found[i], sources[i].path};
            used += !sources[i].result && mls_run_exists(&runs[next]);
        }
    }
    if (used > 1) {
        qsort(all, used, sizeof *all, compare_repeats);
    }
    for (size_t i = 1, stays = 0; i < used; i++) {
        if (mls_run_times_compare(&all[stays].times, &all[i].times) != 0) {
            stays = i;
            continue;
        }
        mls_source_runs *source = all[i].found;
        source->several |= source->repeated++ > 0 && source->other != all[stays].path;
        source->other = source->other != NULL ? source->other : all[stays].path;
        /* The job's own output may know more about the job than the trial's log. */
        mls_job_inherit(&runs[all[stays].run].job, &runs[all[i].run].job);
        mls_run_release(&runs[all[i].run]);
        if (collection->notes != NULL) {
            mls_notes_release(collection->observer, &collection->notes[all[i].run]);
        }
    }
    for (size_t i = 0; i < collection->skipped.count; i++) {
        if (found[i].repeated > 0 && found[i].repeated == found[i].count) {
            say_repeats(&sources[i], &found[i]);
        }
    }
    /* Closes the gaps that removed runs have left. */
    collection->run_count = 0;
    for (size_t i = 0; i < run_count; i++) {
        if (runs[i].file != NULL) {
            if (collection->notes != NULL) {
                collection->notes[collection->run_count] = collection->notes[i];
            }
            if (collection->extra != NULL) {
                collection->extra[collection->run_count] = collection->extra[i];
            }
            runs[collection->run_count++] = runs[i];
        }
    }
    free(all);
}
