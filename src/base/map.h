/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - a hash map from byte strings to numbers or pointers.
 *
 * A map with an arena and nothing else is empty.  Table and copies of the keys lie in the arena; nothing is ever taken
 * out.  Entries stand in the order in which they were added, so walking over map.entries is the same in every run, and
 * an entry's number (entry - map.entries) can stand for its key.  Keys may be hostile: the hash is salted. */
#pragma once

#include "base/memory.h"

typedef struct mls_map_entry {
    mls_str key;
    uint64_t hash;
    union {
        size_t number;
        void *pointer;
    } value; /* 0 when new */
} mls_map_entry;

typedef struct mls_map {
    mls_arena *arena;
    mls_map_entry *entries;
    size_t count;
    size_t capacity; /* of entries; there are twice as many slots */
    uint32_t *slots; /* 0: free, else the number of an entry, plus 1 */
    uint64_t salt;
} mls_map;

/* Return the entry of a key, or NULL.  It is valid until the next mls_map_put(). */
mls_map_entry *mls_map_find(const mls_map *map, mls_str key);

/* Return the entry of a key, added with the value 0 when it was not there; *added (may be NULL) says so. */
mls_map_entry *mls_map_put(mls_map *map, mls_str key, bool *added);

/* A fast hash of bytes, not for keeping: it may differ from one release to the next. */
uint64_t mls_str_hash(mls_str text, uint64_t salt);
