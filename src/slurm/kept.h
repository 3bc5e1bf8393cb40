/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h - the runs of a merge, of each of which no more is kept than what groups and repetitions go by.  All else is
 * read again from its part for one group at a time, whenever that is scored or printed. */
#pragma once

#include "score/score.h"
#include "slurm/merge.h"
#include "slurm/slurm.h"

typedef struct mls_kept_runs mls_kept_runs;

/* Keeps runs of the merge of the options, whose groups are scored as these say; all of it must outlive them.  NULL: no
 * memory. */
mls_kept_runs *mls_kept_new(const mls_collect_options *options, mls_rcp_sets *points);
void mls_kept_free(mls_kept_runs *kept);

/* Keeps a run, which is the caller's as before: `number` is its place among all that were handed over of the source.
 * False: no memory. */
bool mls_kept_add(mls_kept_runs *kept, const mls_source *source, size_t index, size_t number, const mls_run *run,
                  mls_source_runs *found) MLS_MUST_USE;

/* All have come: leaves one of each, as mls_repeats_remove() does.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_kept_settle(mls_kept_runs *kept, const mls_sources *sources, mls_source_runs *found) MLS_MUST_USE;

/* Takes over the path of a source, which its runs are known by. */
bool mls_kept_take_path(mls_kept_runs *kept, char *path) MLS_MUST_USE;

/* Makes groups, as mls_group_runs() does, of which there is but how many they are.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_kept_groups(mls_kept_runs *kept, size_t *count) MLS_MUST_USE;

/* Reads the runs of a group again, and scores it; the one before is there no longer.  MLS_OK, or as
 * mls_merge_read_again() and mls_group_finish(). */
mls_status mls_kept_load(mls_kept_runs *kept, size_t index, mls_error *error) MLS_MUST_USE;

/* Whether a group that was loaded before is well, as mls_group_is_well() has it; false: it must be loaded again, as
 * there is more to say. */
bool mls_kept_verdict(const mls_kept_runs *kept, size_t index, bool strict, bool *well) MLS_MUST_USE;

/* The same group; where that fails one of which nothing is known, and mls_merge_failure() says why. */
const mls_group *mls_kept_group(mls_kept_runs *kept, size_t index);

/* Of the runs of which not all was kept one after the other; false: there are no more. */
bool mls_kept_limits(const mls_kept_runs *kept, size_t *at, mls_run_limits *limits);
