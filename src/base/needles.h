/* SPDX-License-Identifier: Apache-2.0 */
/* needles.h - all places of many byte strings in a text, in one pass that looks at few of its bytes. */
#pragma once

#include "base/base.h"

/* Of shorter ones no window of four bytes falls on each place that is looked at, and they occur too often. */
enum { MLS_NEEDLE_MIN = 5 };

typedef struct mls_needles mls_needles;

/* Needles of at least MLS_NEEDLE_MIN bytes, which are copied.  MLS_OK, MLS_ERROR_VALUE (a shorter one) or _MEMORY. */
mls_status mls_needles_new(const mls_str *texts, size_t count, mls_needles **needles) MLS_MUST_USE;
void mls_needles_free(mls_needles *needles);

/* Calls `found` with the number of a needle and the offset of its first byte, for each place where one is.  Offsets do
 * not fall by more than the longest needle.  It returns false to end the search, as the search then does. */
bool mls_needles_find(const mls_needles *needles, mls_str text, bool (*found)(void *state, size_t needle, size_t at),
                      void *state);
