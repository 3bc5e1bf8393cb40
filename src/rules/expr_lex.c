/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_lex.c - rule text to tokens.
 */
#include "rules/expr_lex.h"

#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "base/number.h"
#include "mlscore/value.h"

void mls_lexer_fail(mls_lexer *lexer, mls_status status, uint32_t at, const char *format, ...)
{
    char message[200];
    if (lexer->status != MLS_OK) {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)mls_text_vprintf(message, sizeof message, format, args);
    va_end(args);
    lexer->status = status == MLS_ERROR_MEMORY ? mls_error_memory(lexer->error)
                                               : mls_error_set(lexer->error, status, 0, (size_t)at + 1, "%s", message);
    lexer->token = (mls_token){.kind = MLS_TOKEN_END, .begin = at, .end = at};
}

static bool lexer_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char lexer_peek(const mls_lexer *lexer, uint32_t at)
{
    return at < lexer->text.len ? lexer->text.ptr[at] : '\0';
}

/* The digits at `at`, which must be some: behind them. */
static uint32_t lex_digits(mls_lexer *lexer, uint32_t at, const char *missing)
{
    if (!lexer_is_digit(lexer_peek(lexer, at))) {
        mls_lexer_fail(lexer, MLS_ERROR_SYNTAX, at, "%s", missing);
    }
    while (lexer_is_digit(lexer_peek(lexer, at))) {
        at++;
    }
    return at;
}

static void lex_number(mls_lexer *lexer, mls_token *token)
{
    uint32_t at = token->begin;
    token->kind = MLS_TOKEN_NUMBER;
    if (lexer_peek(lexer, at) == '0' && lexer_is_digit(lexer_peek(lexer, at + 1))) {
        mls_lexer_fail(lexer, MLS_ERROR_SYNTAX, at, "a number does not start with 0");
    }
    at = lex_digits(lexer, at, "not a number");
    if (lexer_peek(lexer, at) == '.') {
        at = lex_digits(lexer, at + 1, "a digit must follow the decimal point");
    }
    if (lexer_peek(lexer, at) == 'e' || lexer_peek(lexer, at) == 'E') {
        at++;
        at += lexer_peek(lexer, at) == '+' || lexer_peek(lexer, at) == '-';
        at = lex_digits(lexer, at, "the exponent has no digits");
    }
    if (is_name_start(lexer_peek(lexer, at))) {
        mls_lexer_fail(lexer, MLS_ERROR_SYNTAX, at, "a name cannot follow a number directly");
    }
    token->end = at;
    const mls_str text = {lexer->text.ptr + token->begin, at - token->begin};
    token->is_integer = mls_json_is_integer(text);
    if (!mls_number_parse(text, &token->number)) {
        mls_lexer_fail(lexer, MLS_ERROR_MEMORY, token->begin, "out of memory");
    }
}

static void lex_string(mls_lexer *lexer, mls_token *token)
{
    uint32_t at = token->begin + 1;
    while (at < lexer->text.len && lexer->text.ptr[at] != '"') {
        at += lexer->text.ptr[at] == '\\' ? 2 : 1;
    }
    if (at >= lexer->text.len) {
        mls_lexer_fail(lexer, MLS_ERROR_SYNTAX, token->begin, "the string has no closing quote");
        return;
    }
    token->kind = MLS_TOKEN_STRING;
    token->end = at + 1;
    mls_str json;
    size_t where;
    const mls_str quoted = {lexer->text.ptr + token->begin, token->end - token->begin};
    const char *reason = mls_json_validate(quoted, lexer->arena, &json, &where);
    if (reason != NULL && reason != mls_reason_memory) {
        mls_lexer_fail(lexer, MLS_ERROR_SYNTAX, token->begin + (uint32_t)where, "%s",
                       quoted.ptr[where] == '\\'
                           ? "no such escape; JSON's are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
                           : reason);
    } else if (reason != NULL || !mls_json_string(json, lexer->arena, &token->text)) {
        mls_lexer_fail(lexer, MLS_ERROR_MEMORY, 0, "out of memory");
    }
}

static void lex_name(const mls_lexer *lexer, mls_token_kind kind, uint32_t from, mls_token *token)
{
    uint32_t at = from;
    while (is_name_start(lexer_peek(lexer, at)) || lexer_is_digit(lexer_peek(lexer, at))) {
        at++;
    }
    token->kind = kind;
    token->end = at;
    token->text = (mls_str){lexer->text.ptr + from, at - from};
}

static void lex_sign(mls_lexer *lexer, mls_token *token)
{
    static const char two[] = "== != <= >= && ||";
    const char c = lexer_peek(lexer, token->begin);
    const char next = lexer_peek(lexer, token->begin + 1);
    token->kind = MLS_TOKEN_SIGN;
    for (size_t i = 0; i < sizeof two && token->text.len == 0; i += 3) {
        token->text.len = c == two[i] && next == two[i + 1] ? 2 : 0;
    }
    if (token->text.len == 0) {
        token->text.len = 1;
        if (c == '\0' || strchr("+-*/%^<>!?:()[],.", c) == NULL) {
            mls_lexer_fail(lexer, MLS_ERROR_SYNTAX, token->begin, "%s",
                           c == '='    ? "'=' alone means nothing here; to compare write '=='"
                           : c == '&'  ? "'&' alone means nothing here; write '&&'"
                           : c == '|'  ? "'|' alone means nothing here; write '||'"
                           : c == '\'' ? "strings stand in double quotes"
                           : c == '$'  ? "a name must follow '$'"
                                       : "no expression has this character");
        }
    }
    token->text.ptr = lexer->text.ptr + token->begin;
    token->end = token->begin + (uint32_t)token->text.len;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void mls_lexer_next(mls_lexer *lexer)
{
    uint32_t at = lexer->token.end;
    lexer->last_end = at;
    if (lexer->status != MLS_OK) {
        return;
    }
    while (at < lexer->text.len && is_blank(lexer->text.ptr[at])) {
        at++;
    }
    mls_token token = {.kind = MLS_TOKEN_END, .begin = at, .end = at};
    const char c = lexer_peek(lexer, at);
    if (at >= lexer->text.len) {
        token.kind = MLS_TOKEN_END;
    } else if (lexer_is_digit(c)) {
        lex_number(lexer, &token);
    } else if (c == '"') {
        lex_string(lexer, &token);
    } else if (is_name_start(c)) {
        lex_name(lexer, MLS_TOKEN_NAME, at, &token);
    } else if (c == '$' && is_name_start(lexer_peek(lexer, at + 1))) {
        lex_name(lexer, MLS_TOKEN_VARIABLE, at + 1, &token);
    } else {
        lex_sign(lexer, &token);
    }
    if (lexer->status == MLS_OK) {
        lexer->token = token;
    }
}
