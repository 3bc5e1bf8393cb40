/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "rules/expr_eval.h"

/* How far from a whole number is_integer() still says yes, and the relative difference isclose() forgives. */
#define MLS_WHOLE_TOLERANCE 1e-5
#define MLS_CLOSE_TOLERANCE 1e-9

/* An argument's node and its value. */
typedef struct mls_argument {
    const mls_expr_node *node;
    mls_value value;
} mls_argument;

static bool mls_argument_get(const mls_expr *expr, const mls_expr_node *call, uint32_t index, mls_expr_input *input,
                             mls_argument *argument)
{
    argument->node = &expr->nodes[expr->children[call->first + index]];
    return mls_expr_evaluate_node(expr, argument->node, input, &argument->value);
}

/* int("12") reads a string as a whole number: blanks around it, a sign and single underscores are fine. */
static bool mls_int_of_string(mls_str text, double *number)
{
    if (text.len > 400) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if ((c < '0' || c > '9') && strchr(" \t\n\v\f\r+-_", c) == NULL) {
            return false;
        }
    }
    return mls_number_parse_lenient(text, number) && isfinite(*number);
}

static bool mls_call_int(const mls_expr *expr, mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    double number;
    if (argument->value.kind == MLS_JSON_STRING) {
        if (!mls_int_of_string(argument->value.as.string, &number)) {
            return mls_expr_fail_kind(expr, argument->node, input, &argument->value, "a whole number");
        }
    } else if (!mls_expr_number(expr, argument->node, input, &argument->value, &number)) {
        return false;
    }
    if (!isfinite(number)) {
        return mls_expr_fail_kind(expr, argument->node, input, &argument->value, "a finite number");
    }
    *result = mls_value_of_number(trunc(number), true);
    return true;
}

/* Functions of one number. */
static bool mls_call_numeric(const mls_expr *expr, const mls_expr_node *call, mls_argument *argument,
                             mls_expr_input *input, mls_value *result)
{
    double x;
    if (!mls_expr_number(expr, argument->node, input, &argument->value, &x)) {
        return false;
    }
    if (call->function == MLS_FUNCTION_ABS) {
        *result = mls_value_of_number(fabs(x), mls_value_is_int(&argument->value));
        return true;
    }
    if (call->function == MLS_FUNCTION_LOG2) {
        if (x <= 0) {
            return mls_expr_fail(input, "log2 of %g, which is not above 0", x);
        }
        *result = mls_value_of_number(log2(x), false);
        return true;
    }
    if (!isfinite(x)) {
        return mls_expr_fail_kind(expr, argument->node, input, &argument->value, "a finite number");
    }
    if (call->function == MLS_FUNCTION_IS_INTEGER) {
        *result = mls_value_of_bool(fabs(rint(x) - x) < MLS_WHOLE_TOLERANCE);
    } else {
        *result = mls_value_of_number(call->function == MLS_FUNCTION_CEIL ? ceil(x) : floor(x), true);
    }
    return true;
}

static bool mls_call_len(const mls_expr *expr, mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    const mls_value *value = &argument->value;
    size_t count = 0;
    switch (value->kind) {
    case MLS_JSON_STRING: /* in code points: continuation bytes do not count */
        for (size_t i = 0; i < value->as.string.len; i++) {
            count += ((unsigned char)value->as.string.ptr[i] & 0xc0) != 0x80;
        }
        break;
    case MLS_JSON_LIST:
        count = value->as.list.count;
        break;
    case MLS_JSON_OBJECT:
        count = value->as.object.count;
        break;
    default:
        return mls_expr_fail_kind(expr, argument->node, input, value, "a string, list or object");
    }
    *result = mls_value_of_number((double)count, true);
    return true;
}

static bool mls_call_lower(const mls_expr *expr, mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    if (argument->value.kind != MLS_JSON_STRING) {
        return mls_expr_fail_kind(expr, argument->node, input, &argument->value, "a string");
    }
    const mls_str text = argument->value.as.string;
    char *lower = mls_arena_alloc(input->arena, text.len + 1);
    if (lower == NULL) {
        return mls_expr_fail_memory(input);
    }
    for (size_t i = 0; i < text.len; i++) {
        lower[i] = text.ptr[i];
        if (lower[i] >= 'A' && lower[i] <= 'Z') {
            lower[i] = (char)(lower[i] | 0x20);
        }
    }
    *result = (mls_value){.kind = MLS_JSON_STRING, .as.string = {lower, text.len}};
    return true;
}

static int mls_string_value_compare(const void *left, const void *right)
{
    const mls_value *a = left;
    const mls_value *b = right;
    return mls_str_compare(a->as.string, b->as.string);
}

static bool mls_call_sorted(const mls_expr *expr, mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    const mls_value *value = &argument->value;
    if (value->kind != MLS_JSON_LIST) {
        return mls_expr_fail_kind(expr, argument->node, input, value, "a list");
    }
    const size_t count = value->as.list.count;
    mls_value *items = mls_arena_array(input->arena, count, sizeof *items);
    if (items == NULL) {
        return mls_expr_fail_memory(input);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = value->as.list.items[i];
        if (items[i].kind != MLS_JSON_STRING) {
            return mls_expr_fail(input, "only strings can be sorted");
        }
    }
    if (count > 1) {
        qsort(items, count, sizeof *items, mls_string_value_compare);
    }
    *result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}};
    return true;
}

/* min and max take several numbers or one list of them. */
static bool mls_call_extreme(const mls_expr *expr, const mls_expr_node *call, mls_expr_input *input, mls_value *result)
{
    mls_argument argument;
    if (!mls_argument_get(expr, call, 0, input, &argument)) {
        return false;
    }
    const bool list = call->second == 1 && argument.value.kind == MLS_JSON_LIST;
    const mls_value whole = argument.value;
    const size_t count = list ? whole.as.list.count : call->second;
    if (count == 0) {
        return mls_expr_fail(input, "%s of an empty list", mls_function_table[call->function].name);
    }
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        double number;
        if (list) {
            argument.value = whole.as.list.items[i];
        } else if (i > 0 && !mls_argument_get(expr, call, (uint32_t)i, input, &argument)) {
            return false;
        }
        if (!mls_expr_number(expr, argument.node, input, &argument.value, &number)) {
            return false;
        }
        if (i == 0 || (call->function == MLS_FUNCTION_MIN ? number < best : number > best)) {
            best = number;
            *result = argument.value;
        }
    }
    return true;
}

static bool mls_call_pair(const mls_expr *expr, const mls_expr_node *call, mls_expr_input *input, mls_value *result)
{
    mls_argument first;
    mls_argument second;
    if (!mls_argument_get(expr, call, 0, input, &first) || !mls_argument_get(expr, call, 1, input, &second)) {
        return false;
    }
    if (call->function == MLS_FUNCTION_HAS) {
        bool contains;
        if (!mls_expr_contains(expr, first.node, input, &first.value, &second.value, &contains)) {
            return false;
        }
        *result = mls_value_of_bool(contains);
        return true;
    }
    double a;
    double b;
    if (!mls_expr_number(expr, first.node, input, &first.value, &a) ||
        !mls_expr_number(expr, second.node, input, &second.value, &b)) {
        return false;
    }
    const bool finite = isfinite(a) && isfinite(b);
    *result = mls_value_of_bool(a == b || (finite && fabs(a - b) <= MLS_CLOSE_TOLERANCE * fmax(fabs(a), fabs(b))));
    return true;
}

bool mls_expr_call(const mls_expr *expr, const mls_expr_node *call, mls_expr_input *input, mls_value *result)
{
    mls_argument argument;
    switch (call->function) {
    case MLS_FUNCTION_HAS:
        return mls_expr_has_member(expr, call, input, result) || mls_call_pair(expr, call, input, result);
    case MLS_FUNCTION_ISCLOSE:
        return mls_call_pair(expr, call, input, result);
    case MLS_FUNCTION_MIN:
    case MLS_FUNCTION_MAX:
        return mls_call_extreme(expr, call, input, result);
    default:
        break;
    }
    if (!mls_argument_get(expr, call, 0, input, &argument)) {
        return false;
    }
    switch (call->function) {
    case MLS_FUNCTION_INT:
        return mls_call_int(expr, &argument, input, result);
    case MLS_FUNCTION_IS_BOOL:
        *result = mls_value_of_bool(argument.value.kind == MLS_JSON_BOOL);
        return true;
    case MLS_FUNCTION_IS_INT:
        *result = mls_value_of_bool(mls_value_is_int(&argument.value));
        return true;
    case MLS_FUNCTION_LEN:
        return mls_call_len(expr, &argument, input, result);
    case MLS_FUNCTION_LOWER:
        return mls_call_lower(expr, &argument, input, result);
    case MLS_FUNCTION_SORTED:
        return mls_call_sorted(expr, &argument, input, result);
    default:
        return mls_call_numeric(expr, call, &argument, input, result);
    }
}
