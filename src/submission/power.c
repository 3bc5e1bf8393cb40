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

#include "base/file.h"
#include "score/score.h"
#include "submission/judge.h"

#define MILLISECONDS_PER_MINUTE 60000.0

/* The two kinds of power files, as in mls_power_folder. */
enum { KINDS = 2 };
static const char *const prefixes[KINDS] = {"node", "sw"};
static const char *const words[KINDS] = {"node", "switch"};

static int compare_sizes(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left;
    const size_t b = *(const size_t *)right;
    return (a > b) - (a < b);
}

/* How many files of a kind most folders have, of several equally frequent numbers the largest. */
static size_t usual(const mls_submission_result *result, size_t kind, size_t *sizes)
{
    size_t found = 0;
    size_t best = 0;
    for (size_t i = 0; i < result->power_count; i++) {
        sizes[i] = result->power[i].files[kind].count;
    }
    qsort(sizes, result->power_count, sizeof *sizes, compare_sizes);
    for (size_t first = 0, end = 0; first < result->power_count; first = end) {
        while (end < result->power_count && sizes[end] == sizes[first]) {
            end++;
        }
        if (end - first >= best) {
            best = end - first;
            found = sizes[first];
        }
    }
    return found;
}

/* The files of one kind: as many as in most runs, and numbered. */
static void check_files(const mls_power_folder *folder, size_t kind, size_t wanted, mls_findings *findings)
{
    const mls_submission_files *files = &folder->files[kind];
    const mls_finding_place place = {.path = folder->path};
    bool numbered = true;
    for (size_t i = 0; i < files->count && numbered; i++) {
        const char *is = mls_path_name(files->items[i].path);
        char name[32];
        (void)snprintf(name, sizeof name, "%s_%zu.txt", prefixes[kind], i);
        numbered = strcmp(is, name) == 0;
        if (!numbered) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, place,
                             "%s is not the file %s that should come here: they are numbered from 0 without gaps", is,
                             name);
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
                         files->count, words[kind], wanted);
    }
}

mls_status mls_power_check(mls_submission_result *result)
{
    size_t *sizes = calloc(result->power_count + 1, sizeof *sizes);
    if (sizes == NULL) {
        return MLS_ERROR_MEMORY;
    }
    const size_t wanted[KINDS] = {usual(result, 0, sizes), usual(result, 1, sizes)};
    free(sizes);
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        mls_findings *findings = &run->run.findings;
        const size_t found = findings->found[MLS_FINDING_POWER_FILES];
        if (run->power == NULL) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){0},
                             "the run has no folder of power files; other runs have one");
        } else if (run->power->files[0].count == 0) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = run->power->path},
                             "there is no node_0.txt");
        }
        for (size_t kind = 0; kind < KINDS && run->power != NULL; kind++) {
            check_files(run->power, kind, wanted[kind], findings);
        }
        run->power_wrong |= findings->found[MLS_FINDING_POWER_FILES] > found;
        run->run.valid &= !run->power_wrong;
    }
    return MLS_OK;
}

/* The joules that one file tells of; NAN with a finding when it does not. */
static mls_status read_joules(const mls_submission *submission, const mls_submission_file *file, bool node,
                              mls_submission_run *run, double *joules)
{
    const double time_ms = mls_run_minutes(&run->run) * MILLISECONDS_PER_MINUTE;
    if (file->size > MLS_LOG_BYTES_MAX) {
        mls_findings_add(&run->run.findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = file->path},
                         "%.0f MiB: too large to be read as a power file", (double)file->size / 1048576.0);
    }
    if (!file->readable || file->size > MLS_LOG_BYTES_MAX) {
        *joules = (double)NAN;
        return MLS_OK;
    }
    const mls_status status =
        mls_energy_read(mls_tree_open(submission, file), node, time_ms, file->path, &run->run.findings, joules);
    run->power_wrong |= status == MLS_ERROR_READ;
    return status == MLS_ERROR_READ ? MLS_OK : status;
}

mls_status mls_power_read(const mls_submission *submission, mls_submission_run *run)
{
    mls_status status = MLS_OK;
    if (run->power == NULL || !isfinite(mls_run_minutes(&run->run))) {
        return MLS_OK;
    }
    run->joules = 0;
    for (size_t kind = 0; kind < KINDS; kind++) {
        const mls_submission_files *files = &run->power->files[kind];
        for (size_t i = 0; i < files->count && status == MLS_OK; i++) {
            double joules = 0;
            status = read_joules(submission, &files->items[i], kind == 0, run, &joules);
            run->joules += joules;
        }
    }
    return run->run.findings.out_of_memory ? MLS_ERROR_MEMORY : status;
}
