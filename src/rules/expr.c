/* SPDX-License-Identifier: Apache-2.0 */
/* expr.c - evaluate compiled expressions on a record.
 *
 * The depth of recursion is limited, because the compiler limits the depth of expressions.  An expression that reads
 * one member of a record's value or metadata parses only this member; the whole JSON is converted to a tree only if it
 * is needed. */
#include "rules/expr.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"

enum {
    SHOWN_LENGTH_MAX = 60,
    SHOWN_ITEMS_MAX = 6,
    SHOWN_DEPTH_MAX = 3,
    QUOTED_MAX = 60 /* maximum length of rule text in a message */
};

/* Tolerances: the maximum distance from a whole number for is_integer(), and the maximum relative difference for
 * isclose(). */
#define WHOLE_TOLERANCE 1e-5
#define CLOSE_TOLERANCE 1e-9

/* ---- values and errors as text ---- */

bool mls_value_truth(const mls_value *value)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): callers stop if an evaluation fails */
    const mls_json_kind kind = value->kind;
    return kind == MLS_JSON_BOOL     ? value->as.boolean
           : kind == MLS_JSON_NUMBER ? value->as.number != 0 /* NaN is true */
           : kind == MLS_JSON_STRING ? value->as.string.len > 0
           : kind == MLS_JSON_LIST   ? value->as.list.count > 0
                                     : kind == MLS_JSON_OBJECT && value->as.object.count > 0;
}

static void show_string(mls_buffer *buffer, mls_str string, const char *after)
{
    mls_buffer_append_char(buffer, '"');
    mls_utf8_append_cut(buffer, string, SHOWN_LENGTH_MAX);
    mls_buffer_append_text(buffer, after);
}

/* Append a value as text.  If the text is longer than `enough` bytes, omit the remaining items. */
static void show_nested(mls_buffer *buffer, const mls_value *value, unsigned depth, size_t enough)
{
    const bool list = value->kind == MLS_JSON_LIST;
    if (value->kind == MLS_JSON_STRING) {
        show_string(buffer, value->as.string, "\"");
        return;
    }
    if (value->kind == MLS_JSON_NUMBER && isfinite(value->as.number)) {
        mls_buffer_append_text(buffer, mls_words_exact(value->as.number).text);
        return;
    }
    if (!list && value->kind != MLS_JSON_OBJECT) {
        mls_buffer_append_text(buffer, value->kind == MLS_JSON_NULL   ? "null"
                                       : value->kind == MLS_JSON_BOOL ? value->as.boolean ? "true" : "false"
                                       : isnan(value->as.number)      ? "NaN"
                                       : value->as.number > 0         ? "inf"
                                                                      : "-inf");
        return;
    }
    const size_t count = list ? value->as.list.count : value->as.object.count;
    mls_buffer_append_char(buffer, list ? '[' : '{');
    for (size_t i = 0; i < count; i++) {
        mls_buffer_append_text(buffer, i > 0 ? ", " : "");
        if (i == SHOWN_ITEMS_MAX || depth == SHOWN_DEPTH_MAX || buffer->len > enough) {
            mls_buffer_append_text(buffer, "…");
            break;
        }
        if (!list)
            show_string(buffer, value->as.object.members[i].name, "\": ");
        show_nested(buffer, list ? &value->as.list.items[i] : value->as.object.members[i].value, depth + 1, enough);
    }
    mls_buffer_append_char(buffer, list ? ']' : '}');
}

void mls_value_show(mls_buffer *buffer, const mls_value *value)
{
    show_nested(buffer, value, 0, SIZE_MAX);
}

bool mls_expr_fail(mls_expr_input *input, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)mls_text_vprintf(input->reason, sizeof input->reason, format, args);
    va_end(args);
    return false;
}

/* Fail because a value has the wrong type, with a reason such as "value is a string ("abc"), not a number". */
static bool fail_kind(mls_expr_input *input, const mls_expr_node *node, const mls_value *value, const char *wanted)
{
    static const char *const kinds[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};
    const mls_json_kind kind = value->kind;
    mls_buffer shown = {0};
    if (kind != MLS_JSON_NULL) {
        mls_buffer_append_text(&shown, " (");
        show_nested(&shown, value, 0, sizeof input->reason);
        mls_buffer_append_char(&shown, ')');
    }
    (void)mls_expr_fail(input, "%.*s is %s%s, not %s", MLS_CUT(node->text, QUOTED_MAX), kinds[kind],
                        shown.ptr != NULL ? shown.ptr : "", wanted);
    mls_buffer_release(&shown);
    return false;
}

/* Check whether a value is an integer.  As in Python, booleans are integers. */
static bool is_int_value(const mls_value *value)
{
    return value->kind == MLS_JSON_BOOL || (value->kind == MLS_JSON_NUMBER && value->is_integer);
}

/* ---- the record ---- */

void mls_expr_input_begin(mls_expr_input *input, const mls_record *record)
{
    static const mls_record none;
    const mls_record *from = record != NULL ? record : &none;
    const mls_str spans[MLS_PARTS] = {from->value, from->metadata, from->payload};
    input->record = record;
    for (size_t i = 0; i < MLS_PARTS; i++) {
        input->parts[i].span = spans[i];
        input->parts[i].tree = NULL;
    }
}

const mls_value *mls_expr_input_tree(mls_expr_input *input, mls_expr_op op)
{
    mls_expr_part *part = &input->parts[op];
    if (part->tree == NULL)
        part->tree = mls_value_build(part->span, input->arena);
    return part->tree;
}

/* ---- operators and functions, which compute a value from the values of their operands ---- */

static bool give_bool(const mls_call *c, bool truth)
{
    *c->result = mls_value_of_bool(truth);
    return true;
}

/* Convert the value of an operand to a number.  Fail if the value is neither a number nor a boolean. */
static bool operand_number(mls_expr_input *input, const mls_expr_node *node, const mls_value *value, double *number)
{
    *number = 0;
    return mls_value_number(value, number) || fail_kind(input, node, value, "a number");
}

static bool two_numbers(const mls_call *c, double *a, double *b)
{
    *b = 0;
    return operand_number(c->input, c->node->operands[0], &c->values[0], a) &&
           operand_number(c->input, c->node->operands[1], &c->values[1], b);
}

static mls_str bytes_of(const mls_value *value)
{
    return value->kind == MLS_JSON_STRING
               ? value->as.string
               : (mls_str){(const char *)value->as.list.items, value->as.list.count * sizeof(mls_value)};
}

static bool call_arithmetic(const mls_call *c)
{
    const mls_value *left = &c->values[0];
    const mls_value *right = &c->values[1];
    const bool divides = c->op == MLS_EXPR_DIVIDE || c->op == MLS_EXPR_REMAINDER;
    const bool power = c->op == MLS_EXPR_POWER;
    double a;
    double b;
    if (c->op == MLS_EXPR_ADD && left->kind == right->kind &&
        (left->kind == MLS_JSON_STRING || left->kind == MLS_JSON_LIST)) { /* concatenate two strings or two lists */
        const bool strings = left->kind == MLS_JSON_STRING;
        const mls_str first = bytes_of(left);
        const mls_str second = bytes_of(right);
        const size_t count = (first.len + second.len) / (strings ? 1 : sizeof(mls_value));
        char *joined = mls_arena_array(c->input->arena, first.len + second.len, 1);
        if (count > MLS_EXPR_RESULT_MAX)
            return mls_expr_fail(c->input, "the joined %s is too long", strings ? "string" : "list");
        if (first.len > 0)
            memcpy(joined, first.ptr, first.len);
        if (second.len > 0)
            memcpy(joined + first.len, second.ptr, second.len);
        *c->result = strings
                         ? (mls_value){.kind = MLS_JSON_STRING, .as.string = {joined, count}}
                         : (mls_value){.kind = MLS_JSON_LIST, .as.list = {(const mls_value *)(void *)joined, count}};
        return true;
    }
    if (!two_numbers(c, &a, &b))
        return false;
    if (power ? a == 0 && b < 0 : divides && b == 0)
        return mls_expr_fail(c->input, "division by zero");
    if (power && a < 0 && isfinite(b) && b != floor(b))
        return mls_expr_fail(c->input, "a negative number cannot be raised to a fractional power");
    double number = c->op == MLS_EXPR_ADD         ? a + b
                    : c->op == MLS_EXPR_SUBTRACT  ? a - b
                    : c->op == MLS_EXPR_MULTIPLY  ? a * b
                    : c->op == MLS_EXPR_REMAINDER ? fmod(a, b)
                    : power                       ? pow(a, b)
                                                  : a / b;
    if (c->op == MLS_EXPR_REMAINDER && number != 0 && (number < 0) != (b < 0))
        number += b; /* as in Python, the remainder has the sign of the divisor */
    *c->result = mls_value_of_number(number, is_int_value(left) && is_int_value(right) && c->op != MLS_EXPR_DIVIDE &&
                                                 (!power || b >= 0));
    return !(power && isinf(number) && isfinite(a) && isfinite(b)) ||
           mls_expr_fail(c->input, "the result of the power is too large");
}

/* Evaluate the operators and functions that accept any value. */
static bool call_any(const mls_call *c)
{
    const mls_value *v = c->values;
    return give_bool(c, c->op == MLS_EXPR_NOT       ? !mls_value_truth(v)
                        : c->op == MLS_EXPR_IS_INT  ? is_int_value(v)
                        : c->op == MLS_EXPR_IS_BOOL ? v->kind == MLS_JSON_BOOL
                                                    : mls_value_equal(&v[0], &v[1]) == (c->op == MLS_EXPR_EQUAL));
}

/* Evaluate < <= > >= for two numbers or two strings. */
static bool call_order(const mls_call *c)
{
    double a = 0;
    double b = 0;
    mls_str left;
    mls_str right;
    if (mls_value_string(&c->values[0], &left) && mls_value_string(&c->values[1], &right))
        a = mls_str_compare(left, right);
    else if (!two_numbers(c, &a, &b))
        return false;
    return give_bool(c, c->op == MLS_EXPR_LESS         ? a < b
                        : c->op == MLS_EXPR_LESS_EQUAL ? a <= b
                        : c->op == MLS_EXPR_GREATER    ? a > b
                                                       : a >= b);
}

/* Evaluate `item in container` and has(container, item): check whether a list, a string or the members of an object
 * contain an item. */
static bool call_contains(const mls_call *c)
{
    const size_t container = c->op == MLS_EXPR_IN;
    const mls_value *item = &c->values[1 - container];
    const mls_value *all = &c->values[container];
    bool contains = false;
    if (all->kind == MLS_JSON_LIST) {
        for (size_t i = 0; i < all->as.list.count && !contains; i++)
            contains = mls_value_equal(&all->as.list.items[i], item);
    } else if (all->kind == MLS_JSON_STRING) {
        if (item->kind != MLS_JSON_STRING)
            return mls_expr_fail(c->input, "only a string can be searched for in a string");
        contains = mls_str_contains(all->as.string, item->as.string);
    } else if (all->kind == MLS_JSON_OBJECT) {
        if (item->kind == MLS_JSON_LIST || item->kind == MLS_JSON_OBJECT)
            return mls_expr_fail(c->input, "a list or object cannot be the name of a member");
        contains = item->kind == MLS_JSON_STRING && mls_value_member(all, item->as.string) != NULL;
    } else {
        return fail_kind(c->input, c->node->operands[container], all, "an object, list or string");
    }
    return give_bool(c, contains);
}

/* Evaluate functions of one number, including -x. */
static bool call_numeric(const mls_call *c)
{
    const bool is_int = is_int_value(c->values);
    double x = 0;
    if (c->op == MLS_EXPR_INT && c->values->kind == MLS_JSON_STRING) {
        /* Convert a text to a number as Python's int() does: blanks around the number, a sign, and single underscores
         * are allowed. */
        const mls_str text = c->values->as.string;
        bool whole = text.len <= 400;
        for (size_t i = 0; i < text.len && whole; i++)
            whole = text.ptr[i] != '\0' && strchr("0123456789 \t\n\v\f\r+-_", text.ptr[i]) != NULL;
        if (!whole || !mls_number_parse_lenient(text, &x) || !isfinite(x))
            return fail_kind(c->input, c->node->operands[0], c->values, "a whole number");
    } else if (!operand_number(c->input, c->node->operands[0], c->values, &x)) {
        return false;
    }
    if (c->op == MLS_EXPR_LOG2 && x <= 0)
        return mls_expr_fail(c->input, "log2 of %g, which is not above 0", x);
    if (c->op != MLS_EXPR_LOG2 && c->op != MLS_EXPR_ABS && c->op != MLS_EXPR_NEGATE && !isfinite(x))
        return fail_kind(c->input, c->node->operands[0], c->values, "a finite number");
    *c->result = c->op == MLS_EXPR_NEGATE       ? mls_value_of_number(-x, is_int)
                 : c->op == MLS_EXPR_ABS        ? mls_value_of_number(fabs(x), is_int)
                 : c->op == MLS_EXPR_LOG2       ? mls_value_of_number(log2(x), false)
                 : c->op == MLS_EXPR_IS_INTEGER ? mls_value_of_bool(fabs(rint(x) - x) < WHOLE_TOLERANCE)
                 : c->op == MLS_EXPR_CEIL       ? mls_value_of_number(ceil(x), true)
                 : c->op == MLS_EXPR_FLOOR      ? mls_value_of_number(floor(x), true)
                                                : mls_value_of_number(trunc(x), true);
    return true;
}

static bool call_len(const mls_call *c)
{
    const mls_value *value = c->values;
    size_t count = 0;
    if (value->kind == MLS_JSON_STRING) /* count code points by skipping continuation bytes */
        for (size_t i = 0; i < value->as.string.len; i++)
            count += ((unsigned char)value->as.string.ptr[i] & 0xc0) != 0x80;
    else if (value->kind == MLS_JSON_LIST || value->kind == MLS_JSON_OBJECT)
        count = value->kind == MLS_JSON_LIST ? value->as.list.count : value->as.object.count;
    else
        return fail_kind(c->input, c->node->operands[0], c->values, "a string, list or object");
    *c->result = mls_value_of_number((double)count, true);
    return true;
}

static bool call_lower(const mls_call *c)
{
    mls_str text;
    if (!mls_value_string(c->values, &text))
        return fail_kind(c->input, c->node->operands[0], c->values, "a string");
    char *lower = mls_arena_alloc(c->input->arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        lower[i] = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] | 0x20) : text.ptr[i];
    *c->result = (mls_value){.kind = MLS_JSON_STRING, .as.string = {lower, text.len}};
    return true;
}

static int compare_string_values(const void *left, const void *right)
{
    return mls_str_compare(((const mls_value *)left)->as.string, ((const mls_value *)right)->as.string);
}

static bool call_sorted(const mls_call *c)
{
    if (c->values->kind != MLS_JSON_LIST)
        return fail_kind(c->input, c->node->operands[0], c->values, "a list");
    const size_t count = c->values->as.list.count;
    mls_value *items = mls_arena_array(c->input->arena, count, sizeof *items);
    for (size_t i = 0; i < count; i++) {
        items[i] = c->values->as.list.items[i];
        if (items[i].kind != MLS_JSON_STRING)
            return mls_expr_fail(c->input, "only strings can be sorted");
    }
    qsort(items, count, sizeof *items, compare_string_values);
    *c->result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, count}};
    return true;
}

/* Evaluate min and max of several numbers, or of one list of numbers. */
static bool call_extreme(const mls_call *c)
{
    const bool list = c->node->count == 1 && c->values->kind == MLS_JSON_LIST;
    const size_t count = list ? c->values->as.list.count : c->node->count;
    const mls_value *items = list ? c->values->as.list.items : c->values;
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        double number;
        if (!operand_number(c->input, c->node->operands[list ? 0 : i], &items[i], &number))
            return false;
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
    if (!two_numbers(c, &a, &b))
        return false;
    const bool finite = isfinite(a) && isfinite(b);
    return give_bool(c, a == b || (finite && fabs(a - b) <= CLOSE_TOLERANCE * fmax(fabs(a), fabs(b))));
}

const mls_expr_info mls_expr_table[MLS_EXPR_OP_COUNT] = {
#define MLS_EXPR_ROW(op, name, min, max, power, call, words) {name, min, max, MLS_POWER_##power, call, words},
    MLS_EXPR_LIST(MLS_EXPR_ROW)};

/* ---- evaluation ---- */

/* If `node` is a part of the record (value, metadata or the record itself) and is an object, find a member in its JSON
 * text without building a tree.  If the object does not have the member, set member->ptr to NULL.  Return false if
 * `node` is anything else, or if its tree was already built. */
static bool find_in_text(const mls_expr_node *node, mls_expr_input *input, mls_str name, mls_str *member)
{
    const mls_record *record = input->record;
    *member = (mls_str){NULL, 0};
    if (node->op > MLS_EXPR_RECORD || record == NULL || input->parts[node->op].tree != NULL ||
        mls_json_kind_of(input->parts[node->op].span) != MLS_JSON_OBJECT)
        return false;
    if (node->op == MLS_EXPR_VALUE)
        (void)mls_record_value_member(record, name, member);
    else if (node->op == MLS_EXPR_METADATA)
        (void)mls_record_metadata_member(record, name, member);
    /* A derived record has no line number and no JSON text. */
    else if (record->line > 0 && mls_str_equal(name, MLS_S("value")))
        *member = record->value;
    else
        (void)mls_json_member(record->payload, name, member);
    return true;
}

/* Evaluate `object[name]` or `list[index]`.  A negative index counts from the end of the list. */
static bool eval_index(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *of = node->operands[0];
    mls_value index = {0};
    mls_value whole = {0};
    double at = 0;
    mls_str text;
    if (!mls_expr_evaluate(node->operands[1], input, &index))
        return false;
    if (index.kind == MLS_JSON_STRING) {
        const mls_str name = index.as.string;
        const mls_value *member = NULL;
        if (find_in_text(of, input, name, &text))
            member = text.ptr != NULL ? mls_value_build(text, input->arena) : NULL;
        else if (!mls_expr_evaluate(of, input, &whole))
            return false;
        else if (whole.kind != MLS_JSON_OBJECT)
            return fail_kind(input, of, &whole, "an object");
        else
            member = mls_value_member(&whole, name);
        if (member == NULL)
            return mls_expr_fail(input, "%.*s has no %.*s", MLS_CUT(of->text, QUOTED_MAX), MLS_CUT(name, QUOTED_MAX));
        *result = *member;
        return true;
    }
    if (!mls_expr_evaluate(of, input, &whole))
        return false;
    if (whole.kind != MLS_JSON_LIST)
        return fail_kind(input, of, &whole, "a list");
    if (!is_int_value(&index))
        return fail_kind(input, node->operands[1], &index, "a whole number");
    (void)mls_value_number(&index, &at);
    const size_t count = whole.as.list.count;
    at += at < 0 ? (double)count : 0;
    if (!(at >= 0 && at < (double)count))
        return mls_expr_fail(input, "%.*s has only %zu items", MLS_CUT(of->text, QUOTED_MAX), count);
    *result = whole.as.list.items[(size_t)at];
    return true;
}

static bool eval_operands(const mls_expr_node *node, mls_expr_input *input, mls_value *values)
{
    for (uint32_t i = 0; i < node->count; i++)
        if (!mls_expr_evaluate(node->operands[i], input, &values[i]))
            return false;
    return true;
}

/* Evaluate a function or an operator.  This is not inlined in mls_expr_evaluate() to keep the stack frames of its
 * recursion small. */
static bool eval_call(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_value values[MLS_ARGUMENTS_MAX];
    return eval_operands(node, input, values) &&
           mls_expr_table[node->op].call(&(mls_call){(mls_expr_op)node->op, node, values, input, result});
}

bool mls_expr_evaluate(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_str member;
    switch (node->op) {
    case MLS_EXPR_CONSTANT:
        *result = node->constant;
        return true;
    case MLS_EXPR_VALUE:
    case MLS_EXPR_METADATA:
    case MLS_EXPR_RECORD:
    case MLS_EXPR_TIME:
        if (input->record == NULL)
            return mls_expr_fail(input, "no record is available here");
        *result =
            node->op != MLS_EXPR_TIME
                ? *mls_expr_input_tree(input, (mls_expr_op)node->op)
                : mls_value_of_number(input->record->time_ms, input->record->time_ms == floor(input->record->time_ms));
        return true;
    case MLS_EXPR_VARIABLE:
        *result = input->variables[node->slot].value;
        return input->variables[node->slot].set ||
               mls_expr_fail(input, "%.*s has not been set", MLS_CUT(node->text, QUOTED_MAX));
    case MLS_EXPR_LIST: {
        mls_value *items = mls_arena_array(input->arena, node->count, sizeof *items);
        *result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, node->count}};
        return eval_operands(node, input, items);
    }
    case MLS_EXPR_MEMBER:
    case MLS_EXPR_INDEX:
        return eval_index(node, input, result);
    case MLS_EXPR_AND:
    case MLS_EXPR_OR: /* as in Python, the result is the operand that decides */
        return mls_expr_evaluate(node->operands[0], input, result) &&
               (mls_value_truth(result) != (node->op == MLS_EXPR_AND) ||
                mls_expr_evaluate(node->operands[1], input, result));
    case MLS_EXPR_CHOICE:
        return mls_expr_evaluate(node->operands[0], input, result) &&
               mls_expr_evaluate(node->operands[mls_value_truth(result) ? 1 : 2], input, result);
    case MLS_EXPR_HAS: /* for has(metadata, "name"), do not build a tree */
        if (node->operands[1]->op != MLS_EXPR_CONSTANT || node->operands[1]->constant.kind != MLS_JSON_STRING ||
            !find_in_text(node->operands[0], input, node->operands[1]->constant.as.string, &member))
            return eval_call(node, input, result);
        *result = mls_value_of_bool(member.ptr != NULL);
        return true;
    default:
        return eval_call(node, input, result);
    }
}

mls_outcome mls_expr_test(const mls_expr *expr, mls_expr_input *input)
{
    mls_value result;
    return !mls_expr_evaluate(expr->root, input, &result) ? MLS_OUTCOME_UNKNOWN
           : mls_value_truth(&result)                     ? MLS_OUTCOME_TRUE
                                                          : MLS_OUTCOME_FALSE;
}
