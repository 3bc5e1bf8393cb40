/* SPDX-License-Identifier: Apache-2.0 */
/* shard.h - assign files to shards by a hash of their path.  Each task of a job knows its own files without the others,
 * and a new file does not move any other to another shard. */
#pragma once

#include "base/buffer.h"

#define MLS_SHARDS_MAX ((size_t)1000000)

/* Shard `number` of `count`, from 1. */
typedef struct mls_shard {
    size_t number, count;
} mls_shard;

/* Parse "3/64"; return false if it is invalid. */
bool mls_shard_parse(mls_str text, mls_shard *shard);

/* Compute the FNV-1a hash of bytes, continuing from a previous hash (at first MLS_FNV_START). */
#define MLS_FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t mls_fnv1a(uint64_t hash, mls_str bytes);

/* Return the hash of a path.  The second function returns its shard out of `count`, from 1. */
uint64_t mls_shard_hash(mls_str path);
size_t mls_shard_of(mls_str path, size_t count);

/* Return the part of a path to hash: what follows the root, or the whole path if it is the root. */
mls_str mls_path_below(mls_str path, mls_str root);

/* Compare paths by their components in natural order, the order in which a single process reads files below a root. */
int mls_compare_paths(mls_str a, mls_str b);

/* A range of shard numbers, including both ends. */
typedef struct mls_shard_range {
    size_t first, last;
} mls_shard_range;
typedef MLS_LIST_OF(mls_shard_range) mls_shard_ranges;

/* Add a range.  The other functions sort and join ranges, returning false with the first shard in *twice if they
 * overlap, and write them in the notation of Slurm arrays: "3,17-19". */
void mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last);
bool mls_shard_ranges_unite(mls_shard_ranges *ranges, size_t *twice);
void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to);

/* Get the numbers from 1 to `count` that are not in any range. */
void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing);
