/* SPDX-License-Identifier: Apache-2.0 */
/* needles.h - find all occurrences of many byte strings (the needles) in a text, in one pass that skips most bytes. */
#pragma once

#include "base/base.h"

/* Minimum length of a needle in bytes.  Shorter strings would occur too often. */
enum { MLS_NEEDLE_MIN = 5 };

typedef struct mls_needles mls_needles;

/* Create a search for `count` needles, which are copied.  Return MLS_OK, or MLS_ERROR_VALUE if a needle is shorter than
 * MLS_NEEDLE_MIN bytes or longer than 1 GiB. */
mls_status mls_needles_new(const mls_str *texts, size_t count, mls_needles **needles) MLS_MUST_USE;
void mls_needles_free(mls_needles *needles);

/* Tune the search to the kind of text that is searched.  Call it with each searched text, before or after searching.
 * Tuning happens rarely, never in the first megabytes, and takes some milliseconds.  It changes the speed, not the
 * results. */
void mls_needles_learn(mls_needles *needles, mls_str text);

/* Call `found` for each occurrence of a needle in the text, with the index of the needle and the offset of its first
 * byte.  An offset can be smaller than an earlier one, by at most the length of the longest needle.  If `found` returns
 * false, the search stops and returns false. */
bool mls_needles_find(const mls_needles *needles, mls_str text, bool (*found)(void *state, size_t needle, size_t at),
                      void *state);
