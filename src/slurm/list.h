/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - which sources are of a shard: by their paths, or by a list that was dealt out before.
 *
 * A list is written once for all shards, so that no task walks: the files, largest first, each to the shard with the
 * fewest bytes so far.  It has the form of a part. */
#pragma once

#include "base/output.h"
#include "slurm/part.h"

/* Which of all sources are of the head's shard: an array to be given to free(); NULL: no memory. */
bool *mls_shard_sources(const mls_part_head *head, const mls_sources *sources) MLS_MUST_USE;

/* Deals sources out and writes the list; the head says among how many shards.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_list_write(const mls_part_head *head, const mls_sources *sources, mls_output *output,
                          mls_error *error) MLS_MUST_USE;

/* Reads a list: the sources of all shards, with the roots and the hash of it in *head, whose shard and shards are set;
 * *belongs is as above.  A file of the shard that is gone, or has another size by now, has `failed` set, and is
 * the finding list-stale.
 * MLS_ERROR_READ, _SYNTAX or _VALUE: it is no list, or not one for so many shards. */
mls_status mls_list_read(const char *path, mls_part_head *head, mls_sources *sources, bool **belongs,
                         mls_error *error) MLS_MUST_USE;

/* What --resume goes by: a hash of the head and of names, sizes and times of the shard's files.  False: no memory. */
bool mls_shard_state(const mls_part_head *head, const mls_sources *sources, const bool *belongs, mls_hash_words *words);
