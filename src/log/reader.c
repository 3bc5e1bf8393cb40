/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - join lines that span blocks, and pass records, markers and lines to the sinks. */
#include "log/reader.h"

#include "json/json_check.h"

/* Number of bytes at the start of a file that are searched for NUL bytes, which show that the file is not a log. */
enum { BINARY_SNIFF = 4096 };

/* Maximum size of an unfinished line with a ":::MLLOG ": the maximum size of a record, and some surrounding white
 * space, which is removed later. */
#define CARRY_MAX (MLS_RECORD_LENGTH_MAX + 4096)

/* Return whether a line ends at data[i].  A '\r' in the last byte of a block may be the first half of "\r\n", so the
 * result for it is false. */
static bool line_ends_at(const char *data, size_t len, size_t i)
{
    return data[i] == '\n' || (data[i] == '\r' && i + 1 < len && data[i + 1] != '\n');
}

void mls_block_scan(mls_scan_block *block)
{
    const size_t len = block->len;
    size_t first = 0;
    size_t tail = len;
    while (first < len && !line_ends_at(block->data, len, first))
        first++;
    while (first < len && !line_ends_at(block->data, len, tail - 1))
        tail--;
    block->middle = first < len ? first + 1 : len;
    block->tail = tail;
    memset(block->data + len, 0, MLS_SCAN_PADDING); /* the scanner reads these bytes */
    mls_lines_scan(&block->batch, (mls_str){block->data + block->middle, tail - block->middle}, (mls_dropped){0});
}

/* Pass an event to the sinks.  Its line number, which counts from the start of the scanned text, is converted to the
 * line number in the file by adding `line_base`. */
static mls_status deliver_event(mls_reader *reader, mls_scan_event *event, size_t line_base)
{
    mls_log_totals *totals = &reader->totals;
    mls_status status = MLS_OK;
    if (totals->suite != NULL)
        return MLS_OK;
    if (event->kind == MLS_EVENT_RECORD || event->kind == MLS_EVENT_EARLIER) {
        event->as.record.line += line_base;
        totals->records += event->kind == MLS_EVENT_RECORD;
        totals->torn += event->kind == MLS_EVENT_RECORD && event->as.record.torn;
    } else if (event->kind == MLS_EVENT_MALFORMED) {
        mls_malformed *malformed = &event->as.malformed;
        malformed->line += line_base;
        totals->malformed++;
        totals->quoted += malformed->quoted;
        totals->torn += malformed->torn;
        if (totals->reason == NULL && !malformed->quoted)
            totals->reason = malformed->reason;
    } else {
        event->as.marker.line += line_base;
    }
    for (size_t i = 0; i < reader->sink_count && status == MLS_OK; i++) {
        const mls_sink *sink = &reader->sinks[i];
        if (event->kind == MLS_EVENT_RECORD)
            status = sink->record != NULL ? sink->record(sink->state, &event->as.record) : MLS_OK;
        else if (event->kind == MLS_EVENT_EARLIER)
            status = sink->earlier != NULL ? sink->earlier(sink->state, &event->as.record) : MLS_OK;
        else if (event->kind == MLS_EVENT_MALFORMED)
            status = sink->malformed != NULL ? sink->malformed(sink->state, &event->as.malformed) : MLS_OK;
        else
            status = sink->marker != NULL ? sink->marker(sink->state, &event->as.marker) : MLS_OK;
    }
    return status;
}

static mls_status deliver_batch(mls_reader *reader, mls_batch *batch)
{
    const size_t line_base = reader->totals.lines;
    mls_status status = MLS_OK;
    reader->totals.lines += batch->lines;
    reader->totals.old_format |= batch->old_format;
    for (size_t i = 0; i < batch->count && status == MLS_OK; i++)
        status = deliver_event(reader, &batch->items[i], line_base);
    return status;
}

/* Pass the lines of `text` to the sinks, before they are added to the totals.  If `batch` is NULL, `text` is the
 * beginning of a line that is too long. */
static mls_status deliver_lines(const mls_reader *reader, mls_str text, const mls_batch *batch)
{
    const uint32_t whole[] = {MLS_LINE_ODD, (uint32_t)text.len};
    mls_lines lines = {.text = text, .line = reader->totals.lines + 1, .cut = true, .starts = whole, .count = 1};
    if (batch != NULL) {
        lines.line -= batch->lines;
        lines.cut = false;
        lines.starts = batch->starts;
        lines.count = batch->lines;
    }
    mls_status status = MLS_OK;
    for (size_t i = 0; i < reader->sink_count && status == MLS_OK; i++) {
        const mls_sink *sink = &reader->sinks[i];
        status = sink->lines != NULL && text.len > 0 ? sink->lines(sink->state, &lines) : MLS_OK;
    }
    return status;
}

/* Drop the first `count` bytes of the unfinished line, which is in the carry buffer. */
static void carry_drop(mls_reader *reader, size_t count)
{
    mls_buffer *carry = &reader->carry;
    memmove(carry->ptr, carry->ptr + count, carry->len - count);
    carry->len -= count;
    reader->dropped.bytes += count;
}

/* Drop bytes of an unfinished line that is too long for the carry buffer.  If the line contains ":::MLLOG ", drop the
 * bytes before the last one.  If it does not, or if the text after it is too long for a record, keep only the last few
 * bytes, which may be the beginning of another ":::MLLOG ". */
static void carry_shrink(mls_reader *reader)
{
    const mls_buffer *carry = &reader->carry;
    const char *mllog = mls_mllog_find_last(mls_buffer_str(carry));
    if (mllog != NULL && mllog > carry->ptr) {
        const mls_str before = {carry->ptr, (size_t)(mllog - carry->ptr)};
        reader->dropped.mllog |= reader->overlong || mls_mllog_find_last(before) != NULL;
        reader->overlong = false;
        carry_drop(reader, before.len);
        if (carry->len <= CARRY_MAX)
            return;
    }
    if (mllog != NULL) {
        reader->overlong = true;
        reader->column = reader->dropped.bytes + MLS_MLLOG_LENGTH + 1;
    }
    carry_drop(reader, carry->len - (MLS_MLLOG_LENGTH - 1));
}

/* Scan the line in the carry buffer, pass its contents to the sinks, and empty the buffer.  The line is complete, or
 * the last line of the file. */
static mls_status carry_flush(mls_reader *reader)
{
    mls_status status = MLS_OK;
    mls_buffer *carry = &reader->carry;
    mls_buffer_reserve(carry, MLS_SCAN_PADDING);
    memset(carry->ptr + carry->len, 0, MLS_SCAN_PADDING);
    if (reader->overlong && mls_mllog_find_last(mls_buffer_str(carry)) == NULL) {
        mls_scan_event event = {MLS_EVENT_MALFORMED,
                                {.malformed = {.line = 1,
                                               .column = reader->column,
                                               .reason = "the record is longer than 16 MiB",
                                               .torn = reader->dropped.mllog}}};
        status = deliver_event(reader, &event, reader->totals.lines++);
    } else {
        reader->dropped.mllog |= reader->overlong;
        mls_lines_scan(&reader->joined, mls_buffer_str(carry), reader->dropped);
        status = deliver_batch(reader, &reader->joined);
        if (status == MLS_OK && reader->dropped.bytes == 0)
            status = deliver_lines(reader, mls_buffer_str(carry), &reader->joined);
    }
    mls_buffer_clear(carry);
    reader->dropped = (mls_dropped){0};
    reader->overlong = false;
    return status;
}

mls_status mls_reader_feed(mls_reader *reader, mls_scan_block *block)
{
    const char *data = block->data;
    const size_t len = block->len;
    mls_buffer *carry = &reader->carry;
    mls_status status = MLS_OK;
    if (len == 0)
        return MLS_OK;
    if (reader->totals.bytes < BINARY_SNIFF)
        reader->nul_near_start |= memchr(data, '\0', len < BINARY_SNIFF ? len : BINARY_SNIFF) != NULL;
    reader->totals.bytes += len;
    /* If the last block ended with '\r', it was a line ending of its own unless this block begins with '\n'. */
    if (carry->len > 0 && carry->ptr[carry->len - 1] == '\r' && data[0] != '\n')
        status = carry_flush(reader);
    mls_buffer_append(carry, (mls_str){data, block->middle});
    if (block->middle < len || line_ends_at(data, len, len - 1)) {
        status = status == MLS_OK ? carry_flush(reader) : status;
        status = status == MLS_OK ? deliver_batch(reader, &block->batch) : status;
        if (status == MLS_OK) {
            const mls_str middle = {data + block->middle, block->tail - block->middle};
            status = deliver_lines(reader, middle, &block->batch);
        }
        mls_buffer_append(carry, (mls_str){data + block->tail, len - block->tail});
    } else if (carry->len > CARRY_MAX) {
        status = status == MLS_OK && reader->dropped.bytes == 0 ? deliver_lines(reader, mls_buffer_str(carry), NULL)
                                                                : status;
        carry_shrink(reader);
    }
    return status;
}

mls_status mls_reader_end(mls_reader *reader)
{
    mls_status status = reader->carry.len > 0 ? carry_flush(reader) : MLS_OK;
    reader->totals.old_format &= reader->totals.records + reader->totals.malformed == 0;
    reader->totals.binary = reader->nul_near_start && reader->totals.records + reader->totals.malformed == 0;
    for (size_t i = 0; i < reader->sink_count && status == MLS_OK; i++) {
        const mls_sink *sink = &reader->sinks[i];
        status = sink->end != NULL ? sink->end(sink->state, &reader->totals) : MLS_OK;
    }
    return status;
}

void mls_reader_release(mls_reader *reader)
{
    mls_buffer_release(&reader->carry);
    mls_batch_release(&reader->joined);
    *reader = (mls_reader){0};
}
