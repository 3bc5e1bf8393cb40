/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.h - expand host lists in Slurm's notation, such as "node[01-03,07],r[1-2]n[3-4]", and fold names into lists. */
#pragma once

#include "base/buffer.h"

/* The maximum length of an expanded list: a few bytes of a log must not become gigabytes. */
#define MLS_HOSTS_MAX 10000

/* Append the names in a list, each NUL-terminated, to an empty buffer, and return their number.  Lists are separated by
 * commas or blanks, the numbers of a range are padded with zeros to the width of its first number, and duplicates are
 * kept.  With brackets 1 to n in a word, the order from slowest to fastest is n-1, n-2, …, 1, n, as in scontrol.
 *
 * A word with invalid syntax, or one that would exceed MLS_HOSTS_MAX names, is kept as a single name, and a host-list
 * finding is added at `place`; `findings` may be NULL. */
size_t mls_hosts_expand(mls_str list, mls_buffer *names, mls_findings *findings, mls_finding_place place);

/* Append the shortest list of these names, each NUL-terminated, in their order.  Adjacent names with consecutive
 * numbers become a range if they are padded to the width of the first one. */
void mls_hosts_fold(mls_str names, mls_buffer *list);
