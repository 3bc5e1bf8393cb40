/* SPDX-License-Identifier: Apache-2.0 */
/* outlook.h - what a group's score is so far, and what it can still become.  Minutes; NAN: not known. */
#pragma once

#include "score/group.h"

/* What has ended so far. */
typedef struct mls_so_far {
    const mls_benchmark *rules;
    const double *minutes; /* of the valid runs … */
    size_t valid;
    size_t not_valid;
    double scale; /* of the score, as it is at present */
} mls_so_far;

typedef struct mls_outlook {
    size_t needed, finished, to_come; /* runs; needed 0: not known */
    bool impossible;                  /* more are not valid than may be */
    bool official;                    /* all runs are there: `now` is the score */
    double now;                       /* the olympic mean of all, else the mean of the valid ones */
    double best, worst;               /* if every run to come is as the fastest, as the slowest so far */
} mls_outlook;

mls_status mls_outlook_make(const mls_so_far *so_far, mls_outlook *outlook) MLS_MUST_USE;

typedef enum mls_beat { MLS_BEAT_CANNOT, MLS_BEAT_CERTAIN, MLS_BEAT_IF } mls_beat;

/* Whether the scaled score will be below `minutes`: it cannot, it will in any case, or it will if the runs to come, all
 * alike, take less than *mean, to 0.001 minutes. */
mls_status mls_outlook_beat(const mls_so_far *so_far, double minutes, mls_beat *beat, double *mean) MLS_MUST_USE;
