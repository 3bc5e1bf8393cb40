/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - a hash map from byte strings to numbers or pointers.
 *
 * To create an empty map, set only its arena: {.arena = &arena}.  The table and copies of the keys are in the arena;
 * entries are never removed.  Entries are stored in the order in which they were added, so a loop over map.entries is
 * deterministic, and the index of an entry (entry - map.entries) never changes and can identify the key.
 *
 * Keys may be hostile, so the hash is salted. */
#pragma once

#include "base/memory.h"

typedef struct mls_map_entry {
    mls_str key;
    uint64_t hash;
    union {
        size_t number;
        void *pointer;
    } value; /* 0 or NULL for a new entry */
} mls_map_entry;

typedef struct mls_map {
    mls_arena *arena;
    mls_map_entry *entries;
    size_t count;
    size_t capacity; /* number of entries for which memory is allocated; there are twice as many slots */
    uint32_t *slots; /* 0 for a free slot, otherwise the index of an entry plus 1 */
    uint64_t salt;   /* makes the hashes of keys unpredictable */
} mls_map;

/* Return the entry of a key, or NULL if the key is missing.  The pointer is valid until the next mls_map_put(). */
mls_map_entry *mls_map_find(const mls_map *map, mls_str key);

/* Return the entry of a key.  If the key is missing, add it with the value 0. *added (may be NULL) is set to whether
 * the key was added. */
mls_map_entry *mls_map_put(mls_map *map, mls_str key, bool *added);

/* Return a fast hash of the bytes.  Do not store it: it may change between releases. */
uint64_t mls_str_hash(mls_str text, uint64_t salt);
