/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h - how long the union of intervals of time is; and sorting in place, without the copy that qsort makes.
 *
 * Lengths of differences are differences of lengths: what of A lies outside of B is |A ∪ B| - |B|. */
#pragma once

#include "mlscore/base.h"

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

/* qsort() in the place where the items are: no memory, and n log n comparisons at most, of n alone when they are in
 * order already.  Items that compare equal may change places. */
void mls_sort_in_place(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));
