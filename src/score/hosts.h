/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.h - expand host lists in Slurm's notation, such as "node[01-03,07],r[1-2]n[3-4]", and fold names into lists. */
#pragma once

#include "base/buffer.h"

/* The maximum number of names in an expanded list: a few bytes of a log must not become gigabytes. */
#define MLS_HOSTS_MAX 10000

/* Append the names in `list`, each NUL-terminated, to the empty buffer `names`, and return their number.  The words of
 * a list are separated by commas or blanks.  The numbers of a range are padded with zeros to the width of its first
 * number.  Duplicates are kept.  The names are in the order of scontrol: if a word has brackets 1 to n, bracket n
 * varies fastest, then brackets 1, 2, … and n-1.
 *
 * If a word has invalid syntax or would exceed MLS_HOSTS_MAX names, append it as a single name, and add a host-list
 * finding at `place` to `findings` (may be NULL). */
size_t mls_hosts_expand(mls_str list, mls_buffer *names, mls_findings *findings, mls_finding_place place);

/* Append the shortest list of `names`, each NUL-terminated, to `list` without changing their order.  Adjacent names
 * with consecutive numbers become a range if these are padded with zeros to the width of the first number. */
void mls_hosts_fold(mls_str names, mls_buffer *list);
