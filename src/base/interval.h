/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h - how long the union of intervals of time is; and order in place, without the copy that qsort makes.
 *
 * Lengths of differences are differences of lengths: what of A lies outside of B is |A ∪ B| - |B|. */
#pragma once

#include "base/base.h"

/* The union of the intervals added so far, which come in the order of their starts; zero-initialised is empty. */
typedef struct mls_cover {
    int64_t first, reach; /* the first start and the last end */
    int64_t length;       /* of the union */
    bool begun;
} mls_cover;

/* Adds [start, end), start <= end: in whole units of the caller's, from 0 on.  One without length moves the ends only.
 */
static inline void mls_cover_add(mls_cover *cover, int64_t start, int64_t end)
{
    if (!cover->begun) {
        *cover = (mls_cover){.first = start, .reach = start, .begun = true};
    }
    if (end > cover->reach) {
        cover->length += end - (start > cover->reach ? start : cover->reach);
        cover->reach = end;
    }
}

/* The number that an item is sorted by. */
typedef uint64_t mls_number_of(const void *item);

/* Sorts in the place where the items are, by their numbers: it takes no memory, and time that grows as their count,
 * less where they are in order.  Items of one number may change places. */
void mls_sort_in_place(void *items, size_t count, size_t size, mls_number_of *number);

/* Moves the item to `rank`, below `count`, that would be there if they were sorted, those before it in front of it. */
void mls_select_in_place(void *items, size_t count, size_t size, size_t rank, mls_number_of *number);
