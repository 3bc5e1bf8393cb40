/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - rows as objects and as cells, from their tables of fields.
 */
#include "report/reports.h"

void mls_emit_object(mls_emitter *to, const mls_fields *fields, const void *row)
{
    if (row == NULL) {
        mls_emit_null(to);
        return;
    }
    mls_emit_open(to, '{');
    for (size_t i = 0; i < fields->count; i++) {
        mls_emit_name(to, mls_str_from(fields->items[i].name));
        fields->items[i].emit(to, row);
    }
    mls_emit_name(to, (mls_str){0});
    mls_emit_close(to, '}');
}

/* ----------------------------------------------------------------- columns */

/* The next of the columns' names; false at the end. */
static bool next_name(const char **at, mls_str *name)
{
    *at += strspn(*at, " ");
    *name = (mls_str){*at, strcspn(*at, " ")};
    *at += name->len;
    return name->len > 0;
}

static const mls_field *find_column(const mls_columns *columns, mls_str name, size_t *source)
{
    for (*source = 0; *source < MLS_SOURCES_MAX && columns->sources[*source] != NULL; ++*source) {
        const mls_fields *fields = columns->sources[*source];
        for (size_t i = 0; i < fields->count; i++) {
            const mls_field *field = &fields->items[i];
            if (field->name[0] == name.ptr[0] && mls_str_equal(mls_str_from(field->name), name) &&
                (field->type < MLS_FIELD_ARRAY || field->type == MLS_FIELD_ANY)) {
                return field;
            }
        }
    }
    return NULL;
}

void mls_emit_row(mls_emitter *to, const mls_columns *columns, const void *const rows[MLS_SOURCES_MAX])
{
    const char *at = columns->names;
    size_t source;
    for (mls_str name; next_name(&at, &name);) {
        const mls_field *field = find_column(columns, name, &source);
        if (field == NULL || rows[source] == NULL) {
            mls_emit_null(to);
        } else {
            field->emit(to, rows[source]);
        }
    }
    mls_emit_end(to);
}

void mls_emit_header(mls_emitter *to, const mls_columns *columns)
{
    const char *at = columns->names;
    for (mls_str name; next_name(&at, &name);) {
        mls_emit_str(to, name);
    }
    mls_emit_end(to);
}

/* ----------------------------------------------------------------- listing */

static const char *const json_types[] = {"text",    "text or null",    "number", "number or null",
                                         "boolean", "boolean or null", "array",  "array or null",
                                         "object",  "object or null",  "any"};
static const char *const csv_types[] = {
    "text", "text or empty", "number", "number or empty", "true or false", "true, false or empty", "", "", "", "",
    "any"};

static void print_fields(mls_output *output, const mls_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const mls_field *field = &fields->items[i];
        mls_output_printf(output, "%s: %s %s\n", fields->section, field->name, json_types[field->type]);
    }
}

static void print_columns(mls_output *output, const mls_columns *columns)
{
    const char *at = columns->names;
    size_t source;
    for (mls_str name; next_name(&at, &name);) {
        const mls_field *field = find_column(columns, name, &source);
        /* The type that has null stands behind the one that has not. */
        const bool empty = field != NULL && source < columns->optional && field->type % 2 == 0;
        mls_output_printf(output, "%s: %.*s %s\n", columns->section, (int)name.len, name.ptr,
                          field != NULL ? csv_types[field->type + empty] : "missing");
    }
}

void mls_fields_print(mls_output *output)
{
    static const mls_report *const reports[] = {
        &mls_score_report,          &mls_check_report, &mls_verify_report,    &mls_config_report,
        &mls_config_exports_report, &mls_rcp_report,   &mls_rcp_limit_report, &mls_editions_report,
        &mls_checklist_report,      &mls_events_report};
    print_fields(output, &mls_finding_fields);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        for (const mls_fields *const *fields = reports[i]->tables; fields != NULL && *fields != NULL; fields++) {
            print_fields(output, *fields);
        }
        if (reports[i]->columns != NULL) {
            print_columns(output, reports[i]->columns);
        }
    }
}
