/* SPDX-License-Identifier: Apache-2.0 */
/* sentence.h - what verdicts say; private to the profile room. */
#pragma once

#include "base/memory.h"

/* A sentence that an arena keeps, safe to show.  NULL, and the findings say that memory ran out. */
const char *mls_sentence_keep(mls_arena *arena, mls_findings *findings, const char *format, va_list args)
    MLS_PRINTF(3, 0);
