/* SPDX-License-Identifier: Apache-2.0 */
/* marked.h - select the lines of a block that need to be examined because they may match a signature or a mark. */
#pragma once

#include "log/log.h"
#include "log/signatures.h"

/* The marked lines of a block.  Zero-initialize it before the first block. */
typedef struct mls_marked_lines {
    mls_lines lines;
    uint64_t *bits; /* one bit per line, set if the line is marked; the caller frees the array after the last block */
    size_t capacity;
    /* The line of the last hit; the line of the next hit is found from here, because hits are almost in order. */
    size_t last_hit;
    struct mls_needles *needles;
} mls_marked_lines;

/* Begin a block without marked lines.  `all`: search for all strings given to mls_signatures_prepare(); false: not for
 * those after the first `mark_count`. */
void mls_marked_begin(mls_marked_lines *marked, mls_signatures *signatures, bool all, const mls_lines *lines);

/* Search a piece of the block's text, and mark the lines that contain one of the strings.  Pass the pieces of a block
 * in order. */
void mls_marked_search(mls_marked_lines *marked, mls_str piece);

/* Search line `i`, which contains control characters, without these characters, and mark it if it then contains a
 * string.  `scratch` is a buffer of MLS_LINE_EXAMINED bytes, as for mls_log_line_read(). */
void mls_marked_search_clean(mls_marked_lines *marked, mls_signatures *signatures, size_t i, char *scratch);

/* Search a whole block with the three functions above: for the strings of the signatures and the first `mark_count`
 * marks. */
void mls_marked_block(mls_marked_lines *marked, mls_signatures *signatures, const mls_lines *lines, char *scratch);

static inline void mls_marked_add(mls_marked_lines *marked, size_t i)
{
    marked->bits[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Return the first marked line from `i` on, or `end` if no line before `end` is marked. */
size_t mls_marked_next(const mls_marked_lines *marked, size_t i, size_t end);
