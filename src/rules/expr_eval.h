/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_eval.h - what the evaluator and its functions share.
 */
#ifndef MLS_RULES_EXPR_EVAL_H
#define MLS_RULES_EXPR_EVAL_H

#include "rules/expr.h"

/* Notes why the expression cannot be evaluated. */
void mls_expr_note(mls_expr_input *input, const char *format, ...) MLS_PRINTF(2, 3);
void mls_expr_note_memory(mls_expr_input *input);

/* Notes that the value of `node` is not what is needed: "value is a string ("abc"), not a number". */
void mls_expr_note_kind(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, const mls_value *value,
                        const char *wanted);

/* The same as expressions that are false, so that a function can end with them; compilers see that they are. */
#define mls_expr_fail(input, ...) (mls_expr_note((input), __VA_ARGS__), false)
#define mls_expr_fail_memory(input) (mls_expr_note_memory(input), false)
#define mls_expr_fail_kind(expr, node, input, value, wanted)                                                           \
    (mls_expr_note_kind((expr), (node), (input), (value), (wanted)), false)

/* The number of a number or boolean; false, with a reason, for anything else. */
bool mls_expr_number(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, const mls_value *value,
                     double *number);

/* Whether `item` is in a list, a string or among an object's members; false when it cannot be told. */
bool mls_expr_contains(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input,
                       const mls_value *container, const mls_value *item, bool *contains);

/* has(metadata, "name") and has(value, "name"), without a tree; false: not of that form, evaluate it the long way. */
bool mls_expr_has_member(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result);

/* expr_input.c: reads the value of a span; only lists, objects and strings with escapes need the arena. */
bool mls_span_load(mls_str span, mls_expr_input *input, mls_value *result);

/* The value of a node that stands for the record or a part of it. */
bool mls_eval_input(const mls_expr_node *node, mls_expr_input *input, mls_value *result);

/*
 * Whether `node` is record, value or metadata, its tree has not been built and
 * it is an object: then a member is found in the text.  *found tells whether there is one.
 */
bool mls_expr_find_in_text(const mls_expr_node *node, mls_expr_input *input, mls_str name, bool *found,
                           mls_str *member);

/* expr_functions.c */
bool mls_expr_call(const mls_expr *expr, const mls_expr_node *node, mls_expr_input *input, mls_value *result);

static inline mls_value mls_value_of_bool(bool truth)
{
    return (mls_value){.kind = MLS_JSON_BOOL, .as.boolean = truth};
}

static inline mls_value mls_value_of_number(double number, bool is_integer)
{
    return (mls_value){.kind = MLS_JSON_NUMBER, .is_integer = is_integer, .as.number = number};
}

/* Integer in the sense of the language the rules come from, in which a boolean is one. */
static inline bool mls_value_is_int(const mls_value *value)
{
    return value->kind == MLS_JSON_BOOL || (value->kind == MLS_JSON_NUMBER && value->is_integer);
}

#endif
