/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - arrays that grow, and arenas: blocks of memory, the newest the largest. */
#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>

/* For so much, or for one item, a list has room at first: tens of thousands of runs have many lists, and most are
 * short.
 */
enum { FIRST_BYTES = 64 };

bool mls_grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t first = size < FIRST_BYTES ? FIRST_BYTES / size : 1;
    const size_t wanted = *capacity < first ? first : *capacity * 2;
    void *grown = wanted <= SIZE_MAX / size ? realloc(*items, wanted * size) : NULL;
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

void mls_fit(void **items, size_t count, size_t *capacity, size_t size)
{
    void *fitted = count > 0 && count < *capacity ? realloc(*items, count * size) : NULL;
    if (fitted != NULL) {
        *items = fitted;
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
    size_t size; /* of the bytes after the header */
    alignas(max_align_t) char bytes[];
};

/* Of the first block: thousands of runs keep a few seeds each; each further one is twice as large. */
enum { BLOCK_SIZE = 256 };

/* A new block with room for so many bytes at least. */
static bool grow_arena(mls_arena *arena, size_t size)
{
    const size_t wanted = arena->blocks != NULL ? arena->blocks->size * 2 : BLOCK_SIZE;
    const size_t room = wanted < size ? size : wanted;
    struct mls_arena_block *block = malloc(sizeof *block + room);
    if (block == NULL) {
        return false;
    }
    block->older = arena->blocks;
    block->size = room;
    arena->blocks = block;
    arena->next = block->bytes;
    arena->end = block->bytes + room;
    return true;
}

void *mls_arena_alloc(mls_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 4) {
        return NULL;
    }
    size = (size + (size == 0) + align - 1) / align * align;
    if ((size_t)(arena->end - arena->next) < size && !grow_arena(arena, size)) {
        return NULL;
    }
    void *result = arena->next;
    arena->next += size;
    return result;
}

char *mls_arena_text(mls_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4 || ((size_t)(arena->end - arena->next) < size && !grow_arena(arena, size))) {
        return NULL;
    }
    arena->end -= size;
    return arena->end;
}

void *mls_arena_array(mls_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : mls_arena_alloc(arena, bytes);
}

void *mls_arena_zeroed(mls_arena *arena, size_t count, size_t size)
{
    void *memory = mls_arena_array(arena, count, size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

bool mls_arena_grow(mls_arena *arena, void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t wanted = count < 2 ? 4 : count * 2;
    void *grown = mls_arena_array(arena, wanted, size);
    if (grown == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(grown, *items, count * size);
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

mls_str mls_arena_copy(mls_arena *arena, mls_str text)
{
    char *copy = text.len < SIZE_MAX ? mls_arena_text(arena, text.len + 1) : NULL;
    if (copy == NULL) {
        return (mls_str){NULL, 0};
    }
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    copy[text.len] = '\0';
    return (mls_str){copy, text.len};
}

void mls_arena_reset(mls_arena *arena)
{
    struct mls_arena_block *keep = arena->blocks; /* the newest is the largest */
    if (keep == NULL) {
        return;
    }
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
