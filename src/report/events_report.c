/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_report.c - the fields of records.  Values and metadata are passed on
 * as the JSON they were logged as, made safe.
 */
#include "report/reports.h"

typedef mls_event event_row;
#define EVENT_FIELDS(F)                                                                                                \
    F(event, file, TEXT, 0, "", row->path)                                                                             \
    F(event, line, NUMBER, 0, "", row->record->line)                                                                   \
    F(event, time_ms, NUMBER, 0, "ms", row->record->time_ms)                                                           \
    F(event, event_type, WRITTEN_OR_NULL, 0, "", mls_emit_logged(to, row->record->event_type))                         \
    F(event, key, STR_OR_NULL, 0, "", row->record->key)                                                                \
    F(event, value, ANY, 0, "", mls_emit_logged(to, row->record->value))                                               \
    F(event, metadata, ANY, 0, "", mls_emit_json(to, row->record->metadata))
MLS_FIELDS(event, "EVENTS NDJSON", EVENT_FIELDS)
const mls_fields *const mls_events_tables[] = {&event_fields, NULL};

const mls_columns mls_events_columns = {
    "EVENTS CSV", "file line time_ms event_type key value metadata", {&event_fields}, 0};

static void event_rows(mls_emitter *to, const void *what)
{
    mls_emit_row(to, &mls_events_columns, (const void *[MLS_SOURCES_MAX]){what});
}

const mls_report mls_events_report = {
    .command = "events", .object = &event_fields, .columns = &mls_events_columns, .rows = event_rows};
