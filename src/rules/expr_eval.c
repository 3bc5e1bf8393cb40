/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_eval.c - walks the nodes of an expression.
 *
 * The depth of a tree is bounded when it is compiled, so the recursion here
 * is too.
 */
#include "rules/expr_eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* Of the rule text that a reason quotes. */
enum { MLS_QUOTED_LENGTH_MAX = 60 };

void mls_expr_note(mls_expr_input *input, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(input->reason, sizeof input->reason, format, args);
    va_end(args);
}

void mls_expr_note_memory(mls_expr_input *input)
{
    input->out_of_memory = true;
    mls_expr_note(input, "out of memory");
}

static const char *mls_value_kind_words(const mls_value *value)
{
    static const char *const words[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};
    return words[value->kind];
}

static int mls_quoted_length(mls_str text)
{
    return text.len > MLS_QUOTED_LENGTH_MAX ? MLS_QUOTED_LENGTH_MAX : (int)text.len;
}

void mls_expr_note_kind(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, const mls_value *value,
                        const char *wanted)
{
    const mls_str text = mls_expr_node_text(expr, node);
    const int length = mls_quoted_length(text);
    if (value->kind == MLS_JSON_NULL) {
        mls_expr_note(input, "%.*s is null, not %s", length, text.ptr, wanted);
        return;
    }
    mls_buffer shown = {0};
    mls_value_show(&shown, value);
    mls_expr_note(input, "%.*s is %s (%s), not %s", length, text.ptr, mls_value_kind_words(value),
                  shown.ptr != NULL ? shown.ptr : "", wanted);
    mls_buffer_release(&shown);
}

bool mls_expr_number(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, const mls_value *value,
                     double *number)
{
    *number = 0;
    if (value->kind == MLS_JSON_NUMBER) {
        *number = value->as.number;
        return true;
    }
    if (value->kind == MLS_JSON_BOOL) {
        *number = value->as.boolean ? 1 : 0;
        return true;
    }
    return mls_expr_fail_kind(expr, node, input, value, "a number");
}

static bool mls_fail_no_member(const mls_expr *expr, const mls_expr_node *object, mls_expr_input *input, mls_str name)
{
    const mls_str text = mls_expr_node_text(expr, object);
    return mls_expr_fail(input, "%.*s has no %.*s", mls_quoted_length(text), text.ptr, mls_quoted_length(name),
                         name.ptr);
}

static bool mls_eval_named(const mls_expr *expr, const mls_expr_node *object_node, mls_expr_input *input, mls_str name,
                           mls_value *result)
{
    mls_str text;
    bool found;
    if (mls_expr_find_in_text(object_node, input, name, &found, &text)) {
        return found ? mls_span_load(text, input, result) : mls_fail_no_member(expr, object_node, input, name);
    }
    mls_value object;
    if (!mls_expr_evaluate_node(expr, object_node, input, &object)) {
        return false;
    }
    if (object.kind != MLS_JSON_OBJECT) {
        return mls_expr_fail_kind(expr, object_node, input, &object, "an object");
    }
    const mls_value *member = mls_value_member(&object, name);
    if (member == NULL) {
        return mls_fail_no_member(expr, object_node, input, name);
    }
    *result = *member;
    return true;
}

static bool mls_eval_index(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *list_node = &expr->nodes[node->first];
    const mls_expr_node *index_node = &expr->nodes[node->second];
    mls_value index;
    mls_value list;
    if (!mls_expr_evaluate_node(expr, index_node, input, &index)) {
        return false;
    }
    if (index.kind == MLS_JSON_STRING) {
        return mls_eval_named(expr, list_node, input, index.as.string, result);
    }
    if (!mls_expr_evaluate_node(expr, list_node, input, &list)) {
        return false;
    }
    if (list.kind != MLS_JSON_LIST) {
        return mls_expr_fail_kind(expr, list_node, input, &list, "a list");
    }
    if (!mls_value_is_int(&index)) {
        return mls_expr_fail_kind(expr, index_node, input, &index, "a whole number");
    }
    double at = 0;
    (void)mls_value_number(&index, &at);
    const double count = (double)list.as.list.count;
    if (at < 0) {
        at += count; /* counts from the end */
    }
    if (!(at >= 0 && at < count)) {
        const mls_str text = mls_expr_node_text(expr, list_node);
        return mls_expr_fail(input, "%.*s has only %zu items", mls_quoted_length(text), text.ptr, list.as.list.count);
    }
    *result = list.as.list.items[(size_t)at];
    return true;
}

bool mls_expr_contains(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input,
                       const mls_value *container, const mls_value *item, bool *contains)
{
    *contains = false;
    switch (container->kind) {
    case MLS_JSON_LIST:
        for (size_t i = 0; i < container->as.list.count && !*contains; i++) {
            *contains = mls_value_equal(&container->as.list.items[i], item);
        }
        return true;
    case MLS_JSON_STRING:
        if (item->kind != MLS_JSON_STRING) {
            return mls_expr_fail(input, "only a string can be in a string");
        }
        *contains = mls_str_contains(container->as.string, item->as.string);
        return true;
    case MLS_JSON_OBJECT:
        if (item->kind == MLS_JSON_LIST || item->kind == MLS_JSON_OBJECT) {
            return mls_expr_fail(input, "a list or object cannot name a member");
        }
        *contains = item->kind == MLS_JSON_STRING && mls_value_member(container, item->as.string) != NULL;
        return true;
    default:
        return mls_expr_fail_kind(expr, node, input, container, "an object, list or string");
    }
}

bool mls_expr_has_member(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *object = &expr->nodes[expr->children[node->first]];
    const mls_expr_node *name = &expr->nodes[expr->children[node->first + 1]];
    mls_str member;
    bool found;
    if (name->op != MLS_EXPR_CONSTANT || expr->constants[name->first].kind != MLS_JSON_STRING ||
        !mls_expr_find_in_text(object, input, expr->constants[name->first].as.string, &found, &member)) {
        return false;
    }
    *result = mls_value_of_bool(found);
    return true;
}

static bool mls_eval_join(mls_expr_input *input, const mls_value *left, const mls_value *right, mls_value *result)
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

static bool mls_eval_power(mls_expr_input *input, double a, double b, double *result)
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
static double mls_remainder(double a, double b)
{
    double rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) {
        rest += b;
    }
    return rest;
}

static bool mls_eval_arithmetic(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input,
                                const mls_value *left, const mls_value *right, mls_value *result)
{
    double a;
    double b;
    double c = 0;
    if (!mls_expr_number(expr, &expr->nodes[node->first], input, left, &a) ||
        !mls_expr_number(expr, &expr->nodes[node->second], input, right, &b)) {
        return false;
    }
    bool is_integer = mls_value_is_int(left) && mls_value_is_int(right);
    switch (node->op) {
    case MLS_EXPR_ADD:
        c = a + b;
        break;
    case MLS_EXPR_SUBTRACT:
        c = a - b;
        break;
    case MLS_EXPR_MULTIPLY:
        c = a * b;
        break;
    case MLS_EXPR_POWER:
        is_integer = is_integer && b >= 0;
        if (!mls_eval_power(input, a, b, &c)) {
            return false;
        }
        break;
    default:
        if (b == 0) {
            return mls_expr_fail(input, "division by zero");
        }
        is_integer = is_integer && node->op == MLS_EXPR_REMAINDER;
        c = node->op == MLS_EXPR_REMAINDER ? mls_remainder(a, b) : a / b;
    }
    *result = mls_value_of_number(c, is_integer);
    return true;
}

/* < <= > >= of two numbers or two strings. */
static bool mls_eval_order(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input,
                           const mls_value *left, const mls_value *right, mls_value *result)
{
    double a = 0;
    double b = 0;
    if (left->kind == MLS_JSON_STRING && right->kind == MLS_JSON_STRING) {
        a = mls_str_compare(left->as.string, right->as.string);
    } else if (!mls_expr_number(expr, &expr->nodes[node->first], input, left, &a) ||
               !mls_expr_number(expr, &expr->nodes[node->second], input, right, &b)) {
        return false;
    }
    const bool truth = node->op == MLS_EXPR_LESS         ? a < b
                       : node->op == MLS_EXPR_LESS_EQUAL ? a <= b
                       : node->op == MLS_EXPR_GREATER    ? a > b
                                                         : a >= b;
    *result = mls_value_of_bool(truth);
    return true;
}

static bool mls_eval_binary(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_value left;
    mls_value right;
    bool contains;
    if (!mls_expr_evaluate_node(expr, &expr->nodes[node->first], input, &left) ||
        !mls_expr_evaluate_node(expr, &expr->nodes[node->second], input, &right)) {
        return false;
    }
    switch (node->op) {
    case MLS_EXPR_EQUAL:
    case MLS_EXPR_UNEQUAL:
        *result = mls_value_of_bool(mls_value_equal(&left, &right) == (node->op == MLS_EXPR_EQUAL));
        return true;
    case MLS_EXPR_LESS:
    case MLS_EXPR_LESS_EQUAL:
    case MLS_EXPR_GREATER:
    case MLS_EXPR_GREATER_EQUAL:
        return mls_eval_order(expr, node, input, &left, &right, result);
    case MLS_EXPR_IN:
        if (!mls_expr_contains(expr, &expr->nodes[node->second], input, &right, &left, &contains)) {
            return false;
        }
        *result = mls_value_of_bool(contains);
        return true;
    case MLS_EXPR_ADD:
        if (left.kind == right.kind && (left.kind == MLS_JSON_STRING || left.kind == MLS_JSON_LIST)) {
            return mls_eval_join(input, &left, &right, result);
        }
        break;
    default:
        break;
    }
    return mls_eval_arithmetic(expr, node, input, &left, &right, result);
}

static bool mls_eval_list(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
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

static bool mls_eval_unary(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *operand_node = &expr->nodes[node->first];
    mls_value operand;
    double number;
    if (!mls_expr_evaluate_node(expr, operand_node, input, &operand)) {
        return false;
    }
    if (node->op == MLS_EXPR_NOT) {
        *result = mls_value_of_bool(!mls_value_truth(&operand));
        return true;
    }
    if (!mls_expr_number(expr, operand_node, input, &operand, &number)) {
        return false;
    }
    *result = mls_value_of_number(-number, mls_value_is_int(&operand));
    return true;
}

/* && and || give the operand that decided; ?: evaluates only the side it takes. */
static bool mls_eval_choice(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    if (!mls_expr_evaluate_node(expr, &expr->nodes[node->first], input, result)) {
        return false;
    }
    const bool truth = mls_value_truth(result);
    if (node->op == MLS_EXPR_CHOICE) {
        return mls_expr_evaluate_node(expr, &expr->nodes[truth ? node->second : node->third], input, result);
    }
    if (truth == (node->op == MLS_EXPR_AND)) {
        return mls_expr_evaluate_node(expr, &expr->nodes[node->second], input, result);
    }
    return true;
}

static bool mls_eval_variable(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_variable *variable = &input->variables[node->first];
    if (!variable->set) {
        const mls_str text = mls_expr_node_text(expr, node);
        return mls_expr_fail(input, "%.*s has not been set", mls_quoted_length(text), text.ptr);
    }
    *result = variable->value;
    return true;
}

bool mls_expr_evaluate_node(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    switch (node->op) {
    case MLS_EXPR_CONSTANT:
        *result = expr->constants[node->first];
        return true;
    case MLS_EXPR_LIST:
        return mls_eval_list(expr, node, input, result);
    case MLS_EXPR_VALUE:
    case MLS_EXPR_METADATA:
    case MLS_EXPR_TIME:
    case MLS_EXPR_RECORD:
        return mls_eval_input(node, input, result);
    case MLS_EXPR_VARIABLE:
        return mls_eval_variable(expr, node, input, result);
    case MLS_EXPR_MEMBER:
        return mls_eval_named(expr, &expr->nodes[node->first], input, expr->constants[node->second].as.string, result);
    case MLS_EXPR_INDEX:
        return mls_eval_index(expr, node, input, result);
    case MLS_EXPR_NOT:
    case MLS_EXPR_NEGATE:
        return mls_eval_unary(expr, node, input, result);
    case MLS_EXPR_AND:
    case MLS_EXPR_OR:
    case MLS_EXPR_CHOICE:
        return mls_eval_choice(expr, node, input, result);
    case MLS_EXPR_CALL:
        return mls_expr_call(expr, node, input, result);
    default:
        return mls_eval_binary(expr, node, input, result);
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
