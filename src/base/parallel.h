/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h - items that are taken in order, worked on side by side, and delivered in order. */
#pragma once

#include "base/base.h"

/* The most items of a relay that may be taken and not yet delivered. */
enum { MLS_RELAY_SLOTS_MAX = 1024 };

/* Items have numbers from 0 on.  Who keeps something for each may use the number modulo `slots` as its place. */
typedef struct mls_relay {
    unsigned threads; /* the calling one included */
    size_t slots;
    size_t count; /* of the items, at most */
    void *state;
    bool (*take)(void *state, size_t item); /* one at a time, on any thread; false: there is none.  NULL: nothing */
    void (*work)(void *state, size_t item); /* on any thread, the items side by side */
    mls_status (*deliver)(void *state, size_t item); /* on the calling thread; not MLS_OK ends all.  NULL: nothing */
} mls_relay;

/* Returns when what was taken is done and nothing more is delivered: MLS_OK or what `deliver` returned. */
mls_status mls_relay_run(const mls_relay *relay) MLS_MUST_USE;

/* The processors this process may use, at least 1. */
unsigned mls_processor_count(void);
