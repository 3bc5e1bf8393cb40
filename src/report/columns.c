/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - walk from an object down to the rows of its lists, which become rows of CSV or lines of NDJSON. */
#include "report/columns.h"

/* --------------------------------------------------------- finding the way */

/* Find the field of a name that has rows (a list or an object), or else one that has a value for a cell. */
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

/* Return the level whose rows a table describes; above the last level: none. */
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

/* Find a list or object by its name: in the sources, else in the innermost table of the path that has it. */
static mls_placed_field find_step(const mls_walk *walk, mls_str name)
{
    mls_placed_field step = find_in_sources(walk, name, true);
    for (unsigned level = walk->last + 1; step.field == NULL && level > 0; level--)
        step = (mls_placed_field){name, named_field(walk->tables[level - 1], name, true), level - 1};
    return step;
}

static void add_cells(mls_walk *walk, mls_str names)
{
    for (mls_str name = mls_str_word(&names); name.len > 0; name = mls_str_word(&names))
        if (walk->cell_count < MLS_CELLS_MAX)
            walk->cells[walk->cell_count++] = find_in_sources(walk, name, false);
}

mls_walk mls_walk_of(const mls_columns *columns, const mls_fields *root)
{
    mls_walk walk = {.columns = columns, .tables = {columns->root != NULL ? columns->root : root}};
    mls_str path = mls_str_from(columns->rows);
    for (mls_str name = mls_str_word(&path); name.len > 0; name = mls_str_word(&path)) {
        const mls_placed_field step = find_step(&walk, name);
        if (step.field != NULL && walk.last + 1 < MLS_LEVELS_MAX) {
            walk.steps[walk.last++] = step;
            walk.tables[walk.last] = step.field->child;
        }
    }
    add_cells(&walk, mls_str_from(columns->before));
    walk.own = walk.cell_count;
    add_cells(&walk, mls_str_from(columns->names));
    walk.after = walk.cell_count;
    add_cells(&walk, mls_str_from(columns->after));
    return walk;
}

/* ------------------------------------------------------------------- rows */

static void put_some_names(const mls_walk *walk, mls_emitter *to, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        mls_emit_str(to, walk->cells[i].name);
}

static void put_names(mls_walk *walk, mls_emitter *to)
{
    put_some_names(walk, to, 0, walk->after);
    if (walk->columns->more != NULL)
        walk->columns->more(to, walk->rows[0], true);
    put_some_names(walk, to, walk->after, walk->cell_count);
    mls_emit_end(to);
    walk->named = true;
}

static void visit_row(mls_emitter *to, const void *row);

static void put_row_cells(const mls_walk *walk, mls_emitter *to, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        const mls_placed_field *cell = &walk->cells[i];
        if (cell->field == NULL || walk->rows[cell->level] == NULL)
            mls_emit_null(to);
        else
            cell->field->emit(to, walk->rows[cell->level]);
    }
}

static void put_cells(mls_walk *walk, mls_emitter *to)
{
    to->visit = NULL;
    if (!walk->named)
        put_names(walk, to);
    put_row_cells(walk, to, 0, walk->after);
    if (walk->columns->more != NULL)
        walk->columns->more(to, walk->rows[0], false);
    put_row_cells(walk, to, walk->after, walk->cell_count);
    mls_emit_end(to);
    to->visit = visit_row;
}

/* Write the rows below the current row, or on the last level the row itself. */
static void walk_rows(mls_walk *walk, mls_emitter *to)
{
    if (walk->level == walk->last) {
        put_cells(walk, to);
        walk->visited = true;
        return;
    }
    const mls_placed_field *step = &walk->steps[walk->level];
    walk->visited = false;
    step->field->emit(to, walk->rows[step->level]);
    if (walk->columns->outer && !walk->visited)
        visit_row(to, NULL);
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

/* Return whether a level may have no row, so that its cells are empty. */
static bool may_be_missing(const mls_walk *walk, unsigned level)
{
    return level > 0 && (walk->steps[level - 1].field->type == MLS_FIELD_OBJECT_OR_NULL ||
                         (walk->columns->outer && level == walk->last));
}

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
        const bool empty = field != NULL && field->type % 2 == 0 && may_be_missing(walk, cell->level);
        const char *unit = field != NULL ? field->unit : "";
        mls_output_printf(output, "%s: %.*s %s%s%s\n", walk->columns->section, (int)cell->name.len, cell->name.ptr,
                          field != NULL ? types[field->type + empty] : "missing", unit[0] != '\0' ? ", in " : "", unit);
    }
}
