/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.h - estimate the remaining time of a training run, from finished runs of its group or else from the
 * reference; and a group's provisional score with its bounds.
 *
 * Positions are in the unit of the benchmark (samples, epochs).  Minutes count from run_start.  Estimates assume that
 * the run converges.  NAN is unknown. */
#pragma once

#include "score/group.h"

typedef struct mls_value_point {
    double at, minutes, value; /* value NAN: not a number */
} mls_value_point;

/* The evaluations of a run, in ascending positions.  If there are too many, every second one is dropped, and only every
 * second one is stored from then on.  The first and the last are always kept.  Zero-initialise it; it owns its items.
 */
enum { MLS_CURVE_POINTS_MAX = 512 };
typedef struct mls_curve {
    mls_value_point *items;
    size_t count, capacity;
    size_t seen, stride; /* number of evaluations so far; one of `stride` is kept */
    double before;       /* position of the last but one evaluation; NAN: none */
} mls_curve;

/* Add an evaluation, unless its position is not after the last one. */
void mls_curve_add(mls_curve *curve, mls_value_point point);
void mls_curve_release(mls_curve *curve);

/* A run of the group that converged. */
typedef struct mls_past_run {
    const mls_curve *curve;
    double minutes; /* time to train */
    double needed;  /* position at which it converged */
} mls_past_run;

/* The data for an estimate.  At most MLS_PAST_RUNS_MAX runs are used. */
enum { MLS_PAST_RUNS_MAX = 256 };
typedef struct mls_estimate_basis {
    const mls_past_run *runs;
    size_t run_count;
    const double *reference; /* positions at which the reference converged; multiply them by `scale` */
    size_t reference_count;
    double scale;
    double limit; /* position at which a run is stopped even if it has not converged; 0: unknown */
} mls_estimate_basis;

typedef enum mls_estimate_from {
    MLS_ESTIMATE_NONE,
    MLS_ESTIMATE_REFERENCE,
    MLS_ESTIMATE_RUNS,
    MLS_ESTIMATE_CURVES
} mls_estimate_from;

/* Return "reference", "runs" or "curves"; NULL for none. */
const char *mls_estimate_from_name(mls_estimate_from from);

/* The minutes left from now, with an 80 % interval. */
typedef struct mls_estimate {
    mls_estimate_from from;
    double left, low, high;
    double end;  /* expected position of the end; NAN: unknown */
    bool beyond; /* the run is more than one evaluation past the longest of the earlier runs, or at its limit */
} mls_estimate;

mls_estimate mls_estimate_none(void);

/* Estimate the remaining time of a run `now` minutes after its run_start. */
mls_estimate mls_estimate_left(const mls_curve *curve, double now, const mls_estimate_basis *basis);

/* The finished runs of a group. */
typedef struct mls_so_far {
    const mls_benchmark *rules;
    const double *minutes; /* of the valid runs */
    size_t valid, not_valid;
    double scale; /* current scale factor of the score */
} mls_so_far;

typedef struct mls_outlook {
    size_t needed, finished, to_come; /* numbers of runs; needed 0: unknown */
    bool impossible;                  /* more runs are invalid than the rules allow */
    bool official;                    /* all runs have finished, so `now` is the score */
    double now;                       /* olympic mean of all runs, or mean of the valid ones if it does not exist */
    double best, worst;               /* if all remaining runs are as fast as the fastest, or as slow as the slowest */
} mls_outlook;

mls_outlook mls_outlook_make(const mls_so_far *so_far);

/* Return whether the scaled score can be below `minutes`: never, in any case, or if all remaining runs, assumed equal,
 * take less than *mean (to 0.001 minutes). */
typedef enum mls_beat { MLS_BEAT_CANNOT, MLS_BEAT_CERTAIN, MLS_BEAT_IF } mls_beat;
mls_beat mls_outlook_beat(const mls_so_far *so_far, double minutes, double *mean);
