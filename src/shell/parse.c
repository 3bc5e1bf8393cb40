/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - the grammar of bash, by recursive descent.
 *
 * The first problem sticks to the lexer, which yields only bad tokens from
 * then on: every function goes on to its end, and what it made is not used.
 */
#include <string.h>

#include "shell/parse.h"

typedef struct parser {
    mls_shell_lexer *lexer;
    mls_arena *arena;
    size_t depth;
    mls_shell_node spare; /* stands in for a node when there is no memory */
} parser;

static mls_shell_node *parse_list(parser *self, bool one_line);
static mls_shell_node *parse_command(parser *self);

static void fail(parser *self, const char *problem)
{
    if (self->lexer->problem == NULL) {
        self->lexer->problem = problem;
    }
}

static void fail_memory(parser *self)
{
    self->lexer->out_of_memory = true;
    fail(self, "out of memory");
}

static mls_shell_node *make_node(parser *self, mls_shell_node_kind kind)
{
    mls_shell_node *node = mls_arena_alloc(self->arena, sizeof *node);
    if (node == NULL) {
        fail_memory(self);
        node = &self->spare;
    }
    *node = (mls_shell_node){.kind = kind, .line = mls_shell_lexer_peek(self->lexer).line};
    return node;
}

static void add_word(parser *self, mls_shell_node *node, mls_shell_token token)
{
    if (!mls_shell_list_add(self->arena, &node->words, &node->word_count, &node->word_capacity, token.text)) {
        fail_memory(self);
    }
}

/* Adds a child behind `last`, which it becomes. */
static void add_child(mls_shell_node *node, mls_shell_node **last, mls_shell_node *child)
{
    *(*last == NULL ? &node->children : &(*last)->next) = child;
    *last = child;
}

static mls_shell_token next(parser *self)
{
    return mls_shell_lexer_next(self->lexer);
}

static mls_shell_token peek(parser *self)
{
    return mls_shell_lexer_peek(self->lexer);
}

static bool token_is(mls_shell_token token, const char *text)
{
    const bool word = token.kind == TOKEN_WORD || token.kind == TOKEN_OPERATOR;
    return word && mls_str_equal(token.text, mls_str_from(text));
}

static bool take(parser *self, const char *text)
{
    const bool found = token_is(peek(self), text);
    if (found) {
        (void)next(self);
    }
    return found;
}

static void expect(parser *self, const char *text, const char *problem)
{
    if (!take(self, text)) {
        fail(self, problem);
    }
}

static const char no_keyword[] = "a word like then, do, in or fi is missing";

static void skip_newlines(parser *self)
{
    while (peek(self).kind == TOKEN_NEWLINE) {
        (void)next(self);
    }
}

static bool closes_list(mls_shell_token token)
{
    return token.kind == TOKEN_END || token.kind == TOKEN_BAD ||
           mls_shell_among(token.text, " then elif else fi do done esac } ) ;; ;& ;;& ");
}

static bool is_redirection(mls_shell_token token)
{
    return token.kind == TOKEN_OPERATOR &&
           (token.text.ptr[0] == '<' || token.text.ptr[0] == '>' || mls_str_starts(token.text, MLS_S("&>")));
}

/* The 2 of 2>&1, and {fd} in its place; `word` was just taken. */
static bool is_descriptor(const parser *self, mls_str word)
{
    const mls_shell_lexer *lexer = self->lexer;
    bool digits = true;
    for (size_t i = 0; i < word.len; i++) {
        digits = digits && word.ptr[i] >= '0' && word.ptr[i] <= '9';
    }
    const bool braces = word.len > 2 && word.ptr[0] == '{' && word.ptr[word.len - 1] == '}' &&
                        mls_shell_is_name((mls_str){word.ptr + 1, word.len - 2});
    return (digits || braces) && lexer->at < lexer->text.len &&
           (lexer->text.ptr[lexer->at] == '<' || lexer->text.ptr[lexer->at] == '>');
}

/* The operator is next: it and its word. */
static void parse_redirection(parser *self, mls_shell_node *node, mls_str descriptor)
{
    const mls_shell_token operation = next(self);
    const mls_shell_token word = next(self);
    if (word.kind != TOKEN_WORD) {
        fail(self, "a redirection without a file");
        return;
    }
    const bool reads = operation.text.ptr[0] == '<';
    const bool standard = descriptor.len == 0 || mls_str_equal(descriptor, reads ? MLS_S("0") : MLS_S("1"));
    node->redirected = true;
    node->output_elsewhere = node->output_elsewhere || (!reads && standard);
    node->input_elsewhere = node->input_elsewhere || (reads && standard);
    if (token_is(operation, "<<<") && standard) {
        node->input = word.text;
    } else if (token_is(operation, "<<") || token_is(operation, "<<-")) {
        mls_shell_lexer *lexer = self->lexer;
        if (lexer->heredoc_count == SHELL_HEREDOCS_MAX) {
            fail(self, "too many here-documents");
            return;
        }
        lexer->heredocs[lexer->heredoc_count++] = (mls_shell_heredoc){word.text, operation.text.len == 3};
    }
}

/* Redirections, and, of a simple command, the words between them. */
static void parse_words(parser *self, mls_shell_node *node, bool simple)
{
    mls_str descriptor = {NULL, 0};
    for (;;) {
        const mls_shell_token token = peek(self);
        const size_t at = self->lexer->at;
        const size_t line = self->lexer->line;
        if (token.kind == TOKEN_WORD) {
            (void)next(self);
            if (is_descriptor(self, token.text)) {
                descriptor = token.text;
            } else if (simple) {
                add_word(self, node, token);
            } else {
                self->lexer->at = at;
                self->lexer->line = line;
                return;
            }
        } else if (is_redirection(token)) {
            parse_redirection(self, node, descriptor);
            descriptor = MLS_S("");
        } else {
            return;
        }
    }
}

static void parse_function(parser *self, mls_shell_node *node)
{
    node->kind = NODE_FUNCTION;
    if (take(self, "(")) {
        expect(self, ")", "'(' where none is expected");
    }
    skip_newlines(self);
    node->children = parse_command(self);
}

static mls_shell_node *parse_simple(parser *self)
{
    mls_shell_node *node = make_node(self, NODE_SIMPLE);
    parse_words(self, node, true);
    if (node->word_count == 0 && !node->redirected) {
        fail(self, "a command is missing");
    }
    if (node->word_count == 1 && token_is(peek(self), "(")) {
        parse_function(self, node);
    }
    return node;
}

static void parse_if(parser *self, mls_shell_node *node)
{
    mls_shell_node *last = NULL;
    node->kind = NODE_IF;
    do {
        add_child(node, &last, parse_list(self, false));
        expect(self, "then", no_keyword);
        add_child(node, &last, parse_list(self, false));
    } while (take(self, "elif"));
    if (take(self, "else")) {
        add_child(node, &last, parse_list(self, false));
    }
    expect(self, "fi", no_keyword);
}

static void parse_body(parser *self, mls_shell_node *node, mls_shell_node *last)
{
    const bool braces = take(self, "{"); /* for i in a; { … } */
    if (!braces) {
        expect(self, "do", no_keyword);
    }
    add_child(node, &last, parse_list(self, false));
    expect(self, braces ? "}" : "done", no_keyword);
}

static void parse_loop(parser *self, mls_shell_node *node)
{
    mls_shell_node *condition = parse_list(self, false);
    node->children = condition;
    parse_body(self, node, condition);
}

static void parse_for(parser *self, mls_shell_node *node)
{
    if (take(self, "(")) {
        mls_str expression = MLS_STR("");
        if (!mls_shell_lexer_arithmetic(self->lexer, &expression)) {
            fail(self, "for without a name");
        }
        /* Its three parts change variables as commands do. */
        for (size_t at = 0, end = 0; self->lexer->problem == NULL && at <= expression.len; at = end + 1) {
            const char *cut = memchr(expression.ptr + at, ';', expression.len - at);
            end = cut != NULL ? (size_t)(cut - expression.ptr) : expression.len;
            mls_shell_node *part = make_node(self, NODE_ARITHMETIC);
            add_word(self, part, (mls_shell_token){.text = {expression.ptr + at, end - at}});
            part->next = node->children;
            node->children = part;
        }
    } else {
        const mls_shell_token name = next(self);
        if (name.kind != TOKEN_WORD || !mls_shell_is_name(name.text)) {
            fail(self, "for without a name");
        }
        node->assigns = true;
        add_word(self, node, name);
        skip_newlines(self);
        for (bool more = take(self, "in"); more && peek(self).kind == TOKEN_WORD;) {
            add_word(self, node, next(self));
        }
    }
    (void)take(self, ";");
    skip_newlines(self);
    mls_shell_node *last = node->children;
    while (last != NULL && last->next != NULL) {
        last = last->next;
    }
    parse_body(self, node, last);
}

static void parse_case(parser *self, mls_shell_node *node)
{
    mls_shell_node *last = NULL;
    const mls_shell_token subject = next(self);
    if (subject.kind != TOKEN_WORD) {
        fail(self, "case without a word");
    }
    add_word(self, node, subject);
    skip_newlines(self);
    expect(self, "in", no_keyword);
    skip_newlines(self);
    while (self->lexer->problem == NULL && !take(self, "esac")) {
        (void)take(self, "(");
        do {
            const mls_shell_token pattern = next(self);
            if (pattern.kind != TOKEN_WORD) {
                fail(self, "a pattern is missing");
            }
            add_word(self, node, pattern);
        } while (take(self, "|"));
        expect(self, ")", "a pattern without ')'");
        skip_newlines(self);
        if (!closes_list(peek(self))) {
            add_child(node, &last, parse_list(self, false));
        }
        if (!take(self, ";;") && !take(self, ";&")) {
            (void)take(self, ";;&");
        }
        skip_newlines(self);
    }
}

/* { } and ( ): the opening token is taken already. */
static void parse_enclosed(parser *self, mls_shell_node *node)
{
    const bool group = node->kind == NODE_LIST;
    mls_shell_node *list = parse_list(self, false);
    node->children = group ? list->children : list;
    expect(self, group ? "}" : ")", "a bracket is not closed");
}

/* "(" is taken: (( … )), or ( … ) where the second bracket opens a subshell of its own. */
static void parse_parenthesis(parser *self, mls_shell_node *node)
{
    mls_shell_lexer *lexer = self->lexer;
    mls_shell_token expression = {0};
    if (mls_shell_lexer_arithmetic(lexer, &expression.text)) {
        node->kind = NODE_ARITHMETIC;
        add_word(self, node, expression);
        return;
    }
    parse_enclosed(self, node);
}

static void parse_condition(parser *self, mls_shell_node *node)
{
    for (bool regex = false;;) {
        const mls_shell_token token = regex ? mls_shell_lexer_regex(self->lexer) : next(self);
        regex = !regex && token_is(token, "=~");
        if (token.kind == TOKEN_NEWLINE) {
            continue;
        }
        if (token.kind != TOKEN_WORD && token.kind != TOKEN_OPERATOR) {
            fail(self, "[[ without ]]");
            return;
        }
        if (token_is(token, "]]")) {
            return;
        }
        add_word(self, node, token);
    }
}

static void parse_named_function(parser *self, mls_shell_node *node)
{
    const mls_shell_token name = next(self);
    if (name.kind != TOKEN_WORD) {
        fail(self, "function without a name");
    }
    add_word(self, node, name);
    parse_function(self, node);
}

static mls_shell_node *parse_command(parser *self)
{
    static const struct {
        const char *word;
        mls_shell_node_kind kind;
        void (*parse)(parser *self, mls_shell_node *node);
    } compounds[] = {{"if", NODE_IF, parse_if},
                     {"while", NODE_DOUBT, parse_loop},
                     {"until", NODE_DOUBT, parse_loop},
                     {"for", NODE_DOUBT, parse_for},
                     {"select", NODE_DOUBT, parse_for},
                     {"case", NODE_DOUBT, parse_case},
                     {"[[", NODE_CONDITION, parse_condition},
                     {"{", NODE_LIST, parse_enclosed},
                     {"(", NODE_SUBSHELL, parse_parenthesis},
                     {"function", NODE_FUNCTION, parse_named_function}};
    const mls_shell_token token = peek(self);
    if (self->depth >= SHELL_NESTING_MAX) {
        fail(self, "commands are nested too deep");
    } else if (closes_list(token)) {
        fail(self, "a word like then, do or fi where none is expected");
    }
    self->depth++;
    mls_shell_node *node = NULL;
    for (size_t i = 0; i < sizeof compounds / sizeof *compounds && node == NULL; i++) {
        if (token_is(token, compounds[i].word)) {
            (void)next(self);
            node = make_node(self, compounds[i].kind);
            compounds[i].parse(self, node);
            parse_words(self, node, false);
        }
    }
    node = node != NULL ? node : parse_simple(self);
    self->depth--;
    return node;
}

static mls_shell_node *parse_pipeline(parser *self, mls_shell_joint join)
{
    mls_shell_node *pipeline = make_node(self, NODE_PIPELINE);
    mls_shell_node *last = NULL;
    pipeline->join = join;
    for (bool more = true; more;) {
        const bool negates = take(self, "!");
        pipeline->negated = pipeline->negated != negates;
        more = negates || (take(self, "time") && (take(self, "-p") || true));
    }
    pipeline->background = take(self, "coproc");
    if (pipeline->background && mls_shell_is_name(peek(self).text)) {
        const size_t at = self->lexer->at;
        (void)next(self);
        self->lexer->at = mls_shell_among(peek(self).text, " { ( ") ? self->lexer->at : at;
    }
    do {
        if (last != NULL) {
            skip_newlines(self);
        }
        add_child(pipeline, &last, parse_command(self));
    } while (take(self, "|") || take(self, "|&"));
    return pipeline;
}

/* Pipelines joined by && and ||; all of them run in the background when '&' follows.  Whether one did, or ';'. */
static bool parse_chain(parser *self, mls_shell_node *list, mls_shell_node **last)
{
    mls_shell_node *first = parse_pipeline(self, JOIN_THEN);
    add_child(list, last, first);
    for (bool and = true; (and = take(self, "&&")) || take(self, "||");) {
        skip_newlines(self);
        add_child(list, last, parse_pipeline(self, and? JOIN_AND : JOIN_OR));
    }
    const bool background = take(self, "&");
    for (mls_shell_node *node = first; node != NULL && background; node = node->next) {
        node->background = true;
    }
    return background || take(self, ";");
}

/* Commands up to what closes them, or to the end of the line. */
static mls_shell_node *parse_list(parser *self, bool one_line)
{
    mls_shell_node *list = make_node(self, NODE_LIST);
    mls_shell_node *last = NULL;
    skip_newlines(self);
    for (bool more = true; more;) {
        const bool separated = parse_chain(self, list, &last);
        const bool newline = peek(self).kind == TOKEN_NEWLINE;
        if (newline && one_line) {
            (void)next(self);
            return list;
        }
        skip_newlines(self);
        more = !closes_list(peek(self));
        if (more && !separated && !newline) {
            fail(self, "two commands without anything between them");
        }
    }
    return list;
}

const mls_shell_node *mls_shell_parse(mls_shell_lexer *lexer, mls_arena *arena)
{
    parser self = {.lexer = lexer, .arena = arena};
    skip_newlines(&self);
    if (peek(&self).kind == TOKEN_END) {
        return NULL;
    }
    const mls_shell_node *list = parse_list(&self, true);
    const bool at_line_start = lexer->at > 0 && lexer->text.ptr[lexer->at - 1] == '\n';
    if (!at_line_start && peek(&self).kind != TOKEN_END) {
        fail(&self, "a word like then, do or fi where none is expected");
    }
    return lexer->problem == NULL ? list : NULL;
}
