/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - split tables into lines, so that every row has a position, and lines into cells, by libcsv or at bars. */
#include "base/rows.h"

#include <csv.h>

#include "base/buffer.h"
#include "base/memory.h"

/* Number of bytes by which libcsv extends its memory for a long field. */
#define FIELD_GROWTH 4096

typedef struct row_reading {
    mls_text_row_function function;
    void *state;
    mls_status status;
    mls_error *error;
    mls_str text, rest; /* the text of the whole table, and the part that was not read yet */
    mls_text_row row;   /* the current row */
    size_t line;        /* number of the last line read */
    mls_buffer bytes;   /* decoded bytes of the row's cells */
    mls_str *items;     /* the cells; their pointers are set when the row ends, because the bytes may move */
    size_t count, capacity;
    bool row_ended; /* whether a row has ended in the last line read */
} row_reading;

static bool add_cell(row_reading *reading, mls_str cell)
{
    if (reading->count == MLS_TABLE_CELLS_MAX) {
        reading->status = mls_error_set(reading->error, MLS_ERROR_LIMIT, reading->line, 0,
                                        "more than %d fields in a row", MLS_TABLE_CELLS_MAX);
    } else {
        MLS_GROW(reading, items);
        reading->items[reading->count++] = cell;
    }
    return reading->status == MLS_OK;
}

static void hand_over_row(row_reading *reading)
{
    reading->row.cells = reading->items;
    reading->row.count = reading->count;
    reading->status = reading->function(reading->state, &reading->row);
    reading->count = 0;
}

/* Read the next line with its line ending.  If the previous row has ended, skip empty lines, and begin a new row at the
 * line that is returned.  Return false at the end of the text, or if reading was stopped. */
static bool next_line(row_reading *reading, mls_str *line)
{
    while (reading->rest.len > 0 && reading->status == MLS_OK) {
        const bool ended = mls_str_cut(&reading->rest, '\n', line);
        line->len += ended;
        reading->line++;
        if (!reading->row_ended)
            return true;
        if (mls_str_trim(*line, mls_is_blank).len > 0) {
            reading->row.line = reading->line;
            reading->row.offset = (size_t)(line->ptr - reading->text.ptr);
            return true;
        }
    }
    return false;
}

/* Initialize the state.  Return false if the text is too long. */
static bool begin_rows(row_reading *reading, mls_str text, mls_text_row_function function, void *state,
                       mls_error *error)
{
    const size_t mark = mls_text_mark(text);
    *reading = (row_reading){.function = function,
                             .state = state,
                             .error = error,
                             .text = text,
                             .rest = {text.ptr + mark, text.len - mark},
                             .row_ended = true};
    if (text.len > MLS_TABLE_TEXT_MAX) {
        reading->status =
            mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "a table of more than %zu MiB", MLS_TABLE_TEXT_MAX >> 20);
    }
    return reading->status == MLS_OK;
}

static mls_status end_rows(row_reading *reading)
{
    mls_buffer_release(&reading->bytes);
    free(reading->items);
    return reading->status;
}

mls_status mls_marked_read(mls_str text, char mark, mls_text_row_function function, void *state, mls_error *error)
{
    row_reading reading;
    mls_str line;
    mls_str cell;
    if (!begin_rows(&reading, text, function, state, error))
        return reading.status;
    while (next_line(&reading, &line)) {
        line.len -= mls_str_ends(line, MLS_S("\n"));
        line.len -= mls_str_ends(line, MLS_S("\r"));
        for (bool more = true; more && reading.status == MLS_OK;) {
            more = mls_str_cut(&line, mark, &cell);
            (void)add_cell(&reading, cell);
        }
        if (reading.status == MLS_OK)
            hand_over_row(&reading);
    }
    return end_rows(&reading);
}

mls_status mls_bars_read(mls_str text, mls_text_row_function function, void *state, mls_error *error)
{
    return mls_marked_read(text, '|', function, state, error);
}

static void take_csv_cell(void *bytes, size_t length, void *context)
{
    row_reading *reading = context;
    if (reading->status == MLS_OK && add_cell(reading, (mls_str){NULL, length}))
        mls_buffer_append(&reading->bytes, (mls_str){bytes, length});
}

static void end_row(int terminator, void *context)
{
    (void)terminator;
    row_reading *reading = context;
    const char *at = reading->bytes.ptr;
    reading->row_ended = true;
    if (reading->status != MLS_OK || reading->count == 0)
        return;
    for (size_t i = 0; i < reading->count; i++) {
        reading->items[i].ptr = at;
        at += reading->items[i].len;
    }
    hand_over_row(reading);
    mls_buffer_clear(&reading->bytes);
}

mls_status mls_csv_read(mls_str text, mls_text_row_function function, void *state, mls_error *error)
{
    row_reading reading;
    struct csv_parser parser;
    if (!begin_rows(&reading, text, function, state, error))
        return reading.status;
    (void)csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_blk_size(&parser, FIELD_GROWTH);
    /* Feed libcsv line by line, so that the position of every row is known. */
    const char *reason = NULL;
    size_t column = 0;
    for (mls_str line; reason == NULL && next_line(&reading, &line);) {
        reading.row_ended = false;
        const size_t parsed = csv_parse(&parser, line.ptr, line.len, take_csv_cell, end_row, &reading);
        if (parsed != line.len && reading.status == MLS_OK) {
            reason = "a quote inside an unquoted field, or text after a closing quote";
            reading.row.line = reading.line;
            column = parsed + 1;
        }
    }
    if (reason == NULL && reading.status == MLS_OK && csv_fini(&parser, take_csv_cell, end_row, &reading) != 0)
        reason = "a quoted field is not closed";
    if (reason != NULL && csv_error(&parser) != CSV_EPARSE)
        mls_no_memory();
    if (reason != NULL)
        reading.status = mls_error_set(error, MLS_ERROR_SYNTAX, reading.row.line, column, "%s", reason);
    csv_free(&parser);
    return end_rows(&reading);
}

void mls_csv_place(mls_str text, const mls_text_row *row, size_t cell, size_t *line, size_t *column)
{
    *line = row->line;
    *column = 1;
    bool quoted = false;
    size_t at = row->offset;
    for (; at < text.len && cell > 0; at++) {
        char c = text.ptr[at];
        quoted = c == '"' ? !quoted : quoted;
        cell -= c == ',' && !quoted;
        *column = c == '\n' ? 1 : *column + 1;
        *line += c == '\n';
    }
    for (; at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t' || text.ptr[at] == '"'); at++) {
        ++*column;
        if (text.ptr[at] == '"')
            break;
    }
}
