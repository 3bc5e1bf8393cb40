/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power.c - the power files of a run: are they complete, and what do they say.
 *
 * The package checker only looks which files there are.  What stands in them
 * decides the energy, and is advice.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "score/score.h"
#include "submission/judge.h"

#define MILLISECONDS_PER_MINUTE 60000.0

/* The folder power/result_<i> of the log result_<i>.txt; NULL when there is none. */
static const mls_power_folder *folder_of(const mls_submission_result *result, const mls_submission_run *run)
{
    const mls_str name = {run->file.name, strlen(run->file.name) - strlen(".txt")};
    size_t first = 0;
    size_t end = result->power_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const int order = mls_str_compare_natural(mls_str_from(result->power[middle].name), name);
        if (order == 0) {
            return &result->power[middle];
        }
        first = order < 0 ? middle + 1 : first;
        end = order < 0 ? end : middle;
    }
    return NULL;
}

/* ------------------------------------------------------- which there are */

static int compare_sizes(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left;
    const size_t b = *(const size_t *)right;
    return (a > b) - (a < b);
}

/* The number that stands there most often, of several equally frequent ones the largest.  Sorts them. */
static size_t usual(size_t *sizes, size_t count)
{
    size_t found = 0;
    size_t best = 0;
    qsort(sizes, count, sizeof *sizes, compare_sizes);
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && sizes[end] == sizes[first]) {
            end++;
        }
        if (end - first >= best) {
            best = end - first;
            found = sizes[first];
        }
        first = end;
    }
    return found;
}

/* The files of one kind: as many as in most runs, and numbered. */
static void check_files(const mls_submission_files *files, const char *kind, size_t wanted, const char *folder,
                        mls_findings *findings)
{
    const mls_finding_place place = {.path = folder};
    for (size_t i = 0; i < files->count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s_%zu.txt", kind, i);
        if (strcmp(files->items[i].name, name) != 0) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, place,
                             "%s is not the file %s that should come here: they are numbered from 0 without gaps",
                             files->items[i].name, name);
            break;
        }
    }
    for (size_t i = 0; i < files->count; i++) {
        if (!files->items[i].readable) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = files->items[i].path},
                             "cannot be read as a power file");
        }
    }
    if (files->count != wanted) {
        mls_findings_add(findings, MLS_FINDING_POWER_FILES, place, "%zu %s files where the other runs have %zu",
                         files->count, *kind == 'n' ? "node" : "switch", wanted);
    }
}

mls_status mls_power_check(mls_submission_result *result)
{
    size_t *sizes = calloc(result->power_count + 1, sizeof *sizes);
    if (sizes == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < result->power_count; i++) {
        sizes[i] = result->power[i].nodes.count;
    }
    const size_t nodes = usual(sizes, result->power_count);
    for (size_t i = 0; i < result->power_count; i++) {
        sizes[i] = result->power[i].switches.count;
    }
    const size_t switches = usual(sizes, result->power_count);
    free(sizes);
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        mls_findings *findings = &run->run.findings;
        const size_t found = findings->found[MLS_FINDING_POWER_FILES];
        const mls_power_folder *folder = folder_of(result, run);
        if (folder == NULL) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){0},
                             "the run has no folder of power files; other runs have one");
        } else {
            if (folder->nodes.count == 0) {
                mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = folder->path},
                                 "there is no node_0.txt");
            }
            check_files(&folder->nodes, "node", nodes, folder->path, findings);
            check_files(&folder->switches, "sw", switches, folder->path, findings);
        }
        run->power_wrong |= findings->found[MLS_FINDING_POWER_FILES] > found;
        run->run.valid &= !run->power_wrong;
    }
    return MLS_OK;
}

/* --------------------------------------------------------- what they say */

/* Adds the joules of files of one kind; NAN with a finding when one does not tell. */
static mls_status add_joules(const mls_submission *submission, const mls_submission_files *files, bool nodes,
                             mls_submission_run *run, double *joules)
{
    const double time_ms = mls_run_minutes(&run->run) * MILLISECONDS_PER_MINUTE;
    mls_status status = MLS_OK;
    for (size_t i = 0; i < files->count && status == MLS_OK; i++) {
        const mls_submission_file *file = &files->items[i];
        double more = file->readable && file->size <= MLS_LOG_BYTES_MAX ? 0 : (double)NAN;
        if (file->size > MLS_LOG_BYTES_MAX) {
            mls_findings_add(&run->run.findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = file->path},
                             "%.0f MiB: too large to be read as a power file", (double)file->size / 1048576.0);
        } else if (file->readable) {
            status =
                mls_energy_read(mls_tree_open(submission, file), nodes, time_ms, file->path, &run->run.findings, &more);
        }
        if (status == MLS_ERROR_READ) {
            run->power_wrong = true;
            status = MLS_OK;
        }
        *joules += more;
    }
    return status;
}

mls_status mls_power_read(const mls_submission *submission, mls_submission_result *result, size_t index)
{
    mls_submission_run *run = &result->runs[index];
    const mls_power_folder *folder = result->has_power ? folder_of(result, run) : NULL;
    mls_status status = MLS_OK;
    if (folder != NULL && isfinite(mls_run_minutes(&run->run))) {
        double joules = 0;
        status = add_joules(submission, &folder->nodes, true, run, &joules);
        if (status == MLS_OK) {
            status = add_joules(submission, &folder->switches, false, run, &joules);
        }
        result->group.power.joules[index] = joules;
    }
    return status == MLS_OK && run->run.findings.out_of_memory ? MLS_ERROR_MEMORY : status;
}
