/* SPDX-License-Identifier: Apache-2.0 */
/* compare_rows.c - the table of a comparison: headings of sides, rows and cells; and the rows of the hyperparameters
 * and the environment in which sides differ. */

#include "base/utf8.h"
#include "report/compare_show.h"

enum { LABEL = MLS_COLUMN_LEFT | MLS_COLUMN_KEEP | MLS_COLUMN_CUT, NUMBER = MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP };

/* Returns the heading of a column; it may be a config's name, and so anything. */
static const char *header_of(mls_abreast *to, const char *before, const char *text)
{
    const mls_str name = mls_utf8_fit_back(mls_str_from(text), MLS_COMPARED_WIDTH); /* paths differ at their ends */
    mls_buffer words = {0};
    mls_buffer_append_text(&words, before);
    mls_buffer_append_text(&words, name.ptr != text ? "…" : "");
    mls_escape_append(&words, name);
    const char *shown = mls_table_take(&to->table, &words);
    if (to->view->format == MLS_FORMAT_MARKDOWN) {
        mls_markdown_append(&words, mls_str_from(shown));
        shown = mls_table_take(&to->table, &words);
    }
    return shown;
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

bool mls_abreast_names(mls_abreast *to, mls_style style, mls_buffer *names)
{
    const bool some = names->len > 0 || names->failed;
    if (some) {
        mls_abreast_line(to, style, mls_table_take(&to->table, names));
    }
    return some;
}

/* Unless all or more is asked for; and how many values of a side stand in a cell. */
enum { SETTINGS_SHOWN = 10, SETTINGS_LEAST = 3, VALUES_SHOWN = 10, VALUE_MOST = 64 };

/* Lines of a screen; those of a block that head it, its tables and lists, and the one that counts what was folded. */
enum { SCREEN = 24, HEADINGS = 5 };

/* A value that has no room loses its middle: names differ at their ends, and so do versions. */
static void append_shortened(mls_buffer *cell, mls_str text, size_t width)
{
    if (mls_utf8_fit(text, width).len == text.len) {
        mls_buffer_append(cell, text);
    } else {
        mls_buffer_append(cell, mls_utf8_fit(text, width / 2));
        mls_buffer_append_text(cell, "…");
        mls_buffer_append(cell, mls_utf8_fit_back(text, width - 1 - width / 2));
    }
}

/* How much room each side has for the values of a list, beside its longest key. */
static size_t value_width(const mls_abreast *to, const mls_differings *settings)
{
    size_t longest = 0;
    for (size_t k = 0; k < settings->count; k++) {
        longest =
            settings->items[k].differs && settings->items[k].key.len > longest ? settings->items[k].key.len : longest;
    }
    const size_t indents = to->table.indent + strlen("  ");
    const size_t gaps = strlen("  ") * to->count;
    const size_t used = indents + longest + gaps;
    const size_t room = to->view->width > used ? (to->view->width - used) / to->count : 0;
    return to->view->width == 0 || room > VALUE_MOST ? VALUE_MOST
           : room < MLS_COMPARED_WIDTH               ? MLS_COMPARED_WIDTH
                                                     : room;
}

static void append_values(mls_buffer *cell, const mls_setting_values *values, size_t most, size_t width)
{
    for (size_t k = 0; k < values->count && k < most; k++) {
        const mls_setting_value *value = &values->items[k];
        const mls_str text = value->lacking ? MLS_S("-") : value->setting.text;
        mls_buffer_append_text(cell, k > 0 ? ", " : "");
        append_shortened(cell, text, values->count > 1 ? MLS_COMPARED_WIDTH : width);
        if (values->count > 1 && value->runs > 1) {
            mls_buffer_printf(cell, " x %zu", value->runs);
        }
    }
    mls_buffer_append_text(cell, values->count > most ? ", …" : "");
}

static void setting_row(mls_abreast *to, const mls_differing *setting, bool all, size_t width)
{
    mls_buffer label = {0};
    bool varies = false;
    mls_buffer_append_text(&label, "  ");
    mls_buffer_append(&label, setting->key);
    mls_abreast_row(to, mls_table_take(&to->table, &label));
    for (size_t i = 0; i < to->count; i++) {
        const mls_setting_values *values = &setting->values[to->places[i]];
        mls_buffer cell = {0};
        append_values(&cell, values, all ? SIZE_MAX : VALUES_SHOWN, width);
        mls_abreast_cell(to, i, mls_table_take(&to->table, &cell));
        varies |= values->count > 1;
    }
    if (varies) {
        mls_table_note(&to->table, MLS_STYLE_WARN, "varies");
    } else if (setting->known != NULL) {
        mls_table_note(&to->table, MLS_STYLE_DIM, "%s", setting->known->effect);
    }
}

/* Rows of the settings that differ, at most so many, and of the others too where all are asked for. */
static void setting_rows(mls_abreast *to, const mls_differings *settings, size_t most, bool all)
{
    const size_t width = value_width(to, settings);
    size_t shown = 0;
    for (int equal = 0; equal < (all ? 2 : 1); equal++) {
        for (size_t k = 0; k < settings->count && shown < most; k++) {
            if (settings->items[k].differs != (equal == 1)) {
                setting_row(to, &settings->items[k], all, width);
                shown++;
            }
        }
    }
    if (settings->differ > shown) {
        mls_buffer more = {0};
        mls_buffer_append_text(&more, "  … ");
        mls_words_append_more(&more, settings->differ - shown, NULL, "--all");
        mls_abreast_line(to, MLS_STYLE_PLAIN, mls_table_take(&to->table, &more));
    }
}

/* A list of its own, with names wider than those of the parts; in Markdown all is one table. */
static void begin_settings(mls_abreast *to, const char *heading)
{
    if (to->view->format != MLS_FORMAT_MARKDOWN && strcmp(to->label, "") == 0) {
        mls_table_finish(&to->table, to->view);
        mls_abreast_begin(to, heading);
    } else {
        mls_abreast_line(to, MLS_STYLE_PLAIN, heading);
    }
}

/* The sides of which no hyperparameter is known, as an export may have none. */
static bool show_unknown(mls_abreast *to)
{
    mls_buffer names = {0};
    for (size_t i = 0; i < to->count; i++) {
        size_t known = 0;
        for (size_t k = 0; k < to->block->hyperparameters.count; k++) {
            known += to->block->hyperparameters.items[k].values[to->places[i]].count;
        }
        if (known == 0) {
            mls_buffer_printf(&names, "%s%s", names.len > 0 ? ", " : "no hyperparameter is known of ",
                              to->groups[i]->side->name);
        }
    }
    return mls_abreast_names(to, MLS_STYLE_PLAIN, &names);
}

/* The sides of which no printed setting is known, where another one printed some: most logs and no export have any. */
static void show_unprinted(mls_abreast *to)
{
    mls_buffer names = {0};
    size_t without = 0;
    for (size_t i = 0; i < to->count; i++) {
        size_t printed = 0;
        for (size_t k = 0; k < to->groups[i]->runs.count; k++) {
            printed += to->groups[i]->runs.items[k].printed.count;
        }
        if (printed == 0) {
            mls_buffer_printf(&names, "%s%s", without++ > 0 ? ", " : "no printed setting is known of ",
                              to->groups[i]->side->name);
        }
    }
    if (without == to->count) {
        mls_buffer_release(&names);
    }
    (void)mls_abreast_names(to, MLS_STYLE_PLAIN, &names);
}

/* Shows settings that decide speed; of the others how many differ. */
static void show_known(mls_abreast *to, const char *heading, const mls_differings *known, const mls_differings *others)
{
    const bool all = to->all || to->view->verbose > 0;
    if (known->count + others->count > 0) {
        begin_settings(to, heading);
        setting_rows(to, known, SIZE_MAX, to->all);
    }
    if (all) {
        setting_rows(to, others, SIZE_MAX, to->all);
    } else if (others->count > 0) {
        mls_buffer more = {0};
        mls_buffer_printf(&more, "  … and %s (-v lists %s)", mls_words_plural(others->count, "other", "others").text,
                          others->count == 1 ? "it" : "them");
        mls_abreast_line(to, MLS_STYLE_PLAIN, mls_table_take(&to->table, &more));
    }
}

void mls_abreast_show_setup(mls_abreast *to)
{
    const mls_differings *settings = &to->block->hyperparameters;
    const mls_differings *environment = &to->block->environment;
    if (!show_unknown(to) && settings->differ == 0) {
        mls_abreast_line(to, MLS_STYLE_PLAIN, "no hyperparameter differs");
    }
    show_unprinted(to);
    /* So that both lists end on the screen that the block begins on; few rows are of the environment. */
    const size_t others = HEADINGS + to->table.count + environment->differ;
    const size_t left = others + SETTINGS_LEAST < SCREEN ? SCREEN - others : SETTINGS_LEAST;
    const bool pair = to->block->group_count == 2; /* of more no screen has room */
    const size_t most = pair && environment->differ > 0 && left < SETTINGS_SHOWN ? left : SETTINGS_SHOWN;
    if (settings->differ > 0 || (to->all && settings->count > 0)) {
        begin_settings(to, settings->differ > 0 ? "differs" : "the same");
        setting_rows(to, settings, to->all ? SIZE_MAX : most, to->all);
    }
    show_known(to, "printed settings", &to->block->printed, &to->block->printed_others);
    show_known(to, "from the config", &to->block->exported, &to->block->exported_others);
    if (environment->differ > 0) {
        begin_settings(to, "environment");
        setting_rows(to, environment, SETTINGS_SHOWN, false);
    }
}
