/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - shell patterns and regular expressions, matched by PCRE2 within limits of work and memory. */
#pragma once

#include "base/base.h"

/* A shell pattern, which matches a whole text, or a POSIX expression, which matches a part of it: both from outside. Or
 * an expression of our own data files, in the whole language of PCRE2, whose case does not count.  Or one in that
 * language that may be a user's and is tried on many lines, or that comes with a file and is tried on many names, with
 * few steps for each.  The latter three are compiled to machine code where that can be had. */
typedef enum mls_pattern_kind {
    MLS_PATTERN_SHELL,
    MLS_PATTERN_BASIC,
    MLS_PATTERN_EXTENDED,
    MLS_PATTERN_OWN,
    MLS_PATTERN_LINES,
    MLS_PATTERN_NAME
} mls_pattern_kind;

typedef struct mls_pattern {
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *data;
    struct pcre2_real_match_context_8 *limits;
} mls_pattern;

/* MLS_ERROR_SYNTAX: wrong, or from outside and longer than 256 bytes or with something that not everybody reads alike
 * (alternation, repeats of repeats, \w, \+), or for lines or names and longer than 1,024 bytes.  On
 * MLS_OK it is to be released, else it is empty. */
mls_status mls_pattern_compile(mls_pattern *pattern, mls_pattern_kind kind, mls_str text) MLS_MUST_USE;

/* The first match from `at` on; *found has no ptr when there is none.  MLS_OK or MLS_ERROR_LIMIT. */
mls_status mls_pattern_find(const mls_pattern *pattern, mls_str text, size_t at, mls_str *found);

/* The text that the group of that name (NULL: the first one) matched when the pattern last did, in the same text; no
 * ptr when there is none.  And how many groups it has. */
mls_str mls_pattern_group(const mls_pattern *pattern, mls_str text, const char *name);
size_t mls_pattern_groups(const mls_pattern *pattern);

void mls_pattern_release(mls_pattern *pattern);
