/* SPDX-License-Identifier: Apache-2.0 */
/* match_line.h - find the signature of a log line, for tests. */
#pragma once

#include "log/prefix.h"
#include "log/signatures.h"

/* Return the signature of a line that follows a traceback, or NULL. */
static inline const mls_signature *match_line(mls_signatures *signatures, mls_str line)
{
    char scratch[MLS_LINE_EXAMINED];
    mls_signatures_prepare(signatures, NULL, 0, 0);
    (void)mls_signatures_needles(signatures, false);
    const mls_log_line read = mls_log_line_read(line, false, scratch);
    (void)mls_signatures_search(signatures, read.text);
    const ptrdiff_t index = mls_signatures_find(signatures, read.message, true);
    return index >= 0 ? mls_signatures_get(signatures, (size_t)index) : NULL;
}
