/* SPDX-License-Identifier: Apache-2.0 */
/* tracked.h - the means of the metrics that a run tracked, as notes of an observer. */
#pragma once

#include "base/map.h"
#include "run/reading.h"

/* Limits: number of names per run, and length of a name in bytes.  Names beyond these limits are skipped: see
 * mls_tracked. */
#define MLS_TRACKED_NAMES_MAX 512
#define MLS_TRACKED_NAME_LENGTH_MAX 200

typedef struct mls_tracked_sum {
    double sum;
    size_t count;
} mls_tracked_sum;

/* Notes on a run: the sum of the finite values of each member of tracked_stats and throughput (whose value may be a
 * plain number) that was logged between run_start and run_stop, in the order of the file. */
typedef struct mls_tracked {
    mls_arena arena, scratch;
    mls_map sums; /* name → mls_tracked_sum */
    bool started, stopped;
    bool too_many;    /* names were skipped */
    size_t long_line; /* line of the first name that was skipped because it is too long; 0: no such name */
} mls_tracked;

extern const mls_observer mls_tracked_observer;

/* Return the mean of a metric from the notes of a run; NAN if the run did not log it, or `tracked` is NULL. */
double mls_tracked_mean(const mls_tracked *tracked, mls_str name);

/* Add the sum and the count in `more` to those of a metric. */
void mls_tracked_add(mls_tracked *tracked, mls_str name, mls_tracked_sum more);
