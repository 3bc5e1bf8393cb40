/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_functions.c - what operators and functions do with values.
 */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "rules/expr_input.h"

/* How far from a whole number is_integer() still says yes, and the relative difference isclose() forgives. */
#define MLS_WHOLE_TOLERANCE 1e-5
#define MLS_CLOSE_TOLERANCE 1e-9

static bool call_not(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input, mls_value *result)
{
    (void)node;
    (void)input;
    *result = mls_value_of_bool(!mls_value_truth(&arguments->value));
    return true;
}

/* Two strings or two lists, one behind the other. */
static bool join(mls_expr_input *input, const mls_value *left, const mls_value *right, mls_value *result)
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

/* The remainder takes the sign of the divisor, as in the language that the rules come from. */
static double remainder_of(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Why there is no such number; NULL when there is. */
static const char *arithmetic_reason(uint8_t op, double a, double b, double c)
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

static bool call_arithmetic(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input,
                            mls_value *result)
{
    const mls_value *left = &arguments[0].value;
    const mls_value *right = &arguments[1].value;
    double a;
    double b;
    if (node->op == MLS_EXPR_ADD && left->kind == right->kind &&
        (left->kind == MLS_JSON_STRING || left->kind == MLS_JSON_LIST)) {
        return join(input, left, right, result);
    }
    if (!mls_argument_number(input, &arguments[0], &a) || !mls_argument_number(input, &arguments[1], &b)) {
        return false;
    }
    const double c = node->op == MLS_EXPR_ADD         ? a + b
                     : node->op == MLS_EXPR_SUBTRACT  ? a - b
                     : node->op == MLS_EXPR_MULTIPLY  ? a * b
                     : node->op == MLS_EXPR_REMAINDER ? remainder_of(a, b)
                     : node->op == MLS_EXPR_POWER     ? pow(a, b)
                     : b != 0                         ? a / b
                                                      : 0;
    const char *reason = arithmetic_reason(node->op, a, b, c);
    *result = mls_value_of_number(c, mls_value_is_int(left) && mls_value_is_int(right) && node->op != MLS_EXPR_DIVIDE &&
                                         (node->op != MLS_EXPR_POWER || b >= 0));
    return reason == NULL || mls_expr_fail(input, "%s", reason);
}

static bool call_equal(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input,
                       mls_value *result)
{
    (void)input;
    const bool equal = mls_value_equal(&arguments[0].value, &arguments[1].value);
    *result = mls_value_of_bool(equal == (node->op == MLS_EXPR_EQUAL));
    return true;
}

/* < <= > >= of two numbers or two strings. */
static bool call_order(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input,
                       mls_value *result)
{
    double a = 0;
    double b = 0;
    mls_str left;
    mls_str right;
    if (mls_value_string(&arguments[0].value, &left) && mls_value_string(&arguments[1].value, &right)) {
        a = mls_str_compare(left, right);
    } else if (!mls_argument_number(input, &arguments[0], &a) || !mls_argument_number(input, &arguments[1], &b)) {
        return false;
    }
    *result = mls_value_of_bool(node->op == MLS_EXPR_LESS         ? a < b
                                : node->op == MLS_EXPR_LESS_EQUAL ? a <= b
                                : node->op == MLS_EXPR_GREATER    ? a > b
                                                                  : a >= b);
    return true;
}

/* Whether an item is in a list, a string or among an object's members: `item in all` and has(all, item). */
static bool call_contains(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input,
                          mls_value *result)
{
    const mls_argument *container = &arguments[node->op == MLS_EXPR_IN];
    const mls_value *item = &arguments[node->op != MLS_EXPR_IN].value;
    const mls_value *all = &container->value;
    bool contains = false;
    if (all->kind == MLS_JSON_LIST) {
        for (size_t i = 0; i < all->as.list.count && !contains; i++) {
            contains = mls_value_equal(&all->as.list.items[i], item);
        }
    } else if (all->kind == MLS_JSON_STRING) {
        if (item->kind != MLS_JSON_STRING) {
            return mls_expr_fail(input, "only a string can be in a string");
        }
        contains = mls_str_contains(all->as.string, item->as.string);
    } else if (all->kind == MLS_JSON_OBJECT) {
        if (item->kind == MLS_JSON_LIST || item->kind == MLS_JSON_OBJECT) {
            return mls_expr_fail(input, "a list or object cannot name a member");
        }
        contains = item->kind == MLS_JSON_STRING && mls_value_member(all, item->as.string) != NULL;
    } else {
        return mls_expr_fail_kind(input, container, "an object, list or string");
    }
    *result = mls_value_of_bool(contains);
    return true;
}

/* int("12") reads a string as a whole number: blanks around it, a sign and single underscores are fine. */
static bool int_of_string(mls_str text, double *number)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if ((c < '0' || c > '9') && (c == '\0' || strchr(" \t\n\v\f\r+-_", c) == NULL)) {
            return false;
        }
    }
    return text.len <= 400 && mls_number_parse_lenient(text, number) && isfinite(*number);
}

/* Functions of one number; -x is one. */
static bool call_numeric(const mls_expr_node *node, const mls_argument *argument, mls_expr_input *input,
                         mls_value *result)
{
    const bool is_int = mls_value_is_int(&argument->value);
    double x = 0;
    if (node->op == MLS_EXPR_INT && argument->value.kind == MLS_JSON_STRING) {
        if (!int_of_string(argument->value.as.string, &x)) {
            return mls_expr_fail_kind(input, argument, "a whole number");
        }
    } else if (!mls_argument_number(input, argument, &x)) {
        return false;
    }
    if (node->op == MLS_EXPR_LOG2 && x <= 0) {
        return mls_expr_fail(input, "log2 of %g, which is not above 0", x);
    }
    if (node->op != MLS_EXPR_LOG2 && node->op != MLS_EXPR_ABS && node->op != MLS_EXPR_NEGATE && !isfinite(x)) {
        return mls_expr_fail_kind(input, argument, "a finite number");
    }
    *result = node->op == MLS_EXPR_NEGATE       ? mls_value_of_number(-x, is_int)
              : node->op == MLS_EXPR_ABS        ? mls_value_of_number(fabs(x), is_int)
              : node->op == MLS_EXPR_LOG2       ? mls_value_of_number(log2(x), false)
              : node->op == MLS_EXPR_IS_INTEGER ? mls_value_of_bool(fabs(rint(x) - x) < MLS_WHOLE_TOLERANCE)
              : node->op == MLS_EXPR_CEIL       ? mls_value_of_number(ceil(x), true)
              : node->op == MLS_EXPR_FLOOR      ? mls_value_of_number(floor(x), true)
                                                : mls_value_of_number(trunc(x), true);
    return true;
}

static bool call_kind(const mls_expr_node *node, const mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    (void)input;
    *result = mls_value_of_bool(node->op == MLS_EXPR_IS_INT ? mls_value_is_int(&argument->value)
                                                            : argument->value.kind == MLS_JSON_BOOL);
    return true;
}

static bool call_len(const mls_expr_node *node, const mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    const mls_value *value = &argument->value;
    size_t count = 0;
    (void)node;
    if (value->kind == MLS_JSON_STRING) { /* in code points: continuation bytes do not count */
        for (size_t i = 0; i < value->as.string.len; i++) {
            count += ((unsigned char)value->as.string.ptr[i] & 0xc0) != 0x80;
        }
    } else if (value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT) {
        count = value->kind == MLS_JSON_LIST ? value->as.list.count : value->as.object.count;
    } else {
        return mls_expr_fail_kind(input, argument, "a string, list or object");
    }
    *result = mls_value_of_number((double)count, true);
    return true;
}

static bool call_lower(const mls_expr_node *node, const mls_argument *argument, mls_expr_input *input,
                       mls_value *result)
{
    mls_str text;
    (void)node;
    if (!mls_value_string(&argument->value, &text)) {
        return mls_expr_fail_kind(input, argument, "a string");
    }
    char *lower = mls_arena_alloc(input->arena, text.len + 1);
    if (lower == NULL) {
        return mls_expr_fail_memory(input);
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    *result = (mls_value){.kind = MLS_JSON_STRING, .as.string = {lower, text.len}};
    return true;
}

static int compare_string_values(const void *left, const void *right)
{
    return mls_str_compare(((const mls_value *)left)->as.string, ((const mls_value *)right)->as.string);
}

static bool call_sorted(const mls_expr_node *node, const mls_argument *argument, mls_expr_input *input,
                        mls_value *result)
{
    (void)node;
    if (argument->value.kind != MLS_JSON_LIST) {
        return mls_expr_fail_kind(input, argument, "a list");
    }
    const size_t count = argument->value.as.list.count;
    mls_value *items = mls_arena_array(input->arena, count, sizeof *items);
    if (items == NULL) {
        return mls_expr_fail_memory(input);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = argument->value.as.list.items[i];
        if (items[i].kind != MLS_JSON_STRING) {
            return mls_expr_fail(input, "only strings can be sorted");
        }
    }
    qsort(items, count, sizeof *items, compare_string_values);
    *result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}};
    return true;
}

/* min and max take several numbers or one list of them. */
static bool call_extreme(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input,
                         mls_value *result)
{
    const bool list = node->count == 1 && arguments[0].value.kind == MLS_JSON_LIST;
    const size_t count = list ? arguments[0].value.as.list.count : node->count;
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        double number;
        const mls_argument item = {list ? arguments[0].value.as.list.items[i] : arguments[i].value,
                                   arguments[list ? 0 : i].text};
        if (!mls_argument_number(input, &item, &number)) {
            return false;
        }
        if (i == 0 || (node->op == MLS_EXPR_MIN ? number < best : number > best)) {
            best = number;
            *result = item.value;
        }
    }
    return count > 0 || mls_expr_fail(input, "%s of an empty list", mls_expr_table[node->op].name);
}

static bool call_isclose(const mls_expr_node *node, const mls_argument *arguments, mls_expr_input *input,
                         mls_value *result)
{
    double a;
    double b;
    (void)node;
    if (!mls_argument_number(input, &arguments[0], &a) || !mls_argument_number(input, &arguments[1], &b)) {
        return false;
    }
    const bool finite = isfinite(a) && isfinite(b);
    *result = mls_value_of_bool(a == b || (finite && fabs(a - b) <= MLS_CLOSE_TOLERANCE * fmax(fabs(a), fabs(b))));
    return true;
}

const mls_expr_info mls_expr_table[MLS_EXPR_OP_COUNT] = {
    [MLS_EXPR_VALUE] = {"value"},
    [MLS_EXPR_METADATA] = {"metadata"},
    [MLS_EXPR_RECORD] = {"record"},
    [MLS_EXPR_TIME] = {"time_ms"},
    [MLS_EXPR_CONSTANT] = {""},
    [MLS_EXPR_VARIABLE] = {"$"},
    [MLS_EXPR_LIST] = {"[]"},
    [MLS_EXPR_MEMBER] = {"."},
    [MLS_EXPR_INDEX] = {"["},
    [MLS_EXPR_AND] = {"&&", 2, 2, MLS_POWER_AND, NULL},
    [MLS_EXPR_OR] = {"||", 2, 2, MLS_POWER_OR, NULL},
    [MLS_EXPR_CHOICE] = {"?", 3, 3, MLS_POWER_CHOICE, NULL},
    [MLS_EXPR_NOT] = {"!", 1, 1, 0, call_not},
    [MLS_EXPR_NEGATE] = {"-", 1, 1, 0, call_numeric},
    [MLS_EXPR_ADD] = {"+", 2, 2, MLS_POWER_SUM, call_arithmetic},
    [MLS_EXPR_SUBTRACT] = {"-", 2, 2, MLS_POWER_SUM, call_arithmetic},
    [MLS_EXPR_MULTIPLY] = {"*", 2, 2, MLS_POWER_PRODUCT, call_arithmetic},
    [MLS_EXPR_DIVIDE] = {"/", 2, 2, MLS_POWER_PRODUCT, call_arithmetic},
    [MLS_EXPR_REMAINDER] = {"%", 2, 2, MLS_POWER_PRODUCT, call_arithmetic},
    [MLS_EXPR_POWER] = {"^", 2, 2, MLS_POWER_POWER, call_arithmetic},
    [MLS_EXPR_EQUAL] = {"==", 2, 2, MLS_POWER_COMPARISON, call_equal},
    [MLS_EXPR_UNEQUAL] = {"!=", 2, 2, MLS_POWER_COMPARISON, call_equal},
    [MLS_EXPR_LESS] = {"<", 2, 2, MLS_POWER_COMPARISON, call_order},
    [MLS_EXPR_LESS_EQUAL] = {"<=", 2, 2, MLS_POWER_COMPARISON, call_order},
    [MLS_EXPR_GREATER] = {">", 2, 2, MLS_POWER_COMPARISON, call_order},
    [MLS_EXPR_GREATER_EQUAL] = {">=", 2, 2, MLS_POWER_COMPARISON, call_order},
    [MLS_EXPR_IN] = {"in", 2, 2, MLS_POWER_COMPARISON, call_contains},
    [MLS_EXPR_ABS] = {"abs", 1, 1, 0, call_numeric},
    [MLS_EXPR_CEIL] = {"ceil", 1, 1, 0, call_numeric},
    [MLS_EXPR_FLOOR] = {"floor", 1, 1, 0, call_numeric},
    [MLS_EXPR_HAS] = {"has", 2, 2, 0, call_contains},
    [MLS_EXPR_INT] = {"int", 1, 1, 0, call_numeric},
    [MLS_EXPR_IS_BOOL] = {"is_bool", 1, 1, 0, call_kind},
    [MLS_EXPR_IS_INT] = {"is_int", 1, 1, 0, call_kind},
    [MLS_EXPR_IS_INTEGER] = {"is_integer", 1, 1, 0, call_numeric},
    [MLS_EXPR_ISCLOSE] = {"isclose", 2, 2, 0, call_isclose},
    [MLS_EXPR_LEN] = {"len", 1, 1, 0, call_len},
    [MLS_EXPR_LOG2] = {"log2", 1, 1, 0, call_numeric},
    [MLS_EXPR_LOWER] = {"lower", 1, 1, 0, call_lower},
    [MLS_EXPR_MAX] = {"max", 1, MLS_ARGUMENTS_MAX, 0, call_extreme},
    [MLS_EXPR_MIN] = {"min", 1, MLS_ARGUMENTS_MAX, 0, call_extreme},
    [MLS_EXPR_SORTED] = {"sorted", 1, 1, 0, call_sorted},
};
