/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - results as CSV, through libcsv.
 *
 * Every field is quoted, rows end in "\r\n" as RFC 4180 has it, control
 * characters are escaped, absent numbers are empty.
 */
#ifndef MLS_REPORT_CSV_H
#define MLS_REPORT_CSV_H

#include "base/output.h"

typedef struct mls_csv {
    mls_output *output;
    size_t fields; /* in the row so far */
    bool failed;   /* memory ran out */
} mls_csv;

void mls_csv_text(mls_csv *csv, const char *text); /* NULL: empty */
void mls_csv_str(mls_csv *csv, mls_str text);
void mls_csv_number(mls_csv *csv, double number);
void mls_csv_bool(mls_csv *csv, bool value);
void mls_csv_end_row(mls_csv *csv);

/* A row of names, separated by blanks in `names`. */
void mls_csv_header(mls_csv *csv, const char *names);

#endif
