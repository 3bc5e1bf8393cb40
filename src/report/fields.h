/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - values for programs.  One table of fields for each kind of row drives JSON, NDJSON, CSV and `mlscore help
 * fields`, with which a test compares mlscore-formats(5).
 *
 * A table is an X-macro of F(kind of row, name, type, unit, value), where the value is in terms of `row`.
 * MLS_FIELDS(spread, mls_spread, TABLE) defines `spread_fields`, whose rows are mls_spread.  A field with rows below it
 * refers to their table.  JSON writes these as objects and lists; NDJSON and CSV write the rows of the lists that a
 * report names (mls_columns).  Names are stable: they may be added, but never removed or renamed.
 *
 * JSON text is valid UTF-8 without control characters, and missing values are null.  In CSV, every cell is quoted, rows
 * end in "\r\n" (RFC 4180), control characters are escaped, missing values are empty, and a ' is put before text that a
 * spreadsheet would treat as a formula. */
/* clang-format off */
/* type                    value
 *
 * TEXT, NUMBER, BOOL      an expression
 * TEXT_OR_NULL, NUMBER_…  an expression that may be null: NULL, not finite; COUNT_OR_NULL: 0, FILLED_OR_NULL: ""
 * WORDS, WORDS_OR_NULL    a statement that appends a text to `words`; null if it appends nothing
 * WRITTEN, ANY            a statement that writes a text, or any value, to `to`; if it writes nothing, omit the member
 * OBJECT_OF(kind)         a pointer to a row with the fields of the kind; if NULL, omit the member
 * OBJECT_OR_NULL(kind)    a pointer to a row with the fields of the kind, or NULL
 * LIST(kind)              a statement that calls mls_emit_row() for rows of the kind, as MLS_ROWS(items, count) does
 * VALUES                  a statement that writes the values of an array
 * MAP                     a statement that writes names and values of an object whose names are data
 * MAP_OF(kind)            a MAP with rows of the kind in its values
 * FINDINGS                a statement that adds to `found` (findings.h)
 *
 * If not `known`, IF(type, known) writes null and ELSE_OUT(type, known) omits the member. */
/* clang-format on */
#pragma once

#include "base/memory.h"
#include "base/output.h"

struct mls_fields;
struct mls_view;

typedef struct mls_emitter {
    mls_output *output;
    const struct mls_view *view; /* for FINDINGS: the severities to write */
    bool csv;
    bool indented; /* JSON on many lines instead of one */
    bool inside;   /* the innermost list or object is not empty: a comma comes first */
    mls_str name;  /* of the member whose value comes next, borrowed; ptr NULL: none */
    unsigned depth;
    const struct mls_fields *child; /* of the rows passed to mls_emit_row() */
    /* Called for these rows instead of writing the list or object around them; NULL: write JSON. */
    void (*visit)(struct mls_emitter *to, const void *row);
    struct mls_walk *walk;        /* of `visit` */
    mls_buffer text, cell, words; /* scratch */
    mls_arena arena;              /* scratch */
} mls_emitter;

/* Write a value: of the member named before, of the open list, or the next cell. */
void mls_emit_str(mls_emitter *to, mls_str text);
void mls_emit_str_or_null(mls_emitter *to, mls_str text); /* ptr NULL: null */
void mls_emit_text(mls_emitter *to, const char *text);    /* NULL: null */
void mls_emit_number(mls_emitter *to, double number);     /* not finite: null */
void mls_emit_bool(mls_emitter *to, bool value);
void mls_emit_null(mls_emitter *to);

/* Write a logged value as JSON, escaped (ptr NULL: null).  The second writes only the characters of a string in CSV. */
void mls_emit_json(mls_emitter *to, mls_str span);
void mls_emit_logged(mls_emitter *to, mls_str span);

/* Write a bracket of JSON, '{', '[' and '}', ']'; set the name of the member whose value comes next. */
void mls_emit_open(mls_emitter *to, char bracket);
void mls_emit_close(mls_emitter *to, char bracket);
void mls_emit_name(mls_emitter *to, mls_str name);

/* Write a row of a list, or an object.  The first ignores NULL, the second writes null for it. */
void mls_emit_row(mls_emitter *to, const void *row);
void mls_emit_row_or_null(mls_emitter *to, const void *row);

/* Write null unless `known`, and return it. */
bool mls_emit_known(mls_emitter *to, bool known);

/* Return a buffer for a text; write the text that was appended to it, or null if it is empty. */
mls_buffer *mls_emit_words_begin(mls_emitter *to);
void mls_emit_words_end(mls_emitter *to);

/* End the line after a whole value of JSON, or after a row. */
void mls_emit_end(mls_emitter *to);
void mls_emitter_release(mls_emitter *to);

/* The types in mlscore-formats(5).  A type that may be null follows the same type that may not. */
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
    const struct mls_fields *child; /* of the rows of a list, or of an object; NULL: neither */
    const char *unit;               /* "": none */
    void (*emit)(mls_emitter *to, const void *row);
} mls_field;

typedef struct mls_fields {
    const mls_field *items;
    size_t count;
    const struct mls_fields *beside; /* the table for JSON of the same rows; NULL: this one */
} mls_fields;

/* Statements that write the value of a type.  Those with another argument expand to the name of the next macro. */
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

/* Some tools need another pass if an expansion ends with the name of a macro. */
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

/* Define the table of a kind of row; define further fields, for CSV only, of the rows of another kind. */
#define MLS_FIELDS(kind, type, TABLE) MLS_FIELDS_AS(static, kind##_fields, kind, type, NULL, TABLE)
#define MLS_FIELDS_BESIDE(kind, of, TABLE) MLS_FIELDS_AS(static, kind##_fields, kind, of##_row, &of##_fields, TABLE)
#define MLS_FIELDS_AS(how, variable, kind, type, of, TABLE)                                                            \
    typedef type kind##_row;                                                                                           \
    TABLE(MLS_FIELD_FUNCTION)                                                                                          \
    static const mls_field kind##_items[] = {TABLE(MLS_FIELD_ROW)};                                                    \
    how const mls_fields variable = {kind##_items, sizeof kind##_items / sizeof *kind##_items, of};

/* Repeat a statement for each i below `total`, in a MAP with a name before it; write the rows of an array, or of an
 * array of pointers. */
#define MLS_EACH(total, each)                                                                                          \
    for (size_t i = 0; i < (total); i++)                                                                               \
        do {                                                                                                           \
            each;                                                                                                      \
        } while (0);
#define MLS_MEMBERS(total, name, each) MLS_EACH(total, mls_emit_name(to, name); each)
#define MLS_ROWS(items, total) MLS_EACH(total, mls_emit_row(to, &(items)[i]))
#define MLS_ROWS_AT(pointers, total) MLS_EACH(total, mls_emit_row(to, (pointers)[i]))

/* Write a row as an object (NULL: null), or only its members. */
void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row);
void mls_emit_members(mls_emitter *to, const mls_fields *fields, const void *row);

/* Print section, name and type of the fields of a table and all tables below it, for the documentation.  Omit the
 * tables in `apart` (terminated by NULL), which have their own sections. */
void mls_fields_print(mls_output *output, const char *section, const mls_fields *fields,
                      const mls_fields *const *apart);

/* ---- rows of CSV and lines of NDJSON ---- */

enum { MLS_SOURCES_MAX = 6, MLS_LEVELS_MAX = 6, MLS_CELLS_MAX = 64 };

/* The columns of a CSV in their order.  Each is the first field with its name in `sources`, which are tables of the
 * rows on the path. */
typedef struct mls_columns {
    const char *section; /* of mlscore-formats(5) */
    const char *before;  /* names of first columns that are documented elsewhere; NULL: none */
    const char *names;   /* separated by blanks */
    const char *rows;    /* path of lists and objects to a row: "groups runs"; NULL: the printed object is the row */
    const mls_fields *sources[MLS_SOURCES_MAX];
    const mls_fields *root; /* fields of the printed object; NULL: those of JSON */
    bool outer;             /* write a row with empty cells for an empty list */
    /* Write further cells of a row (see mls_emitter_row()), or their names; NULL: none. */
    void (*more)(mls_emitter *to, const void *what, bool names);
    const char *after; /* names of the last columns; NULL: none */
} mls_columns;

/* A field, and the level of its row: 0 is the printed object. */
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
    mls_placed_field steps[MLS_LEVELS_MAX];   /* from each level to the next */
    mls_placed_field cells[MLS_CELLS_MAX];
    size_t cell_count;
    size_t own;     /* the first cell after `before` */
    size_t after;   /* the first cell of `after` */
    unsigned last;  /* the level of the innermost rows */
    unsigned level; /* of the current row */
    bool visited;   /* a row of the last level was written */
    bool named;     /* the names were written */
} mls_walk;

/* Find the path to the rows of a CSV from an object with the fields `root`. */
mls_walk mls_walk_of(const mls_columns *columns, const mls_fields *root);

/* Write the line of names, unless it depends on the rows (`more`).  Write the rows of an object. */
void mls_walk_begin(mls_walk *walk, mls_emitter *to);
void mls_walk_rows(mls_walk *walk, mls_emitter *to, const void *what);

/* Write a line of JSON for each row of the lists or objects `lists` of an object. */
void mls_walk_lines(mls_walk *walk, mls_emitter *to, const char *lists, const void *what);

/* Return the current row of a table; NULL: none. */
const void *mls_emitter_row(const mls_emitter *to, const mls_fields *fields);

/* Print the columns for the documentation: section, name and type. */
void mls_walk_print(const mls_walk *walk, mls_output *output);
