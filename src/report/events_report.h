/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_report.h - records as rows of CSV or lines of NDJSON.
 */
#ifndef MLS_REPORT_EVENTS_REPORT_H
#define MLS_REPORT_EVENTS_REPORT_H

#include "base/arena.h"
#include "mlscore/log.h"
#include "report/csv.h"
#include "report/table.h"

typedef struct mls_events_writer {
    mls_output *output;
    bool ndjson;
    mls_csv csv;
    mls_buffer line;
    mls_arena scratch;
    bool failed;
} mls_events_writer;

void mls_events_start(mls_events_writer *writer, mls_output *output, bool ndjson);

/* The names of the columns; nothing for NDJSON. */
void mls_events_header(mls_events_writer *writer);

/* One record: file, line, time_ms, event_type, key, value and metadata, the last two as JSON. */
void mls_events_write(mls_events_writer *writer, const char *path, const mls_record *record);

/* Frees the writer; false when memory ran out on the way. */
bool mls_events_stop(mls_events_writer *writer) MLS_MUST_USE;

#endif
