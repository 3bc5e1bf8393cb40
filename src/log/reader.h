/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - the steps from a file's blocks to the sinks, private to log/.
 *
 * A block is cut after its first and its last line ending.  What lies between is scanned in place, keeping no state
 * from one block to the next, so on any thread and in any order.  The reader takes the blocks in order and joins their
 * ends in a small buffer; of a line too long to hold it drops all but what could still be a record. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "log/input.h"
#include "log/log.h"
#include "json/json_check.h"

/* Validates a payload in place and fills the spans of `record` (see mls_record_validate()).  `fronts`, of the metadata
 * of records of each key, begin as zeros and serve one text; NULL: none are kept.  After it, to the next byte below
 * 0x20 other than a tab, stand only bytes that trimming drops. */
const char *mls_record_check(mls_str payload, mls_json_front *fronts, mls_record *record, struct mls_arena *scratch,
                             const char **wrong);

/* Drops the white space that the compliance checker drops: the blanks of JSON in front, at the end all there is. */
mls_str mls_payload_trim(mls_str text);

/* A line that matters.  Its line number counts from 1 within what was scanned. */
typedef struct mls_scan_event {
    enum { MLS_EVENT_RECORD, MLS_EVENT_EARLIER, MLS_EVENT_MALFORMED, MLS_EVENT_MARKER } kind;
    union {
        mls_record record;
        mls_malformed malformed;
        mls_marker marker;
    } as;
} mls_scan_event;

/* The findings of a scan of whole lines.  Reused; zero-initialised is empty. */
typedef struct mls_batch {
    mls_scan_event *items;
    size_t count, capacity;
    bool old_format;  /* a line is a record of training 0.6 or older */
    size_t lines;     /* line endings, plus one for an unfinished last line */
    uint32_t *starts; /* as in mls_lines: of all lines, and after them the end of the text */
    size_t start_capacity;
    mls_arena scratch; /* decoded keys */
} mls_batch;

void mls_batch_release(mls_batch *batch);

/* Bytes of a text's first line that were dropped before it. */
typedef struct mls_dropped {
    size_t bytes; /* columns count them, and the line is searched for a record only */
    bool mllog;   /* there was a ":::MLLOG " in them */
} mls_dropped;

/* Scans whole lines.  MLS_SCAN_PADDING bytes after them must be readable; if they do not end in '\n' the first of
 * those is '\0'. */
void mls_lines_scan(mls_batch *batch, mls_str text, mls_dropped dropped);

/* The last ":::MLLOG " in the text; NULL when there is none. */
const char *mls_mllog_find_last(mls_str text);

/* The length of ":::MLLOG ". */
enum { MLS_MLLOG_LENGTH = 9 };

/* Its head is [0, middle), its tail [tail, len); without a line ending it is all head. */
typedef struct mls_scan_block {
    char *data; /* room for MLS_BLOCK_SIZE and MLS_SCAN_PADDING bytes */
    size_t len, middle, tail;
    mls_batch batch; /* of what lies between */
} mls_scan_block;

/* Cuts a block and scans its middle. */
void mls_block_scan(mls_scan_block *block);

/* Zero-initialised but for the sinks, which must outlive it. */
typedef struct mls_reader {
    const mls_sink *sinks;
    size_t sink_count;
    mls_log_totals totals;
    mls_buffer carry;    /* the unfinished line */
    mls_dropped dropped; /* of it */
    size_t column;       /* where the overlong record's payload began */
    bool overlong;       /* the dropped bytes began a record longer than MLS_RECORD_LENGTH_MAX */
    bool nul_near_start;
    mls_batch joined; /* of what is scanned in the carry buffer */
} mls_reader;

/* Takes the next block, scanned.  MLS_OK, or what a callback returned. */
mls_status mls_reader_feed(mls_reader *reader, mls_scan_block *block) MLS_MUST_USE;

/* The file has ended: delivers an unfinished last line and calls every sink's `end`. */
mls_status mls_reader_end(mls_reader *reader) MLS_MUST_USE;

void mls_reader_release(mls_reader *reader);
