/* SPDX-License-Identifier: Apache-2.0 */
/* interval.c - heap sort, for lists that fill most of the memory there may be. */
#include "base/interval.h"

static void swap_items(char *a, char *b, size_t size)
{
    uint64_t word;
    uint64_t other;
    for (; size >= sizeof word; size -= sizeof word, a += sizeof word, b += sizeof word) {
        memcpy(&word, a, sizeof word);
        memcpy(&other, b, sizeof other);
        memcpy(a, &other, sizeof other);
        memcpy(b, &word, sizeof word);
    }
    for (; size > 0; size--, a++, b++) {
        const char c = *a;
        *a = *b;
        *b = c;
    }
}

/* Lets the item at `at` sink until none of the `count` items below it is larger. */
static void sink(char *items, size_t at, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t child; (child = at * 2 + 1) < count; at = child) {
        child += child + 1 < count && compare(items + child * size, items + (child + 1) * size) < 0;
        if (compare(items + at * size, items + child * size) >= 0) {
            return;
        }
        swap_items(items + at * size, items + child * size, size);
    }
}

void mls_sort_in_place(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
    char *at = items;
    size_t ordered = 1;
    while (ordered < count && compare(at + (ordered - 1) * size, at + ordered * size) <= 0) {
        ordered++;
    }
    if (ordered >= count) {
        return;
    }
    for (size_t i = count / 2; i-- > 0;) {
        sink(at, i, count, size, compare);
    }
    for (size_t i = count; i-- > 1;) {
        swap_items(at, at + i * size, size);
        sink(at, 0, i, size, compare);
    }
}
