/* SPDX-License-Identifier: Apache-2.0 */
/* signatures.h - the table of signatures as the reader of logs uses it: one search for all texts, then patterns. */
#ifndef MLS_DIAGNOSE_SIGNATURES_H
#define MLS_DIAGNOSE_SIGNATURES_H

#include "base/buffer.h"
#include "base/pattern.h"
#include "mlscore/diagnose.h"

/* What the reader looks for beside the signatures: the first needles of the search. */
#define MLS_MARK_LIST(W)                                                                                               \
    W(TRACEBACK, "Traceback (most recent call last):")                                                                 \
    W(ITERATION, "iteration ")                                                                                         \
    W(STEP, " step ")                                                                                                  \
    W(SAVING, "saving checkpoint at iteration ")                                                                       \
    W(SAVED, "successfully saved checkpoint from iteration ")                                                          \
    W(LOADED, "successfully loaded checkpoint ")                                                                       \
    W(HOST_ROW, "  host      : ")                                                                                      \
    W(RANK_ROW, "  rank      : ")                                                                                      \
    W(ROOT_CAUSE, "Root Cause (first observed failure)")                                                               \
    W(NCCL_INFO, "NCCL INFO Bootstrap")                                                                                \
    W(SRUN, "srun: error: ")

#define MLS_MARK_ID(id, text) MLS_MARK_##id,
typedef enum mls_mark { MLS_MARK_LIST(MLS_MARK_ID) MLS_MARK_COUNT } mls_mark;
#undef MLS_MARK_ID

/* The search for all needles; only after mls_signatures_prepare(). */
mls_status mls_signatures_prepare(mls_signatures *signatures) MLS_MUST_USE;
const struct mls_needles *mls_signatures_needles(const mls_signatures *signatures);

/* Whether there are signatures without a need, for which every line is looked at. */
bool mls_signatures_want_all(const mls_signatures *signatures);

/* Whether what is looked for may stand inside of any record: of the built-in table only a run_stop matters. */
bool mls_signatures_want_records(const mls_signatures *signatures);

/* Looks for all that a line may have, for mls_signatures_find(): a bit for each mls_mark, and one for all else; 0:
 * none. */
uint32_t mls_signatures_search(mls_signatures *signatures, mls_str line);
#define MLS_ANY_NEEDLE (UINT32_C(1) << MLS_MARK_COUNT)

/*
 * The signature of a message, of the line that was searched last: the one of highest precedence, generic ones only when
 * there is no other; -1: none.  `traceback`: one that counts only behind a traceback may be it.  Its pattern then holds
 * the groups.
 */
mls_status mls_signatures_find(mls_signatures *signatures, mls_str message, bool traceback,
                               ptrdiff_t *found) MLS_MUST_USE;

/* What a group of the signature found last matched; no ptr when it has none. */
mls_str mls_signatures_group(const mls_signatures *signatures, size_t found, mls_str message, const char *name);

/* Whether a message could be the exception that ends a traceback. */
bool mls_signatures_maybe_exception(const mls_signatures *signatures, mls_str message);

/* Whether a pattern took too long on some line, and is not tried any more. */
bool mls_signatures_overran(const mls_signatures *signatures, size_t index);

#endif
