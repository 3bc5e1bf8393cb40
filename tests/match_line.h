/* SPDX-License-Identifier: Apache-2.0 */
/* match_line.h - a line of a log and the signature that it has, for tests. */
#pragma once

#include "log/prefix.h"
#include "log/signatures.h"

/* The signature of a line, as one is read after a traceback; NULL: none. */
static inline mls_status match_line(mls_signatures *signatures, mls_str line, const mls_signature **found)
{
    char scratch[MLS_LINE_EXAMINED];
    ptrdiff_t index = -1;
    mls_status status = mls_signatures_prepare(signatures, NULL, 0, 0);
    status = status == MLS_OK && mls_signatures_needles(signatures, false) == NULL ? MLS_ERROR_MEMORY : status;
    if (status == MLS_OK) {
        const mls_log_line read = mls_log_line_read(line, false, scratch);
        (void)mls_signatures_search(signatures, read.text);
        status = mls_signatures_find(signatures, read.message, true, &index);
    }
    *found = index >= 0 ? mls_signatures_get(signatures, (size_t)index) : NULL;
    return status;
}
