/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the quantities that are measured, the formats of logs, which are data, and their headings. */
#pragma once

#include "explain/telemetry/telemetry.h"

/* The quantity in a column.  The first of them have a value in every row. */
typedef enum mls_quantity {
    MLS_QUANTITY_METRIC = 0,
    MLS_QUANTITY_COUNTER = MLS_METRIC_COUNT,
    MLS_QUANTITY_REASONS = MLS_QUANTITY_COUNTER + MLS_COUNTER_COUNT, /* NVML's bits */
    MLS_QUANTITY_VALUES,
    MLS_QUANTITY_REASON = MLS_QUANTITY_VALUES, /* "Active" sets the bit */
    MLS_QUANTITY_PROCESS = MLS_QUANTITY_REASON + MLS_REASON_COUNT,
    MLS_QUANTITY_MOMENT, /* date and time; or each in a column of its own */
    MLS_QUANTITY_DATE,
    MLS_QUANTITY_CLOCK,
    MLS_QUANTITY_ENTITY, /* two words: "GPU 0" */
    MLS_QUANTITY_INDEX,  /* these three name the device, the first that there is */
    MLS_QUANTITY_UUID,
    MLS_QUANTITY_BUS,
    MLS_QUANTITY_NAME,
    MLS_QUANTITY_COUNT
} mls_quantity;

/* amd-smi has other names for what it measures than for what it monitors. */
typedef enum mls_log_kind {
    MLS_LOG_DMON,
    MLS_LOG_DCGM,
    MLS_LOG_SMI,
    MLS_LOG_AMD,
    MLS_LOG_AMD_MONITOR,
    MLS_LOG_ROCM,
    MLS_LOG_MLPERF,
    MLS_LOG_KINDS
} mls_log_kind;

extern const struct mls_log_format {
    const char *source;
    char mark;  /* begins headings and rows of units, and cells have blanks between them; '\0': nothing does, commas */
    bool lists; /* a cell may be a list, in quotes or brackets */
} mls_log_formats[MLS_LOG_KINDS];

typedef struct mls_log_column {
    unsigned char quantity;           /* an mls_quantity */
    int per;                          /* numbers are divided by this */
    const char *names[MLS_LOG_KINDS]; /* in each format; NULL: it has no such */
} mls_log_column;

/* A heading.  One of more columns is none. */
enum { MLS_HEADING_COLUMNS_MAX = 256 };

typedef struct mls_log_heading {
    mls_log_kind kind;
    bool read;   /* there is one */
    bool blanks; /* a blank follows every comma between cells */
    bool timed;
    bool named;          /* a column says which device a row is about */
    const char *skipped; /* why its log is not read; NULL: it is */
    mls_str unknown;     /* the first name that is no column's; empty: none */
    size_t count;
    signed char slots[MLS_QUANTITY_VALUES];                 /* place of each value in a row; -1: the format has none */
    const mls_log_column *columns[MLS_HEADING_COLUMNS_MAX]; /* NULL: it is not known, or another is better */
    bool second[MLS_HEADING_COLUMNS_MAX]; /* of a metric for which another column is better, where that has a value */
} mls_log_heading;

/* Whether a line is a heading.  With `listed` it is a list of --columns. */
bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed);

/* The next cell of a row, trimmed; false at its end. */
bool mls_heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell);

/* Which place in a row each value has; -1: the format has no such. */
void mls_log_slots(mls_log_kind kind, signed char slots[MLS_QUANTITY_VALUES]);

/* Returns which other format a line shows, and what to do instead; NULL: it shows none. */
const char *mls_log_foreign(mls_str line);
