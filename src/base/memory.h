/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - sizes that are checked before they are allocated. */
#ifndef MLS_BASE_MEMORY_H
#define MLS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *product = a * b; false when it does not fit. */
static inline bool mls_size_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/*
 * Makes room for item number `count`, of `size` bytes, in a growing array that is NULL at first and to be given to
 * free().  False, nothing changed: no memory.
 */
bool mls_grow(void **items, size_t count, size_t *capacity, size_t size);

/* mls_grow() on a member trio of a struct: items, count and capacity. */
#define MLS_GROW(list, items) mls_grow((void **)&(list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items)

/* A NUL-terminated copy of `len` bytes, to be given to free(); NULL when memory runs out. */
char *mls_copy_text(const char *text, size_t len);

#endif
