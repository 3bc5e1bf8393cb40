/* SPDX-License-Identifier: Apache-2.0 */
/* reports.h - tables of comma-separated fields inside of any other text, private to the profile room. */
#ifndef MLS_PROFILE_REPORTS_H
#define MLS_PROFILE_REPORTS_H

#include "base/buffer.h"
#include "profile/gather.h"

/* A row with more fields is damaged. */
enum { MLS_FIELDS_MAX = 8192 };

typedef struct mls_report_field {
    size_t begin, len; /* in the row, without quotes around it */
    bool doubled;      /* quotes in it are still doubled */
} mls_report_field;

/* One row, valid until the next one.  Its text is the reader's to change. */
typedef struct mls_report_row {
    size_t line;
    char *text;
    const mls_report_field *fields;
    size_t count;
} mls_report_row;

/* A field's text; in place, so that it is to be asked for once. */
mls_str mls_report_text(const mls_report_row *row, size_t field);

/* What kind of line comes next, told from its text alone. */
typedef enum mls_report_line {
    MLS_LINE_TEXT,   /* nothing to split: it has been taken */
    MLS_LINE_ROW,    /* to be split, and to be given to the row function */
    MLS_LINE_HEADING /* likewise; it begins a table */
} mls_report_line;

/* Readers of the two kinds of reports. */
typedef struct mls_nsys mls_nsys;
typedef struct mls_ncu mls_ncu;

mls_nsys *mls_nsys_new(mls_gather *gather);
mls_report_line mls_nsys_line(mls_nsys *nsys, mls_str line, size_t number);
mls_status mls_nsys_row(mls_nsys *nsys, const mls_report_row *row, bool heading);
/* Whether there was a report of this kind; what is still open is closed. */
bool mls_nsys_finish(mls_nsys *nsys);
void mls_nsys_free(mls_nsys *nsys);

mls_ncu *mls_ncu_new(mls_gather *gather);
mls_report_line mls_ncu_line(mls_ncu *ncu, mls_str line);
mls_status mls_ncu_row(mls_ncu *ncu, const mls_report_row *row, bool heading);
bool mls_ncu_finish(mls_ncu *ncu);
void mls_ncu_free(mls_ncu *ncu);

/* Says that a row is left out. */
void mls_report_damaged(mls_gather *gather, size_t line, const char *why);

#endif
