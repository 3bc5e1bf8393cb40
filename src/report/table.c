/* SPDX-License-Identifier: Apache-2.0 */
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* Between two columns. */
enum { COLUMN_GAP = 2, CUT_MIN = 12, NOTE_INDENT = 4 };

void mls_table_init(mls_table *table, const mls_column *columns, size_t column_count, size_t indent)
{
    *table = (mls_table){.columns = columns, .column_count = column_count, .indent = indent};
}

mls_row *mls_table_row(mls_table *table)
{
    if (!mls_grow((void **)&table->rows, table->count, &table->capacity, sizeof *table->rows)) {
        table->failed = true;
        return NULL;
    }
    mls_row *row = &table->rows[table->count++];
    *row = (mls_row){0};
    return row;
}

static void cell_fill(mls_table *table, mls_cell *cell, mls_style style, const char *format, va_list args)
    MLS_PRINTF(4, 0);

static void cell_fill(mls_table *table, mls_cell *cell, mls_style style, const char *format, va_list args)
{
    mls_buffer raw = {0};
    mls_buffer clean = {0};
    mls_buffer_vprintf(&raw, format, args);
    mls_escape_append(&clean, mls_buffer_str(&raw));
    cell->text = mls_arena_copy(&table->text, mls_buffer_str(&clean));
    cell->style = style;
    table->failed |= raw.failed || clean.failed || cell->text.ptr == NULL;
    mls_buffer_release(&raw);
    mls_buffer_release(&clean);
}

void mls_table_cell(mls_table *table, size_t column, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->count > 0 && column < table->column_count) {
        cell_fill(table, &table->rows[table->count - 1].cells[column], style, format, args);
    }
    va_end(args);
}

void mls_table_text(mls_table *table, size_t column, mls_style style, mls_buffer *text)
{
    table->failed |= text->failed;
    mls_table_cell(table, column, style, "%s", text->len == 0 || text->failed ? "" : text->ptr);
    mls_buffer_release(text);
}

void mls_table_note(mls_table *table, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->count > 0) {
        cell_fill(table, &table->rows[table->count - 1].note, style, format, args);
    }
    va_end(args);
}

void mls_table_heading(mls_table *table, mls_style style, const char *format, ...)
{
    va_list args;
    mls_row *row = mls_table_row(table);
    va_start(args, format);
    if (row != NULL) {
        cell_fill(table, &row->heading, style, format, args);
    }
    va_end(args);
}

/* ---------------------------------------------------------------- layout */

typedef struct table_layout {
    size_t width[MLS_TABLE_COLUMNS_MAX];    /* 0: dropped or empty */
    size_t fraction[MLS_TABLE_COLUMNS_MAX]; /* columns from the decimal point on */
    bool notes_below;
} table_layout;

/* Columns from the decimal point on; a text without one ends where the point would be. */
static size_t fraction_width(mls_str text)
{
    const char *point = text.len > 0 ? memchr(text.ptr, '.', text.len) : NULL;
    return point != NULL ? mls_display_width((mls_str){point, (size_t)(text.ptr + text.len - point)}) : 0;
}

static void layout_column(const mls_table *table, table_layout *layout, size_t column)
{
    size_t whole = 0;
    size_t fraction = 0;
    size_t widest = 0;
    for (size_t i = 0; i < table->count; i++) {
        const mls_str text = table->rows[i].cells[column].text;
        const size_t width = mls_display_width(text);
        const size_t behind = table->columns[column].align == MLS_ALIGN_DECIMAL ? fraction_width(text) : 0;
        whole = width - behind > whole ? width - behind : whole;
        fraction = behind > fraction ? behind : fraction;
        widest = width > widest ? width : widest;
    }
    const size_t header = mls_display_width(mls_str_from(table->columns[column].header));
    layout->fraction[column] = fraction;
    layout->width[column] = widest == 0 ? 0 : whole + fraction > header ? whole + fraction : header;
}

static size_t layout_total(const mls_table *table, const table_layout *layout)
{
    size_t total = table->indent;
    for (size_t i = 0; i < table->column_count; i++) {
        total += layout->width[i] > 0 ? layout->width[i] + COLUMN_GAP : 0;
    }
    return total;
}

/* What a dropped column has left over goes to the one that was cut. */
static void layout_widen(const mls_table *table, table_layout *layout, const size_t *full, size_t room)
{
    const size_t total = layout_total(table, layout);
    for (size_t i = 0; i < table->column_count && total < room; i++) {
        if (table->columns[i].cut && layout->width[i] < full[i]) {
            const size_t more = full[i] - layout->width[i];
            layout->width[i] += more < room - total ? more : room - total;
        }
    }
}

static void layout_make(const mls_table *table, table_layout *layout, size_t width)
{
    size_t note = 0;
    size_t full[MLS_TABLE_COLUMNS_MAX];
    for (size_t i = 0; i < table->column_count; i++) {
        layout_column(table, layout, i);
        full[i] = layout->width[i];
    }
    for (size_t i = 0; i < table->count; i++) {
        const size_t length = mls_display_width(table->rows[i].note.text);
        note = length > note ? length : note;
    }
    if (width == 0) {
        return;
    }
    layout->notes_below = layout_total(table, layout) + note > width;
    const size_t room = width + COLUMN_GAP; /* nothing follows the last gap */
    for (size_t i = 0; i < table->column_count && layout_total(table, layout) > room; i++) {
        if (table->columns[i].cut && layout->width[i] > CUT_MIN) {
            const size_t over = layout_total(table, layout) - room;
            layout->width[i] = layout->width[i] > over + CUT_MIN ? layout->width[i] - over : CUT_MIN;
        }
    }
    for (size_t i = table->column_count; i-- > 1 && layout_total(table, layout) > room;) {
        if (!table->columns[i].keep) {
            layout->width[i] = 0;
        }
    }
    layout_widen(table, layout, full, room);
}

/* -------------------------------------------------------------- printing */

/* Code points from the start (or up to the end) of a text that fit into `width` columns, in bytes. */
static size_t fit_front(mls_str text, size_t width)
{
    size_t at = 0;
    size_t fits = 0;
    size_t used = 0;
    while (at < text.len) {
        (void)mls_utf8_next(text, &at);
        used += mls_display_width((mls_str){text.ptr + fits, at - fits});
        if (used > width) {
            break;
        }
        fits = at;
    }
    return fits;
}

static size_t fit_back(mls_str text, size_t width)
{
    size_t start = 0;
    size_t left = mls_display_width(text);
    while (start < text.len && left > width) {
        const size_t from = start;
        (void)mls_utf8_next(text, &start);
        left -= mls_display_width((mls_str){text.ptr + from, start - from});
    }
    return text.len - start;
}

static void print_text(mls_output *output, mls_str text, size_t width)
{
    if (mls_display_width(text) <= width) {
        mls_output_write(output, text);
        return;
    }
    const size_t front = fit_front(text, (width - 1) / 2);
    const size_t back = fit_back(text, width - 1 - (width - 1) / 2);
    mls_output_write(output, (mls_str){text.ptr, front});
    mls_output_text(output, "…");
    mls_output_write(output, (mls_str){text.ptr + text.len - back, back});
}

static void print_spaces(mls_output *output, size_t count)
{
    mls_output_printf(output, "%*s", (int)count, "");
}

/* Prints a cell and pads it; what would only be blanks at the end of a line is left out and counted in *owed. */
static void print_cell(const mls_table *table, const table_layout *layout, size_t column, mls_cell cell,
                       mls_output *output, bool color, size_t *owed)
{
    const size_t room = layout->width[column];
    size_t width = mls_display_width(cell.text);
    width = width > room ? room : width;
    size_t before = 0;
    switch (table->columns[column].align) {
    case MLS_ALIGN_LEFT:
        break;
    case MLS_ALIGN_RIGHT:
        before = room - width;
        break;
    case MLS_ALIGN_DECIMAL:
        before = room - width - (layout->fraction[column] - fraction_width(cell.text));
        before = before > room ? 0 : before;
        break;
    }
    if (width > 0) {
        print_spaces(output, *owed + before);
        mls_style_begin(output, cell.style, color);
        print_text(output, cell.text, room);
        mls_style_end(output, cell.style, color);
        *owed = room - width - before + COLUMN_GAP;
    } else {
        *owed += room + COLUMN_GAP;
    }
}

static void print_header(const mls_table *table, const table_layout *layout, mls_output *output, bool color)
{
    size_t owed = table->indent;
    for (size_t i = 0; i < table->column_count; i++) {
        if (layout->width[i] == 0) {
            continue;
        }
        const mls_str header = mls_str_from(table->columns[i].header);
        const size_t width = mls_display_width(header);
        if (width == 0) {
            owed += layout->width[i] + COLUMN_GAP;
            continue;
        }
        const size_t before = table->columns[i].align == MLS_ALIGN_LEFT ? 0 : layout->width[i] - width;
        print_spaces(output, owed + before);
        mls_style_begin(output, MLS_STYLE_DIM, color);
        mls_output_write(output, header);
        mls_style_end(output, MLS_STYLE_DIM, color);
        owed = layout->width[i] - width - before + COLUMN_GAP;
    }
    mls_output_text(output, "\n");
}

static void print_note(const mls_table *table, const table_layout *layout, mls_cell note, mls_output *output,
                       bool color, size_t owed, size_t width)
{
    const size_t indent = table->indent + NOTE_INDENT;
    if (note.text.len == 0) {
        return;
    }
    if (layout->notes_below) {
        mls_output_text(output, "\n");
        owed = indent;
    }
    print_spaces(output, owed);
    const mls_wrap wrap = {
        .width = layout->notes_below ? width : 0, .used = indent, .indent = indent, .separator = " "};
    mls_output_wrapped(output, note.text, wrap, note.style, color);
}

static void print_heading(const mls_table *table, mls_cell heading, mls_output *output, bool color)
{
    print_spaces(output, table->indent >= 2 ? table->indent - 2 : 0);
    mls_style_begin(output, heading.style, color);
    mls_output_write(output, heading.text);
    mls_style_end(output, heading.style, color);
    mls_output_text(output, "\n");
}

static void print_plain(const mls_table *table, mls_output *output, size_t width, bool color)
{
    table_layout layout = {0};
    layout_make(table, &layout, width);
    print_header(table, &layout, output, color);
    for (size_t i = 0; i < table->count; i++) {
        size_t owed = table->indent;
        if (table->rows[i].heading.text.len > 0) {
            print_heading(table, table->rows[i].heading, output, color);
            continue;
        }
        for (size_t k = 0; k < table->column_count; k++) {
            if (layout.width[k] > 0) {
                print_cell(table, &layout, k, table->rows[i].cells[k], output, color, &owed);
            }
        }
        print_note(table, &layout, table->rows[i].note, output, color, owed, width);
        mls_output_text(output, "\n");
    }
}

static void print_markdown_cell(mls_buffer *line, mls_str text)
{
    mls_buffer_append_text(line, "| ");
    mls_markdown_append(line, text);
    mls_buffer_append_char(line, ' ');
}

static void print_markdown(const mls_table *table, mls_output *output)
{
    mls_buffer lines = {0};
    bool notes = false;
    for (size_t i = 0; i < table->count; i++) {
        notes |= table->rows[i].note.text.len > 0;
    }
    for (size_t k = 0; k < table->column_count; k++) {
        mls_buffer_printf(&lines, "| %s ", table->columns[k].header);
    }
    mls_buffer_append_text(&lines, notes ? "| note |\n" : "|\n");
    for (size_t k = 0; k < table->column_count; k++) {
        mls_buffer_append_text(&lines, table->columns[k].align == MLS_ALIGN_LEFT ? "| --- " : "| ---: ");
    }
    mls_buffer_append_text(&lines, notes ? "| --- |\n" : "|\n");
    for (size_t i = 0; i < table->count; i++) {
        const mls_row *row = &table->rows[i];
        for (size_t k = 0; k < table->column_count; k++) {
            print_markdown_cell(&lines, k == 0 && row->heading.text.len > 0 ? row->heading.text : row->cells[k].text);
        }
        if (notes) {
            print_markdown_cell(&lines, row->note.text);
        }
        mls_buffer_append_text(&lines, "|\n");
    }
    mls_output_buffer(output, &lines);
}

void mls_table_print(const mls_table *table, mls_view *view)
{
    if (view->format == MLS_FORMAT_MARKDOWN) {
        print_markdown(table, view->output);
    } else if (table->count > 0) {
        print_plain(table, view->output, view->width, view->color);
    }
    if (table->failed) {
        mls_output_short(view->output);
    }
}

void mls_table_release(mls_table *table)
{
    free(table->rows);
    mls_arena_release(&table->text);
    *table = (mls_table){0};
}

void mls_table_finish(mls_table *table, mls_view *view)
{
    mls_table_print(table, view);
    mls_table_release(table);
}
