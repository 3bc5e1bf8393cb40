/* SPDX-License-Identifier: Apache-2.0 */
#include "report/events_report.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "mlscore/value.h"

void mls_events_start(mls_events_writer *writer, mls_output *output, bool ndjson)
{
    *writer = (mls_events_writer){.output = output, .ndjson = ndjson, .csv = {.output = output}};
}

void mls_events_header(mls_events_writer *writer)
{
    if (!writer->ndjson) {
        mls_csv_header(&writer->csv, "file line time_ms event_type key value metadata");
    }
}

/* Appends text as a JSON string, for what is not JSON yet. */
static void mls_append_quoted(mls_buffer *line, mls_str text)
{
    mls_buffer_append_char(line, '"');
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        const int32_t code = mls_utf8_next(text, &at);
        if (code < 0) {
            mls_buffer_append_text(line, "\\ufffd");
        } else if (code < 0x20 || code == '"' || code == '\\' || mls_code_point_is_hostile(code)) {
            mls_buffer_printf(line, "\\u%04x", (unsigned)code);
        } else {
            mls_buffer_append(line, (mls_str){text.ptr + start, at - start});
        }
    }
    mls_buffer_append_char(line, '"');
}

/*
 * Appends a validated span as JSON that every reader takes: the bare words
 * NaN, Infinity and -Infinity, which Python writes and JSON does not know,
 * become null; a byte that is no UTF-8 becomes the Latin-1 character that the
 * compliance checker reads it as; what could steer a terminal is escaped.
 */
static void mls_append_json(mls_buffer *line, mls_str span)
{
    bool in_string = false;
    for (size_t at = 0; at < span.len;) {
        const size_t start = at;
        const int32_t code = mls_utf8_next(span, &at);
        if (in_string && code == '\\') {
            at++; /* a validated escape: whatever follows belongs to it */
        } else if (code == '"') {
            in_string = !in_string;
        } else if (!in_string && (code == 'N' || code == 'I')) {
            /* validated: the whole word stands here */
            at = start + (code == 'N' ? sizeof "NaN" - 1 : sizeof "Infinity" - 1);
            if (line->len > 0 && line->ptr[line->len - 1] == '-') {
                line->len--;
            }
            mls_buffer_append_text(line, "null");
            continue;
        }
        if (code < 0) {
            mls_buffer_printf(line, "\\u%04x", (unsigned)(unsigned char)span.ptr[start]);
        } else if (mls_code_point_is_hostile(code)) {
            mls_buffer_printf(line, "\\u%04x", (unsigned)code);
        } else {
            mls_buffer_append(line, (mls_str){span.ptr + start, at - start});
        }
    }
}

static void mls_events_ndjson(mls_events_writer *writer, const char *path, const mls_record *record)
{
    mls_buffer *line = &writer->line;
    mls_buffer_clear(line);
    mls_buffer_append_text(line, "{\"file\":");
    mls_append_quoted(line, mls_str_from(path));
    mls_buffer_printf(line, ",\"line\":%zu,\"time_ms\":", record->line);
    mls_number_append(line, record->time_ms);
    mls_buffer_append_text(line, ",\"event_type\":");
    mls_append_json(line, record->event_type.ptr != NULL ? record->event_type : MLS_S("null"));
    mls_buffer_append_text(line, ",\"key\":");
    if (record->key.ptr != NULL) {
        mls_append_quoted(line, record->key);
    } else {
        mls_buffer_append_text(line, "null");
    }
    mls_buffer_append_text(line, ",\"value\":");
    mls_append_json(line, record->value);
    mls_buffer_append_text(line, ",\"metadata\":");
    mls_append_json(line, record->metadata);
    mls_buffer_append_text(line, "}\n");
    writer->failed |= line->failed;
    mls_output_write(writer->output, mls_buffer_str(line));
}

/* The text of a string, the JSON of anything else. */
static void mls_events_csv_value(mls_events_writer *writer, mls_str span)
{
    mls_str text;
    if (span.ptr == NULL) {
        mls_csv_text(&writer->csv, NULL);
    } else if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        const bool decoded = mls_json_string(span, &writer->scratch, &text);
        writer->failed |= !decoded; /* it is a string: only memory can be short */
        mls_csv_str(&writer->csv, decoded ? text : MLS_S(""));
    } else {
        mls_csv_str(&writer->csv, span);
    }
}

static void mls_events_csv(mls_events_writer *writer, const char *path, const mls_record *record)
{
    mls_csv_text(&writer->csv, path);
    mls_csv_number(&writer->csv, (double)record->line);
    mls_csv_number(&writer->csv, record->time_ms);
    mls_events_csv_value(writer, record->event_type);
    mls_csv_str(&writer->csv, record->key);
    mls_events_csv_value(writer, record->value);
    mls_csv_str(&writer->csv, record->metadata);
    mls_csv_end_row(&writer->csv);
    writer->failed |= writer->csv.failed;
    mls_arena_reset(&writer->scratch);
}

void mls_events_write(mls_events_writer *writer, const char *path, const mls_record *record)
{
    if (writer->ndjson) {
        mls_events_ndjson(writer, path, record);
    } else {
        mls_events_csv(writer, path, record);
    }
}

bool mls_events_stop(mls_events_writer *writer)
{
    const bool ok = !writer->failed;
    mls_buffer_release(&writer->line);
    mls_arena_release(&writer->scratch);
    return ok;
}
