/* SPDX-License-Identifier: Apache-2.0 */
/* marked.c - search a block of lines once for many strings, and mark the lines that contain one. */
#include "log/marked.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/needles.h"
#include "log/prefix.h"

void mls_marked_begin(mls_marked_lines *marked, mls_signatures *signatures, bool all, const mls_lines *lines)
{
    const size_t words = lines->count / 64 + 1;
    marked->needles = mls_signatures_needles(signatures, all);
    if (words > marked->capacity) {
        free(marked->bits);
        marked->bits = mls_calloc(2 * words, sizeof *marked->bits);
        marked->capacity = 2 * words;
    } else {
        memset(marked->bits, 0, words * sizeof *marked->bits);
    }
    marked->lines = *lines;
    marked->last_hit = 0;
}

typedef struct piece_search {
    mls_marked_lines *marked;
    size_t from; /* offset of the piece in the block */
} piece_search;

static bool mark_hit(void *state, size_t needle, size_t at)
{
    const piece_search *search = state;
    const mls_lines *lines = &search->marked->lines;
    size_t i = search->marked->last_hit;
    (void)needle;
    at += search->from;
    while (mls_lines_begin(lines, i) > at)
        i--;
    while (mls_lines_begin(lines, i + 1) <= at)
        i++;
    search->marked->last_hit = i;
    if (at - mls_lines_begin(lines, i) < MLS_LINE_EXAMINED)
        mls_marked_add(search->marked, i);
    return true;
}

void mls_marked_search(mls_marked_lines *marked, mls_str piece)
{
    piece_search search = {marked, (size_t)(piece.ptr - marked->lines.text.ptr)};
    mls_needles_learn(marked->needles, piece);
    (void)mls_needles_find(marked->needles, piece, mark_hit, &search);
}

void mls_marked_search_clean(mls_marked_lines *marked, mls_signatures *signatures, size_t i, char *scratch)
{
    if (mls_signatures_search(signatures, mls_log_line_clean(mls_lines_text(&marked->lines, i), scratch)) != 0)
        mls_marked_add(marked, i);
}

void mls_marked_block(mls_marked_lines *marked, mls_signatures *signatures, const mls_lines *lines, char *scratch)
{
    mls_marked_begin(marked, signatures, false, lines);
    mls_marked_search(marked, lines->text);
    for (size_t i = 0; i < lines->count; i++)
        if (mls_lines_odd(lines, i))
            mls_marked_search_clean(marked, signatures, i, scratch);
}

size_t mls_marked_next(const mls_marked_lines *marked, size_t i, size_t end)
{
    uint64_t left = i < end ? marked->bits[i / 64] >> (i % 64) : 0;
    while (left == 0 && i < end) {
        i = (i / 64 + 1) * 64;
        left = i < end ? marked->bits[i / 64] : 0;
    }
    i += left != 0 ? (size_t)__builtin_ctzll(left) : 0;
    return i < end ? i : end;
}
