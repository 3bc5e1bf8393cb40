/* SPDX-License-Identifier: Apache-2.0 */
/*
 * converge.h - how much training one run took to converge.
 */
#ifndef MLS_SCORE_CONVERGE_H
#define MLS_SCORE_CONVERGE_H

#include "mlscore/edition.h"
#include "mlscore/run.h"

/*
 * The run's number for the check against reference points: mls_run_reached(),
 * or MLS_RCP_NOT_CONVERGED when the last run_stop does not say success.
 * MLS_OK or MLS_ERROR_MEMORY.
 */
mls_status mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                                   bool train_samples, double *number) MLS_MUST_USE;

#endif
