/* SPDX-License-Identifier: Apache-2.0 */
/* signatures.h - match lines of a log against signatures: one search for all fixed strings, then the patterns. */
#pragma once

#include "log/messages.h"

/* Maximum number of marks, which are strings that a reader searches for in addition to signatures.
 * mls_signatures_search() returns one bit for each of the first marks, and MLS_ANY_SIGNATURE for everything else. */
enum { MLS_MARKS_MAX = 31 };
#define MLS_ANY_SIGNATURE (UINT32_C(1) << MLS_MARKS_MAX)

/* Prepare the search for the strings that signatures need and for the reader's `marks`, which are borrowed.  The marks
 * after the first `mark_count` are searched for only on request.  Do nothing if the function was already called for the
 * same marks and no signature was added since. */
void mls_signatures_prepare(mls_signatures *signatures, const mls_str *marks, size_t mark_count, size_t all_count);

/* Select whether the next searches look for all marks, or only the first ones.  Call it before searching: the search
 * table is created on first use. */
struct mls_needles *mls_signatures_needles(mls_signatures *signatures, bool all);

/* Return whether some signature needs no fixed string, so that every line must be examined. */
bool mls_signatures_want_all(const mls_signatures *signatures);

/* Return whether there are signatures of users.  Records are searched for the signatures of users, but not for
 * built-in ones. */
bool mls_signatures_want_records(const mls_signatures *signatures);

/* Search a line for all fixed strings, for mls_signatures_find().  Return a bit for each mark found,
 * and MLS_ANY_SIGNATURE if any other string was found; 0 if no string was found. */
uint32_t mls_signatures_search(mls_signatures *signatures, mls_str line);

/* Return the signature that matches a message of the line searched last, with the highest precedence; generic
 * signatures only if no other matches.  Return -1 if no signature matches.  `traceback`: include the signature that
 * counts only after a traceback. mls_signatures_group() can be called afterwards. */
ptrdiff_t mls_signatures_find(mls_signatures *signatures, mls_str message, bool traceback);

/* Return the text that the group `name` of the signature `found`, the one found last, matched in the message; ptr is
 * NULL if the group did not match. */
mls_str mls_signatures_group(const mls_signatures *signatures, size_t found, mls_str message, const char *name);

/* Return whether a message may be the exception that ends a traceback. */
bool mls_signatures_maybe_exception(const mls_signatures *signatures, mls_str message);

/* Return whether a pattern exceeded its limits on some line and is no longer tried. */
bool mls_signatures_overran(const mls_signatures *signatures, size_t index);
