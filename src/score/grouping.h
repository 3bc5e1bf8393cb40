/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grouping.h - which runs belong together.
 *
 * The result_*.txt files of one folder are one group, whatever is in them.
 * All other runs are grouped by benchmark, division, config and batch size.  A
 * run that died before it logged one of these joins the one group that agrees
 * with everything it did log, so that it counts there as the failure it is.
 */
#ifndef MLS_SCORE_GROUPING_H
#define MLS_SCORE_GROUPING_H

#include "mlscore/group.h"

typedef struct mls_grouped_run {
    const mls_run *run;
    bool result; /* from a result_*.txt */
} mls_grouped_run;

/*
 * Sorts runs into groups, in the order of their first runs, with path,
 * result_folder and runs set; mls_group_score() does the rest.  Returns MLS_OK
 * or MLS_ERROR_MEMORY; *groups and *count are valid in any case.
 */
mls_status mls_group_runs(const mls_grouped_run *runs, size_t run_count, mls_group **groups,
                          size_t *count) MLS_MUST_USE;

#endif
