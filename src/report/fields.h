/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - write values in machine-readable formats.  One table of fields for each kind of row determines JSON,
 * NDJSON, CSV and the output of `mlscore help fields`; a test compares this output with mlscore-formats(5).
 *
 * A table is an X-macro of F(kind of row, name, type, unit, value), where the value is in terms of `row`.
 * MLS_FIELDS(spread, mls_spread, TABLE) defines `spread_fields`, whose rows are mls_spread.  A field whose
 * value is an object or a list of rows refers to the table of these rows.  JSON writes such fields as objects and
 * lists; NDJSON and CSV write the rows of the lists that a report names (mls_columns).  Names are stable: names may be
 * added, but never removed or renamed.
 *
 * JSON text is valid UTF-8 without control characters, and missing values are null.  In CSV, every cell is quoted, rows
 * end in "\r\n" (RFC 4180), control characters are escaped, missing values are empty, and a ' is put before text that a
 * spreadsheet would treat as a formula. */
/* clang-format off */
/* type                    value
 *
 * TEXT, NUMBER, BOOL      an expression
 * TEXT_OR_NULL            an expression; null if it is NULL
 * NUMBER_OR_NULL          an expression; null if it is not finite
 * COUNT_OR_NULL           an expression; null if it is 0
 * FILLED_OR_NULL          an expression for a text; null if it is ""
 * WORDS, WORDS_OR_NULL    a statement that appends a text to `words`; null if it appends nothing
 * WRITTEN, ANY            a statement that writes a text, or any value, to `to`; if it writes nothing, omit the member
 * OBJECT_OF(kind)         a pointer to a row with the fields of the kind; if NULL, omit the member
 * OBJECT_OR_NULL(kind)    a pointer to a row with the fields of the kind, or NULL
 * LIST(kind)              a statement that calls mls_emit_row() for rows of the kind, as MLS_ROWS(items, count) does
 * VALUES                  a statement that writes the values of an array
 * MAP                     a statement that writes names and values of an object whose names are data
 * MAP_OF(kind)            a MAP whose values contain rows of the kind
 * FINDINGS                a statement that adds to `found` (findings.h)
 *
 * If `known` is false, IF(type, known) writes null, and ELSE_OUT(type, known) omits the member. */
/* clang-format on */
#pragma once

#include "base/memory.h"
#include "base/output.h"

struct mls_fields;
struct mls_view;

typedef struct mls_emitter {
    mls_output *output;
    const struct mls_view *view; /* selects the severities of the findings to write */
    bool csv;
    bool indented;  /* JSON on many lines instead of one */
    bool inside;    /* the innermost list or object is not empty: a comma comes first */
    mls_str name;   /* name of the member whose value comes next, borrowed; ptr NULL: the value has no name */
    unsigned depth; /* number of open lists and objects */
    const struct mls_fields *child; /* fields of the rows passed to mls_emit_row() */
    /* If not NULL, each of these rows is passed to visit(), and the list or object around them is not written. */
    void (*visit)(struct mls_emitter *to, const void *row);
    struct mls_walk *walk;        /* used by `visit` */
    mls_buffer text, cell, words; /* scratch */
    mls_arena arena;              /* scratch */
} mls_emitter;

/* Write a value: the value of the member set by mls_emit_name(), an item of the open list, or the next cell of CSV. */
void mls_emit_str(mls_emitter *to, mls_str text);
void mls_emit_str_or_null(mls_emitter *to, mls_str text); /* ptr NULL: null */
void mls_emit_text(mls_emitter *to, const char *text);    /* NULL: null */
void mls_emit_number(mls_emitter *to, double number);     /* not finite: null */
void mls_emit_bool(mls_emitter *to, bool value);
void mls_emit_null(mls_emitter *to);

/* Write a logged value as JSON, escaped (ptr NULL: null). */
void mls_emit_json(mls_emitter *to, mls_str span);

/* Write a logged value like mls_emit_json(), but in CSV write a string without its quotes and escapes. */
void mls_emit_logged(mls_emitter *to, mls_str span);

/* Write an opening ('{' or '[') or a closing ('}' or ']') bracket of JSON. */
void mls_emit_open(mls_emitter *to, char bracket);
void mls_emit_close(mls_emitter *to, char bracket);

/* Set the name of the member whose value is written next. */
void mls_emit_name(mls_emitter *to, mls_str name);

/* Write a row as an item of a list or as the value of a member.  If `row` is NULL, mls_emit_row() writes nothing, and
 * mls_emit_row_or_null() writes null. */
void mls_emit_row(mls_emitter *to, const void *row);
void mls_emit_row_or_null(mls_emitter *to, const void *row);

/* Write null if `known` is false.  Return `known`. */
bool mls_emit_known(mls_emitter *to, bool known);

/* Return an empty buffer to which the caller appends a text. */
mls_buffer *mls_emit_words_begin(mls_emitter *to);

/* Write the text in the buffer of mls_emit_words_begin(), or null if the buffer is empty. */
void mls_emit_words_end(mls_emitter *to);

/* End the line after a complete JSON value or a row of CSV. */
void mls_emit_end(mls_emitter *to);
void mls_emitter_release(mls_emitter *to);

/* The types in mlscore-formats(5).  Each type is followed by its variant that may be null. */
typedef enum mls_field_type {
    MLS_FIELD_TEXT,
    MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_NUMBER,
    MLS_FIELD_NUMBER_OR_NULL,
    MLS_FIELD_BOOL,
    MLS_FIELD_BOOL_OR_NULL,
    MLS_FIELD_ARRAY,
    MLS_FIELD_ARRAY_OR_NULL,
    MLS_FIELD_OBJECT,
    MLS_FIELD_OBJECT_OR_NULL,
    MLS_FIELD_ANY,
    MLS_FIELD_WRITTEN = MLS_FIELD_TEXT,
    MLS_FIELD_WRITTEN_OR_NULL = MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_WORDS = MLS_FIELD_TEXT,
    MLS_FIELD_WORDS_OR_NULL = MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_FILLED_OR_NULL = MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_COUNT_OR_NULL = MLS_FIELD_NUMBER_OR_NULL
} mls_field_type;

#define MLS_FIELD_IF(type_, known) MLS_FIELD_##type_##_OR_NULL
#define MLS_FIELD_ELSE_OUT(type_, known) MLS_FIELD_##type_
#define MLS_FIELD_LIST(kind) MLS_FIELD_ARRAY, .child = &kind##_fields
#define MLS_FIELD_LIST_ELSE_OUT(kind, known) MLS_FIELD_LIST(kind)
#define MLS_FIELD_LIST_IF(kind, known) MLS_FIELD_ARRAY_OR_NULL, .child = &kind##_fields
#define MLS_FIELD_VALUES MLS_FIELD_ARRAY
#define MLS_FIELD_VALUES_OR_NULL MLS_FIELD_ARRAY_OR_NULL
#define MLS_FIELD_OBJECT_OF(kind) MLS_FIELD_OBJECT, .child = &kind##_fields
#define MLS_FIELD_OBJECT_OR_NULL(kind) MLS_FIELD_OBJECT_OR_NULL, .child = &kind##_fields
#define MLS_FIELD_MAP MLS_FIELD_OBJECT
#define MLS_FIELD_MAP_OR_NULL MLS_FIELD_OBJECT_OR_NULL
#define MLS_FIELD_MAP_OF(kind) MLS_FIELD_OBJECT, .child = &kind##_fields

typedef struct mls_field {
    mls_str name; /* ends with NUL */
    mls_field_type type;
    const struct mls_fields *child; /* fields of the object, or of the rows of the list; NULL for other types */
    const char *unit;               /* such as "ms"; "": no unit */
    void (*emit)(mls_emitter *to, const void *row);
} mls_field;

typedef struct mls_fields {
    const mls_field *items;
    size_t count;
    const struct mls_fields *beside; /* the table that JSON uses for the same rows; NULL: this table */
} mls_fields;

/* MLS_EMIT_<type>(value) is a statement that writes a value of the type.  For a type with arguments, such as
 * LIST(kind), MLS_EMIT_<type> expands to the name of the macro that takes the value. */
/* clang-format off */
#define MLS_EMIT_TEXT(value_) _Generic((value_), mls_str : mls_emit_str_or_null, default : mls_emit_text)(to, value_)
#define MLS_EMIT_IF(type_, known) if (mls_emit_known(to, known)) MLS_EMIT_##type_
#define MLS_EMIT_ELSE_OUT(type_, known) if (known) MLS_EMIT_##type_
#define MLS_EMIT_TEXT_OR_NULL(value_) MLS_EMIT_TEXT(value_)
#define MLS_EMIT_FILLED_OR_NULL(value_) mls_emit_text(to, (value_)[0] != '\0' ? (value_) : NULL)
#define MLS_EMIT_NUMBER(value_) mls_emit_number(to, (double)(value_))
#define MLS_EMIT_NUMBER_OR_NULL(value_) mls_emit_number(to, (double)(value_))
#define MLS_EMIT_COUNT_OR_NULL(value_) if (mls_emit_known(to, (value_) != 0)) MLS_EMIT_NUMBER(value_)
#define MLS_EMIT_BOOL(value_) mls_emit_bool(to, value_)
#define MLS_EMIT_WORDS(value_) do { mls_buffer *words = mls_emit_words_begin(to); value_; mls_emit_words_end(to); } while (0)
#define MLS_EMIT_WORDS_OR_NULL(value_) MLS_EMIT_WORDS(value_)
#define MLS_EMIT_WRITTEN(value_) value_
#define MLS_EMIT_WRITTEN_OR_NULL(value_) value_
#define MLS_EMIT_ANY(value_) value_
#define MLS_EMIT_BETWEEN(open, value_, close) { mls_emit_open(to, open); value_; mls_emit_close(to, close); }
#define MLS_EMIT_VALUES(value_) MLS_EMIT_BETWEEN('[', value_, ']')
#define MLS_EMIT_LIST(kind) MLS_EMIT_VALUES
#define MLS_EMIT_LIST_IF(kind, known) MLS_EMIT_IF(VALUES, known)
#define MLS_EMIT_LIST_ELSE_OUT(kind, known) MLS_EMIT_ELSE_OUT(VALUES, known)
#define MLS_EMIT_OBJECT_OF(kind) MLS_EMIT_ROW
#define MLS_EMIT_OBJECT_OR_NULL(kind) MLS_EMIT_ROW_OR_NULL
#define MLS_EMIT_ROW(value_) mls_emit_row(to, value_)
#define MLS_EMIT_ROW_OR_NULL(value_) mls_emit_row_or_null(to, value_)
#define MLS_EMIT_MAP(value_) MLS_EMIT_BETWEEN('{', value_, '}')
#define MLS_EMIT_MAP_OF(kind) MLS_EMIT_MAP
/* clang-format on */

/* Expand the arguments once more, for tools that do not expand a macro whose name is the result of an expansion. */
#define MLS_EXPAND(...) __VA_ARGS__
#define MLS_EXPAND_AGAIN(...) MLS_EXPAND(__VA_ARGS__)

#define MLS_FIELD_FUNCTION(kind, name, type, in, value_)                                                               \
    static void get_##kind##_##name(mls_emitter *to, const void *of)                                                   \
    {                                                                                                                  \
        const kind##_row *row = of;                                                                                    \
        MLS_EXPAND_AGAIN(MLS_EMIT_##type(value_));                                                                     \
    }
#define MLS_FIELD_ROW(kind, name_, type_, in, value_)                                                                  \
    {.name = MLS_STR(#name_), .unit = (in), .emit = get_##kind##_##name_, .type = MLS_FIELD_##type_},

/* Define `kind`_fields, the table of a kind of row. */
#define MLS_FIELDS(kind, type, TABLE) MLS_FIELDS_AS(static, kind##_fields, kind, type, NULL, TABLE)

/* Define `kind`_fields, a table of further fields of the rows of the kind `of`, which only CSV has. */
#define MLS_FIELDS_BESIDE(kind, of, TABLE) MLS_FIELDS_AS(static, kind##_fields, kind, of##_row, &of##_fields, TABLE)
#define MLS_FIELDS_AS(how, variable, kind, type, of, TABLE)                                                            \
    typedef type kind##_row;                                                                                           \
    TABLE(MLS_FIELD_FUNCTION)                                                                                          \
    static const mls_field kind##_items[] = {TABLE(MLS_FIELD_ROW)};                                                    \
    how const mls_fields variable = {kind##_items, sizeof kind##_items / sizeof *kind##_items, of};

/* Repeat a statement for each i below `total`. */
#define MLS_EACH(total, each)                                                                                          \
    for (size_t i = 0; i < (total); i++)                                                                               \
        do {                                                                                                           \
            each;                                                                                                      \
        } while (0);

/* Write the members of a MAP: for each i below `total`, set the name and run the statement that writes the value. */
#define MLS_MEMBERS(total, name, each) MLS_EACH(total, mls_emit_name(to, name); each)

/* Write the rows of an array. */
#define MLS_ROWS(items, total) MLS_EACH(total, mls_emit_row(to, &(items)[i]))

/* Write the rows that the pointers of an array point to. */
#define MLS_ROWS_AT(pointers, total) MLS_EACH(total, mls_emit_row(to, (pointers)[i]))

/* Write a row as an object (NULL: null). */
void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row);

/* Write the members of a row without the brackets of its object. */
void mls_emit_members(mls_emitter *to, const mls_fields *fields, const void *row);

/* Print section, name and type of each field of a table and of the tables that its fields refer to, for the
 * documentation.  Omit the tables in `apart` (an array terminated by NULL), which are documented in other sections. */
void mls_fields_print(mls_output *output, const char *section, const mls_fields *fields,
                      const mls_fields *const *apart);

/* ---- rows of CSV and lines of NDJSON ---- */

enum { MLS_SOURCES_MAX = 6, MLS_LEVELS_MAX = 6, MLS_CELLS_MAX = 64 };

/* The columns of a CSV in their order.  The value of a column is the field with the column's name in the first of the
 * tables `sources` that has this field.  Each table describes the rows of one level of the path `rows`. */
typedef struct mls_columns {
    const char *section; /* section of mlscore-formats(5) with these columns */
    const char *before;  /* names of the first columns, which another section documents; NULL: there are none */
    const char *names;   /* names of the next columns, separated by blanks */
    const char
        *rows; /* names of the lists and objects that lead to a row: "groups runs"; NULL: the object is the row */
    const mls_fields *sources[MLS_SOURCES_MAX];
    const mls_fields *root; /* fields of the printed object; NULL: its fields in JSON */
    bool outer;             /* write a row with empty cells for an empty list */
    /* Write further cells between `names` and `after`: their names, or the cells of the current row, which the function
     * gets from mls_emitter_row().  NULL: there are no further cells. */
    void (*more)(mls_emitter *to, const void *what, bool names);
    const char *after; /* names of the last columns; NULL: there are none */
} mls_columns;

/* A field, and the level of the row that contains the field.  Level 0 is the printed object. */
typedef struct mls_placed_field {
    mls_str name;
    const mls_field *field; /* NULL: not found */
    unsigned level;
} mls_placed_field;

/* The path from the printed object to the rows of its CSV; borrows the columns. */
typedef struct mls_walk {
    const mls_columns *columns;
    const mls_fields *tables[MLS_LEVELS_MAX]; /* fields of the rows of each level */
    const void *rows[MLS_LEVELS_MAX];         /* 0: the printed object */
    mls_placed_field steps[MLS_LEVELS_MAX];   /* field of each level whose rows are the next level */
    mls_placed_field cells[MLS_CELLS_MAX];
    size_t cell_count;
    size_t own;     /* index of the first cell of columns->names */
    size_t after;   /* index of the first cell of columns->after */
    unsigned last;  /* level of the innermost rows */
    unsigned level; /* level of the current row */
    bool visited;   /* a row was written for the current list */
    bool named;     /* the line with the names of the columns was written */
} mls_walk;

/* Find the path from the printed object, whose fields in JSON are `root`, to the rows of a CSV. */
mls_walk mls_walk_of(const mls_columns *columns, const mls_fields *root);

/* Write the line with the names of the columns.  If `more` is set, these depend on the rows, and mls_walk_rows() writes
 * the line. */
void mls_walk_begin(mls_walk *walk, mls_emitter *to);

/* Write the rows of the object `what`. */
void mls_walk_rows(mls_walk *walk, mls_emitter *to, const void *what);

/* Write a line of JSON for each row of some lists or objects of the object `what`.  `lists` contains their names,
 * separated by blanks. */
void mls_walk_lines(mls_walk *walk, mls_emitter *to, const char *lists, const void *what);

/* Return the current row that the table `fields` describes; NULL if there is no current row. */
const void *mls_emitter_row(const mls_emitter *to, const mls_fields *fields);

/* Print section, name and type of each column, for the documentation. */
void mls_walk_print(const mls_walk *walk, mls_output *output);
