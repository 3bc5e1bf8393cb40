/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats.c - runs that stand in two files.
 */
#include "slurm/slurm.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"

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

/* Releases the removed runs of a file and closes the gaps. */
static void compact(mls_repeat_file *file, const bool *removed)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->run_count; i++) {
        if (removed[i]) {
            mls_run_release(&file->runs[i]);
        } else {
            file->runs[kept++] = file->runs[i];
        }
    }
    file->repeated = file->run_count - kept;
    file->run_count = kept;
}

mls_status mls_repeats_remove(mls_repeat_file *files, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += files[i].excluded ? 0 : files[i].run_count;
    }
    repeat *all = calloc(total + 1, sizeof *all);
    bool *removed = calloc(total + 1, sizeof *removed);
    size_t *first = calloc(count + 1, sizeof *first); /* of each file's runs in `removed` */
    mls_status status = all != NULL && removed != NULL && first != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    size_t used = 0;
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        first[i] = used;
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
        removed[first[all[i].file] + (size_t)(all[i].run - file->runs)] = true;
        file->several |= file->other != NULL && file->other != other;
        file->other = file->other != NULL ? file->other : other;
        /* The job's own output may know more about the job than the trial's log. */
        status = mls_job_inherit(&all[stays].run->job, &all[i].run->job) ? MLS_OK : MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        if (!files[i].excluded) {
            compact(&files[i], removed + first[i]);
        }
    }
    free(all);
    free(removed);
    free(first);
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
