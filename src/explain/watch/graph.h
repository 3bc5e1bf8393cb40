/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - the evaluations of a run that trains, drawn with characters. */
#pragma once

#include "explain/watch/live.h"
#include "term/rows.h"

/* Draws the values of a run's evaluations against its positions, over `lines` lines and an axis: those of runs of its
 * group that have ended as fainter dots, the target as a line.  With braille dots, or (`ascii`) with '*' and '.'. */
mls_status mls_graph_draw(const mls_live_run *run, size_t lines, bool ascii, mls_sheet *sheet) MLS_MUST_USE;
