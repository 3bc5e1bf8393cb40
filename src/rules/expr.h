/* SPDX-License-Identifier: Apache-2.0 */
/* expr.h - compile and evaluate the expressions in rule files.
 *
 * mls_expr_compile() compiles an expression to a tree of nodes, and mls_expr_evaluate() evaluates the tree, on any
 * number of threads.  An expression can refer to a record (by the names value, metadata, record and time_ms) and to the
 * $variables of a scope:
 *
 *     mls_expr_compile(MLS_S("value >= 0.75 * $target"), &symbols, &arena, &expr, &error);
 *     mls_expr_input input = {.variables = variables, .arena = &scratch};
 *     mls_expr_input_begin(&input, record);
 *     if (!mls_expr_evaluate(expr.root, &input, &result)) { ... input.reason ... }
 *
 * Values behave as in the compliance checker, which is written in Python: booleans count as 1 and 0, lists and objects
 * are compared by content, `<` between a number and a string is an error, and `&&` and `||` return the operand that
 * decides.  Numbers are doubles, so integers are exact up to 2^53.  The result of a division is not truncated; use
 * floor(a / b). */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "log/log.h"

enum {
    MLS_EXPR_LENGTH_MAX = 1 << 18, /* maximum length of an expression in bytes */
    MLS_EXPR_DEPTH_MAX = 128,      /* maximum nesting of operators and brackets */
    /* Maximum length of a concatenated string in bytes, or of a concatenated list in items. */
    MLS_EXPR_RESULT_MAX = 1 << 20,
    MLS_VARIABLES_PER_SCOPE_MAX = 256,
    MLS_ARGUMENTS_MAX = 16
};

/* All operators and, from ABS on, functions.  The columns are: name; minimum and maximum number of operands; binding
 * power as an infix operator (NONE: it is not one); the function that implements it (NULL: mls_expr_evaluate() does);
 * and a description, in which 1, 2 and 3 are replaced by operands and * by all operands (NULL: rule_words.c describes
 * it). */
#define MLS_EXPR_LIST(F)                                                                                               \
    F(VALUE, "value", 0, 0, NONE, NULL, "its value")                                                                   \
    F(METADATA, "metadata", 0, 0, NONE, NULL, "its metadata")                                                          \
    F(RECORD, "record", 0, 0, NONE, NULL, "the record")                                                                \
    F(TIME, "time_ms", 0, 0, NONE, NULL, "its time")                                                                   \
    F(CONSTANT, "constant", 0, 0, NONE, NULL, NULL)                                                                    \
    F(VARIABLE, "$", 0, 0, NONE, NULL, NULL)                                                                           \
    F(LIST, "[]", 0, 0, NONE, NULL, "the list of *")                                                                   \
    F(MEMBER, ".", 2, 2, NONE, NULL, "2 of 1") /* the second operand is a constant: the name of the member */          \
    F(INDEX, "[", 2, 2, NONE, NULL, "item 2, from 0 on, of 1")                                                         \
    F(AND, "&&", 2, 2, AND, NULL, "1 and 2")                                                                           \
    F(OR, "||", 2, 2, OR, NULL, "1 or 2")                                                                              \
    F(CHOICE, "?", 3, 3, CHOICE, NULL, "2 when 1, else 3")                                                             \
    F(NOT, "!", 1, 1, NONE, call_any, "not 1")                                                                         \
    F(NEGATE, "-x", 1, 1, NONE, call_numeric, "minus 1")                                                               \
    F(ADD, "+", 2, 2, SUM, call_arithmetic, "1 plus 2")                                                                \
    F(SUBTRACT, "-", 2, 2, SUM, call_arithmetic, "1 minus 2")                                                          \
    F(MULTIPLY, "*", 2, 2, PRODUCT, call_arithmetic, "1 times 2")                                                      \
    F(DIVIDE, "/", 2, 2, PRODUCT, call_arithmetic, "1 divided by 2")                                                   \
    F(REMAINDER, "%", 2, 2, PRODUCT, call_arithmetic, "1 modulo 2")                                                    \
    F(POWER, "^", 2, 2, POWER, call_arithmetic, "1 to the power of 2")                                                 \
    F(EQUAL, "==", 2, 2, COMPARISON, call_any, "1 is 2")                                                               \
    F(UNEQUAL, "!=", 2, 2, COMPARISON, call_any, "1 is not 2")                                                         \
    F(LESS, "<", 2, 2, COMPARISON, call_order, "1 is below 2")                                                         \
    F(LESS_EQUAL, "<=", 2, 2, COMPARISON, call_order, "1 is at most 2")                                                \
    F(GREATER, ">", 2, 2, COMPARISON, call_order, "1 is above 2")                                                      \
    F(GREATER_EQUAL, ">=", 2, 2, COMPARISON, call_order, "1 is at least 2")                                            \
    F(IN, "in", 2, 2, COMPARISON, call_contains, "1 is in 2")                                                          \
    F(ABS, "abs", 1, 1, NONE, call_numeric, "the absolute value of 1")                                                 \
    F(CEIL, "ceil", 1, 1, NONE, call_numeric, "1 rounded up")                                                          \
    F(FLOOR, "floor", 1, 1, NONE, call_numeric, "1 rounded down")                                                      \
    F(HAS, "has", 2, 2, NONE, call_contains, "1 has 2")                                                                \
    F(INT, "int", 1, 1, NONE, call_numeric, "1 without its fraction")                                                  \
    F(IS_BOOL, "is_bool", 1, 1, NONE, call_any, "1 is true or false")                                                  \
    F(IS_INT, "is_int", 1, 1, NONE, call_any, "1 is an integer")                                                       \
    F(IS_INTEGER, "is_integer", 1, 1, NONE, call_numeric, "1 is a whole number")                                       \
    F(ISCLOSE, "isclose", 2, 2, NONE, call_isclose, "1 is close to 2")                                                 \
    F(LEN, "len", 1, 1, NONE, call_len, "the length of 1")                                                             \
    F(LOG2, "log2", 1, 1, NONE, call_numeric, "the binary logarithm of 1")                                             \
    F(LOWER, "lower", 1, 1, NONE, call_lower, "1 in small letters")                                                    \
    F(MAX, "max", 1, MLS_ARGUMENTS_MAX, NONE, call_extreme, "the largest of *")                                        \
    F(MIN, "min", 1, MLS_ARGUMENTS_MAX, NONE, call_extreme, "the smallest of *")                                       \
    F(SORTED, "sorted", 1, 1, NONE, call_sorted, "1 in order")

typedef enum mls_expr_op {
#define MLS_EXPR_NUMBER(op, ...) MLS_EXPR_##op,
    MLS_EXPR_LIST(MLS_EXPR_NUMBER) MLS_EXPR_OP_COUNT
} mls_expr_op;

/* Binding powers of operators; an operator with a greater power binds its operands more tightly. */
enum {
    MLS_POWER_NONE,
    MLS_POWER_CHOICE,
    MLS_POWER_OR,
    MLS_POWER_AND,
    MLS_POWER_COMPARISON,
    MLS_POWER_SUM,
    MLS_POWER_PRODUCT,
    MLS_POWER_POWER,
    MLS_POWER_UNARY
};

typedef struct mls_expr_node {
    uint8_t op;
    uint16_t depth; /* depth of the tree that begins at this node */
    uint32_t slot;  /* for a variable, its index in the symbols */
    uint32_t count; /* number of operands */
    const struct mls_expr_node **operands;
    mls_str text; /* the source text of this node */
    mls_value constant;
    struct mls_expr_node *next; /* the node that was created next */
} mls_expr_node;

typedef struct mls_expr {
    mls_str text;
    const mls_expr_node *root;
    const mls_expr_node *nodes; /* all nodes, linked by `next` */
    uint64_t uses;              /* bit OP is set if an operator or function OP occurs */
} mls_expr;

static inline bool mls_expr_uses(const mls_expr *expr, mls_expr_op op)
{
    return (expr->uses >> op & 1) != 0;
}

/* Compile an expression; all data are copied to `arena`.  `symbols` maps the names of variables to their indexes; new
 * variables are added to it, and it must use the same arena.  Return MLS_OK, or MLS_ERROR_SYNTAX or MLS_ERROR_LIMIT;
 * error->column is then the position of the error in the text, in bytes from 1. */
mls_status mls_expr_compile(mls_str text, mls_map *symbols, mls_arena *arena, mls_expr *expr,
                            mls_error *error) MLS_MUST_USE;

/* A variable of a scope. */
typedef struct mls_variable {
    mls_value value;
    bool set;
    mls_arena memory; /* memory of the value, unless the value is the initial one */
    size_t used;      /* size of the value in bytes, which is limited */
    size_t capacity;  /* if the value is a list: number of items for which memory is allocated */
} mls_variable;

/* The bits in mls_expr.uses of operators that read the record. */
#define MLS_EXPR_OF_RECORD ((1U << (MLS_EXPR_TIME + 1)) - 1)

enum { MLS_PARTS = MLS_EXPR_RECORD + 1 };

/* A part of a record: its value, its metadata, or the whole record. */
typedef struct mls_expr_part {
    mls_str span;
    /* The parsed JSON; NULL: not parsed yet.  It is always set for derived records, which have no JSON text. */
    const mls_value *tree;
} mls_expr_part;

typedef struct mls_expr_input {
    const mls_record *record; /* NULL for the expressions in "end", which are evaluated at the end of the log */
    mls_expr_part parts[MLS_PARTS];
    const mls_variable *variables;
    mls_arena *arena; /* memory of trees and results, which the caller may reset between records */
    char reason[240]; /* the reason why the last evaluation failed */
} mls_expr_input;

/* Set the record on which expressions are evaluated, and forget the trees of the previous one. */
void mls_expr_input_begin(mls_expr_input *input, const mls_record *record);

/* Return the tree of a part of the record, which is built on the first call. */
const mls_value *mls_expr_input_tree(mls_expr_input *input, mls_expr_op part);

/* Evaluate an expression.  The result may refer to memory of the expression and of the input.  If the expression cannot
 * be evaluated, return false and set input->reason. */
bool mls_expr_evaluate(const mls_expr_node *node, mls_expr_input *input, mls_value *result);

typedef enum mls_outcome { MLS_OUTCOME_FALSE, MLS_OUTCOME_TRUE, MLS_OUTCOME_UNKNOWN } mls_outcome;

/* Evaluate an expression as a condition; the outcome is true, false, or unknown if it cannot be evaluated. */
mls_outcome mls_expr_test(const mls_expr *expr, mls_expr_input *input);

typedef struct mls_call {
    mls_expr_op op;
    const mls_expr_node *node;
    const mls_value *values; /* the values of the operands */
    mls_expr_input *input;
    mls_value *result;
} mls_call;

typedef struct mls_expr_info {
    const char *name;
    uint8_t min, max, power;
    bool (*call)(const mls_call *call); /* on failure, set input->reason and return false */
    const char *words;
} mls_expr_info;

extern const mls_expr_info mls_expr_table[MLS_EXPR_OP_COUNT];

/* Check whether a value counts as true.  0, false, "", [], {} and null do not; all other values do, including NaN. */
bool mls_value_truth(const mls_value *value);

/* Append a value in readable form, truncated if it is long: 16, "adamw", [0.9, 0.999], {"BBOX": 0.3, …} */
void mls_value_show(mls_buffer *buffer, const mls_value *value);

/* Store the reason why evaluation failed, and return false. */
bool mls_expr_fail(mls_expr_input *input, const char *format, ...) MLS_PRINTF(2, 3);

static inline mls_value mls_value_of_bool(bool truth)
{
    return (mls_value){.kind = MLS_JSON_BOOL, .as.boolean = truth};
}

static inline mls_value mls_value_of_number(double number, bool is_integer)
{
    return (mls_value){.kind = MLS_JSON_NUMBER, .is_integer = is_integer, .as.number = number};
}
