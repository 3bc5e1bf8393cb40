/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy.h - joules of a run, from the power files beside its log.
 *
 * Each node and each switch of a system has a file of records in the format
 * of the training logs.  A node's power was measured over some time around
 * the run, with one reading in watts after the other; its energy is the mean
 * power over the measurement times the time to train.  A switch has only an
 * estimate.  Both are multiplied with the efficiency of the power conversion.
 */
#ifndef MLS_SCORE_ENERGY_H
#define MLS_SCORE_ENERGY_H

#include "mlscore/log.h"

/* A node file with more events is refused: one a millisecond for more than an hour. */
#define MLS_POWER_EVENTS_MAX ((size_t)4 << 20)

/*
 * Adds to *joules what one power file says of a run of `time_to_train_ms`:
 * NaN, and a warning in `findings`, when it does not tell.  `node`: a node_
 * file, whose readings, sorted by time, count each for the time since the one
 * before (the first since power_measurement_start) until
 * power_measurement_stop or, lacking that, the last reading, with a warning.
 * Else a sw_ file: its estimated power over the run, 0 with readings alone.
 *
 * `fd` is closed; -1: errno says why it could not be opened.  `path` names the
 * file in findings.  MLS_OK, MLS_ERROR_READ with a finding, or
 * MLS_ERROR_MEMORY.
 */
mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules) MLS_MUST_USE;

#endif
