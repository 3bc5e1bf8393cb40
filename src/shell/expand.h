/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.h - words and what they become: regex.c and arithmetic.c below,
 * expand.c on top of them.
 */
#ifndef MLS_SHELL_EXPAND_H
#define MLS_SHELL_EXPAND_H

#include "shell/state.h"

/* ---- regex.c: patterns, =~, and the sed of configs ---- */

/* Whether a text matches: the whole of it a shell pattern, or a part of it an extended regular expression. */
int mls_shell_match(mls_shell_state *state, mls_str rule, bool extended, mls_str text);
/* ${A#p} and its relatives: the text that is left. */
mls_str mls_shell_pattern_strip(mls_shell_state *state, mls_str text, mls_str pattern, bool from_end, bool longest);
/* What sed makes of `input` with scripts of s commands; a hole when it cannot be known. */
mls_str mls_shell_sed(mls_shell_state *state, const mls_shell_fields *scripts, bool extended, mls_str input);

/* ---- arithmetic.c ---- */

typedef struct mls_shell_integer {
    int64_t value;
    bool known;
} mls_shell_integer;

/* What bash would report as an error is a finding, unless it comes of a variable that the job sets. */
void mls_shell_calculate(mls_shell_state *state, mls_str expression, mls_shell_integer *result);
/* A whole text as a decimal number, blanks around it allowed. */
bool mls_shell_integer_read(mls_str text, int64_t *number);

/* ---- expand.c ---- */

typedef enum mls_shell_quoting {
    QUOTING_TEXT,    /* quotes removed */
    QUOTING_PATTERN, /* quoted characters keep a backslash, so that a pattern takes them literally */
    QUOTING_REGEX    /* likewise for a regular expression */
} mls_shell_quoting;

/* A word as one text: an assignment's value, an operand of [[ ]], a pattern. */
mls_str mls_shell_expand(mls_shell_state *state, mls_str raw, mls_shell_quoting quoting);
/* As inside double quotes. */
mls_str mls_shell_expand_quoted(mls_shell_state *state, mls_str raw);
/* A word of a command. */
void mls_shell_expand_fields(mls_shell_state *state, mls_str raw, mls_shell_fields *fields);
/* The text of $(( )) or (( )), calculated. */
mls_shell_integer mls_shell_expand_number(mls_shell_state *state, mls_str raw);
/* {a,b} or {1..4} outside quotes, which becomes several words. */
bool mls_shell_has_braces(mls_str raw);

#endif
