/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - cells laid out in columns, for a terminal or as Markdown. */
#include "term/table.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"

enum { COLUMN_GAP = 2, CUT_MIN = 12, CUT_LEAST = 8, NOTE_INDENT = 4 };

void mls_table_row(mls_table *table)
{
    table->filled = 0;
    table->style = MLS_STYLE_PLAIN;
    if (MLS_GROW(table, rows)) {
        table->rows[table->count++] = (mls_row){0};
    } else {
        table->failed = true;
    }
}

MLS_PRINTF(4, 0)
static void fill_cell(mls_table *table, mls_cell *cell, mls_style style, const char *format, va_list args)
{
    mls_buffer_clear(&table->raw);
    mls_buffer_clear(&table->clean);
    mls_buffer_vprintf(&table->raw, format, args);
    mls_escape_append(&table->clean, mls_buffer_str(&table->raw));
    *cell = (mls_cell){mls_arena_copy(&table->text, mls_buffer_str(&table->clean)), style};
    table->failed |= table->raw.failed || table->clean.failed || cell->text.ptr == NULL;
}

void mls_table_cell(mls_table *table, const char *header, unsigned look, mls_style style, const char *format, ...)
{
    va_list args;
    if (table->count == 0 || table->filled == MLS_TABLE_COLUMNS_MAX) {
        return;
    }
    const size_t k = table->filled++;
    table->columns[k] = (mls_column){.header = header, .look = look};
    table->column_count = table->filled > table->column_count ? table->filled : table->column_count;
    va_start(args, format);
    fill_cell(table, &table->rows[table->count - 1].cells[k], style, format, args);
    va_end(args);
}

void mls_table_text(mls_table *table, const char *header, unsigned look, const char *text)
{
    mls_table_cell(table, header, look, table->style, "%s", text != NULL ? text : "-");
}

void mls_table_words(mls_table *table, const char *header, unsigned look, mls_words words)
{
    mls_table_text(table, header, look, words.text);
}

void mls_table_note(mls_table *table, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->count > 0) {
        fill_cell(table, &table->rows[table->count - 1].note, style, format, args);
    }
    va_end(args);
}

void mls_table_lead(mls_table *table, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->count > 0) {
        fill_cell(table, &table->rows[table->count - 1].lead, style, format, args);
    }
    va_end(args);
}

const char *mls_table_take(mls_table *table, mls_buffer *text)
{
    const mls_str copy = mls_arena_copy(&table->text, mls_buffer_str(text));
    table->failed |= text->failed || copy.ptr == NULL;
    mls_buffer_release(text);
    return copy.ptr != NULL ? copy.ptr : "";
}

static bool is_heading(const mls_row *row)
{
    return row->cells[0].text.ptr == NULL;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Columns from the decimal point on; a text without one ends where the point would be. */
static size_t fraction_width(mls_str text)
{
    const char *point = text.len > 0 ? memchr(text.ptr, '.', text.len) : NULL;
    return point != NULL ? mls_display_width((mls_str){point, (size_t)(text.ptr + text.len - point)}) : 0;
}

static size_t layout_column(mls_table *table, size_t k)
{
    mls_column *column = &table->columns[k];
    size_t whole = 0;
    column->fraction = 0;
    for (size_t i = 0; i < table->count; i++) {
        const mls_str text = table->rows[i].cells[k].text;
        const size_t after = (column->look & MLS_COLUMN_DECIMAL) != 0 ? fraction_width(text) : 0;
        whole = max_size(whole, mls_display_width(text) - after);
        column->fraction = max_size(column->fraction, after);
    }
    whole += column->fraction;
    return whole == 0 ? 0 : max_size(whole, mls_display_width(mls_str_from(column->header)));
}

static size_t layout_total(const mls_table *table)
{
    size_t total = table->indent;
    for (size_t k = 0; k < table->column_count; k++) {
        total += table->columns[k].width > 0 ? table->columns[k].width + COLUMN_GAP : 0;
    }
    return total;
}

/* Drops columns whose look has these bits of a mask, from the right, until what is left fits. */
static void drop_columns(mls_table *table, unsigned mask, unsigned bits, size_t room)
{
    for (size_t k = table->column_count; k-- > 1 && layout_total(table) > room;) {
        table->columns[k].width = (table->columns[k].look & mask) == bits ? 0 : table->columns[k].width;
    }
}

/* Makes a column narrower by `more`, but not than `least`. */
static void cut_column(mls_column *column, size_t more, size_t least)
{
    if (column->width > least) {
        column->width = more < column->width ? max_size(column->width - more, least) : least;
    }
}

/* Cuts a table still too wide from the right: to CUT_MIN, which reads well, then to CUT_LEAST. */
static void cut_last(mls_table *table, size_t room)
{
    for (size_t least = CUT_MIN; least >= CUT_LEAST; least -= CUT_MIN - CUT_LEAST) {
        for (size_t k = table->column_count; k-- > 0 && layout_total(table) > room;) {
            if ((table->columns[k].look & MLS_COLUMN_CUT_LAST) != 0) {
                const size_t header = mls_display_width(mls_str_from(table->columns[k].header));
                cut_column(&table->columns[k], layout_total(table) - room, max_size(least, header));
            }
        }
    }
}

/* Lays the columns out; whether notes stand below their rows. */
static bool layout_make(mls_table *table, size_t width)
{
    const size_t room = width + COLUMN_GAP; /* nothing follows the last gap */
    size_t note = 0;
    mls_column *cut = NULL;
    for (size_t k = 0; k < table->column_count; k++) {
        table->columns[k].width = layout_column(table, k);
        cut = (table->columns[k].look & MLS_COLUMN_CUT) != 0 ? &table->columns[k] : cut;
    }
    for (size_t i = 0; i < table->count; i++) {
        note = max_size(note, is_heading(&table->rows[i]) ? 0 : mls_display_width(table->rows[i].note.text));
    }
    const size_t total = layout_total(table);
    const size_t full = cut != NULL ? cut->width : 0;
    if (width > 0 && total > room && cut != NULL) {
        cut_column(cut, total - room, CUT_MIN);
    }
    drop_columns(table, MLS_COLUMN_DETAIL, MLS_COLUMN_DETAIL, width > 0 ? room : SIZE_MAX);
    drop_columns(table, MLS_COLUMN_KEEP, 0, width > 0 ? room : SIZE_MAX);
    /* The width that a dropped column leaves goes to the one that was cut. */
    const size_t left = layout_total(table);
    if (width > 0 && cut != NULL && cut->width > 0 && left < room) {
        cut->width = full - cut->width < room - left ? full : cut->width + room - left;
    }
    cut_last(table, width > 0 ? room : SIZE_MAX);
    return width > 0 && total + note > width;
}

/* Prints a cell and pads it; what would only be blanks at the end of a line is left out and counted in *owed. */
static void print_cell(mls_view *view, const mls_column *column, unsigned look, mls_cell cell, size_t *owed)
{
    const size_t whole = mls_display_width(cell.text);
    const size_t width = whole > column->width ? column->width : whole;
    size_t before = look == MLS_COLUMN_LEFT ? 0 : column->width - width;
    if (look == MLS_COLUMN_DECIMAL) {
        const size_t after = column->fraction - fraction_width(cell.text);
        before = before > after ? before - after : 0;
    }
    if (width == 0) {
        *owed += column->width > 0 ? column->width + COLUMN_GAP : 0;
        return;
    }
    mls_output_printf(view->output, "%*s", (int)(*owed + before), "");
    mls_style_begin(view, cell.style);
    if (whole <= width) {
        mls_output_write(view->output, cell.text);
    } else {
        const size_t front = (width - 1) / 2;
        mls_output_write(view->output, mls_utf8_fit(cell.text, front));
        mls_output_text(view->output, "…");
        mls_output_write(view->output, mls_utf8_fit_back(cell.text, width - 1 - front));
    }
    mls_style_end(view, cell.style);
    *owed = column->width - width - before + COLUMN_GAP;
}

/* Whether each phrase of a heading, which blanks set apart, fits into so many columns: then none is broken. */
static bool phrases_fit(mls_str text, size_t room)
{
    bool fit = true;
    for (size_t at = 0, from = 0; at <= text.len && fit; at++) {
        const mls_str rest = mls_str_rest(text, at);
        if (at == text.len || mls_str_starts(rest, MLS_S("  "))) {
            mls_str phrase = mls_str_rest(text, from);
            phrase.len = at - from;
            fit = mls_display_width(mls_str_trim(phrase, mls_is_blank)) <= room;
            from = at;
        }
    }
    return fit;
}

/* A heading, whose two texts have a style each, broken where the terminal ends. */
static void print_heading(mls_view *view, size_t indent, const mls_row *row)
{
    const bool lead = row->lead.text.len > 0;
    const size_t before = lead ? indent : max_size(indent, 2) - 2;
    const size_t room = max_size(view->width, indent + NOTE_INDENT) - indent - NOTE_INDENT;
    mls_wrap wrap = {view->width, before, indent + NOTE_INDENT, phrases_fit(row->note.text, room) ? "  " : " ", false};
    mls_output_printf(view->output, "%*s", (int)before, "");
    mls_view_wrapped(view, row->lead.text, wrap, row->lead.style);
    wrap.used += mls_display_width(row->lead.text);
    mls_view_wrapped(view, row->note.text, wrap, row->note.style);
    mls_output_text(view->output, "\n");
}

static void print_plain(mls_view *view, mls_table *table)
{
    const bool below = layout_make(table, view->width);
    const size_t indent = table->indent + NOTE_INDENT;
    const mls_wrap wrap = {below ? view->width : 0, indent, indent, " ", false};
    size_t owed = table->indent;
    for (size_t k = 0; k < table->column_count; k++) {
        const mls_cell header = {mls_str_from(table->columns[k].header), MLS_STYLE_DIM};
        const bool left = (table->columns[k].look & (MLS_COLUMN_RIGHT | MLS_COLUMN_DECIMAL)) == 0;
        print_cell(view, &table->columns[k], left ? MLS_COLUMN_LEFT : MLS_COLUMN_RIGHT, header, &owed);
    }
    mls_output_text(view->output, "\n");
    for (size_t i = 0; i < table->count; i++) {
        const mls_row *row = &table->rows[i];
        if (is_heading(row)) {
            print_heading(view, table->indent, row);
            continue;
        }
        owed = table->indent;
        for (size_t k = 0; k < table->column_count; k++) {
            const unsigned look = table->columns[k].look & (MLS_COLUMN_RIGHT | MLS_COLUMN_DECIMAL);
            print_cell(view, &table->columns[k], look, row->cells[k], &owed);
        }
        if (row->note.text.len > 0) {
            mls_output_printf(view->output, "%s%*s", below ? "\n" : "", (int)(below ? indent : owed), "");
            mls_view_wrapped(view, row->note.text, wrap, row->note.style);
        }
        mls_output_text(view->output, "\n");
    }
}

static void append_markdown(mls_buffer *lines, mls_str lead, mls_str text)
{
    mls_buffer_append_text(lines, "| ");
    mls_markdown_append(lines, lead);
    mls_markdown_append(lines, text);
    mls_buffer_append_char(lines, ' ');
}

static void print_markdown(const mls_table *table, mls_output *output)
{
    mls_buffer lines = {0};
    bool notes = false;
    for (size_t i = 0; i < table->count; i++) {
        notes |= !is_heading(&table->rows[i]) && table->rows[i].note.text.len > 0;
    }
    for (size_t k = 0; k < table->column_count; k++) {
        mls_buffer_printf(&lines, "| %s ", table->columns[k].header);
    }
    mls_buffer_append_text(&lines, notes ? "| note |\n" : "|\n");
    for (size_t k = 0; k < table->column_count; k++) {
        const bool left = (table->columns[k].look & (MLS_COLUMN_RIGHT | MLS_COLUMN_DECIMAL)) == 0;
        mls_buffer_append_text(&lines, left ? "| --- " : "| ---: ");
    }
    mls_buffer_append_text(&lines, notes ? "| --- |\n" : "|\n");
    for (size_t i = 0; i < table->count; i++) {
        const mls_row *row = &table->rows[i];
        for (size_t k = 0; k < table->column_count; k++) {
            const bool first = k == 0 && is_heading(row);
            append_markdown(&lines, first ? row->lead.text : MLS_S(""), first ? row->note.text : row->cells[k].text);
        }
        if (notes) {
            append_markdown(&lines, MLS_S(""), is_heading(row) ? MLS_S("") : row->note.text);
        }
        mls_buffer_append_text(&lines, "|\n");
    }
    mls_output_buffer(output, &lines);
}

void mls_table_finish(mls_table *table, mls_view *view)
{
    if (table->count > 0 && view->format == MLS_FORMAT_MARKDOWN) {
        print_markdown(table, view->output);
    } else if (table->count > 0) {
        print_plain(view, table);
    }
    mls_output_short(view->output, table->failed);
    free(table->rows);
    mls_arena_release(&table->text);
    mls_buffer_release(&table->raw);
    mls_buffer_release(&table->clean);
    *table = (mls_table){0};
}
