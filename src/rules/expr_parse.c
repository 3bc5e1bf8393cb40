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

const mls_function_info mls_function_table[MLS_FUNCTION_COUNT] = {
    {"abs", 1, 1},     {"ceil", 1, 1},   {"floor", 1, 1},      {"has", 2, 2},     {"int", 1, 1},
    {"is_bool", 1, 1}, {"is_int", 1, 1}, {"is_integer", 1, 1}, {"isclose", 2, 2}, {"len", 1, 1},
    {"log2", 1, 1},    {"lower", 1, 1},  {"max", 1, 16},       {"min", 1, 16},    {"sorted", 1, 1},
};

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
typedef struct mls_node_list {
    mls_expr_node *items;
    size_t count;
    size_t capacity;
} mls_node_list;

typedef struct mls_index_list {
    uint32_t *items;
    size_t count;
    size_t capacity;
} mls_index_list;

typedef struct mls_value_list {
    mls_value *items;
    size_t count;
    size_t capacity;
} mls_value_list;

typedef struct mls_parser {
    mls_str text;
    uint32_t at;
    uint32_t last_end; /* of the token before the current one */
    mls_token token;
    mls_symbols *symbols;
    mls_arena *arena;
    mls_error *error;
    mls_node_list nodes;
    mls_index_list children;
    mls_index_list pending; /* items of lists and calls whose closing bracket has not come */
    mls_value_list constants;
    bool uses_record;
    bool uses_value;
    bool uses_variables;
} mls_parser;

static mls_status mls_parse_expression(mls_parser *parser, unsigned power, unsigned depth, uint32_t *node);

static mls_status mls_parser_fail(mls_parser *parser, uint32_t at, const char *what)
{
    return mls_error_set(parser->error, MLS_ERROR_SYNTAX, 0, (size_t)at + 1, "%s", what);
}

static mls_status mls_parser_memory(mls_parser *parser)
{
    return mls_error_memory(parser->error);
}

static mls_status mls_parser_advance(mls_parser *parser)
{
    parser->last_end = parser->token.end;
    return mls_token_next(parser->text, &parser->at, parser->arena, &parser->token, parser->error);
}

static bool mls_parser_at(const mls_parser *parser, const char *sign)
{
    return parser->token.kind == MLS_TOKEN_SIGN && strcmp(parser->token.sign, sign) == 0;
}

static mls_status mls_parser_expect(mls_parser *parser, const char *sign, const char *what)
{
    if (!mls_parser_at(parser, sign)) {
        return mls_parser_fail(parser, parser->token.begin, what);
    }
    return mls_parser_advance(parser);
}

static uint16_t mls_parser_depth(const mls_parser *parser, uint32_t node)
{
    return parser->nodes.items[node].depth;
}

/* Appends a node; its depth is one more than `below`. */
static mls_status mls_parser_add(mls_parser *parser, mls_expr_node node, unsigned below, uint32_t *index)
{
    if (below + 1 > MLS_EXPR_DEPTH_MAX) {
        return mls_error_set(parser->error, MLS_ERROR_LIMIT, 0, (size_t)node.begin + 1, "nested deeper than %d levels",
                             (int)MLS_EXPR_DEPTH_MAX);
    }
    if (!MLS_GROW(&parser->nodes, items)) {
        return mls_parser_memory(parser);
    }
    node.depth = (uint16_t)(below + 1);
    node.end = parser->last_end;
    *index = (uint32_t)parser->nodes.count;
    parser->nodes.items[parser->nodes.count++] = node;
    return MLS_OK;
}

static mls_status mls_parser_add_constant(mls_parser *parser, mls_value value, uint32_t begin, uint32_t *index)
{
    if (!MLS_GROW(&parser->constants, items)) {
        return mls_parser_memory(parser);
    }
    parser->constants.items[parser->constants.count] = value;
    return mls_parser_add(
        parser, (mls_expr_node){.op = MLS_EXPR_CONSTANT, .begin = begin, .first = (uint32_t)parser->constants.count++},
        0, index);
}

/* Reads `item, item …` up to the closing sign; the items' nodes stay on the pending list from *from on. */
static mls_status mls_parse_items(mls_parser *parser, const char *closing, unsigned depth, size_t *from,
                                  unsigned *below)
{
    mls_status status = MLS_OK;
    *from = parser->pending.count;
    *below = 0;
    while (status == MLS_OK && !mls_parser_at(parser, closing)) {
        uint32_t item = 0;
        status = mls_parse_expression(parser, POWER_CHOICE, depth + 1, &item);
        if (status == MLS_OK && !MLS_GROW(&parser->pending, items)) {
            status = mls_parser_memory(parser);
        }
        if (status != MLS_OK) {
            return status;
        }
        parser->pending.items[parser->pending.count++] = item;
        if (mls_parser_depth(parser, item) > *below) {
            *below = mls_parser_depth(parser, item);
        }
        if (mls_parser_at(parser, closing)) {
            break;
        }
        status = mls_parser_expect(parser, ",", *closing == ']' ? "expected ',' or ']'" : "expected ',' or ')'");
    }
    return status == MLS_OK ? mls_parser_advance(parser) : status;
}

/* Moves the pending items from `from` on to the children; returns where they start. */
static mls_status mls_parser_adopt(mls_parser *parser, size_t from, uint32_t *first)
{
    *first = (uint32_t)parser->children.count;
    for (size_t i = from; i < parser->pending.count; i++) {
        if (!MLS_GROW(&parser->children, items)) {
            return mls_parser_memory(parser);
        }
        parser->children.items[parser->children.count++] = parser->pending.items[i];
    }
    parser->pending.count = from;
    return MLS_OK;
}

/* A list of constants becomes one constant, so that `value in ["closed", "open"]` builds nothing. */
static mls_status mls_parser_fold_list(mls_parser *parser, size_t from, uint32_t begin, bool *folded, uint32_t *index)
{
    const size_t count = parser->pending.count - from;
    *folded = false;
    for (size_t i = from; i < parser->pending.count; i++) {
        if (parser->nodes.items[parser->pending.items[i]].op != MLS_EXPR_CONSTANT) {
            return MLS_OK;
        }
    }
    mls_value *items = mls_arena_array(parser->arena, count, sizeof *items);
    if (items == NULL) {
        return mls_parser_memory(parser);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = parser->constants.items[parser->nodes.items[parser->pending.items[from + i]].first];
    }
    *folded = true;
    parser->pending.count = from;
    const mls_value list = {.kind = MLS_JSON_LIST, .as.list = {items, count}};
    return mls_parser_add_constant(parser, list, begin, index);
}

static mls_status mls_parse_list(mls_parser *parser, unsigned depth, uint32_t *node)
{
    const uint32_t begin = parser->token.begin;
    size_t from;
    unsigned below;
    bool folded;
    mls_status status = mls_parser_advance(parser);
    if (status == MLS_OK) {
        status = mls_parse_items(parser, "]", depth, &from, &below);
    }
    if (status != MLS_OK) {
        return status;
    }
    const size_t count = parser->pending.count - from;
    status = mls_parser_fold_list(parser, from, begin, &folded, node);
    if (status != MLS_OK || folded) {
        return status;
    }
    mls_expr_node list = {.op = MLS_EXPR_LIST, .begin = begin, .second = (uint32_t)count};
    status = mls_parser_adopt(parser, from, &list.first);
    return status == MLS_OK ? mls_parser_add(parser, list, below, node) : status;
}

static mls_status mls_parse_call(mls_parser *parser, mls_str name, uint32_t begin, unsigned depth, uint32_t *node)
{
    mls_expr_node call = {.op = MLS_EXPR_CALL, .function = MLS_FUNCTION_COUNT, .begin = begin};
    for (size_t i = 0; i < MLS_FUNCTION_COUNT; i++) {
        if (mls_str_equal(name, mls_str_from(mls_function_table[i].name))) {
            call.function = (uint8_t)i;
        }
    }
    if (call.function == MLS_FUNCTION_COUNT) {
        return mls_error_set(parser->error, MLS_ERROR_SYNTAX, 0, (size_t)begin + 1, "there is no function '%.*s'",
                             name.len > 60 ? 60 : (int)name.len, name.ptr);
    }
    size_t from;
    unsigned below;
    mls_status status = mls_parser_advance(parser);
    if (status == MLS_OK) {
        status = mls_parse_items(parser, ")", depth, &from, &below);
    }
    if (status != MLS_OK) {
        return status;
    }
    const mls_function_info *info = &mls_function_table[call.function];
    call.second = (uint32_t)(parser->pending.count - from);
    if (call.second < info->arguments_min || call.second > info->arguments_max) {
        return mls_error_set(parser->error, MLS_ERROR_SYNTAX, 0, (size_t)begin + 1, "%s takes %s%d argument%s",
                             info->name, info->arguments_max > info->arguments_min ? "at least " : "",
                             info->arguments_min, info->arguments_min == 1 ? "" : "s");
    }
    status = mls_parser_adopt(parser, from, &call.first);
    return status == MLS_OK ? mls_parser_add(parser, call, below, node) : status;
}

static mls_status mls_parse_name(mls_parser *parser, unsigned depth, uint32_t *node)
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
    const mls_token token = parser->token;
    const mls_status status = mls_parser_advance(parser);
    if (status != MLS_OK) {
        return status;
    }
    if (mls_parser_at(parser, "(")) {
        return mls_parse_call(parser, token.text, token.begin, depth, node);
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (mls_str_equal(token.text, mls_str_from(constants[i].name))) {
            return mls_parser_add_constant(parser, constants[i].value, token.begin, node);
        }
    }
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (mls_str_equal(token.text, mls_str_from(inputs[i].name))) {
            parser->uses_record = true;
            parser->uses_value |= inputs[i].op == MLS_EXPR_VALUE;
            return mls_parser_add(parser, (mls_expr_node){.op = inputs[i].op, .begin = token.begin}, 0, node);
        }
    }
    return mls_error_set(parser->error, MLS_ERROR_SYNTAX, 0, (size_t)token.begin + 1,
                         "'%.*s' means nothing here; there are value, metadata, time_ms, record, $variables, "
                         "\"strings\" and functions",
                         token.text.len > 60 ? 60 : (int)token.text.len, token.text.ptr);
}

static mls_status mls_parse_variable(mls_parser *parser, uint32_t *node)
{
    const uint32_t begin = parser->token.begin;
    const size_t slot = mls_symbols_intern(parser->symbols, parser->token.text, parser->arena);
    if (slot == MLS_VARIABLES_PER_SCOPE_MAX) {
        return mls_error_set(parser->error, MLS_ERROR_LIMIT, 0, (size_t)begin + 1, "more than %d variables",
                             (int)MLS_VARIABLES_PER_SCOPE_MAX);
    }
    parser->uses_variables = true;
    const mls_status status = mls_parser_advance(parser);
    if (status != MLS_OK) {
        return status;
    }
    return mls_parser_add(parser, (mls_expr_node){.op = MLS_EXPR_VARIABLE, .begin = begin, .first = (uint32_t)slot}, 0,
                          node);
}

static mls_status mls_parse_unary(mls_parser *parser, unsigned depth, uint32_t *node)
{
    const bool negate = mls_parser_at(parser, "-");
    const uint32_t begin = parser->token.begin;
    uint32_t operand;
    mls_status status = mls_parser_advance(parser);
    if (status == MLS_OK) {
        status = mls_parse_expression(parser, POWER_UNARY, depth + 1, &operand);
    }
    if (status != MLS_OK) {
        return status;
    }
    const mls_expr_node *below = &parser->nodes.items[operand];
    if (negate && below->op == MLS_EXPR_CONSTANT) {
        mls_value value = parser->constants.items[below->first];
        if (value.kind == MLS_JSON_NUMBER) {
            value.as.number = -value.as.number;
            return mls_parser_add_constant(parser, value, begin, node);
        }
    }
    const mls_expr_node unary = {.op = negate ? MLS_EXPR_NEGATE : MLS_EXPR_NOT, .begin = begin, .first = operand};
    return mls_parser_add(parser, unary, below->depth, node);
}

static mls_status mls_parse_primary(mls_parser *parser, unsigned depth, uint32_t *node)
{
    const mls_token token = parser->token;
    mls_value constant = {.kind = MLS_JSON_NUMBER, .is_integer = token.is_integer, .as.number = token.number};
    mls_status status;
    switch (token.kind) {
    case MLS_TOKEN_STRING:
        constant = (mls_value){.kind = MLS_JSON_STRING, .as.string = token.text};
        /* fall through */
    case MLS_TOKEN_NUMBER:
        status = mls_parser_advance(parser);
        return status == MLS_OK ? mls_parser_add_constant(parser, constant, token.begin, node) : status;
    case MLS_TOKEN_NAME:
        return mls_parse_name(parser, depth, node);
    case MLS_TOKEN_VARIABLE:
        return mls_parse_variable(parser, node);
    case MLS_TOKEN_END:
        return mls_parser_fail(parser, token.begin, "the expression ends where a value is expected");
    case MLS_TOKEN_SIGN:
        break;
    }
    if (mls_parser_at(parser, "-") || mls_parser_at(parser, "!")) {
        return mls_parse_unary(parser, depth, node);
    }
    if (mls_parser_at(parser, "[")) {
        return mls_parse_list(parser, depth, node);
    }
    if (!mls_parser_at(parser, "(")) {
        return mls_parser_fail(parser, token.begin, "a value is expected here");
    }
    status = mls_parser_advance(parser);
    if (status == MLS_OK) {
        status = mls_parse_expression(parser, POWER_CHOICE, depth + 1, node);
    }
    return status == MLS_OK ? mls_parser_expect(parser, ")", "expected ')'") : status;
}

static mls_status mls_parse_member(mls_parser *parser, uint32_t begin, uint32_t *node)
{
    mls_status status = mls_parser_advance(parser);
    if (status != MLS_OK) {
        return status;
    }
    if (parser->token.kind != MLS_TOKEN_NAME) {
        return mls_parser_fail(parser, parser->token.begin, "a name must follow '.'");
    }
    const mls_value name = {.kind = MLS_JSON_STRING, .as.string = mls_arena_copy(parser->arena, parser->token.text)};
    if (name.as.string.ptr == NULL || !MLS_GROW(&parser->constants, items)) {
        return mls_parser_memory(parser);
    }
    const mls_expr_node member = {
        .op = MLS_EXPR_MEMBER, .begin = begin, .first = *node, .second = (uint32_t)parser->constants.count};
    parser->constants.items[parser->constants.count++] = name;
    status = mls_parser_advance(parser);
    return status == MLS_OK ? mls_parser_add(parser, member, mls_parser_depth(parser, *node), node) : status;
}

static mls_status mls_parse_index(mls_parser *parser, uint32_t begin, unsigned depth, uint32_t *node)
{
    uint32_t index;
    mls_status status = mls_parser_advance(parser);
    if (status == MLS_OK) {
        status = mls_parse_expression(parser, POWER_CHOICE, depth + 1, &index);
    }
    if (status == MLS_OK) {
        status = mls_parser_expect(parser, "]", "expected ']'");
    }
    if (status != MLS_OK) {
        return status;
    }
    const uint16_t left = mls_parser_depth(parser, *node);
    const uint16_t right = mls_parser_depth(parser, index);
    const mls_expr_node item = {.op = MLS_EXPR_INDEX, .begin = begin, .first = *node, .second = index};
    return mls_parser_add(parser, item, left > right ? left : right, node);
}

static mls_status mls_parse_postfix(mls_parser *parser, unsigned depth, uint32_t *node)
{
    const uint32_t begin = parser->token.begin;
    mls_status status = mls_parse_primary(parser, depth, node);
    while (status == MLS_OK) {
        if (mls_parser_at(parser, ".")) {
            status = mls_parse_member(parser, begin, node);
        } else if (mls_parser_at(parser, "[")) {
            status = mls_parse_index(parser, begin, depth, node);
        } else {
            break;
        }
    }
    return status;
}

static const mls_operator *mls_parser_operator(const mls_parser *parser)
{
    mls_str sign = {NULL, 0};
    if (parser->token.kind == MLS_TOKEN_SIGN) {
        sign = mls_str_from(parser->token.sign);
    } else if (parser->token.kind == MLS_TOKEN_NAME) {
        sign = parser->token.text;
    }
    for (size_t i = 0; sign.len > 0 && i < sizeof operators / sizeof *operators; i++) {
        if (mls_str_equal(sign, mls_str_from(operators[i].sign))) {
            return &operators[i];
        }
    }
    return NULL;
}

/* The operator's sign has been read; reads what is right of it and makes the node. */
static mls_status mls_parse_binary(mls_parser *parser, const mls_operator *operator, uint32_t begin, unsigned depth,
                                   uint32_t *node)
{
    mls_expr_node made = {.op = operator->op, .begin = begin, .first = *node};
    unsigned below = mls_parser_depth(parser, *node);
    mls_status status;
    if (operator->op == MLS_EXPR_CHOICE) {
        status = mls_parse_expression(parser, POWER_CHOICE, depth + 1, &made.second);
        if (status == MLS_OK) {
            status = mls_parser_expect(parser, ":", "expected ':' of '… ? … : …'");
        }
        if (status == MLS_OK) {
            status = mls_parse_expression(parser, POWER_CHOICE, depth + 1, &made.third);
        }
        if (status == MLS_OK && mls_parser_depth(parser, made.third) > below) {
            below = mls_parser_depth(parser, made.third);
        }
    } else {
        const unsigned right = operator->op == MLS_EXPR_POWER ? POWER_POWER : operator->power + 1U;
        status = mls_parse_expression(parser, right, depth + 1, &made.second);
    }
    if (status != MLS_OK) {
        return status;
    }
    if (mls_parser_depth(parser, made.second) > below) {
        below = mls_parser_depth(parser, made.second);
    }
    return mls_parser_add(parser, made, below, node);
}

static mls_status mls_parse_expression(mls_parser *parser, unsigned power, unsigned depth, uint32_t *node)
{
    const uint32_t begin = parser->token.begin;
    if (depth > MLS_EXPR_DEPTH_MAX) {
        return mls_error_set(parser->error, MLS_ERROR_LIMIT, 0, (size_t)begin + 1, "nested deeper than %d levels",
                             (int)MLS_EXPR_DEPTH_MAX);
    }
    mls_status status = mls_parse_postfix(parser, depth, node);
    bool compared = false;
    while (status == MLS_OK) {
        const mls_operator *operator= mls_parser_operator(parser);
        if (operator== NULL || operator->power<power) {
            break;
        }
        if (operator->power == POWER_COMPARISON && compared) {
            return mls_parser_fail(parser, parser->token.begin, "comparisons do not chain; join two with '&&'");
        }
        compared = operator->power == POWER_COMPARISON;
        status = mls_parser_advance(parser);
        if (status == MLS_OK) {
            status = mls_parse_binary(parser, operator, begin, depth, node);
        }
    }
    return status;
}

/* Copies the parser's arrays into the arena, at their final size. */
static mls_status mls_parser_finish(mls_parser *parser, mls_expr *expr)
{
    mls_expr_node *nodes = mls_arena_array(parser->arena, parser->nodes.count, sizeof *nodes);
    uint32_t *children = mls_arena_array(parser->arena, parser->children.count, sizeof *children);
    mls_value *constants = mls_arena_array(parser->arena, parser->constants.count, sizeof *constants);
    if (nodes == NULL || children == NULL || constants == NULL || parser->nodes.items == NULL) {
        return mls_parser_memory(parser);
    }
    memcpy(nodes, parser->nodes.items, parser->nodes.count * sizeof *nodes);
    if (parser->children.count > 0) {
        memcpy(children, parser->children.items, parser->children.count * sizeof *children);
    }
    if (parser->constants.count > 0) {
        memcpy(constants, parser->constants.items, parser->constants.count * sizeof *constants);
    }
    *expr = (mls_expr){.text = parser->text,
                       .nodes = nodes,
                       .children = children,
                       .constants = constants,
                       .node_count = (uint32_t)parser->nodes.count,
                       .uses_record = parser->uses_record,
                       .uses_value = parser->uses_value,
                       .uses_variables = parser->uses_variables};
    return MLS_OK;
}

mls_status mls_expr_compile(mls_str text, mls_symbols *symbols, mls_arena *arena, mls_expr *expr, mls_error *error)
{
    if (text.len > MLS_EXPR_LENGTH_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "the expression is longer than %d bytes",
                             (int)MLS_EXPR_LENGTH_MAX);
    }
    mls_parser parser = {.symbols = symbols, .arena = arena, .error = error};
    parser.text = mls_arena_copy(arena, text);
    uint32_t root = 0;
    mls_status status = parser.text.ptr != NULL ? mls_parser_advance(&parser) : mls_parser_memory(&parser);
    if (status == MLS_OK) {
        status = mls_parse_expression(&parser, POWER_CHOICE, 1, &root);
    }
    if (status == MLS_OK && parser.token.kind != MLS_TOKEN_END) {
        status = mls_parser_fail(&parser, parser.token.begin, "an operator or the end is expected here");
    }
    if (status == MLS_OK) {
        status = mls_parser_finish(&parser, expr);
    }
    free(parser.nodes.items);
    free(parser.children.items);
    free(parser.pending.items);
    free(parser.constants.items);
    return status;
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
