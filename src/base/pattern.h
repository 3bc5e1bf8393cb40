/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - match shell patterns and regular expressions with PCRE2, limiting time and memory. */
#pragma once

#include "base/base.h"

/* SHELL matches a whole text; BASIC is a POSIX basic expression that matches a part of it.  These two are for untrusted
 * patterns.  OWN is for our data files: full PCRE2, ignoring case.  LINES and NAME are full PCRE2 with a step
 * limit, for patterns of users that are tried on many lines, or patterns from files that are tried on many names.  OWN,
 * LINES and NAME are compiled to machine code where that is supported. */
typedef enum mls_pattern_kind {
    MLS_PATTERN_SHELL,
    MLS_PATTERN_BASIC,
    MLS_PATTERN_OWN,
    MLS_PATTERN_LINES,
    MLS_PATTERN_NAME
} mls_pattern_kind;

typedef struct mls_pattern {
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *data;
    struct pcre2_real_match_context_8 *limits;
} mls_pattern;

/* Compile a pattern.  Return MLS_ERROR_SYNTAX if it is invalid; if a SHELL or BASIC pattern is longer than
 * 256 bytes or uses a construct that implementations interpret differently (alternation, repeated repeats, \w, \+); or
 * if a LINES or NAME pattern is longer than 1,024 bytes.  Release the pattern after MLS_OK; otherwise it is empty. */
mls_status mls_pattern_compile(mls_pattern *pattern, mls_pattern_kind kind, mls_str text) MLS_MUST_USE;

/* Find the first match from `at` on; found->ptr is NULL if there is none.  Return MLS_OK or MLS_ERROR_LIMIT. */
mls_status mls_pattern_find(const mls_pattern *pattern, mls_str text, size_t at, mls_str *found);

/* Return what the named group (NULL: the first one) matched in the last match, which must have been in the same text;
 * ptr is NULL if it did not match. mls_pattern_groups() returns the number of groups. */
mls_str mls_pattern_group(const mls_pattern *pattern, mls_str text, const char *name);
size_t mls_pattern_groups(const mls_pattern *pattern);

void mls_pattern_release(mls_pattern *pattern);
