/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - JSON and CSV, value by value; the escaping of both is here and nowhere else.  Rows as objects and as
 * cells, from their tables of fields. */
#include "report/fields.h"

#include <csv.h>
#include <math.h>

#include "base/number.h"
#include "base/utf8.h"
#include "term/view.h"
#include "json/dump.h"
#include "json/value.h"

void mls_emitter_release(mls_emitter *to)
{
    mls_buffer_release(&to->text);
    mls_buffer_release(&to->cell);
    mls_buffer_release(&to->words);
    mls_arena_release(&to->arena);
}

static void csv_cell(mls_emitter *to, mls_str text)
{
    mls_buffer *clean = &to->text;
    mls_buffer *cell = &to->cell;
    double number;
    const bool formula =
        text.ptr != NULL && text.len > 0 && strchr("=+-@'", text.ptr[0]) != NULL && !mls_number_parse(text, &number);
    mls_buffer_clear(clean);
    mls_buffer_append_text(clean, formula ? "'" : "");
    mls_escape_append(clean, text);
    mls_buffer_clear(cell);
    mls_buffer_reserve(cell, clean->len * 2 + 2); /* each byte becomes at most two, and two quotes go around */
    cell->len = csv_write(cell->ptr, clean->len * 2 + 2, clean->ptr != NULL ? clean->ptr : "", clean->len);
    mls_output_text(to->output, to->inside ? "," : "");
    mls_output_write(to->output, mls_buffer_str(cell));
    to->inside = true;
}

static void tabs(mls_emitter *to)
{
    for (unsigned i = 0; to->indented && i < to->depth; i++)
        mls_output_write(to->output, MLS_S("\t"));
}

static void json_text(mls_emitter *to)
{
    mls_output_write(to->output, mls_buffer_str(&to->text));
    mls_buffer_clear(&to->text);
}

/* Write the comma and the name before a value. */
static void json_before(mls_emitter *to)
{
    const bool member = to->name.ptr != NULL;
    mls_buffer_clear(&to->text);
    mls_output_text(to->output, !to->inside ? "" : !to->indented ? "," : member ? ",\n" : ", ");
    if (member) {
        tabs(to);
        mls_json_show_text(&to->text, to->name);
        mls_buffer_append_text(&to->text, to->indented ? ":\t" : ":");
        json_text(to);
    }
    to->name = (mls_str){0};
    to->inside = true;
}

void mls_emit_open(mls_emitter *to, char bracket)
{
    if (to->visit != NULL)
        return;
    json_before(to);
    mls_output_text(to->output, bracket == '[' ? "[" : to->indented ? "{\n" : "{");
    to->depth++;
    to->inside = false;
}

void mls_emit_close(mls_emitter *to, char bracket)
{
    if (to->visit != NULL)
        return;
    to->depth--;
    if (bracket == '}') {
        mls_output_text(to->output, to->indented && to->inside ? "\n" : "");
        tabs(to);
    }
    mls_output_text(to->output, bracket == '}' ? "}" : "]");
    to->inside = true;
}

void mls_emit_name(mls_emitter *to, mls_str name)
{
    to->name = name;
}

/* A cell, or what of JSON `append` makes of it; ptr NULL: null. */
static void put_value(mls_emitter *to, mls_str value, void (*append)(mls_buffer *, mls_str))
{
    if (to->csv) {
        csv_cell(to, value);
    } else {
        json_before(to);
        append(&to->text, value.ptr != NULL ? value : MLS_S("null"));
        json_text(to);
    }
}

void mls_emit_null(mls_emitter *to)
{
    put_value(to, (mls_str){0}, mls_buffer_append);
}

void mls_emit_str(mls_emitter *to, mls_str text)
{
    put_value(to, text.ptr != NULL ? text : MLS_S(""), mls_json_show_text);
}

void mls_emit_str_or_null(mls_emitter *to, mls_str text)
{
    put_value(to, text, text.ptr != NULL ? mls_json_show_text : mls_buffer_append);
}

void mls_emit_text(mls_emitter *to, const char *text)
{
    mls_emit_str_or_null(to, mls_str_from(text));
}

mls_buffer *mls_emit_words_begin(mls_emitter *to)
{
    mls_buffer_clear(&to->words);
    return &to->words;
}

void mls_emit_words_end(mls_emitter *to)
{
    mls_emit_str_or_null(to, to->words.len > 0 ? mls_buffer_str(&to->words) : (mls_str){0});
}

void mls_emit_number(mls_emitter *to, double number)
{
    const mls_words words = mls_words_exact(number);
    put_value(to, isfinite(number) ? mls_str_from(words.text) : (mls_str){0}, mls_buffer_append);
}

void mls_emit_bool(mls_emitter *to, bool value)
{
    put_value(to, value ? MLS_S("true") : MLS_S("false"), mls_buffer_append);
}

void mls_emit_json(mls_emitter *to, mls_str span)
{
    put_value(to, span, span.ptr != NULL ? mls_json_show_span : mls_buffer_append);
}

void mls_emit_logged(mls_emitter *to, mls_str span)
{
    mls_str text;
    if (to->csv && span.ptr != NULL && mls_json_kind_of(span) == MLS_JSON_STRING &&
        mls_json_string(span, &to->arena, &text)) {
        csv_cell(to, text);
        mls_arena_reset(&to->arena);
    } else {
        mls_emit_json(to, span);
    }
}

void mls_emit_end(mls_emitter *to)
{
    mls_output_text(to->output, to->csv ? "\r\n" : "\n");
    to->inside = false;
}

bool mls_emit_known(mls_emitter *to, bool known)
{
    if (!known && to->visit == NULL)
        mls_emit_null(to);
    return known;
}

void mls_emit_row(mls_emitter *to, const void *row)
{
    if (row != NULL)
        mls_emit_row_or_null(to, row);
}

void mls_emit_row_or_null(mls_emitter *to, const void *row)
{
    if (to->visit != NULL)
        to->visit(to, row);
    else
        mls_emit_object(to, to->child, row);
}

void mls_emit_members(mls_emitter *to, const mls_fields *fields, const void *row)
{
    const mls_fields *const child = to->child;
    for (size_t i = 0; i < fields->count; i++) {
        mls_emit_name(to, fields->items[i].name);
        to->child = fields->items[i].child;
        fields->items[i].emit(to, row);
    }
    mls_emit_name(to, (mls_str){0});
    to->child = child;
}

void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row)
{
    if (row == NULL) {
        mls_emit_null(to);
        return;
    }
    mls_emit_open(to, '{');
    mls_emit_members(to, fields, row);
    mls_emit_close(to, '}');
}

void mls_fields_print(mls_output *output, const char *section, const mls_fields *fields, const mls_fields *const *apart)
{
    static const char *const types[] = {"text", "number", "boolean", "array", "object", "any"};
    for (size_t i = 0; i < fields->count; i++) {
        const mls_field *field = &fields->items[i];
        mls_output_printf(output, "%s: %s %s%s%s%s\n", section, field->name.ptr, types[field->type / 2],
                          field->type % 2 != 0 ? " or null" : "", field->unit[0] != '\0' ? ", in " : "", field->unit);
    }
    for (size_t i = 0; i < fields->count; i++) {
        const mls_fields *child = fields->items[i].child;
        size_t k = 0;
        while (apart[k] != NULL && apart[k] != child)
            k++;
        if (child != NULL && apart[k] == NULL)
            mls_fields_print(output, section, child, apart);
    }
}
