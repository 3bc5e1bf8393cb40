/* SPDX-License-Identifier: Apache-2.0 */
/* idle.h - why a device had nothing to do, and how long after their launches its kernels began; private to the profile
 * room. */
#pragma once

#include "explain/profile/gather.h"

/* Of one device, in nanoseconds; zero-initialised is empty. */
typedef struct mls_idle {
    int64_t host, queue, unknown; /* of the gaps that have ended */
    int64_t from, to, launch;     /* the last gap, and the first launch of what ended it */
    uint64_t kernels, launched;   /* all of them, and those whose launch is known */
    double kernel_time, graph_time;
    int64_t kernel_median, delay_median, delay_95; /* by nearest rank: of `kernels`, of `launched` */
} mls_idle;

/* Adds an activity, in the order of starts; `before` covers those that came before it. */
void mls_idle_add(mls_idle *idle, mls_activity *activity, bool kernel, const mls_cover *before);

/* Ends the last gap, and ranks the activities, which are all that were added, in any order. */
void mls_idle_end(mls_idle *idle, mls_activity *activities, size_t count);
