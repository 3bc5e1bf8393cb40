/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_lex.h - rule text to tokens.
 *
 * Failure is sticky: the first one is kept, and from then on every token is
 * the end of the text, so that whoever reads tokens looks at `status` once.
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
    bool is_integer; /* of a number: written without '.', 'e' and 'E' */
    double number;
    mls_str text; /* a sign, name or variable (without '$'), in the rule text; a string, decoded, in the arena */
} mls_token;

typedef struct mls_lexer {
    mls_str text;
    mls_arena *arena;
    mls_error *error; /* may be NULL */
    mls_status status;
    mls_token token;
    uint32_t last_end; /* of the token before the current one */
} mls_lexer;

/* Reads the next token.  Strings take JSON's escapes. */
void mls_lexer_next(mls_lexer *lexer);

/* Notes a failure at an offset of the text; only the first one counts. */
void mls_lexer_fail(mls_lexer *lexer, mls_status status, uint32_t at, const char *format, ...) MLS_PRINTF(4, 5);

#endif
