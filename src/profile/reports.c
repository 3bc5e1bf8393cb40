/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.c - lines and rows of the reports of nsys and ncu, as a stream.
 *
 * Around the tables stands anything, with quotes that are never closed.  Inside of a table a quoted field may hold line
 * endings, so a row can be several lines; one that does not end well is dropped with its first line, and the others
 * that it took are read again, each by itself: no byte is looked at more than twice.
 */
#include "profile/reports.h"

#include <stdlib.h>

#include "base/memory.h"

/* A longer row or line is damaged. */
enum { ROW_MAX = 1 << 20 };

typedef enum row_end { ROW_WHOLE, ROW_OPEN, ROW_BROKEN } row_end;

typedef struct row_reader {
    mls_gather *gather;
    mls_nsys *nsys;
    mls_ncu *ncu;
    bool is_nsys, is_ncu; /* the first heading decides */
    size_t line;          /* being read */
    mls_buffer begun;     /* a line that goes on in the next block */
    bool too_long;        /* of which only the end is waited for */
    mls_buffer row;       /* the lines of a row that has not ended */
    size_t row_line;      /* its first */
    bool heading;
    struct {
        mls_report_field *items;
        size_t count, capacity;
    } fields;
    size_t field_begin; /* of the one that is open */
    bool doubled;
} row_reader;

void mls_report_damaged(mls_gather *gather, size_t line, const char *why)
{
    mls_findings_add_as(&gather->profile->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING,
                        (mls_finding_place){.line = line}, "the row is left out: %s", why);
}

mls_str mls_report_text(const mls_report_row *row, size_t field)
{
    char *text = row->text + row->fields[field].begin;
    size_t len = row->fields[field].len;
    if (row->fields[field].doubled) {
        size_t kept = 0;
        for (size_t i = 0; i < len; i++) {
            i += text[i] == '"' && i + 1 < len;
            text[kept++] = text[i];
        }
        len = kept;
    }
    return (mls_str){text, len};
}

static bool add_field(row_reader *reader, size_t begin, size_t end)
{
    if (reader->fields.count == MLS_FIELDS_MAX || !MLS_GROW(&reader->fields, items)) {
        return false;
    }
    reader->fields.items[reader->fields.count++] = (mls_report_field){begin, end - begin, reader->doubled};
    reader->doubled = false;
    return true;
}

/* Splits the text from `at` on, which is inside of a quoted field when `inside`.  *memory: there was none. */
static row_end split_fields(row_reader *reader, const char *text, size_t len, size_t at, bool inside, bool *memory)
{
    for (;;) {
        if (!inside && at < len && text[at] == '"') {
            reader->field_begin = ++at;
            inside = true;
        }
        const char *stop = memchr(text + at, inside ? '"' : ',', len - at);
        size_t end = stop != NULL ? (size_t)(stop - text) : len;
        if (inside && stop == NULL) {
            return ROW_OPEN;
        }
        if (inside && end + 1 < len && text[end + 1] == '"') {
            reader->doubled = true;
            at = end + 2;
            continue;
        }
        if (inside && end + 1 < len && text[end + 1] != ',') {
            return ROW_BROKEN;
        }
        if (!add_field(reader, inside ? reader->field_begin : at, end)) {
            *memory = reader->fields.count < MLS_FIELDS_MAX;
            return ROW_BROKEN;
        }
        end += inside;
        if (end >= len) {
            return ROW_WHOLE;
        }
        inside = false;
        at = end + 1;
    }
}

/* Gives a row to whose it is. */
static mls_status give_row(row_reader *reader, char *text, size_t line)
{
    const mls_report_row row = {line, text, reader->fields.items, reader->fields.count};
    return reader->is_ncu ? mls_ncu_row(reader->ncu, &row, reader->heading)
                          : mls_nsys_row(reader->nsys, &row, reader->heading);
}

/* What the line is; the first heading makes the file one of nsys or of ncu. */
static mls_report_line tell_line(row_reader *reader, mls_str line, size_t number)
{
    mls_report_line kind = MLS_LINE_TEXT;
    if (!reader->is_ncu) {
        kind = mls_nsys_line(reader->nsys, line, number);
        reader->is_nsys |= kind == MLS_LINE_HEADING;
    }
    if (!reader->is_nsys) {
        kind = mls_ncu_line(reader->ncu, line);
        reader->is_ncu |= kind == MLS_LINE_HEADING;
    }
    return kind;
}

static mls_status take_report_line(row_reader *reader, char *text, size_t len, size_t number, bool may_go_on)
{
    bool memory = false;
    const mls_report_line kind = tell_line(reader, (mls_str){text, len}, number);
    if (kind == MLS_LINE_TEXT) {
        return MLS_OK;
    }
    reader->fields.count = 0;
    reader->doubled = false;
    reader->heading = kind == MLS_LINE_HEADING;
    const row_end end = split_fields(reader, text, len, 0, false, &memory);
    if (end == ROW_WHOLE) {
        return give_row(reader, text, number);
    }
    if (end == ROW_OPEN && may_go_on) {
        reader->row_line = number;
        mls_buffer_append(&reader->row, (mls_str){text, len});
        mls_buffer_append_char(&reader->row, '\n');
        return reader->row.failed ? MLS_ERROR_MEMORY : MLS_OK;
    }
    mls_report_damaged(reader->gather, number, "its quotes do not close");
    return memory ? MLS_ERROR_MEMORY : MLS_OK;
}

/* The row that several lines should have made is none: its first line is dropped, each of the others stands alone. */
static mls_status drop_row(row_reader *reader)
{
    mls_buffer lines = reader->row;
    mls_status status = MLS_OK;
    size_t number = reader->row_line;
    reader->row = (mls_buffer){0};
    mls_report_damaged(reader->gather, number, "its quotes do not close");
    const char *newline = lines.len > 0 ? memchr(lines.ptr, '\n', lines.len) : NULL;
    for (size_t at = 0; newline != NULL && status == MLS_OK; number++) {
        if (number > reader->row_line) {
            status = take_report_line(reader, lines.ptr + at, (size_t)(newline - lines.ptr) - at, number, false);
        }
        at = (size_t)(newline - lines.ptr) + 1;
        newline = at < lines.len ? memchr(lines.ptr + at, '\n', lines.len - at) : NULL;
    }
    mls_buffer_release(&lines);
    return status;
}

/* A line behind those of a row that has not ended. */
static mls_status go_on(row_reader *reader, mls_str line)
{
    bool memory = false;
    const size_t at = reader->row.len;
    mls_buffer_append(&reader->row, line);
    if (reader->row.failed) {
        return MLS_ERROR_MEMORY;
    }
    const row_end end = split_fields(reader, reader->row.ptr, reader->row.len, at, true, &memory);
    if (end == ROW_WHOLE) {
        mls_buffer row = reader->row;
        reader->row = (mls_buffer){0};
        const mls_status status = give_row(reader, row.ptr, reader->row_line);
        mls_buffer_release(&row);
        return status;
    }
    mls_buffer_append_char(&reader->row, '\n');
    return memory || reader->row.failed                     ? MLS_ERROR_MEMORY
           : end == ROW_BROKEN || reader->row.len > ROW_MAX ? drop_row(reader)
                                                            : MLS_OK;
}

static mls_status end_line(row_reader *reader, char *text, size_t len)
{
    reader->line++;
    len -= len > 0 && text[len - 1] == '\r';
    if (reader->too_long) {
        reader->too_long = false;
        if (tell_line(reader, (mls_str){text, len}, reader->line) != MLS_LINE_TEXT) {
            mls_report_damaged(reader->gather, reader->line, "it is longer than 1 MiB");
        }
        return MLS_OK;
    }
    return reader->row.len > 0 ? go_on(reader, (mls_str){text, len})
                               : take_report_line(reader, text, len, reader->line, true);
}

static mls_status take_reports_block(row_reader *reader, char *block, size_t len)
{
    mls_status status = MLS_OK;
    for (size_t at = 0; at < len && status == MLS_OK;) {
        char *newline = memchr(block + at, '\n', len - at);
        const size_t end = newline != NULL ? (size_t)(newline - block) : len;
        if (newline != NULL && reader->begun.len == 0) {
            status = end_line(reader, block + at, end - at);
        } else if (!reader->too_long) {
            mls_buffer_append(&reader->begun, (mls_str){block + at, end - at});
            status = reader->begun.failed ? MLS_ERROR_MEMORY : MLS_OK;
            reader->too_long = reader->begun.len > ROW_MAX;
        }
        if (newline != NULL && reader->begun.len > 0 && status == MLS_OK) {
            status = end_line(reader, reader->begun.ptr, reader->begun.len);
            mls_buffer_clear(&reader->begun);
        }
        at = end + 1;
    }
    return status;
}

/* Reads what follows the last line ending, and what is open. */
static mls_status end_reports(row_reader *reader)
{
    mls_status status = reader->begun.len > 0 ? end_line(reader, reader->begun.ptr, reader->begun.len) : MLS_OK;
    return status == MLS_OK && reader->row.len > 0 ? drop_row(reader) : status;
}

mls_status mls_reports_read(mls_gather *gather, mls_blocks *blocks, mls_error *error)
{
    row_reader reader = {.gather = gather, .nsys = mls_nsys_new(gather), .ncu = mls_ncu_new(gather)};
    mls_status status = reader.nsys != NULL && reader.ncu != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    for (bool more = true; more && status == MLS_OK;) {
        status = take_reports_block(&reader, blocks->block, blocks->len);
        more = !blocks->input->ended;
        if (status == MLS_OK && more && !mls_input_fill(blocks->input, blocks->block, &blocks->len)) {
            status = MLS_ERROR_MEMORY;
        }
    }
    status = status == MLS_OK ? end_reports(&reader) : status;
    if (status == MLS_OK && !(reader.is_ncu ? mls_ncu_finish(reader.ncu) : mls_nsys_finish(reader.nsys))) {
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                               "is none of these: a PyTorch trace, nsys stats as CSV, ncu as CSV");
    } else if (status == MLS_OK && blocks->input->trouble.wrong != NULL) {
        gather->profile->complete = false;
        mls_findings_add(&gather->profile->findings, MLS_FINDING_TRACE_TRUNCATED,
                         (mls_finding_place){.line = reader.line}, "the reports are read up to here only: %s",
                         blocks->input->trouble.wrong);
    }
    mls_nsys_free(reader.nsys);
    mls_ncu_free(reader.ncu);
    mls_buffer_release(&reader.begun);
    mls_buffer_release(&reader.row);
    free(reader.fields.items);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}
