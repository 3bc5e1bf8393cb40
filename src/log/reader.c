/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - blocks put together to lines again, and told to whoever listens.
 */
#include "log/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/simd.h"

/* How much of a log is looked at for NUL bytes. */
enum { MLS_BINARY_SNIFF = 4096 };

/*
 * An unfinished line with a marker is kept up to this length: a record of the
 * greatest length, and some white space around it that trimming will drop.
 */
#define MLS_CARRY_MAX (MLS_RECORD_LENGTH_MAX + 4096)

/* Whether a line ends at data[i] for certain: a '\r' at the very end may be half of "\r\n". */
static bool line_ends_at(const char *data, size_t len, size_t i)
{
    return data[i] == '\n' || (data[i] == '\r' && i + 1 < len && data[i + 1] != '\n');
}

mls_block_cut mls_block_cut_find(const char *data, size_t len)
{
    size_t first = 0;
    while (first < len && !line_ends_at(data, len, first)) {
        first++;
    }
    if (first == len) {
        return (mls_block_cut){len, len};
    }
    size_t last = len - 1;
    while (!line_ends_at(data, len, last)) {
        last--;
    }
    return (mls_block_cut){first + 1, last + 1};
}

void mls_reader_init(mls_reader *reader, const mls_sink *sinks, size_t sink_count)
{
    *reader = (mls_reader){.sinks = sinks, .sink_count = sink_count};
}

/* The event is the reader's to change: its line becomes the file's own in place. */
static mls_status deliver_event(mls_reader *reader, mls_event *event, size_t line_base)
{
    mls_status status = MLS_OK;
    switch (event->kind) {
    case MLS_EVENT_RECORD:
        event->as.record.line += line_base;
        reader->totals.records++;
        reader->totals.torn += event->as.record.torn;
        break;
    case MLS_EVENT_MALFORMED:
        event->as.malformed.line += line_base;
        reader->totals.malformed++;
        reader->totals.torn += event->as.malformed.torn;
        break;
    case MLS_EVENT_MARKER:
        event->as.marker.line += line_base;
        break;
    }
    for (size_t i = 0; i < reader->sink_count && status == MLS_OK; i++) {
        const mls_sink *sink = &reader->sinks[i];
        if (event->kind == MLS_EVENT_RECORD) {
            status = sink->record != NULL ? sink->record(sink->state, &event->as.record) : MLS_OK;
        } else if (event->kind == MLS_EVENT_MALFORMED) {
            status = sink->malformed != NULL ? sink->malformed(sink->state, &event->as.malformed) : MLS_OK;
        } else {
            status = sink->marker != NULL ? sink->marker(sink->state, &event->as.marker) : MLS_OK;
        }
    }
    return status;
}

static mls_status deliver_batch(mls_reader *reader, mls_batch *batch)
{
    const size_t line_base = reader->totals.lines;
    mls_status status = MLS_OK;
    reader->totals.lines += batch->lines;
    for (size_t i = 0; i < batch->count && status == MLS_OK; i++) {
        status = deliver_event(reader, &batch->items[i], line_base);
    }
    return status;
}

/* Forgets the first bytes of the unfinished line. */
static void carry_drop(mls_reader *reader, size_t count)
{
    memmove(reader->carry, reader->carry + count, reader->carry_len - count);
    reader->carry_len -= count;
    reader->carry_dropped += count;
}

/*
 * The unfinished line has outgrown a record.  Without a marker only its last
 * bytes, which may be half of one, are worth keeping; with one, nothing before
 * it is; and when even what follows the marker is too long, only another
 * marker could still make a record of the line.
 */
static void carry_shrink(mls_reader *reader)
{
    const char *marker = mls_marker_find_last((mls_str){reader->carry, reader->carry_len});
    if (marker != NULL && marker > reader->carry) {
        const mls_str before = {reader->carry, (size_t)(marker - reader->carry)};
        reader->carry_torn |= reader->carry_overlong || mls_marker_find_last(before) != NULL;
        reader->carry_overlong = false;
        carry_drop(reader, (size_t)(marker - reader->carry));
        if (reader->carry_len <= MLS_CARRY_MAX) {
            return;
        }
    }
    if (marker != NULL) {
        reader->carry_overlong = true;
        reader->carry_column = reader->carry_dropped + MLS_MLLOG_LENGTH + 1;
    }
    carry_drop(reader, reader->carry_len - (MLS_MLLOG_LENGTH - 1));
}

static bool carry_append(mls_reader *reader, const char *data, size_t len)
{
    size_t needed;
    if (!mls_size_add(reader->carry_len, len, &needed) || !mls_size_add(needed, MLS_SCAN_PADDING, &needed)) {
        return false;
    }
    if (needed > reader->carry_capacity) {
        size_t capacity = reader->carry_capacity < 4096 ? 4096 : reader->carry_capacity;
        while (capacity < needed) {
            capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
        }
        char *grown = realloc(reader->carry, capacity);
        if (grown == NULL) {
            return false;
        }
        reader->carry = grown;
        reader->carry_capacity = capacity;
    }
    if (len > 0) {
        memcpy(reader->carry + reader->carry_len, data, len);
        reader->carry_len += len;
    }
    memset(reader->carry + reader->carry_len, 0, MLS_SCAN_PADDING);
    return true;
}

/* The line in the carry buffer is complete (or the file is): scans it, delivers it, empties the buffer. */
static mls_status carry_flush(mls_reader *reader)
{
    mls_status status = MLS_OK;
    const mls_str text = {reader->carry, reader->carry_len};
    if (reader->carry_overlong && mls_marker_find_last(text) == NULL) {
        mls_event event = {MLS_EVENT_MALFORMED,
                           {.malformed = {.line = 1,
                                          .column = reader->carry_column,
                                          .reason = "the record is longer than 16 MiB",
                                          .torn = reader->carry_torn}}};
        status = deliver_event(reader, &event, reader->totals.lines++);
    } else if (!mls_lines_scan(&reader->joined, text.ptr, text.len, reader->carry_dropped)) {
        status = MLS_ERROR_MEMORY;
    } else {
        const bool torn = reader->carry_overlong || reader->carry_torn;
        if (reader->joined.count > 0 && reader->joined.items[0].kind == MLS_EVENT_RECORD) {
            reader->joined.items[0].as.record.torn |= torn;
        } else if (reader->joined.count > 0 && reader->joined.items[0].kind == MLS_EVENT_MALFORMED) {
            reader->joined.items[0].as.malformed.torn |= torn;
        }
        status = deliver_batch(reader, &reader->joined);
    }
    reader->carry_len = 0;
    reader->carry_dropped = 0;
    reader->carry_overlong = false;
    reader->carry_torn = false;
    return status;
}

mls_status mls_reader_feed(mls_reader *reader, const char *data, size_t len, mls_block_cut cut, mls_batch *batch)
{
    mls_status status = MLS_OK;
    if (reader->totals.bytes < MLS_BINARY_SNIFF && len > 0) {
        reader->nul_near_start |= memchr(data, '\0', len < MLS_BINARY_SNIFF ? len : MLS_BINARY_SNIFF) != NULL;
    }
    reader->totals.bytes += len;
    /* Only now can be told whether the '\r' that ended the last block stood alone. */
    if (reader->carry_len > 0 && reader->carry[reader->carry_len - 1] == '\r' && len > 0 && data[0] != '\n') {
        status = carry_flush(reader);
    }
    if (status == MLS_OK && !carry_append(reader, data, cut.middle)) {
        status = MLS_ERROR_MEMORY;
    }
    if (cut.middle == len && (len == 0 || !line_ends_at(data, len, len - 1))) {
        if (status == MLS_OK && reader->carry_len > MLS_CARRY_MAX) {
            carry_shrink(reader);
        }
        return status;
    }
    if (status == MLS_OK) {
        status = carry_flush(reader);
    }
    if (status == MLS_OK) {
        status = deliver_batch(reader, batch);
    }
    if (status == MLS_OK && !carry_append(reader, data + cut.tail, len - cut.tail)) {
        status = MLS_ERROR_MEMORY;
    }
    return status;
}

mls_status mls_reader_end(mls_reader *reader)
{
    mls_status status = reader->carry_len > 0 ? carry_flush(reader) : MLS_OK;
    reader->totals.binary = reader->nul_near_start && reader->totals.records + reader->totals.malformed == 0;
    for (size_t i = 0; i < reader->sink_count && status == MLS_OK; i++) {
        const mls_sink *sink = &reader->sinks[i];
        status = sink->end != NULL ? sink->end(sink->state, &reader->totals) : MLS_OK;
    }
    return status;
}

void mls_reader_release(mls_reader *reader)
{
    free(reader->carry);
    mls_batch_release(&reader->joined);
    *reader = (mls_reader){0};
}
