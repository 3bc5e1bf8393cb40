/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - lines cut to a width. */
#include "term/rows.h"

#include <stdlib.h>

#include "base/utf8.h"

void mls_sheet_text(mls_sheet *sheet, mls_ink ink, mls_str text)
{
    static const char *const codes[] = {"", "\033[31m", "\033[32m", "\033[33m", "\033[2m", "\033[1m"};
    mls_buffer clean = {0};
    mls_escape_append(&clean, text);
    mls_str fits = mls_buffer_str(&clean);
    if (sheet->width > 0) {
        fits = sheet->used < sheet->width ? mls_utf8_fit(fits, sheet->width - sheet->used) : (mls_str){0};
    }
    const bool inked = sheet->color && ink != MLS_INK_PLAIN && fits.len > 0;
    mls_buffer_append_text(sheet->out, inked ? codes[ink] : "");
    mls_buffer_append(sheet->out, fits);
    mls_buffer_append_text(sheet->out, inked ? "\033[0m" : "");
    sheet->used += mls_display_width(fits);
    sheet->out->failed |= clean.failed;
    mls_buffer_release(&clean);
}

void mls_sheet_printf(mls_sheet *sheet, mls_ink ink, const char *format, ...)
{
    mls_buffer text = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&text, format, args);
    va_end(args);
    mls_sheet_text(sheet, ink, mls_buffer_str(&text));
    sheet->out->failed |= text.failed;
    mls_buffer_release(&text);
}

void mls_sheet_pad(mls_sheet *sheet, size_t column)
{
    const size_t end = sheet->width > 0 && column > sheet->width ? sheet->width : column;
    if (end > sheet->used) {
        mls_buffer_append_repeated(sheet->out, ' ', end - sheet->used);
        sheet->used = end;
    }
}

void mls_sheet_end(mls_sheet *sheet)
{
    while (sheet->out->len > 0 && sheet->out->ptr[sheet->out->len - 1] == ' ') {
        mls_buffer_cut(sheet->out, sheet->out->len - 1);
    }
    mls_buffer_append_char(sheet->out, '\n');
    sheet->used = 0;
}

void mls_grid_row_add(mls_grid *grid, mls_ink ink)
{
    grid->failed |= !MLS_GROW(&grid->rows, items);
    if (!grid->failed) {
        grid->rows.items[grid->rows.count++] = (mls_grid_row){.ink = ink};
    }
}

void mls_grid_cell(mls_grid *grid, size_t column, const char *format, ...)
{
    mls_buffer text = {0};
    mls_buffer clean = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&text, format, args);
    va_end(args);
    mls_escape_append(&clean, mls_buffer_str(&text));
    if (!grid->failed) {
        char *copy = mls_arena_text(&grid->arena, clean.len + 1);
        grid->failed = copy == NULL || clean.failed || text.failed;
        if (copy != NULL) {
            memcpy(copy, clean.len > 0 ? clean.ptr : "", clean.len + 1);
            grid->rows.items[grid->rows.count - 1].cells[column] = copy;
            const size_t width = mls_display_width((mls_str){copy, clean.len});
            grid->width[column] = width > grid->width[column] ? width : grid->width[column];
        }
    }
    mls_buffer_release(&text);
    mls_buffer_release(&clean);
}

static size_t cell_width(const char *cell)
{
    return cell != NULL ? mls_display_width(mls_str_from(cell)) : 0;
}

/* The width of a column; 0: it is empty. */
static size_t grid_column_width(const mls_grid *grid, size_t column)
{
    const size_t width = grid->width[column];
    const size_t header = cell_width(grid->headers[column]);
    return width == 0 || width > header ? width : header;
}

/* Finds the columns that fit, two blanks before each. */
static void grid_fit(const mls_grid *grid, size_t width, bool shown[MLS_GRID_COLUMNS])
{
    size_t used = 0;
    for (unsigned rank = 0; rank < MLS_GRID_COLUMNS; rank++) {
        for (size_t i = 0; i < grid->columns; i++) {
            if (grid->rank[i] == rank) {
                const size_t own = grid_column_width(grid, i);
                shown[i] = own > 0 && (width == 0 || used + own + 2 <= width);
                used += shown[i] ? own + 2 : 0;
            }
        }
    }
}

void mls_grid_draw(const mls_grid *grid, size_t row, mls_sheet *sheet)
{
    bool shown[MLS_GRID_COLUMNS] = {false};
    size_t begin = 2;
    grid_fit(grid, sheet->width, shown);
    for (size_t i = 0; i < grid->columns; i++) {
        const size_t width = grid_column_width(grid, i);
        const char *cell = row == SIZE_MAX ? grid->headers[i] : grid->rows.items[row].cells[i];
        const size_t own = cell_width(cell);
        if (!shown[i]) {
            continue;
        }
        mls_sheet_pad(sheet, begin + (grid->right[i] && width > own ? width - own : 0));
        mls_sheet_text(sheet, row == SIZE_MAX ? MLS_INK_DIM : grid->rows.items[row].ink, mls_str_from(cell));
        begin += width + 2;
    }
    mls_sheet_end(sheet);
}

void mls_grid_release(mls_grid *grid)
{
    mls_arena_release(&grid->arena);
    free(grid->rows.items);
    *grid = (mls_grid){0};
}
