/* SPDX-License-Identifier: Apache-2.0 */
/* expr_eval.c - walks the nodes of an expression.  The depth of a tree is bounded when it is compiled, so the recursion
 * here is too. */
#include <math.h>

#include "base/utf8.h"
#include "rules/expr.h"

/* The value of a part of the record, or its time. */
static bool eval_part(mls_expr_op op, mls_expr_input *input, mls_value *result)
{
    if (input->record == NULL) {
        return mls_expr_fail(input, "there is no record to look at");
    }
    if (op == MLS_EXPR_TIME) {
        const double time = input->record->time_ms;
        *result = mls_value_of_number(time, time == floor(time));
        return true;
    }
    const mls_value *tree = mls_expr_input_tree(input, op);
    if (tree != NULL) {
        *result = *tree;
    }
    return tree != NULL;
}

/* A record of a log has a value; one that was made up to look at a number alone has no line. */
static bool find_in_record(const mls_record *record, mls_str name, mls_str *member)
{
    const bool value = record->line > 0 && mls_str_equal(name, MLS_S("value"));
    *member = value ? record->value : *member;
    return value || mls_json_member(record->payload, name, member);
}

/* Whether a node is a part of the record that is an object without a tree yet: then *member is found in its text, or
 * has no ptr. */
static bool find_in_text(const mls_expr_node *node, mls_expr_input *input, mls_str name, mls_str *member)
{
    mls_expr_part *part = node->op <= MLS_EXPR_RECORD ? &input->parts[node->op] : NULL;
    *member = (mls_str){NULL, 0};
    if (part == NULL || input->record == NULL || part->tree != NULL ||
        mls_json_kind_of(part->span) != MLS_JSON_OBJECT) {
        return false;
    }
    (void)(node->op == MLS_EXPR_VALUE      ? mls_record_value_member(input->record, name, member)
           : node->op == MLS_EXPR_METADATA ? mls_record_metadata_member(input->record, name, member)
                                           : find_in_record(input->record, name, member));
    return true;
}

/* The value of a member, whose name is a string, of the node's first operand. */
static bool eval_member(const mls_expr_node *node, mls_str name, mls_expr_input *input, mls_value *result)
{
    const mls_expr_node *object = node->operands[0];
    mls_value whole = {0};
    const mls_value *member = NULL;
    mls_str text;
    if (find_in_text(object, input, name, &text)) {
        member = text.ptr != NULL ? mls_value_build(text, input->arena) : NULL;
        if (text.ptr != NULL && member == NULL) {
            return mls_expr_fail_memory(input);
        }
    } else if (!mls_expr_evaluate(object, input, &whole)) {
        return false;
    } else if (whole.kind != MLS_JSON_OBJECT) {
        return mls_expr_fail_kind(input, object, &whole, "an object");
    } else {
        member = mls_value_member(&whole, name);
    }
    if (member == NULL) {
        return mls_expr_fail(input, "%.*s has no %.*s", MLS_CUT(object->text, MLS_EXPR_QUOTED_MAX),
                             MLS_CUT(name, MLS_EXPR_QUOTED_MAX));
    }
    *result = *member;
    return true;
}

static bool eval_index(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    mls_value index = {0};
    mls_value list = {0};
    if (!mls_expr_evaluate(node->operands[1], input, &index)) {
        return false;
    }
    if (index.kind == MLS_JSON_STRING) {
        return eval_member(node, index.as.string, input, result);
    }
    if (!mls_expr_evaluate(node->operands[0], input, &list)) {
        return false;
    }
    if (list.kind != MLS_JSON_LIST) {
        return mls_expr_fail_kind(input, node->operands[0], &list, "a list");
    }
    if (!mls_value_is_int(&index)) {
        return mls_expr_fail_kind(input, node->operands[1], &index, "a whole number");
    }
    double at = 0;
    (void)mls_value_number(&index, &at);
    const double count = (double)list.as.list.count;
    at += at < 0 ? count : 0; /* counts from the end */
    if (!(at >= 0 && at < count)) {
        return mls_expr_fail(input, "%.*s has only %zu items", MLS_CUT(node->operands[0]->text, MLS_EXPR_QUOTED_MAX),
                             list.as.list.count);
    }
    *result = list.as.list.items[(size_t)at];
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
    mls_value values[MLS_ARGUMENTS_MAX];
    for (uint32_t i = 0; i < node->count; i++) {
        if (!mls_expr_evaluate(node->operands[i], input, &values[i])) {
            return false;
        }
    }
    const mls_call call = {(mls_expr_op)node->op, node, values, input, result};
    return mls_expr_table[node->op].call(&call);
}

/* has(metadata, "name") needs no tree. */
static bool eval_has(const mls_expr_node *node, mls_expr_input *input, mls_value *result)
{
    const mls_value *name = &node->operands[1]->constant;
    mls_str member;
    if (node->operands[1]->op == MLS_EXPR_CONSTANT && name->kind == MLS_JSON_STRING &&
        find_in_text(node->operands[0], input, name->as.string, &member)) {
        *result = mls_value_of_bool(member.ptr != NULL);
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
        return eval_part((mls_expr_op)node->op, input, result);
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
