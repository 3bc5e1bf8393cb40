/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - allocation that never fails, growing arrays, and arenas.  An arena is a list of blocks, of which the
 * newest is the largest. */
#include "base/memory.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(mls_no_memory_handler) no_memory_handler;

void mls_set_no_memory_handler(mls_no_memory_handler handler)
{
    atomic_store(&no_memory_handler, handler);
}

void mls_no_memory(void)
{
    const mls_no_memory_handler handler = atomic_load(&no_memory_handler);
    if (handler != NULL)
        handler();
    abort();
}

void *mls_malloc(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);
    if (memory == NULL)
        mls_no_memory();
    return memory;
}

void *mls_calloc(size_t count, size_t size)
{
    void *memory = count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1);
    if (memory == NULL)
        mls_no_memory();
    return memory;
}

void *mls_realloc(void *memory, size_t size)
{
    void *grown = realloc(memory, size > 0 ? size : 1);
    if (grown == NULL)
        mls_no_memory();
    return grown;
}

char *mls_strndup(const char *text, size_t size)
{
    const size_t length = strnlen(text, size);
    char *copy = mls_malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *mls_strdup(const char *text)
{
    return mls_strndup(text, SIZE_MAX - 1);
}

/* Initial size of a list in bytes; if an item is larger, the list has room for one item.  The size is small, because
 * tens of thousands of runs have many lists each, and most lists are short. */
enum { FIRST_BYTES = 64 };

void mls_grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return;
    const size_t first = size < FIRST_BYTES ? FIRST_BYTES / size : 1;
    const size_t wanted = *capacity < first ? first : *capacity * 2;
    if (wanted > SIZE_MAX / size)
        mls_no_memory();
    *items = mls_realloc(*items, wanted * size);
    *capacity = wanted;
}

void mls_fit(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count > 0 && count < *capacity) {
        *items = mls_realloc(*items, count * size);
        *capacity = count;
    }
}

bool mls_name_find(const void *rows, size_t count, size_t size, mls_str name, unsigned *place)
{
    const char *row = rows;
    for (size_t i = 0; i < count; i++, row += size) {
        if (mls_str_equal(name, mls_str_from(*(const char *const *)(const void *)row))) {
            *place = (unsigned)i;
            return true;
        }
    }
    return false;
}

struct mls_arena_block {
    struct mls_arena_block *older;
    size_t size; /* size of `bytes` */
    alignas(max_align_t) char bytes[];
};

/* Size of the first block of an arena in bytes.  It is small, because thousands of runs have an arena each that stores
 * only a few seeds.  Each further block is twice as large. */
enum { BLOCK_SIZE = 256 };

/* Add a block with room for at least `size` bytes to the arena. */
static void grow_arena(mls_arena *arena, size_t size)
{
    const size_t wanted = arena->blocks != NULL ? arena->blocks->size * 2 : BLOCK_SIZE;
    const size_t room = wanted < size ? size : wanted;
    struct mls_arena_block *block = mls_malloc(sizeof *block + room);
    block->older = arena->blocks;
    block->size = room;
    arena->blocks = block;
    arena->next = block->bytes;
    arena->end = block->bytes + room;
}

void *mls_arena_alloc(mls_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 4)
        mls_no_memory();
    size = (size + (size == 0) + align - 1) / align * align;
    if ((size_t)(arena->end - arena->next) < size)
        grow_arena(arena, size);
    void *result = arena->next;
    arena->next += size;
    return result;
}

char *mls_arena_text(mls_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        mls_no_memory();
    if ((size_t)(arena->end - arena->next) < size)
        grow_arena(arena, size);
    arena->end -= size;
    return arena->end;
}

void *mls_arena_array(mls_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mls_no_memory();
    return mls_arena_alloc(arena, bytes);
}

void *mls_arena_zeroed(mls_arena *arena, size_t count, size_t size)
{
    void *memory = mls_arena_array(arena, count, size);
    memset(memory, 0, count * size);
    return memory;
}

void mls_arena_grow(mls_arena *arena, void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return;
    const size_t wanted = count < 2 ? 4 : count * 2;
    void *grown = mls_arena_array(arena, wanted, size);
    if (count > 0)
        memcpy(grown, *items, count * size);
    *items = grown;
    *capacity = wanted;
}

mls_str mls_arena_copy(mls_arena *arena, mls_str text)
{
    char *copy = mls_arena_text(arena, text.len + 1);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (mls_str){copy, text.len};
}

void mls_arena_reset(mls_arena *arena)
{
    struct mls_arena_block *keep = arena->blocks; /* the newest is the largest */
    if (keep == NULL)
        return;
    for (struct mls_arena_block *block = keep->older; block != NULL;) {
        struct mls_arena_block *older = block->older;
        free(block);
        block = older;
    }
    keep->older = NULL;
    arena->next = keep->bytes;
    arena->end = keep->bytes + keep->size;
}

void mls_arena_release(mls_arena *arena)
{
    mls_arena_reset(arena);
    free(arena->blocks);
    *arena = (mls_arena){0};
}

void mls_arena_free(mls_arena *arena)
{
    if (arena != NULL) {
        mls_arena_release(arena);
        free(arena);
    }
}
