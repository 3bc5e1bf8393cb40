/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "shell/script_lexer.h"

typedef struct parser {
    mls_script_lexer *lexer;
    mls_arena *arena;
    size_t depth;
} parser;

typedef struct word_list {
    mls_script_word *items;
    size_t count;
    size_t capacity;
} word_list;

static mls_script_node *parse_list(parser *self, bool one_line);
static mls_script_node *parse_command_node(parser *self);

static void *fail(parser *self, const char *problem)
{
    if (self->lexer->problem == NULL) {
        self->lexer->problem = problem;
    }
    return NULL;
}

static mls_script_node *make_node(parser *self, mls_script_node_kind kind)
{
    mls_script_node *node = mls_arena_alloc(self->arena, sizeof *node);
    if (node == NULL) {
        return fail(self, "out of memory");
    }
    *node = (mls_script_node){.kind = kind, .line = self->lexer->line};
    return node;
}

static bool add_word(parser *self, word_list *list, mls_script_word word)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 4 : list->capacity * 2;
        mls_script_word *items = mls_arena_array(self->arena, capacity, sizeof *items);
        if (items == NULL) {
            (void)fail(self, "out of memory");
            return false;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * sizeof *items);
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = word;
    return true;
}

static void set_words(mls_script_node *node, const word_list *list)
{
    node->words = list->items;
    node->word_count = list->count;
}

static bool token_is(mls_script_token token, mls_script_token_kind kind, const char *text)
{
    return token.kind == kind && mls_str_equal(token.text, mls_str_from(text));
}

static bool at_operator(parser *self, const char *text)
{
    return token_is(mls_script_lexer_peek(self->lexer), TOKEN_OPERATOR, text);
}

static bool take(parser *self, mls_script_token_kind kind, const char *text)
{
    if (!token_is(mls_script_lexer_peek(self->lexer), kind, text)) {
        return false;
    }
    (void)mls_script_lexer_next(self->lexer);
    return true;
}

static bool expect_word(parser *self, const char *text)
{
    if (take(self, TOKEN_WORD, text)) {
        return true;
    }
    (void)fail(self, "a word like then, do, in or fi is missing");
    return false;
}

static void skip_newlines(parser *self)
{
    while (mls_script_lexer_peek(self->lexer).kind == TOKEN_NEWLINE) {
        (void)mls_script_lexer_next(self->lexer);
    }
}

static bool is_one_of(mls_str text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (mls_str_equal(text, mls_str_from(*words))) {
            return true;
        }
    }
    return false;
}

static bool closes_list(mls_script_token token)
{
    static const char *const words[] = {"then", "elif", "else", "fi", "do", "done", "esac", "}", NULL};
    static const char *const operators[] = {")", ";;", ";&", ";;&", NULL};
    return token.kind == TOKEN_END || token.kind == TOKEN_BAD ||
           (token.kind == TOKEN_WORD && is_one_of(token.text, words)) ||
           (token.kind == TOKEN_OPERATOR && is_one_of(token.text, operators));
}

static bool is_redirection(mls_script_token token)
{
    return token.kind == TOKEN_OPERATOR &&
           (token.text.ptr[0] == '<' || token.text.ptr[0] == '>' || mls_str_starts(token.text, MLS_S("&>")));
}

/* The operator is next: it and its word.  `descriptor` is the 2 of 2>&1, if there is one. */
static bool parse_redirection(parser *self, mls_script_node *node, mls_str descriptor)
{
    const mls_script_token operation = mls_script_lexer_next(self->lexer);
    const mls_script_token word = mls_script_lexer_next(self->lexer);
    if (word.kind != TOKEN_WORD) {
        (void)fail(self, "a redirection without a file");
        return false;
    }
    node->redirected = true;
    const bool input = operation.text.ptr[0] == '<';
    const bool standard = descriptor.len == 0 || mls_str_equal(descriptor, input ? MLS_S("0") : MLS_S("1"));
    node->output_elsewhere = node->output_elsewhere || (!input && standard);
    node->input_elsewhere = node->input_elsewhere || (input && standard);
    if (mls_str_equal(operation.text, MLS_S("<<<")) && standard) {
        node->input_word = word.text;
    }
    const bool strips = mls_str_equal(operation.text, MLS_S("<<-"));
    if (strips || mls_str_equal(operation.text, MLS_S("<<"))) {
        mls_script_lexer *lexer = self->lexer;
        if (lexer->heredoc_count == SCRIPT_HEREDOCS_MAX) {
            (void)fail(self, "too many here-documents");
            return false;
        }
        lexer->heredocs[lexer->heredoc_count++] = (mls_script_heredoc){word.text, strips};
    }
    return true;
}

/* The 2 of 2>&1. */
static bool is_descriptor(const parser *self, mls_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9') {
            return false;
        }
    }
    const mls_script_lexer *lexer = self->lexer;
    return lexer->at < lexer->text.len && (lexer->text.ptr[lexer->at] == '<' || lexer->text.ptr[lexer->at] == '>');
}

static bool parse_redirections(parser *self, mls_script_node *node)
{
    for (;;) {
        const mls_script_lexer before = *self->lexer;
        mls_str descriptor = {NULL, 0};
        if (mls_script_lexer_peek(self->lexer).kind == TOKEN_WORD) {
            descriptor = mls_script_lexer_next(self->lexer).text;
            if (!is_descriptor(self, descriptor)) {
                *self->lexer = before;
                return true;
            }
        }
        if (!is_redirection(mls_script_lexer_peek(self->lexer))) {
            return true;
        }
        if (!parse_redirection(self, node, descriptor)) {
            return false;
        }
    }
}

static mls_script_node *parse_function(parser *self, mls_script_node *node, bool parentheses)
{
    node->kind = NODE_FUNCTION;
    if (parentheses && (!take(self, TOKEN_OPERATOR, "(") || !take(self, TOKEN_OPERATOR, ")"))) {
        return fail(self, "'(' where none is expected");
    }
    skip_newlines(self);
    const mls_script_node *body = parse_command_node(self);
    return body != NULL ? node : NULL;
}

static mls_script_node *parse_simple(parser *self)
{
    mls_script_node *node = make_node(self, NODE_SIMPLE);
    word_list words = {0};
    mls_str descriptor = {NULL, 0};
    while (node != NULL) {
        const mls_script_token token = mls_script_lexer_peek(self->lexer);
        if (token.kind == TOKEN_WORD) {
            (void)mls_script_lexer_next(self->lexer);
            if (is_descriptor(self, token.text)) {
                descriptor = token.text;
            } else if (!add_word(self, &words, (mls_script_word){token.text, token.line})) {
                return NULL;
            }
        } else if (is_redirection(token)) {
            if (!parse_redirection(self, node, descriptor)) {
                return NULL;
            }
            descriptor = MLS_S("");
        } else {
            break;
        }
    }
    if (node == NULL || self->lexer->problem != NULL) {
        return NULL;
    }
    if (words.count == 0 && !node->redirected) {
        return fail(self, "a command is missing");
    }
    if (words.count > 0) {
        node->line = words.items[0].line;
    }
    set_words(node, &words);
    return words.count == 1 && at_operator(self, "(") ? parse_function(self, node, true) : node;
}

static mls_script_arm *add_arm(parser *self, mls_script_node *node, mls_script_arm *last)
{
    mls_script_arm *arm = mls_arena_alloc(self->arena, sizeof *arm);
    if (arm == NULL) {
        return fail(self, "out of memory");
    }
    *arm = (mls_script_arm){0};
    if (last != NULL) {
        last->next = arm;
    } else {
        node->arms = arm;
    }
    return arm;
}

static mls_script_node *parse_if(parser *self)
{
    mls_script_node *node = make_node(self, NODE_IF);
    mls_script_arm *arm = NULL;
    bool more = node != NULL;
    while (more) {
        arm = add_arm(self, node, arm);
        if (arm == NULL || (arm->condition = parse_list(self, false)) == NULL || !expect_word(self, "then") ||
            (arm->body = parse_list(self, false)) == NULL) {
            return NULL;
        }
        more = take(self, TOKEN_WORD, "elif");
    }
    if (node != NULL && take(self, TOKEN_WORD, "else")) {
        arm = add_arm(self, node, arm);
        if (arm == NULL || (arm->body = parse_list(self, false)) == NULL) {
            return NULL;
        }
    }
    return node != NULL && expect_word(self, "fi") ? node : NULL;
}

static bool parse_body(parser *self, mls_script_arm *arm)
{
    skip_newlines(self);
    if (!expect_word(self, "do") || (arm->body = parse_list(self, false)) == NULL) {
        return false;
    }
    return expect_word(self, "done");
}

static mls_script_node *parse_loop(parser *self)
{
    mls_script_node *node = make_node(self, NODE_LOOP);
    mls_script_arm *arm = node != NULL ? add_arm(self, node, NULL) : NULL;
    if (arm == NULL || (arm->condition = parse_list(self, false)) == NULL) {
        return NULL;
    }
    return parse_body(self, arm) ? node : NULL;
}

static mls_script_node *parse_for(parser *self)
{
    mls_script_node *node = make_node(self, NODE_FOR);
    mls_script_arm *arm = node != NULL ? add_arm(self, node, NULL) : NULL;
    word_list words = {0};
    const mls_script_token name = mls_script_lexer_next(self->lexer);
    if (arm == NULL || name.kind != TOKEN_WORD) {
        return fail(self, "for without a name");
    }
    (void)add_word(self, &words, (mls_script_word){name.text, name.line});
    skip_newlines(self);
    node->all_arguments = !take(self, TOKEN_WORD, "in");
    while (!node->all_arguments && mls_script_lexer_peek(self->lexer).kind == TOKEN_WORD) {
        const mls_script_token word = mls_script_lexer_next(self->lexer);
        (void)add_word(self, &words, (mls_script_word){word.text, word.line});
    }
    (void)take(self, TOKEN_OPERATOR, ";");
    set_words(node, &words);
    return parse_body(self, arm) ? node : NULL;
}

static bool parse_case_arm(parser *self, mls_script_arm *arm)
{
    word_list patterns = {0};
    (void)take(self, TOKEN_OPERATOR, "(");
    do {
        const mls_script_token pattern = mls_script_lexer_next(self->lexer);
        if (pattern.kind != TOKEN_WORD || !add_word(self, &patterns, (mls_script_word){pattern.text, pattern.line})) {
            return fail(self, "a pattern is missing") != NULL;
        }
    } while (take(self, TOKEN_OPERATOR, "|"));
    arm->words = patterns.items;
    arm->word_count = patterns.count;
    if (!take(self, TOKEN_OPERATOR, ")")) {
        return fail(self, "a pattern without ')'") != NULL;
    }
    skip_newlines(self);
    if (!closes_list(mls_script_lexer_peek(self->lexer)) && (arm->body = parse_list(self, false)) == NULL) {
        return false;
    }
    arm->falls_through = at_operator(self, ";&") || at_operator(self, ";;&");
    if (!take(self, TOKEN_OPERATOR, ";;") && arm->falls_through) {
        (void)mls_script_lexer_next(self->lexer);
    }
    skip_newlines(self);
    return self->lexer->problem == NULL;
}

static mls_script_node *parse_case(parser *self)
{
    mls_script_node *node = make_node(self, NODE_CASE);
    word_list words = {0};
    const mls_script_token subject = mls_script_lexer_next(self->lexer);
    if (node == NULL || subject.kind != TOKEN_WORD ||
        !add_word(self, &words, (mls_script_word){subject.text, subject.line})) {
        return fail(self, "case without a word");
    }
    set_words(node, &words);
    skip_newlines(self);
    if (!expect_word(self, "in")) {
        return NULL;
    }
    skip_newlines(self);
    mls_script_arm *arm = NULL;
    while (!take(self, TOKEN_WORD, "esac")) {
        arm = add_arm(self, node, arm);
        if (arm == NULL || !parse_case_arm(self, arm)) {
            return NULL;
        }
    }
    return node;
}

/* { } and ( ): the opening token is taken already. */
static mls_script_node *parse_enclosed(parser *self, mls_script_node_kind kind)
{
    mls_script_node *node = make_node(self, kind);
    if (node == NULL || (node->children = parse_list(self, false)) == NULL) {
        return NULL;
    }
    const bool closed = kind == NODE_GROUP ? take(self, TOKEN_WORD, "}") : take(self, TOKEN_OPERATOR, ")");
    return closed ? node : fail(self, "a bracket is not closed");
}

/* (( … )): the lexer stands at the second bracket.  NULL without a problem when it is ( ( … ) … ) instead. */
static mls_script_node *parse_arithmetic(parser *self)
{
    mls_script_node *node = make_node(self, NODE_ARITHMETIC);
    word_list words = {0};
    mls_script_word expression = {.line = self->lexer->line};
    if (node == NULL || !mls_script_lexer_arithmetic(self->lexer, &expression.raw) ||
        !add_word(self, &words, expression)) {
        return NULL;
    }
    set_words(node, &words);
    return node;
}

static mls_script_node *parse_condition(parser *self)
{
    mls_script_node *node = make_node(self, NODE_CONDITION);
    word_list words = {0};
    bool regex = false;
    while (node != NULL) {
        const mls_script_token token = regex ? mls_script_lexer_regex(self->lexer) : mls_script_lexer_next(self->lexer);
        regex = !regex && token_is(token, TOKEN_WORD, "=~");
        if (token.kind == TOKEN_NEWLINE) {
            continue;
        }
        if (token.kind != TOKEN_WORD && token.kind != TOKEN_OPERATOR) {
            return fail(self, "[[ without ]]");
        }
        if (token_is(token, TOKEN_WORD, "]]")) {
            set_words(node, &words);
            return node;
        }
        if (!add_word(self, &words, (mls_script_word){token.text, token.line})) {
            return NULL;
        }
    }
    return NULL;
}

static mls_script_node *parse_named_function(parser *self)
{
    mls_script_node *node = make_node(self, NODE_FUNCTION);
    word_list words = {0};
    const mls_script_token name = mls_script_lexer_next(self->lexer);
    if (node == NULL || name.kind != TOKEN_WORD || !add_word(self, &words, (mls_script_word){name.text, name.line})) {
        return fail(self, "function without a name");
    }
    set_words(node, &words);
    return parse_function(self, node, at_operator(self, "("));
}

/* A compound command by its first word; *compound stays false when it is none. */
static mls_script_node *parse_compound(parser *self, mls_script_token token, bool *compound)
{
    static const struct {
        const char *word;
        mls_script_node *(*parse)(parser *self);
    } compounds[] = {{"if", parse_if},
                     {"while", parse_loop},
                     {"until", parse_loop},
                     {"for", parse_for},
                     {"case", parse_case},
                     {"[[", parse_condition},
                     {"function", parse_named_function}};
    for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++) {
        if (token_is(token, TOKEN_WORD, compounds[i].word)) {
            *compound = true;
            (void)mls_script_lexer_next(self->lexer);
            return compounds[i].parse(self);
        }
    }
    if (token_is(token, TOKEN_WORD, "{")) {
        *compound = true;
        (void)mls_script_lexer_next(self->lexer);
        return parse_enclosed(self, NODE_GROUP);
    }
    if (token_is(token, TOKEN_OPERATOR, "(")) {
        *compound = true;
        (void)mls_script_lexer_next(self->lexer);
        if (at_operator(self, "(") && self->lexer->text.ptr[self->lexer->at] == '(') {
            mls_script_node *node = parse_arithmetic(self);
            if (node != NULL || self->lexer->problem != NULL) {
                return node;
            }
        }
        return parse_enclosed(self, NODE_SUBSHELL);
    }
    return NULL;
}

static mls_script_node *parse_command_node(parser *self)
{
    if (self->depth >= SCRIPT_NESTING_MAX) {
        return fail(self, "commands are nested too deep");
    }
    self->depth++;
    bool compound = false;
    const mls_script_token token = mls_script_lexer_peek(self->lexer);
    mls_script_node *node = parse_compound(self, token, &compound);
    if (!compound && !closes_list(token)) {
        node = parse_simple(self);
    } else if (!compound) {
        node = fail(self, "a word like then, do or fi where none is expected");
    } else if (node != NULL) {
        node = parse_redirections(self, node) ? node : NULL;
    }
    self->depth--;
    return node;
}

static mls_script_node *parse_pipeline(parser *self, mls_script_join join)
{
    mls_script_node *pipeline = make_node(self, NODE_PIPELINE);
    if (pipeline == NULL) {
        return NULL;
    }
    pipeline->join = join;
    for (bool more = true; more;) {
        more = false;
        if (take(self, TOKEN_WORD, "!")) {
            pipeline->negated = !pipeline->negated;
            more = true;
        } else if (take(self, TOKEN_WORD, "time")) {
            more = true;
        }
    }
    mls_script_node *last = NULL;
    do {
        if (last != NULL) {
            skip_newlines(self);
        }
        mls_script_node *command = parse_command_node(self);
        if (command == NULL) {
            return NULL;
        }
        if (last == NULL) {
            pipeline->children = command;
            pipeline->line = command->line;
        } else {
            last->next = command;
        }
        last = command;
    } while (take(self, TOKEN_OPERATOR, "|") || take(self, TOKEN_OPERATOR, "|&"));
    return pipeline;
}

static mls_script_node *parse_chain(parser *self)
{
    mls_script_node *chain = make_node(self, NODE_CHAIN);
    mls_script_node *last = NULL;
    mls_script_join join = JOIN_NONE;
    while (chain != NULL) {
        mls_script_node *pipeline = parse_pipeline(self, join);
        if (pipeline == NULL) {
            return NULL;
        }
        if (last == NULL) {
            chain->children = pipeline;
        } else {
            last->next = pipeline;
        }
        last = pipeline;
        if (take(self, TOKEN_OPERATOR, "&&")) {
            join = JOIN_AND;
        } else if (take(self, TOKEN_OPERATOR, "||")) {
            join = JOIN_OR;
        } else {
            break;
        }
        skip_newlines(self);
    }
    return chain;
}

/* Commands up to what closes them, or to the end of the line. */
static mls_script_node *parse_list(parser *self, bool one_line)
{
    mls_script_node *list = make_node(self, NODE_LIST);
    mls_script_node *last = NULL;
    if (list != NULL) {
        skip_newlines(self);
    }
    for (bool more = list != NULL; more;) {
        mls_script_node *chain = parse_chain(self);
        if (chain == NULL) {
            return NULL;
        }
        if (last == NULL) {
            list->children = chain;
        } else {
            last->next = chain;
        }
        last = chain;
        chain->background = take(self, TOKEN_OPERATOR, "&");
        const bool separated = chain->background || take(self, TOKEN_OPERATOR, ";");
        const mls_script_token token = mls_script_lexer_peek(self->lexer);
        if (token.kind == TOKEN_NEWLINE && one_line) {
            (void)mls_script_lexer_next(self->lexer);
            return list;
        }
        const bool newline = token.kind == TOKEN_NEWLINE;
        skip_newlines(self);
        more = !closes_list(mls_script_lexer_peek(self->lexer));
        if (more && !separated && !newline) {
            return fail(self, "two commands without anything between them");
        }
    }
    return self->lexer->problem == NULL ? list : NULL;
}

const mls_script_node *mls_script_parse_command(mls_script_lexer *lexer, mls_arena *arena, bool *end)
{
    parser self = {.lexer = lexer, .arena = arena};
    skip_newlines(&self);
    *end = mls_script_lexer_peek(lexer).kind == TOKEN_END;
    if (*end) {
        return NULL;
    }
    const mls_script_node *list = parse_list(&self, true);
    const bool at_line_start = lexer->at > 0 && lexer->text.ptr[lexer->at - 1] == '\n';
    if (list != NULL && !at_line_start && mls_script_lexer_peek(lexer).kind != TOKEN_END) {
        return fail(&self, "a word like then, do or fi where none is expected");
    }
    return list;
}
