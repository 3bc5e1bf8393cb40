/* SPDX-License-Identifier: Apache-2.0 */
/* export_row.h - a run and its group as an export has them, and whether they contradict themselves.
 *
 * score/export.h says what there is: columns of CSV, or members of objects of JSON. */
#pragma once

#include "compare/side.h"
#include "score/export.h"

#define MLS_EXPORT_LIST(F) MLS_SCORE_COLUMN_LIST(F) MLS_WIDE_COLUMN_LIST(F) MLS_PLACE_COLUMN_LIST(F)

#define MLS_EXPORT_DECLARE_TEXT(name) const char *name;
#define MLS_EXPORT_DECLARE_NUMBER(name) double name;
#define MLS_EXPORT_DECLARE_BOOL(name) bool name;
#define MLS_EXPORT_DECLARE_UNREAD(name)
#define MLS_EXPORT_DECLARE(name, kind, object, use) MLS_EXPORT_DECLARE_##kind(name)

/* The cells of one row, or the members of a run and its group; NULL and NAN: not known. */
typedef struct mls_export_row {
    MLS_EXPORT_LIST(MLS_EXPORT_DECLARE)
} mls_export_row;

/* A group on its way in. */
typedef struct mls_export_group {
    mls_side_group *group;
    size_t line;    /* where it begins */
    double dropped; /* as it is reported; NAN: it is not */
    bool marked;    /* every run says what became of it in the score */
} mls_export_group;

/* The mark of a run; where there is none a valid run is kept. */
mls_olympic_mark mls_export_mark(const mls_export_row *row);

/* Whether what is said can be so: of a row (`objects`: a group, a run, or both), of a row beside those of its group
 * before it, and of a group with all its runs.  MLS_OK, or MLS_ERROR_SYNTAX at a line. */
mls_status mls_export_row_check(const mls_export_row *row, unsigned objects, size_t line, mls_error *error);
mls_status mls_export_row_agrees(const mls_export_row *row, const mls_export_group *with, size_t line,
                                 mls_error *error);
mls_status mls_export_group_check(const mls_export_group *of, mls_error *error);
