/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - blocks of memory, the newest the largest.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct mls_arena_block {
    struct mls_arena_block *older;
    size_t size; /* of the bytes behind the header */
    alignas(max_align_t) char bytes[];
};

/* Of the first block: thousands of runs keep a few seeds each; each further one is twice as large. */
enum { BLOCK_SIZE = 512 };

static bool add_block(mls_arena *arena, size_t size)
{
    size_t room = arena->blocks != NULL ? arena->blocks->size : BLOCK_SIZE / 2;
    room = room > SIZE_MAX / 4 ? size : room * 2;
    if (room < size) {
        room = size;
    }
    if (room > SIZE_MAX - sizeof(struct mls_arena_block)) {
        return false;
    }
    struct mls_arena_block *block = malloc(sizeof(*block) + room);
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
    if (size > SIZE_MAX - align) {
        return NULL;
    }
    size = (size + align - 1) / align * align;
    if (arena->blocks == NULL || (size_t)(arena->end - arena->next) < size) {
        if (!add_block(arena, size)) {
            return NULL;
        }
    }
    void *result = arena->next;
    arena->next += size;
    return result;
}

void *mls_arena_array(mls_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    return mls_size_mul(count, size, &bytes) ? mls_arena_alloc(arena, bytes) : NULL;
}

mls_str mls_arena_copy(mls_arena *arena, mls_str text)
{
    char *copy = text.len < SIZE_MAX ? mls_arena_alloc(arena, text.len + 1) : NULL;
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
