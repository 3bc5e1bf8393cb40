/* SPDX-License-Identifier: Apache-2.0 */
/* csv_read.c - libcsv fed line by line, so that every row has a place. */
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
    mls_error *error;
    mls_csv_row row;  /* the one being read */
    size_t line;      /* that was fed last */
    mls_buffer bytes; /* of the fields so far */
    mls_str *items;   /* they, their places in the bytes not known before the row ends */
    size_t count, capacity;
    bool row_ended; /* a row has ended in the line that was fed last */
} csv_reading;

static void take_field(void *bytes, size_t length, void *context)
{
    csv_reading *reading = context;
    if (reading->status != MLS_OK) {
        return;
    }
    if (reading->count == MLS_CSV_FIELDS_MAX) {
        reading->status = mls_error_set(reading->error, MLS_ERROR_LIMIT, reading->line, 0,
                                        "more than %d fields in a row", MLS_CSV_FIELDS_MAX);
        return;
    }
    mls_buffer_append(&reading->bytes, (mls_str){bytes, length});
    if (reading->bytes.failed || !MLS_GROW(reading, items)) {
        reading->status = mls_error_memory(reading->error);
        return;
    }
    reading->items[reading->count++] = (mls_str){NULL, length};
}

static void end_row(int terminator, void *context)
{
    (void)terminator;
    csv_reading *reading = context;
    const char *at = reading->bytes.ptr;
    reading->row_ended = true;
    if (reading->status != MLS_OK || reading->count == 0) {
        return;
    }
    for (size_t i = 0; i < reading->count; i++) {
        reading->items[i].ptr = at;
        at += reading->items[i].len;
    }
    reading->row.fields = reading->items;
    reading->row.count = reading->count;
    reading->status = reading->function(reading->state, &reading->row);
    mls_buffer_clear(&reading->bytes);
    reading->count = 0;
}

static mls_status parse_failed(const csv_reading *reading, struct csv_parser *parser, size_t line, size_t column,
                               const char *reason)
{
    return csv_error(parser) != CSV_EPARSE
               ? mls_error_memory(reading->error)
               : mls_error_set(reading->error, MLS_ERROR_SYNTAX, line, column, "%s", reason);
}

/* Feeds the text line by line, so that every row's place is known. */
static void read_lines(mls_str text, size_t offset, csv_reading *reading, struct csv_parser *parser)
{
    reading->row_ended = true;
    for (size_t next; offset < text.len && reading->status == MLS_OK; offset = next) {
        const char *newline = memchr(text.ptr + offset, '\n', text.len - offset);
        next = newline == NULL ? text.len : (size_t)(newline - text.ptr) + 1;
        const mls_str line = {text.ptr + offset, next - offset};
        mls_str rest = line;
        reading->line++;
        if (reading->row_ended && mls_str_word(&rest).len == 0) {
            continue;
        }
        if (reading->row_ended) {
            reading->row.line = reading->line;
            reading->row.offset = offset;
        }
        reading->row_ended = false;
        const size_t parsed = csv_parse(parser, line.ptr, line.len, take_field, end_row, reading);
        if (parsed != line.len && reading->status == MLS_OK) {
            reading->status = parse_failed(reading, parser, reading->line, parsed + 1,
                                           "a quote inside an unquoted field, or text behind a closing quote");
        }
    }
    if (reading->status == MLS_OK && csv_fini(parser, take_field, end_row, reading) != 0) {
        reading->status = parse_failed(reading, parser, reading->row.line, 0, "a quoted field is not closed");
    }
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
    csv_reading reading = {.function = function, .state = state, .error = error};
    size_t offset = mls_str_starts(text, MLS_S("\xef\xbb\xbf")) ? 3 : 0;
    read_lines(text, offset, &reading, &parser);
    csv_free(&parser);
    mls_buffer_release(&reading.bytes);
    free(reading.items);
    return reading.status;
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
