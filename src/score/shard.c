/* SPDX-License-Identifier: Apache-2.0 */
/* shard.c - paths to shards. */
#include "score/shard.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"

bool mls_shard_parse(mls_str text, mls_shard *shard)
{
    mls_str number;
    return mls_str_cut(&text, '/', &number) && mls_size_parse(number, &shard->number) &&
           mls_size_parse(text, &shard->count) && shard->number >= 1 && shard->number <= shard->count &&
           shard->count <= MLS_SHARDS_MAX;
}

uint64_t mls_fnv1a(uint64_t hash, mls_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The high bits of FNV-1a alone are uneven: MurmurHash3's finaliser mixes them. */
uint64_t mls_shard_hash(mls_str path)
{
    uint64_t hash = mls_fnv1a(MLS_FNV_START, path);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

/* floor(hash × count / 2^64), by halves, as count is small. */
size_t mls_shard_of(mls_str path, size_t count)
{
    const uint64_t hash = mls_shard_hash(path);
    const uint64_t low = (hash & UINT32_MAX) * count;
    const uint64_t high = (hash >> 32) * count;
    return 1 + (size_t)((high + (low >> 32)) >> 32);
}

mls_str mls_path_below(mls_str path, mls_str root)
{
    if (path.len <= root.len || !mls_str_starts(path, root)) {
        return path;
    }
    const mls_str below = mls_str_rest(path, root.len);
    const size_t slash = *below.ptr == '/';
    return mls_str_rest(below, slash);
}

int mls_compare_paths(mls_str a, mls_str b)
{
    mls_str x;
    mls_str y;
    int order = 0;
    bool more = true;
    while (order == 0 && more) {
        const bool more_a = mls_str_cut(&a, '/', &x);
        const bool more_b = mls_str_cut(&b, '/', &y);
        order = mls_str_compare_natural(x, y);
        order = order != 0 ? order : more_a - more_b;
        more = more_a && more_b;
    }
    return order;
}

void mls_shard_ranges_add(mls_shard_ranges *ranges, size_t first, size_t last)
{
    (void)MLS_GROW(ranges, items);
    ranges->items[ranges->count++] = (mls_shard_range){first, last};
}

static int compare_ranges(const void *a, const void *b)
{
    return mls_compare_sizes(((const mls_shard_range *)a)->first, ((const mls_shard_range *)b)->first);
}

static void sort_ranges(mls_shard_ranges *ranges)
{
    if (ranges->count > 1) {
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
    }
}

void mls_shard_ranges_unite(mls_shard_ranges *ranges)
{
    size_t joined = 0;
    sort_ranges(ranges);
    for (size_t i = 1; i < ranges->count; i++) {
        mls_shard_range *last = &ranges->items[joined];
        const mls_shard_range next = ranges->items[i];
        if (next.first <= last->last + 1) {
            last->last = next.last > last->last ? next.last : last->last;
        } else {
            ranges->items[++joined] = next;
        }
    }
    ranges->count = ranges->count > 0 ? joined + 1 : 0;
}

bool mls_shard_ranges_join(mls_shard_ranges *ranges, size_t *twice)
{
    sort_ranges(ranges);
    for (size_t i = 1; i < ranges->count; i++) {
        if (ranges->items[i].first <= ranges->items[i - 1].last) {
            *twice = ranges->items[i].first;
            return false;
        }
    }
    mls_shard_ranges_unite(ranges);
    return true;
}

void mls_shard_ranges_words(const mls_shard_ranges *ranges, mls_buffer *to)
{
    for (size_t i = 0; i < ranges->count; i++) {
        const mls_shard_range *range = &ranges->items[i];
        mls_buffer_printf(to, "%s%zu", i > 0 ? "," : "", range->first);
        if (range->last > range->first) {
            mls_buffer_printf(to, "-%zu", range->last);
        }
    }
}

void mls_shard_ranges_missing(const mls_shard_ranges *ranges, size_t count, mls_shard_ranges *missing)
{
    size_t next = 1;
    for (size_t i = 0; i <= ranges->count; i++) {
        const size_t first = i < ranges->count ? ranges->items[i].first : count + 1;
        if (first > next) {
            mls_shard_ranges_add(missing, next, first - 1);
        }
        next = i < ranges->count ? ranges->items[i].last + 1 : next;
    }
}
