/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - values for programs: one table of fields for each kind of row drives JSON, NDJSON and CSV, and `mlscore
 * help fields`, by which a test holds the lists of mlscore-formats(5) to these tables.
 *
 * JSON is written as it comes: what is absent is null, text is valid UTF-8, nothing in it can steer a terminal.  In CSV
 * every cell is quoted, rows end in "\r\n" as RFC 4180 has it, control characters are escaped, absent values are empty,
 * and text that a spreadsheet would take for a formula has one ' more in front.
 *
 * Names are a contract, only ever added to.  A table is an X-macro of F(kind of row, name, type, unit, value), the
 * value in terms of `row`; arrays, objects and what is WRITTEN write themselves, to `to`, and a member of an object
 * that writes nothing is left out.  MLS_FIELDS(spread, mls_spread, LIST) defines `spread_fields`, whose rows are
 * mls_spread.
 */
#ifndef MLS_REPORT_FIELDS_H
#define MLS_REPORT_FIELDS_H

#include "base/memory.h"
#include "base/output.h"

typedef struct mls_emitter {
    mls_output *output;
    const struct mls_view *view;
    bool csv;
    bool indented; /* JSON over many lines, else in one */
    bool inside;   /* something stands in the innermost list or object: a comma comes first */
    mls_str name;  /* of the member whose value comes next, borrowed; ptr NULL: none */
    unsigned depth;
    mls_buffer text, cell; /* scratch */
    mls_arena arena;       /* scratch */
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

/* A line ending behind a whole value of JSON, or behind a row. */
void mls_emit_end(mls_emitter *to);
void mls_emitter_release(mls_emitter *to);

/* What may be null stands behind the same that may not. */
typedef enum mls_field_type {
    MLS_FIELD_TEXT, /* a C string or an mls_str; NULL, or a ptr of NULL: null */
    MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_NUMBER, /* not finite: null */
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
    MLS_FIELD_FILLED_OR_NULL = MLS_FIELD_TEXT_OR_NULL, /* "": null */
    MLS_FIELD_COUNT_OR_NULL = MLS_FIELD_NUMBER_OR_NULL /* 0: null */
} mls_field_type;

typedef struct mls_field {
    const char *name;
    mls_field_type type;
    const char *unit; /* "": none */
    void (*emit)(mls_emitter *to, const void *row);
} mls_field;

typedef struct mls_fields {
    const mls_field *items;
    size_t count;
} mls_fields;

#define MLS_EMIT_TEXT(value) _Generic((value), mls_str : mls_emit_str_or_null, default : mls_emit_text)(to, value)
#define MLS_EMIT_TEXT_OR_NULL(value) MLS_EMIT_TEXT(value)
#define MLS_EMIT_FILLED_OR_NULL(value) mls_emit_text(to, (value)[0] != '\0' ? (value) : NULL)
#define MLS_EMIT_NUMBER(value) mls_emit_number(to, (double)(value))
#define MLS_EMIT_NUMBER_OR_NULL(value) mls_emit_number(to, (double)(value))
#define MLS_EMIT_COUNT_OR_NULL(value) ((value) != 0 ? mls_emit_number(to, (double)(value)) : mls_emit_null(to))
#define MLS_EMIT_BOOL(value) mls_emit_bool(to, value)
#define MLS_EMIT_BOOL_OR_NULL(value) value
#define MLS_EMIT_WRITTEN(value) value
#define MLS_EMIT_WRITTEN_OR_NULL(value) value
#define MLS_EMIT_ARRAY(value) value
#define MLS_EMIT_ARRAY_OR_NULL(value) value
#define MLS_EMIT_OBJECT(value) value
#define MLS_EMIT_OBJECT_OR_NULL(value) value
#define MLS_EMIT_ANY(value) value
#define MLS_FIELD_FUNCTION(kind, name, type, in, value)                                                                \
    static void get_##kind##_##name(mls_emitter *to, const void *of)                                                   \
    {                                                                                                                  \
        const kind##_row *row = of;                                                                                    \
        MLS_EMIT_##type(value);                                                                                        \
    }
#define MLS_FIELD_ROW(kind, name, type, in, value) {#name, MLS_FIELD_##type, in, get_##kind##_##name},
#define MLS_FIELDS(kind, type, LIST) MLS_FIELDS_AS(static, kind##_fields, kind, type, LIST)
#define MLS_FIELDS_AS(how, variable, kind, type, LIST)                                                                 \
    typedef type kind##_row;                                                                                           \
    LIST(MLS_FIELD_FUNCTION)                                                                                           \
    static const mls_field kind##_items[] = {LIST(MLS_FIELD_ROW)};                                                     \
    how const mls_fields variable = {kind##_items, sizeof kind##_items / sizeof *kind##_items};

/* An array of `total` values, each written by a statement in terms of i; and one of rows with the fields of a kind. */
#define MLS_EMIT_LIST(to, total, each)                                                                                 \
    do {                                                                                                               \
        mls_emit_open(to, '[');                                                                                        \
        for (size_t i = 0; i < (total); i++) {                                                                         \
            each;                                                                                                      \
        }                                                                                                              \
        mls_emit_close(to, ']');                                                                                       \
    } while (0)
#define MLS_EMIT_ROWS(kind, items, total) MLS_EMIT_LIST(to, total, mls_emit_object(to, &kind##_fields, &(items)[i]))

/* NDJSON: rows with the fields of a kind, one a line. */
#define MLS_EMIT_LINES(kind, items, total)                                                                             \
    for (size_t i = 0; i < (total); i++) {                                                                             \
        mls_emit_object(to, &kind##_fields, &(items)[i]);                                                              \
        mls_emit_end(to);                                                                                              \
    }

/* Writes a row as an object; row NULL: null. */
void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row);

enum { MLS_SOURCES_MAX = 4 };

/* The columns of a CSV in their order, each the first field of its name in the tables of `sources`. */
typedef struct mls_columns {
    const char *section; /* of mlscore-formats(5) */
    const char *names;   /* separated by blanks */
    const mls_fields *sources[MLS_SOURCES_MAX];
    unsigned optional; /* so many of the first sources may be missing from a row */
} mls_columns;

/*
 * A row of cells; rows[i] belongs to sources[i], and where it is NULL its cells are empty.  rows NULL: the names.  Or
 * the first cells of a row that goes on, to which mls_emit_end() puts the end.
 */
void mls_emit_cells(mls_emitter *to, const mls_columns *columns, const void *const rows[MLS_SOURCES_MAX]);
void mls_emit_row(mls_emitter *to, const mls_columns *columns, const void *const rows[MLS_SOURCES_MAX]);

/* Prints the tables of every report: section of mlscore-formats(5), name and type. */
void mls_fields_print(mls_output *output);

#endif
