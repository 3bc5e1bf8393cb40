/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power.c - the energy of a folder of results that has power files.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "score/energy.h"
#include "slurm/slurm.h"

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

mls_status mls_group_power(mls_group *group)
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
