/* SPDX-License-Identifier: Apache-2.0 */
/* marked.h - the lines of a block that are to be examined, as they may hold what signatures and marks look for. */
#pragma once

#include "log/log.h"
#include "log/signatures.h"

/* A block of a log; zero-initialised before the first one. */
typedef struct mls_marked_lines {
    mls_lines lines;
    uint64_t *bits; /* one for each line; to be freed after the last block */
    size_t capacity;
    size_t last_hit; /* its line: hits come almost in order */
    struct mls_needles *needles;
} mls_marked_lines;

/* Begins a block, of which no line is marked, to be searched for signatures and for all marks or the first of them. */
void mls_marked_begin(mls_marked_lines *marked, mls_signatures *signatures, bool all, const mls_lines *lines);

/* Marks the lines with a hit in a piece of the block's text; pieces come in their order. */
void mls_marked_search(mls_marked_lines *marked, mls_str piece);

/* Searches a line with control characters once more without them.  `scratch` as mls_log_line_read() has it. */
void mls_marked_search_clean(mls_marked_lines *marked, mls_signatures *signatures, size_t i, char *scratch);

/* All three of a whole block, for signatures and the first of the marks. */
void mls_marked_block(mls_marked_lines *marked, mls_signatures *signatures, const mls_lines *lines, char *scratch);

static inline void mls_marked_add(mls_marked_lines *marked, size_t i)
{
    marked->bits[i / 64] |= UINT64_C(1) << (i % 64);
}

/* The first marked line from `i` on; `end`: there is none before it. */
size_t mls_marked_next(const mls_marked_lines *marked, size_t i, size_t end);
