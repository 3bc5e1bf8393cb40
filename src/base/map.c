/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - a hash table with open addressing over an array of entries. */
#include "base/map.h"

enum { CAPACITY_FIRST = 8 };

uint64_t mls_str_hash(mls_str text, uint64_t salt)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (salt ^ (uint64_t)text.len) * factor;
    uint64_t word = 0;
    size_t at = 0;
    for (; at + sizeof word <= text.len; at += sizeof word) {
        memcpy(&word, text.ptr + at, sizeof word);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    word = 0;
    if (at < text.len)
        memcpy(&word, text.ptr + at, text.len - at);
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 32;
}

/* Return the slot of the key, or the free slot in which a new key must be stored.  At least half of the slots are free.
 */
static uint32_t *slot_of(const mls_map *map, mls_str key, uint64_t hash)
{
    const size_t mask = map->capacity * 2 - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &map->slots[at];
        if (*slot == 0)
            return slot;
        const mls_map_entry *entry = &map->entries[*slot - 1];
        if (entry->hash == hash && mls_str_equal(entry->key, key))
            return slot;
    }
}

mls_map_entry *mls_map_find(const mls_map *map, mls_str key)
{
    const uint32_t number = map->count > 0 ? *slot_of(map, key, mls_str_hash(key, map->salt)) : 0;
    return number != 0 ? &map->entries[number - 1] : NULL;
}

mls_map_entry *mls_map_put(mls_map *map, mls_str key, bool *added)
{
    if (map->count == map->capacity) {
        mls_map grown = *map;
        grown.capacity = map->capacity == 0 ? CAPACITY_FIRST : map->capacity * 2;
        if (grown.capacity > UINT32_MAX / 4)
            mls_no_memory();
        grown.entries = mls_arena_array(map->arena, grown.capacity, sizeof *grown.entries);
        grown.slots = mls_arena_zeroed(map->arena, grown.capacity * 2, sizeof *grown.slots);
        for (size_t i = 0; i < map->count; i++) {
            grown.entries[i] = map->entries[i];
            *slot_of(&grown, grown.entries[i].key, grown.entries[i].hash) = (uint32_t)i + 1;
        }
        grown.salt = map->count == 0 ? (uint64_t)(uintptr_t)grown.slots : map->salt;
        *map = grown;
    }
    const uint64_t hash = mls_str_hash(key, map->salt);
    uint32_t *slot = slot_of(map, key, hash);
    if (added != NULL)
        *added = *slot == 0;
    if (*slot == 0) {
        map->entries[map->count] = (mls_map_entry){.key = mls_arena_copy(map->arena, key), .hash = hash};
        *slot = (uint32_t)++map->count;
    }
    return &map->entries[*slot - 1];
}
