/* SPDX-License-Identifier: Apache-2.0 */
/* expr_functions.c - the operators and functions of expressions, each from values to a value. */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "rules/expr.h"

/* How far from a whole number is_integer() still says yes, and the relative difference isclose() forgives. */
#define MLS_WHOLE_TOLERANCE 1e-5
#define MLS_CLOSE_TOLERANCE 1e-9

static bool give_bool(const mls_call *c, bool truth)
{
    *c->result = mls_value_of_bool(truth);
    return true;
}

/* The number of a node's value, which is a number or boolean. */
static bool operand_number(mls_expr_input *input, const mls_expr_node *node, const mls_value *value, double *number)
{
    *number = 0;
    return mls_value_number(value, number) || mls_expr_fail_kind(input, node, value, "a number");
}

static bool two_numbers(const mls_call *c, double *a, double *b)
{
    *b = 0;
    return operand_number(c->input, c->node->operands[0], &c->values[0], a) &&
           operand_number(c->input, c->node->operands[1], &c->values[1], b);
}

static bool call_not(const mls_call *c)
{
    return give_bool(c, !mls_value_truth(c->values));
}

static mls_str bytes_of(const mls_value *value)
{
    return value->kind == MLS_JSON_STRING
               ? value->as.string
               : (mls_str){(const char *)value->as.list.items, value->as.list.count * sizeof(mls_value)};
}

/* Joins two strings or two lists. */
static bool join(mls_expr_input *input, const mls_value *left, const mls_value *right, mls_value *result)
{
    const bool strings = left->kind == MLS_JSON_STRING;
    const size_t size = strings ? 1 : sizeof(mls_value);
    const mls_str first = bytes_of(left);
    const mls_str second = bytes_of(right);
    const size_t count = (first.len + second.len) / size;
    char *joined = mls_arena_array(input->arena, count, size);
    if (count > MLS_EXPR_RESULT_MAX) {
        return mls_expr_fail(input, "the joined %s would be too long", strings ? "string" : "list");
    }
    if (joined == NULL) {
        return mls_expr_fail_memory(input);
    }
    if (first.len > 0) {
        memcpy(joined, first.ptr, first.len);
    }
    if (second.len > 0) {
        memcpy(joined + first.len, second.ptr, second.len);
    }
    *result = *left;
    if (strings) {
        result->as.string = (mls_str){joined, count};
    } else {
        result->as.list.items = (const mls_value *)(const void *)joined;
        result->as.list.count = count;
    }
    return true;
}

/* The remainder takes the sign of the divisor, as in the language that the rules come from. */
static double remainder_of(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Why there is no such number; NULL when there is. */
static const char *arithmetic_reason(mls_expr_op op, double a, double b, double c)
{
    const bool power = op == MLS_EXPR_POWER;
    if (power ? a == 0 && b < 0 : (op == MLS_EXPR_DIVIDE || op == MLS_EXPR_REMAINDER) && b == 0) {
        return "division by zero";
    }
    if (power && a < 0 && isfinite(b) && b != floor(b)) {
        return "a negative number has no power with a fraction";
    }
    return power && isinf(c) && isfinite(a) && isfinite(b) ? "the power is too large" : NULL;
}

static bool call_arithmetic(const mls_call *c)
{
    const mls_value *left = &c->values[0];
    const mls_value *right = &c->values[1];
    double a;
    double b;
    if (c->op == MLS_EXPR_ADD && left->kind == right->kind &&
        (left->kind == MLS_JSON_STRING || left->kind == MLS_JSON_LIST)) {
        return join(c->input, left, right, c->result);
    }
    if (!two_numbers(c, &a, &b)) {
        return false;
    }
    const double number = c->op == MLS_EXPR_ADD         ? a + b
                          : c->op == MLS_EXPR_SUBTRACT  ? a - b
                          : c->op == MLS_EXPR_MULTIPLY  ? a * b
                          : c->op == MLS_EXPR_REMAINDER ? remainder_of(a, b)
                          : c->op == MLS_EXPR_POWER     ? pow(a, b)
                          : b != 0                      ? a / b
                                                        : 0;
    const char *reason = arithmetic_reason(c->op, a, b, number);
    *c->result = mls_value_of_number(number, mls_value_is_int(left) && mls_value_is_int(right) &&
                                                 c->op != MLS_EXPR_DIVIDE && (c->op != MLS_EXPR_POWER || b >= 0));
    return reason == NULL || mls_expr_fail(c->input, "%s", reason);
}

static bool call_equal(const mls_call *c)
{
    const bool equal = mls_value_equal(&c->values[0], &c->values[1]);
    return give_bool(c, equal == (c->op == MLS_EXPR_EQUAL));
}

/* < <= > >= of two numbers or two strings. */
static bool call_order(const mls_call *c)
{
    double a = 0;
    double b = 0;
    mls_str left;
    mls_str right;
    if (mls_value_string(&c->values[0], &left) && mls_value_string(&c->values[1], &right)) {
        a = mls_str_compare(left, right);
    } else if (!two_numbers(c, &a, &b)) {
        return false;
    }
    return give_bool(c, c->op == MLS_EXPR_LESS         ? a < b
                        : c->op == MLS_EXPR_LESS_EQUAL ? a <= b
                        : c->op == MLS_EXPR_GREATER    ? a > b
                                                       : a >= b);
}

/* Whether an item is in a list, a string or among an object's members: `item in all` and has(all, item). */
static bool call_contains(const mls_call *c)
{
    const size_t container = c->op == MLS_EXPR_IN;
    const mls_value *item = &c->values[1 - container];
    const mls_value *all = &c->values[container];
    bool contains = false;
    if (all->kind == MLS_JSON_LIST) {
        for (size_t i = 0; i < all->as.list.count && !contains; i++) {
            contains = mls_value_equal(&all->as.list.items[i], item);
        }
    } else if (all->kind == MLS_JSON_STRING) {
        if (item->kind != MLS_JSON_STRING) {
            return mls_expr_fail(c->input, "only a string can be in a string");
        }
        contains = mls_str_contains(all->as.string, item->as.string);
    } else if (all->kind == MLS_JSON_OBJECT) {
        if (item->kind == MLS_JSON_LIST || item->kind == MLS_JSON_OBJECT) {
            return mls_expr_fail(c->input, "a list or object cannot name a member");
        }
        contains = item->kind == MLS_JSON_STRING && mls_value_member(all, item->as.string) != NULL;
    } else {
        return mls_expr_fail_kind(c->input, c->node->operands[container], all, "an object, list or string");
    }
    return give_bool(c, contains);
}

/* int("12") reads a string as a whole number: blanks around it, a sign and single underscores are fine. */
static bool int_of_string(mls_str text, double *number)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (!mls_is_digit(c) && (c == '\0' || strchr(" \t\n\v\f\r+-_", c) == NULL)) {
            return false;
        }
    }
    return text.len <= 400 && mls_number_parse_lenient(text, number) && isfinite(*number);
}

/* Functions of one number; -x is one. */
static bool call_numeric(const mls_call *c)
{
    const bool is_int = mls_value_is_int(c->values);
    double x = 0;
    if (c->op == MLS_EXPR_INT && c->values->kind == MLS_JSON_STRING) {
        if (!int_of_string(c->values->as.string, &x)) {
            return mls_expr_fail_kind(c->input, c->node->operands[0], c->values, "a whole number");
        }
    } else if (!operand_number(c->input, c->node->operands[0], c->values, &x)) {
        return false;
    }
    if (c->op == MLS_EXPR_LOG2 && x <= 0) {
        return mls_expr_fail(c->input, "log2 of %g, which is not above 0", x);
    }
    if (c->op != MLS_EXPR_LOG2 && c->op != MLS_EXPR_ABS && c->op != MLS_EXPR_NEGATE && !isfinite(x)) {
        return mls_expr_fail_kind(c->input, c->node->operands[0], c->values, "a finite number");
    }
    *c->result = c->op == MLS_EXPR_NEGATE       ? mls_value_of_number(-x, is_int)
                 : c->op == MLS_EXPR_ABS        ? mls_value_of_number(fabs(x), is_int)
                 : c->op == MLS_EXPR_LOG2       ? mls_value_of_number(log2(x), false)
                 : c->op == MLS_EXPR_IS_INTEGER ? mls_value_of_bool(fabs(rint(x) - x) < MLS_WHOLE_TOLERANCE)
                 : c->op == MLS_EXPR_CEIL       ? mls_value_of_number(ceil(x), true)
                 : c->op == MLS_EXPR_FLOOR      ? mls_value_of_number(floor(x), true)
                                                : mls_value_of_number(trunc(x), true);
    return true;
}

static bool call_kind(const mls_call *c)
{
    return give_bool(c, c->op == MLS_EXPR_IS_INT ? mls_value_is_int(c->values) : c->values->kind == MLS_JSON_BOOL);
}

static bool call_len(const mls_call *c)
{
    const mls_value *value = c->values;
    size_t count = 0;
    if (value->kind == MLS_JSON_STRING) { /* in code points: continuation bytes do not count */
        for (size_t i = 0; i < value->as.string.len; i++) {
            count += ((unsigned char)value->as.string.ptr[i] & 0xc0) != 0x80;
        }
    } else if (value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT) {
        count = value->kind == MLS_JSON_LIST ? value->as.list.count : value->as.object.count;
    } else {
        return mls_expr_fail_kind(c->input, c->node->operands[0], c->values, "a string, list or object");
    }
    *c->result = mls_value_of_number((double)count, true);
    return true;
}

static bool call_lower(const mls_call *c)
{
    mls_str text;
    if (!mls_value_string(c->values, &text)) {
        return mls_expr_fail_kind(c->input, c->node->operands[0], c->values, "a string");
    }
    char *lower = mls_arena_alloc(c->input->arena, text.len + 1);
    if (lower == NULL) {
        return mls_expr_fail_memory(c->input);
    }
    for (size_t i = 0; i < text.len; i++) {
        lower[i] = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] | 0x20) : text.ptr[i];
    }
    *c->result = (mls_value){.kind = MLS_JSON_STRING, .as.string = {lower, text.len}};
    return true;
}

static int compare_string_values(const void *left, const void *right)
{
    return mls_str_compare(((const mls_value *)left)->as.string, ((const mls_value *)right)->as.string);
}

static bool call_sorted(const mls_call *c)
{
    if (c->values->kind != MLS_JSON_LIST) {
        return mls_expr_fail_kind(c->input, c->node->operands[0], c->values, "a list");
    }
    const size_t count = c->values->as.list.count;
    mls_value *items = mls_arena_array(c->input->arena, count, sizeof *items);
    if (items == NULL) {
        return mls_expr_fail_memory(c->input);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = c->values->as.list.items[i];
        if (items[i].kind != MLS_JSON_STRING) {
            return mls_expr_fail(c->input, "only strings can be sorted");
        }
    }
    qsort(items, count, sizeof *items, compare_string_values);
    *c->result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}};
    return true;
}

/* min and max take several numbers or one list of them. */
static bool call_extreme(const mls_call *c)
{
    const bool list = c->node->count == 1 && c->values->kind == MLS_JSON_LIST;
    const size_t count = list ? c->values->as.list.count : c->node->count;
    const mls_value *items = list ? c->values->as.list.items : c->values;
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        double number;
        if (!operand_number(c->input, c->node->operands[list ? 0 : i], &items[i], &number)) {
            return false;
        }
        if (i == 0 || (c->op == MLS_EXPR_MIN ? number < best : number > best)) {
            best = number;
            *c->result = items[i];
        }
    }
    return count > 0 || mls_expr_fail(c->input, "%s of an empty list", mls_expr_table[c->op].name);
}

static bool call_isclose(const mls_call *c)
{
    double a;
    double b;
    if (!two_numbers(c, &a, &b)) {
        return false;
    }
    const bool finite = isfinite(a) && isfinite(b);
    return give_bool(c, a == b || (finite && fabs(a - b) <= MLS_CLOSE_TOLERANCE * fmax(fabs(a), fabs(b))));
}

const mls_expr_info mls_expr_table[MLS_EXPR_OP_COUNT] = {
#define MLS_EXPR_ROW(op, name, min, max, power, call, words) {name, min, max, MLS_POWER_##power, call, words},
    MLS_EXPR_LIST(MLS_EXPR_ROW)};
