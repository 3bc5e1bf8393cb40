/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.h - lists of hosts as Slurm writes them, "node[01-03,07],r[1-2]n[3-4]": to names, and back. */
#pragma once

#include "base/buffer.h"

/* A list of more hosts than this is not expanded: a few bytes of a log must not become gigabytes. */
#define MLS_HOSTS_MAX 10000

/* Appends the names of a list, each with a NUL after it, to an empty buffer and returns how many.  Commas and blanks
 * part words; the numbers of a range are as wide as its low end; of two brackets the first varies slowest, of more
 * the last but one, and so on back to the first, then the last; names that repeat stay.  A word that breaks the syntax,
 * or with which there would be more than MLS_HOSTS_MAX names, is one as it stands, and `findings` (NULL: nobody asks)
 * get a host-list at the place. */
size_t mls_hosts_expand(mls_str list, mls_buffer *names, mls_findings *findings, mls_finding_place place);

/* Appends the shortest list that has these names, each with a NUL after it, in their order: neighbours whose numbers
 * follow each other are one range where its low end's width gives them back. */
void mls_hosts_fold(mls_str names, mls_buffer *list);
