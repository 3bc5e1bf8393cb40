/* SPDX-License-Identifier: Apache-2.0 */
/* score.h - what the files of this floor, and few others, know of each other. */
#pragma once

#include "base/buffer.h"
#include "log/log.h"
#include "score/group.h"

/* Marks and scores the runs of a group whose rules are known.  With N runs needed, d dropped and m that may be left
 * out: d > m gives no score; else the m fastest and m - d slowest valid runs are left out and the rest is averaged.
 * Fewer than N give the plain mean.  Of more (`select_window`) the N consecutive ones by start time whose olympic mean
 * (infinite: d > m) is closest to the median of all such, if that is finite: the slower of two equally close, the first
 * of two equal.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_group_olympic(mls_group *group, bool select_window) MLS_MUST_USE;

/* Whether a folder of results is of weak scaling, results/<system>/weak/<benchmark>. */
bool mls_path_is_weak(mls_usage usage, const char *path);

/* The facts that runs of a group share; all but the last are texts, which mls_run_says() returns: NULL when not known.
 */
typedef enum mls_run_fact {
    MLS_FACT_BENCHMARK,
    MLS_FACT_DIVISION,
    MLS_FACT_CONFIG,
    MLS_FACT_TEXTS,
    MLS_FACT_BATCH_SIZE = MLS_FACT_TEXTS
} mls_run_fact;
const char *mls_run_says(const mls_run *run, mls_run_fact fact);

/* What a run is sorted into a group by; it borrows all texts. */
typedef struct mls_run_key {
    const char *file;
    size_t line;
    const char *says[MLS_FACT_TEXTS];
    double global_batch_size;
    uint64_t place; /* whoever made it knows the run by this */
    bool result;
    bool of_job; /* the config is what its job says of itself */
} mls_run_key;
mls_run_key mls_run_key_of(const mls_run *run);

/* What runs of a group have alike, all of these facts or the folder of a result, as bytes in a buffer, which is emptied
 * before and has failed where memory ran out. */
mls_str mls_run_group_key(const mls_run_key *run, mls_buffer *bytes);

/* Sorts runs into groups with path, result_folder and runs set: the result_*.txt of a folder, else those of a
 * benchmark, division, config and batch size; one that died before it logged these joins the only group that agrees
 * with it.  MLS_OK or MLS_ERROR_MEMORY; *groups and *count are valid in any case. */
mls_status mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count) MLS_MUST_USE;

/* The runs of a group by their keys, in order; to be given to free(). */
typedef struct mls_key_group {
    const mls_run_key **keys;
    size_t count, capacity;
} mls_key_group;

/* The same by keys, which outlive the groups: *groups and each of *count are to be freed.  And a group of such, with
 * path, result_folder and run_count set; false: no memory. */
mls_status mls_group_keys(const mls_run_key *keys, size_t key_count, mls_key_group **groups,
                          size_t *count) MLS_MUST_USE;
bool mls_group_of_keys(const mls_key_group *from, mls_group *group) MLS_MUST_USE;

/* A set with more points, or a point with more values, is refused. */
#define MLS_RCP_POINTS_MAX 10000
#define MLS_RCP_VALUES_MAX 100000

/* Fills in what follows from the values of each point, sorts the points and prunes them (rcp.c). */
void mls_rcp_set_prepare(mls_rcp_set *set);

/* Were the runs made with different seeds?  Every log has a record `seed` whose metadata name file and line and whose
 * value Python's int() takes; the three together never repeat; no line is malformed.  Several in a log are worth a
 * warning.  With `bypass` errors are warnings.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass,
                           mls_seed_outcome *outcome) MLS_MUST_USE;

/* Adds to *joules what one power file (`node`: of a node, else of a switch) says of a run of `time_to_train_ms`: NaN,
 * and a warning in `findings`, when it does not say.  `fd` is closed; -1: errno says why it could not be opened.
 * MLS_OK, MLS_ERROR_READ with a finding, or MLS_ERROR_MEMORY. */
mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules) MLS_MUST_USE;
