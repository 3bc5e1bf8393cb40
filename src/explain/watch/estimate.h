/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.h - how long a run that trains still takes, by runs of its group that have ended, else by the reference; and
 * what a group's score is so far, and what it can still become.
 *
 * Positions are what the benchmark counts (samples, epochs); minutes count from run_start.  A run ends when its
 * estimate says if it converges.  NAN: not known. */
#pragma once

#include "score/group.h"

typedef struct mls_value_point {
    double at, minutes, value; /* value NAN: not a number */
} mls_value_point;

/* The evaluations of a run, each further than the one before.  Of more than these every second one is dropped, and from
 * then on every second one kept; the first and the last always are.  Zero-initialised is empty; owns its items. */
enum { MLS_CURVE_POINTS_MAX = 512 };
typedef struct mls_curve {
    mls_value_point *items;
    size_t count, capacity;
    size_t seen, stride; /* evaluations that came; one of so many is kept */
    double before;       /* position of the evaluation before the last one; NAN: there is none */
} mls_curve;

/* Add an evaluation; one that is not further than the last one is left out. */
void mls_curve_add(mls_curve *curve, mls_value_point point);
void mls_curve_release(mls_curve *curve);

/* A run of the group that ended well. */
typedef struct mls_past_run {
    const mls_curve *curve;
    double minutes; /* its time-to-train */
    double needed;  /* where it converged */
} mls_past_run;

/* What is known besides the run; of more runs than these the first ones are used. */
enum { MLS_PAST_RUNS_MAX = 256 };
typedef struct mls_estimate_basis {
    const mls_past_run *runs;
    size_t run_count;
    const double *reference; /* what the reference needed to converge, times `scale` */
    size_t reference_count;
    double scale;
    double limit; /* the position at which a run is ended, whatever it reached; 0: none is known */
} mls_estimate_basis;

typedef enum mls_estimate_from {
    MLS_ESTIMATE_NONE,
    MLS_ESTIMATE_REFERENCE,
    MLS_ESTIMATE_RUNS,
    MLS_ESTIMATE_CURVES
} mls_estimate_from;

/* "reference", "runs" or "curves"; NULL of none. */
const char *mls_estimate_from_name(mls_estimate_from from);

/* Minutes from now on, and an interval of 80 %. */
typedef struct mls_estimate {
    mls_estimate_from from;
    double left, low, high;
    double end;  /* the position at which the run is expected to end; NAN: not known */
    bool beyond; /* it is further than any run before it needed, and one evaluation more; or it has none left */
} mls_estimate;

mls_estimate mls_estimate_none(void);

/* Estimate what is left of a run `now` minutes after its run_start. */
mls_estimate mls_estimate_left(const mls_curve *curve, double now, const mls_estimate_basis *basis);

/* The runs of a group that have ended. */
typedef struct mls_so_far {
    const mls_benchmark *rules;
    const double *minutes; /* of the valid runs */
    size_t valid, not_valid;
    double scale; /* of the score, as it is now */
} mls_so_far;

typedef struct mls_outlook {
    size_t needed, finished, to_come; /* runs; needed 0: not known */
    bool impossible;                  /* more runs are not valid than may be */
    bool official;                    /* all runs have ended: `now` is the score */
    double now;                       /* the olympic mean of all, else the mean of the valid ones */
    double best, worst;               /* if every run to come is as the fastest, as the slowest so far */
} mls_outlook;

mls_outlook mls_outlook_make(const mls_so_far *so_far);

/* Return whether the scaled score will be below `minutes`: it cannot, it will in any case, or it will if the runs to
 * come, all alike, take less than *mean, to 0.001 minutes. */
typedef enum mls_beat { MLS_BEAT_CANNOT, MLS_BEAT_CERTAIN, MLS_BEAT_IF } mls_beat;
mls_beat mls_outlook_beat(const mls_so_far *so_far, double minutes, double *mean);
