/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/expr_lex.h"

#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/utf8.h"

static bool mls_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool mls_is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char mls_peek(mls_str text, uint32_t at)
{
    if (at >= text.len) {
        return '\0';
    }
    return text.ptr[at];
}

static mls_status mls_lex_error(mls_error *error, uint32_t at, const char *what)
{
    return mls_error_set(error, MLS_ERROR_SYNTAX, 0, (size_t)at + 1, "%s", what);
}

static uint32_t mls_skip_digits(mls_str text, uint32_t at)
{
    while (mls_is_digit(mls_peek(text, at))) {
        at++;
    }
    return at;
}

static mls_status mls_lex_number(mls_str text, mls_token *token, mls_error *error)
{
    uint32_t at = token->begin;
    token->kind = MLS_TOKEN_NUMBER;
    token->is_integer = true;
    if (text.ptr[at] == '0' && mls_is_digit(mls_peek(text, at + 1))) {
        return mls_lex_error(error, at, "a number does not start with 0");
    }
    at = mls_skip_digits(text, at);
    if (mls_peek(text, at) == '.') {
        token->is_integer = false;
        const uint32_t fraction = at + 1;
        at = mls_skip_digits(text, fraction);
        if (at == fraction) {
            return mls_lex_error(error, at, "a digit must follow the decimal point");
        }
    }
    if (mls_peek(text, at) == 'e' || mls_peek(text, at) == 'E') {
        token->is_integer = false;
        at++;
        at += mls_peek(text, at) == '+' || mls_peek(text, at) == '-';
        const uint32_t exponent = at;
        at = mls_skip_digits(text, exponent);
        if (at == exponent) {
            return mls_lex_error(error, at, "the exponent has no digits");
        }
    }
    if (mls_is_name_start(mls_peek(text, at))) {
        return mls_lex_error(error, at, "a name cannot follow a number directly");
    }
    token->end = at;
    if (!mls_number_parse((mls_str){text.ptr + token->begin, at - token->begin}, &token->number)) {
        return mls_lex_error(error, token->begin, "not a number");
    }
    return MLS_OK;
}

/* Four hex digits at `at`; -1 when they are not there. */
static int32_t mls_hex4(mls_str text, uint32_t at)
{
    int32_t code = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const char c = mls_peek(text, at + i);
        const char *digit = c != '\0' ? strchr("0123456789abcdefABCDEF", c) : NULL;
        if (digit == NULL) {
            return -1;
        }
        code = code * 16 + (mls_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
}

/* `*at` is on the backslash; moves it behind the escape.  False when there is no such escape. */
static bool mls_lex_escape(mls_str text, uint32_t *at, mls_buffer *decoded)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char c = mls_peek(text, *at + 1);
    const char *simple = c != '\0' ? strchr(from, c) : NULL;
    if (simple != NULL) {
        mls_buffer_append_char(decoded, to[simple - from]);
        *at += 2;
        return true;
    }
    int32_t code = c == 'u' ? mls_hex4(text, *at + 2) : -1;
    if (code < 0) {
        return false;
    }
    *at += 6;
    if (code >= 0xd800 && code < 0xdc00 && mls_peek(text, *at) == '\\' && mls_peek(text, *at + 1) == 'u') {
        const int32_t low = mls_hex4(text, *at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            *at += 6;
        }
    }
    mls_utf8_append(decoded, (uint32_t)code);
    return true;
}

static mls_status mls_lex_string(mls_str text, mls_arena *arena, mls_token *token, mls_error *error)
{
    mls_buffer decoded = {0};
    mls_status status = MLS_OK;
    uint32_t at = token->begin + 1;
    token->kind = MLS_TOKEN_STRING;
    while (at < text.len && text.ptr[at] != '"') {
        if (text.ptr[at] != '\\') {
            mls_buffer_append_char(&decoded, text.ptr[at++]);
        } else if (!mls_lex_escape(text, &at, &decoded)) {
            status = mls_lex_error(error, at, "no such escape; JSON's are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
            goto out;
        }
    }
    if (at >= text.len) {
        status = mls_lex_error(error, token->begin, "the string has no closing quote");
        goto out;
    }
    token->end = at + 1;
    token->text = mls_arena_copy(arena, mls_buffer_str(&decoded));
    if (decoded.failed || token->text.ptr == NULL) {
        status = mls_error_memory(error);
    }
out:
    mls_buffer_release(&decoded);
    return status;
}

static void mls_lex_name(mls_str text, uint32_t from, mls_token *token)
{
    uint32_t at = from;
    while (mls_is_name_start(mls_peek(text, at)) || mls_is_digit(mls_peek(text, at))) {
        at++;
    }
    token->end = at;
    token->text = (mls_str){text.ptr + from, at - from};
}

static mls_status mls_lex_sign(mls_str text, mls_token *token, mls_error *error)
{
    static const char *const two[] = {"==", "!=", "<=", ">=", "&&", "||"};
    const char c = text.ptr[token->begin];
    token->kind = MLS_TOKEN_SIGN;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        if (c == two[i][0] && mls_peek(text, token->begin + 1) == two[i][1]) {
            memcpy(token->sign, two[i], 3);
            token->end = token->begin + 2;
            return MLS_OK;
        }
    }
    if (c == '\0' || strchr("+-*/%^<>!?:()[],.", c) == NULL) {
        const char *hint = c == '='    ? "'=' alone means nothing here; to compare write '=='"
                           : c == '&'  ? "'&' alone means nothing here; write '&&'"
                           : c == '|'  ? "'|' alone means nothing here; write '||'"
                           : c == '\'' ? "strings stand in double quotes"
                           : c == '$'  ? "a name must follow '$'"
                                       : "no expression has this character";
        return mls_lex_error(error, token->begin, hint);
    }
    token->sign[0] = c;
    token->sign[1] = '\0';
    token->end = token->begin + 1;
    return MLS_OK;
}

mls_status mls_token_next(mls_str text, uint32_t *at, mls_arena *arena, mls_token *token, mls_error *error)
{
    while (*at < text.len && strchr(" \t\r\n", text.ptr[*at]) != NULL && text.ptr[*at] != '\0') {
        (*at)++;
    }
    *token = (mls_token){.kind = MLS_TOKEN_END, .begin = *at, .end = *at};
    mls_status status = MLS_OK;
    if (*at >= text.len) {
        return MLS_OK;
    }
    const char c = text.ptr[*at];
    if (mls_is_digit(c)) {
        status = mls_lex_number(text, token, error);
    } else if (c == '"') {
        status = mls_lex_string(text, arena, token, error);
    } else if (mls_is_name_start(c)) {
        token->kind = MLS_TOKEN_NAME;
        mls_lex_name(text, *at, token);
    } else if (c == '$' && mls_is_name_start(mls_peek(text, *at + 1))) {
        token->kind = MLS_TOKEN_VARIABLE;
        mls_lex_name(text, *at + 1, token);
    } else {
        status = mls_lex_sign(text, token, error);
    }
    *at = token->end;
    return status;
}
