/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - values for programs: one table of fields for each kind of row drives JSON, NDJSON and CSV, and `mlscore
 * help fields`, by which a test holds the lists of mlscore-formats(5) to these tables.
 *
 * JSON is written as it comes: what is absent is null, text is valid UTF-8, nothing in it can steer a terminal.  In CSV
 * every cell is quoted, rows end in "\r\n" as RFC 4180 has it, control characters are escaped, absent values are empty,
 * and text that a spreadsheet would take for a formula has one ' more in front.
 *
 * Names are a contract, only ever added to.  A table is an X-macro of F(kind of row, name, type, unit, value), in terms
 * of `row`; MLS_FIELDS(spread, mls_spread, TABLE) makes `spread_fields` of it, whose rows are mls_spread.  A field that
 * has rows below it knows their table, and so every format finds its way down: JSON into objects and lists, NDJSON and
 * CSV to the rows of the lists that a report names (columns.h). */
/* clang-format off */
/* type                    value
 *
 * TEXT, NUMBER, BOOL      an expression
 * TEXT_OR_NULL, NUMBER_…  one that may be null: NULL, not finite; COUNT_OR_NULL: 0, FILLED_OR_NULL: ""
 * WORDS, WORDS_OR_NULL    a statement that appends a text to `words`; nothing: null
 * WRITTEN, ANY            a statement that writes a text, or any value, to `to`; nothing: the member is left out
 * OBJECT_OF(kind)         a pointer to a row with the fields of the kind; NULL: the member is left out
 * OBJECT_OR_NULL(kind)    the same; NULL: null
 * LIST(kind)              a statement that gives rows of the kind to mls_emit_row(), as MLS_ROWS(items, count) does
 * VALUES                  a statement that writes the values of an array
 * MAP                     a statement that writes names and values: of an object whose names are data
 * MAP_OF(kind)            the same, with rows of the kind in its values
 * FINDINGS                a statement that adds to `found` (findings.h)
 *
 * IF(type, known) is null and ELSE_OUT(type, known) leaves the member out where there is no value of the type. */
/* clang-format on */
#pragma once

#include "base/memory.h"
#include "base/output.h"

struct mls_fields;
struct mls_view;

typedef struct mls_emitter {
    mls_output *output;
    const struct mls_view *view; /* of what is to be shown */
    bool csv;
    bool indented; /* JSON over many lines, else in one */
    bool inside;   /* the innermost list or object is not empty: a comma comes first */
    mls_str name;  /* of the member whose value comes next, borrowed; ptr NULL: none */
    unsigned depth;
    const struct mls_fields *child; /* of the rows that mls_emit_row() takes */
    /* Takes these rows in place of the list or object around them; NULL: JSON writes both. */
    void (*visit)(struct mls_emitter *to, const void *row);
    struct mls_walk *walk;        /* of `visit` */
    mls_buffer text, cell, words; /* scratch */
    mls_arena arena;              /* scratch */
} mls_emitter;

/* A value: of the member named before, of the list that is open, or the next cell. */
void mls_emit_str(mls_emitter *to, mls_str text);
void mls_emit_str_or_null(mls_emitter *to, mls_str text); /* ptr NULL: null */
void mls_emit_text(mls_emitter *to, const char *text);    /* NULL: null */
void mls_emit_number(mls_emitter *to, double number);     /* not finite: null */
void mls_emit_bool(mls_emitter *to, bool value);
void mls_emit_null(mls_emitter *to);

/* A value that was logged, as the JSON it was, made safe (ptr NULL: null); or in CSV a string's characters. */
void mls_emit_json(mls_emitter *to, mls_str span);
void mls_emit_logged(mls_emitter *to, mls_str span);

/* Brackets of JSON, '{', '[' and '}', ']', and the name of the member that the next value is of. */
void mls_emit_open(mls_emitter *to, char bracket);
void mls_emit_close(mls_emitter *to, char bracket);
void mls_emit_name(mls_emitter *to, mls_str name);

/* A row of the list, or the object, that the field is; NULL: none, or of an object that may be null, null. */
void mls_emit_row(mls_emitter *to, const void *row);
void mls_emit_row_or_null(mls_emitter *to, const void *row);

/* Return `known`, after writing null if it is false. */
bool mls_emit_known(mls_emitter *to, bool known);

/* A buffer for a text, and the text that was appended to it; nothing: null. */
mls_buffer *mls_emit_words_begin(mls_emitter *to);
void mls_emit_words_end(mls_emitter *to);

/* A line ending after a whole value of JSON, or after a row. */
void mls_emit_end(mls_emitter *to);
void mls_emitter_release(mls_emitter *to);

/* As mlscore-formats(5) has them; a type that may be null comes after the same that may not. */
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
    const struct mls_fields *child; /* of the rows of a list, or of the one that is an object; NULL: neither */
    const char *unit;               /* "": none */
    void (*emit)(mls_emitter *to, const void *row);
} mls_field;

typedef struct mls_fields {
    const mls_field *items;
    size_t count;
    const struct mls_fields *beside; /* the table of the same rows that has what JSON has; NULL: it is this one */
} mls_fields;

/* Statements that write the value of a type.  Those with another argument leave it to the one that they end with. */
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

/* The table of a kind of row; and what only CSV, or a list of rows, has of the rows of another kind. */
#define MLS_FIELDS(kind, type, TABLE) MLS_FIELDS_AS(static, kind##_fields, kind, type, NULL, TABLE)
#define MLS_FIELDS_BESIDE(kind, of, TABLE) MLS_FIELDS_AS(static, kind##_fields, kind, of##_row, &of##_fields, TABLE)
#define MLS_FIELDS_AS(how, variable, kind, type, of, TABLE)                                                            \
    typedef type kind##_row;                                                                                           \
    TABLE(MLS_FIELD_FUNCTION)                                                                                          \
    static const mls_field kind##_items[] = {TABLE(MLS_FIELD_ROW)};                                                    \
    how const mls_fields variable = {kind##_items, sizeof kind##_items / sizeof *kind##_items, of};

/* Statements: one for each i below `total`, of a MAP with a name before it; a row for each of `items`, or of what the
 * pointers `items` point to. */
#define MLS_EACH(total, each)                                                                                          \
    for (size_t i = 0; i < (total); i++)                                                                               \
        do {                                                                                                           \
            each;                                                                                                      \
        } while (0);
#define MLS_MEMBERS(total, name, each) MLS_EACH(total, mls_emit_name(to, name); each)
#define MLS_ROWS(items, total) MLS_EACH(total, mls_emit_row(to, &(items)[i]))
#define MLS_ROWS_AT(pointers, total) MLS_EACH(total, mls_emit_row(to, (pointers)[i]))

/* Write a row as an object, or its members alone; row NULL: null. */
void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row);
void mls_emit_members(mls_emitter *to, const mls_fields *fields, const void *row);

/* Print a table and all tables below it for the documentation: section, name and type; except those of `apart` (ends
 * with NULL), which have sections of their own. */
void mls_fields_print(mls_output *output, const char *section, const mls_fields *fields,
                      const mls_fields *const *apart);
