/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - a block of whole lines → the few that matter.
 *
 * Scanning a block keeps no state from one block to the next and touches
 * nothing but its batch, so blocks of one file can be scanned in any order,
 * on any thread; whoever delivers the batches adds the line numbers up.
 */
#ifndef MLS_LOG_LINES_H
#define MLS_LOG_LINES_H

#include "base/arena.h"
#include "mlscore/log.h"

typedef enum mls_event_kind { MLS_EVENT_RECORD, MLS_EVENT_MALFORMED, MLS_EVENT_MARKER } mls_event_kind;

/* A line that matters.  Its line number counts from 1 within the block. */
typedef struct mls_event {
    mls_event_kind kind;
    union {
        mls_record record;
        mls_malformed malformed;
        mls_marker marker;
    } as;
} mls_event;

/* What a block holds.  Reused from block to block; zero-initialised is empty. */
typedef struct mls_batch {
    mls_event *items;
    size_t count;
    size_t capacity;
    size_t lines;      /* line endings in the block, plus one for an unfinished last line */
    mls_arena scratch; /* decoded keys */
} mls_batch;

/*
 * Scans data[0..len), which starts at the start of a line and ends behind a
 * line ending or, at the end of a file, without one.  MLS_SCAN_PADDING bytes
 * behind it must be readable; if it does not end in '\n', the first of them
 * must be no '\n' and, when the last line is unfinished, '\0'.  `dropped` bytes
 * of the first line stood before `data`: columns count them, and the line is
 * looked at for a record only.  False when memory runs out.
 */
bool mls_lines_scan(mls_batch *batch, const char *data, size_t len, size_t dropped);

/* The last ":::MLLOG " in the text; NULL when there is none. */
const char *mls_marker_find_last(mls_str text);

void mls_batch_release(mls_batch *batch);

/* The length of ":::MLLOG ". */
enum { MLS_MLLOG_LENGTH = 9 };

#endif
