/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - pass the blocks of a file to the sinks; private to log/.
 *
 * A block is split after its first and its last line ending.  The middle is scanned in place without state from other
 * blocks, so on any thread and in any order.  The reader takes the blocks in order and joins their ends in a small
 * buffer.  If a line is too long for the buffer, everything is dropped except what may still be a record. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "log/input.h"
#include "log/log.h"
#include "json/json_check.h"

/* Validate a payload in place and set the spans of `record` (see mls_record_validate()).  `fronts` (may be NULL) caches
 * the first members of the metadata per key; zero-initialize it, and use it for one text only.  The payload must be
 * followed only by bytes that trimming drops, up to the next byte below 0x20 other than a tab. */
const char *mls_record_check(mls_str payload, mls_json_front *fronts, mls_record *record, struct mls_arena *scratch,
                             const char **wrong);

/* Remove the white space that the compliance checker removes: JSON blanks at the start, all white space at the end. */
mls_str mls_payload_trim(mls_str text);

/* A record, malformed line or marker.  Its line number counts from 1 within the scanned text. */
typedef struct mls_scan_event {
    enum { MLS_EVENT_RECORD, MLS_EVENT_EARLIER, MLS_EVENT_MALFORMED, MLS_EVENT_MARKER } kind;
    union {
        mls_record record;
        mls_malformed malformed;
        mls_marker marker;
    } as;
} mls_scan_event;

/* The results of scanning whole lines.  Reusable; zero-initialized, it is empty. */
typedef struct mls_batch {
    mls_scan_event *items;
    size_t count, capacity;
    bool old_format;  /* some line is a record of training 0.6 or older */
    size_t lines;     /* line endings, plus one for an unfinished last line */
    uint32_t *starts; /* the offsets of all lines and of the end of the text, as in mls_lines */
    size_t start_capacity;
    mls_arena scratch; /* decoded keys */
} mls_batch;

void mls_batch_release(mls_batch *batch);

/* The part of a text's first line that was dropped before it. */
typedef struct mls_dropped {
    size_t bytes; /* counted in columns; the rest of the line is only searched for a record */
    bool mllog;   /* the dropped bytes contained ":::MLLOG " */
} mls_dropped;

/* Scan whole lines.  MLS_SCAN_PADDING readable bytes must follow them; the first of these is '\0' if the lines do not
 * end in '\n'. */
void mls_lines_scan(mls_batch *batch, mls_str text, mls_dropped dropped);

/* Return the last ":::MLLOG " in the text, or NULL. */
const char *mls_mllog_find_last(mls_str text);

/* Length of ":::MLLOG " in bytes. */
enum { MLS_MLLOG_LENGTH = 9 };

/* A block of a file.  Its head is [0, middle), its tail [tail, len).  Without a line ending, all of it is head. */
typedef struct mls_scan_block {
    char *data; /* room for MLS_BLOCK_SIZE and MLS_SCAN_PADDING bytes */
    size_t len, middle, tail;
    mls_batch batch; /* for the part between head and tail */
} mls_scan_block;

/* Split a block and scan its middle. */
void mls_block_scan(mls_scan_block *block);

/* The state of reading one file.  Set the sinks, which must outlive the reader, and zero-initialize the rest. */
typedef struct mls_reader {
    const mls_sink *sinks;
    size_t sink_count;
    mls_log_totals totals;
    mls_buffer carry;    /* the unfinished line */
    mls_dropped dropped; /* what was dropped from that line */
    size_t column;       /* column at which the payload of the overlong record began */
    bool overlong;       /* the dropped bytes began a record longer than MLS_RECORD_LENGTH_MAX */
    bool nul_near_start;
    mls_batch joined; /* for lines scanned in the carry buffer */
} mls_reader;

/* Pass on the next scanned block.  Return MLS_OK, or what a callback returned. */
mls_status mls_reader_feed(mls_reader *reader, mls_scan_block *block) MLS_MUST_USE;

/* End the file: pass on an unfinished last line and call `end` of every sink. */
mls_status mls_reader_end(mls_reader *reader) MLS_MUST_USE;

void mls_reader_release(mls_reader *reader);
