/* SPDX-License-Identifier: Apache-2.0 */
/* power.c - the energy of runs whose logs have a folder `power` beside them. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "score/part.h"
#include "score/score.h"
#include "score/slurm.h"

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The sum over the files of one run's folder; NAN, with a finding, when it is not known. */
static mls_status read_folder(const char *folder, double time_ms, mls_findings *findings, double *joules)
{
    mls_sources files = {0};
    size_t counted = 0;
    mls_status status = is_folder(folder) ? mls_sources_find(&folder, 1, &files, NULL) : MLS_OK;
    *joules = 0;
    for (size_t i = 0; i < files.count && status == MLS_OK; i++) {
        const mls_source *file = &files.items[i];
        const mls_finding_place place = {.path = file->path};
        const mls_str name = mls_str_from(mls_path_name(file->path));
        const bool node = mls_str_starts(name, MLS_S("node_"));
        if (!file->failed && !(mls_str_ends(name, MLS_S(".txt")) && (node || mls_str_starts(name, MLS_S("sw_"))))) {
            continue;
        }
        counted++;
        if (file->skip != NULL) { /* without it the sum would be too small */
            mls_findings_add(findings, MLS_FINDING_UNREADABLE, place, "%s", file->skip);
            *joules = (double)NAN;
        } else {
            status = mls_energy_read(mls_source_open(file, true), node, time_ms, file->path, findings, joules);
            status = status == MLS_ERROR_READ ? MLS_OK : status;
        }
    }
    mls_sources_release(&files);
    if (counted == 0) {
        mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = folder},
                         "the run has no power files");
        *joules = (double)NAN;
    }
    return status;
}

/* <folder>/power/result_<i>/node_<k>.txt and sw_<k>.txt belong to the run of <folder>/result_<i>.txt. */
static bool power_folder(mls_str folder, mls_buffer *path)
{
    mls_buffer_append(path, folder);
    mls_buffer_append_text(path, "/power/");
    return !path->failed && is_folder(path->ptr);
}

/* Of a run, whose files lie below the folder in *path. */
static mls_status read_run_power(const mls_run *run, mls_buffer *path, mls_findings *findings, double *joules)
{
    const double minutes = mls_run_minutes(run);
    const mls_str name = mls_str_from(mls_path_name(run->file));
    const size_t folder = path->len;
    mls_buffer_append(path, (mls_str){name.ptr, name.len - strlen(".txt")});
    *joules = (double)NAN;
    mls_status status = path->failed ? MLS_ERROR_MEMORY : MLS_OK;
    /* The lack of a time is said of the run itself. */
    if (status == MLS_OK && isfinite(minutes)) {
        status = read_folder(path->ptr, minutes * 60000, findings, joules);
    }
    mls_buffer_cut(path, folder);
    return status;
}

mls_status mls_power_carry(const mls_run *run, struct mls_carried *carried)
{
    const mls_str folder = mls_path_folder(mls_str_from(run->file));
    mls_buffer path = {0};
    mls_status status = MLS_OK;
    carried->has_power =
        run->result &&
        power_folder(folder.len == 0 ? MLS_S(".") : (mls_str){folder.ptr, folder.len - (folder.len > 1)}, &path);
    if (carried->has_power) {
        status = read_run_power(run, &path, &carried->power, &carried->joules);
    }
    status = path.failed || carried->power.out_of_memory ? MLS_ERROR_MEMORY : status;
    mls_buffer_release(&path);
    return status;
}

mls_status mls_group_power(mls_group *group)
{
    mls_buffer path = {0};
    const struct mls_carried *carried = group->runs[0]->carried;
    const bool has_power =
        group->result_folder && (carried != NULL ? carried->has_power : power_folder(mls_str_from(group->path), &path));
    group->power.joules = has_power ? mls_calloc(group->run_count, sizeof *group->power.joules) : NULL;
    mls_status status = path.failed || (has_power && group->power.joules == NULL) ? MLS_ERROR_MEMORY : MLS_OK;
    for (size_t i = 0; i < group->run_count && has_power && status == MLS_OK; i++) {
        carried = group->runs[i]->carried;
        if (carried != NULL) {
            group->power.joules[i] = carried->joules;
            mls_findings_append_as_they_are(&group->findings, &carried->power);
        } else {
            status = read_run_power(group->runs[i], &path, &group->findings, &group->power.joules[i]);
        }
    }
    mls_buffer_release(&path);
    mls_group_energy(group);
    return status == MLS_OK && group->findings.out_of_memory ? MLS_ERROR_MEMORY : status;
}
