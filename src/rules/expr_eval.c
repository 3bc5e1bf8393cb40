/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_eval.c - walks the nodes of an expression.
 *
 * The depth of a tree is bounded when it is compiled, so the recursion here
 * is too.
 */
#include "rules/expr_eval.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* A node's value and its text. */
static bool eval_argument(const mls_expr *expr, uint32_t node, mls_expr_input *input, mls_argument *argument)
{
    argument->text = mls_expr_node_text(expr, &expr->nodes[node]);
    return mls_expr_evaluate_node(expr, &expr->nodes[node], input, &argument->value);
}

/* Behind a member's name: its value in the object that the node at `object` is. */
static bool eval_named(const mls_expr *expr, uint32_t object, mls_expr_input *input, mls_str name, mls_value *result)
{
    mls_argument whole = {.text = mls_expr_node_text(expr, &expr->nodes[object])};
    const mls_value *member = NULL;
    mls_str text;
    bool found;
    if (mls_expr_find_in_text(expr->nodes[object].op, input, name, &found, &text)) {
        if (found) {
            return mls_span_load(text, input, result);
        }
    } else if (!mls_expr_evaluate_node(expr, &expr->nodes[object], input, &whole.value)) {
        return false;
    } else if (whole.value.kind != MLS_JSON_OBJECT) {
        return mls_expr_fail_kind(input, &whole, "an object");
    } else {
        member = mls_value_member(&whole.value, name);
    }
    if (member == NULL) {
        return mls_expr_fail(input, "%.*s has no %.*s", MLS_CUT(whole.text, MLS_EXPR_QUOTED_MAX),
                             MLS_CUT(name, MLS_EXPR_QUOTED_MAX));
    }
    *result = *member;
    return true;
}

static bool eval_index(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_argument index;
    mls_argument list;
    if (!eval_argument(expr, node->second, input, &index)) {
        return false;
    }
    if (index.value.kind == MLS_JSON_STRING) {
        return eval_named(expr, node->first, input, index.value.as.string, result);
    }
    if (!eval_argument(expr, node->first, input, &list)) {
        return false;
    }
    if (list.value.kind != MLS_JSON_LIST) {
        return mls_expr_fail_kind(input, &list, "a list");
    }
    if (!mls_value_is_int(&index.value)) {
        return mls_expr_fail_kind(input, &index, "a whole number");
    }
    double at = 0;
    (void)mls_value_number(&index.value, &at);
    const double count = (double)list.value.as.list.count;
    at += at < 0 ? count : 0; /* counts from the end */
    if (!(at >= 0 && at < count)) {
        return mls_expr_fail(input, "%.*s has only %zu items", MLS_CUT(list.text, MLS_EXPR_QUOTED_MAX),
                             list.value.as.list.count);
    }
    *result = list.value.as.list.items[(size_t)at];
    return true;
}

/* Two strings or two lists, one behind the other. */
static bool eval_join(mls_expr_input *input, const mls_value *left, const mls_value *right, mls_value *result)
{
    const bool strings = left->kind == MLS_JSON_STRING;
    const size_t left_count = strings ? left->as.string.len : left->as.list.count;
    const size_t right_count = strings ? right->as.string.len : right->as.list.count;
    if (left_count > MLS_EXPR_RESULT_MAX || right_count > MLS_EXPR_RESULT_MAX - left_count) {
        return mls_expr_fail(input, "the joined %s would be too long", strings ? "string" : "list");
    }
    const size_t size = strings ? 1 : sizeof(mls_value);
    char *joined = mls_arena_array(input->arena, left_count + right_count, size);
    if (joined == NULL) {
        return mls_expr_fail_memory(input);
    }
    if (left_count > 0) {
        memcpy(joined, strings ? (const void *)left->as.string.ptr : left->as.list.items, left_count * size);
    }
    if (right_count > 0) {
        memcpy(joined + left_count * size, strings ? (const void *)right->as.string.ptr : right->as.list.items,
               right_count * size);
    }
    *result = *left;
    if (strings) {
        result->as.string = (mls_str){joined, left_count + right_count};
    } else {
        result->as.list.items = (const mls_value *)(const void *)joined;
        result->as.list.count = left_count + right_count;
    }
    return true;
}

static bool eval_power(mls_expr_input *input, double a, double b, double *result)
{
    if (a == 0 && b < 0) {
        return mls_expr_fail(input, "division by zero");
    }
    if (a < 0 && isfinite(b) && b != floor(b)) {
        return mls_expr_fail(input, "a negative number has no power with a fraction");
    }
    *result = pow(a, b);
    if (isinf(*result) && isfinite(a) && isfinite(b)) {
        return mls_expr_fail(input, "the power is too large");
    }
    return true;
}

/* The remainder takes the sign of the divisor, as in the language that the rules come from. */
static double remainder_of(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static bool eval_arithmetic(uint8_t op, mls_expr_input *input, const mls_argument *left, const mls_argument *right,
                            mls_value *result)
{
    double a;
    double b;
    double c = 0;
    if (!mls_argument_number(input, left, &a) || !mls_argument_number(input, right, &b)) {
        return false;
    }
    bool is_integer = mls_value_is_int(&left->value) && mls_value_is_int(&right->value);
    if ((op == MLS_EXPR_DIVIDE || op == MLS_EXPR_REMAINDER) && b == 0) {
        return mls_expr_fail(input, "division by zero");
    }
    switch (op) {
    case MLS_EXPR_ADD:
        c = a + b;
        break;
    case MLS_EXPR_SUBTRACT:
        c = a - b;
        break;
    case MLS_EXPR_MULTIPLY:
        c = a * b;
        break;
    case MLS_EXPR_REMAINDER:
        c = remainder_of(a, b);
        break;
    case MLS_EXPR_POWER:
        is_integer = is_integer && b >= 0;
        if (!eval_power(input, a, b, &c)) {
            return false;
        }
        break;
    default:
        is_integer = false;
        c = a / b;
    }
    *result = mls_value_of_number(c, is_integer);
    return true;
}

/* < <= > >= of two numbers or two strings. */
static bool eval_order(uint8_t op, mls_expr_input *input, const mls_argument *left, const mls_argument *right,
                       mls_value *result)
{
    double a = 0;
    double b = 0;
    if (left->value.kind == MLS_JSON_STRING && right->value.kind == MLS_JSON_STRING) {
        a = mls_str_compare(left->value.as.string, right->value.as.string);
    } else if (!mls_argument_number(input, left, &a) || !mls_argument_number(input, right, &b)) {
        return false;
    }
    *result = mls_value_of_bool(op == MLS_EXPR_LESS         ? a < b
                                : op == MLS_EXPR_LESS_EQUAL ? a <= b
                                : op == MLS_EXPR_GREATER    ? a > b
                                                            : a >= b);
    return true;
}

static bool eval_binary(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_argument left;
    mls_argument right;
    if (!eval_argument(expr, node->first, input, &left) || !eval_argument(expr, node->second, input, &right)) {
        return false;
    }
    switch (node->op) {
    case MLS_EXPR_EQUAL:
    case MLS_EXPR_UNEQUAL:
        *result = mls_value_of_bool(mls_value_equal(&left.value, &right.value) == (node->op == MLS_EXPR_EQUAL));
        return true;
    case MLS_EXPR_LESS:
    case MLS_EXPR_LESS_EQUAL:
    case MLS_EXPR_GREATER:
    case MLS_EXPR_GREATER_EQUAL:
        return eval_order(node->op, input, &left, &right, result);
    case MLS_EXPR_IN:
        return mls_argument_contains(input, &right, &left.value, result);
    default:
        if (node->op == MLS_EXPR_ADD && left.value.kind == right.value.kind &&
            (left.value.kind == MLS_JSON_STRING || left.value.kind == MLS_JSON_LIST)) {
            return eval_join(input, &left.value, &right.value, result);
        }
        return eval_arithmetic(node->op, input, &left, &right, result);
    }
}

static bool eval_list(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_value *items = mls_arena_array(input->arena, node->second, sizeof *items);
    if (items == NULL) {
        return mls_expr_fail_memory(input);
    }
    for (uint32_t i = 0; i < node->second; i++) {
        if (!mls_expr_evaluate_node(expr, &expr->nodes[expr->children[node->first + i]], input, &items[i])) {
            return false;
        }
    }
    *result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, node->second}};
    return true;
}

/* has(metadata, "name") and has(value, "name"), without a tree; false: not of that form, evaluate it the long way. */
static bool eval_has_member(const mls_expr *expr, const mls_expr_node *call, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *object = &expr->nodes[expr->children[call->first]];
    const mls_expr_node *name = &expr->nodes[expr->children[call->first + 1]];
    mls_str member;
    bool found;
    if (name->op != MLS_EXPR_CONSTANT || expr->constants[name->first].kind != MLS_JSON_STRING ||
        !mls_expr_find_in_text(object->op, input, expr->constants[name->first].as.string, &found, &member)) {
        return false;
    }
    *result = mls_value_of_bool(found);
    return true;
}

static bool eval_call(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_argument arguments[MLS_ARGUMENTS_MAX];
    if (node->function == MLS_FUNCTION_HAS && eval_has_member(expr, node, input, result)) {
        return true;
    }
    for (uint32_t i = 0; i < node->second; i++) {
        if (!eval_argument(expr, expr->children[node->first + i], input, &arguments[i])) {
            return false;
        }
    }
    return mls_function_call((mls_expr_function)node->function, arguments, node->second, input, result);
}

static bool eval_unary(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_argument operand;
    double number;
    if (!eval_argument(expr, node->first, input, &operand)) {
        return false;
    }
    if (node->op == MLS_EXPR_NOT) {
        *result = mls_value_of_bool(!mls_value_truth(&operand.value));
        return true;
    }
    if (!mls_argument_number(input, &operand, &number)) {
        return false;
    }
    *result = mls_value_of_number(-number, mls_value_is_int(&operand.value));
    return true;
}

/* && and || give the operand that decided; ?: evaluates only the side it takes. */
static bool eval_choice(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    if (!mls_expr_evaluate_node(expr, &expr->nodes[node->first], input, result)) {
        return false;
    }
    const bool truth = mls_value_truth(result);
    if (node->op == MLS_EXPR_CHOICE) {
        return mls_expr_evaluate_node(expr, &expr->nodes[truth ? node->second : node->third], input, result);
    }
    return truth != (node->op == MLS_EXPR_AND) ||
           mls_expr_evaluate_node(expr, &expr->nodes[node->second], input, result);
}

bool mls_expr_evaluate_node(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    switch (node->op) {
    case MLS_EXPR_CONSTANT:
        *result = expr->constants[node->first];
        return true;
    case MLS_EXPR_LIST:
        return eval_list(expr, node, input, result);
    case MLS_EXPR_VALUE:
    case MLS_EXPR_METADATA:
    case MLS_EXPR_TIME:
    case MLS_EXPR_RECORD:
        return mls_eval_input(node->op, input, result);
    case MLS_EXPR_VARIABLE:
        if (!input->variables[node->first].set) {
            const mls_str text = mls_expr_node_text(expr, node);
            return mls_expr_fail(input, "%.*s has not been set", MLS_CUT(text, MLS_EXPR_QUOTED_MAX));
        }
        *result = input->variables[node->first].value;
        return true;
    case MLS_EXPR_MEMBER:
        return eval_named(expr, node->first, input, expr->constants[node->second].as.string, result);
    case MLS_EXPR_INDEX:
        return eval_index(expr, node, input, result);
    case MLS_EXPR_NOT:
    case MLS_EXPR_NEGATE:
        return eval_unary(expr, node, input, result);
    case MLS_EXPR_AND:
    case MLS_EXPR_OR:
    case MLS_EXPR_CHOICE:
        return eval_choice(expr, node, input, result);
    case MLS_EXPR_CALL:
        return eval_call(expr, node, input, result);
    default:
        return eval_binary(expr, node, input, result);
    }
}

bool mls_expr_evaluate(const mls_expr *expr, mls_expr_input *input, mls_value *result)
{
    return mls_expr_evaluate_node(expr, mls_expr_root(expr), input, result);
}

mls_outcome mls_expr_test(const mls_expr *expr, mls_expr_input *input)
{
    mls_value result;
    if (!mls_expr_evaluate(expr, input, &result)) {
        return MLS_OUTCOME_UNKNOWN;
    }
    return mls_value_truth(&result) ? MLS_OUTCOME_TRUE : MLS_OUTCOME_FALSE;
}
