/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lexer.c - where words, quotes, substitutions and here-documents end.
 */
#include <string.h>

#include "shell/parse.h"

static const char no_end[] = "a quote or bracket is not closed, or nested too deep";

static size_t skip_until(mls_str text, size_t at, char quote, bool escapes)
{
    while (at < text.len) {
        if (text.ptr[at] == quote) {
            return at + 1;
        }
        at += escapes && text.ptr[at] == '\\' ? 2 : 1;
    }
    return SHELL_NO_END;
}

static bool is_blank_or_operator(char c)
{
    return c == '\0' || strchr(" \t\n;&|()<>", c) != NULL;
}

static size_t end_of_line(mls_str text, size_t at)
{
    const char *newline = memchr(text.ptr + at, '\n', text.len - at);
    return newline != NULL ? (size_t)(newline - text.ptr) : text.len;
}

/* text.ptr[at] is '"', or the '{' of "${": an apostrophe quotes in braces for finding the end, even in "${A:-'}'}". */
static size_t skip_enclosed(mls_str text, size_t at, char close, unsigned depth)
{
    for (at++; depth < SHELL_NESTING_MAX && at < text.len;) {
        if (text.ptr[at] == close) {
            return at + 1;
        }
        at = mls_shell_unit_end(text, at, close == '"', depth + 1);
    }
    return SHELL_NO_END;
}

size_t mls_shell_parentheses_end(mls_str text, size_t at, unsigned depth)
{
    size_t open = 0;
    while (depth < SHELL_NESTING_MAX && at < text.len) {
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
            at = end_of_line(text, at);
        } else {
            at = mls_shell_unit_end(text, at, false, depth + 1);
        }
    }
    return SHELL_NO_END;
}

size_t mls_shell_unit_end(mls_str text, size_t at, bool in_quotes, unsigned depth)
{
    const char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    if (depth >= SHELL_NESTING_MAX) {
        return SHELL_NO_END;
    }
    switch (text.ptr[at]) {
    case '\\':
        return at + 2 <= text.len ? at + 2 : text.len;
    case '\'':
        return in_quotes ? at + 1 : skip_until(text, at + 1, '\'', false);
    case '"':
        return in_quotes ? at + 1 : skip_enclosed(text, at, '"', depth + 1);
    case '`':
        return skip_until(text, at + 1, '`', true);
    case '$':
        return next == '('                  ? mls_shell_parentheses_end(text, at + 1, depth + 1)
               : next == '{'                ? skip_enclosed(text, at + 1, '}', depth + 1)
               : next == '\'' && !in_quotes ? skip_until(text, at + 2, '\'', true)
                                            : at + 1;
    default:
        return at + 1;
    }
}

size_t mls_shell_name_length(mls_str text)
{
    size_t length = 0;
    while (length < text.len) {
        const char c = text.ptr[length];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (length == 0 || c < '0' || c > '9')) {
            break;
        }
        length++;
    }
    return length;
}

bool mls_shell_list_add(mls_arena *arena, mls_str **items, size_t *count, size_t *capacity, mls_str text)
{
    if (*count == *capacity) {
        const size_t more = *capacity == 0 ? 4 : *capacity * 2;
        mls_str *larger = mls_arena_array(arena, more, sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        if (*count > 0) {
            memcpy(larger, *items, *count * sizeof *larger);
        }
        *items = larger;
        *capacity = more;
    }
    (*items)[(*count)++] = text;
    return true;
}

bool mls_shell_among(mls_str name, const char *names)
{
    const bool word = name.len > 0 && memchr(name.ptr, ' ', name.len) == NULL;
    for (const char *at = names; word && (at = strchr(at, ' ')) != NULL && at[1] != '\0'; at++) {
        if (strncmp(at + 1, name.ptr, name.len) == 0 && at[1 + name.len] == ' ') {
            return true;
        }
    }
    return false;
}

static mls_shell_token bad_token(mls_shell_lexer *lexer, const char *problem)
{
    if (lexer->problem == NULL) {
        lexer->problem = problem;
    }
    lexer->at = lexer->text.len;
    return (mls_shell_token){.kind = TOKEN_BAD, .line = lexer->line};
}

static char char_at(const mls_shell_lexer *lexer, size_t at)
{
    return at < lexer->text.len ? lexer->text.ptr[at] : '\0';
}

/* The span from `begin` to `end`, which the lexer is behind then; its lines are counted. */
static mls_shell_token take_word(mls_shell_lexer *lexer, size_t begin, size_t end)
{
    const mls_shell_token token = {TOKEN_WORD, {lexer->text.ptr + begin, end - begin}, lexer->line};
    for (size_t i = begin; i < end; i++) {
        lexer->line += lexer->text.ptr[i] == '\n';
    }
    lexer->at = end;
    return token;
}

static void skip_blanks(mls_shell_lexer *lexer)
{
    for (;;) {
        const char c = char_at(lexer, lexer->at);
        if (c == ' ' || c == '\t') {
            lexer->at++;
        } else if (c == '\\' && char_at(lexer, lexer->at + 1) == '\n') {
            lexer->at += 2;
            lexer->line++;
        } else if (c == '#') {
            lexer->at = end_of_line(lexer->text, lexer->at);
        } else {
            return;
        }
    }
}

/* Whether a line of a here-document is its last; the delimiter's own quotes do not count. */
static bool ends_heredoc(mls_str line, const mls_shell_heredoc *heredoc)
{
    size_t at = 0;
    while (heredoc->strips_tabs && at < line.len && line.ptr[at] == '\t') {
        at++;
    }
    for (size_t i = 0; i < heredoc->delimiter.len; i++) {
        const char c = heredoc->delimiter.ptr[i];
        if (strchr("'\"\\", c) == NULL && (at >= line.len || line.ptr[at++] != c)) {
            return false;
        }
    }
    return at == line.len;
}

static void skip_heredocs(mls_shell_lexer *lexer)
{
    for (size_t i = 0; i < lexer->heredoc_count; i++) {
        for (bool open = true; open && lexer->at < lexer->text.len; lexer->line++) {
            const size_t end = end_of_line(lexer->text, lexer->at);
            open = !ends_heredoc((mls_str){lexer->text.ptr + lexer->at, end - lexer->at}, &lexer->heredocs[i]);
            lexer->at = end + (end < lexer->text.len);
        }
    }
    lexer->heredoc_count = 0;
}

static mls_shell_token read_word(mls_shell_lexer *lexer)
{
    const size_t begin = lexer->at;
    const mls_str text = lexer->text;
    size_t at = begin;
    while (at < text.len && at != SHELL_NO_END) {
        const char c = text.ptr[at];
        /* A=( … ) and @(a|b); "!(" is a negated subshell where a word may start. */
        const bool encloses = c == '(' && at > begin && strchr(at > begin + 1 ? "=@?*+!" : "=@?*+", text.ptr[at - 1]);
        if (encloses) {
            at = mls_shell_parentheses_end(text, at, 0);
        } else if ((c == '<' || c == '>') && at == begin) {
            at = mls_shell_parentheses_end(text, at + 1, 0);
        } else if (is_blank_or_operator(c)) {
            break;
        } else {
            at = mls_shell_unit_end(text, at, false, 0);
        }
    }
    return at == SHELL_NO_END ? bad_token(lexer, no_end) : take_word(lexer, begin, at);
}

static mls_shell_token read_operator(mls_shell_lexer *lexer)
{
    static const char *const operators[] = {"&>>", ";;&", "<<-", "<<<", "&&", "||", ";;", ";&", "|&", "<<", ">>", "<&",
                                            ">&",  "<>",  ">|",  "&>",  ";",  "&",  "|",  "(",  ")",  "<",  ">"};
    const mls_str rest = {lexer->text.ptr + lexer->at, lexer->text.len - lexer->at};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const mls_str name = mls_str_from(operators[i]);
        if (mls_str_starts(rest, name)) {
            lexer->at += name.len;
            return (mls_shell_token){TOKEN_OPERATOR, {rest.ptr, name.len}, lexer->line};
        }
    }
    return bad_token(lexer, "a byte that no command holds");
}

mls_shell_token mls_shell_lexer_next(mls_shell_lexer *lexer)
{
    if (lexer->problem != NULL) {
        return (mls_shell_token){.kind = TOKEN_BAD, .line = lexer->line};
    }
    skip_blanks(lexer);
    if (lexer->at >= lexer->text.len) {
        return (mls_shell_token){.kind = TOKEN_END, .line = lexer->line};
    }
    const char c = lexer->text.ptr[lexer->at];
    if (c == '\n') {
        const mls_shell_token token = {.kind = TOKEN_NEWLINE, .line = lexer->line};
        lexer->at++;
        lexer->line++;
        skip_heredocs(lexer);
        return token;
    }
    const bool substitution = (c == '<' || c == '>') && char_at(lexer, lexer->at + 1) == '(';
    return is_blank_or_operator(c) && !substitution ? read_operator(lexer) : read_word(lexer);
}

mls_shell_token mls_shell_lexer_peek(mls_shell_lexer *lexer)
{
    const size_t at = lexer->at;
    const size_t line = lexer->line;
    const size_t heredoc_count = lexer->heredoc_count; /* what they are stays in place */
    const mls_shell_token token = mls_shell_lexer_next(lexer);
    lexer->at = at;
    lexer->line = line;
    lexer->heredoc_count = heredoc_count;
    return token;
}

mls_shell_token mls_shell_lexer_regex(mls_shell_lexer *lexer)
{
    const mls_str text = lexer->text;
    skip_blanks(lexer);
    size_t at = lexer->at;
    while (at < text.len && at != SHELL_NO_END && strchr(" \t\n", text.ptr[at]) == NULL) {
        at = text.ptr[at] == '(' ? mls_shell_parentheses_end(text, at, 0) : mls_shell_unit_end(text, at, false, 0);
    }
    return at == SHELL_NO_END ? bad_token(lexer, no_end) : take_word(lexer, lexer->at, at);
}

bool mls_shell_lexer_arithmetic(mls_shell_lexer *lexer, mls_str *expression)
{
    const mls_str text = lexer->text;
    const size_t end = char_at(lexer, lexer->at) == '(' ? mls_shell_parentheses_end(text, lexer->at, 0) : SHELL_NO_END;
    if (end == SHELL_NO_END || end >= text.len || text.ptr[end] != ')') {
        return false;
    }
    const mls_str whole = take_word(lexer, lexer->at, end + 1).text;
    *expression = (mls_str){whole.ptr + 1, whole.len - 3};
    return true;
}
