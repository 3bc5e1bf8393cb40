/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_lex.h - rule text to tokens.
 */
#ifndef MLS_RULES_EXPR_LEX_H
#define MLS_RULES_EXPR_LEX_H

#include "base/arena.h"
#include "mlscore/base.h"

typedef enum mls_token_kind {
    MLS_TOKEN_END,
    MLS_TOKEN_NUMBER,
    MLS_TOKEN_STRING,
    MLS_TOKEN_NAME,
    MLS_TOKEN_VARIABLE,
    MLS_TOKEN_SIGN /* an operator or bracket */
} mls_token_kind;

typedef struct mls_token {
    mls_token_kind kind;
    uint32_t begin; /* offsets in the text */
    uint32_t end;
    char sign[3];    /* of a MLS_TOKEN_SIGN, NUL-terminated */
    bool is_integer; /* of a number: written without '.', 'e' and 'E' */
    double number;
    mls_str text; /* a name or variable (without '$'), in the rule text; a string, decoded, in the arena */
} mls_token;

/*
 * Reads the token at or behind *at and moves *at to its end.  Strings take
 * JSON's escapes.  On failure MLS_ERROR_SYNTAX or MLS_ERROR_MEMORY.
 */
mls_status mls_token_next(mls_str text, uint32_t *at, mls_arena *arena, mls_token *token,
                          mls_error *error) MLS_MUST_USE;

#endif
