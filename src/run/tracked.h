/* SPDX-License-Identifier: Apache-2.0 */
/* tracked.h - means of the numbers that a run tracked while it was timed, as notes beside it. */
#pragma once

#include "base/map.h"
#include "run/reading.h"

/* Names kept of a run, and the longest in bytes; that others were passed over is known. */
#define MLS_TRACKED_NAMES_MAX 512
#define MLS_TRACKED_NAME_LENGTH_MAX 200

typedef struct mls_tracked_sum {
    double sum;
    size_t count;
} mls_tracked_sum;

/* Notes on a run: of each member of tracked_stats and throughput (a bare number is the throughput) that was logged
 * between run_start and run_stop, in the order of the file, the sum of its finite values. */
typedef struct mls_tracked {
    mls_arena arena, scratch;
    mls_map sums; /* to an mls_tracked_sum */
    bool started, stopped;
    bool too_many;    /* names were passed over */
    size_t long_line; /* of the first name that was passed over for its length; 0: there is none */
} mls_tracked;

extern const mls_observer mls_tracked_observer;

/* Return the mean of a name in the notes (NULL: none) of a run; NAN: there is none. */
double mls_tracked_mean(const mls_tracked *tracked, mls_str name);

/* Add to the sum of a name. */
void mls_tracked_add(mls_tracked *tracked, mls_str name, mls_tracked_sum more);
