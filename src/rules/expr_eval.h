/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_eval.h - what evaluating is made of, from the bottom up: the input and
 * its reasons (expr_input.c), functions of values (expr_functions.c) and the
 * walk over the nodes (expr_eval.c).
 */
#ifndef MLS_RULES_EXPR_EVAL_H
#define MLS_RULES_EXPR_EVAL_H

#include "rules/expr.h"

/* ---------------------------------------------------------------- expr_input.c */

/* Notes why the expression cannot be evaluated. */
void mls_expr_note(mls_expr_input *input, const char *format, ...) MLS_PRINTF(2, 3);
void mls_expr_note_memory(mls_expr_input *input);

/* A value and the rule text it comes from, which reasons quote. */
typedef struct mls_argument {
    mls_value value;
    mls_str text;
} mls_argument;

/* Notes that a value is not what is needed: "value is a string ("abc"), not a number". */
void mls_expr_note_kind(mls_expr_input *input, const mls_argument *argument, const char *wanted);

/* The same as expressions that are false, so that a function can end with them; compilers see that they are. */
#define mls_expr_fail(input, ...) (mls_expr_note((input), __VA_ARGS__), false)
#define mls_expr_fail_memory(input) (mls_expr_note_memory(input), false)
#define mls_expr_fail_kind(input, argument, wanted) (mls_expr_note_kind((input), (argument), (wanted)), false)

/* Of the rule text, a reason quotes this much. */
enum { MLS_EXPR_QUOTED_MAX = 60 };

/* The number of a number or boolean; false, with a reason, for anything else. */
bool mls_argument_number(mls_expr_input *input, const mls_argument *argument, double *number);

/* Reads the value of a span; only lists, objects and strings with escapes need the arena. */
bool mls_span_load(mls_str span, mls_expr_input *input, mls_value *result);

/* The value of a node that stands for the record or a part of it. */
bool mls_eval_input(uint8_t op, mls_expr_input *input, mls_value *result);

/*
 * Whether `op` is record, value or metadata, its tree has not been built and
 * it is an object: then a member is found in the text.  *found tells whether there is one.
 */
bool mls_expr_find_in_text(uint8_t op, mls_expr_input *input, mls_str name, bool *found, mls_str *member);

/* ---------------------------------------------------------------- expr_functions.c */

enum { MLS_ARGUMENTS_MAX = 16 };

/* A function of `count` arguments, as many as its row of the table allows. */
bool mls_function_call(mls_expr_function function, const mls_argument *arguments, size_t count, mls_expr_input *input,
                       mls_value *result);

/* Whether `item` is in a list, a string or among an object's members; false when it cannot be told. */
bool mls_argument_contains(mls_expr_input *input, const mls_argument *container, const mls_value *item,
                           mls_value *result);

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
