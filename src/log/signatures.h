/* SPDX-License-Identifier: Apache-2.0 */
/* signatures.h - the table of signatures as readers of logs use it: one search for all texts, then patterns. */
#pragma once

#include "log/messages.h"

/* A bit of mls_signatures_search() for each of the first texts that a reader looks for beside the signatures, and one
 * for these and for all further texts. */
enum { MLS_MARKS_MAX = 31 };
#define MLS_ANY_SIGNATURE (UINT32_C(1) << MLS_MARKS_MAX)

/* Lists what is to be searched: the texts that signatures need and those of the reader, which stay the caller's:
 * `marks`, of which those behind the first `mark_count` are looked for only at times.  It does nothing when it was done
 * for the same texts and no signature has come since. */
void mls_signatures_prepare(mls_signatures *signatures, const mls_str *marks, size_t mark_count, size_t all_count);

/* Has the next searches look for all marks, or for the first of them.  Only after it may be searched: the table of such
 * a search is made when it is first wanted. */
struct mls_needles *mls_signatures_needles(mls_signatures *signatures, bool all);

/* Whether there are signatures without a need, for which every line is examined. */
bool mls_signatures_want_all(const mls_signatures *signatures);

/* Whether a user's signatures are there, for which records are searched too: of the built-in ones none is in them. */
bool mls_signatures_want_records(const mls_signatures *signatures);

/* Looks for all that a line may have, for mls_signatures_find().  Returns bits as above; 0: it has nothing. */
uint32_t mls_signatures_search(mls_signatures *signatures, mls_str line);

/* The signature of a message, of the line that was searched last: the one of highest precedence, generic ones only when
 * there is no other; -1: none.  `traceback`: one that counts only after a traceback may be it.  Its pattern then holds
 * the groups. */
ptrdiff_t mls_signatures_find(mls_signatures *signatures, mls_str message, bool traceback);

/* The match of a group of the signature that was found last; no ptr when it has none. */
mls_str mls_signatures_group(const mls_signatures *signatures, size_t found, mls_str message, const char *name);

/* Whether a message could be the exception that ends a traceback. */
bool mls_signatures_maybe_exception(const mls_signatures *signatures, mls_str message);

/* Whether a pattern took too long on some line, and is not tried any more. */
bool mls_signatures_overran(const mls_signatures *signatures, size_t index);
