/* SPDX-License-Identifier: Apache-2.0 */
/* compare_rows.c - the table of a comparison: headings of sides, rows and cells. */
#include "report/compare_rows.h"

#include "base/utf8.h"

enum { LABEL = MLS_COLUMN_LEFT | MLS_COLUMN_KEEP | MLS_COLUMN_CUT, NUMBER = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP };

/* Returns the heading of a column; it may be a config's name, and so anything. */
static const char *header_of(mls_abreast *to, const char *before, const char *text)
{
    const mls_str name = mls_utf8_fit_back(mls_str_from(text), MLS_COMPARED_WIDTH); /* paths differ at their ends */
    mls_buffer words = {0};
    mls_buffer shown = {0};
    mls_buffer_append_text(&words, before);
    mls_buffer_append_text(&words, name.ptr != text ? "…" : "");
    mls_escape_append(&words, name);
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        mls_markdown_append(&shown, mls_buffer_str(&words));
    } else {
        mls_buffer_append(&shown, mls_buffer_str(&words));
    }
    to->table.failed |= words.failed;
    mls_buffer_release(&words);
    return mls_table_take(&to->table, &shown);
}

void mls_abreast_begin(mls_abreast *to, const char *label)
{
    to->table = (mls_table){.indent = 2};
    to->label = label;
    for (size_t i = 0; i < to->count; i++) {
        const char *name = to->groups[i]->side->name;
        to->names[i] = header_of(to, "", name);
        to->headers[i] = to->block->group_count == 2 ? "difference" : header_of(to, "difference ", name);
    }
}

void mls_abreast_row(mls_abreast *to, const char *label)
{
    mls_table_row(&to->table);
    mls_table_text(&to->table, to->label, LABEL, label);
}

void mls_abreast_cell(mls_abreast *to, size_t i, const char *text)
{
    mls_table_text(&to->table, to->names[i], NUMBER, text);
}

void mls_abreast_line(mls_abreast *to, mls_style style, const char *text)
{
    mls_table_row(&to->table);
    mls_table_lead(&to->table, style, "%s", text);
}
