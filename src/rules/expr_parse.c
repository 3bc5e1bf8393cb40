/* SPDX-License-Identifier: Apache-2.0 */
/* expr_parse.c - compile an expression to a tree of nodes with a Pratt parser (operator precedence parser).
 *
 * Each node stores the depth of its tree, which is limited: a long chain (1+1+1+…) is parsed without recursion, but
 * evaluated with it.  After the first error, the lexer only returns the token "end of the text", so functions need not
 * check for errors. */
#include <math.h>

#include "base/number.h"
#include "base/utf8.h"
#include "rules/expr.h"

/* The kinds of tokens.  A variable is '$' followed by a name; a sign is an operator or a bracket. */
typedef enum token_kind { TOKEN_LAST, TOKEN_CONSTANT, TOKEN_NAME, TOKEN_VARIABLE, TOKEN_SIGN } token_kind;

typedef struct expr_token {
    token_kind kind;
    mls_str text;
    mls_value constant;
} expr_token;

typedef mls_expr_node node;

typedef struct expr_parser {
    const char *text; /* NUL-terminated */
    const char *end;
    mls_arena *arena;
    mls_map *symbols;
    mls_error *error; /* where to store the error; NULL: do not store it */
    mls_status status;
    expr_token token;
    const char *last_end; /* end of the last token */
    unsigned depth;       /* current depth of nested expressions */
    node first;           /* head of the list of all nodes; after an error, it is also used in place of new nodes */
    node *last;
    uint64_t uses;
} expr_parser;

/* Operands of a list or a call.  When the array grows, the memory of the old array is not freed before the arena. */
typedef MLS_LIST_OF(const node *) operand_list;

static const node *parse_expression(expr_parser *p, unsigned power);

MLS_PRINTF(4, 5)
static void fail_at(expr_parser *p, mls_status status, const char *at, const char *format, ...)
{
    char message[200];
    if (p->status != MLS_OK)
        return;
    va_list args;
    va_start(args, format);
    (void)mls_text_vprintf(message, sizeof message, format, args);
    va_end(args);
    p->status = mls_error_set(p->error, status, 0, (size_t)(at - p->text) + 1, "%s", message);
    p->token = (expr_token){.text = {at, 0}};
}

/* Record an error at the current token. */
static void fail_here(expr_parser *p, const char *what)
{
    fail_at(p, MLS_ERROR_SYNTAX, p->token.text.ptr, "%s", what);
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Return the end of the digits at `at`.  If there is no digit, fail with the message `missing`. */
static const char *lex_digits(expr_parser *p, const char *at, const char *missing)
{
    if (!mls_is_digit(*at))
        fail_at(p, MLS_ERROR_SYNTAX, at, "%s", missing);
    while (mls_is_digit(*at))
        at++;
    return at;
}

static const char *lex_number(expr_parser *p, const char *begin, mls_value *value)
{
    if (*begin == '0' && mls_is_digit(begin[1]))
        fail_at(p, MLS_ERROR_SYNTAX, begin, "a number does not start with 0");
    const char *at = lex_digits(p, begin, "not a number");
    if (*at == '.')
        at = lex_digits(p, at + 1, "a digit must follow the decimal point");
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        at = lex_digits(p, at, "the exponent has no digits");
    }
    if (is_name_start(*at))
        fail_at(p, MLS_ERROR_SYNTAX, at, "a name cannot follow a number directly");
    const mls_str text = {begin, (size_t)(at - begin)};
    *value = (mls_value){.kind = MLS_JSON_NUMBER, .is_integer = mls_json_is_integer(text)};
    (void)mls_number_parse(text, &value->as.number);
    return at;
}

/* Read a string token, which may contain JSON escapes. */
static const char *lex_string(expr_parser *p, const char *begin, mls_value *value)
{
    const char *at = begin + 1;
    mls_str json;
    size_t where;
    while (at < p->end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    if (at >= p->end) {
        fail_at(p, MLS_ERROR_SYNTAX, begin, "the string has no closing quote");
        return begin;
    }
    const mls_str quoted = {begin, (size_t)(at + 1 - begin)};
    const char *reason = mls_json_validate(quoted, p->arena, &json, &where);
    *value = (mls_value){.kind = MLS_JSON_STRING};
    if (reason == NULL) {
        (void)mls_json_string(json, p->arena, &value->as.string);
    } else {
        fail_at(p, MLS_ERROR_SYNTAX, begin + where, "%s",
                begin[where] == '\\' ? "unknown escape; valid are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX" : reason);
    }
    return at + 1;
}

/* Read the next token. */
static void next_token(expr_parser *p)
{
    static const char two[] = "== != <= >= && ||";
    const char *begin = p->token.text.ptr + p->token.text.len;
    expr_token token = {.kind = TOKEN_SIGN};
    p->last_end = begin;
    if (p->status != MLS_OK)
        return;
    while (begin < p->end && mls_is_blank(*begin))
        begin++;
    const char *at = begin;
    const char c = *begin;
    if (at == p->end) {
        token.kind = TOKEN_LAST;
    } else if (mls_is_digit(c) || c == '"') {
        token.kind = TOKEN_CONSTANT;
        at = c == '"' ? lex_string(p, at, &token.constant) : lex_number(p, at, &token.constant);
    } else if (is_name_start(at[c == '$'])) {
        token.kind = c == '$' ? TOKEN_VARIABLE : TOKEN_NAME;
        for (at++; is_name_start(*at) || mls_is_digit(*at);)
            at++;
    } else {
        at++;
        for (size_t i = 0; i < sizeof two && at == begin + 1; i += 3)
            at += c == two[i] && *at == two[i + 1];
        if (at == begin + 1 && (c == '\0' || strchr("+-*/%^<>!?:()[],.", c) == NULL)) {
            fail_at(p, MLS_ERROR_SYNTAX, begin, "%s",
                    c == '='    ? "unexpected '='; to compare, write '=='"
                    : c == '&'  ? "unexpected '&'; write '&&'"
                    : c == '|'  ? "unexpected '|'; write '||'"
                    : c == '\'' ? "strings must be in double quotes"
                    : c == '$'  ? "a name must follow '$'"
                                : "unexpected character");
        }
    }
    token.text = (mls_str){begin, (size_t)(at - begin)};
    if (p->status == MLS_OK)
        p->token = token;
}

static bool at_sign(const expr_parser *p, const char *sign)
{
    return p->token.kind == TOKEN_SIGN && mls_str_equal(p->token.text, mls_str_from(sign));
}

static void expect_sign(expr_parser *p, const char *sign, const char *what)
{
    if (at_sign(p, sign))
        next_token(p);
    else
        fail_here(p, what);
}

static void check_depth(expr_parser *p, unsigned depth, const char *begin)
{
    if (depth > MLS_EXPR_DEPTH_MAX)
        fail_at(p, MLS_ERROR_LIMIT, begin, "nested deeper than %d levels", (int)MLS_EXPR_DEPTH_MAX);
}

/* Create a node that spans from `begin` to the end of the last token. */
static node *make(expr_parser *p, mls_expr_op op, const char *begin, const node *const *operands, size_t count)
{
    node *made = mls_arena_alloc(p->arena, sizeof *made);
    const node **kept = mls_arena_array(p->arena, count, sizeof(node *));
    *made = (node){.op = (uint8_t)op, .depth = 1, .operands = kept, .count = (uint32_t)count};
    made->text = (mls_str){begin, (size_t)(p->last_end - begin)};
    for (size_t i = 0; i < count; i++) {
        kept[i] = operands[i];
        made->depth = operands[i]->depth >= made->depth ? (uint16_t)(operands[i]->depth + 1) : made->depth;
    }
    check_depth(p, made->depth, begin);
    p->uses |= (uint64_t)1 << op;
    p->last->next = made;
    p->last = made;
    return made;
}

static const node *make_constant(expr_parser *p, const char *begin, mls_value value)
{
    node *made = make(p, MLS_EXPR_CONSTANT, begin, NULL, 0);
    made->constant = value;
    return made;
}

/* Parse items separated by commas, and the token `closing` after them. */
static operand_list parse_items(expr_parser *p, const char *closing)
{
    operand_list list = {0};
    next_token(p);
    while (p->status == MLS_OK && !at_sign(p, closing)) {
        const node *item = parse_expression(p, MLS_POWER_CHOICE);
        MLS_ARENA_ADD(p->arena, &list, item);
        if (!at_sign(p, closing))
            expect_sign(p, ",", *closing == ']' ? "expected ',' or ']'" : "expected ',' or ')'");
    }
    next_token(p);
    return list;
}

/* Return the first operator or function with a name, starting at index `op`; MLS_EXPR_OP_COUNT if there is none. */
static int find_op(mls_str name, int op)
{
    while (op < MLS_EXPR_OP_COUNT &&
           (mls_expr_table[op].name[0] != name.ptr[0] || !mls_str_equal(mls_str_from(mls_expr_table[op].name), name)))
        op++;
    return op;
}

static const node *parse_primary(expr_parser *p)
{
    const expr_token token = p->token;
    const char *begin = token.text.ptr;
    const bool negate = at_sign(p, "-");
    const node *inner = &p->first;
    if (token.kind == TOKEN_NAME) {
        /* Parse a name or a function call. */
        static const struct {
            const char *name;
            mls_value value;
        } constants[] = {
            {"true", {.kind = MLS_JSON_BOOL, .as.boolean = true}},
            {"false", {.kind = MLS_JSON_BOOL, .as.boolean = false}},
            {"null", {.kind = MLS_JSON_NULL}},
            {"inf", {.kind = MLS_JSON_NUMBER, .as.number = INFINITY}},
        };
        const mls_str name = p->token.text;
        unsigned i;
        next_token(p);
        if (at_sign(p, "(")) {
            const int op = find_op(name, MLS_EXPR_ABS);
            if (op == MLS_EXPR_OP_COUNT) {
                fail_at(p, MLS_ERROR_SYNTAX, name.ptr, "unknown function '%.*s'", MLS_CUT(name, 60));
                return &p->first;
            }
            const operand_list list = parse_items(p, ")");
            const mls_expr_info *info = &mls_expr_table[op];
            if (list.count < info->min || list.count > info->max) {
                fail_at(p, MLS_ERROR_SYNTAX, name.ptr, "%s takes %s%d argument%s", info->name,
                        info->max > info->min ? "at least " : "", info->min, info->min == 1 ? "" : "s");
            }
            return make(p, (mls_expr_op)op, name.ptr, list.items, list.count);
        }
        if (MLS_NAME_FIND(constants, sizeof constants / sizeof *constants, name, &i))
            return make_constant(p, name.ptr, constants[i].value);
        const int op = find_op(name, MLS_EXPR_VALUE);
        if (op <= MLS_EXPR_TIME)
            return make(p, (mls_expr_op)op, name.ptr, NULL, 0);
        fail_at(
            p, MLS_ERROR_SYNTAX, name.ptr,
            "unknown name '%.*s'; expected value, metadata, time_ms, record, a $variable, a \"string\" or a function",
            MLS_CUT(name, 60));
        return &p->first;
    }
    if (token.kind == TOKEN_VARIABLE) {
        const mls_map_entry *entry = mls_map_put(p->symbols, mls_str_rest(token.text, 1), NULL);
        const size_t slot = (size_t)(entry - p->symbols->entries);
        if (slot >= MLS_VARIABLES_PER_SCOPE_MAX)
            fail_at(p, MLS_ERROR_LIMIT, begin, "more than %d variables", (int)MLS_VARIABLES_PER_SCOPE_MAX);
        next_token(p);
        node *made = make(p, MLS_EXPR_VARIABLE, begin, NULL, 0);
        made->slot = (uint32_t)slot;
        return made;
    }
    if (token.kind == TOKEN_CONSTANT) {
        next_token(p);
        return make_constant(p, begin, token.constant);
    }
    if (negate || at_sign(p, "!")) {
        next_token(p);
        inner = parse_expression(p, MLS_POWER_UNARY);
        if (negate && inner->op == MLS_EXPR_CONSTANT && inner->constant.kind == MLS_JSON_NUMBER) {
            mls_value value = inner->constant;
            value.as.number = -value.as.number;
            return make_constant(p, begin, value);
        }
        return make(p, negate ? MLS_EXPR_NEGATE : MLS_EXPR_NOT, begin, &inner, 1);
    }
    if (at_sign(p, "[")) { /* make a list of constants a constant, so that no memory is needed to evaluate it */
        const operand_list list = parse_items(p, "]");
        mls_value *items = mls_arena_array(p->arena, list.count, sizeof *items);
        size_t constant = 0;
        for (; constant < list.count && list.items[constant]->op == MLS_EXPR_CONSTANT; constant++)
            items[constant] = list.items[constant]->constant;
        if (constant < list.count)
            return make(p, MLS_EXPR_LIST, begin, list.items, list.count);
        return make_constant(p, begin, (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, constant}});
    }
    if (at_sign(p, "(")) {
        next_token(p);
        inner = parse_expression(p, MLS_POWER_CHOICE);
        expect_sign(p, ")", "expected ')'");
    } else {
        fail_here(p, token.kind == TOKEN_LAST ? "the expression ends where a value is expected"
                                              : "a value is expected here");
    }
    return inner;
}

/* Parse an expression of operators that bind at least as tightly as `power`. */
static const node *parse_expression(expr_parser *p, unsigned power)
{
    const char *begin = p->token.text.ptr;
    unsigned last = 0;
    check_depth(p, ++p->depth, begin);
    const node *operands[3] = {p->status == MLS_OK ? parse_primary(p) : &p->first, &p->first, &p->first};
    while (at_sign(p, ".") || at_sign(p, "[")) {
        const bool member = at_sign(p, ".");
        next_token(p);
        if (!member) {
            operands[1] = parse_expression(p, MLS_POWER_CHOICE);
            expect_sign(p, "]", "expected ']'");
        } else {
            const mls_str name = p->token.text;
            if (p->token.kind != TOKEN_NAME)
                fail_here(p, "a name must follow '.'");
            next_token(p);
            operands[1] = make_constant(p, name.ptr, (mls_value){.kind = MLS_JSON_STRING, .as.string = name});
        }
        operands[0] = make(p, member ? MLS_EXPR_MEMBER : MLS_EXPR_INDEX, begin, operands, 2);
    }
    while (p->token.kind == TOKEN_SIGN || p->token.kind == TOKEN_NAME) {
        const int op = find_op(p->token.text, MLS_EXPR_AND);
        const unsigned own = op < MLS_EXPR_OP_COUNT ? mls_expr_table[op].power : MLS_POWER_NONE;
        if (own == MLS_POWER_NONE || own < power)
            break;
        if (own == MLS_POWER_COMPARISON && last == MLS_POWER_COMPARISON)
            fail_here(p, "comparisons cannot be chained; join them with '&&'");
        last = own;
        next_token(p);
        const bool rightward = op == MLS_EXPR_CHOICE || op == MLS_EXPR_POWER;
        operands[1] = parse_expression(p, own + !rightward);
        if (op == MLS_EXPR_CHOICE) {
            expect_sign(p, ":", "expected ':' of '… ? … : …'");
            operands[2] = parse_expression(p, MLS_POWER_CHOICE);
        }
        operands[0] = make(p, (mls_expr_op)op, begin, operands, op == MLS_EXPR_CHOICE ? 3 : 2);
    }
    p->depth--;
    return operands[0];
}

mls_status mls_expr_compile(mls_str text, mls_map *symbols, mls_arena *arena, mls_expr *expr, mls_error *error)
{
    if (text.len > MLS_EXPR_LENGTH_MAX) {
        return mls_error_set(error, MLS_ERROR_LIMIT, 0, 0, "the expression is longer than %d bytes",
                             (int)MLS_EXPR_LENGTH_MAX);
    }
    const mls_str copy = mls_arena_copy(arena, text);
    expr_parser p = {.text = copy.ptr,
                     .end = copy.ptr + copy.len,
                     .arena = arena,
                     .symbols = symbols,
                     .error = error,
                     .token.text = {copy.ptr, 0}};
    p.last = &p.first;
    next_token(&p);
    const node *root = parse_expression(&p, MLS_POWER_CHOICE);
    if (p.token.kind != TOKEN_LAST)
        fail_here(&p, "an operator or the end is expected here");
    *expr = (mls_expr){copy, root, p.first.next, p.uses};
    return p.status;
}
