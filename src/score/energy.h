/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy.h - joules of a run, from the power files beside its log.
 *
 * Each node and each switch of a system has a file of records in the format
 * of the training logs.  A node's power was measured over some time around
 * the run, with one reading in watts after the other; its energy is the mean
 * power over the measurement times the time to train.  A switch has only an
 * estimate.  Both are multiplied with the efficiency of the power conversion.
 * Times are milliseconds.
 */
#ifndef MLS_SCORE_ENERGY_H
#define MLS_SCORE_ENERGY_H

#include "mlscore/base.h"
#include "mlscore/log.h"

/* A node file with more events is refused: one a millisecond for more than an hour. */
#define MLS_POWER_EVENTS_MAX ((size_t)4 << 20)

typedef enum mls_power_event_kind { MLS_POWER_START, MLS_POWER_READING, MLS_POWER_STOP } mls_power_event_kind;

typedef struct mls_power_event {
    double time_ms;
    double watts; /* of a reading */
    size_t order; /* in the file, for events of the same time */
    mls_power_event_kind kind;
} mls_power_event;

/* What one node_ or sw_ file has said so far. */
typedef struct mls_power_log {
    mls_power_event *items;
    size_t count;
    size_t capacity;
    double conversion_eff;         /* NaN: not logged */
    double interconnect_power_est; /* watts; NaN: not logged */
    size_t unreadable;             /* malformed lines, and readings that are no finite numbers */
    bool too_many;                 /* more than MLS_POWER_EVENTS_MAX events */
} mls_power_log;

void mls_power_log_init(mls_power_log *log);
void mls_power_log_release(mls_power_log *log);

/* A sink that feeds `log`, which must outlive it. */
mls_sink mls_power_log_sink(mls_power_log *log);

/*
 * Joules of a node during a run of `time_to_train_ms`: the readings sorted by
 * time, each counted for the time since the one before (the first since
 * power_measurement_start) until power_measurement_stop or, lacking that, the
 * last reading, with a warning.  NaN, and a warning in `findings`, when the
 * file does not tell.  `path` names the file in findings.  Sorts the log.
 */
double mls_energy_of_node(mls_power_log *log, double time_to_train_ms, const char *path, mls_findings *findings);

/* Joules of a switch: its estimated power over the run, 0 with readings alone.  Otherwise as mls_energy_of_node(). */
double mls_energy_of_switch(const mls_power_log *log, double time_to_train_ms, const char *path,
                            mls_findings *findings);

/*
 * Reads one power file from `fd`, which it closes, and tells its joules as the
 * two functions above do; `node`: a node_ file, else a sw_ file.  MLS_OK, or
 * what mls_log_scan_fd() returned; *joules is NaN then.
 */
mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules, mls_error *error) MLS_MUST_USE;

#endif
