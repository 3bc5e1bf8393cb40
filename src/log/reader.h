/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - split the blocks of a file into lines and pass their contents to the sinks; private to log/.
 *
 * A block is split after its first and its last line ending.  The middle part contains whole lines, so it is scanned in
 * place, on any thread and in any order.  The reader takes the blocks in the order of the file, and joins the end of
 * each block with the beginning of the next one in a small buffer.  If a line is too long for this buffer, bytes that
 * cannot belong to a record are dropped. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "log/input.h"
#include "log/log.h"
#include "json/json_check.h"

/* Validate a payload in place and set the spans of `record` (see mls_record_validate()).  `fronts` (NULL: do not use a
 * cache) is an array with one element per mls_key, which caches the first members of the metadata; zero-initialize it
 * for each text.  The payload must be trimmed.  Only white space may follow it, up to the next control character
 * other than a tab. */
const char *mls_record_check(mls_str payload, mls_json_front *fronts, mls_record *record, struct mls_arena *scratch,
                             const char **wrong);

/* Remove the white space that the compliance checker ignores: JSON white space at the start, and all Unicode white
 * space at the end. */
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

/* The results of scanning whole lines.  Zero-initialize the struct; it can be reused for further texts. */
typedef struct mls_batch {
    mls_scan_event *items;
    size_t count, capacity;
    bool old_format;  /* a line is a record of training 0.6 or older */
    size_t lines;     /* number of lines, including an unfinished last line */
    uint32_t *starts; /* the offsets of all lines and of the end of the text, as in mls_lines */
    size_t start_capacity;
    mls_arena scratch; /* memory for keys after decoding their JSON escapes */
} mls_batch;

void mls_batch_release(mls_batch *batch);

/* The beginning of the text's first line that was dropped because the line is too long. */
typedef struct mls_dropped {
    /* Number of dropped bytes, which is added to columns.  If it is not 0, the line is only searched for a record. */
    size_t bytes;
    bool mllog; /* the dropped bytes contained ":::MLLOG " */
} mls_dropped;

/* Scan whole lines.  MLS_SCAN_PADDING readable bytes must follow the text; if the text does not end in '\n', the first
 * of these bytes must be '\0'. */
void mls_lines_scan(mls_batch *batch, mls_str text, mls_dropped dropped);

/* Return the position of the last ":::MLLOG " in a text, or NULL if the text does not contain it. */
const char *mls_mllog_find_last(mls_str text);

/* Length of ":::MLLOG " in bytes. */
enum { MLS_MLLOG_LENGTH = 9 };

/* A block of a file.  Its head, the bytes [0, middle), ends with the first line ending; its tail, the bytes [tail,
 * len), follows the last one.  A block without a line ending consists of a head only. */
typedef struct mls_scan_block {
    char *data; /* a buffer of MLS_BLOCK_SIZE + MLS_SCAN_PADDING bytes */
    size_t len, middle, tail;
    mls_batch batch; /* the results of scanning the lines between head and tail */
} mls_scan_block;

/* Split a block, and scan the lines between its head and its tail. */
void mls_block_scan(mls_scan_block *block);

/* The state of reading one file.  Set the sinks, which must outlive the reader, and zero-initialize the rest. */
typedef struct mls_reader {
    const mls_sink *sinks;
    size_t sink_count;
    mls_log_totals totals;
    mls_buffer carry;    /* the unfinished line at the end of the blocks read so far */
    mls_dropped dropped; /* the bytes dropped from the beginning of that line */
    size_t column;       /* if `overlong` is set: the column at which the payload of this record begins */
    bool overlong;       /* the unfinished line contains a record longer than MLS_RECORD_LENGTH_MAX */
    bool nul_near_start; /* a NUL byte was found near the start of the file */
    mls_batch joined;    /* the results of scanning a line in the carry buffer */
} mls_reader;

/* Pass the contents of the next scanned block to the sinks.  Return MLS_OK, or the status returned by a callback. */
mls_status mls_reader_feed(mls_reader *reader, mls_scan_block *block) MLS_MUST_USE;

/* End the file: pass an unfinished last line to the sinks, and call the callback `end` of every sink. */
mls_status mls_reader_end(mls_reader *reader) MLS_MUST_USE;

void mls_reader_release(mls_reader *reader);
