/* SPDX-License-Identifier: Apache-2.0 */
/* signatures.h - match lines of a log against signatures.  A line is first searched for the fixed strings of all
 * signatures, and then matched only with the patterns of signatures whose strings were found. */
#pragma once

#include "log/messages.h"

/* Maximum number of marks whose bits mls_signatures_search() returns.  A mark is a string that a reader searches for in
 * addition to signatures.  The bit MLS_ANY_SIGNATURE means that any other string was found. */
enum { MLS_MARKS_MAX = 31 };
#define MLS_ANY_SIGNATURE (UINT32_C(1) << MLS_MARKS_MAX)

/* Prepare the search for the strings that signatures need and for the reader's `marks`, which must live as long as the
 * signatures.  There are `all_count` marks; those after the first `mark_count` are searched for only if
 * mls_signatures_needles() is called with `all`.  Do nothing if the function was already called for the same marks and
 * no signature was added since. */
void mls_signatures_prepare(mls_signatures *signatures, const mls_str *marks, size_t mark_count, size_t all_count);

/* Select whether the next searches look for all marks or only for the first `mark_count`, and return the search table,
 * which is created on the first call.  Call this function before searching. */
struct mls_needles *mls_signatures_needles(mls_signatures *signatures, bool all);

/* Return whether every line must be examined, because some signature does not need a fixed string. */
bool mls_signatures_want_all(const mls_signatures *signatures);

/* Return whether users added signatures.  Only then are lines with records matched, too: built-in signatures do not
 * apply to records. */
bool mls_signatures_want_records(const mls_signatures *signatures);

/* Search a line for all fixed strings.  Return one bit for each mark found, and the bit MLS_ANY_SIGNATURE if any other
 * string was found.  Call this before mls_signatures_find(). */
uint32_t mls_signatures_search(mls_signatures *signatures, mls_str line);

/* Match a message of the line that was searched last.  Return the index of the signature with the highest precedence
 * that matches; a generic signature only if no other one matches; -1 if no signature matches.  `traceback`: the message
 * follows a traceback, so the signature python-exception may match. */
ptrdiff_t mls_signatures_find(mls_signatures *signatures, mls_str message, bool traceback);

/* Return the text that the group `name` of the pattern matched in the message.  `found` is the result of the last call
 * of mls_signatures_find(), and not -1.  The result's ptr is NULL if the group did not match. */
mls_str mls_signatures_group(const mls_signatures *signatures, size_t found, mls_str message, const char *name);

/* Return whether a message may be the exception that ends a Python traceback. */
bool mls_signatures_maybe_exception(const mls_signatures *signatures, mls_str message);

/* Return whether matching the pattern of signature `index` exceeded a limit on some line, so that the signature is not
 * used anymore. */
bool mls_signatures_overran(const mls_signatures *signatures, size_t index);
