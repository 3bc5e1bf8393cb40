/* SPDX-License-Identifier: Apache-2.0 */
/* marked.h - select the lines of a block that need to be examined because they may match a signature or a mark. */
#pragma once

#include "log/log.h"
#include "log/signatures.h"

/* The state for a block of a log.  Zero-initialize it before the first block. */
typedef struct mls_marked_lines {
    mls_lines lines;
    uint64_t *bits; /* one per line; the caller frees it after the last block */
    size_t capacity;
    size_t last_hit; /* the line of the last hit, because hits are almost in order */
    struct mls_needles *needles;
} mls_marked_lines;

/* Begin a block without marked lines.  With `all`, search for all marks, otherwise only for the first ones. */
void mls_marked_begin(mls_marked_lines *marked, mls_signatures *signatures, bool all, const mls_lines *lines);

/* Mark the lines with a hit in a piece of the block's text.  Pass pieces in order. */
void mls_marked_search(mls_marked_lines *marked, mls_str piece);

/* Search line `i`, which has control characters, again without these characters.  `scratch` is a buffer of
 * MLS_LINE_EXAMINED bytes, as for mls_log_line_read(). */
void mls_marked_search_clean(mls_marked_lines *marked, mls_signatures *signatures, size_t i, char *scratch);

/* Call the three functions above for a whole block, to search for the signatures and the first marks. */
void mls_marked_block(mls_marked_lines *marked, mls_signatures *signatures, const mls_lines *lines, char *scratch);

static inline void mls_marked_add(mls_marked_lines *marked, size_t i)
{
    marked->bits[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Return the first marked line from `i` on, or `end` if no line before `end` is marked. */
size_t mls_marked_next(const mls_marked_lines *marked, size_t i, size_t end);
