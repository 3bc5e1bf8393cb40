/* SPDX-License-Identifier: Apache-2.0 */
/* records.h - from the lines of a followed file to what happened to its runs. */
#pragma once

#include "explain/watch/live.h"

/* Begins a file, and forgets it: for mls_follow_listener; what it reads goes into the queue of `live`, an mls_live, as
 * does what becomes of the file. */
mls_status mls_records_begin(void *live, mls_followed *file);
void mls_records_forget_file(mls_followed *file);
mls_status mls_records_changed(void *live, mls_followed *file, mls_file_change change, const char *what);

/* Return the last run that was read in a file; NULL: none. */
mls_live_run *mls_records_last_run(const mls_followed *file);

/* The job that the file says it is of, as far as it has been read; NULL: it has not said. */
const char *mls_records_job(const mls_followed *file);
