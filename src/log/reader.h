/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - blocks of one log, in order, put together to whole lines.
 *
 * A block is cut behind its first and its last line ending.  What lies between
 * is scanned in place, perhaps long before on another thread; the ends of
 * neighbouring blocks are joined in a small carry buffer.  A line too long to
 * hold is dropped while it passes, all but what could still be a record.
 */
#ifndef MLS_LOG_READER_H
#define MLS_LOG_READER_H

#include "log/lines.h"

/*
 * Where a block is cut: head [0, middle), middle [middle, tail), tail [tail, len).
 * A block without a line ending is all head.
 */
typedef struct mls_block_cut {
    size_t middle;
    size_t tail;
} mls_block_cut;

mls_block_cut mls_block_cut_find(const char *data, size_t len);

typedef struct mls_reader {
    const mls_sink *sinks;
    size_t sink_count;
    mls_log_totals totals;
    char *carry; /* the unfinished line, MLS_SCAN_PADDING bytes allocated behind it */
    size_t carry_len;
    size_t carry_capacity;
    size_t carry_dropped; /* bytes of the unfinished line that were dropped */
    size_t carry_column;  /* where the overlong record's payload began */
    bool carry_overlong;  /* the dropped bytes began a record longer than MLS_RECORD_LENGTH_MAX */
    bool carry_torn;      /* an overlong record was followed by another marker in its line */
    bool nul_near_start;
    mls_batch joined; /* for what is scanned in the carry buffer */
} mls_reader;

/* The sinks must outlive the reader. */
void mls_reader_init(mls_reader *reader, const mls_sink *sinks, size_t sink_count);

/*
 * Takes the next block.  `batch` is what mls_lines_scan() made of the middle
 * of the block as `cut` has it; its line numbers are made the file's own.  Returns MLS_OK, MLS_ERROR_MEMORY or what a
 * callback returned.
 */
mls_status mls_reader_feed(mls_reader *reader, const char *data, size_t len, mls_block_cut cut,
                           mls_batch *batch) MLS_MUST_USE;

/* The file has ended: delivers an unfinished last line and calls every sink's `end`. */
mls_status mls_reader_end(mls_reader *reader) MLS_MUST_USE;

void mls_reader_release(mls_reader *reader);

#endif
