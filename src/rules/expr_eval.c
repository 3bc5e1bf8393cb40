/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_eval.c - walks the nodes of an expression.  The depth of a tree is bounded when it is compiled, so the recursion
 * here is too.
 */
#include "base/utf8.h"
#include "rules/expr.h"

/* The value of a member, whose name is a string, of the node's first operand. */
static bool eval_member(const mls_expr_node *node, mls_str name, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *object = node->operands[0];
    mls_argument whole = {.text = object->text};
    const mls_value *member = NULL;
    mls_str text;
    bool found;
    if (mls_expr_input_find((mls_expr_op)object->op, input, name, &found, &text)) {
        if (found) {
            return mls_span_load(text, input, result);
        }
    } else if (!mls_expr_evaluate(object, input, &whole.value)) {
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

static bool eval_index(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_argument index = {.text = node->operands[1]->text};
    mls_argument list = {.text = node->operands[0]->text};
    if (!mls_expr_evaluate(node->operands[1], input, &index.value)) {
        return false;
    }
    if (index.value.kind == MLS_JSON_STRING) {
        return eval_member(node, index.value.as.string, input, result);
    }
    if (!mls_expr_evaluate(node->operands[0], input, &list.value)) {
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

static bool eval_list(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_value *items = mls_arena_array(input->arena, node->count, sizeof *items);
    if (items == NULL) {
        return mls_expr_fail_memory(input);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (!mls_expr_evaluate(node->operands[i], input, &items[i])) {
            return false;
        }
    }
    *result = (mls_value){.kind = MLS_JSON_LIST, .as.list = {items, node->count}};
    return true;
}

/* && and || give the operand that decided; ?: evaluates only the side it takes. */
static bool eval_choice(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    if (!mls_expr_evaluate(node->operands[0], input, result)) {
        return false;
    }
    const bool truth = mls_value_truth(result);
    if (node->op == MLS_EXPR_CHOICE) {
        return mls_expr_evaluate(node->operands[truth ? 1 : 2], input, result);
    }
    return truth != (node->op == MLS_EXPR_AND) || mls_expr_evaluate(node->operands[1], input, result);
}

static bool eval_call(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_argument arguments[MLS_ARGUMENTS_MAX];
    for (uint32_t i = 0; i < node->count; i++) {
        arguments[i].text = node->operands[i]->text;
        if (!mls_expr_evaluate(node->operands[i], input, &arguments[i].value)) {
            return false;
        }
    }
    const mls_call call = {(mls_expr_op)node->op, node->count, arguments, input, result};
    return mls_expr_table[node->op].call(&call);
}

/* has(metadata, "name") needs no tree. */
static bool eval_has(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_value *name = &node->operands[1]->constant;
    mls_str member;
    bool found;
    if (node->operands[1]->op == MLS_EXPR_CONSTANT && name->kind == MLS_JSON_STRING &&
        mls_expr_input_find((mls_expr_op)node->operands[0]->op, input, name->as.string, &found, &member)) {
        *result = mls_value_of_bool(found);
        return true;
    }
    return eval_call(node, input, result);
}

bool mls_expr_evaluate(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    switch (node->op) {
    case MLS_EXPR_CONSTANT:
        *result = node->constant;
        return true;
    case MLS_EXPR_VALUE:
    case MLS_EXPR_METADATA:
    case MLS_EXPR_RECORD:
    case MLS_EXPR_TIME:
        return mls_expr_input_load((mls_expr_op)node->op, input, result);
    case MLS_EXPR_VARIABLE:
        *result = input->variables[node->slot].value;
        return input->variables[node->slot].set ||
               mls_expr_fail(input, "%.*s has not been set", MLS_CUT(node->text, MLS_EXPR_QUOTED_MAX));
    case MLS_EXPR_LIST:
        return eval_list(node, input, result);
    case MLS_EXPR_MEMBER:
    case MLS_EXPR_INDEX:
        return eval_index(node, input, result);
    case MLS_EXPR_AND:
    case MLS_EXPR_OR:
    case MLS_EXPR_CHOICE:
        return eval_choice(node, input, result);
    case MLS_EXPR_HAS:
        return eval_has(node, input, result);
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
