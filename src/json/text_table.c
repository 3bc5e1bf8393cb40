/* SPDX-License-Identifier: Apache-2.0 */
/* text_table.c - read rows of text into structs by the names in a heading. */
#include "json/text_table.h"

#include <stdio.h>

#include "base/utf8.h"
#include "base/words.h"

mls_status mls_text_table_refuse(const mls_text_table *table, const mls_text_row *row, size_t column, size_t offset,
                                 const char *what, mls_str text)
{
    size_t line = row->line;
    size_t at = 1;
    if (!table->bars)
        mls_csv_place(table->text, row, column - 1, &line, &at);
    else if (column <= row->count)
        at = (size_t)(row->cells[column - 1].ptr - (table->text.ptr + row->offset)) + 1;
    return mls_error_set(table->error, MLS_ERROR_VALUE, line, at + offset, text.len > 0 ? "%s: '%.*s'" : "%s%.*s", what,
                         MLS_CUT(text, 60));
}

mls_str mls_text_table_cell(const mls_text_table *table, const mls_text_row *row, size_t column)
{
    const mls_str cell = column > 0 && column <= row->count ? row->cells[column - 1] : MLS_S("");
    const size_t mark = (table->options & MLS_TABLE_MARKED) != 0 && mls_str_starts(cell, MLS_S("'")) ? 1 : 0;
    return mls_str_rest(cell, mark);
}

mls_status mls_text_table_heading(mls_text_table *table, const mls_text_row *row)
{
    for (size_t column = 1; column <= row->count; column++) {
        size_t k = 0;
        while (k < table->count && !mls_str_equal(row->cells[column - 1], mls_str_from(table->members[k].name)))
            k++;
        const bool known = k < table->count;
        if ((table->options & MLS_TABLE_EXACT) != 0 && (!known || table->at[k] != 0)) {
            char words[128];
            (void)snprintf(words, sizeof words, known ? "duplicate column" : "%s has no such column", table->what);
            return mls_text_table_refuse(table, row, column, 0, words, row->cells[column - 1]);
        }
        if (known && table->at[k] == 0)
            table->at[k] = column;
    }
    for (size_t k = 0; k < table->count; k++) {
        if ((table->members[k].flags & MLS_MEMBER_NEEDED) != 0 && table->at[k] == 0) {
            return mls_error_set(table->error, MLS_ERROR_VALUE, row->line, 1, "no column '%s': not %s",
                                 table->members[k].name, table->what);
        }
    }
    table->columns = row->count;
    return MLS_OK;
}

/* Refuse a row that has fewer or more cells than the heading.  The position of the error is that of the last cell if
 * cells are missing, and otherwise that of the first additional cell. */
static mls_status refuse_length(const mls_text_table *table, const mls_text_row *row)
{
    char words[160];
    (void)snprintf(words, sizeof words, "%s, but the header has %zu",
                   mls_words_plural(row->count, "field", "fields").text, table->columns);
    return mls_text_table_refuse(table, row, row->count < table->columns ? row->count : table->columns + 1, 0, words,
                                 MLS_S(""));
}

mls_status mls_text_table_row(const mls_text_table *table, const mls_text_row *row, void *into)
{
    if (row->count != table->columns && (table->options & MLS_TABLE_RAGGED) == 0)
        return refuse_length(table, row);
    for (size_t k = 0; k < table->count; k++) {
        const mls_row_member *member = &table->members[k];
        const mls_scalar cell = mls_scalar_of_text(member->kind, mls_text_table_cell(table, row, table->at[k]));
        if (table->at[k] > row->count && (member->flags & MLS_MEMBER_NEEDED) != 0)
            return refuse_length(table, row);
        const char *wanted = mls_member_set(member, &cell, table->arena, into);
        if (wanted != NULL) {
            return mls_text_table_refuse(table, row, table->at[k], 0, mls_member_refuse(member, wanted).text,
                                         cell.text);
        }
    }
    return MLS_OK;
}

static mls_status read_table_row(void *state, const mls_text_row *row)
{
    mls_text_table *table = state;
    const bool heading = table->columns == 0;
    mls_status status = heading ? mls_text_table_heading(table, row) : mls_text_table_row(table, row, table->into);
    const mls_text_row_function take = heading ? table->take_heading : table->take_row;
    status = status == MLS_OK && take != NULL ? take(table->state, row) : status;
    const bool wrong = status == MLS_ERROR_VALUE || status == MLS_ERROR_SYNTAX;
    return wrong && !heading && table->leave_out != NULL ? table->leave_out(table->state, table->error) : status;
}

mls_status mls_text_table_read(mls_text_table *table)
{
    const mls_status status =
        (table->bars ? mls_bars_read : mls_csv_read)(table->text, read_table_row, table, table->error);
    return status == MLS_OK && table->columns == 0
               ? mls_error_set(table->error, MLS_ERROR_SYNTAX, 1, 1, "empty: not %s", table->what)
               : status;
}
