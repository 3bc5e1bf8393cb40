/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_parse.c - a Pratt parser from rule text to nodes.
 *
 * A node's depth is that of the tree below it, so that chains which need no
 * recursion to parse (1+1+1+…) cannot make the evaluator recurse without end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/expr.h"
#include "rules/expr_lex.h"

/* Binding powers of the operators, the loosest first. */
enum { POWER_CHOICE = 1, POWER_OR, POWER_AND, POWER_COMPARISON, POWER_SUM, POWER_PRODUCT, POWER_POWER, POWER_UNARY };

typedef struct mls_operator {
    char sign[3];
    uint8_t power;
    uint8_t op;
} mls_operator;

static const mls_operator operators[] = {
    {"?", POWER_CHOICE, MLS_EXPR_CHOICE},
    {"||", POWER_OR, MLS_EXPR_OR},
    {"&&", POWER_AND, MLS_EXPR_AND},
    {"==", POWER_COMPARISON, MLS_EXPR_EQUAL},
    {"!=", POWER_COMPARISON, MLS_EXPR_UNEQUAL},
    {"<", POWER_COMPARISON, MLS_EXPR_LESS},
    {"<=", POWER_COMPARISON, MLS_EXPR_LESS_EQUAL},
    {">", POWER_COMPARISON, MLS_EXPR_GREATER},
    {">=", POWER_COMPARISON, MLS_EXPR_GREATER_EQUAL},
    {"in", POWER_COMPARISON, MLS_EXPR_IN},
    {"+", POWER_SUM, MLS_EXPR_ADD},
    {"-", POWER_SUM, MLS_EXPR_SUBTRACT},
    {"*", POWER_PRODUCT, MLS_EXPR_MULTIPLY},
    {"/", POWER_PRODUCT, MLS_EXPR_DIVIDE},
    {"%", POWER_PRODUCT, MLS_EXPR_REMAINDER},
    {"^", POWER_POWER, MLS_EXPR_POWER},
};

/* The growing arrays, each in the shape MLS_GROW wants. */
typedef struct node_list {
    mls_expr_node *items;
    size_t count;
    size_t capacity;
} node_list;

typedef struct index_list {
    uint32_t *items;
    size_t count;
    size_t capacity;
} index_list;

typedef struct constant_list {
    mls_value *items;
    size_t count;
    size_t capacity;
} constant_list;

/* After a failure every function goes on with node 0 until the end of the text, which comes at once. */
typedef struct expr_parser {
    mls_lexer lexer;
    mls_symbols *symbols;
    node_list nodes;
    index_list children;
    index_list pending; /* items of lists and calls whose closing bracket has not come */
    constant_list constants;
    mls_expr made;
} expr_parser;

static uint32_t parse_expression(expr_parser *parser, unsigned power, unsigned depth);

static void parser_fail(expr_parser *parser, const char *what)
{
    mls_lexer_fail(&parser->lexer, MLS_ERROR_SYNTAX, parser->lexer.token.begin, "%s", what);
}

/* Makes room for an item, or notes that there is no memory. */
static bool parser_room(expr_parser *parser, bool grown)
{
    if (!grown) {
        mls_lexer_fail(&parser->lexer, MLS_ERROR_MEMORY, 0, "out of memory");
    }
    return parser->lexer.status == MLS_OK;
}

static bool parser_at(const expr_parser *parser, const char *sign)
{
    return parser->lexer.token.kind == MLS_TOKEN_SIGN && mls_str_equal(parser->lexer.token.text, mls_str_from(sign));
}

static void parser_expect(expr_parser *parser, const char *sign, const char *what)
{
    if (parser_at(parser, sign)) {
        mls_lexer_next(&parser->lexer);
    } else {
        parser_fail(parser, what);
    }
}

static unsigned node_depth(const expr_parser *parser, uint32_t node)
{
    return node < parser->nodes.count ? parser->nodes.items[node].depth : 0;
}

static unsigned deeper(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static void parser_check_depth(expr_parser *parser, unsigned depth, uint32_t begin)
{
    if (depth > MLS_EXPR_DEPTH_MAX) {
        mls_lexer_fail(&parser->lexer, MLS_ERROR_LIMIT, begin, "nested deeper than %d levels", (int)MLS_EXPR_DEPTH_MAX);
    }
}

/* Appends a node that ends where the last token did; its depth is one more than `below`.  Returns its index. */
static uint32_t parser_add(expr_parser *parser, mls_expr_node node, unsigned below)
{
    parser_check_depth(parser, below + 1, node.begin);
    if (!parser_room(parser, MLS_GROW(&parser->nodes, items))) {
        return 0;
    }
    node.depth = (uint16_t)(below + 1);
    node.end = parser->lexer.last_end;
    parser->nodes.items[parser->nodes.count] = node;
    return (uint32_t)parser->nodes.count++;
}

static uint32_t parser_constant(expr_parser *parser, mls_value value)
{
    if (!parser_room(parser, MLS_GROW(&parser->constants, items))) {
        return 0;
    }
    parser->constants.items[parser->constants.count] = value;
    return (uint32_t)parser->constants.count++;
}

static uint32_t parser_add_constant(expr_parser *parser, mls_value value, uint32_t begin)
{
    const uint32_t constant = parser_constant(parser, value);
    return parser_add(parser, (mls_expr_node){.op = MLS_EXPR_CONSTANT, .begin = begin, .first = constant}, 0);
}

/* The constant that a node is; NULL when it is none. */
static const mls_value *node_constant(const expr_parser *parser, uint32_t node)
{
    return node < parser->nodes.count && parser->nodes.items[node].op == MLS_EXPR_CONSTANT
               ? &parser->constants.items[parser->nodes.items[node].first]
               : NULL;
}

/* Reads `item, item …` and the closing sign; the items' nodes stand at the end of the pending list. */
static unsigned parse_items(expr_parser *parser, const char *closing, unsigned depth)
{
    unsigned below = 0;
    mls_lexer_next(&parser->lexer);
    while (parser->lexer.status == MLS_OK && !parser_at(parser, closing)) {
        const uint32_t item = parse_expression(parser, POWER_CHOICE, depth + 1);
        if (!parser_room(parser, MLS_GROW(&parser->pending, items))) {
            break;
        }
        parser->pending.items[parser->pending.count++] = item;
        below = deeper(below, node_depth(parser, item));
        if (!parser_at(parser, closing)) {
            parser_expect(parser, ",", *closing == ']' ? "expected ',' or ']'" : "expected ',' or ')'");
        }
    }
    mls_lexer_next(&parser->lexer);
    return below;
}

/* Moves the pending items from `from` on to the children; returns where they start. */
static uint32_t parser_adopt(expr_parser *parser, size_t from)
{
    const uint32_t first = (uint32_t)parser->children.count;
    for (size_t i = from; i < parser->pending.count && parser_room(parser, MLS_GROW(&parser->children, items)); i++) {
        parser->children.items[parser->children.count++] = parser->pending.items[i];
    }
    parser->pending.count = from;
    return first;
}

/* A list of constants becomes one constant, so that `value in ["closed", "open"]` builds nothing. */
static uint32_t parse_list(expr_parser *parser, unsigned depth)
{
    const uint32_t begin = parser->lexer.token.begin;
    const size_t from = parser->pending.count;
    const unsigned below = parse_items(parser, "]", depth);
    const size_t count = parser->pending.count - from;
    mls_value *items = mls_arena_array(parser->lexer.arena, count, sizeof *items);
    size_t constants = 0;
    if (!parser_room(parser, items != NULL) || items == NULL) {
        return 0;
    }
    const mls_value *item;
    while (constants < count && (item = node_constant(parser, parser->pending.items[from + constants])) != NULL) {
        items[constants++] = *item;
    }
    if (constants == count) {
        parser->pending.count = from;
        return parser_add_constant(parser, (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}}, begin);
    }
    const mls_expr_node list = {
        .op = MLS_EXPR_LIST, .begin = begin, .first = parser_adopt(parser, from), .second = (uint32_t)count};
    return parser_add(parser, list, below);
}

static uint32_t parse_call(expr_parser *parser, mls_str name, uint32_t begin, unsigned depth)
{
    mls_expr_node call = {.op = MLS_EXPR_CALL, .begin = begin};
    const size_t from = parser->pending.count;
    while (call.function < MLS_FUNCTION_COUNT &&
           !mls_str_equal(name, mls_str_from(mls_function_table[call.function].name))) {
        call.function++;
    }
    if (call.function == MLS_FUNCTION_COUNT) {
        mls_lexer_fail(&parser->lexer, MLS_ERROR_SYNTAX, begin, "there is no function '%.*s'",
                       name.len > 60 ? 60 : (int)name.len, name.ptr);
        return 0;
    }
    const unsigned below = parse_items(parser, ")", depth);
    const mls_function_info *info = &mls_function_table[call.function];
    call.second = (uint32_t)(parser->pending.count - from);
    if (call.second < info->arguments_min || call.second > info->arguments_max) {
        mls_lexer_fail(&parser->lexer, MLS_ERROR_SYNTAX, begin, "%s takes %s%d argument%s", info->name,
                       info->arguments_max > info->arguments_min ? "at least " : "", info->arguments_min,
                       info->arguments_min == 1 ? "" : "s");
    }
    call.first = parser_adopt(parser, from);
    return parser_add(parser, call, below);
}

static uint32_t parse_name(expr_parser *parser, unsigned depth)
{
    static const struct {
        const char *name;
        mls_value value;
    } constants[] = {
        {"true", {.kind = MLS_JSON_BOOL, .as.boolean = true}},
        {"false", {.kind = MLS_JSON_BOOL, .as.boolean = false}},
        {"null", {.kind = MLS_JSON_NULL}},
        {"inf", {.kind = MLS_JSON_NUMBER, .as.number = INFINITY}},
    };
    static const struct {
        const char *name;
        uint8_t op;
    } inputs[] = {{"value", MLS_EXPR_VALUE},
                  {"metadata", MLS_EXPR_METADATA},
                  {"time_ms", MLS_EXPR_TIME},
                  {"record", MLS_EXPR_RECORD}};
    const mls_token token = parser->lexer.token;
    mls_lexer_next(&parser->lexer);
    if (parser_at(parser, "(")) {
        return parse_call(parser, token.text, token.begin, depth);
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (mls_str_equal(token.text, mls_str_from(constants[i].name))) {
            return parser_add_constant(parser, constants[i].value, token.begin);
        }
    }
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (mls_str_equal(token.text, mls_str_from(inputs[i].name))) {
            parser->made.uses_record = true;
            parser->made.uses_value |= inputs[i].op == MLS_EXPR_VALUE;
            return parser_add(parser, (mls_expr_node){.op = inputs[i].op, .begin = token.begin}, 0);
        }
    }
    mls_lexer_fail(&parser->lexer, MLS_ERROR_SYNTAX, token.begin,
                   "'%.*s' means nothing here; there are value, metadata, time_ms, record, $variables, "
                   "\"strings\" and functions",
                   token.text.len > 60 ? 60 : (int)token.text.len, token.text.ptr);
    return 0;
}

static uint32_t parse_variable(expr_parser *parser)
{
    const mls_token token = parser->lexer.token;
    const size_t slot = mls_symbols_intern(parser->symbols, token.text, parser->lexer.arena);
    if (slot == MLS_VARIABLES_PER_SCOPE_MAX) {
        mls_lexer_fail(&parser->lexer, MLS_ERROR_LIMIT, token.begin, "more than %d variables",
                       (int)MLS_VARIABLES_PER_SCOPE_MAX);
    }
    parser->made.uses_variables = true;
    mls_lexer_next(&parser->lexer);
    return parser_add(parser, (mls_expr_node){.op = MLS_EXPR_VARIABLE, .begin = token.begin, .first = (uint32_t)slot},
                      0);
}

static uint32_t parse_unary(expr_parser *parser, unsigned depth)
{
    const bool negate = parser_at(parser, "-");
    const uint32_t begin = parser->lexer.token.begin;
    mls_lexer_next(&parser->lexer);
    const uint32_t operand = parse_expression(parser, POWER_UNARY, depth + 1);
    const mls_value *constant = negate ? node_constant(parser, operand) : NULL;
    if (constant != NULL && constant->kind == MLS_JSON_NUMBER) {
        mls_value value = *constant;
        value.as.number = -value.as.number;
        return parser_add_constant(parser, value, begin);
    }
    const mls_expr_node unary = {.op = negate ? MLS_EXPR_NEGATE : MLS_EXPR_NOT, .begin = begin, .first = operand};
    return parser_add(parser, unary, node_depth(parser, operand));
}

static uint32_t parse_primary(expr_parser *parser, unsigned depth)
{
    const mls_token token = parser->lexer.token;
    mls_value constant = {.kind = MLS_JSON_NUMBER, .is_integer = token.is_integer, .as.number = token.number};
    uint32_t node = 0;
    switch (token.kind) {
    case MLS_TOKEN_STRING:
        constant = (mls_value){.kind = MLS_JSON_STRING, .as.string = token.text};
        /* fall through */
    case MLS_TOKEN_NUMBER:
        mls_lexer_next(&parser->lexer);
        return parser_add_constant(parser, constant, token.begin);
    case MLS_TOKEN_NAME:
        return parse_name(parser, depth);
    case MLS_TOKEN_VARIABLE:
        return parse_variable(parser);
    case MLS_TOKEN_END:
        parser_fail(parser, "the expression ends where a value is expected");
        return 0;
    case MLS_TOKEN_SIGN:
        break;
    }
    if (parser_at(parser, "-") || parser_at(parser, "!")) {
        return parse_unary(parser, depth);
    }
    if (parser_at(parser, "[")) {
        return parse_list(parser, depth);
    }
    if (parser_at(parser, "(")) {
        mls_lexer_next(&parser->lexer);
        node = parse_expression(parser, POWER_CHOICE, depth + 1);
        parser_expect(parser, ")", "expected ')'");
    } else {
        parser_fail(parser, "a value is expected here");
    }
    return node;
}

static uint32_t parse_postfix(expr_parser *parser, unsigned depth)
{
    const uint32_t begin = parser->lexer.token.begin;
    uint32_t node = parse_primary(parser, depth);
    for (;;) {
        mls_expr_node made = {.begin = begin, .first = node};
        if (parser_at(parser, ".")) {
            made.op = MLS_EXPR_MEMBER;
            mls_lexer_next(&parser->lexer);
            if (parser->lexer.token.kind != MLS_TOKEN_NAME) {
                parser_fail(parser, "a name must follow '.'");
            }
            const mls_str name = parser->lexer.token.text;
            made.second = parser_constant(parser, (mls_value){.kind = MLS_JSON_STRING, .as.string = name});
            mls_lexer_next(&parser->lexer);
            node = parser_add(parser, made, node_depth(parser, node));
        } else if (parser_at(parser, "[")) {
            made.op = MLS_EXPR_INDEX;
            mls_lexer_next(&parser->lexer);
            made.second = parse_expression(parser, POWER_CHOICE, depth + 1);
            parser_expect(parser, "]", "expected ']'");
            node = parser_add(parser, made, deeper(node_depth(parser, node), node_depth(parser, made.second)));
        } else {
            return node;
        }
    }
}

static const mls_operator *operator_at(const expr_parser *parser)
{
    const mls_token *token = &parser->lexer.token;
    const bool sign = token->kind == MLS_TOKEN_SIGN || token->kind == MLS_TOKEN_NAME;
    for (size_t i = 0; sign && i < sizeof operators / sizeof *operators; i++) {
        if (mls_str_equal(token->text, mls_str_from(operators[i].sign))) {
            return &operators[i];
        }
    }
    return NULL;
}

/* The operator's sign has been read; reads what is right of it and makes the node. */
static uint32_t parse_binary(expr_parser *parser, const mls_operator *infix, uint32_t left, uint32_t begin,
                             unsigned depth)
{
    mls_expr_node made = {.op = infix->op, .begin = begin, .first = left};
    const bool choice = infix->op == MLS_EXPR_CHOICE;
    const bool rightward = choice || infix->op == MLS_EXPR_POWER;
    made.second = parse_expression(parser, infix->power + !rightward, depth + 1);
    unsigned below = deeper(node_depth(parser, left), node_depth(parser, made.second));
    if (choice) {
        parser_expect(parser, ":", "expected ':' of '… ? … : …'");
        made.third = parse_expression(parser, POWER_CHOICE, depth + 1);
        below = deeper(below, node_depth(parser, made.third));
    }
    return parser_add(parser, made, below);
}

static uint32_t parse_expression(expr_parser *parser, unsigned power, unsigned depth)
{
    const uint32_t begin = parser->lexer.token.begin;
    bool compared = false;
    parser_check_depth(parser, depth, begin);
    if (parser->lexer.status != MLS_OK) {
        return 0;
    }
    uint32_t node = parse_postfix(parser, depth);
    for (;;) {
        const mls_operator *infix = operator_at(parser);
        if (infix == NULL || infix->power < power) {
            return node;
        }
        if (infix->power == POWER_COMPARISON && compared) {
            parser_fail(parser, "comparisons do not chain; join two with '&&'");
            return node;
        }
        compared = infix->power == POWER_COMPARISON;
        mls_lexer_next(&parser->lexer);
        node = parse_binary(parser, infix, node, begin, depth);
    }
}

/* A copy of an array in the arena, at its final size; NULL when memory runs out. */
static void *parser_keep(expr_parser *parser, const void *items, size_t count, size_t size)
{
    void *kept = mls_arena_array(parser->lexer.arena, count, size);
    if (parser_room(parser, kept != NULL) && kept != NULL && count > 0) {
        memcpy(kept, items, count * size);
    }
    return kept;
}

mls_status mls_expr_compile(mls_str text, mls_symbols *symbols, mls_arena *arena, mls_expr *expr, mls_error *error)
{
    if (text.len > MLS_EXPR_LENGTH_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "the expression is longer than %d bytes",
                             (int)MLS_EXPR_LENGTH_MAX);
    }
    expr_parser parser = {.lexer = {.text = mls_arena_copy(arena, text), .arena = arena, .error = error},
                          .symbols = symbols};
    if (parser_room(&parser, parser.lexer.text.ptr != NULL)) {
        mls_lexer_next(&parser.lexer);
        (void)parse_expression(&parser, POWER_CHOICE, 1);
    }
    if (parser.lexer.token.kind != MLS_TOKEN_END) {
        parser_fail(&parser, "an operator or the end is expected here");
    }
    if (parser.lexer.status == MLS_OK) {
        parser.made.text = parser.lexer.text;
        parser.made.nodes = parser_keep(&parser, parser.nodes.items, parser.nodes.count, sizeof(mls_expr_node));
        parser.made.children = parser_keep(&parser, parser.children.items, parser.children.count, sizeof(uint32_t));
        parser.made.constants = parser_keep(&parser, parser.constants.items, parser.constants.count, sizeof(mls_value));
        parser.made.node_count = (uint32_t)parser.nodes.count;
        *expr = parser.made;
    }
    free(parser.nodes.items);
    free(parser.children.items);
    free(parser.pending.items);
    free(parser.constants.items);
    return parser.lexer.status;
}

size_t mls_symbols_intern(mls_symbols *symbols, mls_str name, mls_arena *arena)
{
    for (size_t i = 0; i < symbols->count; i++) {
        if (mls_str_equal(symbols->names[i], name)) {
            return i;
        }
    }
    if (symbols->count == symbols->capacity) {
        const size_t capacity = symbols->capacity > 0 ? symbols->capacity * 2 : 16;
        mls_str *names = mls_arena_array(arena, capacity, sizeof *names);
        if (symbols->count == MLS_VARIABLES_PER_SCOPE_MAX || names == NULL) {
            return MLS_VARIABLES_PER_SCOPE_MAX;
        }
        if (symbols->count > 0) {
            memcpy(names, symbols->names, symbols->count * sizeof *names);
        }
        symbols->names = names;
        symbols->capacity = capacity;
    }
    symbols->names[symbols->count] = mls_arena_copy(arena, name);
    return symbols->names[symbols->count].ptr != NULL ? symbols->count++ : MLS_VARIABLES_PER_SCOPE_MAX;
}
