/* SPDX-License-Identifier: Apache-2.0 */
/* reports.h - tables of comma-separated fields inside of any other text, those of nsys and of ncu; private to the
 * profile room. */
#pragma once

#include "explain/profile/gather.h"

/* A row with more fields is damaged. */
enum { MLS_FIELDS_MAX = 8192 };

typedef struct mls_report_field {
    size_t begin, len; /* in the row, without quotes around it */
    bool doubled;      /* quotes in it are still doubled */
} mls_report_field;

/* The roles of columns, and their headings; from ID on those of ncu. */
#define MLS_ROLE_LIST(F)                                                                                               \
    F(TIME, "Total Time")                                                                                              \
    F(SIZE, "Total")                                                                                                   \
    F(INSTANCES, "Instances")                                                                                          \
    F(COUNT, "Count")                                                                                                  \
    F(CALLS, "Num Calls")                                                                                              \
    F(NAME, "Name")                                                                                                    \
    F(OPERATION, "Operation")                                                                                          \
    F(RANGE, "Range")                                                                                                  \
    F(MIN, "Min")                                                                                                      \
    F(MAX, "Max")                                                                                                      \
    F(API_MEAN, "AAvg")                                                                                                \
    F(QUEUE_MEAN, "QAvg")                                                                                              \
    F(KERNEL_MEAN, "KAvg")                                                                                             \
    F(START, "Start")                                                                                                  \
    F(LENGTH, "Duration")                                                                                              \
    F(DEVICE, "Device")                                                                                                \
    F(STREAM, "Strm")                                                                                                  \
    F(BYTES, "Bytes")                                                                                                  \
    F(SOURCE, "SrcMemKd")                                                                                              \
    F(DESTINATION, "DstMemKd")                                                                                         \
    F(QUEUED, "QCount")                                                                                                \
    F(API, "API Name")                                                                                                 \
    F(DEVICE_ID, "Device ID")                                                                                          \
    F(THREAD, "Tid")                                                                                                   \
    F(ID, "ID")                                                                                                        \
    F(PROCESS, "Process ID")                                                                                           \
    F(KERNEL, "Kernel Name")                                                                                           \
    F(METRIC, "Metric Name")                                                                                           \
    F(UNIT, "Metric Unit")                                                                                             \
    F(VALUE, "Metric Value")                                                                                           \
    F(RULE, "Rule Name")                                                                                               \
    F(SCOPE, "Estimated Speedup Type")                                                                                 \
    F(SPEEDUP, "Estimated Speedup")

#define MLS_ROLE_CODE(role, heading) MLS_ROLE_##role,
typedef enum mls_column_role { MLS_ROLE_LIST(MLS_ROLE_CODE) MLS_ROLES } mls_column_role;
#undef MLS_ROLE_CODE

/* Where a column is that the heading lacks. */
enum { MLS_ABSENT = MLS_FIELDS_MAX };

typedef enum mls_report_kind {
    MLS_REPORT_KERNELS,
    MLS_REPORT_COPY_TIMES,
    MLS_REPORT_GPU_SUMS, /* both */
    MLS_REPORT_COPY_SIZES,
    MLS_REPORT_CALLS,
    MLS_REPORT_RANGES,
    MLS_REPORT_TRACE,
    MLS_REPORT_LAUNCHES,
    MLS_REPORT_RULE,
    MLS_REPORT_IGNORED,
    MLS_REPORT_NONE
} mls_report_kind;

enum { MLS_NCU_NAMES = 19, MLS_REPORT_NAME_KEPT = 64 };

typedef struct mls_reports {
    mls_gather *gather;
    mls_window *window;
    size_t line;  /* of the row */
    size_t alone; /* lines up to this one are no part of the row before them */
    mls_report_field fields[MLS_FIELDS_MAX];
    size_t count;
    size_t open_at; /* where the field begins whose quotes are open */
    bool doubled;
    size_t columns, at[MLS_ROLES]; /* of the heading; 0: there was none yet */
    bool is_nsys, is_ncu;          /* the first heading decides */
    bool is_rocprof;               /* of those of nsys: the last heading was one of rocprof */
    struct {
        mls_report_kind kind; /* of the report that rows belong to */
        bool any;             /* a report has been found */
        bool seen[MLS_REPORT_IGNORED];
        size_t sums_line;                /* of the first sum of kernels or copies */
        char name[MLS_REPORT_NAME_KEPT]; /* of the next report, "": it has none */
        size_t line;                     /* of the heading */
        double megabytes;                /* of a byte column's unit */
        mls_tally *called;               /* whose functions are called; NULL: the report has no name */
        /* Of a column, and by its role, the last place being for all other columns: */
        unsigned char role_of[MLS_FIELDS_MAX];
        bool is_number[MLS_FIELDS_MAX]; /* which shows how numbers are written */
        int power[MLS_ROLES + 1];       /* of ten: of its unit, to nanoseconds */
        mls_decimal numbers[MLS_ROLES + 1];
        bool there[MLS_ROLES + 1]; /* the row has that number */
        bool any_row;              /* the report has had one */
        unsigned rule, rules_seen; /* which rule of nsys analyze the report is of; a bit for each */
    } nsys;
    struct {
        bool raw;
        bool units_due;                          /* the row after the heading of page raw */
        unsigned char metric_of[MLS_FIELDS_MAX]; /* of a column of page raw */
        double factor[MLS_NCU_NAMES];            /* of their units; NAN: none that fits */
        mls_map launches;                        /* of ID and process */
    } ncu;
} mls_reports;

/* Whether a row has been split to its end, or ends inside of a quoted field, or is none. */
typedef enum mls_row_end { MLS_ROW_WHOLE, MLS_ROW_OPEN, MLS_ROW_BROKEN } mls_row_end;

/* A field's text; "" where the row has no such field. */
mls_str mls_report_text(mls_reports *reports, size_t field);

/* The kind of a line, by its text alone. */
typedef enum mls_report_line {
    MLS_LINE_TEXT,   /* nothing to split: it has been taken */
    MLS_LINE_ROW,    /* to be split and taken */
    MLS_LINE_HEADING /* likewise; it begins a table */
} mls_report_line;

/* Cuts the brackets off the end of a text, "Total Time (ns)", and returns what they hold; "": it has none. */
mls_str mls_cut_brackets(mls_str *text);

/* Ten to which power a unit of time is nanoseconds; -1: it is none. */
int mls_time_power(mls_str unit);

/* The readers of both: a line; a column of the heading, which has this role (MLS_ROLES: none); the heading, when all
 * its columns are known; a row, with the reason why it is left out (NULL: it is not). */
mls_report_line mls_nsys_line(mls_reports *reports, mls_str line);
void mls_nsys_column(mls_reports *reports, size_t column, mls_column_role role, mls_str unit);
void mls_nsys_heading(mls_reports *reports);
const char *mls_nsys_row(mls_reports *reports);
void mls_nsys_report_end(mls_reports *reports);

/* Takes kernels from their launches, where nothing better lists them. */
void mls_nsys_end(mls_reports *reports);

mls_str mls_rocprof_column(mls_str heading);

void mls_ncu_column(mls_reports *reports, size_t column, mls_column_role role, mls_str name);
void mls_ncu_heading(mls_reports *reports);
const char *mls_ncu_row(mls_reports *reports);
