/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h - a line of a log as a row: its cells as values. */
#pragma once

#include "explain/telemetry/rows.h"

/* A row that has been read, and the device that it is about. */
typedef struct mls_parsed_row {
    mls_log_kind kind;
    mls_log_row packed; /* but for counters and reasons */
    double date_ms, clock_ms;
    double counters[MLS_COUNTER_COUNT];
    uint32_t reasons;
    mls_str names[MLS_ROW_NAMES];
    mls_str model;
    mls_str end;                          /* the last cell */
    mls_str entity;                       /* 'GPU' */
    bool zoned, lost, has_reasons, other; /* `other`: of no GPU, but of units or a link */
    bool instance;                        /* a part of a GPU */
    bool unnamed;                         /* no column says of which device it is */
} mls_parsed_row;

void mls_row_begin(mls_parsed_row *row, mls_log_kind kind);

/* NULL: a line is a row of the heading; else why not.  What it borrows is of the line. */
const char *mls_row_parse(const mls_log_heading *heading, mls_str line, mls_parsed_row *row);

/* Whether the last cell of a file that nothing ends was cut off, as far as that of the row before can tell: of a number
 * without a unit it cannot. */
bool mls_cell_is_cut(mls_str cell, mls_str before);
