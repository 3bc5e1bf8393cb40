/* SPDX-License-Identifier: Apache-2.0 */
/* interval.c - in-place radix sort, for lists that take most of the available memory. */
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

/* Return the highest bit in which the keys of any two items differ, or 0 if the items are already sorted. */
static uint64_t highest_difference(const char *items, size_t count, size_t size, mls_number_of *number)
{
    const uint64_t first = count > 0 ? number(items) : 0;
    uint64_t before = first;
    uint64_t differ = 0;
    bool ordered = true;
    for (size_t i = 1; i < count; i++) {
        const uint64_t next = number(items + i * size);
        ordered = ordered && before <= next;
        differ |= first ^ next;
        before = next;
    }
    return ordered ? 0 : (uint64_t)1 << (63 - __builtin_clzll(differ));
}

/* Move the items in whose keys `bit` is 0 to the front, and return their number. */
static size_t part_by_bit(char *items, size_t count, size_t size, uint64_t bit, mls_number_of *number)
{
    size_t low = 0;
    for (size_t high = count;;) {
        while (low < high && (number(items + low * size) & bit) == 0)
            low++;
        while (low < high && (number(items + (high - 1) * size) & bit) != 0)
            high--;
        if (low == high)
            return low;
        swap_items(items + low++ * size, items + --high * size, size);
    }
}

/* Each recursive call sorts items whose keys agree in at least one more bit, so the depth is at most 64. */
void mls_sort_in_place(void *items, size_t count, size_t size, mls_number_of *number)
{
    enum { FEW = 24 };
    const uint64_t bit = count > FEW ? highest_difference(items, count, size, number) : 0;
    if (count <= FEW) {
        char *at = items;
        for (size_t i = 1; i < count; i++)
            for (size_t k = i; k > 0 && number(at + (k - 1) * size) > number(at + k * size); k--)
                swap_items(at + (k - 1) * size, at + k * size, size);
    } else if (bit != 0) {
        const size_t low = part_by_bit(items, count, size, bit, number);
        mls_sort_in_place(items, low, size, number);
        mls_sort_in_place((char *)items + low * size, count - low, size, number);
    }
}

void mls_select_in_place(void *items, size_t count, size_t size, size_t rank, mls_number_of *number)
{
    char *at = items;
    uint64_t bit;
    while ((bit = highest_difference(at, count, size, number)) != 0) {
        const size_t low = part_by_bit(at, count, size, bit, number);
        const bool behind = rank >= low;
        at += behind ? low * size : 0;
        rank -= behind ? low : 0;
        count = behind ? count - low : low;
    }
}
