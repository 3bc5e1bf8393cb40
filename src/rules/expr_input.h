/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_input.h - what evaluating stands on: the record's parts, and reasons why there is no value.  Functions that note
 * a reason return false.
 */
#ifndef MLS_RULES_EXPR_INPUT_H
#define MLS_RULES_EXPR_INPUT_H

#include "rules/expr.h"

/* Of the rule text, a reason quotes this much. */
enum { MLS_EXPR_QUOTED_MAX = 60 };

bool mls_expr_fail(mls_expr_input *input, const char *format, ...) MLS_PRINTF(2, 3);
bool mls_expr_fail_memory(mls_expr_input *input);

/* "value is a string ("abc"), not a number" */
bool mls_expr_fail_kind(mls_expr_input *input, const mls_argument *argument, const char *wanted);

/* The number of a number or boolean. */
bool mls_argument_number(mls_expr_input *input, const mls_argument *argument, double *number);

/* The value of a part or the time of the record. */
bool mls_expr_input_load(mls_expr_op op, mls_expr_input *input, mls_value *result);

/*
 * Whether `op` is an object among the record's parts whose tree has not been built: then a member is looked for in the
 * text.  *found tells whether there is one, and mls_span_load() reads it.
 */
bool mls_expr_input_find(mls_expr_op op, mls_expr_input *input, mls_str name, bool *found, mls_str *member);

/* Reads the value of a span; only lists, objects and strings with escapes need the arena. */
bool mls_span_load(mls_str span, mls_expr_input *input, mls_value *result);

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
