/* SPDX-License-Identifier: Apache-2.0 */
/* profile_tables.h - the tables of profiles, for profile_report.c and ranks_report.c. */
#pragma once

#include "report/reports.h"
#include "term/table.h"

/* Print the title of a profile or job, and release the buffer; print a table, in Markdown with an empty line after it.
 */
void mls_profile_headline(mls_view *view, mls_str title, mls_buffer *rest);
void mls_profile_table_finish(mls_table *table, mls_view *view);
