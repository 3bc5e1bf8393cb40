/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_report.c - the fields of records.  Values and metadata are passed on
 * as the JSON they were logged as, made safe.
 */
#include "report/reports.h"

#define EVENT_FIELDS(F)                                                                                                \
    F(event, file, TEXT, "", row->path)                                                                                \
    F(event, line, NUMBER, "", row->record->line)                                                                      \
    F(event, time_ms, NUMBER, "ms", row->record->time_ms)                                                              \
    F(event, event_type, WRITTEN_OR_NULL, "", mls_emit_logged(to, row->record->event_type))                            \
    F(event, key, TEXT_OR_NULL, "", row->record->key)                                                                  \
    F(event, value, ANY, "", mls_emit_logged(to, row->record->value))                                                  \
    F(event, metadata, ANY, "", mls_emit_json(to, row->record->metadata))
MLS_FIELDS(event, mls_event, "EVENTS NDJSON", EVENT_FIELDS)

static const mls_columns columns = {
    "EVENTS CSV", "file line time_ms event_type key value metadata", {&event_fields}, 0};

static void event_rows(mls_emitter *to, const void *what)
{
    mls_emit_row(to, &columns, (const void *[MLS_SOURCES_MAX]){what});
}

const mls_report mls_events_report = {.object = &event_fields,
                                      .tables = (const mls_fields *const[]){&event_fields, NULL},
                                      .columns = &columns,
                                      .rows = event_rows};
