/* SPDX-License-Identifier: Apache-2.0 */
/* sentence.c - sentences with names and numbers of a file in them, which may be hostile. */
#include "explain/profile/sentence.h"

#include "base/utf8.h"

const char *mls_sentence_keep(mls_arena *arena, mls_findings *findings, const char *format, va_list args)
{
    mls_buffer sentence = {0};
    mls_buffer clean = {0};
    mls_buffer_vprintf(&sentence, format, args);
    mls_escape_append(&clean, mls_buffer_str(&sentence));
    const mls_str kept = mls_arena_copy(arena, mls_buffer_str(&clean));
    const bool failed = kept.ptr == NULL;
    findings->out_of_memory |= failed;
    mls_buffer_release(&sentence);
    mls_buffer_release(&clean);
    return failed ? NULL : kept.ptr;
}
