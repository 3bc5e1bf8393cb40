/* SPDX-License-Identifier: Apache-2.0 */
/* planning.h - what the files of the room share. */
#pragma once

#include "base/memory.h"
#include "compare/plan/plan.h"

/* The factors of a benchmark, or of all that have none of their own. */
const mls_plan_factors *mls_plan_factors_of(const mls_plan_figures *figures, const char *benchmark);

/* Finds the series, and makes bases of the groups that can be one.  As mls_plan_make() returns. */
mls_status mls_plan_bases_find(const mls_comparison *of, const mls_plan_request *request, mls_plan *plan,
                               mls_error *error) MLS_MUST_USE;

/* Whether it is a number that things can be counted with: whole, from 1 on. */
bool mls_plan_is_count(double number);

/* List a group as unfit: nothing, or not all that was asked for, can be predicted from it. */
mls_status mls_plan_unfit(mls_plan *plan, const mls_side_group *group, const char *reason,
                          mls_error *error) MLS_MUST_USE;

/* The group of a series to start from, where so many accelerators are asked for. */
const mls_plan_base *mls_plan_base_for(const mls_plan *plan, const mls_plan_series *series, double accelerators);

/* Samples to converge at a batch; NAN: not known. */
double mls_plan_samples(const mls_plan_base *base, const mls_plan_request *request, double batch);

/* Predicts the times of a row whose base, numbers and samples are set. */
void mls_plan_predict(mls_plan_row *row, unsigned level);
