/* SPDX-License-Identifier: Apache-2.0 */
/* all_reports.h - the list of all reports, for whoever documents them. */
#ifndef MLS_REPORT_ALL_REPORTS_H
#define MLS_REPORT_ALL_REPORTS_H

#include "base/output.h"

/* Prints the fields and the columns of every report: section of mlscore-formats(5), name and type. */
void mls_reports_print_fields(mls_output *output);

#endif
