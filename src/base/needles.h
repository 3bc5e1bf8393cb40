/* SPDX-License-Identifier: Apache-2.0 */
/* needles.h - all places of many byte strings in a text, in one pass that looks at few of its bytes. */
#pragma once

#include "base/base.h"

/* Shorter ones occur too often. */
enum { MLS_NEEDLE_MIN = 5 };

typedef struct mls_needles mls_needles;

/* Needles of at least MLS_NEEDLE_MIN bytes, which are copied.  MLS_OK, or MLS_ERROR_VALUE: a shorter one. */
mls_status mls_needles_new(const mls_str *texts, size_t count, mls_needles **needles) MLS_MUST_USE;
void mls_needles_free(mls_needles *needles);

/* To be called with what is searched, before or after: now and then the search is fitted to what such text is full of,
 * which takes some milliseconds, and does not happen in the first megabytes.  It finds the same, in less time. */
void mls_needles_learn(mls_needles *needles, mls_str text);

/* Calls `found` with the number of a needle and the offset of its first byte, for each place where one is.  Offsets do
 * not fall by more than the longest needle.  It returns false to end the search, as the search then does. */
bool mls_needles_find(const mls_needles *needles, mls_str text, bool (*found)(void *state, size_t needle, size_t at),
                      void *state);
