/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - lay out cells in columns, for a terminal or as Markdown. */
#include "term/table.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"

enum { COLUMN_GAP = 2, CUT_MIN = 12, CUT_LEAST = 8, NOTE_INDENT = 4, RANK_BITS = 0x3c0 };

void mls_table_row(mls_table *table)
{
    table->filled = 0;
    table->style = MLS_STYLE_PLAIN;
    MLS_GROW(table, rows);
    table->rows[table->count++] = (mls_row){0};
}

MLS_PRINTF(4, 0)
static void fill_cell(mls_table *table, mls_cell *cell, mls_style style, const char *format, va_list args)
{
    mls_buffer_clear(&table->raw);
    mls_buffer_clear(&table->clean);
    mls_buffer_vprintf(&table->raw, format, args);
    mls_escape_append(&table->clean, mls_buffer_str(&table->raw));
    *cell = (mls_cell){mls_arena_copy(&table->text, mls_buffer_str(&table->clean)), style};
}

void mls_table_cell(mls_table *table, const char *header, unsigned look, mls_style style, const char *format, ...)
{
    va_list args;
    if (table->count == 0 || table->filled == MLS_TABLE_COLUMNS_MAX)
        return;
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

void mls_table_number(mls_table *table, const char *header, unsigned look, double number, int decimals)
{
    mls_table_text(table, header, look, mls_words_grouped(number, decimals).text);
}

void mls_table_members(mls_table *table, const mls_table_member *columns, size_t count, const void *of)
{
    for (size_t i = 0; i < count; i++) {
        const mls_table_member *column = &columns[i];
        const void *value = (const char *)of + column->offset;
        mls_str text = {0};
        mls_words words;
        mls_style style = table->style;
        mls_buffer cut = {0};
        if (column->type == MLS_SHOWN_NUMBER || column->type == MLS_SHOWN_COUNT) {
            const bool is_count = column->type == MLS_SHOWN_COUNT;
            const double number = is_count ? (double)*(const size_t *)value : *(const double *)value;
            words = mls_words_grouped(number, column->digits);
            text = mls_str_from(words.text);
            style = (column->look & MLS_COLUMN_DIM) != 0 && !isfinite(number) ? MLS_STYLE_DIM : style;
        } else {
            const char *shown = column->type == MLS_SHOWN_TEXT ? *(const char *const *)value : NULL;
            text = column->type == MLS_SHOWN_STR ? *(const mls_str *)value
                   : shown != NULL               ? mls_str_from(shown)
                                                 : MLS_S("-");
            if (column->digits > 0) {
                mls_utf8_append_cut(&cut, text, (size_t)column->digits);
                text = mls_buffer_str(&cut);
            }
        }
        mls_table_cell(table, column->header, column->look & ~(unsigned)MLS_COLUMN_DIM, style, "%.*s", (int)text.len,
                       text.ptr);
        mls_buffer_release(&cut);
    }
}

void mls_table_rows(mls_table *table, const mls_table_member *columns, size_t count, const void *items, size_t size,
                    size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        mls_table_row(table);
        mls_table_members(table, columns, count, (const char *)items + i * size);
    }
}

void mls_table_note(mls_table *table, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->count > 0)
        fill_cell(table, &table->rows[table->count - 1].note, style, format, args);
    va_end(args);
}

void mls_table_lead(mls_table *table, mls_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->count > 0)
        fill_cell(table, &table->rows[table->count - 1].lead, style, format, args);
    va_end(args);
}

const char *mls_table_take(mls_table *table, mls_buffer *text)
{
    const mls_str copy = mls_arena_copy(&table->text, mls_buffer_str(text));
    mls_buffer_release(text);
    return copy.ptr;
}

static bool is_heading(const mls_row *row)
{
    return row->cells[0].text.ptr == NULL;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t header_width(const mls_column *column)
{
    return mls_display_width(mls_str_from(column->header));
}

/* Return the width of the decimal point and the text after it, or 0 if the text does not contain a decimal point. */
static size_t fraction_width(mls_str text)
{
    const char *point = text.len > 0 ? memchr(text.ptr, '.', text.len) : NULL;
    return point != NULL ? mls_display_width((mls_str){point, (size_t)(text.ptr + text.len - point)}) : 0;
}

static size_t layout_total(const mls_table *table)
{
    size_t total = table->indent;
    for (size_t k = 0; k < table->column_count; k++)
        total += table->columns[k].width > 0 ? table->columns[k].width + COLUMN_GAP : 0;
    return total;
}

/* Drop columns, from the right, until the table fits into `room`.  Drop only columns with (look & mask) == bits. */
static void drop_columns(mls_table *table, unsigned mask, unsigned bits, size_t room)
{
    for (size_t k = table->column_count; k-- > 1 && layout_total(table) > room;)
        table->columns[k].width = (table->columns[k].look & mask) == bits ? 0 : table->columns[k].width;
}

/* Reduce the width of a column by `more`, but not below `least`. */
static void cut_column(mls_column *column, size_t more, size_t least)
{
    if (column->width > least)
        column->width = more < column->width ? max_size(column->width - more, least) : least;
}

bool mls_table_layout(mls_table *table, size_t width)
{
    const size_t room = width > 0 ? width + COLUMN_GAP : SIZE_MAX; /* the last column has no gap */
    size_t note = 0;
    mls_column *cut = NULL;
    for (size_t k = 0; k < table->column_count; k++) {
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
        column->width = whole == 0 ? 0 : max_size(whole, header_width(column)); /* an empty column is dropped */
        cut = (column->look & MLS_COLUMN_CUT) != 0 ? column : cut;
    }
    if (table->column_count > 0 && (table->columns[0].look & RANK_BITS) != 0) {
        /* The columns have ranks: show as many columns as fit, the lowest rank first. */
        size_t widths[MLS_TABLE_COLUMNS_MAX];
        for (size_t k = 0; k < table->column_count; k++) {
            widths[k] = table->columns[k].width;
            table->columns[k].width = 0;
        }
        for (unsigned rank = 0; rank < MLS_TABLE_COLUMNS_MAX; rank++) {
            for (size_t k = 0; k < table->column_count; k++)
                if ((table->columns[k].look & RANK_BITS) == MLS_COLUMN_RANK(rank) &&
                    layout_total(table) + widths[k] + COLUMN_GAP <= room)
                    table->columns[k].width = widths[k];
        }
        return false;
    }
    for (size_t i = 0; i < table->count; i++)
        note = max_size(note, is_heading(&table->rows[i]) ? 0 : mls_display_width(table->rows[i].note.text));
    const size_t total = layout_total(table);
    const size_t full = cut != NULL ? cut->width : 0;
    if (total > room && cut != NULL)
        cut_column(cut, total - room, CUT_MIN);
    drop_columns(table, MLS_COLUMN_DETAIL, MLS_COLUMN_DETAIL, room);
    drop_columns(table, MLS_COLUMN_KEEP, 0, room);
    /* Give the width of dropped columns back to the column that was cut. */
    const size_t left = layout_total(table);
    if (width > 0 && cut != NULL && cut->width > 0 && left < room)
        cut->width = full - cut->width < room - left ? full : cut->width + room - left;
    /* Cut columns from the right: first to the width CUT_MIN, which is easy to read, then, if needed, to CUT_LEAST. */
    for (size_t least = CUT_MIN; least >= CUT_LEAST; least -= CUT_MIN - CUT_LEAST) {
        for (size_t k = table->column_count; k-- > 0 && layout_total(table) > room;) {
            if ((table->columns[k].look & MLS_COLUMN_CUT_LAST) != 0) {
                cut_column(&table->columns[k], layout_total(table) - room,
                           max_size(least, header_width(&table->columns[k])));
            }
        }
    }
    return width > 0 && total + note > width;
}

static bool is_left(const mls_column *column)
{
    return (column->look & (MLS_COLUMN_RIGHT | MLS_COLUMN_DECIMAL)) == 0;
}

/* Append a cell padded to the width of its column.  Blanks after the text may be at the end of the line, so they are
 * only counted in *owed; the next cell appends them. */
static void draw_cell(const mls_column *column, unsigned look, mls_cell cell, mls_sheet *sheet, size_t *owed)
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
    mls_buffer_append_repeated(sheet->out, ' ', *owed + before);
    if (whole <= width) {
        mls_style_append(sheet->out, sheet->color, cell.style, cell.text);
    } else {
        const mls_str front = mls_utf8_fit(cell.text, (width - 1) / 2);
        const mls_str back = mls_utf8_fit_back(cell.text, width - 1 - (width - 1) / 2);
        mls_buffer cut = {0};
        mls_buffer_printf(&cut, "%.*s…%.*s", (int)front.len, front.ptr, (int)back.len, back.ptr);
        mls_style_append(sheet->out, sheet->color, cell.style, mls_buffer_str(&cut));
        mls_buffer_release(&cut);
    }
    *owed = column->width - width - before + COLUMN_GAP;
}

void mls_table_draw_header(const mls_table *table, mls_sheet *sheet)
{
    size_t owed = table->indent;
    for (size_t k = 0; k < table->column_count; k++) {
        const mls_column *column = &table->columns[k];
        draw_cell(column, is_left(column) ? MLS_COLUMN_LEFT : MLS_COLUMN_RIGHT,
                  (mls_cell){mls_str_from(column->header), MLS_STYLE_DIM}, sheet, &owed);
    }
    mls_buffer_append_char(sheet->out, '\n');
}

void mls_table_draw_row(const mls_table *table, const mls_row *row, bool notes_below, mls_sheet *sheet)
{
    const size_t indent = table->indent + NOTE_INDENT;
    const mls_str note = row->note.text;
    size_t owed = table->indent;
    if (is_heading(row)) {
        /* Wrap the heading between its phrases, which two blanks separate, if each phrase fits on a line; otherwise
         * between words. */
        const size_t before = row->lead.text.len > 0 ? table->indent : max_size(table->indent, 2) - 2;
        const size_t room = max_size(sheet->width, indent) - indent;
        bool fit = true;
        for (size_t at = 0, from = 0; at <= note.len && fit; at++) {
            if (at == note.len || mls_str_starts(mls_str_rest(note, at), MLS_S("  "))) {
                const mls_str phrase = {mls_str_rest(note, from).ptr, at - from};
                fit = mls_display_width(mls_str_trim(phrase, mls_is_blank)) <= room;
                from = at;
            }
        }
        mls_wrap wrap = {sheet->width, before, indent, fit ? "  " : " ", false};
        mls_buffer_append_repeated(sheet->out, ' ', before);
        mls_wrap_append(sheet->out, sheet->color, row->lead.text, wrap, row->lead.style);
        wrap.used += mls_display_width(row->lead.text);
        mls_wrap_append(sheet->out, sheet->color, note, wrap, row->note.style);
    } else {
        for (size_t k = 0; k < table->column_count; k++) {
            const unsigned look = table->columns[k].look & (MLS_COLUMN_RIGHT | MLS_COLUMN_DECIMAL);
            draw_cell(&table->columns[k], look, row->cells[k], sheet, &owed);
        }
        if (note.len > 0) {
            mls_buffer_append_text(sheet->out, notes_below ? "\n" : "");
            mls_buffer_append_repeated(sheet->out, ' ', notes_below ? indent : owed);
            mls_wrap_append(sheet->out, sheet->color, note,
                            (mls_wrap){notes_below ? sheet->width : 0, indent, indent, " ", false}, row->note.style);
        }
    }
    mls_buffer_append_char(sheet->out, '\n');
}

static void append_markdown(mls_buffer *lines, mls_str lead, mls_str text)
{
    mls_buffer_append_text(lines, "| ");
    mls_markdown_append(lines, lead);
    mls_markdown_append(lines, text);
    mls_buffer_append_char(lines, ' ');
}

void mls_table_finish(mls_table *table, mls_view *view)
{
    mls_buffer text = {0};
    mls_sheet sheet = {.out = &text, .width = view->width, .color = view->color};
    if (table->count > 0 && view->format == MLS_FORMAT_MARKDOWN) {
        bool notes = false;
        for (size_t i = 0; i < table->count; i++)
            notes |= !is_heading(&table->rows[i]) && table->rows[i].note.text.len > 0;
        for (size_t k = 0; k < table->column_count; k++)
            mls_buffer_printf(&text, "| %s ", table->columns[k].header);
        mls_buffer_append_text(&text, notes ? "| note |\n" : "|\n");
        for (size_t k = 0; k < table->column_count; k++)
            mls_buffer_append_text(&text, is_left(&table->columns[k]) ? "| --- " : "| ---: ");
        mls_buffer_append_text(&text, notes ? "| --- |\n" : "|\n");
        for (size_t i = 0; i < table->count; i++) {
            const mls_row *row = &table->rows[i];
            for (size_t k = 0; k < table->column_count; k++) {
                const bool first = k == 0 && is_heading(row);
                append_markdown(&text, first ? row->lead.text : MLS_S(""), first ? row->note.text : row->cells[k].text);
            }
            if (notes)
                append_markdown(&text, MLS_S(""), is_heading(row) ? MLS_S("") : row->note.text);
            mls_buffer_append_text(&text, "|\n");
        }
    } else if (table->count > 0) {
        const bool below = mls_table_layout(table, view->width);
        mls_table_draw_header(table, &sheet);
        for (size_t i = 0; i < table->count; i++)
            mls_table_draw_row(table, &table->rows[i], below, &sheet);
    }
    mls_output_buffer(view->output, &text);
    mls_table_release(table);
}

void mls_table_release(mls_table *table)
{
    free(table->rows);
    mls_arena_release(&table->text);
    mls_buffer_release(&table->raw);
    mls_buffer_release(&table->clean);
    *table = (mls_table){0};
}
