/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - allocation, arrays that grow, and arenas.
 *
 * No function here fails: if memory runs out, or a size overflows, mls_no_memory() calls the handler of
 * mls_set_no_memory_handler() (include/mlscore/error.h), whose default is abort().  Callers need not check results.
 *
 * An arena is memory that is released all at once.  A zero-initialized arena is empty.  mls_arena_reset() keeps the
 * largest block, so a program that resets an arena after each record or file soon allocates no more memory. */
#pragma once

#include "base/base.h"

/* Call the handler of mls_set_no_memory_handler(), and call abort() if the handler returns. */
_Noreturn void mls_no_memory(void);

/* Allocate like malloc(), calloc(), realloc(), strdup() and strndup(), but never return NULL.  Release with free(). */
void *mls_malloc(size_t size) MLS_MUST_USE;
void *mls_calloc(size_t count, size_t size) MLS_MUST_USE;
void *mls_realloc(void *memory, size_t size) MLS_MUST_USE;
char *mls_strdup(const char *text) MLS_MUST_USE;
char *mls_strndup(const char *text, size_t size) MLS_MUST_USE;

/* Make room for one more item after the first `count` items of a growing array; `size` is the size of an item in bytes.
 * The array is initially NULL and is released with free(). */
void mls_grow(void **items, size_t count, size_t *capacity, size_t size);

/* Call mls_grow() for an MLS_LIST_OF(), or for a struct that has the members `count` and `capacity`. */
#define MLS_GROW(list, items) mls_grow((void **)&(list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items)

/* Shrink an array that mls_grow() allocated to `count` items.  An empty array is left unchanged. */
void mls_fit(void **items, size_t count, size_t *capacity, size_t size);

/* Find the first row with a name.  Each row of `size` bytes begins with its name (const char *).  Store the index of
 * the row in *place and return true.  If no row has this name, return false and leave *place unchanged. */
bool mls_name_find(const void *rows, size_t count, size_t size, mls_str name, unsigned *place);
#define MLS_NAME_FIND(rows, count, name, place) mls_name_find(rows, count, sizeof *(rows), name, place)

typedef struct mls_arena {
    struct mls_arena_block *blocks; /* newest first */
    char *next, *end;
} mls_arena;

/* Return `size` bytes aligned for any type, not cleared. */
void *mls_arena_alloc(mls_arena *arena, size_t size) MLS_MUST_USE;

/* Return `size` bytes for characters, not aligned and not cleared.  To save space, characters are allocated from the
 * end of a block, and other data from its start. */
char *mls_arena_text(mls_arena *arena, size_t size) MLS_MUST_USE;

/* Return room for `count` items of `size` bytes, not cleared. */
void *mls_arena_array(mls_arena *arena, size_t count, size_t size) MLS_MUST_USE;

/* Return room for `count` items of `size` bytes, filled with zeros. */
void *mls_arena_zeroed(mls_arena *arena, size_t count, size_t size) MLS_MUST_USE;

/* Make room for one more item after the first `count` items of an array in an arena.  If the array is full, it is
 * copied to one of twice its size, and the old array stays in the arena. */
void mls_arena_grow(mls_arena *arena, void **items, size_t count, size_t *capacity, size_t size);

/* Append a value to a list whose items are in an arena. */
#define MLS_ARENA_ADD(arena, list, ...)                                                                                \
    (mls_arena_grow(arena, (void **)&(list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items),          \
     (void)((list)->items[(list)->count++] = (__VA_ARGS__)))

/* Return a copy of `text` that is followed by a NUL (not counted in len). */
mls_str mls_arena_copy(mls_arena *arena, mls_str text) MLS_MUST_USE;

/* Invalidate all memory of the arena, but keep the largest block for reuse. */
void mls_arena_reset(mls_arena *arena);

/* Free all memory of the arena, which is then empty and can be used again. */
void mls_arena_release(mls_arena *arena);

/* Free all memory of an arena, and the struct itself, which mls_calloc() allocated; `arena` may be NULL. */
void mls_arena_free(mls_arena *arena);
