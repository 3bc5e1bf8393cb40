/* SPDX-License-Identifier: Apache-2.0 */
/* shard.h - which of n shards reads a file: by a hash of its path, so that each task of a job knows its own and nothing
 * of the others, and a file that appears later changes nothing for another. */
#pragma once

#include "base/buffer.h"

#define MLS_SHARDS_MAX ((size_t)1000000)

/* Shard `number` of `count`, from 1 on. */
typedef struct mls_shard {
    size_t number, count;
} mls_shard;

/* Reads "3/64"; false when it is no such thing. */
bool mls_shard_parse(mls_str text, mls_shard *shard);

/* FNV-1a of bytes, from what came before them (MLS_FNV_START at first). */
#define MLS_FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t mls_fnv1a(uint64_t hash, mls_str bytes);

/* Return the hash of a path that decides, and the shard of `count` that it means, from 1. */
uint64_t mls_shard_hash(mls_str path);
size_t mls_shard_of(mls_str path, size_t count);

/* Of a path found below a root the part that is hashed: what follows the root, or all of a path that is the root. */
mls_str mls_path_below(mls_str path, mls_str root);

/* The order in which one process reads what is below one root: by the parts of the paths, in natural order. */
int mls_compare_paths(mls_str a, mls_str b);

/* Numbers of shards, from first to last. */
typedef struct mls_shard_range {
    size_t first, last;
} mls_shard_range;
typedef MLS_LIST_OF(mls_shard_range) mls_shard_ranges;

/* Add a range; sort them and join those that touch: false when two overlap, at *twice first.  Ranges are written as an
 * array of Slurm's has them: "3,17-19". */
void mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last);
bool mls_shard_ranges_unite(mls_shard_ranges *ranges, size_t *twice);
void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to);

/* What of 1 to count they lack. */
void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing);
