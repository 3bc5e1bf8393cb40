/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - what the marker lines of a Slurm log say about a job.
 */
#ifndef MLS_SLURM_JOB_H
#define MLS_SLURM_JOB_H

#include "mlscore/run.h"

/* Empty, with every number NAN. */
void mls_job_init(mls_job *job);

/* Takes what a marker line says; the last one of a kind counts.  False when memory runs out. */
bool mls_job_marker(mls_job *job, const mls_marker *marker);

/* Copies to `job` what only `from` knows.  False when memory runs out. */
bool mls_job_inherit(mls_job *job, const mls_job *from);

void mls_job_release(mls_job *job);

/* A list of more hosts than this is not expanded: a few bytes of a log must not become gigabytes. */
#define MLS_HOSTS_MAX 10000

/*
 * Expands a list of hosts as Slurm writes it, "node[01-03,07],gpu1", and calls
 * `each` for every name; a word that does not follow Slurm's syntax, and a list
 * of more than MLS_HOSTS_MAX names, is passed on as it stands.  The name lives
 * until the call returns.
 */
void mls_hosts_expand(mls_str list, void (*each)(void *state, mls_str host), void *state);

#endif
