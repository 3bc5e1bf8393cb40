/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol.h - where a Slurm job writes, and whether it still runs. */
#pragma once

#include "base/base.h"

typedef struct mls_running_job {
    char *job;    /* SLURM_JOB_ID inside of it */
    char *folder; /* of its output, with its slash; owned, as the other */
    bool ended;   /* also when Slurm does not know it any more */
} mls_running_job;

/* Whether a text can be a job's number: "117", "117_4". */
bool mls_is_job_number(mls_str text);

/* Calls `program` ("scontrol", looked for on PATH) with "show job -o JOB", for 10 seconds at most.  MLS_OK;
 * MLS_ERROR_READ: it cannot be asked, knows no such job or does not say where that writes; or MLS_ERROR_MEMORY.
 * *running is to be released in any case. */
mls_status mls_scontrol_ask(const char *program, const char *job, mls_running_job *running,
                            mls_error *error) MLS_MUST_USE;
void mls_running_job_release(mls_running_job *running);
