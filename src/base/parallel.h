/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h - process items in parallel: take them in order, work on them on several threads, deliver them in order.
 */
#pragma once

#include "base/base.h"

/* Maximum number of items that are taken but not yet delivered. */
enum { MLS_RELAY_SLOTS_MAX = 1024 };

/* Items are numbered from 0.  Per-item data can be stored at index item % slots. */
typedef struct mls_relay {
    unsigned threads; /* including the calling one */
    size_t slots;
    size_t count; /* maximum number of items */
    void *state;
    bool (*take)(void *state, size_t item); /* one at a time, on any thread; false: no more items.  May be NULL */
    void (*work)(void *state, size_t item); /* on any thread, several items at once */
    mls_status (*deliver)(void *state, size_t item); /* on the calling thread; not MLS_OK: stop.  May be NULL */
} mls_relay;

/* Return when all taken items are done and, unless `deliver` failed, delivered.  Return MLS_OK, or what `deliver`
 * returned. */
mls_status mls_relay_run(const mls_relay *relay) MLS_MUST_USE;

/* Return the number of processors that this process may use, at least 1. */
unsigned mls_processor_count(void);
