/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - cells laid out in columns, for a terminal or as Markdown.
 */
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

void mls_table_cell(mls_table *table, size_t column, mls_style style, const char *format, ...)
{
    va_list args;
    mls_buffer raw = {0};
    mls_buffer clean = {0};
    if (table->count == 0) {
        return;
    }
    va_start(args, format);
    mls_buffer_vprintf(&raw, format, args);
    va_end(args);
    mls_escape_append(&clean, mls_buffer_str(&raw));
    mls_cell *cell = &table->rows[table->count - 1].cells[column];
    *cell = (mls_cell){mls_arena_copy(&table->text, mls_buffer_str(&clean)), style};
    table->failed |= raw.failed || clean.failed || cell->text.ptr == NULL;
    mls_buffer_release(&raw);
    mls_buffer_release(&clean);
}

void mls_table_text(mls_table *table, size_t column, mls_style style, mls_buffer *text)
{
    table->failed |= text->failed;
    mls_table_cell(table, column, style, "%s", text->len == 0 || text->failed ? "" : text->ptr);
    mls_buffer_release(text);
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
        const size_t length = mls_display_width(table->rows[i].cells[MLS_TABLE_NOTE].text);
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

/* The end of a text that fits into `width` columns. */
static mls_str fit_back(mls_str text, size_t width)
{
    while (mls_display_width(text) > width) {
        size_t start = 0;
        (void)mls_utf8_next(text, &start);
        text = (mls_str){text.ptr + start, text.len - start};
    }
    return text;
}

static void print_text(mls_output *output, mls_str text, size_t width)
{
    if (mls_display_width(text) <= width) {
        mls_output_write(output, text);
        return;
    }
    const size_t front = (width - 1) / 2;
    mls_output_write(output, mls_utf8_fit(text, front));
    mls_output_text(output, "…");
    mls_output_write(output, fit_back(text, width - 1 - front));
}

static void print_spaces(mls_output *output, size_t count)
{
    mls_output_printf(output, "%*s", (int)count, "");
}

/* Prints a cell and pads it; what would only be blanks at the end of a line is left out and counted in *owed. */
static void print_cell(mls_view *view, const table_layout *layout, size_t column, mls_align align, mls_cell cell,
                       size_t *owed)
{
    const size_t room = layout->width[column];
    const size_t whole = mls_display_width(cell.text);
    const size_t width = whole > room ? room : whole;
    size_t before = align == MLS_ALIGN_LEFT ? 0 : room - width;
    if (align == MLS_ALIGN_DECIMAL) {
        const size_t behind = layout->fraction[column] - fraction_width(cell.text);
        before = before > behind ? before - behind : 0;
    }
    if (room == 0) {
        return;
    }
    if (width == 0) {
        *owed += room + COLUMN_GAP;
        return;
    }
    print_spaces(view->output, *owed + before);
    mls_style_begin(view->output, cell.style, view->color);
    print_text(view->output, cell.text, room);
    mls_style_end(view->output, cell.style, view->color);
    *owed = room - width - before + COLUMN_GAP;
}

static void print_note(mls_view *view, const mls_table *table, const table_layout *layout, mls_cell note, size_t owed)
{
    const size_t indent = table->indent + NOTE_INDENT;
    const mls_wrap wrap = {
        .width = layout->notes_below ? view->width : 0, .used = indent, .indent = indent, .separator = " "};
    if (note.text.len > 0) {
        mls_output_text(view->output, layout->notes_below ? "\n" : "");
        print_spaces(view->output, layout->notes_below ? indent : owed);
        mls_output_wrapped(view->output, note.text, wrap, note.style, view->color);
    }
}

static void print_row(mls_view *view, const mls_table *table, const table_layout *layout, const mls_row *row)
{
    const mls_cell heading = row->cells[MLS_TABLE_HEADING];
    size_t owed = table->indent;
    if (heading.text.len > 0) {
        print_spaces(view->output, table->indent >= 2 ? table->indent - 2 : 0);
        mls_output_wrapped(view->output, heading.text, (mls_wrap){.separator = " "}, heading.style, view->color);
    } else {
        for (size_t k = 0; k < table->column_count; k++) {
            print_cell(view, layout, k, table->columns[k].align, row->cells[k], &owed);
        }
        print_note(view, table, layout, row->cells[MLS_TABLE_NOTE], owed);
    }
    mls_output_text(view->output, "\n");
}

static void print_plain(mls_view *view, const mls_table *table)
{
    table_layout layout = {0};
    size_t owed = table->indent;
    layout_make(table, &layout, view->width);
    for (size_t k = 0; k < table->column_count; k++) {
        const mls_cell header = {mls_str_from(table->columns[k].header), MLS_STYLE_DIM};
        const bool left = table->columns[k].align == MLS_ALIGN_LEFT;
        print_cell(view, &layout, k, left ? MLS_ALIGN_LEFT : MLS_ALIGN_RIGHT, header, &owed);
    }
    mls_output_text(view->output, "\n");
    for (size_t i = 0; i < table->count; i++) {
        print_row(view, table, &layout, &table->rows[i]);
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
        notes |= table->rows[i].cells[MLS_TABLE_NOTE].text.len > 0;
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
            print_markdown_cell(&lines, k == 0 && row->cells[MLS_TABLE_HEADING].text.len > 0
                                            ? row->cells[MLS_TABLE_HEADING].text
                                            : row->cells[k].text);
        }
        if (notes) {
            print_markdown_cell(&lines, row->cells[MLS_TABLE_NOTE].text);
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
        print_plain(view, table);
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
