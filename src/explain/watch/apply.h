/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h - what was read becomes the state of runs, and events. */
#pragma once

#include "explain/watch/live.h"

/* Applies the queue in the order of its times, and tells of it.  MLS_OK, MLS_ERROR_MEMORY or what the callback
 * returned.
 */
mls_status mls_live_apply(mls_live *live) MLS_MUST_USE;

/* Note that the file whose last run this is (NULL: it has none) has bytes again after a silence. */
void mls_live_grown(mls_live_run *last, double silence_ms);

/* Finds the runs that have stalled or go on, and those that a newer one of their group has outlived.  `job_ended`: so
 * has the job of all of them. */
mls_status mls_live_check_silence(mls_live *live, bool job_ended) MLS_MUST_USE;
