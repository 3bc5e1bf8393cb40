/* SPDX-License-Identifier: Apache-2.0 */
/* finding_texts.h - read explanations of all kinds of findings from src/data/findings.json. */
#pragma once

#include "base/memory.h"

typedef struct mls_finding_texts {
    const char *summary;     /* one line, for `mlscore help findings` */
    const char *explanation; /* why it matters, and the rule on which it is based */
    const char *remedy;      /* what to do about it */
} mls_finding_texts;

/* Read the texts of all findings into `texts`, indexed by code.  They live as long as the arena.  If a text is missing,
 * return MLS_ERROR_VALUE and name the finding. */
mls_status mls_finding_texts_read(mls_arena *arena, mls_finding_texts texts[MLS_FINDING_COUNT],
                                  mls_error *error) MLS_MUST_USE;
