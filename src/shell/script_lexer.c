/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/script_lexer.h"

#include <string.h>

static size_t skip_until(mls_str text, size_t at, char quote, bool escapes)
{
    while (at < text.len) {
        if (text.ptr[at] == quote) {
            return at + 1;
        }
        at += escapes && text.ptr[at] == '\\' ? 2 : 1;
    }
    return SCRIPT_SKIP_FAILED;
}

size_t mls_script_skip_double(mls_str text, size_t at, unsigned depth)
{
    if (depth >= SCRIPT_NESTING_MAX) {
        return SCRIPT_SKIP_FAILED;
    }
    at++;
    while (at < text.len) {
        if (text.ptr[at] == '"') {
            return at + 1;
        }
        at = mls_script_skip(text, at, true, depth + 1);
    }
    return SCRIPT_SKIP_FAILED;
}

static bool is_blank_or_operator(char c)
{
    return c == '\0' || strchr(" \t\n;&|()<>", c) != NULL;
}

size_t mls_script_skip_parentheses(mls_str text, size_t at, unsigned depth)
{
    if (depth >= SCRIPT_NESTING_MAX) {
        return SCRIPT_SKIP_FAILED;
    }
    size_t open = 0;
    while (at < text.len) {
        const char c = text.ptr[at];
        if (c == '(') {
            open++;
            at++;
        } else if (c == ')') {
            at++;
            if (--open == 0) {
                return at;
            }
        } else if (c == '#' && is_blank_or_operator(text.ptr[at - 1])) {
            const char *newline = memchr(text.ptr + at, '\n', text.len - at);
            at = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        } else {
            at = mls_script_skip(text, at, false, depth + 1);
        }
    }
    return SCRIPT_SKIP_FAILED;
}

/* An apostrophe quotes in here for finding the end, even where it stays as it is: in "${A:-'}'}". */
size_t mls_script_skip_braces(mls_str text, size_t at, unsigned depth)
{
    if (depth >= SCRIPT_NESTING_MAX) {
        return SCRIPT_SKIP_FAILED;
    }
    at++;
    while (at < text.len) {
        const char c = text.ptr[at];
        if (c == '}') {
            return at + 1;
        }
        if (c == '"') {
            at = mls_script_skip_double(text, at, depth + 1);
        } else {
            at = mls_script_skip(text, at, false, depth + 1);
        }
    }
    return SCRIPT_SKIP_FAILED;
}

static size_t skip_dollar(mls_str text, size_t at, bool in_quotes, unsigned depth)
{
    const char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    switch (next) {
    case '(':
        return mls_script_skip_parentheses(text, at + 1, depth + 1);
    case '{':
        return mls_script_skip_braces(text, at + 1, depth + 1);
    case '\'':
        return in_quotes ? at + 1 : skip_until(text, at + 2, '\'', true);
    default:
        return at + 1;
    }
}

size_t mls_script_skip(mls_str text, size_t at, bool in_quotes, unsigned depth)
{
    if (depth >= SCRIPT_NESTING_MAX) {
        return SCRIPT_SKIP_FAILED;
    }
    switch (text.ptr[at]) {
    case '\\':
        return at + 2 <= text.len ? at + 2 : text.len;
    case '\'':
        return in_quotes ? at + 1 : skip_until(text, at + 1, '\'', false);
    case '"':
        return in_quotes ? at + 1 : mls_script_skip_double(text, at, depth + 1);
    case '`':
        return skip_until(text, at + 1, '`', true);
    case '$':
        return skip_dollar(text, at, in_quotes, depth);
    default:
        return at + 1;
    }
}

static mls_script_token bad_token(mls_script_lexer *lexer, const char *problem)
{
    if (lexer->problem == NULL) {
        lexer->problem = problem;
    }
    lexer->at = lexer->text.len;
    return (mls_script_token){.kind = TOKEN_BAD, .line = lexer->line};
}

static char char_at(const mls_script_lexer *lexer, size_t at)
{
    return at < lexer->text.len ? lexer->text.ptr[at] : '\0';
}

static void skip_blanks(mls_script_lexer *lexer)
{
    for (;;) {
        const char c = char_at(lexer, lexer->at);
        if (lexer->at < lexer->text.len && (c == ' ' || c == '\t')) {
            lexer->at++;
        } else if (c == '\\' && char_at(lexer, lexer->at + 1) == '\n') {
            lexer->at += 2;
            lexer->line++;
        } else if (c == '#') {
            while (lexer->at < lexer->text.len && lexer->text.ptr[lexer->at] != '\n') {
                lexer->at++;
            }
        } else {
            return;
        }
    }
}

/* Whether a line of a here-document is its last; the delimiter's own quotes do not count. */
static bool ends_heredoc(mls_str line, mls_str delimiter)
{
    size_t at = 0;
    for (size_t i = 0; i < delimiter.len; i++) {
        const char c = delimiter.ptr[i];
        if (c == '\'' || c == '"' || c == '\\') {
            continue;
        }
        if (at >= line.len || line.ptr[at] != c) {
            return false;
        }
        at++;
    }
    return at == line.len;
}

static void skip_heredocs(mls_script_lexer *lexer)
{
    for (size_t i = 0; i < lexer->heredoc_count; i++) {
        const mls_script_heredoc *heredoc = &lexer->heredocs[i];
        bool open = true;
        while (open && lexer->at < lexer->text.len) {
            const char *begin = lexer->text.ptr + lexer->at;
            const size_t left = lexer->text.len - lexer->at;
            const char *newline = memchr(begin, '\n', left);
            mls_str line = {begin, newline != NULL ? (size_t)(newline - begin) : left};
            lexer->at += line.len + (newline != NULL ? 1 : 0);
            lexer->line++;
            while (heredoc->strip_tabs && line.len > 0 && line.ptr[0] == '\t') {
                line = (mls_str){line.ptr + 1, line.len - 1};
            }
            open = !ends_heredoc(line, heredoc->delimiter);
        }
    }
    lexer->heredoc_count = 0;
}

static bool is_list_start(const mls_script_lexer *lexer, size_t begin)
{
    return lexer->at > begin && lexer->text.ptr[lexer->at - 1] == '=';
}

static mls_script_token read_word(mls_script_lexer *lexer)
{
    const size_t begin = lexer->at;
    const size_t line = lexer->line;
    const mls_str text = lexer->text;
    while (lexer->at < text.len) {
        const char c = text.ptr[lexer->at];
        size_t end;
        if (c == '(' && is_list_start(lexer, begin)) {
            end = mls_script_skip_parentheses(text, lexer->at, 0);
        } else if ((c == '<' || c == '>') && lexer->at == begin) {
            end = mls_script_skip_parentheses(text, lexer->at + 1, 0);
        } else if (is_blank_or_operator(c)) {
            break;
        } else {
            end = mls_script_skip(text, lexer->at, false, 0);
        }
        if (end == SCRIPT_SKIP_FAILED) {
            return bad_token(lexer, "a quote or bracket is not closed, or nested too deep");
        }
        lexer->at = end;
    }
    for (size_t i = begin; i < lexer->at; i++) {
        lexer->line += text.ptr[i] == '\n';
    }
    return (mls_script_token){.kind = TOKEN_WORD, .text = {text.ptr + begin, lexer->at - begin}, .line = line};
}

static mls_script_token read_operator(mls_script_lexer *lexer)
{
    static const char *const operators[] = {"&>>", ";;&", "<<-", "<<<", "&&", "||", ";;", ";&", "|&", "<<", ">>", "<&",
                                            ">&",  "<>",  ">|",  "&>",  ";",  "&",  "|",  "(",  ")",  "<",  ">"};
    const mls_str rest = {lexer->text.ptr + lexer->at, lexer->text.len - lexer->at};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const mls_str name = mls_str_from(operators[i]);
        if (mls_str_starts(rest, name)) {
            lexer->at += name.len;
            return (mls_script_token){.kind = TOKEN_OPERATOR, .text = {rest.ptr, name.len}, .line = lexer->line};
        }
    }
    return bad_token(lexer, "a byte that no command holds");
}

mls_script_token mls_script_lexer_next(mls_script_lexer *lexer)
{
    if (lexer->problem != NULL) {
        return (mls_script_token){.kind = TOKEN_BAD, .line = lexer->line};
    }
    skip_blanks(lexer);
    if (lexer->at >= lexer->text.len) {
        return (mls_script_token){.kind = TOKEN_END, .line = lexer->line};
    }
    const char c = lexer->text.ptr[lexer->at];
    if (c == '\n') {
        const mls_script_token token = {.kind = TOKEN_NEWLINE, .line = lexer->line};
        lexer->at++;
        lexer->line++;
        skip_heredocs(lexer);
        return token;
    }
    const bool substitution = (c == '<' || c == '>') && char_at(lexer, lexer->at + 1) == '(';
    return is_blank_or_operator(c) && !substitution ? read_operator(lexer) : read_word(lexer);
}

mls_script_token mls_script_lexer_peek(mls_script_lexer *lexer)
{
    const mls_script_lexer before = *lexer;
    const mls_script_token token = mls_script_lexer_next(lexer);
    const char *problem = lexer->problem;
    *lexer = before;
    lexer->problem = problem;
    return token;
}

mls_script_token mls_script_lexer_regex(mls_script_lexer *lexer)
{
    const mls_str text = lexer->text;
    while (lexer->at < text.len && (text.ptr[lexer->at] == ' ' || text.ptr[lexer->at] == '\t')) {
        lexer->at++;
    }
    const size_t begin = lexer->at;
    while (lexer->at < text.len && strchr(" \t\n", text.ptr[lexer->at]) == NULL) {
        const size_t end = text.ptr[lexer->at] == '(' ? mls_script_skip_parentheses(text, lexer->at, 0)
                                                      : mls_script_skip(text, lexer->at, false, 0);
        if (end == SCRIPT_SKIP_FAILED) {
            return bad_token(lexer, "a quote or bracket is not closed, or nested too deep");
        }
        lexer->at = end;
    }
    const mls_str word = {text.ptr + begin, lexer->at - begin};
    return (mls_script_token){.kind = TOKEN_WORD, .text = word, .line = lexer->line};
}

bool mls_script_lexer_arithmetic(mls_script_lexer *lexer, mls_str *expression)
{
    const mls_str text = lexer->text;
    const size_t begin = lexer->at;
    const size_t end = mls_script_skip_parentheses(text, begin, 0);
    if (end == SCRIPT_SKIP_FAILED || end >= text.len || text.ptr[end] != ')') {
        return false;
    }
    *expression = (mls_str){text.ptr + begin + 1, end - begin - 2};
    for (size_t i = begin; i < end; i++) {
        lexer->line += text.ptr[i] == '\n';
    }
    lexer->at = end + 1;
    return true;
}
