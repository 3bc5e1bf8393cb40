/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - allocation, arrays that grow, and arenas.
 *
 * No function here fails: where memory runs out, or a size overflows, mls_no_memory() calls the handler of
 * mls_set_no_memory_handler() (include/mlscore/error.h), whose default is abort().  Callers check nothing.
 *
 * An arena is memory that is released all at once; zero-initialised it is empty.  An arena that is reset per record or
 * per file keeps its largest block, so that a steady workload allocates nothing. */
#pragma once

#include "base/base.h"

/* Call the handler for memory that ran out; abort if it returns. */
_Noreturn void mls_no_memory(void);

/* Allocate like the functions of the C library of the same names; never return NULL.  Release with free(). */
void *mls_malloc(size_t size) MLS_MUST_USE;
void *mls_calloc(size_t count, size_t size) MLS_MUST_USE;
void *mls_realloc(void *memory, size_t size) MLS_MUST_USE;
char *mls_strdup(const char *text) MLS_MUST_USE;
char *mls_strndup(const char *text, size_t size) MLS_MUST_USE;

/* Make room for item number `count`, of `size` bytes, in a growing array.  The array is NULL at first and is released
 * with free(). */
void mls_grow(void **items, size_t count, size_t *capacity, size_t size);

/* mls_grow() for an MLS_LIST_OF(), or for a struct with such members. */
#define MLS_GROW(list, items) mls_grow((void **)&(list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items)

/* Shrink such an array to its `count` items, if possible. */
void mls_fit(void **items, size_t count, size_t *capacity, size_t size);

/* Find the first row of that name.  Rows are or begin with a name (const char *).  Store its index in *place and return
 * true; if there is none, return false and leave *place unchanged. */
bool mls_name_find(const void *rows, size_t count, size_t size, mls_str name, unsigned *place);
#define MLS_NAME_FIND(rows, count, name, place) mls_name_find(rows, count, sizeof *(rows), name, place)

typedef struct mls_arena {
    struct mls_arena_block *blocks; /* newest first */
    char *next, *end;
} mls_arena;

/* Return `size` bytes aligned for any type, not cleared. */
void *mls_arena_alloc(mls_arena *arena, size_t size) MLS_MUST_USE;

/* Return `size` bytes for characters, without alignment: texts are packed at the other end of a block. */
char *mls_arena_text(mls_arena *arena, size_t size) MLS_MUST_USE;

/* Return room for `count` items of `size` bytes, not cleared or zeroed. */
void *mls_arena_array(mls_arena *arena, size_t count, size_t size) MLS_MUST_USE;
void *mls_arena_zeroed(mls_arena *arena, size_t count, size_t size) MLS_MUST_USE;

/* Make room for one more item after `count` of them.  The capacity doubles; outgrown arrays stay in the arena. */
void mls_arena_grow(mls_arena *arena, void **items, size_t count, size_t *capacity, size_t size);

/* Append a value to a list whose items are in an arena. */
#define MLS_ARENA_ADD(arena, list, ...)                                                                                \
    (mls_arena_grow(arena, (void **)&(list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items),          \
     (void)((list)->items[(list)->count++] = (__VA_ARGS__)))

/* Return a copy of `text` with a NUL after it (not counted in len). */
mls_str mls_arena_copy(mls_arena *arena, mls_str text) MLS_MUST_USE;

/* Invalidate all memory of the arena. mls_arena_reset() keeps the largest block for reuse, mls_arena_release() frees
 * all.  The arena can be used again in either case. */
void mls_arena_reset(mls_arena *arena);
void mls_arena_release(mls_arena *arena);

/* Release and free an arena that calloc() allocated; NULL is allowed. */
void mls_arena_free(mls_arena *arena);
