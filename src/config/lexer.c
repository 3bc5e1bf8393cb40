/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.c - where words, quotes, substitutions and here-documents end. */
#include "config/script_state.h"

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
        if (c == '#' && is_blank_or_operator(text.ptr[at - 1])) {
            at = end_of_line(text, at);
        } else if (c == '(' || c == ')') {
            open += c == '(' ? 1 : (size_t)-1;
            at++;
            if (open == 0) {
                return at;
            }
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
               : next == '['                ? skip_enclosed(text, at + 1, ']', depth + 1) /* arithmetic of old */
               : next == '\'' && !in_quotes ? skip_until(text, at + 2, '\'', true)
                                            : at + 1;
    default:
        return at + 1;
    }
}

void mls_shell_lexer_fail(mls_shell_lexer *lexer, const char *problem)
{
    lexer->problem = lexer->problem == NULL ? problem : lexer->problem;
    lexer->at = lexer->text.len;
    lexer->token = (mls_shell_token){.text = mls_str_rest(lexer->text, lexer->at), .line = lexer->token.line};
}

/* The bytes up to `end` become the token; its lines are counted. */
static void take_token(mls_shell_lexer *lexer, mls_shell_token_kind kind, size_t end)
{
    const size_t begin = lexer->at;
    lexer->token = (mls_shell_token){kind, MLS_STR(""), lexer->line};
    if (end == SHELL_NO_END) {
        mls_shell_lexer_fail(lexer, no_end);
        return;
    }
    lexer->token.text = (mls_str){lexer->text.ptr + begin, end - begin};
    for (size_t i = begin; i < end; i++) {
        lexer->line += lexer->text.ptr[i] == '\n';
    }
    lexer->at = end;
}

static void skip_blanks(mls_shell_lexer *lexer)
{
    const mls_str text = lexer->text;
    for (; lexer->at < text.len; lexer->at++) {
        const char c = text.ptr[lexer->at];
        if (c == '\\' && lexer->at + 1 < text.len && text.ptr[lexer->at + 1] == '\n') {
            lexer->at++;
            lexer->line++;
        } else if (c == '#') {
            lexer->at = end_of_line(text, lexer->at);
            return;
        } else if (c != ' ' && c != '\t') {
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

static size_t word_end(mls_str text, size_t begin)
{
    size_t at = begin;
    while (at < text.len) {
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
    return at;
}

/* The 2 of 2>&1, or {fd} in its place. */
static size_t descriptor_length(mls_str rest)
{
    const size_t name = rest.len > 0 && rest.ptr[0] == '{' ? mls_str_name_length(mls_str_rest(rest, 1)) : 0;
    const size_t length = name > 0 && rest.ptr[name + 1] == '}' ? name + 2 : strspn(rest.ptr, "0123456789");
    return length < rest.len && (rest.ptr[length] == '<' || rest.ptr[length] == '>') ? length : 0;
}

void mls_shell_lexer_next(mls_shell_lexer *lexer)
{
    static const char *const operators[] = {"&>>", ";;&", "<<-", "<<<", "&&", "||", ";;", ";&", "|&", "<<", ">>", "<&",
                                            ">&",  "<>",  ">|",  "&>",  ";",  "&",  "|",  "(",  ")",  "<",  ">"};
    skip_blanks(lexer);
    const mls_str rest = mls_str_rest(lexer->text, lexer->at);
    const char c = rest.len > 0 ? rest.ptr[0] : '\0';
    const bool substitution = rest.len > 1 && (c == '<' || c == '>') && rest.ptr[1] == '(';
    const size_t descriptor = descriptor_length(rest);
    if (rest.len == 0) {
        take_token(lexer, TOKEN_END, lexer->at);
    } else if (c == '\n') {
        take_token(lexer, TOKEN_NEWLINE, lexer->at + 1);
        skip_heredocs(lexer);
    } else if (substitution || (descriptor == 0 && !is_blank_or_operator(c))) {
        take_token(lexer, TOKEN_WORD, word_end(lexer->text, lexer->at));
    } else {
        size_t i = 0;
        while (i + 1 < sizeof operators / sizeof *operators &&
               !mls_str_starts(mls_str_rest(rest, descriptor), mls_str_from(operators[i]))) {
            i++;
        }
        take_token(lexer, TOKEN_OPERATOR, lexer->at + descriptor + strlen(operators[i]));
    }
}

void mls_shell_lexer_regex(mls_shell_lexer *lexer)
{
    const mls_str text = lexer->text;
    skip_blanks(lexer);
    size_t at = lexer->at;
    while (at < text.len && strchr(" \t\n", text.ptr[at]) == NULL) {
        at = text.ptr[at] == '(' ? mls_shell_parentheses_end(text, at, 0) : mls_shell_unit_end(text, at, false, 0);
    }
    take_token(lexer, TOKEN_WORD, at);
}

bool mls_shell_lexer_arithmetic(mls_shell_lexer *lexer, mls_str *expression)
{
    const mls_str text = lexer->text;
    const size_t begin = (size_t)(lexer->token.text.ptr - text.ptr);
    const bool doubled = mls_str_equal(lexer->token.text, MLS_S("(")) && begin > 0 && text.ptr[begin - 1] == '(';
    const size_t end = doubled ? mls_shell_parentheses_end(text, begin, 0) : SHELL_NO_END;
    if (end == SHELL_NO_END || end >= text.len || text.ptr[end] != ')') {
        return false;
    }
    lexer->at = begin;
    take_token(lexer, TOKEN_WORD, end + 1);
    *expression = (mls_str){text.ptr + begin + 1, end - begin - 2};
    mls_shell_lexer_next(lexer);
    return true;
}
