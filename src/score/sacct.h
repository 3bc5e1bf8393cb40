/* SPDX-License-Identifier: Apache-2.0 */
/* sacct.h - rows of sacct's output, however it was written, and the jobs that they are of. */
#pragma once

#include "base/map.h"
#include "score/jobs.h"

struct mls_sacct {
    mls_arena arena;
    mls_map by_raw, by_id; /* JobIDRaw, JobID → mls_sacct_entry; a number may be in both, of two jobs */
    mls_findings findings;
    mls_slurm_jobs jobs; /* of a collection */
    size_t files;        /* that were saved, and the name of the last one, of the arena */
    const char *file;
};

typedef struct mls_sacct_entry {
    mls_slurm_job *newest;
    size_t first; /* a run of it in a collection, from 1; 0: none */
} mls_sacct_entry;

/* The entry of a job, by its JobIDRaw or else its JobID; NULL: there is none. */
mls_sacct_entry *mls_sacct_find(const mls_sacct *sacct, mls_str number);

/* Note the job that the name of a run's file says: slurm-<job>.out, slurm-<job>_<task>.out. */
void mls_run_note_name(mls_run *run);

/* Finds which job made a run, when its repetitions have told theirs: its own text's word, a repetition's, its file's
 * name, slurmstepd's line, in this order; and says which of them differ, and which words of its list of nodes are not
 * as Slurm writes them. */
void mls_run_find_job(mls_run *run);
