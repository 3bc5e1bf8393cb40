/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - what rows hold: one table of fields for each kind of row drives
 * JSON, NDJSON and CSV, and `mlscore help fields`, by which a test holds the
 * lists of mlscore-formats(5) to these tables.
 *
 * Names are a contract, only ever added to.  A table is an X-macro of
 * F(kind of row, name, type, flags, unit, value): the kind of row names the
 * type of `row`, in which terms the value is written; arrays and objects write
 * themselves, to `to`.
 *
 *     typedef mls_spread spread_row;
 *     #define SPREAD_FIELDS(F) F(spread, variation, NUMBER, 0, "", row->variation)
 *     MLS_FIELDS(spread, "SCORE JSON", SPREAD_FIELDS)
 *
 * defines `static const mls_fields spread_fields`.
 */
#ifndef MLS_REPORT_FIELDS_H
#define MLS_REPORT_FIELDS_H

#include "report/emit.h"
#include "report/view.h"

typedef enum mls_field_type {
    MLS_FIELD_TEXT, /* NULL: null */
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
    MLS_FIELD_STR = MLS_FIELD_TEXT, /* the same of an mls_str, where a ptr of NULL is null */
    MLS_FIELD_STR_OR_NULL = MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_WRITTEN = MLS_FIELD_TEXT, /* text that writes itself, to `to` */
    MLS_FIELD_WRITTEN_OR_NULL = MLS_FIELD_TEXT_OR_NULL,
    MLS_FIELD_FILLED_OR_NULL = MLS_FIELD_TEXT_OR_NULL /* "": null */
} mls_field_type;

/* Flags of a field. */
enum {
    MLS_FIELD_EXTRA = 1 /* in JSON only where the report asks for extra fields */
};

typedef struct mls_field {
    const char *name;
    mls_field_type type;
    unsigned flags;
    const char *unit; /* "ms", "minutes", "joules" …; "": none, or told by the name */
    void (*emit)(mls_emitter *to, const void *row);
} mls_field;

typedef struct mls_fields {
    const char *section; /* of mlscore-formats(5) */
    const mls_field *items;
    size_t count;
} mls_fields;

#define MLS_EMIT_TEXT(value) mls_emit_text(to, value)
#define MLS_EMIT_TEXT_OR_NULL(value) mls_emit_text(to, value)
#define MLS_EMIT_STR(value) mls_emit_str(to, value)
#define MLS_EMIT_STR_OR_NULL(value) mls_emit_str_or_null(to, value)
#define MLS_EMIT_WRITTEN(value) value
#define MLS_EMIT_WRITTEN_OR_NULL(value) value
#define MLS_EMIT_FILLED_OR_NULL(value) mls_emit_filled(to, value)
#define MLS_EMIT_NUMBER(value) mls_emit_number(to, (double)(value))
#define MLS_EMIT_NUMBER_OR_NULL(value) mls_emit_number(to, (double)(value))
#define MLS_EMIT_BOOL(value) mls_emit_bool(to, value)
#define MLS_EMIT_BOOL_OR_NULL(value) value
#define MLS_EMIT_ARRAY(value) value
#define MLS_EMIT_ARRAY_OR_NULL(value) value
#define MLS_EMIT_OBJECT(value) value
#define MLS_EMIT_OBJECT_OR_NULL(value) value
#define MLS_EMIT_ANY(value) value
#define MLS_FIELD_FUNCTION(kind, name, type, flags, unit, value)                                                       \
    static void get_##kind##_##name(mls_emitter *to, const void *of)                                                   \
    {                                                                                                                  \
        const kind##_row *row = of;                                                                                    \
        MLS_EMIT_##type(value);                                                                                        \
    }
#define MLS_FIELD_ROW(kind, name, type, flags, unit, value) {#name, MLS_FIELD_##type, flags, unit, get_##kind##_##name},
#define MLS_FIELDS(kind, section, LIST) MLS_FIELDS_NAMED(static, kind##_fields, kind, section, LIST)
#define MLS_FIELDS_NAMED(how, variable, kind, section, LIST)                                                           \
    LIST(MLS_FIELD_FUNCTION)                                                                                           \
    static const mls_field kind##_items[] = {LIST(MLS_FIELD_ROW)};                                                     \
    how const mls_fields variable = {section, kind##_items, sizeof kind##_items / sizeof *kind##_items};

/* An array of `total` values, each written by a statement in terms of i. */
#define MLS_EMIT_LIST(to, total, each)                                                                                 \
    do {                                                                                                               \
        mls_emit_open(to, '[');                                                                                        \
        for (size_t i = 0; i < (total); i++) {                                                                         \
            each;                                                                                                      \
        }                                                                                                              \
        mls_emit_close(to, ']');                                                                                       \
    } while (0)

/* A number that is 0 when it is not there. */
double mls_field_unless_zero(double number);

/* Writes a row as an object; row NULL: null. */
void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row);

/* The same with the fields that are marked as extra. */
void mls_emit_object_extra(mls_emitter *to, const mls_fields *fields, const void *row);

enum { MLS_SOURCES_MAX = 4, MLS_COLUMNS_MAX = 40 };

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

/* Prints every table: section, name and type, as the manual has them. */
void mls_fields_print(mls_output *output);

/* The tables, for mls_fields_print(): lists that end with NULL, of the files that hold them. */
extern const mls_fields *const mls_score_tables[],
    *const mls_verify_tables[], *const mls_check_tables[], *const mls_config_tables[],
                                                               *const mls_rcp_tables[],
                                                                   *const mls_rules_tables[],
                                                                       *const mls_events_tables[],
                                                                           *const mls_finding_tables[];
extern const mls_columns mls_score_columns, mls_check_columns, mls_verify_columns, mls_config_columns,
    mls_config_exports, mls_rcp_columns, mls_rcp_limit_columns, mls_events_columns;

#endif
