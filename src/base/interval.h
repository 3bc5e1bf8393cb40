/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h - the length of a union of time intervals, and sorting in place without allocating.
 *
 * To get the length of the difference of A and B, subtract lengths: |A ∪ B| - |B|. */
#pragma once

#include "base/base.h"

/* The union of the intervals added so far.  Add them in the order of their starts.  Zero-initialized, it is empty. */
typedef struct mls_cover {
    int64_t first, reach; /* the first start and the last end */
    int64_t length;       /* of the union */
    bool begun;
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

/* Return the sort key of an item. */
typedef uint64_t mls_number_of(const void *item);

/* Sort items in place by their keys.  Needs no memory; the time is linear in their number.  Not stable. */
void mls_sort_in_place(void *items, size_t count, size_t size, mls_number_of *number);

/* Move the item that belongs at position `rank` (less than `count`) there, and items with smaller keys in front of it.
 */
void mls_select_in_place(void *items, size_t count, size_t size, size_t rank, mls_number_of *number);
