/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h - the length of a union of time intervals, and sorting in place without allocating.
 *
 * The length of the part of A that B does not cover is |A ∪ B| - |B|. */
#pragma once

#include "base/base.h"

/* The union of the intervals added so far.  Add intervals in the order of their starts.  A zero-initialized union is
 * empty. */
typedef struct mls_cover {
    int64_t first, reach; /* the first start and the last end */
    int64_t length;       /* the length of the union, without gaps */
    bool begun;           /* whether an interval was added */
} mls_cover;

/* Add [start, end), with start <= end, in whole units >= 0.  An empty interval only extends the first start and the
 * last end. */
static inline void mls_cover_add(mls_cover *cover, int64_t start, int64_t end)
{
    if (!cover->begun)
        *cover = (mls_cover){.first = start, .reach = start, .begun = true};
    if (end > cover->reach) {
        cover->length += end - (start > cover->reach ? start : cover->reach);
        cover->reach = end;
    }
}

/* A callback that returns the sort key of an item. */
typedef uint64_t mls_number_of(const void *item);

/* Sort items of `size` bytes in place by their keys, without allocating memory and in linear time.  Items with equal
 * keys may change their order. */
void mls_sort_in_place(void *items, size_t count, size_t size, mls_number_of *number);

/* Move the item that sorting would place at index `rank` (less than `count`) to this index, and all items with smaller
 * keys before it. */
void mls_select_in_place(void *items, size_t count, size_t size, size_t rank, mls_number_of *number);
