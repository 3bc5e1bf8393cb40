/* SPDX-License-Identifier: Apache-2.0 */
/* tracked.h - an observer that computes the means of the metrics a run logs in tracked_stats and throughput. */
#pragma once

#include "base/map.h"
#include "run/reading.h"

/* Limits: maximum number of names per run, and maximum length of a name in bytes.  Names beyond these limits are
 * skipped, which mls_tracked records. */
#define MLS_TRACKED_NAMES_MAX 512
#define MLS_TRACKED_NAME_LENGTH_MAX 200

typedef struct mls_tracked_sum {
    double sum;
    size_t count;
} mls_tracked_sum;

/* The observer's notes on a run: for each member of the values of tracked_stats and throughput, the sum of its finite
 * values between run_start and run_stop, in the order of the file.  If the value of a throughput record is a number, it
 * counts as the member "throughput". */
typedef struct mls_tracked {
    mls_arena arena, scratch;
    mls_map sums; /* from the name of a metric to its mls_tracked_sum */
    bool started, stopped;
    bool too_many;    /* names were skipped because there are too many */
    size_t long_line; /* line of the first name that was skipped because it is too long; 0: no such name */
} mls_tracked;

extern const mls_observer mls_tracked_observer;

/* Return the mean of a metric from the notes of a run; NAN if the run did not log it, or `tracked` is NULL. */
double mls_tracked_mean(const mls_tracked *tracked, mls_str name);

/* Add the sum and the count of `more` to those of the metric `name`. */
void mls_tracked_add(mls_tracked *tracked, mls_str name, mls_tracked_sum more);
