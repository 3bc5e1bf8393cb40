/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutter.h - where in a file a new run starts.
 *
 * A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START
 * <epoch>"; until the first such line of a file, also at a cache_clear or
 * init_start later than the run_stop before it, or at an init_start later
 * than the run_start before it when no run_stop came.  Order in the file is
 * not order in time: a cache_clear that was logged behind run_stop but
 * happened before it belongs to the run before.
 */
#ifndef MLS_SLURM_CUTTER_H
#define MLS_SLURM_CUTTER_H

#include "mlscore/log.h"

/* Zero-initialised is at the start of a file. */
typedef struct mls_cutter {
    bool whole;      /* never cut: the file is one run */
    bool lines_seen; /* a line that starts a run has come; times no longer cut */
    bool started;    /* the current run's run_start came */
    bool stopped;    /* its run_stop came */
    double start_ms; /* of the first run_start */
    double stop_ms;
} mls_cutter;

/* Whether a new run starts at this record, which then is its first. */
bool mls_cutter_record(mls_cutter *cutter, const mls_record *record);

/* Whether a new run starts at this line. */
bool mls_cutter_marker(mls_cutter *cutter, const mls_marker *marker);

#endif
