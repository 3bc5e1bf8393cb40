/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h - the same work on many items, on several threads. */
#ifndef MLS_BASE_PARALLEL_H
#define MLS_BASE_PARALLEL_H

#include "mlscore/base.h"

/*
 * Calls work(state, i) once for every i below `count`, on up to `threads` threads, the calling one included, and
 * returns when all are done.  Items are begun in order; work on different items must not share what it changes.
 */
void mls_parallel_for(unsigned threads, size_t count, void (*work)(void *state, size_t index), void *state);

/* The processors this process may use, at least 1. */
unsigned mls_processor_count(void);

#endif
