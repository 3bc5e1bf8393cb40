/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_read.c - libcsv fed line by line, so that every row has a place.
 */
#include "base/csv_read.h"

#include <csv.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* libcsv grows a field by this many bytes at a time. */
#define FIELD_GROWTH 4096

typedef struct csv_reading {
    mls_csv_row_function function;
    void *state;
    mls_status status;
    mls_buffer bytes; /* of the fields so far */
    size_t *ends;     /* per field, its end in bytes */
    size_t count;
    size_t capacity;
    mls_str *fields;
    size_t field_capacity;
    size_t row_line;
    size_t row_offset;
    bool row_ended; /* a row has ended in the line that was fed last */
} csv_reading;

static void take_field(void *bytes, size_t length, void *context)
{
    csv_reading *reading = context;
    if (reading->status != MLS_OK) {
        return;
    }
    if (reading->count == MLS_CSV_FIELDS_MAX) {
        reading->status = MLS_ERROR_LIMIT;
        return;
    }
    mls_buffer_append(&reading->bytes, (mls_str){bytes, length});
    if (reading->bytes.failed || !MLS_GROW(reading, ends)) {
        reading->status = MLS_ERROR_MEMORY;
        return;
    }
    reading->ends[reading->count++] = reading->bytes.len;
}

static void end_row(int terminator, void *context)
{
    (void)terminator;
    csv_reading *reading = context;
    reading->row_ended = true;
    if (reading->status != MLS_OK || reading->count == 0) {
        return;
    }
    if (reading->field_capacity < reading->count) {
        mls_str *grown = realloc(reading->fields, reading->capacity * sizeof *grown);
        if (grown == NULL) {
            reading->status = MLS_ERROR_MEMORY;
            return;
        }
        reading->fields = grown;
        reading->field_capacity = reading->capacity;
    }
    size_t start = 0;
    for (size_t i = 0; i < reading->count; i++) {
        reading->fields[i] = (mls_str){reading->bytes.ptr + start, reading->ends[i] - start};
        start = reading->ends[i];
    }
    mls_csv_row row = {reading->row_line, reading->row_offset, reading->fields, reading->count};
    reading->status = reading->function(reading->state, &row);
    mls_buffer_clear(&reading->bytes);
    reading->count = 0;
}

static bool is_blank(mls_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (strchr(" \t\r\n", line.ptr[i]) == NULL || line.ptr[i] == '\0') {
            return false;
        }
    }
    return true;
}

static mls_status parser_status(struct csv_parser *parser)
{
    return csv_error(parser) == CSV_EPARSE ? MLS_ERROR_SYNTAX : MLS_ERROR_MEMORY;
}

static mls_status report(mls_status status, const csv_reading *reading, size_t line, size_t column, mls_error *error)
{
    if (reading->status != MLS_OK && reading->status != MLS_ERROR_LIMIT && reading->status != MLS_ERROR_MEMORY) {
        return reading->status;
    }
    if (status == MLS_ERROR_LIMIT || reading->status == MLS_ERROR_LIMIT) {
        return mls_error_set(error, MLS_ERROR_LIMIT, line, 0, "more than %d fields in a row", MLS_CSV_FIELDS_MAX);
    }
    if (status == MLS_ERROR_SYNTAX) {
        return mls_error_set(error, status, line, column,
                             "a quote inside an unquoted field, or text behind a closing quote");
    }
    return mls_error_memory(error);
}

/* Feeds the text line by line, so that every row's place is known. */
static mls_status read_lines(mls_str text, size_t offset, csv_reading *reading, struct csv_parser *parser,
                             mls_error *error)
{
    bool row_open = false;
    size_t line_number = 0;
    while (offset < text.len) {
        const char *newline = memchr(text.ptr + offset, '\n', text.len - offset);
        size_t next = newline == NULL ? text.len : (size_t)(newline - text.ptr) + 1;
        mls_str line = {text.ptr + offset, next - offset};
        line_number++;
        if (!row_open && is_blank(line)) {
            offset = next;
            continue;
        }
        if (!row_open) {
            reading->row_line = line_number;
            reading->row_offset = offset;
        }
        reading->row_ended = false;
        size_t parsed = csv_parse(parser, line.ptr, line.len, take_field, end_row, reading);
        if (parsed != line.len) {
            return report(parser_status(parser), reading, line_number, parsed + 1, error);
        }
        if (reading->status != MLS_OK) {
            return report(reading->status, reading, line_number, 0, error);
        }
        row_open = !reading->row_ended;
        offset = next;
    }
    if (csv_fini(parser, take_field, end_row, reading) != 0) {
        return csv_error(parser) == CSV_EPARSE
                   ? mls_error_set(error, MLS_ERROR_SYNTAX, reading->row_line, 0, "a quoted field is not closed")
                   : report(MLS_ERROR_MEMORY, reading, 0, 0, error);
    }
    return reading->status == MLS_OK ? MLS_OK : report(reading->status, reading, line_number, 0, error);
}

mls_status mls_csv_read(mls_str text, mls_csv_row_function function, void *state, mls_error *error)
{
    if (text.len > MLS_CSV_TEXT_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "a table of more than %zu MiB", MLS_CSV_TEXT_MAX >> 20);
    }
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        return mls_error_memory(error);
    }
    csv_set_blk_size(&parser, FIELD_GROWTH);
    csv_reading reading = {.function = function, .state = state};
    size_t offset = mls_str_starts(text, MLS_S("\xef\xbb\xbf")) ? 3 : 0;
    mls_status status = read_lines(text, offset, &reading, &parser, error);
    csv_free(&parser);
    mls_buffer_release(&reading.bytes);
    free(reading.ends);
    free(reading.fields);
    return status;
}

void mls_csv_place(mls_str text, const mls_csv_row *row, size_t field, size_t *line, size_t *column)
{
    *line = row->line;
    *column = 1;
    bool quoted = false;
    size_t at = row->offset;
    for (; at < text.len && field > 0; at++) {
        char c = text.ptr[at];
        quoted = c == '"' ? !quoted : quoted;
        field -= c == ',' && !quoted;
        *column = c == '\n' ? 1 : *column + 1;
        *line += c == '\n';
    }
    for (; at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t' || text.ptr[at] == '"'); at++) {
        ++*column;
        if (text.ptr[at] == '"') {
            break;
        }
    }
}
