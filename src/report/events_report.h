/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_report.h - records as rows of CSV or lines of NDJSON.
 */
#ifndef MLS_REPORT_EVENTS_REPORT_H
#define MLS_REPORT_EVENTS_REPORT_H

#include "mlscore/log.h"
#include "report/fields.h"

/* A record and the file it is from. */
typedef struct mls_event {
    const char *path;
    const mls_record *record;
} mls_event;

extern const mls_report mls_events_report; /* of an mls_event */

#endif
