/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_functions.c - the functions that an expression may call.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "rules/expr_eval.h"

/* How far from a whole number is_integer() still says yes, and the relative difference isclose() forgives. */
#define MLS_WHOLE_TOLERANCE 1e-5
#define MLS_CLOSE_TOLERANCE 1e-9

const mls_function_info mls_function_table[MLS_FUNCTION_COUNT] = {
    {"abs", 1, 1},     {"ceil", 1, 1},   {"floor", 1, 1},      {"has", 2, 2},     {"int", 1, 1},
    {"is_bool", 1, 1}, {"is_int", 1, 1}, {"is_integer", 1, 1}, {"isclose", 2, 2}, {"len", 1, 1},
    {"log2", 1, 1},    {"lower", 1, 1},  {"max", 1, 16},       {"min", 1, 16},    {"sorted", 1, 1},
};

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

static bool call_int(const mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    double number = 0;
    const bool string = argument->value.kind == MLS_JSON_STRING;
    if (string && !int_of_string(argument->value.as.string, &number)) {
        return mls_expr_fail_kind(input, argument, "a whole number");
    }
    if (!string && !mls_argument_number(input, argument, &number)) {
        return false;
    }
    if (!isfinite(number)) {
        return mls_expr_fail_kind(input, argument, "a finite number");
    }
    *result = mls_value_of_number(trunc(number), true);
    return true;
}

/* Functions of one number. */
static bool call_numeric(mls_expr_function function, const mls_argument *argument, mls_expr_input *input,
                         mls_value *result)
{
    double x;
    if (!mls_argument_number(input, argument, &x)) {
        return false;
    }
    if (function == MLS_FUNCTION_LOG2 && x <= 0) {
        return mls_expr_fail(input, "log2 of %g, which is not above 0", x);
    }
    if (function != MLS_FUNCTION_LOG2 && function != MLS_FUNCTION_ABS && !isfinite(x)) {
        return mls_expr_fail_kind(input, argument, "a finite number");
    }
    switch (function) {
    case MLS_FUNCTION_ABS:
        *result = mls_value_of_number(fabs(x), mls_value_is_int(&argument->value));
        break;
    case MLS_FUNCTION_LOG2:
        *result = mls_value_of_number(log2(x), false);
        break;
    case MLS_FUNCTION_IS_INTEGER:
        *result = mls_value_of_bool(fabs(rint(x) - x) < MLS_WHOLE_TOLERANCE);
        break;
    default:
        *result = mls_value_of_number(function == MLS_FUNCTION_CEIL ? ceil(x) : floor(x), true);
    }
    return true;
}

static bool call_len(const mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    const mls_value *value = &argument->value;
    size_t count = 0;
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

static bool call_lower(const mls_argument *argument, mls_expr_input *input, mls_value *result)
{
    if (argument->value.kind != MLS_JSON_STRING) {
        return mls_expr_fail_kind(input, argument, "a string");
    }
    const mls_str text = argument->value.as.string;
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

static bool call_sorted(const mls_argument *argument, mls_expr_input *input, mls_value *result)
{
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
    if (count > 1) {
        qsort(items, count, sizeof *items, compare_string_values);
    }
    *result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}};
    return true;
}

/* min and max take several numbers or one list of them. */
static bool call_extreme(mls_expr_function function, const mls_argument *arguments, size_t given, mls_expr_input *input,
                         mls_value *result)
{
    const bool list = given == 1 && arguments[0].value.kind == MLS_JSON_LIST;
    const size_t count = list ? arguments[0].value.as.list.count : given;
    double best = 0;
    if (count == 0) {
        return mls_expr_fail(input, "%s of an empty list", mls_function_table[function].name);
    }
    for (size_t i = 0; i < count; i++) {
        double number;
        const mls_argument item = {list ? arguments[0].value.as.list.items[i] : arguments[i].value,
                                   arguments[list ? 0 : i].text};
        if (!mls_argument_number(input, &item, &number)) {
            return false;
        }
        if (i == 0 || (function == MLS_FUNCTION_MIN ? number < best : number > best)) {
            best = number;
            *result = item.value;
        }
    }
    return true;
}

bool mls_argument_contains(mls_expr_input *input, const mls_argument *container, const mls_value *item,
                           mls_value *result)
{
    const mls_value *value = &container->value;
    bool contains = false;
    switch (value->kind) {
    case MLS_JSON_LIST:
        for (size_t i = 0; i < value->as.list.count && !contains; i++) {
            contains = mls_value_equal(&value->as.list.items[i], item);
        }
        break;
    case MLS_JSON_STRING:
        if (item->kind != MLS_JSON_STRING) {
            return mls_expr_fail(input, "only a string can be in a string");
        }
        contains = mls_str_contains(value->as.string, item->as.string);
        break;
    case MLS_JSON_OBJECT:
        if (item->kind == MLS_JSON_LIST || item->kind == MLS_JSON_OBJECT) {
            return mls_expr_fail(input, "a list or object cannot name a member");
        }
        contains = item->kind == MLS_JSON_STRING && mls_value_member(value, item->as.string) != NULL;
        break;
    default:
        return mls_expr_fail_kind(input, container, "an object, list or string");
    }
    *result = mls_value_of_bool(contains);
    return true;
}

static bool call_isclose(const mls_argument *arguments, mls_expr_input *input, mls_value *result)
{
    double a;
    double b;
    if (!mls_argument_number(input, &arguments[0], &a) || !mls_argument_number(input, &arguments[1], &b)) {
        return false;
    }
    const bool finite = isfinite(a) && isfinite(b);
    *result = mls_value_of_bool(a == b || (finite && fabs(a - b) <= MLS_CLOSE_TOLERANCE * fmax(fabs(a), fabs(b))));
    return true;
}

bool mls_function_call(mls_expr_function function, const mls_argument *arguments, size_t count, mls_expr_input *input,
                       mls_value *result)
{
    switch (function) {
    case MLS_FUNCTION_HAS:
        return mls_argument_contains(input, &arguments[0], &arguments[1].value, result);
    case MLS_FUNCTION_ISCLOSE:
        return call_isclose(arguments, input, result);
    case MLS_FUNCTION_MIN:
    case MLS_FUNCTION_MAX:
        return call_extreme(function, arguments, count, input, result);
    case MLS_FUNCTION_INT:
        return call_int(arguments, input, result);
    case MLS_FUNCTION_IS_BOOL:
        *result = mls_value_of_bool(arguments->value.kind == MLS_JSON_BOOL);
        return true;
    case MLS_FUNCTION_IS_INT:
        *result = mls_value_of_bool(mls_value_is_int(&arguments->value));
        return true;
    case MLS_FUNCTION_LEN:
        return call_len(arguments, input, result);
    case MLS_FUNCTION_LOWER:
        return call_lower(arguments, input, result);
    case MLS_FUNCTION_SORTED:
        return call_sorted(arguments, input, result);
    default:
        return call_numeric(function, arguments, input, result);
    }
}
