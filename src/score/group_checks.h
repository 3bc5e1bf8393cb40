/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_checks.h - the checks of a group, each on its own; mls_group_score()
 * makes them.  They return MLS_OK or MLS_ERROR_MEMORY, mls_group_check_rcp()
 * also what is wrong with a user's points.
 */
#ifndef MLS_SCORE_GROUP_CHECKS_H
#define MLS_SCORE_GROUP_CHECKS_H

#include "mlscore/group.h"

/* How a run is called in a message: its file's own name. */
const char *mls_run_name(const mls_run *run);

/* Weak scaling (hpc): how many models were trained at once, and in what time. */
void mls_group_check_weak(mls_group *group);

/* Convergence against the reference points, and the scale and score that follow. */
mls_status mls_group_check_rcp(mls_group *group, const mls_score_options *options, mls_error *error) MLS_MUST_USE;

/* Whether the runs were made with seeds of their own. */
mls_status mls_group_check_seeds(mls_group *group, const mls_score_options *options) MLS_MUST_USE;

/* What the config's name says about the machine, and whether the logs were made with its batch size. */
mls_status mls_group_check_config(mls_group *group, const mls_score_options *options) MLS_MUST_USE;

#endif
