/* SPDX-License-Identifier: Apache-2.0 */
/* config_diff_report.c - configs side by side: a row for each key in which they differ, or may. */
#include "report/reports.h"
#include "term/table.h"

enum { INDENT = 2, HANG = 4, NO_COLUMNS = MLS_TABLE_COLUMNS_MAX - 1 };

static mls_str word_text(const mls_config_word *word)
{
    return word->kind == MLS_CONFIG_VALUE    ? (word->value.len > 0 ? word->value : MLS_S("(empty)"))
           : word->kind == MLS_CONFIG_ABSENT ? MLS_S("-")
                                             : MLS_S("unknown");
}

static void show_diff_rows(mls_view *view, const mls_config_diff *diff, const mls_config_rows *rows,
                           const char *heading)
{
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < rows->count; i++) {
        const mls_config_row *row = &rows->items[i];
        mls_table_row(&table);
        mls_table_cell(&table, heading, MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%.*s", (int)row->key.len, row->key.ptr);
        for (size_t side = 0; side < diff->side_count && side < NO_COLUMNS; side++) {
            const mls_str text = word_text(&row->words[side]);
            const bool plain = row->words[side].kind == MLS_CONFIG_VALUE;
            mls_table_cell(&table, diff->sides[side].label, side == 0 ? MLS_COLUMN_KEEP : MLS_COLUMN_CUT_LAST,
                           plain ? MLS_STYLE_PLAIN : MLS_STYLE_DIM, "%.*s", (int)text.len, text.ptr);
        }
    }
    mls_table_finish(&table, view);
}

static void show_diff(mls_printer *to, const void *what)
{
    const mls_config_diff *diff = what;
    mls_view *view = to->view;
    show_diff_rows(view, diff, &diff->differs, "differs");
    if (diff->may_differ.count > 0 && diff->differs.count > 0) {
        mls_output_text(view->output, "\n");
    }
    show_diff_rows(view, diff, &diff->may_differ, "may differ");
    if (diff->differs.count + diff->may_differ.count == 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, 0, HANG,
                        diff->same > 0 ? "nothing is known to differ"
                                       : "nothing to compare: no setting is known of more than one");
    }
    mls_view_printf(view, MLS_STYLE_DIM, 0, HANG, "%s the same",
                    mls_words_plural(diff->same, "value is", "values are").text);
}

static void emit_word(mls_emitter *to, const mls_config_diff *diff, const mls_config_row *row, size_t side)
{
    const mls_config_word *word = &row->words[side];
    mls_emit_name(to, mls_str_from(diff->sides[side].label));
    if (word->kind == MLS_CONFIG_ABSENT) {
        mls_emit_null(to);
    } else {
        mls_emit_str(to, word->kind == MLS_CONFIG_VALUE ? word->value : word_text(word));
    }
}

typedef struct config_diff_row {
    const mls_config_diff *diff;
    const mls_config_row *row;
} config_diff_row;

static void emit_rows(mls_emitter *to, const mls_config_diff *diff, const mls_config_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        mls_emit_row(to, &(config_diff_row){diff, &rows->items[i]});
    }
}

#define ROW_FIELDS(F)                                                                                                  \
    F(diff_row, key, TEXT, "", row->row->key)                                                                          \
    F(diff_row, values, MAP, "", MLS_EACH(row->diff->side_count, emit_word(to, row->diff, row->row, i)))
MLS_FIELDS(diff_row, config_diff_row, ROW_FIELDS)
#define DIFF_FIELDS(F)                                                                                                 \
    F(diff, differs, LIST(diff_row), "", emit_rows(to, row, &row->differs))                                            \
    F(diff, may_differ, LIST(diff_row), "", emit_rows(to, row, &row->may_differ))                                      \
    F(diff, same, NUMBER, "", row->same)
MLS_FIELDS(diff, mls_config_diff, DIFF_FIELDS)

const mls_report mls_config_diff_report = {.section = "CONFIG DIFF JSON", .show = show_diff, .object = &diff_fields};
