/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h - process items in three steps: take them in order, work on several at once in threads, and deliver the
 * results in order. */
#pragma once

#include "base/base.h"

/* Maximum number of items that are taken but not yet delivered. */
enum { MLS_RELAY_SLOTS_MAX = 1024 };

/* Items are numbered from 0.  Callbacks can store the data of an item at index item % slots of an array. */
typedef struct mls_relay {
    unsigned threads; /* number of threads, including the calling thread */
    size_t slots;     /* maximum number of items taken but not delivered, at most MLS_RELAY_SLOTS_MAX */
    size_t count;     /* maximum number of items */
    void *state;
    /* Called for one item at a time, on any thread.  Returns false if there is no further item.  May be NULL. */
    bool (*take)(void *state, size_t item);
    /* Called on any thread, for several items at the same time. */
    void (*work)(void *state, size_t item);
    /* Called for one item at a time, on the calling thread.  Any status except MLS_OK stops.  May be NULL. */
    mls_status (*deliver)(void *state, size_t item);
} mls_relay;

/* Process all items.  Return after work on all taken items has ended and, unless `deliver` failed, all were delivered.
 * Return MLS_OK, or the error that `deliver` returned. */
mls_status mls_relay_run(const mls_relay *relay) MLS_MUST_USE;

/* Return the number of processors that this process may use, at least 1. */
unsigned mls_processor_count(void);
