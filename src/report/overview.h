/* SPDX-License-Identifier: Apache-2.0 */
/* overview.h - the words of an overview, for its lines and for its table. */
#pragma once

#include "report/reports.h"

/* What is worth a look. */
#define MLS_OVERVIEW_PART 0.005       /* of the published score */
#define MLS_OVERVIEW_STARTUP 0.05     /* of the time */
#define MLS_OVERVIEW_LOST 0.01        /* of the score (or median run), by a slow phase or run */
#define MLS_OVERVIEW_EVALUATIONS 0.15 /* of the time */
#define MLS_OVERVIEW_CONVERGENCE 0.03 /* more samples than the reference's mean */

/* The published result that a group is measured by: the fastest of its edition on as many of the same accelerators;
 * NULL: there is none, and the nearest of all (NULL: none, either). */
const mls_published_near *mls_overview_fastest(const mls_overview_group *of);
const mls_published_near *mls_overview_nearest(const mls_overview_group *of);

/* How much slower it is than what it is compared with; NAN: there is nothing. */
double mls_overview_ratio(const mls_overview_group *of);

/* Whether a run did not end, or was aborted. */
bool mls_overview_is_failed(const mls_run *run);

/* Whether its runs together break a rule: of convergence, or of seeds. */
bool mls_overview_is_broken(const mls_group *group);

/* The run of median length among those that ended; NULL: none did. */
const mls_throughput *mls_overview_median(const mls_overview_group *of);

/* The slow phase, or the slow run, that lost most: how much, and of which run (NULL: of most of them). */
typedef struct mls_overview_slow {
    double lost_ms, share;       /* of the score before scaling; of the median run where there is none */
    const mls_slow_phase *phase; /* NULL: a run as a whole, */
    const char *part;            /* mostly in this one of its parts */
    const mls_throughput *run;
    size_t runs; /* that have it alike */
} mls_overview_slow;
mls_overview_slow mls_overview_slowest(const mls_overview_group *of);

/* Appends in how many bits the first run said to compute: "   FP4 until step 350, then FP8". */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group);

/* Append what stands behind a label; nothing where there is nothing to say.  `place`: among published results;
 * `against`: of what --against names. */
void mls_overview_append_place(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_against(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_why(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_differs(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_inside(mls_buffer *line, const mls_overview_group *of);
void mls_overview_append_run(mls_buffer *line, const mls_group *group, size_t index);
void mls_overview_append_first(mls_buffer *line, const mls_overview_group *of);
