/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - write values, rows and lists as JSON, NDJSON and CSV.  Only this file escapes text for them. */
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
    mls_buffer_reserve(cell, clean->len * 2 + 2); /* at most two bytes for each byte, and two quotes */
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

/* Write a value (ptr NULL: null): in CSV as a cell, in JSON as `append` formats it. */
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

/* ---- the path from an object to the rows of its lists, which are rows of CSV or lines of NDJSON ---- */

/* Find a field by its name.  If `rows` is set, find only a list or an object with a table of fields; otherwise find
 * only a field whose value fits in a cell. */
static const mls_field *named_field(const mls_fields *fields, mls_str name, bool rows)
{
    for (size_t i = 0; i < fields->count; i++) {
        const mls_field *field = &fields->items[i];
        const bool fits = rows ? field->child != NULL : field->type < MLS_FIELD_ARRAY || field->type == MLS_FIELD_ANY;
        if (fits && mls_str_equal(field->name, name))
            return field;
    }
    return NULL;
}

/* Return the level whose rows a table describes, or a number above the last level if there is no such level. */
static unsigned level_of(const mls_walk *walk, const mls_fields *fields)
{
    unsigned level = 0;
    while (level <= walk->last && walk->tables[level] != fields && walk->tables[level] != fields->beside)
        level++;
    return level;
}

static mls_placed_field find_in_sources(const mls_walk *walk, mls_str name, bool rows)
{
    const mls_columns *columns = walk->columns;
    for (size_t i = 0; i < MLS_SOURCES_MAX && columns->sources[i] != NULL; i++) {
        const unsigned level = level_of(walk, columns->sources[i]);
        const mls_field *field = level <= walk->last ? named_field(columns->sources[i], name, rows) : NULL;
        if (field != NULL)
            return (mls_placed_field){name, field, level};
    }
    return (mls_placed_field){.name = name};
}

/* Find a list or object by its name in the sources; if they do not contain the name, find it in the tables of the path,
 * from the innermost table outwards. */
static mls_placed_field find_step(const mls_walk *walk, mls_str name)
{
    mls_placed_field step = find_in_sources(walk, name, true);
    for (unsigned level = walk->last + 1; step.field == NULL && level > 0; level--)
        step = (mls_placed_field){name, named_field(walk->tables[level - 1], name, true), level - 1};
    return step;
}

mls_walk mls_walk_of(const mls_columns *columns, const mls_fields *root)
{
    const char *const parts[] = {columns->before, columns->names, columns->after};
    mls_walk walk = {.columns = columns, .tables = {columns->root != NULL ? columns->root : root}};
    mls_str path = mls_str_from(columns->rows);
    for (mls_str name = mls_str_word(&path); name.len > 0; name = mls_str_word(&path)) {
        const mls_placed_field step = find_step(&walk, name);
        if (step.field != NULL && walk.last + 1 < MLS_LEVELS_MAX) {
            walk.steps[walk.last++] = step;
            walk.tables[walk.last] = step.field->child;
        }
    }
    for (size_t i = 0; i < 3; i++) {
        mls_str names = mls_str_from(parts[i]);
        for (mls_str name = mls_str_word(&names); name.len > 0; name = mls_str_word(&names))
            if (walk.cell_count < MLS_CELLS_MAX)
                walk.cells[walk.cell_count++] = find_in_sources(&walk, name, false);
        walk.own = i == 0 ? walk.cell_count : walk.own;
        walk.after = i < 2 ? walk.cell_count : walk.after;
    }
    return walk;
}

/* ------------------------------------------------------------------- rows */

static void put_names(mls_walk *walk, mls_emitter *to)
{
    for (size_t i = 0; i <= walk->cell_count; i++) {
        if (i == walk->after && walk->columns->more != NULL)
            walk->columns->more(to, walk->rows[0], true);
        if (i < walk->cell_count)
            mls_emit_str(to, walk->cells[i].name);
    }
    mls_emit_end(to);
    walk->named = true;
}

static void visit_row(mls_emitter *to, const void *row);

/* Write the rows below the current row; if its level is the last one, write the current row. */
static void walk_rows(mls_walk *walk, mls_emitter *to)
{
    if (walk->level < walk->last) {
        const mls_placed_field *step = &walk->steps[walk->level];
        walk->visited = false;
        step->field->emit(to, walk->rows[step->level]);
        if (walk->columns->outer && !walk->visited)
            visit_row(to, NULL);
        return;
    }
    to->visit = NULL;
    if (!walk->named)
        put_names(walk, to);
    for (size_t i = 0; i <= walk->cell_count; i++) {
        const mls_placed_field *cell = &walk->cells[i];
        if (i == walk->after && walk->columns->more != NULL)
            walk->columns->more(to, walk->rows[0], false);
        if (i < walk->cell_count && (cell->field == NULL || walk->rows[cell->level] == NULL))
            mls_emit_null(to);
        else if (i < walk->cell_count)
            cell->field->emit(to, walk->rows[cell->level]);
    }
    mls_emit_end(to);
    to->visit = visit_row;
    walk->visited = true;
}

static void visit_row(mls_emitter *to, const void *row)
{
    mls_walk *walk = to->walk;
    walk->rows[++walk->level] = row;
    walk_rows(walk, to);
    walk->level--;
}

const void *mls_emitter_row(const mls_emitter *to, const mls_fields *fields)
{
    const unsigned level = level_of(to->walk, fields);
    return level <= to->walk->level ? to->walk->rows[level] : NULL;
}

void mls_walk_begin(mls_walk *walk, mls_emitter *to)
{
    if (walk->columns->more == NULL)
        put_names(walk, to);
}

void mls_walk_rows(mls_walk *walk, mls_emitter *to, const void *what)
{
    walk->rows[0] = what;
    to->walk = walk;
    to->visit = visit_row;
    walk_rows(walk, to);
    if (!walk->named)
        put_names(walk, to);
    to->visit = NULL;
}

/* ------------------------------------------------------------------ lines */

static void put_line(mls_emitter *to, const void *row)
{
    to->visit = NULL;
    mls_emit_object(to, to->child, row);
    mls_emit_end(to);
    to->visit = put_line;
}

void mls_walk_lines(mls_walk *walk, mls_emitter *to, const char *lists, const void *what)
{
    mls_str names = mls_str_from(lists);
    const mls_walk top = {.columns = walk->columns, .tables = {walk->tables[0]}};
    for (mls_str name = mls_str_word(&names); name.len > 0; name = mls_str_word(&names)) {
        const mls_field *field = find_step(&top, name).field;
        if (field != NULL) {
            to->child = field->child;
            to->visit = put_line;
            field->emit(to, what);
            to->visit = NULL;
        }
    }
}

/* ---------------------------------------------------------- documentation */

void mls_walk_print(const mls_walk *walk, mls_output *output)
{
    static const char *const types[] = {"text",
                                        "text or empty",
                                        "number",
                                        "number or empty",
                                        "true or false",
                                        "true, false or empty",
                                        [MLS_FIELD_ANY] = "any"};
    for (size_t i = walk->own; i < walk->cell_count; i++) {
        const mls_placed_field *cell = &walk->cells[i];
        const mls_field *field = cell->field;
        const unsigned level = cell->level;
        /* A level may be without a row; then its cells are empty. */
        const bool missing = level > 0 && (walk->steps[level - 1].field->type == MLS_FIELD_OBJECT_OR_NULL ||
                                           (walk->columns->outer && level == walk->last));
        const char *unit = field != NULL ? field->unit : "";
        mls_output_printf(output, "%s: %.*s %s%s%s\n", walk->columns->section, (int)cell->name.len, cell->name.ptr,
                          field != NULL ? types[field->type + (field->type % 2 == 0 && missing)] : "missing",
                          unit[0] != '\0' ? ", in " : "", unit);
    }
}
