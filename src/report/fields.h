/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - what rows hold: one table of fields for each kind of row drives
 * JSON, NDJSON and CSV, and `mlscore help fields`, by which a test holds the
 * lists of mlscore-formats(5) to these tables.
 *
 * Names are a contract, only ever added to.  A table is an X-macro of
 * F(kind of row, name, type, unit, value), the unit "ms", "minutes", "joules" …
 * or "", the value in terms of `row`; arrays, objects and what is WRITTEN write
 * themselves, to `to`, and a member of an object that writes nothing is left out.
 *
 *     #define SPREAD_FIELDS(F) F(spread, variation, NUMBER, "", row->variation)
 *     MLS_FIELDS(spread, mls_spread, "SCORE JSON", SPREAD_FIELDS)
 *
 * defines `static const mls_fields spread_fields`, whose rows are mls_spread.
 */
#ifndef MLS_REPORT_FIELDS_H
#define MLS_REPORT_FIELDS_H

#include "report/view.h"

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
    const char *unit;
    void (*emit)(mls_emitter *to, const void *row);
} mls_field;

typedef struct mls_fields {
    const char *section; /* of mlscore-formats(5) */
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
#define MLS_FIELD_FUNCTION(kind, name, type, unit, value)                                                              \
    static void get_##kind##_##name(mls_emitter *to, const void *of)                                                   \
    {                                                                                                                  \
        const kind##_row *row = of;                                                                                    \
        MLS_EMIT_##type(value);                                                                                        \
    }
#define MLS_FIELD_ROW(kind, name, type, unit, value) {#name, MLS_FIELD_##type, unit, get_##kind##_##name},
#define MLS_FIELDS(kind, type, section, LIST) MLS_FIELDS_AS(static, kind##_fields, kind, type, section, LIST)
#define MLS_FIELDS_AS(how, variable, kind, type, section, LIST)                                                        \
    typedef type kind##_row;                                                                                           \
    LIST(MLS_FIELD_FUNCTION)                                                                                           \
    static const mls_field kind##_items[] = {LIST(MLS_FIELD_ROW)};                                                     \
    how const mls_fields variable = {section, kind##_items, sizeof kind##_items / sizeof *kind##_items};

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

/* One row of cells; rows[i] belongs to sources[i], and where it is NULL its cells are empty. */
void mls_emit_row(mls_emitter *to, const mls_columns *columns, const void *const rows[MLS_SOURCES_MAX]);

/* The row of names. */
void mls_emit_header(mls_emitter *to, const mls_columns *columns);

/* Prints the tables of every report: section, name and type, as the manual has them. */
void mls_fields_print(mls_output *output);

#endif
