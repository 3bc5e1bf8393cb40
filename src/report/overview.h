/* SPDX-License-Identifier: Apache-2.0 */
/* overview.h - texts of an overview, for the terminal and for HTML. */
#pragma once

#include "compare/overview.h"
#include "report/reports.h"

/* Append the precision that the first run printed: "   FP4 until step 350, then FP8". */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group);

/* Append an answer, or nothing if there is none: the place among published results; the comparison with --against; the
 * causes of the difference; settings that differ; the time breakdown; the state of the machine; the main finding. */
void mls_overview_append_place(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_against(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_why(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_differs(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_inside(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_machine(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_first(mls_buffer *line, const mls_overview_group *of);
