/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - the names in a list of hosts as Slurm writes it.
 */
#ifndef MLS_SLURM_HOSTS_H
#define MLS_SLURM_HOSTS_H

#include "mlscore/base.h"

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
