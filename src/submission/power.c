/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power.c - the power files of a run: are they complete, and what do they say.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "score/energy.h"
#include "submission/judge.h"

#define MILLISECONDS_PER_MINUTE 60000.0

static int mls_sizes_compare(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left;
    const size_t b = *(const size_t *)right;
    return (a > b) - (a < b);
}

/* The number that stands there most often, of several equally frequent ones the largest.  Sorts them. */
static size_t mls_sizes_usual(size_t *sizes, size_t count)
{
    size_t usual = 0;
    size_t best = 0;
    qsort(sizes, count, sizeof *sizes, mls_sizes_compare);
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && sizes[end] == sizes[first]) {
            end++;
        }
        if (end - first >= best) {
            best = end - first;
            usual = sizes[first];
        }
        first = end;
    }
    return usual;
}

mls_status mls_power_usual(mls_tree_result *result)
{
    size_t *sizes = calloc(result->power_count + 1, sizeof *sizes);
    if (sizes == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < result->power_count; i++) {
        sizes[i] = result->power[i].nodes.count;
    }
    result->usual_nodes = mls_sizes_usual(sizes, result->power_count);
    for (size_t i = 0; i < result->power_count; i++) {
        sizes[i] = result->power[i].switches.count;
    }
    result->usual_switches = mls_sizes_usual(sizes, result->power_count);
    free(sizes);
    return MLS_OK;
}

/* The folder power/result_<i> of the log result_<i>.txt; NULL when there is none. */
static const mls_tree_power *mls_power_of(const mls_tree_result *result, const char *log)
{
    mls_str name = mls_str_from(log);
    size_t first = 0;
    size_t end = result->power_count;
    name.len -= sizeof ".txt" - 1;
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

static void mls_power_check_names(const mls_tree_files *files, const char *prefix, const char *folder,
                                  mls_findings *findings)
{
    for (size_t i = 0; i < files->count; i++) {
        size_t number;
        if (!mls_tree_number(files->items[i].name, prefix, ".txt", &number) || number != i) {
            mls_findings_add(
                findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = folder},
                "%s is not the file %s%zu.txt that should come here: they are numbered from 0 without gaps",
                files->items[i].name, prefix, i);
            return;
        }
    }
}

static void mls_power_check_count(const char *folder, size_t count, size_t usual, const char *what,
                                  mls_findings *findings)
{
    if (count != usual) {
        mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = folder},
                         "%zu %s where the other runs have %zu", count, what, usual);
    }
}

/* Joules of one file; NAN with a finding when it does not tell. */
static mls_status mls_power_read(const mls_tree *tree, const mls_tree_file *file, bool node, mls_log_reading *reading,
                                 double *joules)
{
    mls_error error = {0};
    const double time_ms = mls_run_minutes(&reading->run) * MILLISECONDS_PER_MINUTE;
    const mls_finding_place place = {.path = file->path};
    *joules = (double)NAN;
    if (!file->readable || file->size > MLS_LOG_BYTES_MAX) {
        mls_findings_add(&reading->findings, MLS_FINDING_POWER_FILES, place, "cannot be read as a power file");
        return MLS_OK;
    }
    const int fd = mls_tree_open(tree, file);
    mls_status status = fd >= 0 ? mls_energy_read(fd, node, time_ms, file->path, &reading->findings, joules, &error)
                                : mls_error_set_errno(&error, MLS_ERROR_READ, errno, "%s", "cannot be opened");
    if (status == MLS_ERROR_READ) {
        mls_findings_add(&reading->trouble, MLS_FINDING_UNREADABLE, place, "%s", error.message);
        status = MLS_OK;
    }
    return status;
}

static mls_status mls_power_sum(const mls_tree *tree, const mls_tree_power *power, mls_log_reading *reading)
{
    mls_status status = MLS_OK;
    double sum = 0;
    double joules = 0;
    for (size_t i = 0; i < power->nodes.count && status == MLS_OK; i++) {
        status = mls_power_read(tree, &power->nodes.items[i], true, reading, &joules);
        sum += joules;
    }
    for (size_t i = 0; i < power->switches.count && status == MLS_OK; i++) {
        status = mls_power_read(tree, &power->switches.items[i], false, reading, &joules);
        sum += joules;
    }
    reading->joules = sum;
    return status;
}

mls_status mls_power_judge(const mls_tree *tree, mls_log_reading *reading)
{
    mls_status status = MLS_OK;
    mls_findings *findings = &reading->findings;
    if (!reading->result->has_power) {
        return MLS_OK;
    }
    const size_t errors = findings->counts.error + reading->trouble.counts.error;
    const mls_tree_power *power = mls_power_of(reading->result, reading->file->name);
    if (power == NULL) {
        mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){0},
                         "the run has no folder of power files; other runs have one");
    } else {
        if (power->nodes.count == 0) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = power->path},
                             "there is no node_0.txt");
        }
        mls_power_check_names(&power->nodes, "node_", power->path, findings);
        mls_power_check_names(&power->switches, "sw_", power->path, findings);
        mls_power_check_count(power->path, power->nodes.count, reading->result->usual_nodes, "node files", findings);
        mls_power_check_count(power->path, power->switches.count, reading->result->usual_switches, "switch files",
                              findings);
        if (isfinite(mls_run_minutes(&reading->run))) {
            status = mls_power_sum(tree, power, reading);
        }
    }
    reading->power_wrong = findings->counts.error + reading->trouble.counts.error > errors;
    reading->run.valid &= !reading->power_wrong;
    return status;
}
