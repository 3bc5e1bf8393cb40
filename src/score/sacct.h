/* SPDX-License-Identifier: Apache-2.0 */
/* sacct.h - rows of sacct output, and their jobs. */
#pragma once

#include "base/map.h"
#include "score/jobs.h"

struct mls_sacct {
    mls_arena arena;
    mls_map by_raw, by_id; /* JobIDRaw and JobID → mls_sacct_entry; the same number may be in both, for two jobs */
    mls_findings findings;
    mls_slurm_jobs jobs; /* of a collection */
    size_t files;        /* number of saved files, and the last one's name */
    const char *file;
};

typedef struct mls_sacct_entry {
    mls_slurm_job *newest;
    size_t first; /* a run of the job in a collection, from 1; 0: none */
} mls_sacct_entry;

/* Return the entry of a job by its JobIDRaw, or else its JobID; NULL if it is unknown. */
mls_sacct_entry *mls_sacct_find(const mls_sacct *sacct, mls_str number);

/* Store the job in the name of a run's file: slurm-<job>.out or slurm-<job>_<task>.out. */
void mls_run_note_name(mls_run *run);

/* Decide which job made a run, after its duplicates were merged, from the first of: its own log, a duplicate, the name
 * of its file, the line of slurmstepd.  Add findings if these differ, and about invalid words in its list of nodes. */
void mls_run_find_job(mls_run *run);
