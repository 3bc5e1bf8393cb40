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

/* Reads as mls_sacct_read() does, but not as a file that was saved; `source` is to live as long as the rows. */
mls_status mls_sacct_take(mls_sacct *sacct, mls_str text, const char *source, mls_sacct_zone zone,
                          mls_error *error) MLS_MUST_USE;

/* A row of which nothing is known but its source, which it borrows. */
mls_slurm_job mls_sacct_row(const char *source);

/* A time as sacct has it: seconds since 1970, or a date, which is in the zone unless it says its own; "", Unknown and
 * None are NAN.  row->timezone becomes the zone's name where it counted.  False: it is none. */
bool mls_sacct_time(mls_str text, mls_sacct_zone zone, mls_slurm_job *row, double *time_ms);

/* Takes a row over, whose texts are in the arena.  False: no memory. */
bool mls_sacct_add(mls_sacct *sacct, const mls_slurm_job *row) MLS_MUST_USE;

/* The entry of a job, by its JobIDRaw or else its JobID; NULL: there is none. */
mls_sacct_entry *mls_sacct_find(const mls_sacct *sacct, mls_str number);

/* Sets what the words of State and JobID say, which are copied.  False: no memory. */
bool mls_sacct_state(mls_sacct *sacct, mls_str state, mls_slurm_job *row) MLS_MUST_USE;
bool mls_sacct_id(mls_sacct *sacct, mls_str raw, mls_str id, mls_slurm_job *row) MLS_MUST_USE;

/* Reads the text of `sacct --json`. */
mls_status mls_sacct_read_json(mls_sacct *sacct, mls_str text, const char *source, mls_error *error) MLS_MUST_USE;

/* Note the job that the name of a run's file says: slurm-<job>.out, slurm-<job>_<task>.out. */
void mls_run_note_name(mls_run *run);

/* Finds which job made a run, when its repetitions have told theirs: its own text's word, a repetition's, its file's
 * name, slurmstepd's line, in this order; and says which of them differ, and which words of its list of nodes are not
 * as Slurm writes them. */
void mls_run_find_job(mls_run *run);
