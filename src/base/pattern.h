/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - match shell patterns and regular expressions with PCRE2, limiting time and memory. */
#pragma once

#include "base/base.h"

/* OWN, LINES and NAME are compiled to machine code where PCRE2 supports this. */
typedef enum mls_pattern_kind {
    MLS_PATTERN_SHELL, /* an untrusted shell pattern, which matches a whole text */
    MLS_PATTERN_BASIC, /* an untrusted POSIX basic regular expression, which matches a part of a text */
    MLS_PATTERN_ONCE,  /* like OWN, for a single text: compiling to machine code would take longer than the search */
    MLS_PATTERN_OWN,   /* a PCRE2 expression in a data file of mlscore; case is ignored */
    MLS_PATTERN_LINES, /* a PCRE2 expression of the user, for many long lines: with high limits */
    MLS_PATTERN_NAME   /* a PCRE2 expression in a file of the user, for many short names: with low limits */
} mls_pattern_kind;

typedef struct mls_pattern {
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *data;
    struct pcre2_real_match_context_8 *limits;
} mls_pattern;

/* Compile a pattern.  Return MLS_ERROR_SYNTAX if the pattern is invalid; if it is too long (SHELL and BASIC: 256 bytes,
 * LINES and NAME: 1,024 bytes); or if a BASIC pattern contains an escape that implementations interpret differently,
 * such as \w, \+ or \|.  Call mls_pattern_release() after MLS_OK; after an error, *pattern is empty. */
mls_status mls_pattern_compile(mls_pattern *pattern, mls_pattern_kind kind, mls_str text) MLS_MUST_USE;

/* Find the first match at or after the offset `at`; found->ptr is NULL if nothing matches.  Return MLS_OK, or
 * MLS_ERROR_LIMIT if matching exceeded a limit of steps or memory. */
mls_status mls_pattern_find(const mls_pattern *pattern, mls_str text, size_t at, mls_str *found);

/* Return the text that a group matched in the last call of mls_pattern_find(), which must have been for the same
 * `text`; ptr is NULL if the group did not match.  If `name` is NULL, return the text of the first group. */
mls_str mls_pattern_group(const mls_pattern *pattern, mls_str text, const char *name);

/* Return the number of groups in a pattern. */
size_t mls_pattern_groups(const mls_pattern *pattern);

void mls_pattern_release(mls_pattern *pattern);
