/* SPDX-License-Identifier: Apache-2.0 */
/* overview.h - the words of an overview, for its lines and for its page. */
#pragma once

#include "compare/overview.h"
#include "report/reports.h"

/* Append the precision that the first run printed: "   FP4 until step 350, then FP8". */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group);

/* Append what stands behind a label; nothing where there is nothing to say.  `place`: among published results;
 * `against`: of what --against names. */
void mls_overview_append_place(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_against(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_why(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_differs(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_inside(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_machine(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_first(mls_buffer *line, const mls_overview_group *of);
