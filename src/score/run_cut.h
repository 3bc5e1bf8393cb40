/* SPDX-License-Identifier: Apache-2.0 */
/* run_cut.h - where in a file a new run begins: the one place that decides it.
 *
 * A new run starts at a line "Beginning trial i of n" or "EXPERIMENT_START <epoch>"; until the first such line of a
 * file, also at a cache_clear, init_start or submission_… later than the run_stop before it, or at an init_start later
 * than the run_start before it when no run_stop came, as that run has died.  Times count, not the order in the file:
 * logs carry a run's own cache_clear lines after its run_stop. */
#pragma once

#include "log/log.h"

/* The state of a file and its last run, as far as it matters.  Zero-initialised for each file. */
typedef struct mls_run_cut {
    bool by_lines;            /* a line that starts a run has come; times no longer cut */
    bool started, stopped;    /* the run has a run_start, a run_stop */
    double start_ms, stop_ms; /* of the first ones */
} mls_run_cut;

/* The run that a record belongs to. */
typedef enum mls_record_owner {
    MLS_OWNER_SAME_RUN,
    MLS_OWNER_SAME_OR_NEXT_RUN, /* a cache_clear or submission_… while a run trains: the next one's, should this one
                                   have died */
    MLS_OWNER_NEXT_RUN,         /* a new run begins with it */
    MLS_OWNER_NEXT_AFTER_DEATH  /* likewise; records that were of the same or the next run are of this one */
} mls_record_owner;

/* Takes the next record of the file.  Returns which run it belongs to; the next record is judged by that. */
mls_record_owner mls_run_cut_record(mls_run_cut *cut, mls_key key, double time_ms);

/* Takes the next marker line of the file; whether a new run begins with it. */
bool mls_run_cut_marker(mls_run_cut *cut, mls_marker_kind kind);
