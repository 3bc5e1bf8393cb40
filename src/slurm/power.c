/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/power.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "mlscore/reading.h"
#include "score/energy.h"

#define MLS_MS_PER_MINUTE 60000.0

typedef enum mls_power_kind { MLS_POWER_OTHER, MLS_POWER_NODE, MLS_POWER_SWITCH } mls_power_kind;

static mls_power_kind mls_power_kind_of(const char *path)
{
    const mls_str name = mls_str_from(mls_path_name(path));
    if (!mls_str_ends(name, MLS_S(".txt"))) {
        return MLS_POWER_OTHER;
    }
    return mls_str_starts(name, MLS_S("node_")) ? MLS_POWER_NODE
           : mls_str_starts(name, MLS_S("sw_")) ? MLS_POWER_SWITCH
                                                : MLS_POWER_OTHER;
}

/* Joules of one node or switch; NAN with a finding when the file does not tell. */
static mls_status mls_power_file(const mls_source *source, mls_power_kind kind, double time_ms, mls_group *group,
                                 double *joules)
{
    mls_error error = {0};
    const int fd = mls_source_open(source);
    *joules = (double)NAN;
    mls_status status =
        fd >= 0 ? mls_energy_read(fd, kind == MLS_POWER_NODE, time_ms, source->path, &group->findings, joules, &error)
                : mls_error_set_errno(&error, MLS_ERROR_READ, errno, "cannot open");
    if (status == MLS_ERROR_READ) {
        mls_findings_add(&group->findings, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = source->path}, "%s",
                         error.message);
        status = MLS_OK;
    }
    return status;
}

static bool mls_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static mls_status mls_power_source(const mls_source *source, double time_ms, mls_group *group, double *joules)
{
    if (source->skip == NULL) {
        return mls_power_file(source, mls_power_kind_of(source->path), time_ms, group, joules);
    }
    /* Without this file the sum would be too small. */
    mls_findings_add(&group->findings, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = source->path}, "%s",
                     source->skip);
    *joules = (double)NAN;
    return MLS_OK;
}

/* The sum over the files of one run's folder; NAN, with a finding, when it cannot be told. */
static mls_status mls_power_folder(const char *folder, double time_ms, mls_group *group, double *joules)
{
    mls_sources files = {0};
    mls_error error;
    size_t counted = 0;
    double sum = 0;
    mls_status status = mls_is_folder(folder) ? mls_sources_find(&folder, 1, &files, &error) : MLS_OK;
    for (size_t i = 0; i < files.count && status == MLS_OK; i++) {
        const mls_source *source = &files.items[i];
        if (source->failed || mls_power_kind_of(source->path) != MLS_POWER_OTHER) {
            double part;
            status = mls_power_source(source, time_ms, group, &part);
            sum += part;
            counted++;
        }
    }
    mls_sources_release(&files);
    if (counted == 0) {
        mls_findings_add(&group->findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = folder},
                         "the run has no power files");
    }
    *joules = counted > 0 ? sum : (double)NAN;
    return status;
}

/* "<group>/power/result_0" for the run of "<group>/result_0.txt". */
static char *mls_power_folder_of(const mls_group *group, const mls_run *run)
{
    mls_buffer path = {0};
    const mls_str name = mls_str_from(mls_path_name(run->file));
    mls_buffer_printf(&path, "%s/power/", group->path);
    mls_buffer_append(&path, (mls_str){name.ptr, name.len - (sizeof ".txt" - 1)});
    return mls_buffer_detach(&path);
}

static bool mls_group_has_power(const mls_group *group)
{
    mls_buffer path = {0};
    mls_buffer_printf(&path, "%s/power", group->path);
    const bool has = group->result_folder && !path.failed && mls_is_folder(path.ptr);
    mls_buffer_release(&path);
    return has;
}

mls_status mls_group_power(mls_group *group)
{
    mls_status status = MLS_OK;
    if (!mls_group_has_power(group)) {
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
            char *folder = mls_power_folder_of(group, group->runs[i]);
            status = folder != NULL
                         ? mls_power_folder(folder, minutes * MLS_MS_PER_MINUTE, group, &group->power.joules[i])
                         : MLS_ERROR_MEMORY;
            free(folder);
        }
    }
    mls_group_energy(group);
    return status == MLS_OK && group->findings.out_of_memory ? MLS_ERROR_MEMORY : status;
}
